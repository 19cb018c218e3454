//! Recovery after an outage: what an endpoint has not accepted is sent again, oldest first.
//!
//! That is what was given up, what waits for a retry, and what it has no delivery of, such as what
//! happened while it was disabled. What it has accepted is not sent again, as far as its last
//! delivery says.
//!
//! A recovery is a row with how far it has come. Each run of its job sends a part again and moves
//! the row on, in one unit. The next part waits while a whole part of those before it waits for a
//! first attempt, so that a receiver which has just come back, and the workers, get a little at a
//! time.

use std::time::Duration;

use db::text_enum;
use db::time::Timestamp;
use db::tx::Tx;
use queue::job::push;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::audit::{self, Action, ActorContext, Entry};
use crate::events::EVENTS_KEPT;
use crate::events::names::delivered_as;
use crate::platform::error::{Error, Result};
use crate::platform::ids::{MerchantId, RecoveryId, Scope, WebhookId};
use crate::webhooks::deliveries::unaccepted::{self, Candidate, Span, Standing};
use crate::webhooks::recovery::jobs::Recover;
use crate::webhooks::{WebhookEndpoint, inactive};

pub mod api;
pub mod jobs;

mod store;

/// How many events are looked at in one unit.
const PART: i64 = 200;
/// For how long a unit of another node may still publish an event for an endpoint that it knows as
/// disabled: the longest statement. A unit that writes alone has none beside it.
const UNITS_END: Duration = Duration::from_secs(15);
/// Older events may be half deleted: their deliveries go first, and they would seem to have none.
const KEPT_WHOLE: Duration = EVENTS_KEPT.saturating_sub(Duration::from_secs(3600));

text_enum! {
    /// The status of a recovery.
    pub enum Status as "WebhookRecoveryStatus" {
        /// It goes on.
        Running = "RUNNING",
        /// Everything was sent again.
        Finished = "FINISHED",
        /// The webhook was disabled meanwhile.
        Stopped = "STOPPED",
    }
}

/// A recovery of what a webhook has not accepted.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "WebhookRecovery")]
pub struct Recovery {
    pub id: RecoveryId,
    #[serde(rename = "subscriptionId")]
    pub webhook: WebhookId,
    /// Events from this time on.
    pub since: Timestamp,
    /// Events up to this time.
    pub until: Timestamp,
    pub status: Status,
    /// How many events are being sent again.
    pub resent: i64,
    /// Up to when events have been looked at.
    pub checked_until: Timestamp,
    pub started_at: Timestamp,
    pub finished_at: Option<Timestamp>,
    /// The last event that was looked at.
    #[serde(skip)]
    last_event: Uuid,
}

/// What a run of the job does.
#[derive(Debug)]
enum Turn {
    /// Nothing: the recovery has ended, or another one has taken its place.
    None,
    /// Ends the recovery, because the endpoint is disabled.
    Stop(Recovery),
    /// Waits until more of what was sent again has been attempted.
    Wait,
    /// Sends a part again.
    Part(Box<Part>),
}

/// The next events that a recovery looks at.
#[derive(Debug)]
struct Part {
    recovery: Recovery,
    endpoint: WebhookEndpoint,
    candidates: Vec<Candidate>,
}

/// Starts the recovery of a webhook; one at a time.
pub async fn begin(
    tx: &Tx,
    scope: Scope,
    by: &ActorContext,
    webhook: WebhookId,
    since: Timestamp,
    until: Option<Timestamp>,
) -> Result<Recovery> {
    if !super::find(tx, scope, webhook).await?.active {
        return Err(inactive());
    }
    let now = scope.now(tx);
    let until = until.unwrap_or(now);
    check_span(since, until, now)?;
    let whole = tx.now().minus(KEPT_WHOLE);
    let recovery = Recovery {
        id: RecoveryId::new(tx),
        webhook,
        since,
        until,
        status: Status::Running,
        resent: 0,
        checked_until: since,
        started_at: now,
        finished_at: None,
        // A clock that is ahead now was at most as far ahead then.
        last_event: tx.first_id(since.minus(scope.ahead)).max(tx.first_id(whole)),
    };
    if !store::begin(tx, scope, &recovery).await? {
        let message = "A recovery of this webhook is running. Wait until it has finished.";
        let current = Status::Running.name().into();
        return Err(Error::State { current, message: message.into() });
    }
    let Scope { merchant, mode, .. } = scope;
    let job = Recover { merchant, mode, webhook, recovery: recovery.id };
    let settling = if tx.writes_alone() { Duration::ZERO } else { UNITS_END };
    push(tx, tx.new_id(), scope.due(now.plus(settling)), &job).await?;
    let entry = Entry::new(Action::WebhookRecoveryStarted, merchant).in_mode(mode).on(webhook.0);
    let entry = entry.with("since", since.to_string()).with("until", until.to_string());
    audit::record(tx, by, entry).await?;
    Ok(recovery)
}

