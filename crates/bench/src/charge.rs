//! A full charge as the outside world sees it.
//!
//! A buyer pays through a link and gets a code; the bank calls and is answered; the merchant's
//! server hears of it. A charge is done when the last of the three has happened, so a server that
//! answers the first two and leaves the third for later gains nothing.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use db::source::Sources;
use ledger::cents::Cents;
use serde::Deserialize;
use serde_json::json;
use tostao::providers::pix::PixReceipt;
use tostao::providers::sandbox::SandboxBank;
use tostao::providers::sandbox::notary::Notary;
use tostao::secrets::Secrets;
use tostao::sources;

use crate::client::{Connection, Request};
use crate::clock;
use crate::load::Meter;
use crate::server::SECRET;
use crate::shop::Shop;
use crate::sink::Sink;

/// From the start until the bank is answered.
pub const ACKNOWLEDGED: &str = "acknowledged";
/// The buyer's part alone.
pub const CREATE: &str = "create";
/// The bank's part alone.
pub const CONFIRM: &str = "confirm";
/// From the start until the merchant's server has heard of it.
pub const DELIVERED: &str = "delivered";
/// The event that the merchant's server hears.
pub const EVENT: &str = "transaction.paid";

/// Makes charges, in turn for each of some merchants.
pub struct Charges<'a> {
    shops: &'a [Shop],
    sink: &'a Sink,
    bank: Notary,
    sources: Sources,
    started: Cell<usize>,
    paid: Vec<Cell<u64>>,
}

#[derive(Deserialize)]
struct Created {
    transaction: Transaction,
}

#[derive(Deserialize)]
struct Transaction {
    id: String,
    amount: i64,
    pix: Pix,
}

#[derive(Deserialize)]
struct Pix {
    txid: String,
}

impl<'a> Charges<'a> {
    /// Charges for merchants whose events go to a sink.
    pub fn new(shops: &'a [Shop], sink: &'a Sink) -> Self {
        let secrets = Arc::new(Secrets::derive(SECRET));
        Self {
            shops,
            sink,
            bank: Notary::new(secrets),
            sources: sources::system(),
            started: Cell::default(),
            paid: vec![Cell::default(); shops.len()],
        }
    }

    /// The same, for merchants who have had so many charges before.
    pub fn after(shops: &'a [Shop], sink: &'a Sink, before: u64) -> Result<Self> {
        let started = Cell::new(usize::try_from(before)?);
        Ok(Self { started, ..Self::new(shops, sink) })
    }

    /// How many charges of each merchant the bank was answered for.
    pub fn paid(&self) -> Vec<u64> {
        self.paid.iter().map(Cell::get).collect()
    }

    /// Makes one charge, for the merchant whose turn it is among the first `among`.
    pub async fn one(
        &self,
        among: usize,
        connection: &mut Connection,
        intended: Instant,
        meter: &Meter,
    ) -> Result<()> {
        let number = self.started.replace(self.started.get() + 1);
        let turn = number % among;
        let began = clock::now();
        let answer = connection.send(&checkout(&self.shops[turn], number)).await?;
        let Created { transaction } = answer.expect(201)?.json()?;
        meter.lap(CREATE, began)?;
        let began = clock::now();
        connection
            .send(&self.confirmation(transaction.pix.txid, transaction.amount))
            .await?
            .expect(200)?;
        meter.lap(CONFIRM, began)?;
        meter.lap(ACKNOWLEDGED, intended)?;
        self.paid[turn].set(self.paid[turn].get() + 1);
        self.sink.wait_for(&transaction.id, 1).await?;
        meter.lap(DELIVERED, intended)
    }

    fn confirmation(&self, txid: String, amount: i64) -> Request {
        let paid_at = self.sources.now();
        let receipt = PixReceipt {
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

/// Every charge has a buyer of its own.
fn checkout(shop: &Shop, number: usize) -> Request {
    let path = format!("/api/payment-links/public/slug/{}/checkout", shop.link.slug);
    let email = format!("buyer{number}@example.com");
    let customer = json!({ "name": "Fulano de Tal", "email": email });
    let body = json!({ "method": "PIX", "customer": customer }).to_string();
    let key = format!("charge-{number}");
    Request::post(&path, &[("idempotency-key", &key)], body.as_bytes())
}

fn pair(name: &hyper::http::HeaderName, value: &hyper::http::HeaderValue) -> (String, String) {
    (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
}
