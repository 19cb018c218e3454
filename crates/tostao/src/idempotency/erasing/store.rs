//! The `idempotency_keys` table, traversed within a scope.

use db::args;
use db::tx::Tx;

use crate::idempotency::erasing::Place;
use crate::platform::error::Result;
use crate::platform::ids::Scope;

type Row = (Place, Option<String>, Option<Vec<u8>>);

pub async fn after(tx: &Tx, scope: Scope, after: &Place, most: i64) -> Result<Vec<Row>> {
    let rows = tx
        .all(
            "select route, key, body, sealed_body
               from idempotency_keys
              where merchant_id = $1 and mode = $2 and (route, key) > ($3, $4)
                and status is not null
              order by route, key
              limit $5",
            args![scope.merchant, scope.mode, after.route, after.key, most],
        )
        .await?;
    let read = |mut row: db::value::Row| {
        let place = Place { route: row.take()?, key: row.take()? };
        Ok((place, row.take()?, row.take()?))
    };
    rows.into_iter().map(read).collect()
}

/// Replaces the body; only of a response that is still stored.
pub async fn rewrite(
    tx: &Tx,
    scope: Scope,
    place: &Place,
    digest: &str,
    plain: Option<&str>,
    sealed: Option<&[u8]>,
) -> Result<()> {
    tx.defer(
        "update idempotency_keys
            set key = $1, body = $2, sealed_body = $3
          where merchant_id = $4 and mode = $5 and route = $6 and key = $7
            and status is not null",
        args![digest, plain, sealed, scope.merchant, scope.mode, place.route, place.key],
    )
    .await?;
    Ok(())
}
