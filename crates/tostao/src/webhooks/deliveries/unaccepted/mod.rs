//! Events that an endpoint has not accepted: found in the order in which they happened, and sent
//! again.

use db::time::Timestamp;
use db::tx::Tx;
use uuid::Uuid;

use crate::events::names::Name;
use crate::platform::error::Result;
use crate::platform::ids::{EventId, Scope, WebhookId};
use crate::webhooks::Recipient;
use crate::webhooks::deliveries::push_now;

mod store;

/// Which events to look at.
#[derive(Debug, Clone, Copy)]
pub struct Span {
    /// Those with a greater id.
    pub after: Uuid,
    /// Those from these instants on, and until then, by the scope's clock.
    pub since: Timestamp,
    pub until: Timestamp,
}

/// An event that happened, and what an endpoint has had of it.
#[derive(Debug, Clone)]
pub struct Candidate {
    pub event: EventId,
    pub name: Name,
    pub object: Uuid,
    pub sequence: i64,
    pub created_at: Timestamp,
    pub standing: Standing,
}

/// What an endpoint has had of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Nothing.
    Missed,
    /// Attempts that failed, whether or not there will be more.
    Refused,
    /// The event, or it waits for its first attempt.
    Other,
}

/// The next events of a span with their standing, oldest first, without test events.
pub async fn next(
    tx: &Tx,
    scope: Scope,
    webhook: WebhookId,
    span: Span,
    most: i64,
) -> Result<Vec<Candidate>> {
    store::next(tx, scope, webhook, span, most).await
}

/// Starts a delivery that failed again, or one that never was, under this name; false if the
/// endpoint has accepted it meanwhile, or it waits for its first attempt.
///
/// It counts as not attempted yet, so those about one object are attempted in their order.
pub async fn send(
    tx: &Tx,
    scope: Scope,
    webhook: WebhookId,
    candidate: &Candidate,
    event_name: &str,
) -> Result<bool> {
    let restarted = store::restart(tx, scope, webhook, candidate, event_name).await?;
    let Some(series) = restarted else { return Ok(false) };
    push_now(tx, scope, Recipient::Endpoint(webhook), candidate.event, series).await?;
    Ok(true)
}

/// How many deliveries to an endpoint wait for their first attempt, of events up to one, counted up
/// to `most`.
pub async fn count_unattempted(
    tx: &Tx,
    scope: Scope,
    webhook: WebhookId,
    last: Uuid,
    most: i64,
) -> Result<i64> {
    store::count_unattempted(tx, scope, webhook, last, most).await
}
