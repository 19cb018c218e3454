//! The table of unmatched receipts.

use db::args;
use db::time::Timestamp;
use db::tx::Tx;
use db::value::Row;

use crate::merchants;
use crate::platform::error::Result;
use crate::platform::http::page::Page;
use crate::platform::ids::{MerchantId, Mode, ReturnId, Scope, TransactionId, UnmatchedId};
use crate::store::{Sums, add_up, counting, newest_of, summing};
use crate::transactions::Transaction;
use crate::transactions::incoming_payment::{Rail, id_of_part, own_id};
use crate::transactions::unmatched::{FOUND_TAKEN, Status, UnmatchedPayment};

/// The columns of an unmatched receipt, in the order in which `read` takes them.
macro_rules! columns {
    () => {
        "id, amount_cents, reason, status, payment_id, rail, received_at, decided_at, returned_at,
         return_id, failure_reason"
    };
}

/// The differences of a bank about a PIX.
macro_rules! differences_of {
    () => {
        " from connection_differences
          where connection_id in (select connections.id from connections where name = $1)
            and details like $2"
    };
}

/// Stores an unmatched receipt; false if it was stored before.
pub async fn insert(
    tx: &Tx,
    scope: Scope,
    of: &Transaction,
    new: &UnmatchedPayment,
) -> Result<bool> {
    let inserted = tx
        .exec(
            "insert into unmatched_receipts
                    (provider, payment_id, id, merchant_id, mode, transaction_id,
                     amount_cents, reason, status, received_at, rail)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
                 on conflict (provider, payment_id) do nothing",
            args![
                of.provider,
                new.payment_id,
                new.id,
                scope.merchant,
                scope.mode,
                of.id,
                new.amount,
                new.reason.name(),
                new.status.name(),
                new.received_at,
                new.rail.name(),
            ],
        )
        .await?;
    Ok(inserted == 1)
}

/// Makes a part of a receipt that is open or accepted a receipt of its own; false if the whole
/// changed meanwhile.
pub async fn split(
    tx: &Tx,
    scope: Scope,
    of: &Transaction,
    whole: &UnmatchedPayment,
    part: &UnmatchedPayment,
) -> Result<bool> {
    let left = tx
        .exec(
            "update unmatched_receipts
                set amount_cents = amount_cents - $1
              where merchant_id = $2 and mode = $3 and transaction_id = $4 and id = $5
                and amount_cents = $6 and status = $7 and return_id is null
                and returned_at is null",
            args![
                part.amount,
                scope.merchant,
                scope.mode,
                of.id,
                whole.id,
                whole.amount,
                stored(whole.status),
            ],
        )
        .await?;
    if left != 1 {
        return Ok(false);
    }
    let payment_id = id_of_part(&whole.payment_id, part.id);
    insert(tx, scope, of, &UnmatchedPayment { payment_id, ..part.clone() }).await
}

pub async fn find(
    tx: &Tx,
    scope: Scope,
    of: TransactionId,
    id: UnmatchedId,
) -> Result<Option<UnmatchedPayment>> {
    let row = tx
        .opt(
            concat!(
                "select ",
                columns!(),
                " from unmatched_receipts
                 where merchant_id = $1 and mode = $2 and transaction_id = $3 and id = $4"
            ),
            args![scope.merchant, scope.mode, of, id],
        )
        .await?;
    row.map(read).transpose()
}

/// Lists the unmatched receipts of a payment, oldest first.
pub async fn list(tx: &Tx, scope: Scope, of: TransactionId) -> Result<Vec<UnmatchedPayment>> {
    let rows = tx
        .all(
            concat!(
                "select ",
                columns!(),
                " from unmatched_receipts
                 where merchant_id = $1 and mode = $2 and transaction_id = $3
                 order by id"
            ),
            args![scope.merchant, scope.mode, of],
        )
        .await?;
    rows.into_iter().map(read).collect()
}

pub async fn newest_of(
    tx: &Tx,
    scope: Scope,
    of: TransactionId,
    most: i64,
) -> Result<Vec<UnmatchedId>> {
    let rows = tx
        .all(newest_of!("unmatched_receipts"), args![scope.merchant, scope.mode, of, most])
        .await?;
    rows.into_iter().map(|mut row| Ok(row.take()?)).collect()
}

/// The receipts of a scope that await a decision, newest first.
pub async fn waiting(
    tx: &Tx,
    scope: Scope,
    page: Page,
) -> Result<Vec<(TransactionId, UnmatchedPayment)>> {
    let rows = tx
        .all(
            concat!(
                "select transaction_id, ",
                columns!(),
                " from unmatched_receipts
                 where merchant_id = $1 and mode = $2 and status = 'OPEN' and id < $3
                 order by id desc
                 limit $4 offset $5"
            ),
            args![scope.merchant, scope.mode, page.before(), page.fetch(), page.offset()],
        )
        .await?;
    rows.into_iter().map(|mut row| Ok((row.take()?, read(row)?))).collect()
}

pub async fn count_waiting(tx: &Tx, scope: Scope) -> Result<i64> {
    let sql = counting!("unmatched_receipts", "status = 'OPEN'");
    Ok(tx.one(sql, args![scope.merchant, scope.mode]).await?.take()?)
}

