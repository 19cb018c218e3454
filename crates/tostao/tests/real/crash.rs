//! The server is killed again and again while customers pay, and no money is lost or doubled.
//!
//! Every customer records each request and repeats it, with the same key, until there is an
//! answer. What was answered must be true in the end, once, whatever the kills interrupted.
//!
//! The moments of the kills follow from a seed, which is printed; `TOSTAO_TEST_SEED` sets another.

use std::collections::BTreeSet;
use std::sync::Arc;

use db::time::Timestamp;
use futures_util::future::join_all;
use http::Method;
use ledger::cents::Cents;
use rails::pix::PixConfirmation;
use sandbox::bank::SandboxBank;
use sandbox::callback_signature::CallbackSigner;
use serde_json::{Value, json};
use tokio::sync::watch;
use tostao::platform::secrets::Secrets;

use crate::harness::client::{Client, Unknown};
use crate::harness::database::SECRET;
use crate::harness::killing::{Caller, Chance, Open, everything, kill_again_and_again, seed, text};
use crate::harness::program::{Server, tostao};
use crate::harness::receiver::Receiver;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, charge};
use crate::harness::until;

const KILLS: usize = 24;
const CUSTOMERS: u64 = 4;
const TRANSACTIONS: &str = "/api/v1/transactions";
const EVENTS: &str = "/api/webhooks/events";

/// A payment that was answered for, from its order to its confirmation.
pub struct Paid {
    key: String,
    id: String,
    pub cents: i64,
}

/// Somebody who orders and pays, one payment after the other.
pub struct Customer {
    number: u64,
    pub caller: Caller,
    chance: Chance,
    bank: CallbackSigner,
    pub journal: Vec<Paid>,
}

#[story::test]
async fn a_killed_server_loses_and_doubles_no_payment_and_emits_every_event(database_url: &str) {
    let seed = seed();
    println!("TOSTAO_TEST_SEED={seed}");
    let receiver = Receiver::start().await;
    let server = Server::start(database_url).await;
    let shop = Shop::open(&server).await;
    shop.subscribe(&receiver.url).await;
    let (sender, open) = watch::channel(Open::at([server.address]));
    let hired = (0..CUSTOMERS).map(|number| Customer::new(number, seed, &shop, open.clone()));
    let mut customers: Vec<_> = hired.collect();
    let shopping = join_all(customers.iter_mut().map(Customer::shop));
    let start = async || Server::start(database_url).await;
    let killing = kill_again_and_again(KILLS, start, server, seed, &sender);
    let (_, server) = tokio::join!(shopping, killing);

    let unknown: usize = customers.iter().map(|customer| customer.caller.unknown).sum();
    let journal: Vec<Paid> = customers.into_iter().flat_map(|who| who.journal).collect();
    println!("{KILLS} kills, {} payments, {unknown} requests unanswered", journal.len());
    assert!(unknown >= KILLS, "the kills interrupted only {unknown} requests");
    let key = shop.client.at(server.address);
    let shop = Shop { client: key.clone(), ..shop };
    every_answered_payment_is_there_once(&key, &journal).await;
    assert_eq!(shop.available().await, journal.iter().map(|paid| paid.cents).sum::<i64>());
    let events = every_event_arrives(&key, &receiver, database_url, journal.len()).await;
    println!("{events} events, all of them delivered");
    server.stop().await;
    let proof = tostao(database_url, &["ledger", "verify"]).await.good();
    assert!(proof.contains("The books agree"), "{proof}");
}

pub async fn every_answered_payment_is_there_once(key: &Client, journal: &[Paid]) {
    let mut there = Vec::new();
    for transaction in everything(key, TRANSACTIONS).await {
        assert_eq!(transaction["status"], "PAID", "{transaction}");
        let text = |name: &str| transaction[name].as_str().expect("is text").to_owned();
        let cents = transaction["paidAmount"].as_i64().expect("is a number");
        there.push((text("externalId"), text("id"), cents));
    }
    there.sort();
    let answered = journal.iter().map(|paid| (paid.key.clone(), paid.id.clone(), paid.cents));
    let mut answered: Vec<_> = answered.collect();
    answered.sort();
    assert_eq!(there, answered);
    for paid in journal {
        let again = order(key, &paid.key, paid.cents).await.expect("the server answers");
        assert_eq!(again.header("idempotency-replayed"), Some("true"));
        assert_eq!(again.expect(201)["transaction"]["id"], paid.id);
    }
}

