//! Deliveries: one row per event and subscribed endpoint, advanced by a job.
//!
//! ```text
//! PENDING ──2xx──▶ DELIVERED
//!    │ ├──410, the tenth failure, a subscription switched off──▶ FAILED
//!    │ └──any other answer, or none──▶ PENDING, later
//!    └◀──redelivery, in a new series── any
//! ```
//!
//! The job's lease decides who records an attempt: a worker that lost it writes nothing.
//!
//! Of the deliveries about one object to one endpoint, only the oldest without a response is
//! attempted: the next one's job is put back, and the first response, good or bad, makes it due. A
//! waiting delivery records its job on the delivery before it, in a statement that fails if the
//! response has arrived meanwhile. So no delivery waits for one that has been answered, on any
//! number of nodes, and the response itself finds the waiting job.

use std::time::Duration;

use db::text_enum;
use db::time::Timestamp;
use db::tx::Tx;
use db::value::Row;
use queue::job::{Claimed, again, again_claimed, finish, finish_claimed, move_earlier, push};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::events::EventRecord;
use crate::first_steps::Step;
use crate::platform::error::Result;
use crate::platform::http::page::{Listed, Page};
use crate::platform::ids::{EventId, Scope, WebhookId};
use crate::webhooks::endpoint_url::EndpointUrl;
use crate::webhooks::jobs::Deliver;
use crate::webhooks::outcome::{AttemptOutcome, AttemptResult};
use crate::webhooks::{Recipient, note_failure, note_success, schedule};

pub mod api;
pub mod listening;
mod store;
pub mod unaccepted;

/// The topic of a notice that a listener has a delivery.
pub const DUE: &str = "listener";
/// The topic of notices that deliveries of an account were attempted, in either mode.
pub const ATTEMPTED: &str = "deliveries attempted";

/// How many attempts are kept in the log; redeliveries add to those of the schedule.
const LOG_MAX: usize = 25;

/// How long a waiting delivery is put back, longer each time. The response it waits for makes it
/// due; this covers responses recorded by a version without that rule during an upgrade.
const CHECK_AGAIN: Duration = Duration::from_mins(1);
const CHECK_AGAIN_MAX: i64 = 15;

text_enum! {
    /// The status of a delivery.
    pub enum Status as "WebhookDeliveryStatus" {
        /// In progress, or waiting for a retry.
        Pending = "PENDING",
        /// Delivered.
        Delivered = "DELIVERED",
        /// Failed; no more retries.
        Failed = "FAILED",
    }
}

/// A delivery of an event to one endpoint.
#[derive(Debug, Clone)]
pub struct Delivery {
    pub event: EventId,
    /// The name that the subscriber used.
    pub event_name: String,
    pub standing: EventDelivery,
    pub log: Vec<DeliveryAttempt>,
    pub created_at: Timestamp,
}

/// The status of an event's delivery to one webhook.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "EventDelivery")]
pub struct EventDelivery {
    /// The ID of the webhook.
    #[serde(rename = "subscriptionId")]
    pub webhook: WebhookId,
    pub status: Status,
    /// The number of attempts since the event or its last redelivery.
    pub attempts: i64,
    /// The HTTP status of the last response.
    pub last_status_code: Option<i64>,
    /// A stable code for the last error.
    pub last_error: Option<String>,
    /// When it was last sent.
    pub last_attempt_at: Option<Timestamp>,
    /// When it is sent again; null if it has ended.
    pub next_attempt_at: Option<Timestamp>,
}

/// An attempt of a delivery.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "WebhookDeliveryAttempt")]
pub struct DeliveryAttempt {
    pub at: Timestamp,
    /// The number of the attempt, from 1; restarts with each redelivery.
    pub attempt: i64,
    /// The HTTP status of the response, if there was one.
    pub status: Option<u16>,
    /// The duration in milliseconds.
    pub ms: u64,
    /// A stable code for the error.
    pub error: Option<String>,
    /// The first 1024 bytes of the response; null for keys without `webhooks:write`.
    pub excerpt: Option<String>,
}

/// Everything that one attempt needs.
#[derive(Debug)]
pub struct PendingDelivery {
    pub scope: Scope,
    pub webhook: WebhookId,
    pub event_name: String,
    pub series: i64,
    /// Attempts made before in this series.
    pub attempts: i64,
    /// Whether no attempt was made in any series since the delivery began, or a recovery began it
    /// again.
    pub first: bool,
    /// The newest of the older deliveries about the same object that have had no response.
    pub after: Option<EventId>,
    pub log: Vec<DeliveryAttempt>,
    pub url: EndpointUrl,
    /// Whether the subscription is enabled.
    pub active: bool,
    /// Sealed.
    pub secret: Vec<u8>,
    /// Sealed; only while it is still valid.
    pub previous_secret: Option<Vec<u8>>,
    /// Whether the endpoint has failed since its last success.
    pub failing: bool,
    pub last_triggered_at: Option<Timestamp>,
    pub event_record: EventRecord,
    /// The step that the account takes if the event is accepted, as the first one in its mode.
    pub first_step: Option<Step>,
}

