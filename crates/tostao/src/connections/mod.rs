//! Real money: what operators do with connections, and what connections report.
//!
//! ```text
//! notice ──▶ job: look into it ──┐
//! reconciliation: read a window ─┴▶ page of events ──▶ `take_in`, which is safe to repeat
//! ```
//!
//! A notice is a hint: its connection is asked about the object that it names, and only the answer
//! is booked. Reconciliation books by the same function, so a lost notice costs minutes. What an
//! event says and nothing here explains is kept as a difference (`differences`), which an
//! administrator decides on.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use db::tx::Tx;
use queue::job::WORK;
use rails::connection::{Balance, Health, Window};
use rails::error::ProviderError;
use rails::profile::{Connected, FieldKind, Profile, RailKind};
use tokio::task::JoinSet;

use crate::app::App;
use crate::audit::{self, Action, ActorContext, Entry};
use crate::merchants;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::ids::ConnectionId;
use crate::platform::lanes::of_connection;
use crate::platform::telemetry;
use crate::providers::connections::problem::{Problem, in_words};
use crate::providers::connections::registry::{self, LiveConnection, door};
use crate::providers::connections::{
    self as stored, NewConnection, READ_EVERY, StoredConnection, check_name, check_values, connect,
    profile, setup_error,
};
use crate::subscriptions::jobs::wake_waiting;

pub mod admin_api;
pub mod balance;
pub mod differences;
pub mod jobs;
pub mod notices_api;
pub mod registration;

mod infractions;
mod other_issuer;
mod payables;
mod store;
mod take_in;

/// The fields that name an application, of which an account has a new one with new secrets.
const APPLICATION_FIELDS: [&str; 2] = ["client_id", "public_key"];
/// The fields that say which account of its provider a connection is.
const ACCOUNT_FIELDS: [&str; 3] = ["client_id", "pix_key", "public_key"];
/// The field by which a test system's money is accepted.
pub const ACCEPT_TEST_MONEY: &str = "acceptTestMoney";
/// The field that names the connection of a route.
pub const CONNECTION: &str = "connectionId";
/// What is asked of a provider that is left alone.
const PROBES: [(RailKind, Window); 3] = [
    (RailKind::Pix, Window::ReceivedPix),
    (RailKind::Boleto, Window::Boletos),
    (RailKind::Card, Window::Cards),
];
/// How much of a list is asked for.
const PROBED: Duration = Duration::from_mins(1);

/// Whether a rail may go to a connection with a provider's test system, whose money is not real.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestMoney {
    Refuse,
    Accept,
}

/// A connection and the rails that go to it.
#[derive(Debug, Clone)]
pub struct RoutedConnection {
    pub connection: StoredConnection,
    pub routes: Vec<RailKind>,
}

/// What a test of a connection found.
pub struct Tested {
    pub live: Arc<LiveConnection>,
    pub health: Health,
    /// What the operator's account holds, if the provider says so.
    pub balance: Option<Balance>,
}

/// Adds a connection, once its provider has answered that it works.
pub async fn add(app: &App, by: &ActorContext, new: NewConnection) -> Result<StoredConnection> {
    check_name(&new.name)?;
    let profile = profile(&new.profile)?;
    check_values(profile, &new.values)?;
    let id = ConnectionId(app.database.sources().new_id(app.now()));
    let door = door(&app.settings, &app.secrets, id);
    let connected = connect(profile, &new.name, new.environment, &door, new.values.clone())
        .map_err(|error| setup_error(&error))?;
    prove(&connected).await?;
    let (secrets, by) = (app.secrets.clone(), by.clone());
    let unit = async move |tx: &Tx| {
        // One change of accounts at a time: another one that is stored meanwhile must be seen.
        merchants::lock_administrators(tx).await?;
        expect_another_account(&stored::list(tx).await?, &new.profile, &new.values)?;
        let certificate = connected.certificate.as_ref();
        let added = stored::insert(tx, &secrets, id, &new, certificate).await?;
        let entry = Entry::about(Action::ConnectionAdded, None).on(id.0);
        let entry = entry.with("name", added.name.as_str()).with("profile", added.profile.as_str());
        audit::record(tx, &by, entry.with("environment", added.environment.name())).await?;
        Ok(added)
    };
    let added = app.transact(unit).await?;
    reload(app).await?;
    Ok(added)
}

