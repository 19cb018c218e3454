//! The `webhook_deliveries` table, joined with the events that it may lack.

use std::time::Duration;

use db::args;
use db::tx::Tx;
use db::value::Row;
use uuid::Uuid;

use crate::platform::error::Result;
use crate::platform::ids::{Scope, WebhookId};
use crate::webhooks::deliveries::Status;
use crate::webhooks::deliveries::unaccepted::{Candidate, Span, Standing};

/// Ids may be ahead of the clock by as much, where many are made at one instant.
const IDS_AHEAD_MAX: Duration = Duration::from_secs(60);

pub async fn next(
    tx: &Tx,
    scope: Scope,
    webhook: WebhookId,
    span: Span,
    most: i64,
) -> Result<Vec<Candidate>> {
    let rows = tx
        .all(
            "select events.id, events.name, events.object_id, events.sequence, events.created_at,
                    deliveries.status, deliveries.attempts
               from events
               left join webhook_deliveries as deliveries
                 on deliveries.merchant_id = events.merchant_id
                and deliveries.mode = events.mode and deliveries.webhook_id = $3
                and deliveries.event_id = events.id
              where events.merchant_id = $1 and events.mode = $2
                and events.id > $4 and events.id < $5
                and events.created_at >= $6 and events.created_at <= $7 and not events.sample
              order by events.id
              limit $8",
            args![
                scope.merchant,
                scope.mode,
                webhook,
                span.after,
                tx.first_id(span.until.plus(IDS_AHEAD_MAX)),
                span.since,
                span.until,
                most,
            ],
        )
        .await?;
    rows.into_iter().map(candidate).collect()
}

/// Inserts a delivery, or restarts one that failed; returns its series.
pub async fn restart(
    tx: &Tx,
    scope: Scope,
    webhook: WebhookId,
    candidate: &Candidate,
    event_name: &str,
) -> Result<Option<i64>> {
    let row = tx
        .opt(
            "insert into webhook_deliveries
                    (merchant_id, mode, webhook_id, event_id, event_name, status, series, attempts,
                     next_attempt_at, log, created_at, object_id, sequence)
             values ($1, $2, $3, $4, $5, 'PENDING', 0, 0, $6, '[]', $6, $7, $8)
                 on conflict (merchant_id, mode, webhook_id, event_id) do update
                set status = 'PENDING', series = webhook_deliveries.series + 1, attempts = 0,
                    next_attempt_at = $6, last_attempt_at = null, waiter_job_id = null,
                    waiter_due_at = null
              where webhook_deliveries.status = 'FAILED'
                 or (webhook_deliveries.status = 'PENDING' and webhook_deliveries.attempts > 0)
             returning series",
            args![
                scope.merchant,
                scope.mode,
                webhook,
                candidate.event,
                event_name,
                scope.now(tx),
                candidate.object,
                candidate.sequence,
            ],
        )
        .await?;
    Ok(row.map(|mut row| row.take()).transpose()?)
}

/// With the order of the index of such deliveries, and an event that no other index is read by, it
/// reads as many of them as it counts, however many others there are.
pub async fn count_unattempted(
    tx: &Tx,
    scope: Scope,
    webhook: WebhookId,
    last: Uuid,
    most: i64,
) -> Result<i64> {
    let mut row = tx
        .one(
            "select count(*)
               from (select event_id
                       from webhook_deliveries
                      where merchant_id = $1 and mode = $2 and webhook_id = $3
                        and status = 'PENDING' and last_attempt_at is null
                        and coalesce(event_id, event_id) <= $4
                      order by object_id, sequence
                      limit $5) as waiting",
            args![scope.merchant, scope.mode, webhook, last, most],
        )
        .await?;
    Ok(row.take()?)
}

fn candidate(mut row: Row) -> Result<Candidate> {
    let (event, name) = (row.take()?, row.take()?);
    let (object, sequence, created_at) = (row.take()?, row.take()?, row.take()?);
    let (status, attempts): (Option<Status>, Option<i64>) = (row.take()?, row.take()?);
    let standing = match (status, attempts) {
        (None, _) => Standing::Missed,
        (Some(Status::Failed), _) | (Some(Status::Pending), Some(1..)) => Standing::Refused,
        _ => Standing::Other,
    };
    Ok(Candidate { event, name, object, sequence, created_at, standing })
}
