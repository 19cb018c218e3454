//! One connection while it serves a unit: cached statements, pipelined writes.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::future::Future;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures_util::future::join_all;
use futures_util::{StreamExt, pin_mut};
use tokio::sync::Mutex;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::error::{Error, Result};
use crate::hints::on_postgres;
use crate::postgres::calls::{Call, FailedCall, Sent, poll_now};
use crate::postgres::rows::{Batch, Kind, Part, WaitingRows};
use crate::postgres::traffic::{Counter, Waiting};
use crate::postgres::wire::{message_of, owned, refused, row_of};
use crate::value::{Arg, Row};

/// No server timeout limits a commit that waits for a standby.
const COMMIT_TIME_MAX: Duration = Duration::from_secs(5);
/// What was sent before the commit has the server's limits; a server that does not answer has none.
const SENT_TIME_MAX: Duration = Duration::from_secs(20);
const STATEMENTS_CACHED_MAX: usize = 1024;
/// A statement goes before the commit, because the server answers the commit of a failed
/// transaction with a silent rollback: then the statement fails, and the rest is not executed.
const COMMIT: &str = "select 1; commit";

/// No unit of a group keeps the others waiting for long, for a row or by reading much: it is then
/// run apart from them.
const BEGIN_GROUP: &str = "begin; set local lock_timeout = 50; set local statement_timeout = 300";
const SAVEPOINT: &str = "savepoint unit";
const RELEASE: &str = "release savepoint unit";
const UNDO: &str = "rollback to savepoint unit; release savepoint unit";

/// A connection and its prepared statements; it outlives a unit.
pub struct Link {
    client: Client,
    statements: RefCell<HashMap<Key, Statement>>,
    counter: Arc<Counter>,
    waiting: Waiting,
}

impl Link {
    pub fn new(client: Client, counter: Arc<Counter>) -> Self {
        let (statements, waiting) = (RefCell::default(), Waiting::default());
        Self { client, statements, counter, waiting }
    }

    /// Waits for the answer to a call.
    async fn answer<T>(&self, call: impl Future<Output = T>) -> T {
        let _wait = self.counter.wait(&self.waiting);
        call.await
    }

    /// The same for a call that is sent only now.
    async fn ask<T>(&self, call: impl Future<Output = T>) -> T {
        self.counter.message();
        self.answer(call).await
    }

    pub fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// Asks the server to cancel the running statement, over a separate connection.
    pub async fn cancel(&self, tls: MakeRustlsConnect) -> Result<(), tokio_postgres::Error> {
        self.client.cancel_token().cancel_query(tls).await
    }
}

/// What a prepared statement is made of.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    /// A text, by its address and length.
    Text(usize, usize),
    /// Such texts, with what becomes of each and for how many rows.
    Batch(Vec<(usize, usize, Kind, usize)>),
}

impl Key {
    fn of_text(sql: &'static str) -> Self {
        Self::Text(sql.as_ptr() as usize, sql.len())
    }

    fn of_batch(batch: &Batch) -> Self {
        let part =
            |Part { kind, sql, rows }: &Part| (sql.as_ptr() as usize, sql.len(), *kind, *rows);
        Self::Batch(batch.parts.iter().map(part).collect())
    }
}

pub struct Session {
    link: Rc<Link>,
    /// Sent before the next statement; while they are, other statements wait.
    rows: Mutex<WaitingRows>,
    /// Sent and not waited for; the sessions of a group share them.
    on_their_way: Rc<RefCell<Sent>>,
    /// Rows were taken to be sent, and it is not known whether they were.
    is_flushing: Cell<bool>,
    opened: Cell<bool>,
    has_written: Cell<bool>,
    /// How many statements were sent whose answer, whether they changed a row, was not read.
    unanswered: Cell<usize>,
    /// It changes nothing.
    only_reads: bool,
    /// The only statement is committed by itself.
    commits_each: bool,
    /// Such a statement was sent.
    is_sent: Cell<bool>,
    /// It was refused, so that nothing was written.
    is_refused: Cell<bool>,
}

impl Session {
    /// A session that reads one snapshot and writes nothing.
    pub fn reading(link: Rc<Link>) -> Result<Self> {
        let begin = "begin isolation level repeatable read, read only";
        Ok(Self { only_reads: true, ..Self::open(link, begin)? })
    }

    /// A session whose statements commit together.
    pub fn writing(link: Rc<Link>) -> Result<Self> {
        Self::open(link, "begin")
    }

