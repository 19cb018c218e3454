//! What the product adds to a bank's own time for a PIX charge.
//!
//! Three timetables at the same rate: a bare client calls the bank as the product would, a merchant
//! makes charges through the product, and a merchant makes simulated ones, for which no bank is
//! called. The first is what the bank takes; the last, what the product takes without a bank.

use std::cell::Cell;
use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::json;

use super::new_charge;
use crate::bank::{Bank, KEY};
use crate::bench::Bench;
use crate::client::{Connection, Request, Transport};
use crate::load::{Meter, Quantiles, open};
use crate::numbers::rounded;
use crate::report::{Ratio, progress};
use crate::shop::Shop;

const CHARGES_PER_SECOND: f64 = 200.0;
const ADDED_MS_MAX: f64 = 2.0;
const ANSWERED: &str = "answered";

/// Prints it.
pub async fn run(bench: &Bench) -> Result<()> {
    progress("W12: PIX charges by a bank");
    let place = bench.place().await?;
    let bank = Bank::open(&place).await?;
    let (server, _) = bank.connect(async || bench.server(&place).await, &place).await?;
    let real = Shop::open_in_production(server.address, 0).await?;
    let simulated = Shop::open(server.address, 1).await?;
    let target = bench.target(&server, &place);
    let load = async |key: &str| {
        let request = new_charge(key);
        let work = async |connection: &mut Connection, intended: Instant, meter: &Meter| {
            connection.send(&request).await?.expect(201)?;
            meter.lap(ANSWERED, intended)
        };
        target.open(CHARGES_PER_SECOND, 1.0, work).await
    };
    let bare = bare(bench, &bank).await?;
    let (through, made) = load(&real.key).await?;
    let (without, _) = load(&simulated.key).await?;
    real.prove_sums(server.address).await?;
    server.stop().await?;
    place.remove().await?;
    let quantiles = |laps: Option<&Quantiles>| laps.copied().context("no charge was measured");
    let (through, without) =
        (quantiles(through.laps.get(ANSWERED))?, quantiles(without.laps.get(ANSWERED))?);
    let added = |whole: f64, part: f64| rounded(whole - part);
    let mut line = bench.line("W12_issue")?;
    line.per_second = Some(CHARGES_PER_SECOND);
    (line.p50_ms, line.p99_ms) = (Some(through.p50), Some(through.p99));
    line.ratio = Some(Ratio::new("limit_ms", through.p50 - bare.p50, ADDED_MS_MAX));
    line.with("bank_p50_ms", bare.p50)?
        .with("bank_p99_ms", bare.p99)?
        .with("added_p50_ms", added(through.p50, bare.p50))?
        .with("added_p99_ms", added(through.p99, bare.p99))?
        .with("added_p50_ms_limit", ADDED_MS_MAX)?
        .with("without_bank_p50_ms", without.p50)?
        .with("without_bank_p99_ms", without.p99)?
        .with("of_connection_p50_ms", added(through.p50 - bare.p50, without.p50))?
        .with("charges", made)?
        .print()
}

/// The bank's own times, as a client sees them that does nothing else.
async fn bare(bench: &Bench, bank: &Bank) -> Result<Quantiles> {
    let (config, bearer) = (bank.tls()?, bank.bearer().await?);
    let body = json!({
        "calendario": { "expiracao": 3_600 }, "valor": { "original": "149.90" }, "chave": KEY,
        "solicitacaoPagador": "Padaria",
    });
    let (body, number) = (body.to_string(), Cell::new(0_u64));
    let work = async |connection: &mut Connection, intended: Instant, meter: &Meter| {
        let path = format!("/v2/cob/{:032x}", number.replace(number.get() + 1));
        let request = Request::put(&path, &[("authorization", &bearer)], body.as_bytes());
        connection.send(&request).await?.expect(201)?;
        meter.lap(ANSWERED, intended)
    };
    let dial = async || Connection::open_tls(bank.api, config.clone()).await;
    let callers = bench.options.callers();
    let plan = bench.options.plan();
    let meter = open::run_over(dial, callers, CHARGES_PER_SECOND, plan, work).await?;
    meter.all_quantiles().get(ANSWERED).copied().context("the bank was not measured")
}
