//! The tables `disputes` and `pix_infractions`, of the reports of fraud that disputes come from.

use db::args;
use db::time::Timestamp;
use db::tx::Tx;
use db::value::Row;
use ledger::cents::Cents;
use rails::connection::{Infraction, InfractionState};

use crate::platform::error::Result;
use crate::platform::ids::{DisputeId, RefundId, Scope, TransactionId};
use crate::store::{Sums, add_up, summing};
use crate::transactions::Transaction;
use crate::transactions::changes::change;
use crate::transactions::disputes::infractions::{Hold, KnownInfraction};
use crate::transactions::disputes::{Dispute, Status};
use crate::transactions::store::if_unchanged;

/// The columns of a dispute, in the order in which `read` takes them.
macro_rules! columns {
    () => {
        "id, transaction_id, kind, status, amount_cents, coalesce(is_part, false),
         replaced_by is not null, opened_at, decided_at"
    };
}

/// Updates a payment's status, if nothing changed it meanwhile.
pub async fn move_to(
    tx: &Tx,
    scope: Scope,
    before: &Transaction,
    after: &Transaction,
) -> Result<bool> {
    let sql = concat!(
        "update transactions set version = $6, status = $7, updated_at = $8",
        if_unchanged!()
    );
    change(tx, sql, scope, before, after, args![after.updated_at]).await
}

