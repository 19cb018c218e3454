//! Deliveries to listeners: a developer's machine asks for what is due, and says what became of it.
//!
//! No job sends them and none tries again: each series has one attempt, which the machine makes.

use db::tx::Tx;
use uuid::Uuid;

use crate::events::EventRecord;
use crate::first_steps::{self, Step};
use crate::platform::error::Result;
use crate::platform::ids::{EventId, Scope, WebhookId};
use crate::webhooks::deliveries::{DUE, Progress, Status, entry, log_with};
use crate::webhooks::outcome::{AttemptOutcome, AttemptResult};

mod store;

/// A delivery that its listener has not answered.
#[derive(Debug, Clone)]
pub struct Unanswered {
    /// The name that the listener used.
    pub event_name: String,
    /// Grows with each redelivery.
    pub series: i64,
    pub event_record: EventRecord,
}

/// The first delivery that a listener has not answered.
pub async fn unanswered(tx: &Tx, scope: Scope, listener: WebhookId) -> Result<Option<Unanswered>> {
    store::unanswered(tx, scope, listener).await
}

/// Records what became of a delivery; false if it has been answered, or restarted, meanwhile.
pub async fn answer(
    tx: &Tx,
    scope: Scope,
    listener: WebhookId,
    (event, series): (EventId, i64),
    outcome: &AttemptOutcome,
) -> Result<bool> {
    let Some(log) = store::log(tx, scope, listener, event, series).await? else { return Ok(false) };
    let now = scope.now(tx);
    let is_delivered = outcome.verdict() == AttemptResult::Delivered;
    let progress = Progress {
        status: if is_delivered { Status::Delivered } else { Status::Failed },
        attempts: 1,
        status_code: outcome.status.map(i64::from),
        error: outcome.error,
        at: now,
        next_at: None,
        log: log_with(&log, entry(now, 1, outcome))?,
    };
    let is_recorded = store::answer(tx, scope, listener, (event, series), &progress).await?;
    if is_recorded && is_delivered {
        first_steps::note(tx, scope.merchant, scope.mode, Step::Webhook).await?;
    }
    tx.notify(DUE, listener.0);
    Ok(is_recorded)
}

/// Deletes deliveries to a listener of events from before the first id of an instant; returns how
/// many.
pub async fn delete_before(
    tx: &Tx,
    scope: Scope,
    listener: WebhookId,
    first: Uuid,
    most: i64,
) -> Result<u64> {
    store::delete_before(tx, scope, listener, first, most).await
}
