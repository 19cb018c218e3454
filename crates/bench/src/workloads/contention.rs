//! W9: full charges on one hot merchant, and spread over many.
//!
//! The two alternate on the same server, hot, spread, spread, hot, so that drift affects both
//! alike.

use std::time::Instant;

use anyhow::Result;

use crate::bench::Bench;
use crate::charge::{ACKNOWLEDGED, Charges, EVENT};
use crate::client::Connection;
use crate::limits::yardsticks::{Found, Yardsticks};
use crate::load::Meter;
use crate::numbers::rounded;
use crate::report::{Ratio, progress};
use crate::shop::Shop;
use crate::sink::Sink;
use crate::usage::Shares;

const TURNS: f64 = 2.0;
const SHARE: f64 = 0.5;

/// Prints the limits before and after, and W9.
pub async fn run(bench: &Bench) -> Result<()> {
    let yardsticks = Yardsticks::before(bench).await?;
    progress("W9: one hot merchant");
    let (place, sink) = (bench.place().await?, Sink::open().await?);
    let nodes = bench.nodes(&place).await?;
    let first = nodes[0].address;
    let mut shops = Vec::new();
    for number in 0..bench.options.merchants.max(1) {
        let shop = Shop::open(first, number).await?;
        shop.subscribe(first, &sink.url(number), &[EVENT]).await?;
        shops.push(shop);
    }
    let charges = Charges::new(&shops, &sink);
    let target = bench.target_of_nodes(&nodes, &place);
    let among_all = async |connection: &mut Connection, intended: Instant, meter: &Meter| {
        charges.one(shops.len(), connection, intended, meter).await
    };
    target.prime(among_all).await?;
    bench.analyze(&place).await?;
    let (mut hot, mut spread) = (0.0, 0.0);
    let mut shares = Shares::default();
    for among in [1, shops.len(), shops.len(), 1] {
        let work = async |connection: &mut Connection, intended: Instant, meter: &Meter| {
            charges.one(among, connection, intended, meter).await
        };
        let found = target.closed(work).await?;
        shares = shares.or_worse(found.usage.shares());
        let sum = if among == 1 { &mut hot } else { &mut spread };
        *sum += found.per_second / TURNS;
    }
    let work = async |connection: &mut Connection, intended: Instant, meter: &Meter| {
        charges.one(1, connection, intended, meter).await
    };
    let (timetable, _) = target.open(hot, SHARE, work).await?;
    for (shop, paid) in shops.iter().zip(charges.paid()) {
        shop.prove(first, paid).await?;
    }
    for node in nodes {
        node.stop().await?;
    }
    place.remove().await?;
    let mut line = bench.line("W9")?;
    line.per_second = Some(rounded(hot));
    let quantiles = timetable.laps.get(ACKNOWLEDGED);
    line.p50_ms = quantiles.map(|quantiles| quantiles.p50);
    line.p99_ms = quantiles.map(|quantiles| quantiles.p99);
    let found = [Found::OneMerchant(hot), Found::Spread(spread)];
    let mut line = yardsticks.after(line, &found).await?;
    line.ratio = Some(Ratio::new("spread", hot, spread));
    line.with("spread_per_second", rounded(spread))?
        .with("merchants", shops.len())?
        .with("nodes", bench.options.nodes)?
        .with("open", [timetable])?
        .held_up_by(shares)?
        .with("proved_paid", charges.paid().iter().sum::<u64>())?
        .print()
}
