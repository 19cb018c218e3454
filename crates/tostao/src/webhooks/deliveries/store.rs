//! The `webhook_deliveries` table.

use std::time::Duration;

use db::args;
use db::time::Timestamp;
use db::tx::Tx;
use db::value::{Arg, Row};
use queue::job::Job;
use uuid::Uuid;

use crate::events::EventRecord;
use crate::first_steps::Step;
use crate::merchants;
use crate::platform::error::Result;
use crate::platform::http::page::Page;
use crate::platform::ids::{EventId, Scope, WebhookId};
use crate::webhooks::Recipient;
use crate::webhooks::deliveries::{
    Delivery, DeliveryAttempt, EventDelivery, PastDelivery, PendingDelivery, Progress, Status,
    Waiter,
};
use crate::webhooks::endpoint_url::EndpointUrl;
use crate::webhooks::jobs::Deliver;

/// Records an attempt of a series that is still the current one.
macro_rules! progressing {
    () => {
        "update webhook_deliveries
            set status = $1, attempts = $2, last_status_code = $3, last_error = $4,
                last_attempt_at = $5, next_attempt_at = $6, log = $7
          where merchant_id = $8 and mode = $9 and webhook_id = $10 and event_id = $11
            and series = $12 and status = 'PENDING'"
    };
}

pub async fn insert(
    tx: &Tx,
    scope: Scope,
    webhook: WebhookId,
    event_record: &EventRecord,
    event_name: &str,
) -> Result<()> {
    tx.insert_row(
        "insert into webhook_deliveries
                (merchant_id, mode, webhook_id, event_id, event_name, status, series, attempts,
                 next_attempt_at, log, created_at, object_id, sequence)
         values ($1, $2, $3, $4, $5, 'PENDING', 0, 0, $6, '[]', $6, $7, $8)",
        args![
            scope.merchant,
            scope.mode,
            webhook,
            event_record.id,
            event_name,
            scope.now(tx),
            object(event_record),
            event_record.sequence,
        ],
    )
    .await?;
    Ok(())
}

/// Inserts a delivery, or makes the existing one due now; returns its series.
pub async fn insert_or_restart(
    tx: &Tx,
    scope: Scope,
    to: Recipient,
    event_record: &EventRecord,
    event_name: &str,
) -> Result<i64> {
    let mut row = tx
        .one(
            "insert into webhook_deliveries
                    (merchant_id, mode, webhook_id, event_id, event_name, status, series, attempts,
                     next_attempt_at, log, created_at, object_id, sequence)
             values ($1, $2, $3, $4, $5, 'PENDING', 0, 0, $6, '[]', $6, $7, $8)
                 on conflict (merchant_id, mode, webhook_id, event_id) do update
                set status = 'PENDING', series = webhook_deliveries.series + 1, attempts = 0,
                    next_attempt_at = $6,
                    last_attempt_at
                        = case when $9 then null else webhook_deliveries.last_attempt_at end
             returning series",
            args![
                scope.merchant,
                scope.mode,
                to.id(),
                event_record.id,
                event_name,
                scope.now(tx),
                object(event_record),
                event_record.sequence,
                is_listener(to),
            ],
        )
        .await?;
    Ok(row.take()?)
}

/// Makes a delivery due now; returns its new series, or `None` if there is no such delivery.
pub async fn restart(tx: &Tx, scope: Scope, to: Recipient, event: EventId) -> Result<Option<i64>> {
    let row = tx
        .opt(
            "update webhook_deliveries
                set status = 'PENDING', series = series + 1, attempts = 0, next_attempt_at = $1,
                    last_attempt_at = case when $6 then null else last_attempt_at end
              where merchant_id = $2 and mode = $3 and webhook_id = $4 and event_id = $5
             returning series",
            args![scope.now(tx), scope.merchant, scope.mode, to.id(), event, is_listener(to)],
        )
        .await?;
    Ok(row.map(|mut row| row.take()).transpose()?)
}

/// Whether deliveries to it are found by having no attempt, as an unanswered one has.
fn is_listener(to: Recipient) -> bool {
    matches!(to, Recipient::Listener(_))
}

