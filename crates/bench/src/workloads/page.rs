//! W3: buyers open checkout pages; one link in twenty gets four fifths of the visits.

use std::cell::Cell;
use std::time::Instant;

use anyhow::Result;
use serde::Deserialize;

use crate::bench::Bench;
use crate::client::{Connection, Request, Transport};
use crate::limits::bare;
use crate::load::Meter;
use crate::report::{Ratio, progress};
use crate::server::Server;
use crate::shop::{Link, Shop, new_link};

const ANSWERED: &str = "answered";
/// One link in this many is popular.
const LINKS_PER_POPULAR_LINK: usize = 20;
/// One visit in this many goes to any link; the others go to popular ones.
const VISITS_A_ROUND: usize = 5;
/// Visits the links in a deterministic order, never sequentially.
const STRIDE: usize = 7_919;

#[derive(Deserialize)]
struct Made {
    data: Link,
}

/// Prints L8 and W3.
pub async fn run(bench: &Bench) -> Result<()> {
    progress("W3: checkout page");
    let place = bench.place().await?;
    let server = bench.server(&place).await?;
    let pages = pages(&server, bench.options.links.max(1)).await?;
    let mut connection = Connection::open(server.address).await?;
    let bytes = connection.send(&pages[0]).await?.expect(200)?.body.len();
    let (visits, favorites) = (Cell::new(0_usize), pages.len().div_ceil(LINKS_PER_POPULAR_LINK));
    let work = async |connection: &mut Connection, intended: Instant, meter: &Meter| {
        let visit = visits.replace(visits.get() + 1);
        let among = if visit % VISITS_A_ROUND == 0 { pages.len() } else { favorites };
        let page = &pages[visit.wrapping_mul(STRIDE) % among];
        connection.send(page).await?.expect(200)?;
        meter.lap(ANSWERED, intended)
    };
    let found = bench.target(&server, &place).profile(work).await?;
    server.stop().await?;
    place.remove().await?;
    let at_best = bare::page(bench, bytes).await?;
    let mut line = bench.profile_line("W3", ANSWERED, &found)?;
    line.ratio = at_best.map(|best| Ratio::new("L8", found.closed.per_second, best));
    line.with("bytes", bytes)?.with("links", pages.len())?.print()
}

async fn pages(server: &Server, count: usize) -> Result<Vec<Request>> {
    let shop = Shop::open(server.address, 0).await?;
    let (mut connection, request) = (Connection::open(server.address).await?, new_link(&shop.key));
    let mut pages = Vec::with_capacity(count);
    for _ in 0..count {
        let made: Made = connection.send(&request).await?.expect(201)?.json()?;
        let path = format!("/pay/{}", made.data.slug);
        pages.push(Request::get(&path, &[("accept", "text/html")]));
    }
    Ok(pages)
}
