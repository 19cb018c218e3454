//! One connection that makes charges in groups, each group of units in one transaction.

use std::collections::HashMap;
use std::fmt::{Display, Formatter};

use anyhow::{Context, Result, ensure};
use db::hex::hex;
use db::source::Sources;
use db::value::Arg;
use futures_util::future::{try_join, try_join_all};
use futures_util::{StreamExt, pin_mut};
use queue::job::WORK;
use tokio_postgres::{Client, Statement};
use tostao::platform::lanes::WEBHOOKS;
use uuid::Uuid;

use crate::limits::sql;
use crate::limits::statements::{
    AMOUNT, ANSWER_BYTES, AVAILABLE, BR_CODE_BYTES, EVENT_BYTES, FEE, FEE_REVENUE, HOUR_MICROS,
    JOB_BYTES, MINUTE_MICROS, MODE, OUTSIDE, ROUTE, SECRET,
};
use crate::postgres::connect;

const PRINT: &[u8] = &[7; 32];
const TEXTS: [&str; 24] = [
    sql::INSERT_MERCHANT,
    sql::INSERT_LINK,
    sql::INSERT_WEBHOOK,
    sql::OPEN_ACCOUNT,
    sql::FIND_ANSWER,
    sql::FIND_PUBLIC,
    sql::FIND_CLIENT,
    sql::SUBSCRIBERS,
    sql::TAKE_KEY,
    sql::INSERT_CLIENT,
    sql::INSERT_TRANSACTION,
    sql::PUSH_JOB,
    sql::INSERT_EVENT,
    sql::KEEP_ANSWER,
    sql::COUNT_USE,
    sql::FIND_BY_TXID,
    sql::PAY,
    sql::DELETE_JOB,
    sql::INSERT_DELIVERY,
    sql::COUNT_SALE,
    sql::ADD,
    sql::TRANSFERS,
    sql::INSERT_EVENTS,
    sql::CLAIM,
];
const MORE_TEXTS: [&str; 3] = [sql::LOAD, sql::FIND_MERCHANT, sql::PROGRESS];

/// In which order the units of a group send their statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Each unit after the one before.
    InTurn,
    /// All of them, as soon as their answers are there.
    Woven,
}

/// A connection, its prepared statements, and the merchants whose units it runs.
pub struct Lane {
    client: Client,
    prepared: HashMap<&'static str, Statement>,
    merchants: Vec<Merchant>,
    order: Order,
    sources: Sources,
    br_code: String,
    answer: String,
    event: String,
    job: String,
}

struct Merchant {
    id: Uuid,
    link: Uuid,
    slug: String,
    webhook: Uuid,
}

/// A charge between its units.
struct Charge<'a> {
    of: &'a Merchant,
    id: Uuid,
    txid: String,
    expires_at: i64,
    paid_event: Uuid,
    delivery_job: Uuid,
    paid_at: i64,
}

/// A statement and its values.
type Message<'a> = (&'static str, Vec<Arg<'a>>);

/// An account after a transfer: its balance and its number of legs.
type After = (i64, i64);

impl Display for Order {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::InTurn => "in turn",
            Self::Woven => "woven",
        })
    }
}

impl Lane {
    /// Connects to a migrated database and inserts merchants, each with a link and a webhook.
    pub async fn open(url: &str, merchants: usize, order: Order, sources: Sources) -> Result<Self> {
        let client = connect(url).await?;
        let mut prepared = HashMap::new();
        for text in TEXTS.into_iter().chain(MORE_TEXTS) {
            prepared.insert(text, client.prepare(&text.replace('?', "$")).await?);
        }
        let mut lane = Self {
            client,
            prepared,
            merchants: Vec::new(),
            order,
            sources,
            br_code: "0".repeat(BR_CODE_BYTES),
            answer: "a".repeat(ANSWER_BYTES),
            event: "e".repeat(EVENT_BYTES),
            job: "j".repeat(JOB_BYTES),
        };
        for _ in 0..merchants {
            let merchant = lane.merchant().await?;
            lane.merchants.push(merchant);
        }
        Ok(lane)
    }

    /// A group of each kind of unit; a charge's earlier unit is durable before its next one.
    pub async fn one_group(&self, units: usize) -> Result<u64> {
        let turns = || (0..units).map(|turn| &self.merchants[turn % self.merchants.len()]);
        self.client.batch_execute("begin").await?;
        let charges = self.run(turns().map(|of| self.create(of))).await?;
        self.client.batch_execute("commit; begin").await?;
        let charges = self.run(charges.into_iter().map(|charge| self.confirm(charge))).await?;
        self.client.batch_execute("commit; begin").await?;
        let done = self.run(charges.into_iter().map(|charge| self.deliver(charge))).await?;
        self.client.batch_execute("commit").await?;
        Ok(u64::try_from(done.len())?)
    }

