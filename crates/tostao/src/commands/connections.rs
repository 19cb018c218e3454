//! Connections with banks and acquirers from the command line.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail, ensure};
use clap::{Args, Subcommand};
use connectors::PROFILES;
use db::embedded::ensure_not_served;
use db::time::Timestamp;
use db::tx::Tx;
use rails::connection::Health;
use rails::profile::{Environment, FieldKind, Profile, RailKind};
use serde::Deserialize;

use crate::app::App;
use crate::audit::ActorContext;
use crate::commands::text_file::{read_file, text_of};
use crate::commands::{lacking, open_existing, open_to_read, say, user_error};
use crate::connections::{
    self as operations, ACCEPT_TEST_MONEY, CONNECTION, RoutedConnection, TestMoney, Tested, reload,
};
use crate::platform::config::{Settings, Storage};
use crate::platform::error::{Error, FieldError};
use crate::providers::connections::problem::in_words;
use crate::providers::connections::registry::LiveConnection;
use crate::providers::connections::{self as stored, NewConnection, StoredConnection, profile};

/// Stands for the standard input.
const FROM_INPUT: &str = "-";
/// Stands for no connection.
const NONE: &str = "none";
const DAYS_WARNED: i64 = 30;
const MICROS_PER_DAY: i64 = 24 * 3600 * 1_000_000;

#[derive(Debug, Subcommand)]
pub enum ConnectionsCommand {
    /// List the kinds of banks and acquirers, and what each one asks for
    Profiles,
    /// List the connections, without their secrets
    List(Storage),
    /// Add a connection, once its bank answers that it works
    Add {
        /// Lowercase letters, digits and hyphens
        name: String,
        /// The kind of bank or acquirer; `tostao connections profiles` lists them
        #[arg(long)]
        profile: String,
        /// `production`, or `sandbox` for the provider's own test system
        #[arg(long, default_value = "production", value_parser = environment)]
        environment: Environment,
        #[command(flatten)]
        values: ValueArgs,
        #[command(flatten)]
        settings: Box<Settings>,
    },
    /// Ask a connection's bank what it grants, and what is missing
    Test {
        name: String,
        #[command(flatten)]
        settings: Box<Settings>,
    },
    /// Send a rail's new charges or payouts to a connection
    Route {
        /// `pix`, `boleto`, `card` or `payout`
        #[arg(value_parser = rail)]
        rail: RailKind,
        /// The connection's name, or `none`
        name: String,
        /// Accept a provider's test system, whose money is not real
        #[arg(long)]
        accept_test_money: bool,
        #[command(flatten)]
        settings: Box<Settings>,
    },
    /// Replace values of a connection, once its bank answers that it works with them
    Rotate {
        name: String,
        #[command(flatten)]
        values: ValueArgs,
        #[command(flatten)]
        settings: Box<Settings>,
    },
    /// Take a connection out of use and off its rails; what is under way goes on
    Disable {
        name: String,
        #[command(flatten)]
        settings: Box<Settings>,
    },
    /// Let rails be routed to a connection again; its former routes do not come back
    Enable {
        name: String,
        #[command(flatten)]
        settings: Box<Settings>,
    },
    /// Add and change connections and routes until they are as a file says
    Apply {
        /// TOML that names the files of secrets; docs/operating.md describes it
        file: PathBuf,
        #[command(flatten)]
        settings: Box<Settings>,
    },
}

#[derive(Debug, Args)]
pub struct ValueArgs {
    /// A field that is no secret
    #[arg(long = "set", value_name = "FIELD=VALUE", value_parser = pair)]
    texts: Vec<(String, String)>,
    /// A field's value from a file; `-` is the standard input
    #[arg(long = "file", value_name = "FIELD=FILE", value_parser = pair)]
    files: Vec<(String, String)>,
}

/// What `apply` reads.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    #[serde(default)]
    connections: BTreeMap<String, WantedConnection>,
    /// The connection of each rail; rails that are not named stay as they are.
    #[serde(default)]
    routes: BTreeMap<String, String>,
    #[serde(default)]
    accept_test_money: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WantedConnection {
    profile: String,
    #[serde(default)]
    environment: Option<String>,
    #[serde(default)]
    values: BTreeMap<String, String>,
    /// The files that hold values, secrets above all.
    #[serde(default)]
    files: BTreeMap<String, PathBuf>,
}

