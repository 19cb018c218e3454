//! The table of visitors whose click was counted recently.

use db::args;
use db::time::Timestamp;
use db::tx::Tx;

use crate::platform::error::Result;
use crate::platform::ids::{AffiliateLinkId, Scope};

/// Finds the link of a code, if sales by it earn a commission now.
pub async fn find(tx: &Tx, scope: Scope, code: &str) -> Result<Option<AffiliateLinkId>> {
    let row = tx
        .opt(
            "select links.id
               from affiliate_links as links
               join affiliate_programs as programs
                 on programs.merchant_id = links.merchant_id and programs.mode = links.mode
                and programs.id = links.program_id
               join merchants as affiliates on affiliates.id = links.affiliate_id
              where links.code = $1 and links.merchant_id = $2 and links.mode = $3
                and links.active and programs.active and programs.deleted_at is null
                and affiliates.closed_at is null",
            args![code, scope.merchant, scope.mode],
        )
        .await?;
    Ok(row.map(|mut row| row.take()).transpose()?)
}

/// Records a visitor's click; false if one of theirs was counted since `again_from`.
pub async fn count(
    tx: &Tx,
    scope: Scope,
    link: AffiliateLinkId,
    visitor: &str,
    counted_at: Timestamp,
    again_from: Timestamp,
    forget_at: Timestamp,
) -> Result<bool> {
    let counted = tx
        .exec(
            "insert into affiliate_clicks
                    (merchant_id, mode, link_id, visitor, counted_at, forget_at)
             values ($1, $2, $3, $4, $5, $7)
                 on conflict (merchant_id, mode, link_id, visitor)
                 do update set counted_at = excluded.counted_at, forget_at = excluded.forget_at
                     where affiliate_clicks.counted_at <= $6",
            args![scope.merchant, scope.mode, link, visitor, counted_at, again_from, forget_at],
        )
        .await?;
    Ok(counted == 1)
}

pub async fn delete_expired(tx: &Tx, most: i64) -> Result<u64> {
    let forgotten = tx
        .exec(
            "delete from affiliate_clicks
              where (merchant_id, mode, link_id, visitor) in (
                    select merchant_id, mode, link_id, visitor
                      from affiliate_clicks
                     where forget_at <= $1
                     order by forget_at
                     limit $2)",
            args![tx.now(), most],
        )
        .await?;
    Ok(forgotten)
}
