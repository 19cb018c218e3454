//! The `idempotency_keys` table, traversed across all accounts.

use db::args;
use db::tx::Tx;
use db::value::Row;

use crate::idempotency::erasing;
use crate::idempotency::resealing::{Kept, Position};
use crate::platform::error::Result;

/// Plain responses count as well, so that a step is bounded however few are sealed.
pub async fn after(tx: &Tx, after: &Position, most: usize) -> Result<Vec<Kept>> {
    let rows = tx
        .all(
            "select merchant_id, mode, route, key, case when expires_at > $1 then sealed_body end
               from idempotency_keys
              where (merchant_id, mode, route, key) > ($2, $3, $4, $5)
              order by merchant_id, mode, route, key
              limit $6",
            args![
                tx.now(),
                after.merchant,
                after.mode,
                after.in_scope.route,
                after.in_scope.key,
                i64::try_from(most).unwrap_or(i64::MAX),
            ],
        )
        .await?;
    let read = |mut row: Row| {
        let (merchant, mode) = (row.take()?, row.take()?);
        let in_scope = erasing::Position { route: row.take()?, key: row.take()? };
        Ok(Kept { position: Position { merchant, mode, in_scope }, sealed: row.take()? })
    };
    rows.into_iter().map(read).collect()
}

/// Replaces a sealed value; a value that has changed meanwhile stays.
pub async fn rewrite(tx: &Tx, at: &Position, before: &[u8], after: &[u8]) -> Result<()> {
    tx.exec(
        "update idempotency_keys
            set sealed_body = $1
          where merchant_id = $2 and mode = $3 and route = $4 and key = $5 and sealed_body = $6",
        args![after, at.merchant, at.mode, at.in_scope.route, at.in_scope.key, before,],
    )
    .await?;
    Ok(())
}