/// The job of a delivery that waits for another one.
#[derive(Debug, Clone, Copy)]
struct Waiter {
    job: Uuid,
    due_at: Timestamp,
}

/// What an attempt changes on its delivery.
#[derive(Debug)]
struct Progress {
    status: Status,
    attempts: i64,
    status_code: Option<i64>,
    error: Option<&'static str>,
    at: Timestamp,
    next_at: Option<Timestamp>,
    log: String,
}

impl EventDelivery {
    /// Reads the columns after the webhook's id, in the order of the fields, from a row.
    pub fn read(row: &mut Row, webhook: WebhookId) -> Result<Self> {
        Ok(Self {
            webhook,
            status: row.take()?,
            attempts: row.take()?,
            last_status_code: row.take()?,
            last_error: row.take()?,
            last_attempt_at: row.take()?,
            next_attempt_at: row.take()?,
        })
    }
}

/// Starts the delivery of an event to one subscription, under the name that the subscriber used.
pub async fn begin(
    tx: &Tx,
    scope: Scope,
    to: Recipient,
    event_record: &EventRecord,
    event_name: &str,
) -> Result<()> {
    store::insert(tx, scope, to.id(), event_record, event_name).await?;
    push_now(tx, scope, to, event_record.id, 0).await
}

/// Starts the delivery of an event, or restarts an earlier one, which keeps its event name.
pub async fn start_or_restart(
    tx: &Tx,
    scope: Scope,
    to: Recipient,
    event_record: &EventRecord,
    event_name: &str,
) -> Result<()> {
    let series = store::insert_or_restart(tx, scope, to, event_record, event_name).await?;
    push_now(tx, scope, to, event_record.id, series).await
}

/// Restarts a delivery, whatever its status; false if the subscriber never had this event.
pub async fn restart(tx: &Tx, scope: Scope, to: Recipient, event: EventId) -> Result<bool> {
    let Some(series) = store::restart(tx, scope, to, event).await? else { return Ok(false) };
    push_now(tx, scope, to, event, series).await?;
    Ok(true)
}

/// Loads what an attempt needs; `None` if no attempt is to be made any more.
pub async fn load(tx: &Tx, due: &Deliver) -> Result<Option<PendingDelivery>> {
    store::load(tx, due).await
}

/// Ends a delivery whose subscription was disabled or deleted.
pub async fn abandon(tx: &Tx, job: &Claimed, pending: &PendingDelivery) -> Result<()> {
    if finish(tx, job).await? {
        wake(tx, store::abandon(tx, pending).await?).await?;
    }
    Ok(())
}

/// Puts a delivery back until the one before it, about the same object, has its first response; if
/// it has one already, the delivery is due now.
pub async fn requeue_after(
    tx: &Tx,
    job: &Claimed,
    pending: &PendingDelivery,
    before: EventId,
) -> Result<()> {
    let times = u32::try_from(job.attempt.clamp(1, CHECK_AGAIN_MAX)).unwrap_or(1);
    let waiter = Waiter { job: job.id, due_at: tx.now().plus(CHECK_AGAIN * times) };
    let waits = store::add_waiter(tx, pending, before, waiter).await?;
    again(tx, job, if waits { waiter.due_at } else { tx.now() }).await?;
    Ok(())
}

/// Records the result of an attempt, and finishes the job or puts it back.
pub async fn record(
    tx: &Tx,
    job: &Claimed,
    pending: &PendingDelivery,
    outcome: &AttemptOutcome,
) -> Result<()> {
    let now = pending.scope.now(tx);
    let attempt = pending.attempts + 1;
    let verdict = outcome.verdict();
    let next_at = match verdict {
        AttemptResult::Delivered | AttemptResult::Gone => None,
        AttemptResult::Failed => schedule::next(attempt, now, outcome.retry_after, tx.random()),
    };
    // Nothing here waits for a database server. If the job is no longer this worker's, the unit
    // collides.
    match next_at {
        Some(at) => again_claimed(tx, job, pending.scope.due(at).at).await?,
        None => finish_claimed(tx, job).await?,
    }
    let status = match (verdict, next_at) {
        (AttemptResult::Delivered, _) => Status::Delivered,
        (_, Some(_)) => Status::Pending,
        (_, None) => Status::Failed,
    };
    let progress = Progress {
        status,
        attempts: attempt,
        status_code: outcome.status.map(i64::from),
        error: outcome.error,
        at: now,
        next_at,
        log: log_with(&pending.log, entry(now, attempt, outcome))?,
    };
    store::progress(tx, pending, &progress).await?;
    if pending.first {
        store::wake(tx, pending).await?;
    }
    tx.notify(ATTEMPTED, pending.scope.merchant.0);
    match verdict {
        AttemptResult::Delivered => note_success(tx, pending).await?,
        AttemptResult::Gone | AttemptResult::Failed => note_failure(tx, pending, verdict).await?,
    }
    Ok(())
}