/// Runs one command.
pub async fn run(command: ConnectionsCommand) -> anyhow::Result<()> {
    match command {
        ConnectionsCommand::Profiles => print_profiles(),
        ConnectionsCommand::List(storage) => list(&storage).await,
        ConnectionsCommand::Add { name, profile, environment, values, settings } => {
            let values = values.read(&profile)?;
            let new = NewConnection { name, profile, environment, values };
            add(&open(*settings).await?, Written::AsFlags, new).await
        }
        ConnectionsCommand::Test { name, settings } => test(&open(*settings).await?, &name).await,
        ConnectionsCommand::Route { rail, name, accept_test_money, settings } => {
            let test_money = test_money(accept_test_money);
            route(&open(*settings).await?, Written::AsFlags, (rail, &name), test_money).await
        }
        ConnectionsCommand::Rotate { name, values, settings } => {
            let app = open(*settings).await?;
            let values = values.read(&named(&app, &name).await?.profile)?;
            ensure!(!values.is_empty(), "nothing to replace: give --set or --file");
            rotate(&app, Written::AsFlags, &name, values).await
        }
        ConnectionsCommand::Disable { name, settings } => {
            let app = open(*settings).await?;
            let id = named(&app, &name).await?.id;
            operations::disable(&app, &by(), id).await.map_err(user_error)?;
            say(&format!(
                "{name} is disabled: nothing new goes to it. What is under way goes on."
            ))?;
            print_routes(&app).await
        }
        ConnectionsCommand::Enable { name, settings } => {
            let app = open(*settings).await?;
            let id = named(&app, &name).await?.id;
            operations::enable(&app, &by(), id).await.map_err(user_error)?;
            say(&format!("{name} is enabled: rails can be routed to it again."))?;
            print_routes(&app).await
        }
        ConnectionsCommand::Apply { file, settings } => {
            let wanted = read_file(&file)?;
            let wanted: Wanted = toml::from_str(&wanted)
                .with_context(|| format!("{} is not as described", file.display()))?;
            apply(&open(*settings).await?, wanted).await
        }
    }
}

async fn add(app: &App, written: Written, new: NewConnection) -> anyhow::Result<()> {
    let added = operations::add(app, &by(), new).await;
    let added = added.map_err(|error| explained(written, error))?;
    say(&format!("{} is added and works.", added.name))?;
    print_certificate(app.now(), &added)?;
    say("Nothing goes to it yet: `tostao connections route` sends new charges and payouts to it.")
}

async fn rotate(
    app: &App,
    written: Written,
    name: &str,
    values: BTreeMap<String, String>,
) -> anyhow::Result<()> {
    let id = named(app, name).await?.id;
    let rotated = operations::rotate(app, &by(), id, values).await;
    let rotated = rotated.map_err(|error| explained(written, error))?;
    say(&format!("{name} works with the new values. Every server uses them within 30 seconds."))?;
    print_certificate(app.now(), &rotated)
}

async fn route(
    app: &App,
    written: Written,
    (rail, name): (RailKind, &str),
    test_money: TestMoney,
) -> anyhow::Result<()> {
    let to = if name == NONE { None } else { Some(named(app, name).await?.id) };
    let routed = operations::route(app, &by(), rail, to, test_money).await;
    routed.map_err(|error| explained(written, error))?;
    match to {
        Some(_) => say(&format!("New orders of the rail {rail} go to {name}.")),
        None => say(&format!("The rail {rail} goes nowhere: new orders of it are refused.")),
    }
}

async fn test(app: &App, name: &str) -> anyhow::Result<()> {
    let connection = named(app, name).await?;
    let tested = operations::test(app, Some(by()), connection.id).await;
    let Tested { live, health, balance } = tested.map_err(user_error)?;
    let Health { granted, missing, notices_to } = health;
    say(&format!("granted: {}", granted.join(" ")))?;
    if let Some(balance) = balance {
        say(&format!("balance: {}", brazil::money::format_brl(balance.available.get())))?;
    }
    say(&format!("notices: {}", notices_to.as_deref().unwrap_or("not registered")))?;
    print_certificate(app.now(), &connection)?;
    ensure!(missing.is_empty(), "{name}: {}", in_words(&missing));
    say(&format!("{name} works{}", without_notices(&live, notices_to.as_deref())))
}

/// What is said of a connection that works, about where its notices go.
fn without_notices(live: &LiveConnection, notices_to: Option<&str>) -> String {
    let LiveConnection { name, door, .. } = live;
    let lack = match notices_to {
        Some(address) if address == *door => return ".".to_owned(),
        Some(_) => "its notices go to the address of another server",
        None => "no address for notices is registered",
    };
    let cure = if live.connected.connection.can_register() {
        format!("The server registers its own while it runs, once a rail goes to {name}.")
    } else {
        format!("Enter {door} at the provider; its next notice shows it.")
    };
    format!(", but {lack}. {cure}")
}

