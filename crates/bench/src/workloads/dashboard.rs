//! W14: a merchant with a long history reads the dashboard, beside full charges at half the rate
//! that the server reaches.
//!
//! The largest of the sizes is the number of their payments, over a year. Each page is measured
//! against its budget, from the request to the last byte of the response, one after another.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::client::conn::http1::handshake;
use hyper::header;
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use tokio::net::TcpStream;
use tokio::task::spawn_local;

use crate::bench::Bench;
use crate::charge::{Charges, EVENT};
use crate::client::{Connection, Request, Transport};
use crate::clock;
use crate::load::Meter;
use crate::numbers::{float, rate, rounded};
use crate::past::postgres;
use crate::place::RunFolder;
use crate::report::{Ratio, progress};
use crate::server::Server;
use crate::shop::{Shop, cookies};
use crate::sink::Sink;
use crate::usage::memory;
use crate::workloads::old::{Old, grow_old_in};

const YEAR: Duration = Duration::from_secs(365 * 24 * 3600);
/// The share of the server's charges that are made beside the reader.
const SHARE: f64 = 0.5;
/// How long the reader looks at a page.
const LOOKS: Duration = Duration::from_millis(20);
/// A home page that sums a month takes seconds, and one whose days are kept a fraction of this.
const KEPT_ONCE_WITHIN: Duration = Duration::from_millis(200);
const KEPT_WITHIN: Duration = Duration::from_secs(600);
const LOOK_AGAIN: Duration = Duration::from_secs(2);
const EXPORT: &str = "/dashboard/dev/transactions/export?format=csv";
const EXPORTED_PER_SECOND_MIN: f64 = 20_000.0;
const EXPORT_KIB_MAX: f64 = 32.0 * 1024.0;

/// The pages, each with its budget for the 95th percentile in milliseconds. `{id}` stands for a
/// payment, `{cursor}` for a place 10,000 rows down, `{from}` and `{to}` for a month.
const PAGES: [(&str, f64, &str); 13] = [
    ("home", 40.0, "/dashboard/dev"),
    ("payments", 15.0, "/dashboard/dev/transactions"),
    ("payments, by cursor", 15.0, "/dashboard/dev/transactions?cursor={cursor}"),
    ("a payment", 20.0, "/dashboard/dev/transactions/{id}"),
    ("paid in a month", 200.0, "/dashboard/dev/transactions?status=PAID&from={from}&to={to}"),
    ("a text in a month", 200.0, "/dashboard/dev/transactions?q=unknown&from={from}&to={to}"),
    ("a text in all", 2_000.0, "/dashboard/dev/transactions?q=unknown&searchAll=on"),
    ("clients", 15.0, "/dashboard/dev/clients"),
    ("links", 15.0, "/dashboard/dev/links"),
    ("balance", 30.0, "/dashboard/dev/balance"),
    ("receivables", 30.0, "/dashboard/dev/balance/receivables"),
    ("webhooks", 30.0, "/dashboard/dev/developers/webhooks"),
    ("requests", 15.0, "/dashboard/dev/developers/requests"),
];

/// A page, ready to be asked for.
struct Read {
    name: &'static str,
    budget_ms: f64,
    request: Request,
}

