//! W2: full charges on one merchant, from the buyer's request to the merchant's webhook.

use std::time::Instant;

use anyhow::{Context, Result};

use crate::bench::Bench;
use crate::charge::{ACKNOWLEDGED, CONFIRM, Charges, EVENT};
use crate::client::Connection;
use crate::limits::yardsticks::{Found, Yardsticks};
use crate::load::Meter;
use crate::load::profile::AtRate;
use crate::numbers::float;
use crate::report::{Ratio, progress};
use crate::shop::Shop;
use crate::sink::Sink;
use crate::usage::memory;

/// Prints the limits before and after, the tails at the requested rates, and W2.
pub async fn run(bench: &Bench) -> Result<()> {
    let yardsticks = Yardsticks::before(bench).await?;
    progress("W2: full charges");
    let (place, sink) = (bench.place().await?, Sink::open().await?);
    let server = bench.server(&place).await?;
    let shops = [Shop::open(server.address, 0).await?];
    shops[0].subscribe(server.address, &sink.url(0), &[EVENT]).await?;
    let charges = Charges::new(&shops, &sink);
    let work = async |connection: &mut Connection, intended: Instant, meter: &Meter| {
        charges.one(1, connection, intended, meter).await
    };
    let target = bench.target(&server, &place);
    let primed = target.prime(work).await?;
    bench.analyze(&place).await?;
    let found = target.profile(work).await?;
    let mut paid = primed + found.done;
    for rate in &bench.options.rates {
        progress(&format!("W2: the confirm call at {rate}/s"));
        let at_rate = target.at_rate(f64::from(*rate), place.folder(), work).await?;
        paid += at_rate.done;
        print_rate(bench, *rate, &at_rate)?;
    }
    shops[0].prove(server.address, paid).await?;
    let memory = memory(server.pid)?;
    server.stop().await?;
    place.remove().await?;
    let line = bench
        .profile_line("W2", ACKNOWLEDGED, &found)?
        .with("closed", found.closed.meter.all_quantiles())?
        .with("proved_paid", paid)?
        .with("webhooks_received", sink.received())?
        .with("memory_peak_kib", memory.peak)?;
    yardsticks.after(line, &[Found::OneMerchant(found.closed.per_second)]).await?.print()
}

/// The tail of the confirm call at a fixed rate; its ratio is to a plain sync in the same seconds.
fn print_rate(bench: &Bench, rate: u32, found: &AtRate) -> Result<()> {
    let mut line = bench.line("W2 confirm")?;
    let quantiles = found.laps.get(CONFIRM).context("no charge was confirmed after the warm-up")?;
    line.per_second = Some(f64::from(rate));
    line.p50_ms = Some(quantiles.p50);
    line.p99_ms = Some(quantiles.p99);
    let sync_ms = float(found.disk.p99_us) / 1000.0;
    line.ratio = Some(Ratio::new("p99 of a plain sync during the run", quantiles.p99, sync_ms));
    line.with("p99_9_ms", quantiles.p999)?
        .with("max_ms", quantiles.max)?
        .with("fsync_during_run", found.disk)?
        .with("laps", &found.laps)?
        .held_up_by(found.usage.shares())?
        .print()
}
