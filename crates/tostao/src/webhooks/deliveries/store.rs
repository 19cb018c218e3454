//! The deliveries' table.

use db::args;
use db::time::Timestamp;
use db::tx::Tx;
use db::value::Row;
use uuid::Uuid;

use crate::error::Result;
use crate::events::Occurrence;
use crate::http::page::Page;
use crate::ids::{EventId, Scope, WebhookId};
use crate::merchants;
use crate::webhooks::deliveries::{Delivery, LogEntry, Parcel, Progress, Standing};
use crate::webhooks::jobs::Deliver;

pub async fn insert(
    tx: &Tx,
    scope: Scope,
    webhook: WebhookId,
    event: EventId,
    event_name: &str,
) -> Result<()> {
    tx.defer(
        "insert into webhook_deliveries
                (merchant_id, mode, webhook_id, event_id, event_name, status, series, attempts,
                 next_attempt_at, log, created_at)
         values ($1, $2, $3, $4, $5, 'PENDING', 0, 0, $6, '[]', $6)",
        args![scope.merchant, scope.mode, webhook, event, event_name, scope.now(tx)],
    )
    .await?;
    Ok(())
}

/// Inserts a delivery, or makes the one that is there due now; answers its series.
pub async fn insert_or_restart(
    tx: &Tx,
    scope: Scope,
    webhook: WebhookId,
    event: EventId,
    event_name: &str,
) -> Result<i64> {
    let mut row = tx
        .one(
            "insert into webhook_deliveries
                    (merchant_id, mode, webhook_id, event_id, event_name, status, series, attempts,
                     next_attempt_at, log, created_at)
             values ($1, $2, $3, $4, $5, 'PENDING', 0, 0, $6, '[]', $6)
                 on conflict (merchant_id, mode, webhook_id, event_id) do update
                set status = 'PENDING', series = webhook_deliveries.series + 1, attempts = 0,
                    next_attempt_at = $6
             returning series",
            args![scope.merchant, scope.mode, webhook, event, event_name, scope.now(tx)],
        )
        .await?;
    Ok(row.take()?)
}

/// Makes a delivery due now; answers its new series, if there is such a delivery.
pub async fn restart(
    tx: &Tx,
    scope: Scope,
    webhook: WebhookId,
    event: EventId,
) -> Result<Option<i64>> {
    let row = tx
        .opt(
            "update webhook_deliveries
                set status = 'PENDING', series = series + 1, attempts = 0, next_attempt_at = $1
              where merchant_id = $2 and mode = $3 and webhook_id = $4 and event_id = $5
             returning series",
            args![scope.now(tx), scope.merchant, scope.mode, webhook, event],
        )
        .await?;
    Ok(row.map(|mut row| row.take()).transpose()?)
}

/// Reads what an attempt needs, unless the job is of a series that is over.
pub async fn load(tx: &Tx, due: &Deliver) -> Result<Option<Parcel>> {
    let row = tx
        .opt(
            "select deliveries.event_name, deliveries.attempts, deliveries.log,
                    webhooks.url, webhooks.active, webhooks.secret, webhooks.previous_secret,
                    webhooks.previous_secret_ends_at, webhooks.failures,
                    webhooks.last_triggered_at, events.name, events.object_id, events.sequence,
                    events.data, events.sample, events.created_at
               from webhook_deliveries as deliveries
               join webhooks
                 on webhooks.merchant_id = deliveries.merchant_id
                and webhooks.mode = deliveries.mode and webhooks.id = deliveries.webhook_id
               join events
                 on events.merchant_id = deliveries.merchant_id
                and events.mode = deliveries.mode and events.id = deliveries.event_id
              where deliveries.merchant_id = $1 and deliveries.mode = $2
                and deliveries.webhook_id = $3 and deliveries.event_id = $4
                and deliveries.series = $5 and deliveries.status = 'PENDING'",
            args![due.merchant, due.mode, due.webhook, due.event, due.series],
        )
        .await?;
    let Some(row) = row else { return Ok(None) };
    let scope = merchants::scope(tx, due.merchant, due.mode).await?;
    parcel(row, scope, scope.now(tx), due).map(Some)
}

/// Writes an attempt down, unless a redelivery has begun meanwhile.
pub async fn progress(tx: &Tx, parcel: &Parcel, progress: &Progress) -> Result<()> {
    tx.defer(
        "update webhook_deliveries
            set status = $1, attempts = $2, last_status_code = $3, last_error = $4,
                last_attempt_at = $5, next_attempt_at = $6, log = $7
          where merchant_id = $8 and mode = $9 and webhook_id = $10 and event_id = $11
            and series = $12 and status = 'PENDING'",
        args![
            progress.status,
            progress.attempts,
            progress.status_code,
            progress.error,
            progress.at,
            progress.next_at,
            progress.log,
            parcel.scope.merchant,
            parcel.scope.mode,
            parcel.webhook,
            parcel.occurrence.id,
            parcel.series,
        ],
    )
    .await?;
    Ok(())
}

