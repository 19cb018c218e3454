//! The `webhook_recoveries` table: the last recovery of each webhook.

use db::args;
use db::tx::Tx;
use db::value::Row;

use crate::platform::error::Result;
use crate::platform::ids::{MerchantId, Scope, WebhookId};
use crate::webhooks::recovery::Recovery;

/// Inserts a recovery in place of the last one; false if that one is running.
pub async fn begin(tx: &Tx, scope: Scope, recovery: &Recovery) -> Result<bool> {
    let begun = tx
        .exec(
            "insert into webhook_recoveries
                    (merchant_id, mode, webhook_id, id, since_at, until_at, status, resent,
                     last_event_id, checked_until, started_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
                 on conflict (merchant_id, mode, webhook_id) do update
                set id = $4, since_at = $5, until_at = $6, status = $7, resent = $8,
                    last_event_id = $9, checked_until = $10, started_at = $11, finished_at = null
              where webhook_recoveries.status <> 'RUNNING'",
            args![
                scope.merchant,
                scope.mode,
                recovery.webhook,
                recovery.id,
                recovery.since,
                recovery.until,
                recovery.status,
                recovery.resent,
                recovery.last_event,
                recovery.checked_until,
                recovery.started_at,
            ],
        )
        .await?;
    Ok(begun == 1)
}

pub async fn find(tx: &Tx, scope: Scope, webhook: WebhookId) -> Result<Option<Recovery>> {
    let row = tx
        .opt(
            "select id, webhook_id, since_at, until_at, status, resent, checked_until, started_at,
                    finished_at, last_event_id
               from webhook_recoveries
              where merchant_id = $1 and mode = $2 and webhook_id = $3",
            args![scope.merchant, scope.mode, webhook],
        )
        .await?;
    row.map(read).transpose()
}

/// Records the progress of a recovery that is running.
pub async fn update(tx: &Tx, scope: Scope, recovery: &Recovery) -> Result<()> {
    tx.exec(
        "update webhook_recoveries
            set status = $1, resent = $2, last_event_id = $3, checked_until = $4, finished_at = $5
          where merchant_id = $6 and mode = $7 and webhook_id = $8 and id = $9
            and status = 'RUNNING'",
        args![
            recovery.status,
            recovery.resent,
            recovery.last_event,
            recovery.checked_until,
            recovery.finished_at,
            scope.merchant,
            scope.mode,
            recovery.webhook,
            recovery.id,
        ],
    )
    .await?;
    Ok(())
}

pub async fn delete(tx: &Tx, scope: Scope, webhook: WebhookId) -> Result<()> {
    tx.exec(
        "delete from webhook_recoveries where merchant_id = $1 and mode = $2 and webhook_id = $3",
        args![scope.merchant, scope.mode, webhook],
    )
    .await?;
    Ok(())
}

pub async fn delete_in(tx: &Tx, scope: Scope) -> Result<()> {
    tx.exec(
        "delete from webhook_recoveries where merchant_id = $1 and mode = $2",
        args![scope.merchant, scope.mode],
    )
    .await?;
    Ok(())
}

pub async fn delete_all(tx: &Tx, merchant: MerchantId) -> Result<()> {
    tx.exec("delete from webhook_recoveries where merchant_id = $1", args![merchant]).await?;
    Ok(())
}

fn read(mut row: Row) -> Result<Recovery> {
    Ok(Recovery {
        id: row.take()?,
        webhook: row.take()?,
        since: row.take()?,
        until: row.take()?,
        status: row.take()?,
        resent: row.take()?,
        checked_until: row.take()?,
        started_at: row.take()?,
        finished_at: row.take()?,
        last_event: row.take()?,
    })
}