/// A receipt by its identifier at its origin, with its payment.
pub async fn find_named(
    tx: &Tx,
    provider: &str,
    payment_id: &str,
) -> Result<Option<(Scope, TransactionId, UnmatchedId)>> {
    let row = tx
        .opt(
            "select merchant_id, mode, transaction_id, id
               from unmatched_receipts
              where provider = $1 and payment_id = $2",
            args![provider, payment_id],
        )
        .await?;
    let Some(mut row) = row else { return Ok(None) };
    let (merchant, mode): (MerchantId, Mode) = (row.take()?, row.take()?);
    let scope = merchants::scope(tx, merchant, mode).await?;
    Ok(Some((scope, row.take()?, row.take()?)))
}

/// Whether an administrator has not decided yet on a report that a PIX, which is of no sale, was
/// fraud.
pub async fn is_reported(tx: &Tx, provider: &str, end_to_end_id: &str) -> Result<bool> {
    let row = tx
        .opt(
            concat!(
                "select id",
                differences_of!(),
                " and kind = 'INFRACTION' and status = 'OPEN' limit 1"
            ),
            args![provider, of_pix(end_to_end_id)],
        )
        .await?;
    Ok(row.is_some())
}

/// Whether a bank sent money of a PIX back, or says so, and that is not booked: what was taken back
/// for fraud, until an administrator's decision has booked it, and a return that was not ordered or
/// had failed, while it awaits an administrator.
pub async fn is_sent_back(tx: &Tx, provider: &str, end_to_end_id: &str) -> Result<bool> {
    let row = tx
        .opt(
            concat!(
                "select id",
                differences_of!(),
                " and (kind in ('TAKEN_BACK', 'UNKNOWN_REFUND') and status = 'OPEN'
                       or kind = 'TAKEN_BACK' and not exists (
                          select 1
                            from received_payments
                           where received_payments.provider = $1
                             and received_payments.payment_id = cast($3 as text) || reference))
                  limit 1"
            ),
            args![provider, of_pix(end_to_end_id), FOUND_TAKEN],
        )
        .await?;
    Ok(row.is_some())
}

/// How the details of a difference about a PIX are found.
fn of_pix(end_to_end_id: &str) -> String {
    format!("%\"endToEndId\":\"{end_to_end_id}\"%")
}

/// Stores what became of a receipt, if its status is unchanged.
pub async fn decide(
    tx: &Tx,
    scope: Scope,
    of: TransactionId,
    before: Status,
    decided: &UnmatchedPayment,
) -> Result<bool> {
    let updated = tx
        .exec(
            "update unmatched_receipts
                set status = $1, decided_at = $2, returned_at = $7, return_id = $8,
                    failure_reason = $9
              where merchant_id = $3 and mode = $4 and transaction_id = $5 and id = $6
                and status = $10 and (return_id is not null) = $11 and returned_at is null",
            args![
                stored(decided.status),
                decided.decided_at,
                scope.merchant,
                scope.mode,
                of,
                decided.id,
                decided.returned_at,
                decided.sent_by,
                decided.failure_reason,
                stored(before),
                before == Status::Returning,
            ],
        )
        .await?;
    Ok(updated == 1)
}

/// Sums of unmatched receipts: what awaits a decision, and all ever received.
pub async fn sums(tx: &Tx, of: Option<Scope>) -> Result<Sums<2>> {
    let sums = summing!(
        "merchant_id",
        "cast(coalesce(sum(amount_cents) filter (where status = 'OPEN'), 0) as bigint),
         cast(coalesce(sum(amount_cents), 0) as bigint)",
        "unmatched_receipts",
        "true"
    );
    add_up(tx, of, sums).await
}

/// The value in the status column, which has two: a receipt that is being returned, or has been, is
/// stored as decided, and other columns say how.
const fn stored(status: Status) -> &'static str {
    match status {
        Status::Open => Status::Open.name(),
        Status::Accepted | Status::Returning | Status::Returned => Status::Accepted.name(),
    }
}

fn read(mut row: Row) -> Result<UnmatchedPayment> {
    let (id, amount) = (row.take()?, row.take()?);
    let (reason, status) = (row.take()?, row.take()?);
    let payment_id = own_id(row.take()?);
    let rail: Option<String> = row.take()?;
    let rail = rail.and_then(|text| Rail::parse(&text)).unwrap_or_else(|| rail_of(&payment_id));
    let (received_at, decided_at) = (row.take()?, row.take()?);
    let returned_at: Option<Timestamp> = row.take()?;
    let sent_by: Option<ReturnId> = row.take()?;
    let status = match (sent_by, returned_at) {
        (None, _) => status,
        (Some(_), None) => Status::Returning,
        (Some(_), Some(_)) => Status::Returned,
    };
    let failure_reason = row.take()?;
    Ok(UnmatchedPayment {
        id,
        amount,
        reason,
        status,
        payment_id,
        rail,
        received_at,
        decided_at,
        returned_at,
        sent_by,
        failure_reason,
    })
}

/// The rail of a receipt whose row is older than the column: end-to-end ids of PIX have one form,
/// which no bank's identifier of a boleto payment has.
fn rail_of(payment_id: &str) -> Rail {
    let is_pix = payment_id.len() == 32 && payment_id.starts_with('E');
    if is_pix { Rail::Pix } else { Rail::Boleto }
}
