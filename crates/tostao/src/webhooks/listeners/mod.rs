//! Listeners: subscriptions of developers' machines, which are no addresses on the internet.
//!
//! ```text
//! event ──fan-out──▶ delivery ──stream──▶ the machine ──answer──▶ DELIVERED or FAILED
//!                       ▲                                            │
//!                       └──────────── redelivery ────────────────────┘
//! ```
//!
//! A listener is a row among the webhooks, so it gets deliveries as any address does, also while
//! its machine sleeps. What has no answer is sent again on every connection, and only the newest
//! connection is served. A listener exists in development only, is never disabled, and is deleted a
//! day after it was last connected.

use std::time::Duration;

use db::time::Timestamp;
use db::tx::Tx;

use crate::events;
use crate::events::names::delivered_as;
use crate::merchants;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::ids::{Scope, WebhookId};
use crate::platform::secrets::Secrets;
use crate::webhooks::Recipient;
use crate::webhooks::deliveries::{self, listening};
use crate::webhooks::secret::Secret;

pub mod api;
mod store;
mod stream_api;

/// How many listeners an account may have.
const LISTENERS_MAX: i64 = 10;
/// How long a listener stays after its last connection, and its deliveries after their events.
pub const KEPT: Duration = Duration::from_hours(24);
/// How many past events a listener may have at once; all of them are started in one unit.
const PAST_MAX: i64 = 100;

/// A validated request to listen.
#[derive(Debug, Clone)]
pub struct NewListener {
    /// Chosen by the developer; the same name is the same listener.
    pub name: String,
    /// `None` keeps those of a listener that exists, and is all of them for a new one.
    pub events: Option<Vec<String>>,
    /// The past events to have as well.
    pub past: Option<Duration>,
}

/// A listener with what its stream needs.
#[derive(Debug, Clone)]
pub struct Listener {
    pub id: WebhookId,
    pub name: String,
    pub events: Vec<String>,
    /// Sealed.
    pub secret: Vec<u8>,
    /// The number of its newest connection.
    pub connection: i64,
    pub seen_at: Timestamp,
}

/// Where a listener is, for the sweep over all accounts.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    pub scope: Scope,
    pub id: WebhookId,
}

/// Creates a listener, or changes the events of the one with this name; its secret stays.
pub async fn open(
    tx: &Tx,
    scope: Scope,
    secrets: &Secrets,
    new: &NewListener,
) -> Result<(Listener, Secret)> {
    merchants::lock(tx, scope.merchant).await?;
    let (listener, secret) = match store::find_by_name(tx, scope, &new.name).await? {
        Some(known) => renewed(tx, scope, secrets, known).await?,
        None => created(tx, scope, secrets, new).await?,
    };
    let events = new.events.clone().unwrap_or(listener.events);
    store::reopen(tx, scope, listener.id, &events).await?;
    if let Some(past) = new.past {
        start_past(tx, scope, listener.id, &events, past).await?;
    }
    Ok((Listener { events, ..listener }, secret))
}

/// Finds a listener, and makes this its newest connection, which ends the one before.
pub async fn connect(tx: &Tx, scope: Scope, id: WebhookId) -> Result<Listener> {
    let listener = store::connect(tx, scope, id).await?.ok_or_else(unknown)?;
    tx.notify(deliveries::DUE, id.0);
    Ok(listener)
}

/// Finds a listener.
pub async fn find(tx: &Tx, scope: Scope, id: WebhookId) -> Result<Listener> {
    store::find(tx, scope, id).await?.ok_or_else(unknown)
}

/// Lists the listeners of an account, by name.
pub async fn list(tx: &Tx, scope: Scope) -> Result<Vec<Listener>> {
    store::list(tx, scope).await
}

/// Deletes a listener, which ends its stream.
pub async fn delete(tx: &Tx, scope: Scope, id: WebhookId) -> Result<()> {
    if !store::delete(tx, scope, id).await? {
        return Err(unknown());
    }
    tx.notify(deliveries::DUE, id.0);
    Ok(())
}

/// Every listener of all accounts, deleted ones included.
pub async fn places(tx: &Tx) -> Result<Vec<Place>> {
    store::places(tx).await
}

/// Deletes a listener that has not been connected since an instant, and its deliveries of events
/// from before; returns how many rows.
pub async fn sweep(tx: &Tx, place: Place, before: Timestamp, most: i64) -> Result<u64> {
    let Place { scope, id } = place;
    let first = tx.first_id(before);
    let deliveries = listening::delete_before(tx, scope, id, first, most).await?;
    if deliveries > 0 {
        return Ok(deliveries);
    }
    store::delete_unseen(tx, scope, id, before).await?;
    store::forget(tx, scope, id).await
}

/// Starts deliveries of past events, whether or not the listener had them before.
async fn start_past(
    tx: &Tx,
    scope: Scope,
    id: WebhookId,
    wanted: &[String],
    past: Duration,
) -> Result<()> {
    let first = tx.first_id(tx.now().minus(past));
    for event_record in events::since(tx, scope, first, PAST_MAX).await? {
        let name = delivered_as(wanted, event_record.name).filter(|_| !event_record.sample);
        if let Some(name) = name {
            let to = Recipient::Listener(id);
            deliveries::start_or_restart(tx, scope, to, &event_record, name).await?;
        }
    }
    Ok(())
}

async fn created(
    tx: &Tx,
    scope: Scope,
    secrets: &Secrets,
    new: &NewListener,
) -> Result<(Listener, Secret)> {
    if store::count(tx, scope).await? >= LISTENERS_MAX {
        let message = format!("The limit of {LISTENERS_MAX} listeners is reached. Delete one.");
        return Err(Error::refused(ErrorCode::AlreadyExists, message));
    }
    let (id, secret) = (WebhookId::new(tx), Secret::generate(tx.random()));
    let listener = Listener {
        id,
        name: new.name.clone(),
        events: new.events.clone().unwrap_or_else(|| vec![events::names::ANY.to_owned()]),
        secret: secret.seal(secrets, id, tx.random()),
        connection: 0,
        seen_at: tx.now(),
    };
    store::insert(tx, scope, &listener).await?;
    Ok((listener, secret))
}

/// The secret is a new one if the server can no longer decrypt it.
async fn renewed(
    tx: &Tx,
    scope: Scope,
    secrets: &Secrets,
    known: Listener,
) -> Result<(Listener, Secret)> {
    if let Some(secret) = Secret::open(secrets, known.id, &known.secret) {
        return Ok((known, secret));
    }
    let secret = Secret::generate(tx.random());
    let sealed = secret.seal(secrets, known.id, tx.random());
    store::replace_secret(tx, scope, known.id, &sealed).await?;
    Ok((Listener { secret: sealed, ..known }, secret))
}

fn unknown() -> Error {
    Error::NotFound("Listener")
}
