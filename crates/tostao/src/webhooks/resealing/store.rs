//! The `webhooks` table, traversed across all accounts.

use db::args;
use db::tx::Tx;
use db::value::Row;

use crate::platform::error::Result;
use crate::webhooks::resealing::{ResealPosition, ResealedValue, SealedValues};

pub async fn after(tx: &Tx, after: ResealPosition, most: usize) -> Result<Vec<SealedValues>> {
    let rows = tx
        .all(
            "select merchant_id, mode, id, secret, previous_secret, previous_secret_ends_at,
                    url_query
               from webhooks
              where (merchant_id, mode, id) > ($1, $2, $3) and deleted_at is null
              order by merchant_id, mode, id
              limit $4",
            args![after.merchant, after.mode, after.id, i64::try_from(most).unwrap_or(i64::MAX)],
        )
        .await?;
    let read = |mut row: Row| {
        Ok(SealedValues {
            position: ResealPosition { merchant: row.take()?, mode: row.take()?, id: row.take()? },
            secret: row.take()?,
            previous_secret: row.take()?,
            previous_secret_ends_at: row.take()?,
            query: row.take()?,
        })
    };
    rows.into_iter().map(read).collect()
}

/// Replaces sealed values; a value that has changed meanwhile stays.
pub async fn rewrite(
    tx: &Tx,
    position: ResealPosition,
    renewed: &[ResealedValue<'_>; 3],
) -> Result<()> {
    let [secret, previous, query] = renewed;
    tx.exec(
        "update webhooks
            set secret = case when secret = $1 then coalesce($2, secret) else secret end,
                previous_secret = case when previous_secret = $3
                                       then coalesce($4, previous_secret)
                                       else previous_secret end,
                url_query = case when url_query = $5 then coalesce($6, url_query)
                                 else url_query end
          where merchant_id = $7 and mode = $8 and id = $9",
        args![
            secret.before,
            secret.after,
            previous.before,
            previous.after,
            query.before,
            query.after,
            position.merchant,
            position.mode,
            position.id,
        ],
    )
    .await?;
    Ok(())
}