/// Reads what an attempt needs, unless the job belongs to an earlier series; a first attempt also
/// needs the delivery that must have a response before it.
pub async fn load(tx: &Tx, due: &Deliver) -> Result<Option<PendingDelivery>> {
    let row = tx
        .opt(
            "select merchants.id, merchants.dev_ahead_micros,
                    deliveries.event_name, deliveries.attempts, deliveries.log,
                    webhooks.url, webhooks.url_query, webhooks.active, webhooks.secret,
                    webhooks.previous_secret,
                    webhooks.previous_secret_ends_at, webhooks.failures,
                    webhooks.last_triggered_at, events.name, events.object_id, events.sequence,
                    events.data, events.sample, events.created_at,
                    deliveries.last_attempt_at is null,
                    (select before.event_id
                       from webhook_deliveries as before
                      where before.merchant_id = deliveries.merchant_id
                        and before.mode = deliveries.mode
                        and before.webhook_id = deliveries.webhook_id
                        and before.object_id = deliveries.object_id
                        and before.status = 'PENDING' and before.last_attempt_at is null
                        and (before.sequence, before.event_id)
                          < (deliveries.sequence, deliveries.event_id)
                        and deliveries.last_attempt_at is null
                      order by before.sequence desc, before.event_id desc
                      limit 1),
                    (select first_steps.webhook_at is null
                       from first_steps
                      where first_steps.merchant_id = deliveries.merchant_id
                        and first_steps.mode = deliveries.mode)
               from webhook_deliveries as deliveries
               join merchants on merchants.id = deliveries.merchant_id
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
    pending(tx, row, due).map(Some)
}

/// Records the waiting job on the delivery before it; false if that one has had its response.
pub async fn add_waiter(
    tx: &Tx,
    pending: &PendingDelivery,
    before: EventId,
    waiter: Waiter,
) -> Result<bool> {
    let named = tx
        .exec(
            "update webhook_deliveries
                set waiter_job_id = $1, waiter_due_at = $2
              where merchant_id = $3 and mode = $4 and webhook_id = $5 and event_id = $6
                and status = 'PENDING' and last_attempt_at is null",
            args![
                waiter.job,
                waiter.due_at,
                pending.scope.merchant,
                pending.scope.mode,
                pending.webhook,
                before,
            ],
        )
        .await?;
    Ok(named == 1)
}

/// Moves the instants at which waiting jobs are due.
pub async fn advance_waiters(tx: &Tx, scope: Scope, by: Duration) -> Result<()> {
    let micros = i64::try_from(by.as_micros()).unwrap_or(i64::MAX);
    tx.exec(
        "update webhook_deliveries
            set waiter_due_at = waiter_due_at - $1
          where merchant_id = $2 and mode = $3 and status = 'PENDING'
            and last_attempt_at is null and waiter_due_at is not null",
        args![micros, scope.merchant, scope.mode],
    )
    .await?;
    Ok(())
}

/// Records an attempt, unless a redelivery has started meanwhile.
pub async fn progress(tx: &Tx, pending: &PendingDelivery, progress: &Progress) -> Result<()> {
    tx.defer_with_rows(progressing!(), &progressed(pending, progress)).await?;
    Ok(())
}

/// Makes the job due that waits for the delivery, whose first attempt the unit has recorded.
///
/// It is read when the unit holds the delivery's row, so none that was named before is missed. No
/// notice is sent, as the unit does not wait to see whether one was: the worker that runs this
/// delivery looks for due jobs once it has ended, and those of other nodes soon by themselves.
pub async fn wake(tx: &Tx, pending: &PendingDelivery) -> Result<()> {
    tx.defer(
        queue::hastening!(
            "select waiter_job_id as job_id, waiter_due_at as due_at
               from webhook_deliveries
              where merchant_id = $3 and mode = $4 and webhook_id = $5 and event_id = $6
                and last_attempt_at is not null"
        ),
        args![
            tx.now(),
            Deliver::LANE,
            pending.scope.merchant,
            pending.scope.mode,
            pending.webhook,
            pending.event_record.id,
        ],
    )
    .await?;
    Ok(())
}

/// Ends a delivery without an attempt; returns the waiting job.
pub async fn abandon(tx: &Tx, pending: &PendingDelivery) -> Result<Option<Waiter>> {
    let row = tx
        .opt(
            "update webhook_deliveries
                set status = 'FAILED', last_error = 'disabled', next_attempt_at = null
              where merchant_id = $1 and mode = $2 and webhook_id = $3 and event_id = $4
                and series = $5 and status = 'PENDING'
             returning waiter_job_id, waiter_due_at",
            args![
                pending.scope.merchant,
                pending.scope.mode,
                pending.webhook,
                pending.event_record.id,
                pending.series,
            ],
        )
        .await?;
    waiter(row)
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

/// A delivery that was started again has what its log says until it is attempted.
pub async fn past(
    tx: &Tx,
    scope: Scope,
    webhook: WebhookId,
    since: Uuid,
    most: i64,
) -> Result<Vec<PastDelivery>> {
    let rows = tx
        .all(
            "select last_attempt_at, status, last_status_code, last_error,
                    case when attempts = 0 then log end
               from webhook_deliveries
              where merchant_id = $1 and mode = $2 and webhook_id = $3 and event_id >= $4
                and log <> '[]'
              order by event_id desc
              limit $5",
            args![scope.merchant, scope.mode, webhook, since, most],
        )
        .await?;
    rows.into_iter().filter_map(|row| past_delivery(row).transpose()).collect()
}

pub async fn due(tx: &Tx, scope: Scope) -> Result<i64> {
    let mut row = tx
        .one(
            "select count(*)
               from webhook_deliveries as deliveries
               join webhooks
                 on webhooks.merchant_id = deliveries.merchant_id
                and webhooks.mode = deliveries.mode and webhooks.id = deliveries.webhook_id
              where deliveries.merchant_id = $1 and deliveries.mode = $2
                and deliveries.status = 'PENDING' and deliveries.next_attempt_at <= $3
                and webhooks.listener_name is null",
            args![scope.merchant, scope.mode, scope.now(tx)],
        )
        .await?;
    Ok(row.take()?)
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

/// Whether an event has a delivery that is still to be attempted.
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

pub async fn delete_before(tx: &Tx, scope: Scope, first: Uuid, most: i64) -> Result<u64> {
    let deleted = tx
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
    Ok(deleted)
}

fn pending(tx: &Tx, mut row: Row, due: &Deliver) -> Result<PendingDelivery> {
    let scope = merchants::scope_of(&mut row, due.mode)?;
    let now = scope.now(tx);
    let event_name = row.take()?;
    let attempts = row.take()?;
    let log = log(&mut row)?;
    let url = EndpointUrl { rest: row.take()?, sealed_query: row.take()? };
    let active = row.take()?;
    let secret = row.take()?;
    let previous: Option<Vec<u8>> = row.take()?;
    let ends_at: Option<Timestamp> = row.take()?;
    let failures: i64 = row.take()?;
    Ok(PendingDelivery {
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
        event_record: EventRecord {
            id: due.event,
            name: row.take()?,
            object: row.take()?,
            sequence: row.take()?,
            data: row.take()?,
            sample: row.take()?,
            created_at: row.take()?,
        },
        first: row.take()?,
        after: row.take()?,
        first_step: row.take::<Option<bool>>()?.unwrap_or_default().then_some(Step::Webhook),
    })
}

/// A test event is not ordered with the events about its object.
fn object(event_record: &EventRecord) -> Option<Uuid> {
    (!event_record.sample).then_some(event_record.object)
}

/// The parameters of `progressing`.
fn progressed<'a>(pending: &'a PendingDelivery, progress: &'a Progress) -> Vec<Arg<'a>> {
    args![
        progress.status,
        progress.attempts,
        progress.status_code,
        progress.error,
        progress.at,
        progress.next_at,
        progress.log,
        pending.scope.merchant,
        pending.scope.mode,
        pending.webhook,
        pending.event_record.id,
        pending.series,
    ]
    .to_vec()
}

fn waiter(row: Option<Row>) -> Result<Option<Waiter>> {
    let Some(mut row) = row else { return Ok(None) };
    let (job, due_at): (Option<Uuid>, Option<Timestamp>) = (row.take()?, row.take()?);
    Ok(job.zip(due_at).map(|(job, due_at)| Waiter { job, due_at }))
}

fn delivery(mut row: Row) -> Result<Delivery> {
    let event = row.take()?;
    let event_name = row.take()?;
    let webhook = row.take()?;
    let standing = EventDelivery::read(&mut row, webhook)?;
    Ok(Delivery { event, event_name, standing, log: log(&mut row)?, created_at: row.take()? })
}

fn past_delivery(mut row: Row) -> Result<Option<PastDelivery>> {
    let (at, status): (Option<Timestamp>, Status) = (row.take()?, row.take()?);
    let (code, error): (Option<i64>, Option<String>) = (row.take()?, row.take()?);
    let log: Option<String> = row.take()?;
    let past = |at, is_delivered, code: Option<i64>, error| {
        let error = code.map(|code| format!("HTTP {code}")).or(error);
        PastDelivery { at, is_delivered, error: error.filter(|_| !is_delivered) }
    };
    let Some(log) = log else {
        return Ok(at.map(|at| past(at, status == Status::Delivered, code, error)));
    };
    let last = serde_json::from_str::<Vec<DeliveryAttempt>>(&log)?.pop();
    Ok(last.map(|last| past(last.at, last.error.is_none(), last.status.map(i64::from), last.error)))
}

fn log(row: &mut Row) -> Result<Vec<DeliveryAttempt>> {
    Ok(serde_json::from_str(&row.take::<String>()?)?)
}
