//! The API of development mode, alone and beside charges that wait for a bank.
//!
//! Both are measured in turns, and their medians compared: one slow moment of the machine would
//! otherwise decide a percentile.
//!
//! The bank is slow first: it answers each charge after seconds, and as many charges wait as a
//! connection has places. Then it answers none, until the connection leaves it alone.

use std::cell::Cell;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use futures_util::future::try_join_all;
use serde_json::{Value, json};

use super::new_charge;
use crate::bank::Bank;
use crate::bench::Bench;
use crate::client::{Connection, Request, Transport};
use crate::clock;
use crate::load::profile::Target;
use crate::load::{Meter, Quantiles};
use crate::report::{Ratio, progress};
use crate::shop::Shop;

const CALLS_PER_SECOND: f64 = 480.0;
const RATIO_MAX: f64 = 1.2;
/// As many calls as a connection has in flight.
const WAITING: u32 = 32;
const ANSWERS_AFTER_MS: u64 = 6_000;
/// A merchant who was refused tries again after this long.
const RETURN_AFTER: Duration = Duration::from_secs(1);
/// Merchants do not act in step, so each one begins this much after the one before.
const APART: Duration = Duration::from_millis(31);
const CALL: &str = "call";
/// Which turns are beside charges that wait; neither kind is always the later one.
const BESIDE: [bool; 10] = [false, true, true, false, false, true, true, false, false, true];

/// What became of the charges that waited.
#[derive(Default)]
struct Waits {
    made: Cell<u64>,
    refused: Cell<u64>,
}

/// Prints both.
pub async fn run(bench: &Bench) -> Result<()> {
    let slow = json!({ "operation": "efi.cob.create", "fault": "slow", "ms": ANSWERS_AFTER_MS });
    measure(bench, "slow", &slow).await?;
    let silent = json!({ "operation": "efi.cob.*", "fault": "no_answer" });
    measure(bench, "silent", &silent).await
}

async fn measure(bench: &Bench, name: &str, fault: &Value) -> Result<()> {
    progress(&format!("W12: the API beside a {name} bank"));
    let place = bench.place().await?;
    let bank = Bank::open(&place).await?;
    let (server, _) = bank.connect(async || bench.server(&place).await, &place).await?;
    let real = Shop::open_in_production(server.address, 0).await?;
    let other = Shop::open(server.address, 1).await?;
    let target = bench.target(&server, &place);
    bank.at("/__fault", fault).await?;
    let waits = Waits::default();
    let (mut alone, mut beside) = (Vec::new(), Vec::new());
    for is_beside in BESIDE {
        if !is_beside {
            alone.push(calls(&target, &other.key).await?);
            continue;
        }
        beside.push(tokio::select! {
            found = calls(&target, &other.key) => found?,
            broken = wait_for_the_bank(server.address, &real.key, &waits) => return broken,
        });
    }
    server.stop().await?;
    place.remove().await?;
    let mut line = bench.line("W12_hanging")?;
    let (p50_alone, p99_alone) = (median(&alone, |it| it.p50), median(&alone, |it| it.p99));
    let (p50, p99) = (median(&beside, |it| it.p50), median(&beside, |it| it.p99));
    (line.p50_ms, line.p99_ms) = (Some(p50), Some(p99));
    line.ratio = Some(Ratio::new("alone", p99, p99_alone));
    line.with("bank", name)?
        .with("ratio_limit", RATIO_MAX)?
        .with("p50_alone_ms", p50_alone)?
        .with("p99_alone_ms", p99_alone)?
        .with("p99_each_ms", beside.iter().map(|it| it.p99).collect::<Vec<_>>())?
        .with("p99_alone_each_ms", alone.iter().map(|it| it.p99).collect::<Vec<_>>())?
        .with("charges_waiting", WAITING)?
        .with("charges_made", waits.made.get())?
        .with("charges_refused", waits.refused.get())?
        .print()
}

fn median(turns: &[Quantiles], of: impl Fn(&Quantiles) -> f64) -> f64 {
    let mut all: Vec<f64> = turns.iter().map(of).collect();
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

/// The balance, a list and a charge in turn, in development mode.
async fn calls(target: &Target, key: &str) -> Result<Quantiles> {
    let headers = [("api-key", key)];
    let requests = [
        (Request::get("/api/withdraws/balance", &headers), 200),
        (Request::get("/api/v1/transactions?limit=20", &headers), 200),
        (new_charge(key), 201),
    ];
    let turn = Cell::new(0);
    let work = async |connection: &mut Connection, intended: Instant, meter: &Meter| {
        let (request, status) = &requests[turn.replace(turn.get() + 1) % requests.len()];
        connection.send(request).await?.expect(*status)?;
        meter.lap(CALL, intended)
    };
    let (timetable, _) = target.open(CALLS_PER_SECOND, 1.0, work).await?;
    timetable.laps.get(CALL).copied().context("no call was measured")
}

/// Makes charges of real money until something fails that a hanging bank does not explain.
async fn wait_for_the_bank(address: SocketAddr, key: &str, waits: &Waits) -> Result<()> {
    let request = new_charge(key);
    let wait = async |apart: Duration| -> Result<()> {
        clock::pause(apart).await;
        let mut connection = Connection::open(address).await?;
        loop {
            let status = connection.send(&request).await?.status;
            ensure!(matches!(status, 201 | 503), "a charge returned {status}");
            if status == 201 {
                waits.made.set(waits.made.get() + 1);
            } else {
                waits.refused.set(waits.refused.get() + 1);
                clock::pause(RETURN_AFTER).await;
            }
        }
    };
    try_join_all((0..WAITING).map(|number| wait(APART * number))).await.map(drop)
}
