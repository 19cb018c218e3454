//! W4: one event is delivered to one URL, and to ten.

use std::time::Instant;

use anyhow::Result;
use serde::Deserialize;
use serde_json::json;

use crate::bench::Bench;
use crate::client::{Connection, Request, Transport};
use crate::limits::bare;
use crate::load::Meter;
use crate::numbers::rounded;
use crate::report::{Ratio, progress};
use crate::shop::Shop;
use crate::sink::Sink;

/// From the event's scheduled time until every URL has received it.
const DELIVERED: &str = "delivered";
const EVENT: &str = "product.created";
const ADDRESSES: [u32; 2] = [1, 10];

#[derive(Deserialize)]
struct Made {
    product: Product,
}

#[derive(Deserialize)]
struct Product {
    id: String,
}

/// Prints W4 for each number of URLs, and L9.
pub async fn run(bench: &Bench) -> Result<()> {
    let mut at_best = None;
    for addresses in ADDRESSES {
        progress(&format!("W4: one event to {addresses}"));
        let (place, sink) = (bench.place().await?, Sink::open().await?);
        let server = bench.server(&place).await?;
        let shop = Shop::open(server.address, 0).await?;
        for number in 0..addresses {
            let url = sink.url(usize::try_from(number)?);
            shop.subscribe(server.address, &url, &[EVENT]).await?;
        }
        let request = new_product(&shop.key);
        let work = async |connection: &mut Connection, intended: Instant, meter: &Meter| {
            let made: Made = connection.send(&request).await?.expect(201)?.json()?;
            sink.wait_for(&made.product.id, addresses).await?;
            meter.lap(DELIVERED, intended)
        };
        let found = bench.target(&server, &place).profile(work).await?;
        server.stop().await?;
        place.remove().await?;
        if at_best.is_none() {
            at_best = bare::post(bench, sink.last_bytes()).await?;
        }
        let deliveries = found.closed.per_second * f64::from(addresses);
        let mut line = bench.profile_line("W4", DELIVERED, &found)?;
        line.per_second = Some(rounded(deliveries));
        line.ratio = at_best.map(|best| Ratio::new("L9", deliveries, best));
        line.with("addresses", addresses)?
            .with("events_per_second", rounded(found.closed.per_second))?
            .with("webhooks_received", sink.received())?
            .with("webhooks_due", found.done * u64::from(addresses))?
            .print()?;
    }
    Ok(())
}

/// The cheapest request that creates an event.
fn new_product(key: &str) -> Request {
    let body = json!({ "name": "Pão", "price": 100 }).to_string();
    Request::post("/api/v1/products", &[("api-key", key)], body.as_bytes())
}