#[derive(Deserialize)]
struct Listed {
    data: Vec<Row>,
    pagination: Pagination,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    id: String,
    created_at: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Pagination {
    next_cursor: Option<String>,
}

/// Prints a line for each page, and one for an export of every payment.
pub async fn run(bench: &Bench) -> Result<()> {
    let sink = Sink::open().await?;
    let rows = bench.options.sizes.iter().copied().max().unwrap_or_default();
    let file = RunFolder::new(&bench.options.folder(), None).await?;
    // Every second one is the first merchant's.
    let old = grow_old_in(bench, file, &sink, "W14", (2 * rows, YEAR)).await?;
    let old = move_to_cluster(bench, old).await?;
    let server = bench.server(&old.place).await?;
    let cookies = cookies(server.address, 0).await?;
    let reads = reads(server.address, &old.shops[0], &cookies).await?;
    old.shops[0].subscribe(server.address, &sink.url(1), &[EVENT]).await?;
    let Some(home) = reads.first() else { return Ok(()) };
    progress("W14: until the figures of the days that are over are kept");
    keep_days(server.address, home).await?;
    let charges = Charges::after(&old.shops, &sink, old.paid())?;
    let work = async |connection: &mut Connection, intended: Instant, meter: &Meter| {
        charges.one(1, connection, intended, meter).await
    };
    let target = bench.target(&server, &old.place);
    progress("W14: charges alone");
    let alone = target.closed(&work).await?.per_second;
    progress("W14: pages beside charges");
    let seen = Meter::new(bench.options.plan());
    tokio::select! {
        found = target.open(alone, SHARE, &work) => drop(found?),
        broken = look(server.address, &reads, &seen) => return broken,
    }
    let quantiles = seen.all_quantiles();
    for read in &reads {
        let found =
            quantiles.get(read.name).with_context(|| format!("no {} in time", read.name))?;
        let mut line = bench.line("W14")?;
        (line.p50_ms, line.p99_ms) = (Some(found.p50), Some(found.p99));
        line.ratio = Some(Ratio::new("its budget", found.p95, read.budget_ms));
        line.with("page", read.name)?
            .with("p95_ms", found.p95)?
            .with("existing_transactions", old.paid())?
            .with("charges_beside", rounded(alone * SHARE))?
            .print()?;
    }
    export(bench, &server, &cookies, &old).await?;
    server.stop().await?;
    old.place.remove().await
}

/// The same history in a database of the cluster, if there is one.
async fn move_to_cluster(bench: &Bench, old: Old) -> Result<Old> {
    if bench.cluster.is_none() {
        return Ok(old);
    }
    let place = bench.place().await?;
    place.migrate().await?;
    postgres::copy(&old.place.file(), place.url()).await?;
    old.place.remove().await?;
    Ok(Old { place, ..old })
}

/// The requests for the pages, of a person with these cookies.
async fn reads(address: SocketAddr, shop: &Shop, cookies: &str) -> Result<Vec<Read>> {
    let mut connection = Connection::open(address).await?;
    let listing =
        Request::get("/api/v1/transactions?limit=100&page=100", &[("api-key", shop.key.as_str())]);
    let listed: Listed = connection.send(&listing).await?.expect(200)?.json()?;
    let row = listed.data.first().context("a history without payments")?;
    let cursor = listed.pagination.next_cursor.context("a history that ends at once")?;
    let day = row.created_at.get(..10).context("a payment without a date")?;
    let month = day.get(..7).context("a date without a month")?;
    let headers = [("cookie", cookies), ("accept", "text/html"), ("accept-encoding", "gzip")];
    let read = |(name, budget_ms, path): (&'static str, f64, &str)| {
        let path = path
            .replace("{id}", &row.id)
            .replace("{cursor}", &cursor)
            .replace("{from}", &format!("{month}-01"))
            .replace("{to}", day);
        Read { name, budget_ms, request: Request::get(&path, &headers) }
    };
    Ok(PAGES.map(read).into())
}

/// Waits until a server has kept what it sums from a history that others have written; it begins
/// with that when it starts.
async fn keep_days(address: SocketAddr, home: &Read) -> Result<()> {
    let deadline = clock::now() + KEPT_WITHIN;
    let mut connection = Connection::open(address).await?;
    loop {
        let began = clock::now();
        let is_answered = connection.send(&home.request).await?.status == 200;
        if is_answered && clock::now() - began < KEPT_ONCE_WITHIN {
            return Ok(());
        }
        anyhow::ensure!(clock::now() < deadline, "{} stays slow", home.name);
        clock::pause(LOOK_AGAIN).await;
    }
}

/// Reads page after page until something fails.
async fn look(address: SocketAddr, reads: &[Read], seen: &Meter) -> Result<()> {
    let mut connection = Connection::open(address).await?;
    loop {
        for read in reads {
            let began = clock::now();
            let answer = connection.send(&read.request).await?.expect(200);
            answer.with_context(|| read.name)?;
            seen.lap(read.name, began)?;
            clock::pause(LOOKS).await;
        }
    }
}

/// Exports all payments, and prints how many rows a second that are.
async fn export(bench: &Bench, server: &Server, cookies: &str, old: &Old) -> Result<()> {
    progress("W14: an export of every payment");
    let before = memory(server.pid)?;
    let began = clock::now();
    let stream = TokioIo::new(TcpStream::connect(server.address).await?);
    let (mut sender, connection) = handshake(stream).await?;
    spawn_local(async move { drop(connection.await) });
    let request = hyper::Request::get(EXPORT)
        .header(header::HOST, "localhost")
        .header(header::COOKIE, cookies)
        .body(Empty::<Bytes>::new())?;
    let mut response = sender.send_request(request).await?;
    anyhow::ensure!(response.status() == 200, "the export answers {}", response.status());
    let (mut lines, mut bytes) = (0_u64, 0_u64);
    while let Some(frame) = response.frame().await {
        let part = frame?.into_data().unwrap_or_default();
        lines += u64::try_from(part.split(|byte| *byte == b'\n').count() - 1)?;
        bytes += u64::try_from(part.len())?;
    }
    let per_second = rate(lines, clock::now() - began);
    let grown = float(memory(server.pid)?.peak.saturating_sub(before.now));
    let mut line = bench.line("W14_export")?;
    line.per_second = Some(rounded(per_second));
    line.ratio = Some(Ratio::new("its budget", per_second, EXPORTED_PER_SECOND_MIN));
    line.with("rows", lines)?
        .with("bytes", bytes)?
        .with("existing_transactions", old.paid())?
        .with("memory_ratio", Ratio::new("its budget", grown, EXPORT_KIB_MAX))?
        .print()
}
