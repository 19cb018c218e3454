//! L5: a charge's statements on PostgreSQL, sent with as few waits as their order allows.
//!
//! A lane is one connection that runs many units in one transaction and commits them at once. A
//! unit sends its reads together, then its writes together, and the rows that every charge of a
//! merchant changes last. The units of a lane are woven: one unit's wait is another one's turn, and
//! because one connection runs their statements in order, no unit waits for another one's row. With
//! one merchant a line shows the units in turn as well, which is what a server does that runs each
//! unit of a merchant after the one before. The tables are analyzed after a warm-up: the engine
//! plans by their sizes.

use std::time::Duration;

use anyhow::{Result, ensure};
use futures_util::future::try_join_all;
use tostao::platform::system_clock;

use crate::bench::Bench;
use crate::clock;
use crate::limits::lane::{Lane, Order};
use crate::numbers::{rate, rounded};
use crate::place::RunFolder;
use crate::postgres::connect;
use crate::report::progress;

/// Units that are committed at once.
const GROUP: usize = 64;

/// How lanes are loaded.
struct Shape {
    lanes: usize,
    /// Of each lane.
    merchants: usize,
    order: Order,
}

/// Charges per second.
#[derive(Debug, Clone, Copy)]
pub struct AtBest {
    /// Of one merchant.
    pub hot: f64,
    /// The same, each unit after the one before.
    pub in_turn: f64,
    /// Of many merchants.
    pub spread: f64,
}

/// Prints L5 for one merchant and for many.
pub async fn run(bench: &Bench) -> Result<AtBest> {
    let in_turn = Shape { lanes: 1, merchants: 1, order: Order::InTurn };
    let hot = Shape { order: Order::Woven, ..in_turn };
    let spread = Shape { lanes: 2, merchants: GROUP, order: Order::Woven };
    Ok(AtBest {
        in_turn: run_one(bench, &in_turn).await?,
        hot: run_one(bench, &hot).await?,
        spread: run_one(bench, &spread).await?,
    })
}

async fn run_one(bench: &Bench, shape: &Shape) -> Result<f64> {
    let Shape { lanes: count, merchants, order } = *shape;
    progress(&format!("L5: the statements of a charge, in lanes: {count}, {order}"));
    let place = bench.place().await?;
    place.migrate().await?;
    let sources = system_clock::system();
    let mut lanes = Vec::with_capacity(count);
    for _ in 0..count {
        lanes.push(Lane::open(place.servers_url(), merchants, order, sources.clone()).await?);
    }
    let plan = bench.options.plan();
    let before = run_for(&lanes, plan.warm_up).await?;
    bench.analyze(&place).await?;
    let began = clock::now();
    let done = run_for(&lanes, plan.measure).await?;
    let per_second = rate(done, clock::now() - began);
    drop(lanes);
    prove(&place, before + done).await?;
    place.remove().await?;
    let mut line = bench.line("L5")?;
    line.per_second = Some(rounded(per_second));
    line.with("lanes", count)?
        .with("merchants", count * merchants)?
        .with("units", order.to_string())?
        .with("units_per_commit", GROUP)?
        .with("units_per_charge", 3)?
        .print()?;
    Ok(per_second)
}

async fn run_for(lanes: &[Lane], time: Duration) -> Result<u64> {
    let until = clock::now() + time;
    let work = async |lane: &Lane| {
        let mut done = 0;
        while clock::now() < until {
            done += lane.one_group(GROUP).await?;
        }
        anyhow::Ok(done)
    };
    Ok(try_join_all(lanes.iter().map(work)).await?.into_iter().sum())
}

/// The limit's own ledger has four legs for each charge, and their sum is zero.
async fn prove(place: &RunFolder, charges: u64) -> Result<()> {
    let client = connect(place.url()).await?;
    let sums = "select sum(balance_cents)::bigint, sum(sequence)::bigint
                  from ledger_accounts";
    let row = client.query_one(sums, &[]).await?;
    let (sum, legs): (i64, i64) = (row.get(0), row.get(1));
    let delivered = "select count(*) from webhook_deliveries where status = 'DELIVERED'";
    let delivered: i64 = client.query_one(delivered, &[]).await?.get(0);
    let charges = i64::try_from(charges)?;
    ensure!(
        sum == 0 && legs == 4 * charges && delivered == charges,
        "the limit's own books do not agree"
    );
    Ok(())
}
