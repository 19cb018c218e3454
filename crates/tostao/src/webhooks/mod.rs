//! Webhooks: merchants' endpoints, and the events that they subscribe to.
//!
//! A subscription is disabled by its owner, by a 410 response, after days with nothing but
//! failures, or when its secret or URL cannot be decrypted any more.
//!
//! Enabling it, or changing its URL, clears the failures.

use std::sync::Arc;
use std::time::Duration;

use db::time::Timestamp;
use db::tx::Tx;

use crate::audit::{self, Action, ActorContext, Entry};
use crate::events;
use crate::events::names::delivered_as;
use crate::events::{EventRecord, Payload, Sample};
use crate::first_steps;
use crate::mail;
use crate::mail::content::{Content, WebhookFailure};
use crate::merchants;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::page::{Listed, Page};
use crate::platform::http::patch::Patch;
use crate::platform::ids::{EventId, MerchantId, Scope, WebhookId};
use crate::platform::secrets::Secrets;
use crate::webhooks::deliveries::PendingDelivery;
use crate::webhooks::endpoint_url::EndpointUrl;
use crate::webhooks::health::{Disabled, DisabledReason, FailureStreak};
use crate::webhooks::outcome::AttemptResult;
use crate::webhooks::secret::Secret;
use crate::webhooks::verification::Mistake;

pub mod api;
pub mod deliveries;
pub mod diagnosis;
pub mod endpoint_url;
pub mod envelope;
pub mod health;
pub mod history;
pub mod jobs;
pub mod listeners;
pub mod outcome;
pub mod readable;
pub mod recovery;
pub mod resealing;
pub mod schedule;
pub mod secret;
pub mod v1;
pub mod verification;
pub mod verification_api;
pub mod view;

mod store;

/// How many subscriptions an account may have in one mode.
const SUBSCRIPTIONS_MAX: i64 = 20;
/// The precision of `last_triggered_at`; a write for every delivery would gain nothing.
const TRIGGER_NOTED_EVERY: Duration = Duration::from_mins(1);

/// A merchant's webhook endpoint, without its secret.
#[derive(Debug, Clone)]
pub struct WebhookEndpoint {
    pub id: WebhookId,
    pub url: EndpointUrl,
    pub description: Option<String>,
    /// Event names as the merchant wrote them.
    pub events: Vec<String>,
    pub active: bool,
    /// When and why it was disabled, if not by its owner.
    pub disabled: Option<Disabled>,
    /// Its failures since its last success, if there are any.
    pub failing: Option<FailureStreak>,
    pub last_triggered_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// A validated new subscription.
#[derive(Debug, Clone)]
pub struct NewWebhook {
    pub url: String,
    pub description: Option<String>,
    pub events: Vec<String>,
    pub active: bool,
}

/// A validated change of a subscription.
#[derive(Debug, Clone)]
pub struct Change {
    pub url: Option<String>,
    pub description: Patch<String>,
    pub events: Option<Vec<String>>,
    pub active: Option<bool>,
}

/// Who gets the events of a subscription.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recipient {
    /// A merchant's URL; a job sends them.
    Endpoint(WebhookId),
    /// A developer's machine; it asks for them.
    Listener(WebhookId),
}

impl Recipient {
    /// The subscription.
    pub fn id(self) -> WebhookId {
        match self {
            Self::Endpoint(id) | Self::Listener(id) => id,
        }
    }
}

/// A subscription as the fan-out sees it.
#[derive(Debug, Clone)]
struct Subscriber {
    to: Recipient,
    events: Vec<String>,
    active: bool,
}

/// What a unit has read of the subscriptions of a scope.
#[derive(Debug, Clone)]
struct Subscribers(Scope, Arc<[Subscriber]>);

/// Writes an event and starts its deliveries, in the unit that made it true; `sequence` is the
/// object's version.
pub async fn publish(tx: &Tx, scope: Scope, sequence: i64, event: &impl Payload) -> Result<()> {
    let event_record = EventRecord::render(tx, scope, sequence, event)?;
    events::keep(tx, scope, &event_record).await?;
    fan_out(tx, scope, &event_record).await
}

/// The subscriptions of a scope, read once for all events of a unit: no unit that changes them
/// emits an event.
async fn subscribers(tx: &Tx, scope: Scope) -> Result<Arc<[Subscriber]>> {
    let is_wanted =
        |known: &Subscribers| (known.0.merchant, known.0.mode) == (scope.merchant, scope.mode);
    let known = tx.recall(is_wanted);
    if let Some(Subscribers(_, known)) = known {
        return Ok(known);
    }
    let read: Arc<[Subscriber]> = store::subscribers(tx, scope).await?.into();
    tx.remember(Subscribers(scope, read.clone()));
    Ok(read)
}