    /// A session that is committed with those of its members.
    pub fn group(link: Rc<Link>) -> Result<Self> {
        Self::open(link, BEGIN_GROUP)
    }

    /// A session in a group's transaction, which another session begins and ends.
    pub fn member(&self) -> Self {
        let on_their_way = self.on_their_way.clone();
        Self { on_their_way, ..Self::on(self.link.clone(), false) }
    }

    /// From here on what was done can be undone without the rest of the transaction.
    pub fn set_savepoint(&self) -> Result<()> {
        self.send(command(self.link.clone(), SAVEPOINT))
    }

    /// Keeps what was done since the savepoint.
    pub fn keep(&self) -> Result<()> {
        self.send(command(self.link.clone(), RELEASE))
    }

    /// Undoes what was done since the savepoint, also if some of it failed.
    pub async fn undo(&self) -> Result<()> {
        let undo = command(self.link.clone(), UNDO);
        Ok(self.link.ask(undo).await?)
    }

    /// Waits for everything that was sent; the first failure is returned.
    pub async fn settle(&self) -> Result<()> {
        let sent = self.take_sent();
        if sent.is_empty() {
            return Ok(());
        }
        let answers = self.link.answer(join_all(sent)).await;
        let settled = answers.into_iter().collect::<Result<(), FailedCall>>();
        settled.map_err(|failed| self.meant(failed.into()))?;
        self.check_start()
    }

    fn take_sent(&self) -> Vec<Call> {
        std::mem::take(&mut self.on_their_way.borrow_mut().calls)
    }

    /// Fails if a later statement was answered and the transaction did not start, as behind a
    /// pooler that had no server for `begin`: each statement was then committed by itself.
    pub fn check_start(&self) -> Result<()> {
        match self.on_their_way.borrow_mut().not_started() {
            None => Ok(()),
            Some(why) if self.only_reads => Err(Error::Unavailable(why.into())),
            Some(why) => Err(Error::Unknown(format!("a transaction did not begin: {why}"))),
        }
    }

    /// A session for statements that read, without a transaction.
    #[expect(clippy::unnecessary_wraps, reason = "sessions are opened alike")]
    pub fn bare(link: Rc<Link>) -> Result<Self> {
        Ok(Self::on(link, false))
    }

    /// A session for one statement that writes, without a transaction around it.
    #[expect(clippy::unnecessary_wraps, reason = "sessions are opened alike")]
    pub fn single(link: Rc<Link>) -> Result<Self> {
        Ok(Self { commits_each: true, ..Self::on(link, false) })
    }

    fn on(link: Rc<Link>, opened: bool) -> Self {
        let (rows, on_their_way) = (Mutex::default(), Rc::default());
        let (opened, has_written, commits_each) = (Cell::new(opened), Cell::default(), false);
        let (unanswered, only_reads) = (Cell::default(), false);
        let (is_flushing, is_sent, is_refused) =
            (Cell::default(), Cell::default(), Cell::default());
        Self {
            link,
            rows,
            on_their_way,
            is_flushing,
            opened,
            has_written,
            unanswered,
            only_reads,
            commits_each,
            is_sent,
            is_refused,
        }
    }

    /// Whether a statement was sent that may have changed something.
    pub fn has_written(&self) -> bool {
        self.has_written.get() || self.unanswered.get() > 0
    }

    /// Whether the only statement may have been committed by itself.
    pub fn may_be_committed(&self) -> bool {
        self.commits_each && self.is_sent.get() && !self.is_refused.get()
    }

    /// `begin` is pipelined with the first statement.
    fn open(link: Rc<Link>, begin: &'static str) -> Result<Self> {
        let session = Self::on(link, true);
        session.send(command(session.link.clone(), begin))?;
        {
            let mut sent = session.on_their_way.borrow_mut();
            sent.begin = sent.calls.pop();
        }
        Ok(session)
    }

