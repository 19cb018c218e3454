//! W2: full charges on one merchant, from the buyer's request to the merchant's webhook.

use std::time::Instant;

use anyhow::Result;

use crate::bench::Bench;
use crate::charge::{ACKNOWLEDGED, Charges, EVENT};
use crate::client::Connection;
use crate::limits::charges_at_best;
use crate::load::Meter;
use crate::report::{Ratio, progress};
use crate::shop::Shop;
use crate::sink::Sink;
use crate::usage::memory;

/// Prints the engine's own limit and W2.
pub async fn run(bench: &Bench) -> Result<()> {
    let (limit, at_best) = charges_at_best(bench).await?;
    progress("W2: full charges");
    let (place, sink) = (bench.place().await?, Sink::open().await?);
    let server = bench.server(&place).await?;
    let shops = [Shop::open(server.address, 0).await?];
    shops[0].subscribe(server.address, &sink.url(0), &[EVENT]).await?;
    let charges = Charges::new(&shops, &sink);
    let work = async |connection: &mut Connection, intended: Instant, meter: &Meter| {
        charges.one(1, connection, intended, meter).await
    };
    let found = bench.target(&server, &place).profile(work).await?;
    shops[0].prove(server.address, found.done).await?;
    let memory = memory(server.pid)?;
    server.stop().await?;
    place.remove().await?;
    let mut line = bench.profile_line("W2", ACKNOWLEDGED, &found)?;
    line.ratio = Some(Ratio::new(limit, found.closed.per_second, at_best));
    line.with("closed", found.closed.meter.all_quantiles())?
        .with("proved_paid", found.done)?
        .with("webhooks_received", sink.received())?
        .with("memory_peak_kib", memory.peak_kib)?
        .print()
}