/// Reads the subscriptions together with what else a unit reads, for the events that it emits.
pub async fn know_subscribers(tx: &Tx, scope: Scope) -> Result<()> {
    subscribers(tx, scope).await?;
    Ok(())
}

async fn fan_out(tx: &Tx, scope: Scope, event_record: &EventRecord) -> Result<()> {
    for subscriber in subscribers(tx, scope).await?.iter() {
        if !subscriber.active {
            continue;
        }
        if let Some(name) = delivered_as(&subscriber.events, event_record.name) {
            deliveries::begin(tx, scope, subscriber.to, event_record, name).await?;
        }
    }
    Ok(())
}

/// The secret of a subscription, and the account's others, of both modes and before rotations, each
/// with the mistake that it is to use it.
pub async fn secrets(
    tx: &Tx,
    scope: Scope,
    secrets: &Secrets,
    id: WebhookId,
) -> Result<(Secret, Vec<(Secret, Mistake)>)> {
    let (mut wanted, mut others) = (None, Vec::new());
    for sealed in store::secrets(tx, scope.merchant).await? {
        let current = Secret::open(secrets, sealed.id, &sealed.current);
        let previous = sealed.previous.as_ref();
        let previous = previous.and_then(|previous| Secret::open(secrets, sealed.id, previous));
        if (sealed.mode, sealed.id) == (scope.mode, id) {
            wanted = current;
            others.extend(previous.map(|secret| (secret, Mistake::RotatedSecret)));
        } else {
            let is_mode = sealed.mode == scope.mode;
            let mistake = if is_mode { Mistake::OtherWebhook } else { Mistake::OtherMode };
            others.extend(current.into_iter().chain(previous).map(|secret| (secret, mistake)));
        }
    }
    Ok((wanted.ok_or(Error::NotFound("Webhook"))?, others))
}

/// Creates a subscription; its secret is returned only here.
pub async fn create(
    tx: &Tx,
    scope: Scope,
    secrets: &Secrets,
    new: &NewWebhook,
) -> Result<(WebhookEndpoint, Secret)> {
    merchants::lock(tx, scope.merchant).await?;
    if store::count(tx, scope).await? >= SUBSCRIPTIONS_MAX {
        let message = format!("The limit of {SUBSCRIPTIONS_MAX} webhooks is reached. Delete one.");
        return Err(Error::refused(ErrorCode::AlreadyExists, message));
    }
    let now = scope.now(tx);
    let id = WebhookId::new(tx);
    let webhook = WebhookEndpoint {
        id,
        url: EndpointUrl::seal(secrets, id, || tx.random(), &new.url),
        description: new.description.clone(),
        events: new.events.clone(),
        active: new.active,
        disabled: None,
        failing: None,
        last_triggered_at: None,
        created_at: now,
        updated_at: now,
    };
    let secret = Secret::generate(tx.random());
    let sealed = secret.seal(secrets, webhook.id, tx.random());
    store::insert(tx, scope, &webhook, &sealed).await?;
    Ok((webhook, secret))
}

/// Finds a subscription.
pub async fn find(tx: &Tx, scope: Scope, id: WebhookId) -> Result<WebhookEndpoint> {
    store::find(tx, scope, id).await?.ok_or_else(unknown)
}

/// Fails unless there is such a subscription or listener.
pub async fn expect_subscriber(tx: &Tx, scope: Scope, id: WebhookId) -> Result<()> {
    let mut subscribers = store::subscribers(tx, scope).await?.into_iter();
    subscribers.find(|subscriber| subscriber.to.id() == id).map(drop).ok_or_else(unknown)
}

/// Lists subscriptions, newest first.
pub async fn list(tx: &Tx, scope: Scope, page: Page) -> Result<Listed<WebhookEndpoint>> {
    let rows = store::list(tx, scope, page).await?;
    let total = store::count(tx, scope).await?;
    Ok(page.listed(rows, total, |webhook| webhook.id.0))
}

