//! The table of disputes.

use db::args;
use db::tx::Tx;
use db::value::Row;

use crate::platform::error::Result;
use crate::platform::ids::{RefundId, Scope, TransactionId};
use crate::store::{Sums, add_up, summing};
use crate::transactions::Transaction;
use crate::transactions::changes::change;
use crate::transactions::disputes::{Dispute, Status};
use crate::transactions::store::if_unchanged;

/// The columns of a dispute, in the order in which `read` takes them.
macro_rules! columns {
    () => {
        "id, transaction_id, kind, status, amount_cents, coalesce(is_part, false), opened_at,
         decided_at"
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

/// Decides the one open dispute of a payment.
pub async fn decide(tx: &Tx, scope: Scope, of: TransactionId, decision: Status) -> Result<Dispute> {
    let row = tx
        .one(
            concat!(
                "update disputes
                    set status = $1, decided_at = $2
                  where merchant_id = $3 and mode = $4 and transaction_id = $5
                    and status = 'OPEN'
                 returning ",
                columns!()
            ),
            args![decision.name(), scope.now(tx), scope.merchant, scope.mode, of],
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

fn read(mut row: Row) -> Result<Dispute> {
    Ok(Dispute {
        id: row.take()?,
        transaction: row.take()?,
        kind: row.take()?,
        status: row.take()?,
        amount: row.take()?,
        is_part: row.take()?,
        opened_at: row.take()?,
        decided_at: row.take()?,
    })
}
