//! Connections: the operator's contracts with banks and acquirers, through which real money moves.
//!
//! A connection is stored with its secret fields sealed, and every server keeps it connected in
//! memory (`registry`). New charges and payouts go by the route of their rail. Every other
//! connection stays usable by its name, for questions, refunds and notices, so that one replaces
//! another without losing what is under way.

use std::collections::BTreeMap;
use std::time::Duration;

use connectors::PROFILES;
use db::time::Timestamp;
use db::tx::Tx;
use rails::profile::{
    Certificate, Connected, Environment, FieldKind, Given, Profile, RailKind, SetupError,
};
use sandbox::SANDBOX;

use crate::platform::error::{Error, ErrorCode, FieldError, Result};
use crate::platform::ids::ConnectionId;
use crate::platform::secrets::{SealCount, Secrets};
use crate::providers::connections::problem::Problem;

pub mod problem;
pub mod registry;
mod store;

/// Names that other providers have.
const TAKEN: [&str; 2] = [SANDBOX, "none"];
const NAME_MAX: usize = 32;
/// How often a server reads the connections again; each knows of a change after twice as long.
pub const READ_EVERY: Duration = Duration::from_secs(10);
/// Longer than that, with the time that a job takes to notice.
const JUST_NOW: Duration = Duration::from_mins(1);
/// How the fields of addresses are named.
const ADDRESS: &str = "address";
const ADDRESS_ENDING: &str = "_address";

/// A connection as it is stored, without its secrets.
#[derive(Debug, Clone)]
pub struct StoredConnection {
    pub id: ConnectionId,
    pub name: String,
    pub profile: String,
    pub environment: Environment,
    /// The fields that are no secrets.
    pub settings: BTreeMap<String, String>,
    pub certificate: Option<Certificate>,
    /// What its last check found to be wrong.
    pub problem: Option<Problem>,
    pub checked_at: Option<Timestamp>,
    /// Since when no rail may be routed to it.
    pub disabled_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub version: i64,
}

/// What an operator enters for a new connection.
#[derive(Clone)]
pub struct NewConnection {
    pub name: String,
    pub profile: String,
    pub environment: Environment,
    pub values: BTreeMap<String, String>,
}

/// The connection that a rail's new charges go to.
#[derive(Debug, Clone)]
pub struct Route {
    pub rail: RailKind,
    pub connection: ConnectionId,
    pub updated_at: Timestamp,
}

/// The profile of this name.
pub fn profile(name: &str) -> Result<&'static dyn Profile> {
    let found = PROFILES.iter().find(|profile| profile.name() == name);
    found.copied().ok_or_else(|| {
        let known: Vec<_> = PROFILES.iter().map(|profile| profile.name()).collect();
        let message = format!("must be one of {}", known.join(", "));
        Error::field("profile", "INVALID_VALUE", message)
    })
}

/// Refuses a name that cannot be a connection's.
pub fn check_name(name: &str) -> Result<()> {
    let letters = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let is_valid = name.bytes().all(letters)
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.len() <= NAME_MAX;
    if !is_valid {
        let message = "must be 1 to 32 lowercase letters, digits and hyphens, a letter first";
        return Err(Error::field("name", "INVALID_VALUE", message));
    }
    if TAKEN.contains(&name) {
        return Err(Error::field("name", "INVALID_VALUE", "is the name of another provider"));
    }
    Ok(())
}

/// Refuses values that the profile does not know, and missing ones.
pub fn check_values(profile: &dyn Profile, values: &BTreeMap<String, String>) -> Result<()> {
    let fields = profile.fields();
    let field_of = |name: &str| format!("values.{name}");
    let unknown = values.keys().filter(|name| fields.iter().all(|field| field.name != *name));
    let known: Vec<_> = fields.iter().map(|field| field.name).collect();
    let unknown = unknown.map(|name| FieldError {
        field: field_of(name),
        code: "INVALID_VALUE",
        message: format!("is no field of {}; it has {}", profile.name(), known.join(", ")),
    });
    let is_given = |name: &str| values.get(name).is_some_and(|value| !value.trim().is_empty());
    let missing = fields.iter().filter(|field| field.kind != FieldKind::Optional);
    let missing = missing.filter(|field| !is_given(field.name)).map(|field| FieldError {
        field: field_of(field.name),
        code: "REQUIRED",
        message: format!("is required: {}", field.about),
    });
    let faults: Vec<_> = unknown.chain(missing).collect();
    if faults.is_empty() { Ok(()) } else { Err(Error::Invalid(faults)) }
}

