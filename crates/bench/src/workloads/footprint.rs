//! The idle footprint of the product, before and after a load: memory, time to start, size on disk.

use std::cell::Cell;
use std::net::SocketAddr;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;
use futures_util::future::try_join_all;
use serde_json::json;

use crate::bench::Bench;
use crate::charge::{Charges, EVENT};
use crate::client::{Connection, Request, Transport};
use crate::clock;
use crate::load::Meter;
use crate::numbers::{float, micros, millis};
use crate::report::{Ratio, progress};
use crate::server::{Server, program};
use crate::shop::{Shop, sign_in};
use crate::sink::Sink;
use crate::usage::memory;

const STARTS: usize = 5;
const REST: Duration = Duration::from_secs(2);
/// Memory is returned to the system a second after it is free, when something allocates.
const REST_AFTER_LOAD: Duration = Duration::from_secs(10);
const SIGN_INS: u64 = 1_000;
/// As many as one address has places in the queue.
const SIGNING_IN: usize = 4;
const CHARGES: u64 = 10_000;
const LARGE_BODIES: u64 = 1_000;
/// Below the limit of a body.
const LARGE_BODY_BYTES: usize = 60 * 1024;
const MEMORY_AFTER_LOAD_KIB_MAX: u64 = 64 * 1024;

/// Prints memory, start and size.
pub async fn run(bench: &Bench) -> Result<()> {
    progress("footprint: memory, start, size");
    let place = bench.place().await?;
    let first = bench.server(&place).await?;
    let fresh = first.started_in;
    first.stop().await?;
    let mut starts = Vec::new();
    for _ in 1..STARTS {
        let server = bench.server(&place).await?;
        starts.push(server.started_in);
        server.stop().await?;
    }
    let server = bench.server(&place).await?;
    starts.push(server.started_in);
    clock::pause(REST).await;
    let idle = memory(server.pid)?;
    progress("footprint: memory after a load");
    load(bench, &server).await?;
    clock::pause(REST_AFTER_LOAD).await;
    let loaded = memory(server.pid)?;
    server.stop().await?;
    place.remove().await?;
    starts.sort_unstable();
    let limit = MEMORY_AFTER_LOAD_KIB_MAX;
    let mut line = bench.line("footprint")?;
    line.ratio = Some(Ratio::new("memory_limit", float(loaded.now), float(limit)));
    line.with("memory_idle_kib", idle.now)?
        .with("memory_idle_anonymous_kib", idle.anonymous)?
        .with("memory_after_load_kib", loaded.now)?
        .with("memory_after_load_anonymous_kib", loaded.anonymous)?
        .with("memory_after_load_kib_limit", limit)?
        .with("memory_peak_kib", loaded.peak)?
        .with("within_limits", loaded.now <= limit)?
        .with("start_ms", millis(micros(starts[STARTS / 2])))?
        .with("start_with_migrations_ms", millis(micros(fresh)))?
        .with("binary_bytes", std::fs::metadata(program()?)?.len())?
        .with("binary_stripped_bytes", stripped()?)?
        .print()
}

/// Signs in, charges, and sends large bodies.
async fn load(bench: &Bench, server: &Server) -> Result<()> {
    let (address, callers) = (server.address, bench.options.callers());
    let sink = Sink::open().await?;
    let shops = [Shop::open(address, 0).await?];
    shops[0].subscribe(address, &sink.url(0), &[EVENT]).await?;
    let session = sign_in("merchant0@example.com");
    repeat(address, SIGNING_IN, SIGN_INS, async |connection| {
        connection.send(&session).await?.expect(200)?;
        Ok(())
    })
    .await?;
    let (charges, meter) = (Charges::new(&shops, &sink), Meter::new(bench.options.plan()));
    repeat(address, callers, CHARGES, async |connection| {
        charges.one(1, connection, clock::now(), &meter).await
    })
    .await?;
    let body = json!({ "title": "a".repeat(LARGE_BODY_BYTES) }).to_string();
    let headers = [("api-key", shops[0].key.as_str())];
    let large = Request::post("/api/v1/payment-links", &headers, body.as_bytes());
    repeat(address, callers, LARGE_BODIES, async |connection| {
        connection.send(&large).await?.expect(400)?;
        Ok(())
    })
    .await?;
    shops[0].prove_books(address, CHARGES).await
}

/// Does something that many times, with that many concurrent callers.
async fn repeat(
    address: SocketAddr,
    callers: usize,
    times: u64,
    work: impl AsyncFn(&mut Connection) -> Result<()>,
) -> Result<()> {
    let left = Cell::new(times);
    let call = async || {
        let mut connection = Connection::open(address).await?;
        while let Some(rest) = left.get().checked_sub(1) {
            left.set(rest);
            work(&mut connection).await?;
        }
        anyhow::Ok(())
    };
    try_join_all((0..callers).map(|_| call())).await?;
    Ok(())
}

/// The size without symbols; `None` without `strip`.
fn stripped() -> Result<Option<u64>> {
    let target = tempfile::NamedTempFile::new()?;
    let mut command = Command::new("strip");
    command.arg("-o").arg(target.path()).arg(program()?);
    if !command.status().is_ok_and(|status| status.success()) {
        return Ok(None);
    }
    Ok(Some(std::fs::metadata(target.path())?.len()))
}