/// Changes the given fields.
pub async fn update(
    tx: &Tx,
    scope: Scope,
    secrets: &Secrets,
    by: &ActorContext,
    id: WebhookId,
    change: &Change,
) -> Result<WebhookEndpoint> {
    let before = find(tx, scope, id).await?;
    let seal = |url: &String| EndpointUrl::seal(secrets, id, || tx.random(), url);
    let url = change.url.as_ref().map(seal);
    let changed = store::update(tx, scope, id, change, url).await?.ok_or_else(unknown)?;
    let entry = |action| Entry::new(action, scope.merchant).in_mode(scope.mode).on(id.0);
    if changed.active && !before.active {
        audit::record(tx, by, entry(Action::WebhookEnabled)).await?;
    }
    if change.url.is_some() && change.url != before.url.open(secrets, id) {
        // The rest of a URL may hold a secret.
        let entry = entry(Action::WebhookUrlChanged).with("from", before.url.host());
        audit::record(tx, by, entry.with("to", changed.url.host())).await?;
    }
    Ok(changed)
}

/// Enables a subscription; one that is enabled already stays as it is.
pub async fn enable(
    tx: &Tx,
    scope: Scope,
    secrets: &Secrets,
    by: &ActorContext,
    id: WebhookId,
) -> Result<WebhookEndpoint> {
    let found = find(tx, scope, id).await?;
    if found.active {
        return Ok(found);
    }
    let change = Change { url: None, description: Patch::Keep, events: None, active: Some(true) };
    update(tx, scope, secrets, by, id, &change).await
}

/// Deletes a subscription; its pending deliveries are abandoned, and its recovery ends.
pub async fn delete(tx: &Tx, scope: Scope, id: WebhookId) -> Result<()> {
    if !store::delete(tx, scope, id).await? {
        return Err(unknown());
    }
    recovery::forget(tx, scope, id).await
}

/// Deletes all of an account's subscriptions, in both modes.
pub async fn delete_all(tx: &Tx, merchant: MerchantId) -> Result<()> {
    store::delete_all(tx, merchant).await?;
    recovery::forget_all(tx, merchant).await
}

/// Replaces a subscription's secret; the old one also signs for `grace`.
pub async fn rotate_secret(
    tx: &Tx,
    scope: Scope,
    secrets: &Secrets,
    by: &ActorContext,
    id: WebhookId,
    grace: Duration,
) -> Result<(WebhookEndpoint, Secret)> {
    let before = store::secret(tx, scope, id).await?.ok_or_else(unknown)?;
    let secret = Secret::generate(tx.random());
    let sealed = secret.seal(secrets, id, tx.random());
    // A secret that cannot be decrypted signs nothing, so it is not kept.
    let readable = Secret::open(secrets, id, &before).is_some();
    let ends_at = readable.then(|| scope.now(tx).plus(grace));
    let rotated = store::rotate(tx, scope, id, &sealed, ends_at).await?.ok_or_else(unknown)?;
    let entry = Entry::new(Action::WebhookSecretRotated, scope.merchant).in_mode(scope.mode);
    let entry = entry.on(id.0).with("gracePeriodSeconds", grace.as_secs());
    audit::record(tx, by, entry).await?;
    Ok((rotated, secret))
}

/// Sends a test event, as a delivery like any other, to this subscription only.
pub async fn send_sample(
    tx: &Tx,
    scope: Scope,
    id: WebhookId,
    event_name: &str,
    sample: &Sample,
) -> Result<EventId> {
    let mut subscribers = store::subscribers(tx, scope).await?.into_iter();
    let named = subscribers.find(|subscriber| subscriber.to.id() == id).ok_or_else(unknown)?;
    if !named.active {
        return Err(inactive());
    }
    let event_record = EventRecord {
        id: EventId::new(tx),
        name: sample.name,
        object: sample.object,
        sequence: 1,
        data: sample.data.clone(),
        sample: true,
        created_at: scope.now(tx),
    };
    events::keep(tx, scope, &event_record).await?;
    deliveries::begin(tx, scope, named.to, &event_record, event_name).await?;
    Ok(event_record.id)
}

/// Redelivers an event to one subscription, or to all that had it or are subscribed to it.
pub async fn redeliver(
    tx: &Tx,
    scope: Scope,
    event: EventId,
    only: Option<WebhookId>,
) -> Result<()> {
    let event_record = events::find(tx, scope, event).await?;
    let mut subscribers = store::subscribers(tx, scope).await?;
    if let Some(only) = only {
        subscribers.retain(|subscriber| subscriber.to.id() == only);
        let named = subscribers.first().ok_or_else(unknown)?;
        if !named.active {
            return Err(inactive());
        }
    }
    let mut begun = 0;
    for subscriber in subscribers.iter().filter(|subscriber| subscriber.active) {
        let is_named = only.is_some();
        begun += usize::from(send_again(tx, scope, subscriber, &event_record, is_named).await?);
    }
    if begun > 0 {
        return Ok(());
    }
    let message = "No active webhook has received this event or is subscribed to it.";
    Err(Error::refused(ErrorCode::InvalidStateTransition, message))
}

