//! A full charge as seen from outside.
//!
//! A buyer pays through a link and gets a code; the bank confirms and gets its response; the
//! merchant's server receives the webhook. A charge is done when the last of the three has
//! happened, so a server that defers the third gains nothing.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use db::source::Sources;
use futures_util::future::try_join;
use ledger::cents::Cents;
use rails::pix::PixConfirmation;
use sandbox::bank::SandboxBank;
use sandbox::callback_signature::CallbackSigner;
use serde::Deserialize;
use serde_json::json;
use tostao::platform::secrets::Secrets;
use tostao::platform::system_clock;
use uuid::Uuid;

use crate::client::{Connection, Request, Transport};
use crate::clock;
use crate::load::Meter;
use crate::server::SECRET;
use crate::shop::Shop;
use crate::sink::Sink;

/// From the start until the bank has its response.
pub const ACKNOWLEDGED: &str = "acknowledged";
/// The buyer's part only.
pub const CREATE: &str = "create";
/// The bank's part only.
pub const CONFIRM: &str = "confirm";
/// From the start until the merchant's server has received the webhook.
pub const DELIVERED: &str = "delivered";
/// The event of that webhook.
pub const EVENT: &str = "transaction.paid";

/// The sandbox bank's location of a code's charge.
const ADDRESS: &str = "pix.example.com/v2/";
const TXID_LENGTH: usize = 32;

/// Creates charges, in turn for each of some merchants.
pub struct Charges<'a> {
    shops: &'a [Shop],
    sink: &'a Sink,
    parties: Parties,
    started: Cell<usize>,
    paid: Vec<Cell<u64>>,
}

/// The buyer and the bank of a charge.
pub struct Parties {
    bank: CallbackSigner,
    sources: Sources,
}

#[derive(Deserialize)]
struct Created {
    transaction: Transaction,
}

#[derive(Debug, Deserialize)]
struct Transaction {
    id: String,
    amount: i64,
    pix: Pix,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Pix {
    br_code: String,
}

impl<'a> Charges<'a> {
    /// Charges for merchants whose webhooks go to a sink.
    pub fn new(shops: &'a [Shop], sink: &'a Sink) -> Self {
        Self {
            shops,
            sink,
            parties: Parties::default(),
            started: Cell::default(),
            paid: vec![Cell::default(); shops.len()],
        }
    }

    /// The same, for merchants who already have that many charges.
    pub fn after(shops: &'a [Shop], sink: &'a Sink, before: u64) -> Result<Self> {
        let started = Cell::new(usize::try_from(before)?);
        Ok(Self { started, ..Self::new(shops, sink) })
    }

    /// How many charges of each merchant the bank has confirmed.
    pub fn paid(&self) -> Vec<u64> {
        self.paid.iter().map(Cell::get).collect()
    }

    /// Creates one charge, for the merchant whose turn it is among the first `among`.
    pub async fn one(
        &self,
        among: usize,
        connection: &mut Connection,
        intended: Instant,
        meter: &Meter,
    ) -> Result<()> {
        let number = self.started.replace(self.started.get() + 1);
        let turn = number % among;
        let paid = self.parties.pay(&self.shops[turn], number, connection, intended, meter).await?;
        self.paid[turn].set(self.paid[turn].get() + 1);
        self.sink.wait_for(&paid, 1).await?;
        meter.lap(DELIVERED, intended)
    }

    /// Creates one charge of the first merchant with retries: the buyer repeats the request after
    /// its response, the bank confirms everything twice, and a concurrent request with the same key
    /// is sent together with the buyer's. Every duplicate returns the same charge.
    pub async fn one_repeated(
        &self,
        connection: &mut Connection,
        duplicate: Option<&mut Connection>,
        intended: Instant,
        meter: &Meter,
    ) -> Result<()> {
        let number = self.started.replace(self.started.get() + 1);
        let request = checkout(&self.shops[0], number, &self.parties.sources);
        let transaction = match duplicate {
            None => created(connection, &request).await?,
            Some(duplicate) => {
                let both = try_join(created(connection, &request), created(duplicate, &request));
                let (one, other) = both.await?;
                ensure!(one.id == other.id, "a request with the same key created a second charge");
                one
            }
        };
        let confirmation = self.parties.confirmation(transaction.pix.txid()?, transaction.amount);
        connection.send(&confirmation).await?.expect(200)?;
        meter.lap(ACKNOWLEDGED, intended)?;
        self.paid[0].set(self.paid[0].get() + 1);
        let again = created(connection, &request).await?;
        ensure!(again.id == transaction.id, "a repeated request made another charge");
        connection.send(&confirmation).await?.expect(200)?;
        self.sink.wait_for(&transaction.id, 1).await?;
        meter.lap(DELIVERED, intended)
    }
}

impl Default for Parties {
    fn default() -> Self {
        let secrets = Arc::new(Secrets::derive(SECRET));
        Self { bank: CallbackSigner::new(secrets), sources: system_clock::system() }
    }
}

impl Parties {
    /// Pays through a shop's link, as the buyer of this number; returns the payment's ID.
    pub async fn pay(
        &self,
        shop: &Shop,
        number: usize,
        transport: &mut impl Transport,
        intended: Instant,
        meter: &Meter,
    ) -> Result<String> {
        let began = clock::now();
        let transaction = created(transport, &checkout(shop, number, &self.sources)).await?;
        meter.lap(CREATE, began)?;
        let began = clock::now();
        let confirmation = self.confirmation(transaction.pix.txid()?, transaction.amount);
        transport.send(&confirmation).await?.expect(200)?;
        meter.lap(CONFIRM, began)?;
        meter.lap(ACKNOWLEDGED, intended)?;
        Ok(transaction.id)
    }

    fn confirmation(&self, txid: String, amount: i64) -> Request {
        let paid_at = self.sources.now();
        let receipt = PixConfirmation {
            txid,
            end_to_end_id: SandboxBank::end_to_end_id(paid_at, self.sources.random()),
            amount: Cents::new(amount),
            paid_at,
        };
        let (headers, body) = self.bank.confirm_pix(&[receipt]);
        let text = |(name, value): (&'_ _, &'_ _)| pair(name, value);
        let headers: Vec<(String, String)> = headers.iter().map(text).collect();
        let borrowed: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        Request::post("/providers/sandbox/pix", &borrowed, &body)
    }
}

async fn created(transport: &mut impl Transport, request: &Request) -> Result<Transaction> {
    let Created { transaction } = transport.send(request).await?.expect(201)?.json()?;
    Ok(transaction)
}

impl Pix {
    /// The bank's ID of the charge, the last segment of the URL in its code.
    fn txid(&self) -> Result<String> {
        let rest = self.br_code.split_once(ADDRESS).map(|(_, rest)| rest);
        let txid = rest.and_then(|rest| rest.get(..TXID_LENGTH));
        Ok(txid.context("a code without a name of the charge")?.to_owned())
    }
}

/// Every charge has its own buyer and a random idempotency key, as clients send them.
fn checkout(shop: &Shop, number: usize, sources: &Sources) -> Request {
    let path = format!("/api/payment-links/public/slug/{}/checkout", shop.link.slug);
    let email = format!("buyer{number}@example.com");
    let customer = json!({ "name": "Fulano de Tal", "email": email });
    let body = json!({ "method": "PIX", "customer": customer }).to_string();
    let key = Uuid::from_bytes(sources.random()).to_string();
    Request::post(&path, &[("idempotency-key", &key)], body.as_bytes())
}

fn pair(name: &hyper::http::HeaderName, value: &hyper::http::HeaderValue) -> (String, String) {
    (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
}
