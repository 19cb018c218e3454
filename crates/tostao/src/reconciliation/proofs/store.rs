//! The table of proofs from the first transfer.

use db::args;
use db::time::Timestamp;
use db::tx::Tx;
use db::value::Row;
use ledger::verify::Report;
use ledger::verify::onward::Progress;

use crate::platform::error::Result;
use crate::platform::ids::{MerchantId, Mode, Scope};
use crate::reconciliation::Compared;
use crate::reconciliation::proofs::Proof;
use crate::store::json;

/// Reads a ledger's proof, if one was ever started.
pub async fn find(tx: &Tx, scope: Scope) -> Result<Option<Proof>> {
    let row = tx
        .opt(
            "select revision, started_at, due_at, entries, progress, completed_at, found,
                    comparison
               from ledger_proofs
              where owner_id = $1 and book = $2",
            args![scope.merchant, scope.mode],
        )
        .await?;
    row.map(read).transpose()
}

/// Stores a proof unless another worker has stored a later state of it.
pub async fn keep(tx: &Tx, scope: Scope, proof: &Proof) -> Result<bool> {
    let progress: Option<String> =
        proof.progress.as_ref().map(serde_json::to_string::<Progress>).transpose()?;
    let found: Option<String> =
        proof.found.as_ref().map(serde_json::to_string::<Report>).transpose()?;
    let comparison: Option<String> =
        proof.compared.as_ref().map(serde_json::to_string::<Compared>).transpose()?;
    let kept = tx
        .exec(
            "insert into ledger_proofs
                    (owner_id, book, revision, started_at, due_at, entries, progress,
                     completed_at, found, comparison, is_sound)
             values ($1, $2, $3 + 1, $4, $5, $6, $7, $8, $9, $10, $11)
                 on conflict (owner_id, book) do update
                set revision = excluded.revision,
                    started_at = excluded.started_at,
                    due_at = excluded.due_at,
                    entries = excluded.entries,
                    progress = excluded.progress,
                    completed_at = excluded.completed_at,
                    found = excluded.found,
                    comparison = excluded.comparison,
                    is_sound = excluded.is_sound
              where ledger_proofs.revision = $3",
            args![
                scope.merchant,
                scope.mode,
                proof.revision,
                proof.started_at,
                proof.due_at,
                proof.entries,
                progress,
                proof.completed_at,
                found,
                comparison,
                proof.is_sound(),
            ],
        )
        .await?;
    Ok(kept == 1)
}

/// Lists ledgers whose proof is due, or that have more legs after their positions than so many.
pub async fn due(tx: &Tx, now: Timestamp, legs: i64, most: i64) -> Result<Vec<(MerchantId, Mode)>> {
    let rows = tx
        .all(
            "select accounts.owner_id, accounts.book
               from (select owner_id, book, cast(sum(sequence) as bigint) as legs
                       from ledger_accounts
                      group by owner_id, book) as accounts
               left join (select owner_id, book, cast(sum(sequence) as bigint) as proven
                            from ledger_positions
                           group by owner_id, book) as positions
                 on positions.owner_id = accounts.owner_id and positions.book = accounts.book
               left join ledger_proofs as proofs
                 on proofs.owner_id = accounts.owner_id and proofs.book = accounts.book
              where proofs.due_at is null or proofs.due_at <= $1
                 or legs - coalesce(proven, 0) > $2
              order by coalesce(proofs.due_at, 0)
              limit $3",
            args![now, legs, most],
        )
        .await?;
    rows.into_iter().map(|mut row| Ok((row.take()?, row.take()?))).collect()
}

/// Counts the ledgers of which the last proof found a fault, or has not ended although it began
/// before an instant.
pub async fn count_unsound(tx: &Tx, late: Timestamp) -> Result<i64> {
    let sql = "select count(*)
                 from ledger_proofs
                where not is_sound or (progress is not null and started_at <= $1)";
    Ok(tx.one(sql, args![late]).await?.take()?)
}

/// When a proof of any ledger was last completed.
pub async fn last_completed(tx: &Tx) -> Result<Option<Timestamp>> {
    Ok(tx.one("select max(completed_at) from ledger_proofs", args![]).await?.take()?)
}

fn read(mut row: Row) -> Result<Proof> {
    let (revision, started_at, due_at) = (row.take()?, row.take()?, row.take()?);
    let (entries, progress) = (row.take()?, json(&mut row)?);
    let (completed_at, found) = (row.take()?, json(&mut row)?);
    let compared = json(&mut row)?;
    Ok(Proof { revision, started_at, due_at, entries, progress, completed_at, found, compared })
}
