//! The connections that this server holds in memory, and the route of each rail.
//!
//! A connection keeps its token, its breaker and its limits for as long as it is unchanged. Every
//! server reads the table again and again, so that a change reaches it without a restart.

use std::collections::BTreeMap;
use std::sync::Arc;

use db::hex::hex;
use db::tx::Tx;
use rails::profile::{Connected, RailKind};

use crate::platform::config::Settings;
use crate::platform::error::Result;
use crate::platform::ids::ConnectionId;
use crate::platform::secrets::{Purpose, Secrets};
use crate::providers::CALLBACKS;
use crate::providers::connections::{self, StoredConnection, connect, profile, values};

/// How much of a signature an address of notices holds; 128 bits cannot be guessed.
const DOOR_BYTES: usize = 16;

/// Every connection of this server, and the routes.
#[derive(Default)]
pub struct Registry {
    by_name: BTreeMap<String, Arc<LiveConnection>>,
    /// The names and versions of stored connections that this server cannot use.
    unusable: BTreeMap<String, i64>,
    routes: Vec<(RailKind, String)>,
}

/// A connection in use.
pub struct LiveConnection {
    pub id: ConnectionId,
    pub name: String,
    pub version: i64,
    /// The URL that its provider sends notices to.
    pub door: String,
    pub connected: Connected,
    /// Whether it is out of use for new charges, also for those of the cards that it keeps.
    pub is_disabled: bool,
}

impl Registry {
    /// The connection of this name.
    pub fn named(&self, name: &str) -> Option<&Arc<LiveConnection>> {
        self.by_name.get(name)
    }

    /// The connection with this id.
    pub fn with_id(&self, id: ConnectionId) -> Option<&Arc<LiveConnection>> {
        self.by_name.values().find(|live| live.id == id)
    }

    /// The connection that a rail's new charges go to.
    pub fn routed(&self, rail: RailKind) -> Option<&Arc<LiveConnection>> {
        let (_, name) = self.routes.iter().find(|(routed, _)| *routed == rail)?;
        self.by_name.get(name)
    }

    /// The connection that notices to this address are for.
    pub fn behind(&self, secrets: &Secrets, door: &str) -> Option<&Arc<LiveConnection>> {
        let given = bytes(door)?;
        let is_its = |live: &&Arc<LiveConnection>| {
            let id = live.id.0.as_bytes();
            secrets.verify_start(Purpose::NoticesAddress, id, &given, DOOR_BYTES)
        };
        self.by_name.values().find(is_its)
    }

    /// The names of all stored connections, also of those that this server cannot use.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().chain(self.unusable.keys()).map(String::as_str)
    }

    /// The names of stored connections that this server cannot use.
    pub fn unusable(&self) -> impl Iterator<Item = &str> {
        self.unusable.keys().map(String::as_str)
    }

    /// Every connection that this server can use.
    pub fn all(&self) -> impl Iterator<Item = &Arc<LiveConnection>> {
        self.by_name.values()
    }
}

/// The URL that a connection's provider sends notices to; only its secret part names it.
pub fn door(settings: &Settings, secrets: &Secrets, id: ConnectionId) -> String {
    let signature = secrets.sign(Purpose::NoticesAddress, id.0.as_bytes());
    let secret = hex(&signature[..DOOR_BYTES]);
    format!("{}{CALLBACKS}{secret}", settings.base_url())
}

/// Reads the connections and routes, and connects those that have changed since `before`.
pub async fn read(
    tx: &Tx,
    before: &Registry,
    settings: &Settings,
    secrets: &Secrets,
) -> Result<Registry> {
    let mut after = Registry::default();
    let stored = connections::list(tx).await?;
    for connection in &stored {
        let known = before.named(&connection.name);
        let unchanged = known.filter(|live| live.version == connection.version);
        let live = match unchanged {
            Some(live) => live.clone(),
            None => match live(tx, settings, secrets, connection).await {
                Ok(live) => Arc::new(live),
                Err(error) => {
                    let StoredConnection { name, version, .. } = connection;
                    // Once per change: the connections are read again and again.
                    if before.unusable.get(name) != Some(version) {
                        tracing::error!(connection = name, %error, "it is not usable");
                    }
                    after.unusable.insert(name.clone(), *version);
                    continue;
                }
            },
        };
        after.by_name.insert(connection.name.clone(), live);
    }
    for route in connections::routes(tx).await? {
        let to = stored.iter().find(|connection| connection.id == route.connection);
        after.routes.extend(to.map(|to| (route.rail, to.name.clone())));
    }
    Ok(after)
}

async fn live(
    tx: &Tx,
    settings: &Settings,
    secrets: &Secrets,
    stored: &StoredConnection,
) -> Result<LiveConnection> {
    let door = door(settings, secrets, stored.id);
    let values = values(tx, secrets, stored).await?;
    let connected =
        connect(profile(&stored.profile)?, &stored.name, stored.environment, &door, values)
            .map_err(|error| connections::setup_error(&error))?;
    Ok(LiveConnection {
        id: stored.id,
        name: stored.name.clone(),
        version: stored.version,
        door,
        connected,
        is_disabled: stored.disabled_at.is_some(),
    })
}

/// The bytes of hexadecimal digits.
fn bytes(hex: &str) -> Option<Vec<u8>> {
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let is_hex = hex.len() == 2 * DOOR_BYTES && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex.then(|| hex.as_bytes().chunks(2).map(pair).collect()).flatten()
}
