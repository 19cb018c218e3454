//! W1: a merchant's server creates payment links.

use std::time::Instant;

use anyhow::Result;

use crate::bench::Bench;
use crate::client::{Connection, Transport};
use crate::limits::bare;
use crate::load::Meter;
use crate::report::{Ratio, progress};
use crate::shop::{Shop, new_link, new_link_body};

const ANSWERED: &str = "answered";

/// Prints L7 and W1.
pub async fn run(bench: &Bench) -> Result<()> {
    let at_best = bare::echo(bench, &new_link_body()).await?;
    progress("W1: create a payment link");
    let place = bench.place().await?;
    let server = bench.server(&place).await?;
    let shop = Shop::open(server.address, 0).await?;
    let request = new_link(&shop.key);
    let work = async |connection: &mut Connection, intended: Instant, meter: &Meter| {
        connection.send(&request).await?.expect(201)?;
        meter.lap(ANSWERED, intended)
    };
    let found = bench.target(&server, &place).profile(work).await?;
    // One more than requested here: the shop was created with one.
    shop.prove_links(server.address, found.done + 1).await?;
    server.stop().await?;
    place.remove().await?;
    let mut line = bench.profile_line("W1", ANSWERED, &found)?;
    line.ratio = at_best.map(|best| Ratio::new("L7", found.closed.per_second, best));
    line.with("made", found.done)?.print()
}
