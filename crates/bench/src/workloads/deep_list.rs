//! W7: a merchant lists their payments, at the beginning of the list and far into it, and reads
//! what else there is about all of them.
//!
//! The first page, the last numbered page, a cursor up to ten times as deep, and the other reads
//! alternate on the same server, forwards and backwards, so that drift affects all of them alike.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::bench::Bench;
use crate::client::{Connection, Request, Transport};
use crate::clock;
use crate::load::profile::{Target, Timetable};
use crate::load::{Meter, Quantiles};
use crate::numbers::rounded;
use crate::report::{Ratio, progress};
use crate::server::verify_ledger;
use crate::shop::Shop;
use crate::sink::Sink;
use crate::usage::Shares;
use crate::workloads::old::{Old, grow_old};

const ANSWERED: &str = "answered";
const TURNS: f64 = 2.0;
const SHARE: f64 = 0.5;
/// Page numbers reach ten thousand rows deep: a thousand pages of ten.
const PAGE_ROWS: usize = 10;
const LAST_PAGE: u64 = 1_000;
const NUMBERED_ROWS: u64 = 10_000;
/// From there a cursor continues in pages of the maximum size,
const STEP_ROWS: u64 = 100;
/// to the hundred-thousandth row, if there are that many and time allows.
const STEPS: u64 = 900;
const WALK_TIME_MAX: Duration = Duration::from_mins(2);

/// What is read beside the list: the last entries of the balance, the subscriptions' metrics, and
/// the proof of what followed the last proof.
const READS: [(&str, &str); 3] = [
    ("balance entries", "/api/balance/entries"),
    ("subscription metrics", "/api/subscriptions/metrics"),
    ("ledger verification", "/api/ledger/verify"),
];

/// One position in the list, or another read, and its results in this round.
struct Way {
    name: &'static str,
    /// The index of the first row on the page; zero where no list is read.
    depth: u64,
    request: Request,
    per_second: f64,
    shares: Shares,
    timetable: Option<Timetable>,
}

#[derive(Deserialize)]
struct Listed {
    data: Vec<Row>,
    pagination: Pagination,
}

