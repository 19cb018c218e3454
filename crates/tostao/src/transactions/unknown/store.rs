//! The table of unknown payments.

use db::args;
use db::time::Timestamp;
use db::tx::Tx;
use db::value::{Row, ToArg};

use crate::audit::decision::Decision;
use crate::platform::error::Result;
use crate::platform::ids::{Mode, Scope, UnmatchedId};
use crate::store::Sums;
use crate::transactions::incoming_payment::{id_of_part, own_id};
use crate::transactions::unknown::{Filter, REPORT, Status, UnknownPayment};

/// The columns of an unknown payment, in the order in which `read` takes them.
macro_rules! columns {
    () => {
        "id, provider, rail, reference, payment_id, amount_cents, status, dismissed, paid_at,
         received_at, transaction_id, closed_merchant_id, failure_reason, resolution, note,
         decided_by, decided_at, decided_from, unreadable_report"
    };
}

/// Returns false if it was stored before.
pub async fn insert(tx: &Tx, mode: Mode, new: &UnknownPayment) -> Result<bool> {
    let inserted = tx
        .exec(
            "insert into unknown_payments
                    (provider, payment_id, id, mode, rail, reference, amount_cents, status, paid_at,
                     received_at, closed_merchant_id, unreadable_report)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
                 on conflict (provider, payment_id) do nothing",
            args![
                new.provider,
                new.payment_id,
                new.id,
                mode,
                new.rail.name(),
                new.reference,
                new.amount,
                new.status.name(),
                new.paid_at,
                new.received_at,
                new.closed,
                new.unreadable_report,
            ],
        )
        .await?;
    Ok(inserted == 1)
}

/// Makes a part of a payment a row of its own; the caller holds the row lock of the whole.
pub async fn split(
    tx: &Tx,
    mode: Mode,
    whole: &UnknownPayment,
    part: &UnknownPayment,
) -> Result<()> {
    tx.exec(
        "update unknown_payments
            set amount_cents = amount_cents - $1
          where mode = $2 and id = $3",
        args![part.amount, mode, whole.id],
    )
    .await?;
    let payment_id = id_of_part(&whole.payment_id, part.id);
    insert(tx, mode, &UnknownPayment { payment_id, ..part.clone() }).await?;
    Ok(())
}

/// A payment by its identifier at its origin.
pub async fn find_named(
    tx: &Tx,
    provider: &str,
    payment_id: &str,
) -> Result<Option<(Mode, UnmatchedId)>> {
    let row = tx
        .opt(
            "select mode, id from unknown_payments where provider = $1 and payment_id = $2",
            args![provider, payment_id],
        )
        .await?;
    row.map(|mut row| Ok((row.take()?, row.take()?))).transpose()
}

/// Whether a payment awaits a decision; `None` if it is not stored.
pub async fn is_open(tx: &Tx, provider: &str, payment_id: &str) -> Result<Option<bool>> {
    let row = tx
        .opt(
            "select status = 'OPEN' from unknown_payments where provider = $1 and payment_id = $2",
            args![provider, payment_id],
        )
        .await?;
    Ok(row.map(|mut row| row.take()).transpose()?)
}

/// Frees the id of a report that was decided on for another report; false if it is free, or taken
/// by a report that awaits a decision.
pub async fn release(tx: &Tx, provider: &str, payment_id: &str) -> Result<bool> {
    let released = tx
        .exec(
            "update unknown_payments
                set payment_id = $1
              where provider = $2 and payment_id = $3 and status <> 'OPEN'",
            args![format!("{payment_id} {}", tx.new_id()), provider, payment_id],
        )
        .await?;
    Ok(released == 1)
}

pub async fn find(tx: &Tx, mode: Mode, id: UnmatchedId) -> Result<Option<UnknownPayment>> {
    let row = tx
        .opt(
            concat!("select ", columns!(), " from unknown_payments where mode = $1 and id = $2"),
            args![mode, id],
        )
        .await?;
    row.map(read).transpose()
}

/// Finds an unknown payment and locks it until the unit ends.
pub async fn lock(tx: &Tx, mode: Mode, id: UnmatchedId) -> Result<Option<UnknownPayment>> {
    let row = tx
        .opt(
            concat!(
                "select ",
                columns!(),
                " from unknown_payments
                 where mode = $1 and id = $2 /*+ lock unknown_payments */"
            ),
            args![mode, id],
        )
        .await?;
    row.map(read).transpose()
}

/// The money that awaits a decision and named a charge by this txid.
pub async fn open_named(
    tx: &Tx,
    mode: Mode,
    provider: &str,
    txid: &str,
) -> Result<Vec<UnmatchedId>> {
    let rows = tx
        .all(
            "select id
               from unknown_payments
              where mode = $1 and provider = $2 and rail = 'PIX' and reference = $3
                and status = 'OPEN'
              order by id",
            args![mode, provider, txid],
        )
        .await?;
    rows.into_iter().map(|mut row| Ok(row.take()?)).collect()
}