/// Connects by what an operator has entered; opens no socket.
pub fn connect(
    profile: &dyn Profile,
    name: &str,
    environment: Environment,
    door: &str,
    values: BTreeMap<String, String>,
) -> Result<Connected, SetupError> {
    profile.connect(&Given { name: name.to_owned(), environment, door: door.to_owned(), values })
}

/// The error for a value that no connection can be made with.
pub fn setup_error(error: &SetupError) -> Error {
    let SetupError { field, problem } = error;
    Error::field(format!("values.{field}"), "INVALID_VALUE", problem.clone())
}

/// Stores a new connection with its secrets sealed.
pub async fn insert(
    tx: &Tx,
    secrets: &Secrets,
    id: ConnectionId,
    new: &NewConnection,
    certificate: Option<&Certificate>,
) -> Result<StoredConnection> {
    let now = tx.now();
    let (settings, sealed) = split(profile(&new.profile)?, &new.values);
    let stored = StoredConnection {
        id,
        name: new.name.clone(),
        profile: new.profile.clone(),
        environment: new.environment,
        settings,
        certificate: certificate.cloned(),
        problem: None,
        checked_at: Some(now),
        disabled_at: None,
        created_at: now,
        updated_at: now,
        version: 1,
    };
    if !store::insert(tx, &stored).await? {
        let message = format!("A connection with the name {} exists.", new.name);
        return Err(Error::refused(ErrorCode::AlreadyExists, message));
    }
    seal_all(tx, secrets, id, &sealed).await?;
    Ok(stored)
}

/// Replaces values of a connection; the caller holds its lock.
pub async fn replace_values(
    tx: &Tx,
    secrets: &Secrets,
    before: StoredConnection,
    values: &BTreeMap<String, String>,
    certificate: Option<&Certificate>,
) -> Result<StoredConnection> {
    let (settings, sealed) = split(profile(&before.profile)?, values);
    let after = StoredConnection {
        settings,
        certificate: certificate.cloned(),
        problem: None,
        checked_at: Some(tx.now()),
        ..before
    };
    store::delete_secrets(tx, after.id).await?;
    seal_all(tx, secrets, after.id, &sealed).await?;
    change(tx, after).await
}

/// Stores a change of a connection, which every server then notices.
pub async fn change(tx: &Tx, changed: StoredConnection) -> Result<StoredConnection> {
    let version = changed.version + 1;
    let changed = StoredConnection { updated_at: tx.now(), version, ..changed };
    store::update(tx, &changed).await?;
    Ok(changed)
}

/// Stores what a check of a version of a connection found, unless there is a newer one; no server
/// has to connect again for it.
pub async fn note_check(
    tx: &Tx,
    used: (ConnectionId, i64),
    problem: Option<&Problem>,
) -> Result<()> {
    store::note_check(tx, used, problem).await
}

/// Whether charges were ever made by a connection.
pub async fn is_started(tx: &Tx, id: ConnectionId) -> Result<bool> {
    store::is_started(tx, id).await
}

/// Every connection, by name.
pub async fn list(tx: &Tx) -> Result<Vec<StoredConnection>> {
    store::list(tx).await
}

/// Finds a connection.
pub async fn find(tx: &Tx, id: ConnectionId) -> Result<StoredConnection> {
    store::find(tx, id).await?.ok_or(Error::NotFound("Connection"))
}

/// Finds a connection by its name.
pub async fn find_named(tx: &Tx, name: &str) -> Result<StoredConnection> {
    let listed = list(tx).await?;
    let named = listed.into_iter().find(|connection| connection.name == name);
    named.ok_or(Error::NotFound("Connection"))
}

