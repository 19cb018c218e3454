//! A database of its own for every test: a copy of a migrated one.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use clap::Parser;
use tempfile::TempDir;
use tokio::sync::OnceCell;
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};
use tostao::app::App;
use tostao::platform::config::{PasswordCost, Settings};
use tostao::platform::system_clock;

/// The secret of every product under test.
pub const SECRET: &str = "a secret for tests, longer than thirty-two characters";

/// What the name of every test's database begins with; when its process began follows.
const PREFIX: &str = "tostao_it_";
/// Longer than any test run.
const RUN_SECONDS_MAX: i64 = 6 * 3600;

static TEMPLATE: OnceCell<Template> = OnceCell::const_new();
static NUMBER: AtomicU64 = AtomicU64::new(0);

/// A test's own database.
pub enum TestDatabase {
    Sqlite(TempDir),
    Postgres { server: String, name: String },
}

/// A migrated database that tests copy.
enum Template {
    Sqlite { path: PathBuf, _folder: TempDir },
    Postgres { server: String, name: String },
}

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    settings: Settings,
}

impl TestDatabase {
    pub async fn create() -> Self {
        match TEMPLATE.get_or_init(Template::create).await {
            Template::Sqlite { path, .. } => {
                let folder = tempfile::tempdir().expect("a folder can be made");
                std::fs::copy(path, folder.path().join("tostao.db")).expect("copies");
                Self::Sqlite(folder)
            }
            Template::Postgres { server, name: template } => {
                let name = format!("{template}_{}", NUMBER.fetch_add(1, Ordering::SeqCst));
                // Copying its files takes half of what copying its pages through the log does.
                let copy = format!("create database {name} template {template} strategy file_copy");
                run(server, &copy).await;
                Self::Postgres { server: server.clone(), name }
            }
        }
    }

    pub fn settings(&self) -> Settings {
        settings(&match self {
            Self::Sqlite(folder) => format!("sqlite:{}/tostao.db", folder.path().display()),
            Self::Postgres { server, name } => in_database(server, name),
        })
    }

    pub async fn drop(self) {
        if let Self::Postgres { server, name } = self {
            run(&server, &format!("drop database {name} with (force)")).await;
        }
    }
}

impl Template {
    async fn create() -> Self {
        match server() {
            None => {
                let folder = tempfile::tempdir().expect("a folder can be made");
                let migrated = folder.path().join("migrated.db");
                migrate(&format!("sqlite:{}", migrated.display())).await;
                // Its threads may still be closing it, so that its file alone is not the whole.
                let path = folder.path().join("tostao.db");
                let connection = rusqlite::Connection::open(migrated).expect("opens");
                let copied = connection.execute("vacuum into ?1", [path.to_str()]);
                copied.expect("copies");
                Self::Sqlite { path, _folder: folder }
            }
            Some(server) => {
                drop_leftovers(&server).await;
                let name = own_name();
                run(&server, &format!("create database {name}")).await;
                migrate(&in_database(&server, &name)).await;
                Self::Postgres { server, name }
            }
        }
    }
}

/// Settings as the command line makes them, for a database.
pub fn settings(database_url: &str) -> Settings {
    let flags = [
        "test",
        "--database-url",
        database_url,
        "--secret-key",
        SECRET,
        "--checkout-url",
        "https://pay.example.com",
        "--base-url",
        "https://api.example.com",
        "--rate-limits",
        "off",
        "--allow-local-webhooks",
    ];
    let settings = Line::parse_from(flags).settings;
    // No attacker tries these passwords, and hashing them would take a third of the tests' time.
    Settings { password_cost: PasswordCost { memory_kib: 8, passes: 1 }, ..settings }
}

async fn migrate(url: &str) {
    let app = App::open(settings(url), system_clock::system()).expect("opens");
    app.migrate().await.expect("migrates");
    drop(app);
}

#[expect(clippy::disallowed_methods, reason = "reads which database the tests run on")]
fn server() -> Option<String> {
    std::env::var("TOSTAO_TEST_DATABASE_URL").ok()
}

fn in_database(server: &str, name: &str) -> String {
    let (base, _) = server.rsplit_once('/').expect("the address names a database");
    format!("{base}/{name}")
}

/// The name of this process's databases: when it started, so that others know how old they are,
/// and chance, because two machines may have the same process.
fn own_name() -> String {
    let chance = u32::from_le_bytes(system_clock::system().random());
    format!("{PREFIX}{}_{}_{chance:08x}", seconds_now(), std::process::id())
}

/// Drops the databases of test processes that have ended; none of them could do it at its end.
///
/// Several machines may share a server, so only a database's age decides: no test run takes so
/// long.
async fn drop_leftovers(server: &str) {
    let oldest = seconds_now() - RUN_SECONDS_MAX;
    for name in run(server, "select datname from pg_database").await {
        if began(&name).is_some_and(|began| began < oldest) {
            // Another process may be just as tidy.
            run(server, &format!("drop database if exists {name} with (force)")).await;
        }
    }
}

/// When the process began that made a database; `None` if that was no test.
fn began(name: &str) -> Option<i64> {
    name.strip_prefix(PREFIX)?.split('_').next()?.parse().ok()
}

/// By the machine's clock: a database has its age in whatever time a test plays.
fn seconds_now() -> i64 {
    system_clock::system().now().micros() / 1_000_000
}

/// Runs statements; gives the first column of their rows.
async fn run(server: &str, sql: &str) -> Vec<String> {
    try_run(server, sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"))
}

/// The same on a server that may fail.
#[expect(clippy::disallowed_methods, reason = "drives the connection beside the test")]
pub async fn try_run(server: &str, sql: &str) -> Result<Vec<String>, tokio_postgres::Error> {
    let (client, connection): (Client, _) = tokio_postgres::connect(server, NoTls).await?;
    let driver = tokio::spawn(connection);
    let answers = client.simple_query(sql).await;
    drop(client);
    driver.await.expect("the driver ends")?;
    let answers = answers?;
    let rows = answers.iter().filter_map(|answer| match answer {
        SimpleQueryMessage::Row(row) => row.get(0).map(ToOwned::to_owned),
        _ => None,
    });
    Ok(rows.collect())
}
