//! The table of money set aside.

use db::args;
use db::tx::Tx;
use db::value::Row;

use crate::error::Result;
use crate::ids::{Scope, TransactionId, UnmatchedId};
use crate::store::{Sums, clearing, read_sums, summing, summing_own, word};
use crate::transactions::Transaction;
use crate::transactions::unmatched::{Reason, Status, Unmatched};

/// The columns of money set aside, in the order in which `read` takes them.
macro_rules! columns {
    () => {
        "id, amount_cents, reason, status, payment_id, received_at, decided_at"
    };
}

/// Notes money set aside; false if it was noted before.
pub async fn insert(tx: &Tx, scope: Scope, of: &Transaction, new: &Unmatched) -> Result<bool> {
    let inserted = tx
        .exec(
            "insert into unmatched_receipts
                    (provider, payment_id, id, merchant_id, mode, transaction_id,
                     amount_cents, reason, status, received_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
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
            ],
        )
        .await?;
    Ok(inserted == 1)
}

pub async fn is_set_aside(tx: &Tx, provider: &str, payment_id: &str) -> Result<bool> {
    let row = tx
        .opt(
            "select id from unmatched_receipts where provider = $1 and payment_id = $2",
            args![provider, payment_id],
        )
        .await?;
    Ok(row.is_some())
}

pub async fn find(
    tx: &Tx,
    scope: Scope,
    of: TransactionId,
    id: UnmatchedId,
) -> Result<Option<Unmatched>> {
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

/// Lists money set aside beside a payment, oldest first.
pub async fn list(tx: &Tx, scope: Scope, of: TransactionId) -> Result<Vec<Unmatched>> {
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

/// Writes a decision down, if there is none yet.
pub async fn decide(tx: &Tx, scope: Scope, of: TransactionId, decided: &Unmatched) -> Result<bool> {
    let updated = tx
        .exec(
            "update unmatched_receipts
                set status = $1, decided_at = $2
              where merchant_id = $3 and mode = $4 and transaction_id = $5 and id = $6
                and status = 'OPEN'",
            args![
                decided.status.name(),
                decided.decided_at,
                scope.merchant,
                scope.mode,
                of,
                decided.id,
            ],
        )
        .await?;
    Ok(updated == 1)
}

pub async fn clear(tx: &Tx, scope: Scope, most: i64) -> Result<u64> {
    let sql = clearing!("unmatched_receipts", "provider, payment_id");
    Ok(tx.exec(sql, args![scope.merchant, scope.mode, most]).await?)
}

/// Adds money set aside up: what waits for a decision, and all that ever was.
pub async fn sums(tx: &Tx, of: Option<Scope>) -> Result<Sums<2>> {
    let rows = match of {
        None => {
            tx.all(
                summing!(
                    "merchant_id",
                    "cast(coalesce(sum(amount_cents) filter (where status = 'OPEN'), 0) as bigint),
                     cast(coalesce(sum(amount_cents), 0) as bigint)",
                    "unmatched_receipts",
                    "true"
                ),
                &[],
            )
            .await?
        }
        Some(scope) => {
            tx.all(
                summing_own!(
                    "merchant_id",
                    "cast(coalesce(sum(amount_cents) filter (where status = 'OPEN'), 0) as bigint),
                     cast(coalesce(sum(amount_cents), 0) as bigint)",
                    "unmatched_receipts",
                    "true"
                ),
                args![scope.merchant, scope.mode],
            )
            .await?
        }
    };
    read_sums(rows)
}

fn read(mut row: Row) -> Result<Unmatched> {
    Ok(Unmatched {
        id: row.take()?,
        amount: row.take()?,
        reason: word(&mut row, Reason::parse)?,
        status: word(&mut row, Status::parse)?,
        payment_id: row.take()?,
        received_at: row.take()?,
        decided_at: row.take()?,
    })
}