/// Finds and locks a connection.
pub async fn lock(tx: &Tx, id: ConnectionId) -> Result<StoredConnection> {
    store::lock(tx, id).await?.ok_or(Error::NotFound("Connection"))
}

/// Stores that charges are made from now on; false if that was stored before.
pub async fn start(tx: &Tx, id: ConnectionId) -> Result<bool> {
    store::start(tx, id).await
}

/// Which connection each rail goes to.
pub async fn routes(tx: &Tx) -> Result<Vec<Route>> {
    store::routes(tx).await
}

/// Whether charges of a rail, or of the cards that a connection keeps, were let through again a
/// moment ago, so that a server may not know it yet.
pub async fn is_just_in_use(tx: &Tx, rail: RailKind, keeper: Option<&str>) -> Result<bool> {
    let since = tx.now().minus(JUST_NOW);
    let Some(keeper) = keeper else {
        let routes = routes(tx).await?;
        return Ok(routes.iter().any(|route| route.rail == rail && route.updated_at >= since));
    };
    let connections = list(tx).await?;
    Ok(connections.iter().any(|connection| {
        let is_it = connection.name == keeper && connection.disabled_at.is_none();
        is_it && connection.updated_at >= since
    }))
}

/// Sends a rail's new charges to a connection, or to none.
pub async fn route(tx: &Tx, rail: RailKind, to: Option<ConnectionId>) -> Result<()> {
    store::route(tx, rail, to).await
}

/// Every value of a connection, secrets opened.
pub async fn values(
    tx: &Tx,
    secrets: &Secrets,
    connection: &StoredConnection,
) -> Result<BTreeMap<String, String>> {
    let mut values = connection.settings.clone();
    for (field, sealed) in store::secrets(tx, connection.id).await? {
        let opened = secrets.open(&aad(connection.id, &field), &sealed);
        let opened = opened.and_then(|plain| String::from_utf8(plain).ok()).ok_or_else(|| {
            let name = &connection.name;
            anyhow::anyhow!("neither secret of this server opens {field} of connection {name}")
        })?;
        values.insert(field, opened);
    }
    Ok(values)
}

/// Counts the sealed values and seals again what the previous secret sealed.
pub async fn reseal(tx: &Tx, secrets: &Secrets) -> Result<SealCount> {
    let mut with = Vec::new();
    for connection in list(tx).await? {
        // A concurrent rotation would be undone.
        lock(tx, connection.id).await?;
        for (field, sealed) in store::secrets(tx, connection.id).await? {
            let aad = aad(connection.id, &field);
            with.push(secrets.sealed_with(&aad, &sealed));
            if let Some(renewed) = secrets.reseal(tx.random(), &aad, &sealed) {
                store::put_secret(tx, connection.id, &field, &renewed).await?;
            }
        }
    }
    Ok(with.into_iter().collect())
}

impl StoredConnection {
    /// Whether its money is not real, as far as can be known: a provider's own test system, or an
    /// address that is not the profile's.
    pub fn has_test_money(&self) -> bool {
        let is_address = |field: &String| field == ADDRESS || field.ends_with(ADDRESS_ENDING);
        self.environment == Environment::Sandbox || self.settings.keys().any(is_address)
    }
}

/// What may be shown of the values, and what is sealed.
fn split(
    profile: &dyn Profile,
    values: &BTreeMap<String, String>,
) -> (BTreeMap<String, String>, BTreeMap<String, String>) {
    let secret = |name: &str| {
        let is_it = |field: &&rails::profile::Field| field.name == name;
        profile.fields().iter().find(is_it).is_none_or(|field| field.kind == FieldKind::Secret)
    };
    values.clone().into_iter().partition(|(name, _)| !secret(name))
}

async fn seal_all(
    tx: &Tx,
    secrets: &Secrets,
    id: ConnectionId,
    values: &BTreeMap<String, String>,
) -> Result<()> {
    for (field, value) in values {
        let sealed = secrets.seal(tx.random(), &aad(id, field), value.as_bytes());
        store::put_secret(tx, id, field, &sealed).await?;
    }
    Ok(())
}

fn aad(id: ConnectionId, field: &str) -> Vec<u8> {
    format!("connection {id} {field}").into_bytes()
}
