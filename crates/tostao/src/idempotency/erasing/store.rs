//! The `idempotency_keys` table, traversed within a scope.

use db::args;
use db::tx::Tx;

use crate::idempotency::erasing::Position;
use crate::platform::error::Result;
use crate::platform::ids::Scope;

/// A row's position, its response, plain or sealed, and the hashes of the request's fields.
pub type Row = (Position, Option<String>, Option<Vec<u8>>, Option<Vec<u8>>);

pub async fn after(tx: &Tx, scope: Scope, after: &Position, most: i64) -> Result<Vec<Row>> {
    let rows = tx
        .all(
            "select route, key, body, sealed_body, field_hashes
               from idempotency_keys
              where merchant_id = $1 and mode = $2 and (route, key) > ($3, $4)
              order by route, key
              limit $5",
            args![scope.merchant, scope.mode, after.route, after.key, most],
        )
        .await?;
    let read = |mut row: db::value::Row| {
        let position = Position { route: row.take()?, key: row.take()? };
        Ok((position, row.take()?, row.take()?, row.take()?))
    };
    rows.into_iter().map(read).collect()
}

/// Replaces the body, and removes the hashes of the request's fields; only of a response that is
/// still stored.
pub async fn rewrite(
    tx: &Tx,
    scope: Scope,
    position: &Position,
    digest: &str,
    plain: Option<&str>,
    sealed: Option<&[u8]>,
) -> Result<()> {
    tx.defer(
        "update idempotency_keys
            set key = $1, body = $2, sealed_body = $3, field_hashes = null
          where merchant_id = $4 and mode = $5 and route = $6 and key = $7
            and status is not null",
        args![digest, plain, sealed, scope.merchant, scope.mode, position.route, position.key],
    )
    .await?;
    Ok(())
}

/// Removes the hashes of the request's fields.
pub async fn forget_fields(tx: &Tx, scope: Scope, position: &Position) -> Result<()> {
    tx.defer(
        "update idempotency_keys
            set field_hashes = null
          where merchant_id = $1 and mode = $2 and route = $3 and key = $4",
        args![scope.merchant, scope.mode, position.route, position.key],
    )
    .await?;
    Ok(())
}