/// Replaces secrets of a connection, and the name that its application has, once its provider has
/// answered that it works with them.
///
/// Every other value stays. Another account under the same name would be asked about orders that it
/// never had, and another address would be given the secrets.
pub async fn rotate(
    app: &App,
    by: &ActorContext,
    id: ConnectionId,
    values: BTreeMap<String, String>,
) -> Result<StoredConnection> {
    let secrets = app.secrets.clone();
    let unit = async move |tx: &Tx| {
        let found = stored::find(tx, id).await?;
        let values = stored::values(tx, &secrets, &found).await?;
        Ok((found, values))
    };
    let (before, mut merged) = app.read(unit).await?;
    let changed: Vec<_> = values.keys().cloned().collect();
    let profile = profile(&before.profile)?;
    expect_replaceable(profile, &changed)?;
    merged.extend(values.clone());
    check_values(profile, &merged)?;
    let door = door(&app.settings, &app.secrets, id);
    let connected = connect(profile, &before.name, before.environment, &door, merged.clone())
        .map_err(|error| setup_error(&error))?;
    prove(&connected).await?;
    let (secrets, by, version) = (app.secrets.clone(), by.clone(), before.version);
    let unit = async move |tx: &Tx| {
        // As when one is added.
        merchants::lock_administrators(tx).await?;
        let before = stored::lock(tx, id).await?;
        if before.version != version {
            let message = "The connection was changed meanwhile. Look at it again.";
            return Err(Error::refused(ErrorCode::ConcurrentUpdate, message));
        }
        let mut others = stored::list(tx).await?;
        others.retain(|other| other.id != id);
        expect_another_account(&others, &before.profile, &values)?;
        let certificate = connected.certificate.as_ref();
        let after = stored::replace_values(tx, &secrets, before, &merged, certificate).await?;
        let entry = Entry::about(Action::ConnectionRotated, None).on(id.0);
        let entry = entry.with("name", after.name.as_str()).with("fields", changed.clone());
        audit::record(tx, &by, entry).await?;
        registration::renew(tx, (id, &after.name)).await?;
        Ok(after)
    };
    let rotated = app.transact(unit).await?;
    reload(app).await?;
    Ok(rotated)
}

/// Asks a connection's provider whether it works, and for the balance; what it finds is stored, and
/// who asked.
pub async fn test(app: &App, by: Option<ActorContext>, id: ConnectionId) -> Result<Tested> {
    let live = live(app, id).await?;
    let checked = live.connected.connection.check().await;
    let problem = Problem::of(&checked, &live.door);
    let used = (id, live.version);
    let name = live.name.clone();
    let unit = async move |tx: &Tx| {
        stored::note_check(tx, used, problem.as_ref()).await?;
        let Some(by) = &by else { return Ok(()) };
        let entry = Entry::about(Action::ConnectionTested, None).on(id.0);
        audit::record(tx, by, entry.with("name", name.as_str())).await
    };
    app.transact(unit).await?;
    let health = checked.map_err(|error| unproven(&error))?;
    let balance = live.connected.connection.balance().await;
    let balance = balance.inspect_err(|error| {
        tracing::warn!(connection = live.name, %error, "a balance cannot be asked for");
    });
    Ok(Tested { live, health, balance: balance.ok().flatten() })
}

/// Sends a rail's new charges to a connection, or to none.
pub async fn route(
    app: &App,
    by: &ActorContext,
    rail: RailKind,
    to: Option<ConnectionId>,
    test_money: TestMoney,
) -> Result<()> {
    let mut windows = Vec::new();
    if let Some(id) = to {
        let live = live(app, id).await?;
        expect_servable(&live.connected, rail)?;
        windows.extend_from_slice(live.connected.connection.windows());
    }
    let by = by.clone();
    let unit = async move |tx: &Tx| {
        let entry = Entry::about(Action::ConnectionRouted, None).with("rail", rail.name());
        let Some(id) = to else {
            stored::route(tx, rail, None).await?;
            return audit::record(tx, &by, entry).await;
        };
        let connection = stored::lock(tx, id).await?;
        expect_routable(&connection, test_money)?;
        stored::route(tx, rail, Some(id)).await?;
        let named = (id, &*connection.name);
        if stored::start(tx, id).await? {
            jobs::begin(tx, &connection, &windows).await?;
            registration::begin(tx, named).await?;
        }
        registration::register_now(tx, named).await?;
        if rail == RailKind::Pix {
            wake_waiting(tx, WORK, tx.now().plus(READ_EVERY * 2)).await?;
        }
        let entry = entry.on(id.0).with("name", connection.name.as_str());
        let entry = entry.with("testMoney", connection.has_test_money());
        audit::record(tx, &by, entry).await
    };
    app.transact(unit).await?;
    reload(app).await
}

