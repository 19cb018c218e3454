//! The statements of one charge, as the product sends them, without the product.
//!
//! Three units: the buyer's, the bank's, and the delivery's. Each statement states how many table
//! and index entries it writes, because that is a charge's cost in the engine; they are counted as
//! they run, so the report cannot drift from the list.

use std::cell::Cell;

use anyhow::Result;
use db::hex::hex;
use db::source::Sources;
use queue::job::WORK;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, Params, params};
use tostao::platform::lanes::WEBHOOKS;
use tostao::platform::system_clock;
use uuid::Uuid;

use crate::limits::sql;

pub const MODE: i64 = 0;
pub const AMOUNT: i64 = 14_990;
pub const FEE: i64 = 80;
pub const OUTSIDE: i64 = 1000;
pub const AVAILABLE: i64 = 2000;
pub const FEE_REVENUE: i64 = 4000;
const SLUG: &str = "abcdefghijkl";
pub const ROUTE: &str = "POST /api/payment-links/public/slug/{slug}/checkout";
pub const HOUR_MICROS: i64 = 3_600_000_000;
pub const MINUTE_MICROS: i64 = 60_000_000;
/// Texts of the product's length.
pub const BR_CODE_BYTES: usize = 150;
pub const ANSWER_BYTES: usize = 3_000;
pub const EVENT_BYTES: usize = 2_000;
pub const JOB_BYTES: usize = 120;
pub const SECRET: &[u8] = &[0];
const STATEMENTS_CACHED: usize = 64;

type Id = [u8; 16];

/// One connection and its counters.
pub struct Statements {
    connection: Connection,
    sources: Sources,
    merchant: Id,
    link: Id,
    webhook: Id,
    br_code: String,
    answer: String,
    event: String,
    job: String,
    sent: Cell<u64>,
    entries: Cell<u64>,
}

/// The state of a charge between its units.
#[derive(Debug, Clone)]
pub struct Charge {
    id: Id,
    txid: String,
    expires_at: i64,
    paid_event: Id,
    delivery_job: Id,
    told_at: i64,
}

/// An account after a transfer: its balance and its number of legs.
type After = (i64, i64);

impl Statements {
    /// Takes a migrated database and inserts a merchant, their link and their webhook.
    pub fn open(connection: Connection) -> Result<Self> {
        connection.execute_batch(sql::SETTINGS)?;
        // Otherwise the engine replans some statements for every value.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS_CACHED);
        let sources = system_clock::system();
        let id = || sources.new_id(sources.now()).into_bytes();
        let statements = Self {
            merchant: id(),
            link: id(),
            webhook: id(),
            br_code: "0".repeat(BR_CODE_BYTES),
            answer: "a".repeat(ANSWER_BYTES),
            event: "e".repeat(EVENT_BYTES),
            job: "j".repeat(JOB_BYTES),
            sent: Cell::default(),
            entries: Cell::default(),
            connection,
            sources,
        };
        statements.prepare()?;
        Ok(statements)
    }

    /// Starts a group.
    pub fn begin(&self) -> Result<()> {
        Ok(self.connection.execute_batch("begin immediate")?)
    }

    /// Commits a group.
    pub fn commit(&self) -> Result<()> {
        Ok(self.connection.execute_batch("commit")?)
    }

    /// How many statements have run, and how many entries they have written.
    pub fn counted(&self) -> (u64, u64) {
        (self.sent.get(), self.entries.get())
    }

    /// The buyer's unit: a pending charge, its buyer, its job, its event, its stored response.
    pub fn create(&self) -> Result<Charge> {
        let (m, link, now) = (self.merchant, self.link, self.now());
        let (id, client, expires_at) = (self.id(), self.id(), now + HOUR_MICROS);
        let (key, txid) = (Uuid::from_bytes(id).to_string(), hex(&id));
        let email = format!("{txid}@example.com");
        self.read(sql::FIND_PUBLIC, params![SLUG])?;
        self.read(sql::FIND_ANSWER, params![m, MODE, ROUTE, key, now])?;
        self.read(sql::FIND_LINK, params![m, MODE, link])?;
        self.read(sql::FIND_MERCHANT, params![m])?;
        let print = [7_u8; 32];
        self.write(2, sql::TAKE_KEY, params![m, MODE, ROUTE, key, print, expires_at, now])?;
        self.read(sql::FIND_LINK, params![m, MODE, link])?;
        self.write(1, sql::COUNT_USE, params![m, MODE, link, now])?;
        self.read(sql::FIND_CLIENT, params![m, MODE, email])?;
        self.write(3, sql::INSERT_CLIENT, params![m, MODE, client, email, now])?;
        let charge = params![
            m,
            MODE,
            id,
            link,
            SLUG,
            client,
            email,
            AMOUNT,
            txid,
            self.br_code,
            now,
            expires_at
        ];
        self.write(2, sql::INSERT_TRANSACTION, charge)?;
        self.push(WORK, expires_at, id)?;
        self.emit(self.id(), "transaction.created", id, now)?;
        self.write(1, sql::KEEP_ANSWER, params![self.answer, m, MODE, ROUTE, key])?;
        let (paid_event, delivery_job) = (self.id(), self.id());
        Ok(Charge { id, txid, expires_at, paid_event, delivery_job, told_at: now })
    }

