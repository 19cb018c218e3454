//! W6: full charges beside a few and beside many existing transactions.
//!
//! The databases take turns, smallest to largest and back, so that what drifts meanwhile weighs on
//! all of them alike.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::bench::Bench;
use crate::charge::{ACKNOWLEDGED, Charges, EVENT};
use crate::client::Connection;
use crate::load::Meter;
use crate::load::profile::Timetable;
use crate::numbers::rounded;
use crate::past::{Past, load};
use crate::place::Place;
use crate::report::{Ratio, tell};
use crate::shop::Shop;
use crate::sink::Sink;

const TURNS: f64 = 2.0;
const SHARE: f64 = 0.5;

/// A database with a past.
struct Aged {
    place: Place,
    shops: [Shop; 1],
    past: Past,
    /// The merchant's charges, those of the past included.
    paid: u64,
    per_second: f64,
    others_share: f64,
    timetable: Option<Timetable>,
}

/// Prints W6 for each number of rows; ratios are to the first.
pub async fn run(bench: &Bench) -> Result<()> {
    if bench.cluster.is_some() {
        return bench.line("W6")?.with("skipped", "only SQLite files are loaded")?.print();
    }
    let sink = Sink::open().await?;
    let mut aged = Vec::new();
    for rows in &bench.options.rows {
        aged.push(grow_old(bench, &sink, *rows).await?);
    }
    let (there, back) = (0..aged.len(), (0..aged.len()).rev());
    for index in there.chain(back) {
        take_turn(bench, &sink, &mut aged[index]).await?;
    }
    let first = aged.first().map_or(f64::NAN, |aged| aged.per_second);
    for aged in aged {
        print(bench, &aged, first)?;
        aged.place.remove().await?;
    }
    Ok(())
}

/// Makes one charge through the product and multiplies it.
async fn grow_old(bench: &Bench, sink: &Sink, rows: u64) -> Result<Aged> {
    tell(&format!("W6: loading {rows} transactions"));
    let place = bench.place().await?;
    let server = bench.server(&place).await?;
    let shops = [Shop::open(server.address, 0).await?];
    shops[0].subscribe(server.address, &sink.url(0), &[EVENT]).await?;
    let meter = Meter::new(bench.options.plan());
    let mut connection = Connection::open(server.address).await?;
    let charges = Charges::new(&shops, sink);
    charges.one(1, &mut connection, crate::clock::now(), &meter).await?;
    drop(connection);
    server.stop().await?;
    let past = load(&place.file(), rows, Duration::from_secs(bench.options.load_time))?;
    let paid = past.of_first_merchant + 1;
    Ok(Aged { place, shops, past, paid, per_second: 0.0, others_share: 0.0, timetable: None })
}

async fn take_turn(bench: &Bench, sink: &Sink, aged: &mut Aged) -> Result<()> {
    tell(&format!("W6: charges beside {} transactions", aged.past.transactions));
    let server = bench.server(&aged.place).await?;
    let charges = Charges::after(&aged.shops, sink, aged.paid)?;
    let target = bench.target(&server, &aged.place);
    let work = async |connection: &mut Connection, intended: Instant, meter: &Meter| {
        charges.one(1, connection, intended, meter).await
    };
    let found = target.closed(&work).await?;
    aged.per_second += found.per_second / TURNS;
    aged.others_share = aged.others_share.max(found.usage.others_share());
    aged.timetable = Some(target.open(found.per_second, SHARE, &work).await?.0);
    aged.paid += charges.paid().iter().sum::<u64>();
    aged.shops[0].prove_books(server.address, aged.paid).await?;
    server.stop().await
}

fn print(bench: &Bench, aged: &Aged, first: f64) -> Result<()> {
    let timetable = aged.timetable.as_ref().context("a database that never had its turn")?;
    let mut line = bench.line("W6")?;
    line.per_second = Some(rounded(aged.per_second));
    let quantiles = timetable.laps.get(ACKNOWLEDGED);
    line.p50_ms = quantiles.map(|quantiles| quantiles.p50);
    line.p99_ms = quantiles.map(|quantiles| quantiles.p99);
    line.ratio = Some(Ratio::new("the fewest transactions", aged.per_second, first));
    line.with("existing_transactions", aged.past.transactions)?
        .with("existing_rows", aged.past.rows)?
        .with("database_bytes", aged.past.bytes)?
        .with("open", [timetable])?
        .with("proved_paid", aged.paid)?
        .with("others_share", aged.others_share)?
        .print()
}