/// Prints all connections, also while a server runs.
async fn list(storage: &Storage) -> anyhow::Result<()> {
    let database = open_to_read(storage)?;
    lacking(&database).await?;
    let listed = database.read(async |tx| operations::list(tx).await).await.map_err(user_error)?;
    let now = database.sources().now();
    if listed.is_empty() {
        return say("There are no connections.");
    }
    for RoutedConnection { connection, routes } in listed {
        let StoredConnection { name, profile, environment, problem, disabled_at, .. } = &connection;
        let rails: Vec<_> = routes.iter().map(|rail| rail.name()).collect();
        let state = match (disabled_at, rails.is_empty()) {
            (Some(_), _) => "disabled".to_owned(),
            (None, true) => "no rail goes to it".to_owned(),
            (None, false) => rails.join(", "),
        };
        say(&format!("{name}  {profile}  {environment}  {state}"))?;
        print_certificate(now, &connection)?;
        if let Some(problem) = problem {
            say(&format!("  problem: {}", problem.text))?;
        }
    }
    Ok(())
}

/// Adds what is missing and changes what differs; the same file again changes nothing.
async fn apply(app: &App, wanted: Wanted) -> anyhow::Result<()> {
    for (name, connection) in &wanted.connections {
        apply_connection(app, name, connection).await?;
    }
    let listed = app.read(async |tx| operations::list(tx).await).await.map_err(user_error)?;
    for (rail_name, name) in &wanted.routes {
        let rail = rail(rail_name).map_err(|error| anyhow!("routes: {error}"))?;
        if routed_to(&listed, rail) != name {
            let test_money = test_money(wanted.accept_test_money);
            route(app, Written::InFile, (rail, name), test_money).await?;
        }
    }
    for RoutedConnection { connection, .. } in &listed {
        if !wanted.connections.contains_key(&connection.name) {
            say(&format!("{} is not in the file and stays as it is.", connection.name))?;
        }
    }
    say("Connections and routes are as the file says.")
}

async fn apply_connection(app: &App, name: &str, wanted: &WantedConnection) -> anyhow::Result<()> {
    let given = wanted.environment.as_deref().unwrap_or(Environment::Production.name());
    let environment = environment(given).map_err(|error| anyhow!("{name}: {error}"))?;
    let mut values = wanted.values.clone();
    for (field, file) in &wanted.files {
        values.insert(field.clone(), read_file(file)?);
    }
    values.retain(|_, value| !value.trim().is_empty());
    let texts = wanted.values.keys();
    refuse_secrets(Written::InFile, &wanted.profile, texts).with_context(|| name.to_owned())?;
    let listed = app.read(async |tx| operations::list(tx).await).await.map_err(user_error)?;
    let known = listed.into_iter().find(|routed| routed.connection.name == name);
    let Some(RoutedConnection { connection, .. }) = known else {
        let profile = wanted.profile.clone();
        let new = NewConnection { name: name.to_owned(), profile, environment, values };
        return add(app, Written::InFile, new).await.with_context(|| name.to_owned());
    };
    if connection.profile != wanted.profile || connection.environment != environment {
        bail!("{name} exists with another profile or environment; add a connection beside it");
    }
    let (secrets, of) = (app.secrets.clone(), connection.clone());
    let unit = async move |tx: &Tx| stored::values(tx, &secrets, &of).await;
    let stored = app.read(unit).await.map_err(user_error)?;
    let removed = stored.keys().filter(|field| !values.contains_key(*field));
    let removed: Vec<_> = removed.map(|field| (field.clone(), String::new())).collect();
    values.retain(|field, value| stored.get(field) != Some(value));
    values.extend(removed);
    if values.is_empty() {
        return Ok(());
    }
    rotate(app, Written::InFile, name, values).await.with_context(|| name.to_owned())
}

fn print_profiles() -> anyhow::Result<()> {
    for profile in PROFILES {
        say(profile.name())?;
        for field in profile.fields() {
            let kind = match field.kind {
                FieldKind::Required => "required",
                FieldKind::Optional => "optional",
                FieldKind::Secret => "required, secret",
            };
            say(&format!("  {} ({kind}): {}", field.name, field.about))?;
        }
    }
    Ok(())
}

/// Prints where the new orders of every rail go.
async fn print_routes(app: &App) -> anyhow::Result<()> {
    let listed = app.read(async |tx| operations::list(tx).await).await.map_err(user_error)?;
    say("New orders of each rail now go to:")?;
    let line = |rail: &RailKind| say(&format!("  {rail}: {}", routed_to(&listed, *rail)));
    RailKind::ALL.iter().try_for_each(line)
}

/// The connection that a rail goes to, or `none`.
fn routed_to(listed: &[RoutedConnection], rail: RailKind) -> &str {
    let to = listed.iter().find(|routed| routed.routes.contains(&rail));
    to.map_or(NONE, |routed| &routed.connection.name)
}