    /// Inserts a row, or runs a statement, at the latest when [`Self::flush`] is called.
    pub async fn wait(&self, kind: Kind, sql: &'static str, args: &[Arg<'_>]) {
        self.has_written.set(true);
        self.rows.lock().await.push(kind, sql, args);
    }

    /// Sends what waits; every other statement comes after it.
    pub async fn flush(&self) -> Result<()> {
        let mut waiting = self.rows.lock().await;
        if self.is_flushing.get() {
            return Err(Error::Unavailable("rows were dropped while they were sent".into()));
        }
        let batches = waiting.take();
        self.is_flushing.set(!batches.is_empty());
        for batch in batches {
            self.send_batch(batch).await?;
        }
        self.is_flushing.set(false);
        Ok(())
    }

    async fn send_batch(&self, batch: Batch) -> Result<()> {
        self.has_written.set(true);
        let statement = self.prepared(Key::of_batch(&batch), || batch.text()).await?;
        self.send_later(statement, batch)
    }

    pub async fn exec(&self, sql: &'static str, args: &[Arg<'_>]) -> Result<u64> {
        let statement = self.statement(sql).await?;
        match self.execute(&statement, args).await {
            Ok(rows) => self.noted(rows, sql),
            Err(error) => Err(self.cause(&error, sql).await),
        }
    }

    /// A caller that goes away meanwhile leaves it unanswered.
    async fn execute(
        &self,
        statement: &Statement,
        args: &[Arg<'_>],
    ) -> Result<u64, tokio_postgres::Error> {
        self.unanswered.update(|count| count + 1);
        let call = self.link.client.execute_raw(statement, args.iter().copied());
        let answer = self.link.ask(call).await;
        self.unanswered.update(|count| count - 1);
        answer
    }

    /// The same for a statement whose unique values the unit has seen to be free.
    pub async fn exec_unique(&self, sql: &'static str, args: &[Arg<'_>]) -> Result<u64> {
        let statement = self.statement(sql).await?;
        match self.execute(&statement, args).await {
            Ok(rows) => self.noted(rows, sql),
            Err(error) if error.code() == Some(&SqlState::UNIQUE_VIOLATION) => {
                Err(self.meant(Error::taken(sql)))
            }
            Err(error) => Err(self.cause(&error, sql).await),
        }
    }

    /// Notes that a statement has written, unless it changed no row: then there is nothing to undo.
    fn noted(&self, rows: u64, sql: &str) -> Result<u64> {
        // The parts of one that begins otherwise may have changed rows that it does not count.
        let counts_all = ["select", "insert", "update", "delete"];
        let is_counted = counts_all.iter().any(|verb| sql.trim_ascii_start().starts_with(verb));
        if rows > 0 || !is_counted {
            self.has_written.set(true);
        }
        self.check_start().map(|()| rows)
    }

    pub async fn defer(&self, sql: &'static str, args: &[Arg<'_>]) -> Result<()> {
        self.has_written.set(true);
        let statement = self.statement(sql).await?;
        self.send_later(statement, Batch::of(Kind::Once, sql, owned(args)))
    }

    /// Defers a statement that fails the transaction unless it changes one row.
    pub async fn expect_one(&self, sql: &'static str, args: &[Arg<'_>]) -> Result<()> {
        self.flush().await?;
        self.send_batch(Batch::of(Kind::ExpectsOne, sql, owned(args))).await
    }

    fn send_later(&self, statement: Statement, Batch { parts, values }: Batch) -> Result<()> {
        let link = self.link.clone();
        self.send(async move {
            let done = link.client.execute_raw(&statement, values).await;
            done.map(|_| ()).map_err(|error| FailedCall { error, parts })
        })
    }

    pub async fn batch(&self, sql: &str) -> Result<()> {
        self.has_written.set(true);
        self.flush().await?;
        match self.link.ask(self.link.client.batch_execute(sql)).await {
            Ok(()) => self.check_start(),
            Err(error) => Err(self.cause(&error, sql).await),
        }
    }

    pub async fn all(&self, sql: &'static str, args: &[Arg<'_>]) -> Result<Vec<Row>> {
        if !sql.trim_ascii_start().starts_with("select") {
            self.has_written.set(true);
        }
        let statement = self.statement(sql).await?;
        let found = self.link.ask(async {
            let rows = self.link.client.query_raw(&statement, args.iter().copied()).await?;
            pin_mut!(rows);
            let mut found = Vec::new();
            while let Some(row) = rows.next().await {
                found.push(row_of(&row?));
            }
            Ok(found)
        });
        match found.await {
            Ok(found) => self.check_start().and_then(|()| found.into_iter().collect()),
            Err(error) => Err(self.cause(&error, sql).await),
        }
    }

    /// Commits; `Unknown` if the connection is lost or times out meanwhile.
    pub async fn commit(&self) -> Result<()> {
        self.check_start()?;
        let mut commit = command(self.link.clone(), COMMIT);
        self.link.counter.message();
        if let Poll::Ready(done) = poll_now(&mut commit) {
            return done.map_err(FailedCall::after_commit_was_sent);
        }
        let _wait = self.link.counter.wait(&self.link.waiting);
        let begin = self.on_their_way.borrow_mut().begin.take();
        let sent = async {
            if let Some(begin) = begin {
                // What follows may have been committed without it.
                begin.await.map_err(|failed| Error::Unknown(message_of(&failed.error)))?;
            }
            for sent in self.take_sent() {
                sent.await.map_err(FailedCall::after_commit_was_sent)?;
            }
            Ok::<(), Error>(())
        };
        let overdue = |_| Error::Unknown("no answer to what precedes a commit in time".into());
        tokio::time::timeout(SENT_TIME_MAX, sent).await.map_err(overdue)??;
        let commit = tokio::time::timeout(COMMIT_TIME_MAX, commit).await;
        match commit.map(|done| done.map_err(FailedCall::after_commit_was_sent)) {
            Ok(Ok(())) => {
                self.opened.set(false);
                Ok(())
            }
            Ok(Err(Error::Unavailable(message))) => Err(Error::Unknown(message)),
            Ok(failed) => failed,
            Err(_) => Err(Error::Unknown("no answer to commit in time".into())),
        }
    }

    /// Rolls back; true if the connection may serve again, and an error if there was no transaction
    /// to roll back.
    pub async fn rollback(&self) -> Result<bool> {
        if !self.opened.replace(false) {
            return Ok(true);
        }
        let rollback = command(self.link.clone(), "rollback");
        match self.link.ask(rollback).await {
            Ok(()) => self.check_start().map(|()| true),
            Err(_) => Ok(false),
        }
    }

    /// Ends a session that changed nothing; the next statement on the connection is pipelined
    /// behind.
    pub fn end(&self) {
        if !self.opened.replace(false) {
            return;
        }
        self.link.counter.message();
        // If it fails, the connection is lost, which the next unit notices by itself.
        let _ = poll_now(&mut command(self.link.clone(), "rollback"));
    }

    /// Finds why a statement failed: an earlier pipelined one may have.
    async fn cause(&self, error: &tokio_postgres::Error, sql: &str) -> Error {
        if error.code() == Some(&SqlState::IN_FAILED_SQL_TRANSACTION) {
            for sent in self.take_sent() {
                if let Err(failed) = sent.await {
                    return failed.into();
                }
            }
        }
        self.meant(refused(error, sql))
    }

    /// What the failure of a statement means: one that commits by itself may have done so before
    /// its connection was lost.
    fn meant(&self, failure: Error) -> Error {
        match failure {
            Error::Unavailable(message) if self.commits_each => Error::Unknown(message),
            refusal => {
                self.is_refused.set(true);
                refusal
            }
        }
    }

    async fn statement(&self, sql: &'static str) -> Result<Statement> {
        self.flush().await?;
        self.prepared(Key::of_text(sql), || on_postgres(sql)).await
    }

    /// Returns a prepared statement.
    async fn prepared(&self, key: Key, text: impl FnOnce() -> String) -> Result<Statement> {
        if self.commits_each && self.is_sent.replace(true) {
            return Err(Error::second_statement());
        }
        let known = self.link.statements.borrow().get(&key).cloned();
        if let Some(statement) = known {
            return Ok(statement);
        }
        let text = text();
        let prepared = match self.link.ask(self.link.client.prepare(&text)).await {
            Ok(prepared) => prepared,
            Err(error) => return Err(self.cause(&error, &text).await),
        };
        let mut statements = self.link.statements.borrow_mut();
        if statements.len() >= STATEMENTS_CACHED_MAX {
            statements.clear();
        }
        statements.insert(key, prepared.clone());
        Ok(prepared)
    }

    /// Sends a call now, before the next one, and awaits it later.
    ///
    /// A call that fails at once never reached the server, which then cannot reject the commit.
    fn send(&self, call: impl Future<Output = Result<(), FailedCall>> + 'static) -> Result<()> {
        let mut call: Call = Box::pin(call);
        self.link.counter.message();
        match poll_now(&mut call) {
            Poll::Ready(done) => done.map_err(|failed| {
                self.is_refused.set(true);
                failed.into()
            }),
            Poll::Pending => {
                self.on_their_way.borrow_mut().calls.push(call);
                Ok(())
            }
        }
    }
}

fn command(link: Rc<Link>, sql: &'static str) -> Call {
    Box::pin(async move {
        let done = link.client.batch_execute(sql).await;
        let parts = || Batch::of(Kind::Once, sql, Vec::new()).parts;
        done.map_err(|error| FailedCall { error, parts: parts() })
    })
}
