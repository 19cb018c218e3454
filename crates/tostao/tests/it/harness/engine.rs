//! The database itself, beside the product: for what only the engine knows.

use db::database::Dialect;
use db::hints::on_postgres;
use tokio::task::{JoinHandle, yield_now};
use tokio_postgres::types::Type;
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

use crate::harness::TestApp;

/// What the product's own layer sends and reads on PostgreSQL.
const SPOKEN: [Type; 6] = [Type::BOOL, Type::INT8, Type::INT4, Type::TEXT, Type::UUID, Type::BYTEA];

/// A connection of the test's own.
pub enum Engine {
    Sqlite(rusqlite::Connection),
    Postgres { client: Client, driver: JoinHandle<()> },
}

impl Engine {
    /// Opens the database of a product.
    pub async fn open(test: &TestApp) -> Self {
        let url = &test.app.settings.storage.database_url;
        if let Some(path) = url.strip_prefix("sqlite:") {
            return Self::Sqlite(rusqlite::Connection::open(path).expect("opens"));
        }
        Self::connect(url).await
    }

    /// Which engine it is.
    pub fn dialect(&self) -> Dialect {
        match self {
            Self::Sqlite(_) => Dialect::Sqlite,
            Self::Postgres { .. } => Dialect::Postgres,
        }
    }

    /// Prepares a statement as the product does, without running it; says what is wrong with it.
    pub async fn prepare(&self, sql: &str) -> Result<(), String> {
        match self {
            Self::Sqlite(connection) => {
                let prepared = connection.prepare(&sql.replace('$', "?"));
                prepared.map(|_| ()).map_err(|error| error.to_string())
            }
            Self::Postgres { client, .. } => {
                let sql = on_postgres(sql);
                let prepared = client.prepare(&sql).await.map_err(|error| format!("{error:?}"))?;
                let columns = prepared.columns().iter().map(tokio_postgres::Column::type_);
                let foreign = prepared.params().iter().chain(columns);
                match foreign.into_iter().find(|kind| !SPOKEN.contains(kind)) {
                    Some(kind) => Err(format!("a parameter or column is a {kind}; cast it")),
                    None => Ok(()),
                }
            }
        }
    }

    /// The steps by which SQLite would run a statement; the other engine plans by its numbers.
    pub fn plan(&self, sql: &str) -> Vec<String> {
        match self {
            Self::Sqlite(connection) => {
                let explain = format!("explain query plan {}", sql.replace('$', "?"));
                let mut statement = connection.prepare(&explain).expect("is SQL");
                let steps = statement.raw_query().mapped(|row| row.get("detail"));
                steps.map(|step| step.expect("is text")).collect()
            }
            Self::Postgres { .. } => Vec::new(),
        }
    }

    /// The steps by which either engine would run a statement, whatever its parameters.
    pub async fn plan_for_any(&self, sql: &str) -> Vec<String> {
        if self.dialect() == Dialect::Sqlite {
            return self.plan(sql);
        }
        let parameters = (1..).take_while(|number| sql.contains(&format!("${number}")));
        let nothing = vec!["null"; parameters.count()].join(", ");
        let explain = format!(
            "deallocate all; set plan_cache_mode = force_generic_plan; prepare asked as {sql};
             explain execute asked({nothing})",
            sql = on_postgres(sql)
        );
        self.rows(&explain).await.concat()
    }

    /// Runs a query without parameters; gives each row as its columns' texts.
    pub async fn rows(&self, sql: &str) -> Vec<Vec<String>> {
        match self {
            Self::Sqlite(connection) => {
                let mut statement = connection.prepare(sql).expect("is SQL");
                let width = statement.column_count();
                let read = |row: &rusqlite::Row<'_>| (0..width).map(|i| row.get(i)).collect();
                let rows = statement.query_map([], read).expect("runs");
                rows.map(|row| row.expect("is text")).collect()
            }
            Self::Postgres { client, .. } => {
                let messages = client.simple_query(sql).await.expect("runs");
                let rows = messages.iter().filter_map(|message| match message {
                    SimpleQueryMessage::Row(row) => Some(row),
                    _ => None,
                });
                let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
                rows.map(|row| (0..row.len()).map(|i| text(row.get(i))).collect()).collect()
            }
        }
    }

    /// Waits until so many units wait for a row of another one, where units run side by side.
    pub async fn until_waiting(&self, units: usize) {
        let waits = "select count(*)::text from pg_stat_activity
                      where datname = current_database() and wait_event_type = 'Lock'";
        while self.rows(waits).await != [[units.to_string()]] {
            yield_now().await;
        }
    }

    /// Keeps the units that write waiting where one at a time does, for less than they wait.
    pub async fn hold_writer(&self) {
        self.rows(match self.dialect() {
            Dialect::Sqlite => "begin immediate",
            Dialect::Postgres => "begin",
        })
        .await;
    }

    /// Lets them go on.
    pub async fn release_writer(&self) {
        self.rows("rollback").await;
    }

    #[expect(clippy::disallowed_methods, reason = "drives the connection beside the test")]
    async fn connect(url: &str) -> Self {
        let (client, connection) =
            tokio_postgres::connect(url, NoTls).await.expect("PostgreSQL answers");
        let driver = tokio::spawn(async move {
            connection.await.expect("the connection closes");
        });
        Self::Postgres { client, driver }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        if let Self::Postgres { driver, .. } = self {
            driver.abort();
        }
    }
}
