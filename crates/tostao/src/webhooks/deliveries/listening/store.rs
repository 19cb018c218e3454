//! The `webhook_deliveries` table, as a listener reads it.

use db::args;
use db::tx::Tx;
use db::value::Row;
use uuid::Uuid;

use crate::events::EventRecord;
use crate::platform::error::Result;
use crate::platform::ids::{EventId, Scope, WebhookId};
use crate::webhooks::deliveries::listening::Unanswered;
use crate::webhooks::deliveries::{DeliveryAttempt, Progress};

/// In the order of the index of what is unanswered, which keeps the events about one object in
/// theirs.
pub async fn unanswered(tx: &Tx, scope: Scope, listener: WebhookId) -> Result<Option<Unanswered>> {
    let row = tx
        .opt(
            "select deliveries.event_name, deliveries.series, events.id, events.name,
                    events.object_id, events.sequence, events.data, events.sample,
                    events.created_at
               from webhook_deliveries as deliveries
               join events
                 on events.merchant_id = deliveries.merchant_id and events.mode = deliveries.mode
                and events.id = deliveries.event_id
              where deliveries.merchant_id = $1 and deliveries.mode = $2
                and deliveries.webhook_id = $3 and deliveries.status = 'PENDING'
                and deliveries.last_attempt_at is null
              order by deliveries.object_id, deliveries.sequence, deliveries.event_id
              limit 1",
            args![scope.merchant, scope.mode, listener],
        )
        .await?;
    row.map(read).transpose()
}

/// The attempts so far of a delivery that waits for an answer in this series.
pub async fn log(
    tx: &Tx,
    scope: Scope,
    listener: WebhookId,
    event: EventId,
    series: i64,
) -> Result<Option<Vec<DeliveryAttempt>>> {
    let row = tx
        .opt(
            "select log
               from webhook_deliveries
              where merchant_id = $1 and mode = $2 and webhook_id = $3 and event_id = $4
                and series = $5 and status = 'PENDING'",
            args![scope.merchant, scope.mode, listener, event, series],
        )
        .await?;
    row.map(|mut row| Ok(serde_json::from_str(&row.take::<String>()?)?)).transpose()
}

pub async fn answer(
    tx: &Tx,
    scope: Scope,
    listener: WebhookId,
    (event, series): (EventId, i64),
    progress: &Progress,
) -> Result<bool> {
    let answered = tx
        .exec(
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
                scope.merchant,
                scope.mode,
                listener,
                event,
                series,
            ],
        )
        .await?;
    Ok(answered == 1)
}

pub async fn delete_before(
    tx: &Tx,
    scope: Scope,
    listener: WebhookId,
    first: Uuid,
    most: i64,
) -> Result<u64> {
    let deleted = tx
        .exec(
            "delete from webhook_deliveries
              where merchant_id = $1 and mode = $2 and webhook_id = $3 and event_id in (
                    select event_id
                      from webhook_deliveries
                     where merchant_id = $1 and mode = $2 and webhook_id = $3 and event_id < $4
                     order by event_id
                     limit $5)",
            args![scope.merchant, scope.mode, listener, first, most],
        )
        .await?;
    Ok(deleted)
}

fn read(mut row: Row) -> Result<Unanswered> {
    Ok(Unanswered {
        event_name: row.take()?,
        series: row.take()?,
        event_record: EventRecord {
            id: row.take()?,
            name: row.take()?,
            object: row.take()?,
            sequence: row.take()?,
            data: row.take()?,
            sample: row.take()?,
            created_at: row.take()?,
        },
    })
}