pub async fn every_event_arrives(
    key: &Client,
    receiver: &Receiver,
    database_url: &str,
    payments: usize,
) -> usize {
    if database_url.starts_with("postgres") {
        // What a killed server held is due when its leases end; other servers may be alive.
        let ahead = json!({ "seconds": 90 });
        key.post("/api/dev/clock/advance", ahead).await.expect(200);
    }
    until("every event is delivered", async || {
        let waiting = key.get(&format!("{EVENTS}?status=PENDING&limit=1")).await.expect(200);
        (waiting["pagination"]["total"] == 0).then_some(())
    })
    .await;
    let arrived = receiver.take();
    let arrived: BTreeSet<String> = arrived.iter().map(|it| text(&it.json(), "id")).collect();
    let printed = everything(key, EVENTS).await;
    for event in &printed {
        assert!(arrived.contains(&text(event, "id")), "never arrived: {event}");
    }
    for name in ["transaction.created", "transaction.paid"] {
        assert_eq!(
            printed.iter().filter(|event| event["event"] == name).count(),
            payments,
            "{name}"
        );
    }
    printed.len()
}

impl Customer {
    pub fn new(number: u64, seed: u64, shop: &Shop, open: watch::Receiver<Open>) -> Self {
        Self {
            number,
            caller: Caller::new(shop.client.clone(), open),
            chance: Chance(seed ^ (number + 1)),
            bank: CallbackSigner::new(Arc::new(Secrets::derive(SECRET))),
            journal: Vec::new(),
        }
    }

    /// Orders and pays until the day is over.
    pub async fn shop(&mut self) {
        while self.caller.is_open() {
            let key = format!("customer-{}-{}", self.number, self.journal.len());
            let cents = i64::try_from(self.chance.within(1..100_000)).expect("is small");
            let made =
                self.caller.insist(201, async |server| order(server, &key, cents).await).await;
            let transaction = &made["transaction"];
            if self.chance.within(0..2) == 0 {
                self.pay_by_simulation(transaction).await;
            } else {
                self.pay_through_the_bank(transaction).await;
            }
            self.journal.push(Paid { key, id: text(transaction, "id"), cents });
        }
    }

    /// Lets the sandbox bank call; who does not know whether it has, looks first.
    async fn pay_by_simulation(&mut self, transaction: &Value) {
        let path = format!("{TRANSACTIONS}/{}", text(transaction, "id"));
        let paid = self.caller.insist(200, async |server| {
            let known = server.try_get(&path).await?;
            if known.status >= 500 || known.json()["transaction"]["status"] == "PAID" {
                return Ok(known);
            }
            let outcome = json!({ "outcome": "PAID" });
            server.try_post(&format!("{path}/simulate"), &outcome).await
        });
        assert_eq!(paid.await["transaction"]["status"], "PAID");
    }

    /// Confirms as a bank does: in its own format, signed, again until it is heard.
    async fn pay_through_the_bank(&mut self, transaction: &Value) {
        let now = Timestamp::parse(&text(transaction, "createdAt")).expect("is an instant");
        let random = [self.chance.next().to_le_bytes(), self.chance.next().to_le_bytes()].concat();
        let receipt = PixConfirmation {
            txid: text(&transaction["pix"], "txid"),
            end_to_end_id: SandboxBank::end_to_end_id(now, random[..11].try_into().expect("fits")),
            amount: Cents::new(transaction["amount"].as_i64().expect("is a number")),
            paid_at: now,
        };
        let (headers, body) = self.bank.confirm_pix(&[receipt]);
        let call = async |server: &Client| {
            let mut server = server.with("content-type", "application/json");
            for (name, value) in &headers {
                server = server.with(name.as_str(), value.to_str().expect("is text"));
            }
            server.send(Method::POST, "/providers/sandbox/pix", body.clone()).await
        };
        self.caller.insist(200, call).await;
    }
}

/// Issues a PIX under a key that is also the merchant's own number for it.
async fn order(server: &Client, key: &str, cents: i64) -> Result<Reply, Unknown> {
    let mut wanted = charge(cents);
    wanted["externalId"] = key.into();
    server.with("idempotency-key", key).try_post(TRANSACTIONS, &wanted).await
}