    async fn run<T>(
        &self,
        units: impl Iterator<Item = impl Future<Output = Result<T>>>,
    ) -> Result<Vec<T>> {
        if self.order == Order::Woven {
            return try_join_all(units).await;
        }
        let mut done = Vec::new();
        for unit in units {
            done.push(unit.await?);
        }
        Ok(done)
    }

    /// The buyer's unit: a pending charge, its buyer, its job, its event, its stored response.
    async fn create<'a>(&self, of: &'a Merchant) -> Result<Charge<'a>> {
        let (m, mode, now) = (Arg::Id(of.id), Arg::Int(MODE), self.now());
        let (id, client, expires_at) = (self.id(), self.id(), now + HOUR_MICROS);
        let (key, txid) = (id.to_string(), hex(id.as_bytes()));
        let email = format!("{txid}@example.com");
        let (route, at, until) = (Arg::Text(ROUTE), Arg::Int(now), Arg::Int(expires_at));
        let (key, buyer) = (Arg::Text(&key), Arg::Text(&email));
        self.read_all(vec![
            (sql::FIND_ANSWER, vec![m, mode, route, key, at]),
            (sql::FIND_PUBLIC, vec![Arg::Text(&of.slug)]),
            (sql::FIND_CLIENT, vec![m, mode, buyer]),
            (sql::SUBSCRIBERS, vec![m, mode]),
        ])
        .await?;
        let charge = vec![
            m,
            mode,
            Arg::Id(id),
            Arg::Id(of.link),
            Arg::Text(&of.slug),
            Arg::Id(client),
            buyer,
            Arg::Int(AMOUNT),
            Arg::Text(&txid),
            Arg::Text(&self.br_code),
            at,
            until,
        ];
        let event = self.id();
        let name = Arg::Text("transaction.created");
        let event = vec![m, mode, Arg::Id(event), name, Arg::Id(id), Arg::Text(&self.event), at];
        self.write_all(vec![
            (sql::TAKE_KEY, vec![m, mode, route, key, Arg::Bytes(PRINT), until, at]),
            (sql::INSERT_CLIENT, vec![m, mode, Arg::Id(client), buyer, at]),
            (sql::INSERT_TRANSACTION, charge),
            self.push(WORK, expires_at, id, of),
            (sql::INSERT_EVENT, event),
            (sql::KEEP_ANSWER, vec![Arg::Text(&self.answer), m, mode, route, key]),
            (sql::COUNT_USE, vec![m, mode, Arg::Id(of.link), at]),
        ])
        .await?;
        let (paid_event, delivery_job) = (self.id(), self.id());
        Ok(Charge { of, id, txid, expires_at, paid_event, delivery_job, paid_at: now })
    }

    /// The bank's unit: paid, posted, counted, published.
    async fn confirm<'a>(&self, charge: Charge<'a>) -> Result<Charge<'a>> {
        let (of, now) = (charge.of, self.now());
        let (m, mode, at) = (Arg::Id(of.id), Arg::Int(MODE), Arg::Int(now));
        let (id, txid, event) =
            (Arg::Id(charge.id), Arg::Text(&charge.txid), Arg::Id(charge.paid_event));
        self.read_all(vec![(sql::FIND_BY_TXID, vec![txid]), (sql::SUBSCRIBERS, vec![m, mode])])
            .await?;
        let writes = self.write_all(vec![
            (sql::PAY, vec![Arg::Int(AMOUNT), Arg::Int(FEE), at, txid, m, mode, id]),
            (sql::DELETE_JOB, vec![Arg::Text(WORK), Arg::Int(charge.expires_at), id]),
            (sql::INSERT_DELIVERY, vec![m, mode, Arg::Id(of.webhook), event, at]),
            self.push(WEBHOOKS, now, charge.delivery_job, of),
            (sql::COUNT_SALE, vec![at, m, mode, Arg::Id(of.link)]),
        ]);
        let accounts = try_join_all([
            self.add(of, OUTSIDE, -AMOUNT, 1),
            self.add(of, AVAILABLE, AMOUNT - FEE, 2),
            self.add(of, FEE_REVENUE, FEE, 1),
        ]);
        let ((), accounts) = try_join(writes, accounts).await?;
        let (link, sale, balance) = (Arg::Id(of.link), self.id(), self.id());
        let data = Arg::Text(&self.event);
        let (sale, balance) = (Arg::Id(sale), Arg::Id(balance));
        self.write_all(vec![
            (sql::TRANSFERS, transfers(of, charge.id, now, &accounts)?),
            (sql::INSERT_EVENTS, vec![m, mode, event, id, data, at, sale, link, balance]),
        ])
        .await?;
        Ok(Charge { paid_at: now, ..charge })
    }

    /// The delivery's unit: claimed, read, done.
    async fn deliver(&self, charge: Charge<'_>) -> Result<()> {
        let (of, now) = (charge.of, self.now());
        let (m, mode, until) = (Arg::Id(of.id), Arg::Int(MODE), Arg::Int(now + MINUTE_MICROS));
        let (lane, job) = (Arg::Text(WEBHOOKS), Arg::Id(charge.delivery_job));
        let (webhook, event) = (Arg::Id(of.webhook), Arg::Id(charge.paid_event));
        let claim = vec![(sql::CLAIM, vec![until, lane, Arg::Int(charge.paid_at), job])];
        let reads = vec![(sql::LOAD, vec![m, mode, webhook, event]), (sql::FIND_MERCHANT, vec![m])];
        try_join(self.write_all(claim), self.read_all(reads)).await?;
        self.write_all(vec![
            (sql::DELETE_JOB, vec![lane, until, job]),
            (sql::PROGRESS, vec![Arg::Int(now), m, mode, webhook, event]),
        ])
        .await
    }

    async fn merchant(&self) -> Result<Merchant> {
        let of = Merchant {
            id: self.id(),
            link: self.id(),
            slug: hex(self.id().as_bytes()),
            webhook: self.id(),
        };
        let (m, mode, now) = (Arg::Id(of.id), Arg::Int(MODE), Arg::Int(self.now()));
        let email = format!("{}@example.com", of.slug);
        let (link, slug) = (Arg::Id(of.link), Arg::Text(&of.slug));
        let account =
            |code, floor| (sql::OPEN_ACCOUNT, vec![m, mode, Arg::Int(code), Arg::Int(floor)]);
        self.write_all(vec![
            (sql::INSERT_MERCHANT, vec![m, now, Arg::Text(&email)]),
            (sql::INSERT_LINK, vec![m, mode, link, slug, Arg::Int(AMOUNT), now]),
            (sql::INSERT_WEBHOOK, vec![m, mode, Arg::Id(of.webhook), now, Arg::Bytes(SECRET)]),
            account(OUTSIDE, i64::MIN),
            account(AVAILABLE, 0),
            account(FEE_REVENUE, 0),
        ])
        .await?;
        Ok(of)
    }

    fn push<'a>(&'a self, lane: &'a str, at: i64, id: Uuid, of: &Merchant) -> Message<'a> {
        let job = Arg::Text(&self.job);
        (sql::PUSH_JOB, vec![Arg::Text(lane), Arg::Int(at), Arg::Id(id), job, Arg::Id(of.id)])
    }

    async fn add(&self, of: &Merchant, code: i64, amount: i64, legs: i64) -> Result<After> {
        let (owner, book) = (Arg::Id(of.id), Arg::Int(MODE));
        let values = [Arg::Int(amount), Arg::Int(legs), owner, book, Arg::Int(code)];
        let rows = self.client.query_raw(self.statement(sql::ADD)?, values).await?;
        pin_mut!(rows);
        let row = rows.next().await.context("an account that does not exist")??;
        Ok((row.try_get(0)?, row.try_get(1)?))
    }

    /// Sends them all before it waits.
    async fn read_all(&self, messages: Vec<Message<'_>>) -> Result<()> {
        let read = async |(text, values): Message<'_>| {
            let rows = self.client.query_raw(self.statement(text)?, values).await?;
            pin_mut!(rows);
            while let Some(row) = rows.next().await {
                row?;
            }
            anyhow::Ok(())
        };
        try_join_all(messages.into_iter().map(read)).await.map(drop)
    }

    /// The same, and each changes one row.
    async fn write_all(&self, messages: Vec<Message<'_>>) -> Result<()> {
        let write = async |(text, values): Message<'_>| {
            let changed = self.client.execute_raw(self.statement(text)?, values).await?;
            let most = if text == sql::TRANSFERS || text == sql::INSERT_EVENTS { 3 } else { 1 };
            ensure!((1..=most).contains(&changed), "{changed} rows instead of one: {text}");
            anyhow::Ok(())
        };
        try_join_all(messages.into_iter().map(write)).await.map(drop)
    }

    fn statement(&self, text: &str) -> Result<&Statement> {
        self.prepared.get(text).with_context(|| format!("not prepared: {text}"))
    }

    fn id(&self) -> Uuid {
        self.sources.new_id(self.sources.now())
    }

    fn now(&self) -> i64 {
        self.sources.now().micros()
    }
}

/// The amount from outside to the merchant, and the fee from the merchant to the gateway.
fn transfers<'a>(of: &Merchant, id: Uuid, now: i64, accounts: &[After]) -> Result<Vec<Arg<'a>>> {
    let [outside, available, revenue] = accounts else { anyhow::bail!("three accounts") };
    let numbers = [
        OUTSIDE,
        outside.1,
        outside.0,
        AVAILABLE,
        available.1 - 1,
        available.0 + FEE,
        FEE,
        available.1,
        available.0,
        FEE_REVENUE,
        revenue.1,
        revenue.0,
    ];
    let first = [Arg::Id(id), Arg::Int(AMOUNT), Arg::Int(now), Arg::Id(of.id)];
    Ok(first.into_iter().chain(numbers.map(Arg::Int)).collect())
}