/// Takes a connection out of use: no rail goes to it any more. What is under way is finished.
pub async fn disable(app: &App, by: &ActorContext, id: ConnectionId) -> Result<StoredConnection> {
    let by = by.clone();
    let unit = async move |tx: &Tx| {
        let before = stored::lock(tx, id).await?;
        if before.disabled_at.is_some() {
            return Ok(before);
        }
        for route in stored::routes(tx).await?.iter().filter(|route| route.connection == id) {
            stored::route(tx, route.rail, None).await?;
        }
        let disabled = StoredConnection { disabled_at: Some(tx.now()), ..before };
        let disabled = stored::change(tx, disabled).await?;
        record(tx, &by, Action::ConnectionDisabled, &disabled).await?;
        Ok(disabled)
    };
    let disabled = app.transact(unit).await?;
    reload(app).await?;
    Ok(disabled)
}

/// Lets rails be routed to a connection again.
pub async fn enable(app: &App, by: &ActorContext, id: ConnectionId) -> Result<StoredConnection> {
    let by = by.clone();
    let unit = async move |tx: &Tx| {
        let before = stored::lock(tx, id).await?;
        if before.disabled_at.is_none() {
            return Ok(before);
        }
        let enabled = StoredConnection { disabled_at: None, ..before };
        let enabled = stored::change(tx, enabled).await?;
        record(tx, &by, Action::ConnectionEnabled, &enabled).await?;
        registration::renew(tx, (id, &enabled.name)).await?;
        // Every server knows by then that it is enabled.
        let at = tx.now().plus(READ_EVERY * 2);
        wake_waiting(tx, &of_connection(&enabled.name), at).await?;
        Ok(enabled)
    };
    let enabled = app.transact(unit).await?;
    reload(app).await?;
    Ok(enabled)
}

/// Reads the connections again, so that this server uses them as they now are.
pub async fn reload(app: &App) -> Result<()> {
    // One at a time: an older reading must not replace a newer one.
    let _turn = app.providers.reloading.lock().await;
    let before = app.providers.registry();
    let (secrets, settings) = (app.secrets.clone(), app.settings.clone());
    let unit = async move |tx: &Tx| registry::read(tx, &before, &settings, &secrets).await;
    app.providers.replace_registry(app.read(unit).await?);
    Ok(())
}

/// Reads the connections again and again until `stop` resolves: another server may change them.
pub async fn keep_current(app: App, stop: impl Future<Output = ()>) {
    tokio::pin!(stop);
    let mut probes = JoinSet::new();
    while tokio::time::timeout(READ_EVERY, &mut stop).await.is_err() {
        if let Err(error) = reload(&app).await {
            tracing::warn!(%error, "the connections cannot be read; those in memory stay in use");
        }
        // A provider that hangs must not delay the next reading.
        while probes.try_join_next().is_some() {}
        if probes.is_empty() {
            probes.spawn(probe(app.clone()));
        }
    }
}

/// Asks providers that are left alone whether they are back, so that no buyer has to.
pub async fn probe(app: App) {
    let (registry, now) = (app.providers.registry(), app.now());
    // A provider takes one probe in each pause: what buyers do not need must not use it up.
    for (rail, list) in PROBES {
        let Some(live) = registry.routed(rail) else { continue };
        let Connected { connection, .. } = &live.connected;
        if live.connected.serves(rail) && connection.is_left_alone(rail) {
            let answer = connection.read_window(list, now.minus(PROBED), now, None).await;
            let is_back = answer.is_ok();
            tracing::info!(connection = live.name, %rail, is_back, "a provider was probed");
        }
    }
}

/// Every connection with its routes, by name.
pub async fn list(tx: &Tx) -> Result<Vec<RoutedConnection>> {
    let (listed, routes) = (stored::list(tx).await?, stored::routes(tx).await?);
    let with_routes = |connection: StoredConnection| {
        let own = routes.iter().filter(|route| route.connection == connection.id);
        RoutedConnection { routes: own.map(|route| route.rail).collect(), connection }
    };
    Ok(listed.into_iter().map(with_routes).collect())
}