/// Gives a delivery up without an attempt.
pub async fn abandon(tx: &Tx, parcel: &Parcel) -> Result<()> {
    tx.defer(
        "update webhook_deliveries
            set status = 'FAILED', last_error = 'disabled', next_attempt_at = null
          where merchant_id = $1 and mode = $2 and webhook_id = $3 and event_id = $4
            and series = $5 and status = 'PENDING'",
        args![
            parcel.scope.merchant,
            parcel.scope.mode,
            parcel.webhook,
            parcel.occurrence.id,
            parcel.series,
        ],
    )
    .await?;
    Ok(())
}

pub async fn list(tx: &Tx, scope: Scope, webhook: WebhookId, page: Page) -> Result<Vec<Delivery>> {
    let rows = tx
        .all(
            "select event_id, event_name, webhook_id, status, attempts, last_status_code,
                    last_error, last_attempt_at, next_attempt_at, log, created_at
               from webhook_deliveries
              where merchant_id = $1 and mode = $2 and webhook_id = $3 and event_id < $4
              order by event_id desc
              limit $5 offset $6",
            args![scope.merchant, scope.mode, webhook, page.before(), page.fetch(), page.offset(),],
        )
        .await?;
    rows.into_iter().map(delivery).collect()
}

pub async fn count(tx: &Tx, scope: Scope, webhook: WebhookId) -> Result<i64> {
    let mut row = tx
        .one(
            "select count(*)
               from webhook_deliveries
              where merchant_id = $1 and mode = $2 and webhook_id = $3",
            args![scope.merchant, scope.mode, webhook],
        )
        .await?;
    Ok(row.take()?)
}

/// Forgets deliveries of events before the first id of an instant.
pub async fn is_awaited(tx: &Tx, scope: Scope, event: EventId) -> Result<bool> {
    let row = tx
        .opt(
            "select deliveries.event_id
               from webhooks
               join webhook_deliveries as deliveries
                 on deliveries.merchant_id = webhooks.merchant_id
                and deliveries.mode = webhooks.mode
                and deliveries.webhook_id = webhooks.id
                and deliveries.event_id = $3
              where webhooks.merchant_id = $1 and webhooks.mode = $2
                and webhooks.deleted_at is null and deliveries.status = 'PENDING'
              limit 1",
            args![scope.merchant, scope.mode, event],
        )
        .await?;
    Ok(row.is_some())
}

pub async fn forget(tx: &Tx, scope: Scope, first: Uuid, most: i64) -> Result<u64> {
    let forgotten = tx
        .exec(
            "delete from webhook_deliveries
              where merchant_id = $1 and mode = $2 and (webhook_id, event_id) in (
                    select deliveries.webhook_id, deliveries.event_id
                      from webhooks
                      join webhook_deliveries as deliveries
                        on deliveries.merchant_id = webhooks.merchant_id
                       and deliveries.mode = webhooks.mode
                       and deliveries.webhook_id = webhooks.id
                       and deliveries.event_id < $3
                     where webhooks.merchant_id = $1 and webhooks.mode = $2
                     limit $4)",
            args![scope.merchant, scope.mode, first, most],
        )
        .await?;
    Ok(forgotten)
}

fn parcel(mut row: Row, scope: Scope, now: Timestamp, due: &Deliver) -> Result<Parcel> {
    let event_name = row.take()?;
    let attempts = row.take()?;
    let log = log(&mut row)?;
    let url = row.take()?;
    let active = row.take()?;
    let secret = row.take()?;
    let previous: Option<Vec<u8>> = row.take()?;
    let ends_at: Option<Timestamp> = row.take()?;
    let failures: i64 = row.take()?;
    Ok(Parcel {
        scope,
        webhook: due.webhook,
        event_name,
        series: due.series,
        attempts,
        log,
        url,
        active,
        secret,
        previous_secret: previous.filter(|_| ends_at.is_some_and(|at| at > now)),
        failing: failures > 0,
        last_triggered_at: row.take()?,
        occurrence: Occurrence {
            id: due.event,
            name: row.take()?,
            object: row.take()?,
            sequence: row.take()?,
            data: row.take()?,
            sample: row.take()?,
            created_at: row.take()?,
        },
    })
}

fn delivery(mut row: Row) -> Result<Delivery> {
    let event = row.take()?;
    let event_name = row.take()?;
    let webhook = row.take()?;
    let standing = Standing::read(&mut row, webhook)?;
    Ok(Delivery { event, event_name, standing, log: log(&mut row)?, created_at: row.take()? })
}

fn log(row: &mut Row) -> Result<Vec<LogEntry>> {
    Ok(serde_json::from_str(&row.take::<String>()?)?)
}