/// Resets subscriptions when all events of the scope are deleted.
pub async fn start_over(tx: &Tx, scope: Scope) -> Result<()> {
    recovery::forget_in(tx, scope).await?;
    store::start_over(tx, scope).await
}

/// Records a success of an endpoint; usually there is nothing to write. The owner of one that has
/// failed for a while gets a mail about it.
async fn note_success(tx: &Tx, pending: &PendingDelivery) -> Result<()> {
    if let Some(step) = pending.first_step {
        let Scope { merchant, mode, .. } = pending.scope;
        first_steps::note(tx, merchant, mode, step).await?;
    }
    let now = pending.scope.now(tx);
    let recent = |last: Timestamp| now.since(last) < TRIGGER_NOTED_EVERY;
    if !pending.failing && pending.last_triggered_at.is_some_and(recent) {
        return Ok(());
    }
    store::note_success(tx, pending.scope, pending.webhook, now).await?;
    if !pending.failing || !store::note_recovered(tx, pending.scope, pending.webhook).await? {
        return Ok(());
    }
    let content = Content::WebhookRecovered { host: pending.url.host().unwrap_or_default() };
    mail::write_to_owner(tx, pending.scope, pending.webhook.0, content).await
}

/// Mails an endpoint's owner that it fails, once until it works again.
async fn report_failing(tx: &Tx, pending: &PendingDelivery) -> Result<()> {
    let (scope, id) = (pending.scope, pending.webhook);
    if !store::note_failure_mailed(tx, scope, id).await? {
        return Ok(());
    }
    let content = Content::WebhookFailing { host: pending.url.host().unwrap_or_default() };
    mail::write_to_owner(tx, scope, id.0, content).await
}

/// Records a failure of an endpoint, and disables it if it is gone or has failed for too long; its
/// owner gets a mail about that.
async fn note_failure(tx: &Tx, pending: &PendingDelivery, verdict: AttemptResult) -> Result<()> {
    let (scope, id, now) = (pending.scope, pending.webhook, pending.scope.now(tx));
    let streak = store::note_failure(tx, scope, id, now).await?;
    let reason = match verdict {
        AttemptResult::Gone => DisabledReason::Gone,
        _ if streak.is_some_and(|streak| streak.is_hopeless(now)) => DisabledReason::Failing,
        _ if streak.is_some_and(|streak| streak.is_sustained(now)) => {
            return report_failing(tx, pending).await;
        }
        _ => return Ok(()),
    };
    if !store::disable(tx, scope, id, Disabled { at: now, reason }).await? {
        return Ok(());
    }
    let entry = Entry::new(Action::WebhookDisabled, scope.merchant).in_mode(scope.mode).on(id.0);
    let event = pending.event_record.id.to_string();
    let entry = entry.with("reason", reason.name()).with("eventId", event);
    audit::record(tx, &ActorContext::system(), entry).await?;
    let failure = match reason {
        DisabledReason::Gone => WebhookFailure::Gone,
        DisabledReason::Failing => WebhookFailure::Failing,
    };
    let content =
        Content::WebhookDisabled { host: pending.url.host().unwrap_or_default(), failure };
    mail::write_to_owner(tx, scope, id.0, content).await
}

/// Only the subscription that a test event was made for gets it again; a listener that is named
/// gets any event.
async fn send_again(
    tx: &Tx,
    scope: Scope,
    subscriber: &Subscriber,
    event_record: &EventRecord,
    is_named: bool,
) -> Result<bool> {
    let wanted = delivered_as(&subscriber.events, event_record.name);
    let is_listener = matches!(subscriber.to, Recipient::Listener(_));
    let name = wanted.filter(|_| !event_record.sample);
    match name.or((is_named && is_listener).then(|| event_record.name.text())) {
        Some(name) => {
            deliveries::start_or_restart(tx, scope, subscriber.to, event_record, name).await?;
            Ok(true)
        }
        None => deliveries::restart(tx, scope, subscriber.to, event_record.id).await,
    }
}

fn unknown() -> Error {
    Error::NotFound("Webhook subscription")
}

fn inactive() -> Error {
    let message = "The webhook is inactive. Activate it first.";
    Error::State { current: "INACTIVE".into(), message: message.into() }
}
