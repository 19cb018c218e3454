//! A separate database for each test, with a reproducible clock and reproducible randomness.

use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use db::args;
use db::database::{Database, Dialect};
use db::error::{Error, Result};
use db::migrations::{Migration, apply};
use db::source::{Clock, Entropy, Sources};
use db::time::Timestamp;
use db::tx::Tx;
use futures_util::FutureExt;
use futures_util::future::{Either, select};
use tempfile::TempDir;
use tokio::runtime::Builder;
use tokio_postgres::{Client, NoTls};
use uuid::Uuid;

/// Every test has this table.
const SCHEMA: &[Migration] = &[Migration {
    name: "0000_things",
    sql: "create table things (
              id {int} primary key,
              amount {int} not null check (amount >= 0)
          ) {heap};",
}];

/// Why a test's unit was not committed.
#[derive(Debug)]
pub enum Refusal {
    /// It decided so.
    Own,
    /// The database did.
    Database(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Database(error)
    }
}

/// A running database and where it is.
pub struct Test {
    pub db: Database,
    pub url: String,
}

/// Runs a story on a new database.
pub fn story(body: impl AsyncFnOnce(&Test)) {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(with_database(async |test| body(&test).await));
}

/// Runs a test on a new database, which is removed afterwards in any case.
pub async fn with_database(body: impl AsyncFnOnce(Test)) {
    match server_url() {
        Some(server) => with_server(&server, body).await,
        None => with_file(async |test, _| body(test).await).await,
    }
}

/// Runs a test on SQLite, whichever engine the others use.
pub async fn with_file(body: impl AsyncFnOnce(Test, PathBuf)) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("test.db");
    let url = format!("sqlite:{}", path.display());
    body(Test::open(&url).await, path).await;
}

/// The server that the tests run on, if any.
#[expect(clippy::disallowed_methods, reason = "the test run is configured by its environment")]
pub fn server_url() -> Option<String> {
    std::env::var("TOSTAO_TEST_DATABASE_URL").ok()
}

async fn with_server(server: &str, body: impl AsyncFnOnce(Test)) {
    static MADE: AtomicU64 = AtomicU64::new(0);
    let number = MADE.fetch_add(1, Ordering::Relaxed);
    let name = format!("db_it_{}_{number}", std::process::id());
    let maintenance = client(server).await;
    maintenance.batch_execute(&format!("create database {name}")).await.unwrap();
    let (base, _) = server.rsplit_once('/').expect("an address with a database");
    let url = format!("{base}/{name}");
    let outcome = AssertUnwindSafe(async { body(Test::open(&url).await).await });
    let outcome = outcome.catch_unwind().await;
    let dropped = maintenance.batch_execute(&format!("drop database {name} with (force)")).await;
    outcome.unwrap_or_else(|panic| resume_unwind(panic));
    dropped.unwrap();
}

/// Opens a connection that bypasses the layer under test.
#[expect(clippy::disallowed_methods, reason = "the driver wants its connection driven")]
pub async fn client(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

/// Runs a statement without an end.
pub async fn again_and_again(client: &Client, sql: &str) -> Infallible {
    loop {
        client.query(sql, &[]).await.unwrap();
    }
}

/// Awaits an answer beside what has no end.
pub async fn beside<T>(
    answer: impl Future<Output = T>,
    endless: impl Future<Output = Infallible>,
) -> T {
    let (answer, endless) = (pin!(answer), pin!(endless));
    let Either::Left((answer, _)) = select(answer, endless).await;
    answer
}

impl Test {
    async fn open(url: &str) -> Self {
        let db = Database::open(url, sources()).unwrap();
        apply(&db, SCHEMA).await.unwrap();
        Self { db, url: url.to_owned() }
    }

    pub fn is_sqlite(&self) -> bool {
        self.db.dialect() == Dialect::Sqlite
    }

    /// Runs a unit.
    pub async fn unit<T: Send + 'static>(
        &self,
        unit: impl AsyncFn(&Tx) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        self.db.transact(unit).await
    }

    /// Runs a unit with a key; all keys share one queue.
    pub async fn unit_of<T: Send + 'static>(
        &self,
        of: i64,
        unit: impl AsyncFn(&Tx) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        self.db.transact_for(key(of), unit).await
    }

    /// Runs one statement in a unit.
    pub async fn exec(&self, sql: &'static str) -> Result<u64> {
        self.db.transact(async move |tx: &Tx| tx.exec(sql, &[]).await).await
    }

    /// Returns the IDs of all rows, in order.
    pub async fn ids(&self) -> Vec<i64> {
        let unit = async |tx: &Tx| {
            let rows = tx.all("select id from things order by id", &[]).await?;
            rows.into_iter().map(|mut row| row.take()).collect::<Result<Vec<i64>>>()
        };
        self.db.read(unit).await.unwrap()
    }

    /// Asserts that units still run, on every connection there may be.
    pub async fn assert_serves(&self) {
        for _ in 0..40 {
            let unit = async |tx: &Tx| {
                insert(tx, 777_777).await?;
                tx.exec("delete from things where id = $1", args![777_777_i64]).await?;
                Ok(())
            };
            self.unit(unit).await.unwrap();
        }
    }
}

/// Keys that go to the same lane, however many there are.
pub fn key(of: i64) -> Uuid {
    Uuid::from_u64_pair(0, u64::try_from(of).unwrap() * 720_720)
}

/// A clock that advances a millisecond with every read, and randomness that counts.
pub fn sources() -> Sources {
    struct Ticking(AtomicI64);
    impl Clock for Ticking {
        fn now(&self) -> Timestamp {
            Timestamp::from_micros(self.0.fetch_add(1000, Ordering::Relaxed))
        }
    }
    struct Counting(AtomicU64);
    impl Entropy for Counting {
        fn fill(&self, buffer: &mut [u8]) {
            let count = self.0.fetch_add(1, Ordering::Relaxed).to_le_bytes();
            buffer.iter_mut().zip(count.into_iter().cycle()).for_each(|(to, from)| *to = from);
        }
    }
    let clock = Ticking(AtomicI64::new(1_795_291_200_000_000));
    Sources::new(Arc::new(clock), Arc::new(Counting(AtomicU64::new(0))))
}

/// Inserts a thing.
pub async fn insert(tx: &Tx, id: i64) -> Result<u64> {
    tx.exec("insert into things (id, amount) values ($1, 0)", args![id]).await
}