#[derive(Deserialize)]
struct Row {
    id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Pagination {
    total: u64,
    next_cursor: Option<String>,
}

/// Prints W7 for each round and position in the list; ratios are to the first page.
pub async fn run(bench: &Bench) -> Result<()> {
    if bench.cluster.is_some() {
        return bench.line("W7")?.with("skipped", "only SQLite files are loaded")?.print();
    }
    let sink = Sink::open().await?;
    let rows = bench.options.sizes.iter().copied().max().unwrap_or_default();
    let old = grow_old(bench, &sink, "W7", rows).await?;
    let server = bench.server(&old.place).await?;
    let mut ways = ways(server.address, &old).await?;
    let target = bench.target(&server, &old.place);
    for round in 1..=bench.options.rounds {
        let (there, back) = (0..ways.len(), (0..ways.len()).rev());
        for index in there.chain(back) {
            take_turn(&target, &mut ways[index]).await?;
        }
        let first = ways.first().context("there is a first page")?.quantiles()?;
        for way in &mut ways {
            print(bench, &old, way, first, round)?;
            (way.per_second, way.shares) = (0.0, Shares::default());
        }
    }
    old.shops[0].prove_totals(server.address, old.paid()).await?;
    server.stop().await?;
    verify_ledger(&old.place).await?;
    old.place.remove().await
}

/// Finds the positions and checks them.
async fn ways(address: SocketAddr, old: &Old) -> Result<Vec<Way>> {
    let paid = old.paid();
    let enough = NUMBERED_ROWS + 2 * STEP_ROWS;
    ensure!(paid > enough, "W7 takes at least {} transactions", 2 * enough);
    let mut connection = Connection::open(address).await?;
    let shop = &old.shops[0];
    let paged = |page: u64| list(shop, &format!("limit={PAGE_ROWS}&page={page}"));
    let first = look(&mut connection, &paged(1), paid).await?;
    let last = look(&mut connection, &paged(LAST_PAGE), paid).await?;
    progress("W7: walking by cursor");
    let (cursor, depth) = walk(&mut connection, shop, &last).await?;
    let by_cursor = list(shop, &format!("limit={PAGE_ROWS}&cursor={cursor}"));
    let deepest = look(&mut connection, &by_cursor, paid).await?;
    let shown = [&first, &last, &deepest].map(|listed| listed.data.iter().map(|row| &row.id));
    let ids: Vec<&String> = shown.into_iter().flatten().collect();
    ensure!(ids.is_sorted_by(|newer, older| newer > older), "the ways lead to the same rows");
    let page_rows = u64::try_from(PAGE_ROWS)?;
    let mut ways = vec![
        Way::new("first page", 1, paged(1)),
        Way::new("page 1000", NUMBERED_ROWS - page_rows + 1, paged(LAST_PAGE)),
        Way::new("cursor", depth, by_cursor),
    ];
    let get = |path: &str| Request::get(path, &[("api-key", &shop.key)]);
    ways.extend(READS.map(|(name, path)| Way::new(name, 0, get(path))));
    Ok(ways)
}

/// Continues from the last numbered page; returns a cursor and its position.
async fn walk(connection: &mut Connection, shop: &Shop, from: &Listed) -> Result<(String, u64)> {
    let next = |listed: &Listed| listed.pagination.next_cursor.clone();
    let mut cursor = next(from).context("the list ends where numbers do")?;
    let mut depth = NUMBERED_ROWS + 1;
    let until = clock::now() + WALK_TIME_MAX;
    for _ in 0..STEPS {
        let step = list(shop, &format!("limit={STEP_ROWS}&cursor={cursor}"));
        let listed: Listed = connection.send(&step).await?.expect(200)?.json()?;
        // A cursor without a full page after it is not comparable with one that has it.
        let goes_on = listed.pagination.total >= depth + 2 * STEP_ROWS && clock::now() < until;
        match next(&listed).filter(|_| goes_on) {
            Some(next) => cursor = next,
            None => break,
        }
        depth += STEP_ROWS;
    }
    Ok((cursor, depth))
}

/// Checks a full page of a list of that many rows.
async fn look(connection: &mut Connection, request: &Request, total: u64) -> Result<Listed> {
    let listed: Listed = connection.send(request).await?.expect(200)?.json()?;
    let (shown, listed_total) = (listed.data.len(), listed.pagination.total);
    ensure!(shown == PAGE_ROWS, "{shown} rows are shown instead of {PAGE_ROWS}");
    ensure!(listed_total == total, "{total} charges were paid, and {listed_total} are listed");
    Ok(listed)
}

async fn take_turn(target: &Target, way: &mut Way) -> Result<()> {
    progress(&format!("W7: {}", way.name));
    let request = &way.request;
    let work = async |connection: &mut Connection, intended: Instant, meter: &Meter| {
        connection.send(request).await?.expect(200)?;
        meter.lap(ANSWERED, intended)
    };
    let found = target.closed(&work).await?;
    let (timetable, _) = target.open(found.per_second, SHARE, &work).await?;
    way.per_second += found.per_second / TURNS;
    way.shares = way.shares.or_worse(found.usage.shares());
    way.timetable = Some(timetable);
    Ok(())
}

fn print(bench: &Bench, old: &Old, way: &Way, first: Quantiles, round: u16) -> Result<()> {
    let quantiles = way.quantiles()?;
    let mut line = bench.line("W7")?;
    line.per_second = Some(rounded(way.per_second));
    line.p50_ms = Some(quantiles.p50);
    line.p99_ms = Some(quantiles.p99);
    line.ratio = Some(Ratio::new("p99 of the first page", quantiles.p99, first.p99));
    line.with("way", way.name)?
        .with("depth", way.depth)?
        .with("p50_ratio", Ratio::new("p50 of the first page", quantiles.p50, first.p50))?
        .with("existing_transactions", old.past.transactions)?
        .with("listed_transactions", old.paid())?
        .with("database_bytes", old.past.bytes)?
        .with("open", [&way.timetable])?
        .with("round", round)?
        .held_up_by(way.shares)?
        .print()
}

impl Way {
    fn new(name: &'static str, depth: u64, request: Request) -> Self {
        Self { name, depth, request, per_second: 0.0, shares: Shares::default(), timetable: None }
    }

    /// The response times of the last turn, at half of the server's throughput.
    fn quantiles(&self) -> Result<Quantiles> {
        let timetable = self.timetable.as_ref();
        let quantiles = timetable.and_then(|timetable| timetable.laps.get(ANSWERED));
        quantiles.copied().context("no answer came while it counted")
    }
}

fn list(shop: &Shop, query: &str) -> Request {
    Request::get(&format!("/api/v1/transactions?{query}"), &[("api-key", &shop.key)])
}
