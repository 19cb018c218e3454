//! W13: what a developer reads and asks: the largest page of the reference beside the checkout
//! page, and what an idempotency key stands for.

use std::cell::Cell;
use std::time::Instant;

use anyhow::Result;

use crate::bench::Bench;
use crate::client::{Connection, Request, Transport};
use crate::load::Meter;
use crate::report::{Ratio, progress};
use crate::server::Server;
use crate::shop::{Shop, link_once};

const ANSWERED: &str = "answered";
/// The part of the API with the most operations.
const REFERENCE: &str = "/docs/api/transactions";
/// How many keys are in use.
const KEYS: usize = 10_000;
/// Asks for the keys in a deterministic order, never sequentially.
const STRIDE: usize = 7_919;

/// Prints two lines: of the page, and of the keys.
pub async fn run(bench: &Bench) -> Result<()> {
    progress("W13: the reference, and idempotency keys");
    let place = bench.place().await?;
    let server = bench.server(&place).await?;
    let shop = Shop::open(server.address, 0).await?;
    let target = bench.target(&server, &place);
    // As browsers do.
    let headers = [("accept", "text/html"), ("accept-encoding", "gzip")];
    let page = |path: &str| Request::get(path, &headers);
    let [checkout, reference] = [page(&format!("/pay/{}", shop.link.slug)), page(REFERENCE)];
    let checkout = target.closed(async |connection: &mut Connection, at, meter: &Meter| {
        answered(connection, &checkout, at, meter).await
    });
    let checkout = checkout.await?.per_second;
    let read = target.profile(async |connection: &mut Connection, at, meter: &Meter| {
        answered(connection, &reference, at, meter).await
    });
    let read = read.await?;
    let mut line = bench.profile_line("W13_reference", ANSWERED, &read)?;
    line.ratio = Some(Ratio::new("checkout_page", read.closed.per_second, checkout));
    line.print()?;

    let (keys, asked) = (keys(&server, &shop).await?, Cell::new(0_usize));
    let found = target.profile(async |connection: &mut Connection, at, meter: &Meter| {
        let number = asked.replace(asked.get() + 1);
        answered(connection, &keys[number.wrapping_mul(STRIDE) % keys.len()], at, meter).await
    });
    let found = found.await?;
    server.stop().await?;
    place.remove().await?;
    bench.profile_line("W13_keys", ANSWERED, &found)?.with("keys", keys.len())?.print()
}

async fn answered(
    connection: &mut Connection,
    request: &Request,
    intended: Instant,
    meter: &Meter,
) -> Result<()> {
    connection.send(request).await?.expect(200)?;
    meter.lap(ANSWERED, intended)
}

/// Uses every key once; returns the questions about them.
async fn keys(server: &Server, shop: &Shop) -> Result<Vec<Request>> {
    let mut connection = Connection::open(server.address).await?;
    let mut keys = Vec::with_capacity(KEYS);
    for number in 0..KEYS {
        let key = format!("order-{number}");
        connection.send(&link_once(&shop.key, &key)).await?.expect(201)?;
        let path = format!("/api/idempotency-keys/{key}");
        keys.push(Request::get(&path, &[("api-key", shop.key.as_str())]));
    }
    Ok(keys)
}