    /// The bank's unit: paid, posted, counted, published.
    pub fn confirm(&self, charge: &mut Charge) -> Result<()> {
        let (m, id, now) = (self.merchant, charge.id, self.now());
        self.read(sql::FIND_BY_TXID, params![charge.txid])?;
        self.write(1, sql::PAY, params![AMOUNT, FEE, now, charge.txid, m, MODE, id])?;
        self.write(2, sql::DELETE_JOB, params![WORK, charge.expires_at, id])?;
        self.write(1, sql::COUNT_SALE, params![now, m, MODE, self.link])?;
        let outside = self.add(OUTSIDE, -AMOUNT, 1)?;
        let (held, legs) = self.add(AVAILABLE, AMOUNT - FEE, 2)?;
        let revenue = self.add(FEE_REVENUE, FEE, 1)?;
        let before_fee = (held + FEE, legs - 1);
        self.transfer(id, 0, AMOUNT, (OUTSIDE, outside), (AVAILABLE, before_fee))?;
        self.transfer(id, 1, FEE, (AVAILABLE, (held, legs)), (FEE_REVENUE, revenue))?;
        self.emit(charge.paid_event, "transaction.paid", id, now)?;
        let delivery = params![m, MODE, self.webhook, charge.paid_event, now];
        self.write(1, sql::INSERT_DELIVERY, delivery)?;
        self.push(WEBHOOKS, now, charge.delivery_job)?;
        self.emit(self.id(), "payment_link.paid", self.link, now)?;
        self.read(sql::HOLDINGS, params![m, MODE])?;
        self.emit(self.id(), "balance.updated", m, now)?;
        charge.told_at = now;
        Ok(())
    }

    /// The delivery's unit: claimed, read, done.
    pub fn deliver(&self, charge: &Charge) -> Result<()> {
        let (m, now) = (self.merchant, self.now());
        let (job, leased_until) = (charge.delivery_job, now + MINUTE_MICROS);
        self.write(4, sql::CLAIM, params![leased_until, WEBHOOKS, charge.told_at, job])?;
        self.read(sql::LOAD, params![m, MODE, self.webhook, charge.paid_event])?;
        self.read(sql::FIND_MERCHANT, params![m])?;
        self.write(2, sql::DELETE_JOB, params![WEBHOOKS, leased_until, job])?;
        self.write(1, sql::PROGRESS, params![now, m, MODE, self.webhook, charge.paid_event])
    }

    fn prepare(&self) -> Result<()> {
        let (m, now) = (self.merchant, self.now());
        self.write(0, sql::INSERT_MERCHANT, params![m, now, "ana@example.com"])?;
        self.write(0, sql::INSERT_LINK, params![m, MODE, self.link, SLUG, AMOUNT, now])?;
        self.write(0, sql::INSERT_WEBHOOK, params![m, MODE, self.webhook, now, SECRET])?;
        for (code, floor) in [(OUTSIDE, i64::MIN), (AVAILABLE, 0), (FEE_REVENUE, 0)] {
            self.write(0, sql::OPEN_ACCOUNT, params![m, MODE, code, floor])?;
        }
        self.sent.set(0);
        Ok(())
    }

    fn push(&self, lane: &str, at: i64, id: Id) -> Result<()> {
        self.write(2, sql::PUSH_JOB, params![lane, at, id, self.job, self.merchant])
    }

    /// An event, and the query for its subscriptions.
    fn emit(&self, id: Id, name: &str, object: Id, now: i64) -> Result<()> {
        let event = params![self.merchant, MODE, id, name, object, self.event, now];
        self.write(1, sql::INSERT_EVENT, event)?;
        self.read(sql::SUBSCRIBERS, params![self.merchant, MODE])
    }

    fn add(&self, code: i64, amount: i64, legs: i64) -> Result<After> {
        self.count(1);
        let mut statement = self.connection.prepare_cached(sql::ADD)?;
        let after = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
        Ok(statement.query_row(params![amount, legs, self.merchant, MODE, code], after)?)
    }

    fn transfer(
        &self,
        id: Id,
        line: i64,
        amount: i64,
        (debit, (debit_balance, debit_leg)): (i64, After),
        (credit, (credit_balance, credit_leg)): (i64, After),
    ) -> Result<()> {
        let (m, now) = (self.merchant, self.now());
        let values = params![
            id,
            line,
            amount,
            now,
            m,
            debit,
            debit_leg,
            debit_balance,
            credit,
            credit_leg,
            credit_balance
        ];
        self.write(3, sql::TRANSFER, values)
    }

    fn read(&self, sql: &str, values: impl Params) -> Result<()> {
        self.count(0);
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query(values)?;
        while rows.next()?.is_some() {}
        Ok(())
    }

    fn write(&self, entries: u64, sql: &str, values: impl Params) -> Result<()> {
        self.count(entries);
        let changed = self.connection.prepare_cached(sql)?.execute(values)?;
        anyhow::ensure!(changed == 1, "{changed} rows instead of one: {sql}");
        Ok(())
    }

    fn count(&self, entries: u64) {
        self.sent.set(self.sent.get() + 1);
        self.entries.set(self.entries.get() + entries);
    }

    fn id(&self) -> Id {
        self.sources.new_id(self.sources.now()).into_bytes()
    }

    fn now(&self) -> i64 {
        self.sources.now().micros()
    }
}