/// Updates the metrics of connections: what waits for an administrator, whether one is usable or
/// left alone, how far behind its lists are, how long its certificate is valid, and what of its
/// balance nothing explains.
pub async fn measure(app: &App) -> Result<()> {
    app.scan(async |tx| differences::measure(tx).await).await?;
    let watermarks = app.scan(async |tx| store::watermarks(tx).await).await?;
    let balances = app.scan(async |tx| differences::balances(tx).await).await?;
    let (registry, now) = (app.providers.registry(), app.now());
    for name in registry.unusable() {
        telemetry::unusable(name, true);
    }
    for live in registry.all() {
        telemetry::unusable(&live.name, false);
        telemetry::left_alone(&live.name, live.connected.is_left_alone());
        if let Some(certificate) = &live.connected.certificate {
            telemetry::certificate_expires(&live.name, certificate.not_after.since(now));
        }
        for (_, list, read_until) in watermarks.iter().filter(|(of, ..)| *of == live.id) {
            telemetry::reconciliation_lag(&live.name, list, now.since(*read_until));
        }
        for known in balances.iter().filter(|known| known.connection == live.id) {
            telemetry::balance_drift(&live.name, balance::unexplained(known));
        }
    }
    Ok(())
}

/// The connection in memory; one that another server has just added is read first.
async fn live(app: &App, id: ConnectionId) -> Result<Arc<LiveConnection>> {
    if let Some(live) = app.providers.registry().with_id(id) {
        return Ok(live.clone());
    }
    reload(app).await?;
    if let Some(live) = app.providers.registry().with_id(id) {
        return Ok(live.clone());
    }
    let name = app.read(async move |tx| stored::find(tx, id).await).await?.name;
    Err(Error::Unavailable(format!("the connection {name} cannot be used by this server")))
}

/// Refuses a second connection with the same account: it would report the same money again.
fn expect_another_account(
    known: &[StoredConnection],
    profile: &str,
    values: &BTreeMap<String, String>,
) -> Result<()> {
    fn value<'a>(values: &'a BTreeMap<String, String>, field: &str) -> Option<&'a str> {
        values.get(field).map(|value| value.trim()).filter(|value| !value.is_empty())
    }
    for field in ACCOUNT_FIELDS {
        let Some(given) = value(values, field) else { continue };
        let has_it = |known: &&StoredConnection| {
            known.profile == profile && value(&known.settings, field) == Some(given)
        };
        if let Some(StoredConnection { name, .. }) = known.iter().find(has_it) {
            let message = format!("is in use by the connection {name}; an account has one");
            return Err(Error::field(format!("values.{field}"), "INVALID_VALUE", message));
        }
    }
    Ok(())
}

/// Refuses to replace what says which account it is, and where its provider is.
fn expect_replaceable(profile: &dyn Profile, fields: &[String]) -> Result<()> {
    let is_replaceable = |name: &String| {
        let field = profile.fields().iter().find(|field| field.name == *name);
        APPLICATION_FIELDS.contains(&name.as_str())
            || field.is_some_and(|field| field.kind == FieldKind::Secret)
    };
    let Some(other) = fields.iter().find(|name| !is_replaceable(name)) else { return Ok(()) };
    let message = "stays as it is: another account is another connection";
    Err(Error::field(format!("values.{other}"), "INVALID_VALUE", message))
}

async fn record(
    tx: &Tx,
    by: &ActorContext,
    action: Action,
    connection: &StoredConnection,
) -> Result<()> {
    let entry = Entry::about(action, None).on(connection.id.0);
    audit::record(tx, by, entry.with("name", connection.name.as_str())).await
}

fn expect_routable(connection: &StoredConnection, test_money: TestMoney) -> Result<()> {
    if connection.disabled_at.is_some() {
        let message = format!("The connection {} is disabled. Enable it first.", connection.name);
        return Err(Error::State { current: "DISABLED".to_owned(), message });
    }
    if connection.has_test_money() && test_money == TestMoney::Refuse {
        let message = "is required: the connection is with a test system or at an address of \
                       its own, whose money is not real, and production balances would grow by it";
        return Err(Error::field(ACCEPT_TEST_MONEY, "INVALID_VALUE", message));
    }
    Ok(())
}

/// Refuses a rail that a connection does not serve.
fn expect_servable(connected: &Connected, rail: RailKind) -> Result<()> {
    if connected.serves(rail) {
        return Ok(());
    }
    let problem = format!("does not serve the rail {rail}");
    Err(Error::field(CONNECTION, "INVALID_VALUE", problem))
}

/// Refuses a connection that does not work, in words that say why.
async fn prove(connected: &Connected) -> Result<()> {
    let health = connected.connection.check().await.map_err(|error| unproven(&error))?;
    if health.missing.is_empty() {
        return Ok(());
    }
    let message = format!("Nothing was stored: {}.", in_words(&health.missing));
    Err(Error::refused(ErrorCode::ConnectionRefused, message))
}

fn unproven(error: &ProviderError) -> Error {
    Error::refused(ErrorCode::ConnectionRefused, format!("The connection does not work: {error}."))
}