/// Lists those that match, newest first.
pub async fn list(tx: &Tx, mode: Mode, filter: &Filter) -> Result<Vec<UnknownPayment>> {
    let page = &filter.page;
    let (status, dismissed) = filter.status.map(stored).unzip();
    let rows = tx
        .all(
            concat!(
                "select ",
                columns!(),
                " from unknown_payments
                 where mode = $1 and id < $3
                   and (cast($2 as text) is null or status = $2 and dismissed = $6)
                 order by id desc
                 limit $4 offset $5"
            ),
            args![mode, status, page.before(), page.fetch(), page.offset(), dismissed],
        )
        .await?;
    rows.into_iter().map(read).collect()
}

pub async fn count(tx: &Tx, mode: Mode, status: Option<Status>) -> Result<i64> {
    let (status, dismissed) = status.map(stored).unzip();
    let mut row = tx
        .one(
            "select count(*)
               from unknown_payments
              where mode = $1
                and (cast($2 as text) is null or status = $2 and dismissed = $3)",
            args![mode, status, dismissed],
        )
        .await?;
    Ok(row.take()?)
}

/// Sums of a mode: what awaits a decision, all that was not matched, and all.
pub async fn sums(tx: &Tx) -> Result<Sums<3>> {
    let rows = tx
        .all(
            "select mode,
                    cast(coalesce(sum(amount_cents) filter (where status = 'OPEN'), 0) as bigint),
                    cast(coalesce(sum(amount_cents)
                                  filter (where status <> 'MATCHED'), 0) as bigint),
                    cast(coalesce(sum(amount_cents), 0) as bigint)
               from unknown_payments
              group by mode",
            &[],
        )
        .await?;
    let read = |mut row: Row| {
        let mode: Mode = row.take()?;
        let platform = Scope::platform(mode);
        Ok(((platform.merchant.0, mode.book()), [row.take()?, row.take()?, row.take()?]))
    };
    rows.into_iter().map(read).collect()
}

/// Stores a decision.
pub async fn change(tx: &Tx, mode: Mode, changed: &UnknownPayment) -> Result<()> {
    let [decided_by, decided_at, decided_from] = Decision::args(changed.decided.as_ref());
    let (status, dismissed) = stored(changed.status);
    tx.exec(
        "update unknown_payments
            set status = $1, transaction_id = $2, failure_reason = $3, decided_by = $4,
                decided_at = $5, decided_from = $6, dismissed = $7, resolution = $8, note = $9
          where mode = $10 and id = $11",
        &[
            status.to_arg(),
            changed.transaction.to_arg(),
            changed.failure_reason.to_arg(),
            decided_by,
            decided_at,
            decided_from,
            dismissed.to_arg(),
            changed.resolution.to_arg(),
            changed.note.to_arg(),
            mode.to_arg(),
            changed.id.to_arg(),
        ],
    )
    .await?;
    Ok(())
}

/// Blanks the unreadable reports that were decided on before an instant; returns how many.
pub async fn blank_reports(tx: &Tx, before: Timestamp, most: i64) -> Result<u64> {
    let blanked = tx
        .exec(
            "update unknown_payments
                set unreadable_report = null
              where (provider, payment_id) in (
                    select provider, payment_id
                      from unknown_payments
                     where unreadable_report is not null and decided_at < $1 and status <> 'OPEN'
                     limit $2)",
            args![before, most],
        )
        .await?;
    Ok(blanked)
}

/// The values of the columns `status` and `dismissed`: an earlier release, which does not know the
/// latter, takes a dismissed report for money that was returned.
fn stored(status: Status) -> (Status, bool) {
    let dismissed = status == Status::Dismissed;
    (if dismissed { Status::Returned } else { status }, dismissed)
}

fn read(mut row: Row) -> Result<UnknownPayment> {
    Ok(UnknownPayment {
        id: row.take()?,
        provider: row.take()?,
        rail: row.take()?,
        reference: row.take()?,
        payment_id: payment_id(row.take()?),
        amount: row.take()?,
        status: match (row.take()?, row.take()?) {
            (_, true) => Status::Dismissed,
            (status, false) => status,
        },
        paid_at: row.take()?,
        received_at: row.take()?,
        transaction: row.take()?,
        closed: row.take()?,
        failure_reason: row.take()?,
        resolution: row.take()?,
        note: row.take()?,
        decided: Decision::read(&mut row)?,
        unreadable_report: row.take()?,
    })
}

/// The id without what `release` or `split` added; in earlier releases a payment's own id may have
/// had spaces.
fn payment_id(stored: String) -> String {
    match stored.split_once(' ') {
        Some((id, _)) if id.starts_with(REPORT) => id.to_owned(),
        _ => own_id(stored),
    }
}
