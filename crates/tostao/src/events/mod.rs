//! The outbox: an event is a row written by the unit that made it true.
//!
//! The payload is rendered in that unit, so it shows the state at the commit. `webhooks::publish`
//! writes the event and its deliveries in the same unit; nothing is needed after the commit.

use std::time::Duration;

use db::time::Timestamp;
use db::tx::Tx;
use serde::Serialize;
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::events::names::Name;
use crate::platform::error::{Error, Result};
use crate::platform::ids::{EventId, MerchantId, Scope};

pub mod names;

mod store;

/// The topic of notices that an account has new events, in either mode.
pub const EMITTED: &str = "events emitted";
/// How long events can be listed and redelivered.
pub const EVENTS_KEPT: Duration = Duration::from_secs(30 * 24 * 3600);

/// The content of an event; it serializes to the envelope's `data`. Each feature has its own types.
pub trait Payload: Serialize {
    /// The event's name.
    fn name(&self) -> Name;

    /// The object that the event is about.
    fn object(&self) -> Uuid;
}

/// An object of another feature inside a payload, rendered by the feature that owns it.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct Rendered(Box<RawValue>);

impl Rendered {
    /// Renders an object.
    pub fn of(object: &impl Serialize) -> Result<Self> {
        Ok(Self(serde_json::value::to_raw_value(object)?))
    }
}

/// A sample payload without a real object, to test a webhook.
#[derive(Debug, Clone)]
pub struct Sample {
    pub name: Name,
    pub object: Uuid,
    /// The envelope's `data`, as JSON.
    pub data: String,
}

/// An event in the outbox.
#[derive(Debug, Clone)]
pub struct EventRecord {
    pub id: EventId,
    pub name: Name,
    /// The object that the event is about.
    pub object: Uuid,
    /// The object's version: of two events about one object, the greater is the newer.
    pub sequence: i64,
    /// The envelope's `data`, as JSON.
    pub data: String,
    /// A test event, which did not really happen.
    pub sample: bool,
    pub created_at: Timestamp,
}

impl Sample {
    /// Renders a payload; one that cannot be rendered has no data.
    pub fn of(payload: &impl Payload) -> Self {
        let data = serde_json::to_string(payload).unwrap_or_default();
        Self { name: payload.name(), object: payload.object(), data }
    }
}

impl EventRecord {
    /// Renders an event with the current time; `sequence` is the object's version.
    pub fn render(tx: &Tx, scope: Scope, sequence: i64, event: &impl Payload) -> Result<Self> {
        Ok(Self {
            id: EventId::new(tx),
            name: event.name(),
            object: event.object(),
            sequence,
            data: serde_json::to_string(event)?,
            sample: false,
            created_at: scope.now(tx),
        })
    }
}

/// An event that a unit which is undone would publish.
#[derive(Debug, Clone, Copy)]
pub struct Published {
    pub name: Name,
    pub owner: MerchantId,
}

/// Inserts an event; `webhooks` starts its deliveries.
pub async fn keep(tx: &Tx, scope: Scope, event_record: &EventRecord) -> Result<()> {
    tx.note_effect(|| Published { name: event_record.name, owner: scope.merchant });
    tx.notify(EMITTED, scope.merchant.0);
    store::insert(tx, scope, event_record).await
}

/// Finds an event.
pub async fn find(tx: &Tx, scope: Scope, id: EventId) -> Result<EventRecord> {
    store::find(tx, scope, id).await?.ok_or(Error::NotFound("Event"))
}

/// Up to `most` events after an id, each with its data.
pub async fn after(
    tx: &Tx,
    scope: Scope,
    after: Uuid,
    most: i64,
) -> Result<Vec<(EventId, String)>> {
    store::after(tx, scope, after, most).await
}

/// The newest events from the first id of an instant on, newest first.
pub async fn since(tx: &Tx, scope: Scope, first: Uuid, most: i64) -> Result<Vec<EventRecord>> {
    store::since(tx, scope, first, most).await
}

/// What the newest events from the first id of an instant on are about, newest first.
pub async fn named_since(
    tx: &Tx,
    scope: Scope,
    first: Uuid,
    most: i64,
) -> Result<Vec<(EventId, Name, Uuid)>> {
    store::named_since(tx, scope, first, most).await
}

/// Replaces an event's data.
pub async fn rewrite(tx: &Tx, scope: Scope, id: EventId, data: &str) -> Result<()> {
    store::rewrite(tx, scope, id, data).await
}

/// Whether a scope has an event from before the first id of an instant.
pub async fn any_before(tx: &Tx, scope: Scope, first: Uuid) -> Result<bool> {
    store::any_before(tx, scope, first).await
}

/// Deletes events from before the first id of an instant; returns how many.
pub async fn delete_before(tx: &Tx, scope: Scope, first: Uuid, most: i64) -> Result<u64> {
    store::delete_before(tx, scope, first, most).await
}
