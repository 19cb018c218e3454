//! How long it takes until many payments are booked that a bank reports at once.
//!
//! Each notice names another payment. The bank is asked about every one of them before it is
//! booked.

use std::cell::RefCell;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use futures_util::future::try_join_all;
use serde_json::json;

use super::{charge, new_charge};
use crate::bank::{Bank, at};
use crate::bench::Bench;
use crate::client::{Connection, Request, Transport};
use crate::clock;
use crate::load::{Meter, Plan};
use crate::numbers::{float, rate, rounded};
use crate::report::{Ratio, progress};
use crate::shop::Shop;

const BOOKED_IN_MAX: Duration = Duration::from_secs(60);
/// Reconciliation would book them after five minutes, and so prove nothing about notices.
const GIVEN_UP_AFTER: Duration = Duration::from_secs(240);
const LOOK_EVERY: Duration = Duration::from_millis(100);
const PAID: &str = "/api/v1/transactions?status=PAID&limit=1";
const TAKEN: &str = "taken";

/// Prints it.
pub async fn run(bench: &Bench) -> Result<()> {
    let count = bench.options.notices;
    progress(&format!("W12: {count} notices"));
    let place = bench.place().await?;
    let bank = Bank::open(&place).await?;
    let (server, door) = bank.connect(async || bench.server(&place).await, &place).await?;
    // The bank's own notices would come one by one, as the payments do.
    bank.at("/__notify", &json!({ "lose": true })).await?;
    let shop = Shop::open_in_production(server.address, 0).await?;
    let request = new_charge(&shop.key);
    let txids = RefCell::new(Vec::with_capacity(count));
    each(bench, server.address, (0..count).collect(), async |connection, _| {
        let txid = charge(connection, &request).await?;
        txids.borrow_mut().push(txid);
        Ok(())
    })
    .await?;
    let payments = pay(&bank, &txids.into_inner()).await?;
    // Every notice counts: none arrives in a second part of the measurement.
    let meter = Meter::new(Plan { warm_up: Duration::ZERO, measure: GIVEN_UP_AFTER });
    let path = format!("{door}/pix");
    let began = clock::now();
    let answered = each(bench, server.address, payments, async |connection, payment| {
        let body = json!({ "pix": [{ "endToEndId": payment, "txid": "", "valor": "0.01" }] });
        let (request, sent) =
            (Request::post(&path, &[], body.to_string().as_bytes()), clock::now());
        connection.send(&request).await?.expect(200)?;
        meter.lap(TAKEN, sent)
    })
    .await?;
    while shop.total(server.address, PAID).await? < u64::try_from(count)? {
        let waited = clock::now().duration_since(began);
        ensure!(waited < GIVEN_UP_AFTER, "not every payment was booked in {GIVEN_UP_AFTER:?}");
        clock::pause(LOOK_EVERY).await;
    }
    let booked = clock::now().duration_since(began);
    shop.prove_books(server.address, u64::try_from(count)?).await?;
    server.stop().await?;
    place.remove().await?;
    let quantiles = meter.all_quantiles().get(TAKEN).copied().context("no notice was measured")?;
    let mut line = bench.line("W12_notices")?;
    line.per_second = Some(rounded(rate(u64::try_from(count)?, booked)));
    (line.p50_ms, line.p99_ms) = (Some(quantiles.p50), Some(quantiles.p99));
    let limit = BOOKED_IN_MAX.as_secs_f64() * float(u64::try_from(count)?) / 10_000.0;
    line.ratio = Some(Ratio::new("limit_s", booked.as_secs_f64(), limit));
    line.with("notices", count)?
        .with("answered_in_s", rounded(answered.as_secs_f64()))?
        .with("booked_in_s", rounded(booked.as_secs_f64()))?
        .with("booked_in_s_limit", rounded(limit))?
        .print()
}

/// Pays each charge at the bank; returns the payments' end-to-end ids.
async fn pay(bank: &Bank, txids: &[String]) -> Result<Vec<String>> {
    let mut connection = Connection::open(bank.control).await?;
    let mut payments = Vec::with_capacity(txids.len());
    for txid in txids {
        let payment = json!({ "dialect": "efi", "charge": txid });
        let paid = at(&mut connection, "/__pay", &payment).await?;
        let id = paid["e2e"][0].as_str().context("a payment without an id")?;
        payments.push(id.to_owned());
    }
    Ok(payments)
}

/// Does something with each item, by as many callers as the options say; returns how long it took.
async fn each<T>(
    bench: &Bench,
    address: std::net::SocketAddr,
    items: Vec<T>,
    work: impl AsyncFn(&mut Connection, T) -> Result<()>,
) -> Result<Duration> {
    let (left, began) = (RefCell::new(items), clock::now());
    let call = async || {
        let mut connection = Connection::open(address).await?;
        loop {
            let next = left.borrow_mut().pop();
            let Some(item) = next else { return anyhow::Ok(()) };
            work(&mut connection, item).await?;
        }
    };
    try_join_all((0..bench.options.callers()).map(|_| call())).await?;
    Ok(clock::now().duration_since(began))
}