pub async fn insert(tx: &Tx, scope: Scope, new: &Dispute) -> Result<()> {
    tx.defer(
        "insert into disputes
                (merchant_id, mode, transaction_id, id, kind, status, amount_cents, is_part,
                 opened_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        args![
            scope.merchant,
            scope.mode,
            new.transaction,
            new.id,
            new.kind.name(),
            new.status.name(),
            new.amount,
            new.is_part,
            new.opened_at,
        ],
    )
    .await?;
    Ok(())
}

/// Stores the refund by which a dispute about a part was lost.
pub async fn lost_by(tx: &Tx, scope: Scope, lost: &Dispute, refund: RefundId) -> Result<()> {
    tx.defer(
        "update disputes
            set refund_id = $1
          where merchant_id = $2 and mode = $3 and transaction_id = $4 and id = $5",
        args![refund, scope.merchant, scope.mode, lost.transaction, lost.id],
    )
    .await?;
    Ok(())
}

/// Decides the one open dispute of a payment, or has another one take its place.
pub async fn decide(
    tx: &Tx,
    scope: Scope,
    of: TransactionId,
    decision: Status,
    replaced_by: Option<DisputeId>,
) -> Result<Dispute> {
    let row = tx
        .one(
            concat!(
                "update disputes
                    set status = $1, decided_at = $2, replaced_by = $6
                  where merchant_id = $3 and mode = $4 and transaction_id = $5
                    and status = 'OPEN'
                 returning ",
                columns!()
            ),
            args![decision.name(), scope.now(tx), scope.merchant, scope.mode, of, replaced_by],
        )
        .await?;
    read(row)
}

pub async fn list(tx: &Tx, scope: Scope, of: TransactionId) -> Result<Vec<Dispute>> {
    let rows = tx
        .all(
            concat!(
                "select ",
                columns!(),
                " from disputes
                 where merchant_id = $1 and mode = $2 and transaction_id = $3
                 order by id"
            ),
            args![scope.merchant, scope.mode, of],
        )
        .await?;
    rows.into_iter().map(read).collect()
}

/// Sums of disputes: what open ones hold, what lost ones cost, and how many there are of each. What
/// a lost part cost is its refund's.
pub async fn sums(tx: &Tx, of: Option<Scope>) -> Result<Sums<4>> {
    let sums = summing!(
        "merchant_id",
        "cast(coalesce(sum(amount_cents) filter (where status = 'OPEN'), 0) as bigint),
         cast(coalesce(sum(amount_cents)
                       filter (where status = 'LOST' and refund_id is null), 0) as bigint),
         count(*) filter (where status = 'OPEN'),
         count(*) filter (where status = 'LOST' and refund_id is null)",
        "disputes",
        "true"
    );
    add_up(tx, of, sums).await
}

/// The open dispute about a payment, of which there is at most one.
pub async fn find_open(tx: &Tx, scope: Scope, of: TransactionId) -> Result<Option<Dispute>> {
    let row = tx
        .opt(
            concat!(
                "select ",
                columns!(),
                " from disputes
                 where merchant_id = $1 and mode = $2 and transaction_id = $3
                   and status = 'OPEN'"
            ),
            args![scope.merchant, scope.mode, of],
        )
        .await?;
    row.map(read).transpose()
}

/// A report of fraud as it was last seen.
pub async fn find_infraction(tx: &Tx, provider: &str, id: &str) -> Result<Option<KnownInfraction>> {
    let row = tx
        .opt(
            "select state, changed_at, dispute_id, coalesce(is_waiting, false)
               from pix_infractions
              where provider = $1 and infraction_id = $2",
            args![provider, id],
        )
        .await?;
    let read = |mut row: Row| {
        let (state, changed_at) = (row.take()?, row.take()?);
        let dispute: Option<DisputeId> = row.take()?;
        let hold = match (dispute, row.take()?) {
            (Some(dispute), _) => Hold::By(dispute),
            (None, true) => Hold::Waiting,
            (None, false) => Hold::Nothing,
        };
        Ok(KnownInfraction { state, changed_at, hold })
    };
    row.map(read).transpose()
}

/// Stores a report of fraud as it is seen, and whether its money is back, which stays so. The
/// caller holds the payment's lock.
pub async fn put_infraction(
    tx: &Tx,
    provider: &str,
    seen: &Infraction,
    (hold, is_returned): (Hold, bool),
) -> Result<()> {
    tx.exec(
        "insert into pix_infractions
                (provider, infraction_id, end_to_end_id, amount_cents, state, opened_at, changed_at,
                 dispute_id, is_waiting, is_returned)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
             on conflict (provider, infraction_id) do update
                set state = excluded.state, changed_at = excluded.changed_at,
                    dispute_id = excluded.dispute_id, is_waiting = excluded.is_waiting,
                    is_returned = coalesce(pix_infractions.is_returned, false)
                                  or excluded.is_returned",
        args![
            provider,
            seen.id,
            seen.end_to_end_id,
            seen.amount,
            seen.state,
            seen.opened_at,
            seen.changed_at,
            hold.dispute(),
            hold == Hold::Waiting,
            is_returned,
        ],
    )
    .await?;
    Ok(())
}

/// Takes a return of an amount of a PIX for the report that it is most likely of, which has its
/// money back if the return covers it; returns that report's id.
pub async fn note_return(
    tx: &Tx,
    provider: &str,
    end_to_end_id: &str,
    returned: Cents,
) -> Result<Option<String>> {
    let row = tx
        .opt(
            "update pix_infractions
                set is_returned = (amount_cents <= $3)
              where provider = $1 and infraction_id = (
                  select infraction_id
                    from pix_infractions
                   where provider = $1 and end_to_end_id = $2 and state <> 'REJECTED'
                     and not coalesce(is_returned, false)
                   order by case when amount_cents = $3 then 0 else 1 end,
                            case when state = $4 then 0 else 1 end, opened_at, infraction_id
                   limit 1)
             returning infraction_id",
            args![provider, end_to_end_id, returned, InfractionState::Accepted],
        )
        .await?;
    Ok(row.map(|mut row| row.take()).transpose()?)
}

/// Whether a report about a PIX that was opened since is open, or was accepted and its money is not
/// back.
pub async fn is_pending(
    tx: &Tx,
    provider: &str,
    end_to_end_id: &str,
    since: Timestamp,
) -> Result<bool> {
    let row = tx
        .opt(
            "select infraction_id
               from pix_infractions
              where provider = $1 and end_to_end_id = $2 and state <> 'REJECTED'
                and opened_at > $3 and (state = $4 or not coalesce(is_returned, true))
              limit 1",
            args![provider, end_to_end_id, since, InfractionState::Open],
        )
        .await?;
    Ok(row.is_some())
}

/// Whether a dispute is open; there are few that are.
pub async fn is_open(tx: &Tx, id: DisputeId) -> Result<bool> {
    let sql = "select id from disputes where status = 'OPEN' and id = $1";
    Ok(tx.opt(sql, args![id]).await?.is_some())
}

/// Whether a report that was not rejected holds a payment's money by a dispute.
pub async fn is_reported(tx: &Tx, dispute: DisputeId) -> Result<bool> {
    let row = tx
        .opt(
            "select infraction_id from pix_infractions
              where dispute_id = $1 and state <> $2
              limit 1",
            args![dispute, InfractionState::Rejected],
        )
        .await?;
    Ok(row.is_some())
}

/// The reports that were not rejected and hold a payment's money by a dispute: the one that a
/// return of an amount is most likely for comes first.
pub async fn reports_of(tx: &Tx, dispute: DisputeId, returned: Cents) -> Result<Vec<String>> {
    let rows = tx
        .all(
            "select infraction_id
               from pix_infractions
              where dispute_id = $1 and state <> $2
              order by case when amount_cents = $3 then 0 else 1 end,
                       case when state = $4 then 0 else 1 end, opened_at, infraction_id",
            args![dispute, InfractionState::Rejected, returned, InfractionState::Accepted],
        )
        .await?;
    rows.into_iter().map(|mut row| Ok(row.take()?)).collect()
}

/// Has another dispute hold the money for all reports of one that were not rejected, but for one
/// report, if it is named; without a dispute they wait.
pub async fn move_reports(
    tx: &Tx,
    (from, to): (DisputeId, Option<DisputeId>),
    except: Option<&str>,
) -> Result<()> {
    tx.exec(
        "update pix_infractions
            set dispute_id = $1, is_waiting = $2
          where dispute_id = $3 and state <> $4
            and (cast($5 as text) is null or infraction_id <> $5)",
        args![to, to.is_none(), from, InfractionState::Rejected, except],
    )
    .await?;
    Ok(())
}

/// Whether a report waits for money of a payment.
pub async fn is_waiting(tx: &Tx, provider: &str, end_to_end_id: &str) -> Result<bool> {
    let row = tx
        .opt(
            "select infraction_id
               from pix_infractions
              where provider = $1 and end_to_end_id = $2 and is_waiting
              limit 1",
            args![provider, end_to_end_id],
        )
        .await?;
    Ok(row.is_some())
}

/// Has a dispute hold a payment's money for the reports that wait for it.
pub async fn hold_waiting(
    tx: &Tx,
    provider: &str,
    end_to_end_id: &str,
    dispute: DisputeId,
) -> Result<()> {
    tx.exec(
        "update pix_infractions
            set dispute_id = $3, is_waiting = false
          where provider = $1 and end_to_end_id = $2 and is_waiting",
        args![provider, end_to_end_id, dispute],
    )
    .await?;
    Ok(())
}

fn read(mut row: Row) -> Result<Dispute> {
    Ok(Dispute {
        id: row.take()?,
        transaction: row.take()?,
        kind: row.take()?,
        status: row.take()?,
        amount: row.take()?,
        is_part: row.take()?,
        is_replaced: row.take()?,
        opened_at: row.take()?,
        decided_at: row.take()?,
    })
}
