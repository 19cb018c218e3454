//! W6: full charges with few and with many existing transactions.
//!
//! The databases alternate, smallest to largest and back, so that drift affects all of them alike.

use std::time::Instant;

use anyhow::{Context, Result};

use crate::bench::Bench;
use crate::charge::{ACKNOWLEDGED, Charges};
use crate::client::Connection;
use crate::load::Meter;
use crate::load::profile::Timetable;
use crate::numbers::rounded;
use crate::report::{Ratio, progress};
use crate::server::verify_ledger;
use crate::sink::Sink;
use crate::usage::Shares;
use crate::workloads::old::{Old, grow_old};

const TURNS: f64 = 2.0;
const SHARE: f64 = 0.5;

/// A database with a history, and its results in this round.
struct Aged {
    old: Old,
    /// The merchant's charges, including the history.
    paid: u64,
    per_second: f64,
    shares: Shares,
    timetable: Option<Timetable>,
}

/// Prints W6 for each round and number of rows; ratios are to the first.
pub async fn run(bench: &Bench) -> Result<()> {
    if bench.cluster.is_some() {
        return bench.line("W6")?.with("skipped", "only SQLite files are loaded")?.print();
    }
    let sink = Sink::open().await?;
    let mut aged = Vec::new();
    for rows in &bench.options.sizes {
        aged.push(Aged::new(grow_old(bench, &sink, "W6", *rows).await?));
    }
    for round in 1..=bench.options.rounds {
        let (there, back) = (0..aged.len(), (0..aged.len()).rev());
        for index in there.chain(back) {
            take_turn(bench, &sink, &mut aged[index]).await?;
        }
        let first = aged.first().map_or(f64::NAN, |aged| aged.per_second);
        for aged in &mut aged {
            print(bench, aged, first, round)?;
            (aged.per_second, aged.shares) = (0.0, Shares::default());
        }
    }
    for aged in aged {
        verify(bench, &aged).await?;
        aged.old.place.remove().await?;
    }
    Ok(())
}

impl Aged {
    fn new(old: Old) -> Self {
        let paid = old.paid();
        Self { old, paid, per_second: 0.0, shares: Shares::default(), timetable: None }
    }
}

async fn take_turn(bench: &Bench, sink: &Sink, aged: &mut Aged) -> Result<()> {
    progress(&format!("W6: charges beside {} transactions", aged.old.past.transactions));
    let server = bench.server(&aged.old.place).await?;
    let charges = Charges::after(&aged.old.shops, sink, aged.paid)?;
    let target = bench.target(&server, &aged.old.place);
    let work = async |connection: &mut Connection, intended: Instant, meter: &Meter| {
        charges.one(1, connection, intended, meter).await
    };
    let found = target.closed(&work).await?;
    aged.per_second += found.per_second / TURNS;
    aged.shares = aged.shares.or_worse(found.usage.shares());
    aged.timetable = Some(target.open(found.per_second, SHARE, &work).await?.0);
    aged.paid += charges.paid().iter().sum::<u64>();
    server.stop().await
}

/// Once, after every round: it reads the whole history.
async fn verify(bench: &Bench, aged: &Aged) -> Result<()> {
    progress(&format!("W6: verifying {} payments", aged.paid));
    let server = bench.server(&aged.old.place).await?;
    aged.old.shops[0].prove_totals(server.address, aged.paid).await?;
    server.stop().await?;
    verify_ledger(&aged.old.place).await
}

fn print(bench: &Bench, aged: &Aged, first: f64, round: u16) -> Result<()> {
    let timetable = aged.timetable.as_ref().context("a database that never had its turn")?;
    let mut line = bench.line("W6")?;
    line.per_second = Some(rounded(aged.per_second));
    let quantiles = timetable.laps.get(ACKNOWLEDGED);
    line.p50_ms = quantiles.map(|quantiles| quantiles.p50);
    line.p99_ms = quantiles.map(|quantiles| quantiles.p99);
    line.ratio = Some(Ratio::new("the fewest transactions", aged.per_second, first));
    line.with("existing_transactions", aged.old.past.transactions)?
        .with("existing_rows", aged.old.past.rows)?
        .with("database_bytes", aged.old.past.bytes)?
        .with("open", [timetable])?
        .with("round", round)?
        .with("paid", aged.paid)?
        .held_up_by(aged.shares)?
        .print()
}
