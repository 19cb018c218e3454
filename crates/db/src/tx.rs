//! A running unit's handle: statements, one instant, new IDs.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::pin::pin;
use std::task::Poll;

use tokio::sync::broadcast;
use uuid::Uuid;

use crate::error::{Error, Result};
use crate::postgres::rows::Kind;
use crate::postgres::session::Session;
use crate::source::Sources;
use crate::sqlite::connection::Connection;
use crate::time::Timestamp;
use crate::value::{Arg, Row};

/// A notification for the rest of the process after the commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notice {
    /// The kind of change.
    pub topic: &'static str,
    /// The object that changed.
    pub id: Uuid,
}

/// A unit's hooks and notifications, run after its commit.
#[derive(Default)]
pub(crate) struct CommitHooks {
    notices: Vec<Notice>,
    hooks: Vec<Box<dyn FnOnce() + Send>>,
}

/// A running unit. It only reaches the database.
pub struct Tx {
    engine: Engine,
    sources: Sources,
    now: Cell<Timestamp>,
    statements: Cell<u64>,
    failure: RefCell<Option<Error>>,
    commit_hooks: RefCell<CommitHooks>,
    facts: RefCell<Vec<Box<dyn Any + Send>>>,
    is_rehearsal: Cell<bool>,
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
            commit_hooks: RefCell::default(),
            facts: RefCell::default(),
            is_rehearsal: Cell::default(),
        }
    }

    /// Resets a used `Tx` for the next unit.
    pub(crate) fn renew(&self) {
        self.now.set(self.sources.now());
        self.statements.set(0);
        self.failure.take();
        self.commit_hooks.take();
        self.facts.take();
        self.is_rehearsal.set(false);
    }

    /// Keeps what the unit notes; it is undone at its end.
    pub(crate) fn rehearse(&self) {
        self.is_rehearsal.set(true);
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    pub(crate) fn into_engine(self) -> Engine {
        self.engine
    }

    /// The first failed statement, if any; a unit with one is never committed.
    pub(crate) fn failure(&self) -> Option<Error> {
        self.failure.borrow().clone()
    }

    /// Whether a statement may have changed something on a database server.
    pub(crate) fn has_written(&self) -> bool {
        matches!(&self.engine, Engine::Postgres(session) if session.has_written())
    }

    pub(crate) fn take_commit_hooks(&self) -> CommitHooks {
        self.commit_hooks.take()
    }

    /// The instant of the whole unit.
    pub fn now(&self) -> Timestamp {
        self.now.get()
    }

    /// How many statements the unit has run, to check that two paths to a response cost the same.
    pub fn statements(&self) -> u64 {
        self.statements.get()
    }

    /// Whether no other unit can write concurrently, so that no lock is needed.
    pub fn writes_alone(&self) -> bool {
        matches!(self.engine, Engine::Sqlite(_))
    }

    /// Returns an ID greater than every earlier one.
    pub fn new_id(&self) -> Uuid {
        self.sources.new_id(self.now())
    }

    /// The smallest ID possible at an instant.
    pub fn first_id(&self, at: Timestamp) -> Uuid {
        self.sources.first_id(at)
    }

    /// Returns cryptographically random bytes.
    pub fn random<const N: usize>(&self) -> [u8; N] {
        self.sources.random()
    }

    /// Keeps what was read, for later parts of the unit; nothing in the unit may change it.
    pub fn remember(&self, fact: impl Any + Send) {
        self.facts.borrow_mut().push(Box::new(fact));
    }

    /// What an earlier part of the unit has read.
    pub fn recall<T: Any + Clone>(&self, is_wanted: impl Fn(&T) -> bool) -> Option<T> {
        let facts = self.facts.borrow();
        let mut facts = facts.iter().filter_map(|fact| fact.downcast_ref::<T>());
        facts.find(|fact| is_wanted(fact)).cloned()
    }

    /// Notes what the unit would change, if it is undone at its end.
    pub fn note_effect<T: Any + Send>(&self, effect: impl FnOnce() -> T) {
        if self.is_rehearsal.get() {
            self.remember(effect());
        }
    }

    /// What the unit has noted, of one kind.
    pub fn effects<T: Any + Clone>(&self) -> Vec<T> {
        let facts = self.facts.borrow();
        facts.iter().filter_map(|fact| fact.downcast_ref::<T>()).cloned().collect()
    }

    /// Notifies the process about `topic` and `id`, once, if and when the unit is committed.
    pub fn notify(&self, topic: &'static str, id: Uuid) {
        let notices = &mut self.commit_hooks.borrow_mut().notices;
        let notice = Notice { topic, id };
        if !notices.contains(&notice) {
            notices.push(notice);
        }
    }

    /// Runs a short hook that cannot fail, once, if and when the unit is committed.
    pub fn once_committed(&self, hook: impl FnOnce() + Send + 'static) {
        self.commit_hooks.borrow_mut().hooks.push(Box::new(hook));
    }

    /// Runs a statement; returns the number of rows it changed.
    ///
    /// A server's part is on the heap, here as below, so that units have small futures on both
    /// engines.
    pub async fn exec(&self, sql: &'static str, args: &[Arg<'_>]) -> Result<u64> {
        self.count();
        let done = match &self.engine {
            Engine::Sqlite(connection) => connection.exec(sql, args),
            Engine::Postgres(session) => Box::pin(session.exec(sql, args)).await,
        };
        self.note(done)
    }

    /// Runs a statement whose row count is not needed, without waiting for it where waiting costs.
    ///
    /// If it fails, the unit fails at the latest when it commits.
    pub async fn defer(&self, sql: &'static str, args: &[Arg<'_>]) -> Result<()> {
        self.count();
        let done = match &self.engine {
            Engine::Sqlite(connection) => exec_as(connection, Kind::Once, sql, args),
            Engine::Postgres(session) => Box::pin(session.defer(sql, args)).await,
        };
        self.note(done)
    }

    /// Inserts a row, together with others of any table, before the unit's next statement of
    /// another kind.
    ///
    /// The statement's only parameters are those of the row: `insert … values ($1, …) …`. If it
    /// fails, the unit fails at the latest when it commits.
    pub async fn insert_row(&self, sql: &'static str, args: &[Arg<'_>]) -> Result<()> {
        self.wait(Kind::Row, sql, args).await
    }

    /// Runs a statement whose row count is not needed, together with the rows that wait to be
    /// inserted, before the unit's next statement of another kind.
    ///
    /// It neither reads nor changes what they write, nor what another such statement writes. If it
    /// fails, the unit fails at the latest when it commits.
    pub async fn defer_with_rows(&self, sql: &'static str, args: &[Arg<'_>]) -> Result<()> {
        self.wait(Kind::Once, sql, args).await
    }

    /// The same for a statement that changes one row, as the unit has seen; see
    /// [`Self::expect_one`].
    pub async fn expect_one_with_rows(&self, sql: &'static str, args: &[Arg<'_>]) -> Result<()> {
        self.wait(Kind::ExpectsOne, sql, args).await
    }

    /// Runs a statement where that costs no trip; elsewhere it waits for others.
    async fn wait(&self, kind: Kind, sql: &'static str, args: &[Arg<'_>]) -> Result<()> {
        self.count();
        let done = match &self.engine {
            Engine::Sqlite(connection) => exec_as(connection, kind, sql, args),
            Engine::Postgres(session) => {
                session.wait(kind, sql, args).await;
                Ok(())
            }
        };
        self.note(done)
    }

    /// Sends what waits to be sent; if that fails, the unit has failed.
    pub(crate) async fn flush(&self) {
        if let Engine::Postgres(session) = &self.engine {
            // The failure is noted.
            let _ = self.note(Box::pin(session.flush()).await);
        }
    }

    /// Waits for everything that was sent; if a part of it fails, the unit has failed.
    pub(crate) async fn settle(&self) {
        if let Engine::Postgres(session) = &self.engine {
            let flushed = self.note(Box::pin(session.flush()).await);
            // Either failure is noted.
            let _ = flushed.and(self.note(session.settle().await));
        }
    }

    /// Runs a statement that changes one row, as the unit has seen, without waiting for it where
    /// waiting costs.
    ///
    /// If it does not, another unit came in between: this is a [`Error::Collision`], at the latest
    /// when the unit commits.
    pub async fn expect_one(&self, sql: &'static str, args: &[Arg<'_>]) -> Result<()> {
        self.count();
        let done = match &self.engine {
            Engine::Sqlite(connection) => exec_as(connection, Kind::ExpectsOne, sql, args),
            Engine::Postgres(session) => Box::pin(session.expect_one(sql, args)).await,
        };
        self.note(done)
    }

    /// Runs a statement that sets unique values which the unit has seen to be free; returns the
    /// number of rows it changed.
    ///
    /// If another unit has taken one of them meanwhile, this is a [`Error::Collision`]: when the
    /// unit is run again, it sees that they are taken.
    pub async fn exec_unique(&self, sql: &'static str, args: &[Arg<'_>]) -> Result<u64> {
        self.count();
        let done = match &self.engine {
            Engine::Sqlite(connection) => connection.exec(sql, args),
            Engine::Postgres(session) => Box::pin(session.exec_unique(sql, args)).await,
        };
        self.note(done)
    }

    /// Runs any number of statements without parameters that are not worth preparing.
    pub(crate) async fn batch(&self, sql: &str) -> Result<()> {
        let done = match &self.engine {
            Engine::Sqlite(connection) => connection.batch(sql),
            Engine::Postgres(session) => session.batch(sql).await,
        };
        self.note(done)
    }

    /// Lets each statement of the unit take as long as it needs, for work that no request waits
    /// for; a database server ends others after 15 seconds.
    pub async fn lift_time_limit(&self) -> Result<()> {
        if self.writes_alone() {
            return Ok(());
        }
        self.batch("set local statement_timeout = 0").await
    }

    /// Returns all rows.
    pub async fn all(&self, sql: &'static str, args: &[Arg<'_>]) -> Result<Vec<Row>> {
        self.count();
        let rows = match &self.engine {
            Engine::Sqlite(connection) => connection.all(sql, args),
            Engine::Postgres(session) => Box::pin(session.all(sql, args)).await,
        };
        self.note(rows)
    }

    /// Reads all rows where they may be many: on SQLite each is read as it comes.
    pub async fn all_as<T>(
        &self,
        sql: &'static str,
        args: &[Arg<'_>],
        read: impl Fn(&mut Row) -> Result<T>,
    ) -> Result<Vec<T>> {
        let Engine::Sqlite(connection) = &self.engine else {
            return self.all(sql, args).await?.iter_mut().map(read).collect();
        };
        self.count();
        let mut found = Vec::new();
        let mut push = |row: &mut Row| {
            found.push(read(row)?);
            Ok(())
        };
        self.note(connection.each(sql, args, &mut push))?;
        Ok(found)
    }

    /// Returns the only row, or none.
    pub async fn opt(&self, sql: &'static str, args: &[Arg<'_>]) -> Result<Option<Row>> {
        let mut rows = self.all(sql, args).await?;
        if rows.len() > 1 {
            return self
                .note(Err(Error::Row(format!("{} rows, not one, from: {sql}", rows.len()))));
        }
        Ok(rows.pop())
    }

    /// Returns the only row.
    pub async fn one(&self, sql: &'static str, args: &[Arg<'_>]) -> Result<Row> {
        let row = self.opt(sql, args).await?;
        self.note(row.ok_or_else(|| Error::Row(format!("no row from: {sql}"))))
    }

    /// Reports that another unit changed what this one has read; the engine retries this one.
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

impl CommitHooks {
    /// Runs the hooks; the unit is committed.
    pub(crate) fn run(self, receivers: &broadcast::Sender<Notice>) {
        for notice in self.notices {
            // No subscriber is fine: a notification is a hint, the rows are the source of truth.
            let _ = receivers.send(notice);
        }
        for hook in self.hooks {
            hook();
        }
    }
}

/// Runs at once what a database server may be sent later.
fn exec_as(connection: &Connection, kind: Kind, sql: &'static str, args: &[Arg<'_>]) -> Result<()> {
    let rows = connection.exec(sql, args)?;
    if kind == Kind::ExpectsOne && rows != 1 {
        return Err(Error::not_one_row(sql));
    }
    Ok(())
}

/// Polls a future that must be ready immediately, as every unit on SQLite is.
pub(crate) fn poll_once<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match pin!(future).poll(&mut context) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}