/// Finds the last recovery of a webhook, if there was one.
pub async fn latest(tx: &Tx, scope: Scope, webhook: WebhookId) -> Result<Option<Recovery>> {
    super::find(tx, scope, webhook).await?;
    store::find(tx, scope, webhook).await
}

/// Forgets the recovery of a webhook, which ends it.
pub async fn forget(tx: &Tx, scope: Scope, webhook: WebhookId) -> Result<()> {
    store::delete(tx, scope, webhook).await
}

/// Forgets the recoveries of a scope.
pub async fn forget_in(tx: &Tx, scope: Scope) -> Result<()> {
    store::delete_in(tx, scope).await
}

/// Forgets the recoveries of an account, in both modes.
pub async fn forget_all(tx: &Tx, merchant: MerchantId) -> Result<()> {
    store::delete_all(tx, merchant).await
}

/// Finds out what a run of the job is to do.
async fn turn(tx: &Tx, scope: Scope, due: &Recover) -> Result<Turn> {
    let found = store::find(tx, scope, due.webhook).await?;
    let is_meant = |one: &Recovery| one.id == due.recovery && one.status == Status::Running;
    let Some(recovery) = found.filter(is_meant) else { return Ok(Turn::None) };
    let endpoint = super::find(tx, scope, due.webhook).await?;
    if !endpoint.active {
        return Ok(Turn::Stop(recovery));
    }
    let Recovery { since, until, last_event: after, .. } = recovery;
    if unaccepted::count_unattempted(tx, scope, due.webhook, after, PART).await? >= PART {
        return Ok(Turn::Wait);
    }
    let span = Span { after, since, until };
    let candidates = unaccepted::next(tx, scope, due.webhook, span, PART).await?;
    Ok(Turn::Part(Box::new(Part { recovery, endpoint, candidates })))
}

impl Part {
    /// Whether no event follows this part.
    fn is_last(&self) -> bool {
        self.candidates.len() < usize::try_from(PART).unwrap_or(usize::MAX)
    }

    /// Sends it again, and records how far the recovery has come.
    async fn send(&self, tx: &Tx, scope: Scope) -> Result<()> {
        let mut recovery = self.recovery.clone();
        for candidate in &self.candidates {
            if let Some(name) = self.name_of(candidate) {
                let sent = unaccepted::send(tx, scope, recovery.webhook, candidate, name).await?;
                recovery.resent += i64::from(sent);
            }
        }
        if let Some(last) = self.candidates.last() {
            (recovery.last_event, recovery.checked_until) = (last.event.0, last.created_at);
        }
        if self.is_last() {
            recovery.checked_until = recovery.until;
            (recovery.status, recovery.finished_at) = (Status::Finished, Some(scope.now(tx)));
        }
        store::update(tx, scope, &recovery).await
    }

    /// Under which name an event is sent again; `None` if it is not.
    fn name_of(&self, candidate: &Candidate) -> Option<&str> {
        let subscribed = delivered_as(&self.endpoint.events, candidate.name);
        match candidate.standing {
            // The delivery keeps the name under which it was made.
            Standing::Refused => Some(candidate.name.text()),
            Standing::Missed => {
                subscribed.filter(|_| candidate.created_at >= self.endpoint.created_at)
            }
            Standing::Other => None,
        }
    }
}

/// Records that a recovery has ended before everything was sent again.
async fn stop(tx: &Tx, scope: Scope, recovery: &Recovery) -> Result<()> {
    let finished_at = Some(scope.now(tx));
    let stopped = Recovery { status: Status::Stopped, finished_at, ..recovery.clone() };
    store::update(tx, scope, &stopped).await
}

fn check_span(since: Timestamp, until: Timestamp, now: Timestamp) -> Result<()> {
    if since > now {
        return Err(Error::field("since", "INVALID_VALUE", "must not be in the future"));
    }
    if until > now {
        return Err(Error::field("until", "INVALID_VALUE", "must not be in the future"));
    }
    if until < since {
        return Err(Error::field("until", "INVALID_VALUE", "must not be before since"));
    }
    Ok(())
}