fn print_certificate(now: Timestamp, connection: &StoredConnection) -> anyhow::Result<()> {
    let Some(certificate) = &connection.certificate else { return Ok(()) };
    let days = (certificate.not_after.micros() - now.micros()) / MICROS_PER_DAY;
    let until = certificate.not_after;
    let warning = if days <= DAYS_WARNED { ", ask for a new one" } else { "" };
    say(&format!(
        "  certificate {} until {until} ({days} days{warning}), SHA-256 {}",
        certificate.subject, certificate.fingerprint
    ))
}

async fn open(settings: Settings) -> anyhow::Result<App> {
    if let Some(file) = settings.storage.sqlite_path() {
        ensure_not_served(file).map_err(|error| {
            anyhow!("{error}; while it runs, an administrator does this at /api/admin/connections")
        })?;
    }
    let app = open_existing(settings, "connections cannot be read").await?;
    reload(&app).await.map_err(user_error)?;
    Ok(app)
}

async fn named(app: &App, name: &str) -> anyhow::Result<StoredConnection> {
    let wanted = name.to_owned();
    let found = app.read(async move |tx| stored::find_named(tx, &wanted).await).await;
    found.map_err(|_| anyhow!("no connection has the name {name}"))
}

impl ValueArgs {
    /// Reads the values; what a profile calls a secret is never an argument, which lists of
    /// processes show.
    fn read(self, profile: &str) -> anyhow::Result<BTreeMap<String, String>> {
        refuse_secrets(Written::AsFlags, profile, self.texts.iter().map(|(field, _)| field))?;
        let mut values: BTreeMap<_, _> = self.texts.into_iter().collect();
        for (field, file) in self.files {
            let value = if file == FROM_INPUT {
                let mut bytes = Vec::new();
                std::io::stdin().read_to_end(&mut bytes).context("the input cannot be read")?;
                text_of("the input", bytes)?
            } else {
                read_file(Path::new(&file))?
            };
            values.insert(field, value);
        }
        Ok(values)
    }
}

fn refuse_secrets<'a>(
    written: Written,
    name: &str,
    mut fields: impl Iterator<Item = &'a String>,
) -> anyhow::Result<()> {
    let profile = profile(name).map_err(|error| explained(written, error))?;
    match fields.find(|field| has_secret(profile, field)) {
        None => Ok(()),
        Some(field) => match written {
            Written::AsFlags => bail!(
                "{field} is a secret: give it as --file {field}=FILE, or --file {field}=- to read \
                 the standard input"
            ),
            Written::InFile => bail!("{field} is a secret: name its file in `files`"),
        },
    }
}

/// Where an operator writes what a field of a refusal is about.
#[derive(Clone, Copy)]
enum Written {
    AsFlags,
    InFile,
}

/// A refusal with every field that it is about, as the operator wrote it.
fn explained(written: Written, error: Error) -> anyhow::Error {
    let Error::Invalid(fields) = &error else { return user_error(error) };
    let line = |fault: &FieldError| format!("{} {}", place(written, &fault.field), fault.message);
    anyhow!("{}", fields.iter().map(line).collect::<Vec<_>>().join("\n        "))
}

/// What an operator knows a field as.
fn place(written: Written, field: &str) -> String {
    match (written, field, field.strip_prefix("values.")) {
        (_, CONNECTION, _) => "the connection".to_owned(),
        (Written::AsFlags, ACCEPT_TEST_MONEY, _) => "--accept-test-money".to_owned(),
        (Written::AsFlags, "profile", _) => "--profile".to_owned(),
        (Written::AsFlags, "name", _) => "NAME".to_owned(),
        (Written::AsFlags, _, Some(value)) if is_any_secret(value) => format!("--file {value}"),
        (Written::AsFlags, _, Some(value)) => format!("--set {value} (or --file {value})"),
        (Written::InFile, ACCEPT_TEST_MONEY, _) => "accept_test_money".to_owned(),
        (_, field, value) => value.unwrap_or(field).to_owned(),
    }
}

fn is_any_secret(value: &str) -> bool {
    PROFILES.iter().any(|profile| has_secret(*profile, value))
}

/// Whether a profile has a secret of this name.
fn has_secret(profile: &dyn Profile, value: &str) -> bool {
    profile.fields().iter().any(|field| field.name == value && field.kind == FieldKind::Secret)
}

fn by() -> ActorContext {
    ActorContext::command_line()
}

fn test_money(accepted: bool) -> TestMoney {
    if accepted { TestMoney::Accept } else { TestMoney::Refuse }
}

fn pair(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').map(|(field, value)| (field.to_owned(), value.to_owned()));
    pair.ok_or_else(|| "must be FIELD=VALUE".to_owned())
}

fn environment(text: &str) -> Result<Environment, String> {
    Environment::parse(text).ok_or_else(|| "must be production or sandbox".to_owned())
}

fn rail(text: &str) -> Result<RailKind, String> {
    RailKind::parse(text).ok_or_else(|| "must be pix, boleto, card or payout".to_owned())
}