/// How a delivery of the past ended, or its last attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastDelivery {
    pub at: Timestamp,
    pub is_delivered: bool,
    pub error: Option<String>,
}

/// The attempted deliveries of events from an id on to one endpoint, newest event first.
pub async fn past(
    tx: &Tx,
    scope: Scope,
    webhook: WebhookId,
    since: Uuid,
    most: i64,
) -> Result<Vec<PastDelivery>> {
    store::past(tx, scope, webhook, since, most).await
}

/// Counts the deliveries to addresses that are due; a job may be of one that has ended.
pub async fn due(tx: &Tx, scope: Scope) -> Result<i64> {
    store::due(tx, scope).await
}

/// Lists the deliveries to one endpoint, newest event first.
pub async fn list(
    tx: &Tx,
    scope: Scope,
    webhook: WebhookId,
    page: Page,
) -> Result<Listed<Delivery>> {
    let rows = store::list(tx, scope, webhook, page).await?;
    let total = store::count(tx, scope, webhook).await?;
    Ok(page.listed(rows, total, |delivery| delivery.event.0))
}

/// A page of the list, whose rows are not counted.
pub async fn page(
    tx: &Tx,
    scope: Scope,
    webhook: WebhookId,
    page: Page,
) -> Result<Listed<Delivery>> {
    let rows = store::list(tx, scope, webhook, page).await?;
    Ok(page.uncounted(rows, |delivery| delivery.event.0))
}

/// Whether an event has a delivery that is still to be attempted.
pub async fn is_awaited(tx: &Tx, scope: Scope, event: EventId) -> Result<bool> {
    store::is_awaited(tx, scope, event).await
}

/// Deletes deliveries of events from before the first id of an instant; returns how many.
pub async fn delete_before(tx: &Tx, scope: Scope, first: Uuid, most: i64) -> Result<u64> {
    store::delete_before(tx, scope, first, most).await
}

/// Moves what is recorded of the waiting jobs with these, when a clock is advanced.
pub async fn advance_waiters(tx: &Tx, scope: Scope, by: Duration) -> Result<()> {
    store::advance_waiters(tx, scope, by).await
}

/// Makes the waiting job due.
async fn wake(tx: &Tx, waiter: Option<Waiter>) -> Result<()> {
    if let Some(Waiter { job, due_at }) = waiter {
        move_earlier::<Deliver>(tx, job, due_at).await?;
    }
    Ok(())
}

/// Makes a delivery due: pushes its job, or notifies the streams of its listener.
async fn push_now(tx: &Tx, scope: Scope, to: Recipient, event: EventId, series: i64) -> Result<()> {
    let Scope { merchant, mode, .. } = scope;
    let webhook = match to {
        Recipient::Endpoint(webhook) => webhook,
        Recipient::Listener(listener) => {
            tx.notify(DUE, listener.0);
            return Ok(());
        }
    };
    let job = Deliver { merchant, mode, webhook, event, series };
    Ok(push(tx, tx.new_id(), scope.due(scope.now(tx)), &job).await?)
}

fn entry(at: Timestamp, attempt: i64, outcome: &AttemptOutcome) -> DeliveryAttempt {
    DeliveryAttempt {
        at,
        attempt,
        status: outcome.status,
        ms: u64::try_from(outcome.took.as_millis()).unwrap_or(u64::MAX),
        error: outcome.error.map(str::to_owned),
        excerpt: outcome.excerpt.clone(),
    }
}

/// Adds an attempt to the log and drops the oldest ones.
fn log_with(log: &[DeliveryAttempt], entry: DeliveryAttempt) -> Result<String> {
    let from = (log.len() + 1).saturating_sub(LOG_MAX);
    let kept: Vec<DeliveryAttempt> = log[from..].iter().cloned().chain([entry]).collect();
    Ok(serde_json::to_string(&kept)?)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use db::time::Timestamp;
    use outbound::failure::Failure;

    use super::{DeliveryAttempt, LOG_MAX, entry, log_with};
    use crate::webhooks::outcome::AttemptOutcome;

    #[test]
    fn the_log_keeps_the_last_attempts() {
        let outcome = AttemptOutcome::of(Err(Failure::Timeout), Duration::from_secs(10));
        let mut log: Vec<DeliveryAttempt> = Vec::new();
        for attempt in 1..=30 {
            let text = log_with(&log, entry(Timestamp::from_micros(0), attempt, &outcome)).unwrap();
            log = serde_json::from_str(&text).unwrap();
        }
        assert_eq!(log.len(), LOG_MAX);
        assert_eq!((log[0].attempt, log[LOG_MAX - 1].attempt), (6, 30));
        assert_eq!((log[0].ms, log[0].error.as_deref()), (10_000, Some("timeout")));
    }
}
