//! What a unit holds while it runs: statements, one instant, fresh ids.

use std::cell::{Cell, RefCell};
use std::pin::pin;
use std::task::Poll;

use tokio::sync::broadcast;
use uuid::Uuid;

use crate::error::{Error, Result};
use crate::postgres::session::Session;
use crate::source::Sources;
use crate::sqlite::connection::Connection;
use crate::time::Timestamp;
use crate::value::{Arg, Row};

/// Something to tell the rest of the process once the unit is committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notice {
    /// What kind of thing happened.
    pub topic: &'static str,
    /// To which object.
    pub id: Uuid,
}

/// What a unit wants to have happened once it is committed.
#[derive(Default)]
pub(crate) struct Aftermath {
    notices: Vec<Notice>,
    deeds: Vec<Box<dyn FnOnce() + Send>>,
}

/// One unit at work. Nothing of the world but the database can be reached from it.
pub struct Tx {
    engine: Engine,
    sources: Sources,
    now: Cell<Timestamp>,
    statements: Cell<u64>,
    failure: RefCell<Option<Error>>,
    aftermath: RefCell<Aftermath>,
}

pub(crate) enum Engine {
    Sqlite(Connection),
    Postgres(Session),
}

impl Tx {
    pub(crate) fn new(engine: Engine, sources: Sources) -> Self {
        let now = Cell::new(sources.now());
        Self {
            engine,
            sources,
            now,
            statements: Cell::default(),
            failure: RefCell::default(),
            aftermath: RefCell::default(),
        }
    }

    /// Makes a used `Tx` fit for the next unit.
    pub(crate) fn renew(&self) {
        self.now.set(self.sources.now());
        self.statements.set(0);
        self.failure.take();
        self.aftermath.take();
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    pub(crate) fn into_engine(self) -> Engine {
        self.engine
    }

    /// The first failed statement, if any; a unit that has one is never kept.
    pub(crate) fn failure(&self) -> Option<Error> {
        self.failure.borrow().clone()
    }

    pub(crate) fn take_aftermath(&self) -> Aftermath {
        self.aftermath.take()
    }

    /// The instant of the whole unit.
    pub fn now(&self) -> Timestamp {
        self.now.get()
    }

    /// How many statements the unit has run; tells whether two ways to an answer are equally long.
    pub fn statements(&self) -> u64 {
        self.statements.get()
    }

    /// Whether no other unit writes meanwhile, so that nothing needs to be held against one.
    pub fn writes_alone(&self) -> bool {
        matches!(self.engine, Engine::Sqlite(_))
    }

    /// Makes an id greater than every earlier one.
    pub fn new_id(&self) -> Uuid {
        self.sources.new_id(self.now())
    }

    /// The least id that could have been made at an instant.
    pub fn first_id(&self, at: Timestamp) -> Uuid {
        self.sources.first_id(at)
    }

    /// Gives random bytes that nobody can guess.
    pub fn random<const N: usize>(&self) -> [u8; N] {
        self.sources.random()
    }

    /// Tells the process about `topic` and `id` if and when the unit is committed.
    pub fn notify(&self, topic: &'static str, id: Uuid) {
        self.aftermath.borrow_mut().notices.push(Notice { topic, id });
    }

    /// Does something short that cannot fail if and when the unit is committed, once.
    pub fn once_committed(&self, deed: impl FnOnce() + Send + 'static) {
        self.aftermath.borrow_mut().deeds.push(Box::new(deed));
    }

    /// Runs a statement; answers how many rows it changed.
    pub async fn exec(&self, sql: &'static str, args: &[Arg<'_>]) -> Result<u64> {
        self.count();
        let done = match &self.engine {
            Engine::Sqlite(connection) => connection.exec(sql, args),
            Engine::Postgres(session) => session.exec(sql, args).await,
        };
        self.note(done)
    }

    /// Runs a statement whose row count nobody needs, without waiting for it where waiting costs.
    ///
    /// Its failure fails the unit at the latest when it commits.
    pub async fn defer(&self, sql: &'static str, args: &[Arg<'_>]) -> Result<()> {
        self.count();
        let done = match &self.engine {
            Engine::Sqlite(connection) => connection.exec(sql, args).map(|_| ()),
            Engine::Postgres(session) => session.defer(sql, args).await,
        };
        self.note(done)
    }

    /// Runs any number of statements that take no parameters and are not worth keeping prepared.
    pub(crate) async fn batch(&self, sql: &str) -> Result<()> {
        let done = match &self.engine {
            Engine::Sqlite(connection) => connection.batch(sql),
            Engine::Postgres(session) => session.batch(sql).await,
        };
        self.note(done)
    }

    /// Gives every row.
    pub async fn all(&self, sql: &'static str, args: &[Arg<'_>]) -> Result<Vec<Row>> {
        self.count();
        let rows = match &self.engine {
            Engine::Sqlite(connection) => connection.all(sql, args),
            Engine::Postgres(session) => session.all(sql, args).await,
        };
        self.note(rows)
    }

    /// Gives the only row, or none.
    pub async fn opt(&self, sql: &'static str, args: &[Arg<'_>]) -> Result<Option<Row>> {
        let mut rows = self.all(sql, args).await?;
        if rows.len() > 1 {
            return self
                .note(Err(Error::Row(format!("{} rows, not one, from: {sql}", rows.len()))));
        }
        Ok(rows.pop())
    }

    /// Gives the only row.
    pub async fn one(&self, sql: &'static str, args: &[Arg<'_>]) -> Result<Row> {
        let row = self.opt(sql, args).await?;
        self.note(row.ok_or_else(|| Error::Row(format!("no row from: {sql}"))))
    }

    /// Says that another unit changed what this one had read; the engine runs this one again.
    pub fn collision(&self, what: &str) -> Error {
        let error = Error::Collision(what.to_owned());
        self.failure.borrow_mut().get_or_insert_with(|| error.clone());
        error
    }

    fn count(&self) {
        self.statements.set(self.statements.get().saturating_add(1));
    }

    fn note<T>(&self, result: Result<T>) -> Result<T> {
        if let Err(error) = &result {
            self.failure.borrow_mut().get_or_insert_with(|| error.clone());
        }
        result
    }
}

impl Aftermath {
    /// Lets it happen; the unit is committed.
    pub(crate) fn happen(self, hears: &broadcast::Sender<Notice>) {
        for notice in self.notices {
            // Nobody listening is fine: a notice is a hint, the rows are the truth.
            let _ = hears.send(notice);
        }
        for deed in self.deeds {
            deed();
        }
    }
}

/// Polls a future that must be ready at once, as every unit on SQLite is.
pub(crate) fn poll_once<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match pin!(future).poll(&mut context) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}
