//! W10: full charges under a storm of retries.
//!
//! Half of all requests are retries of answered ones, and a tenth of the buyers send a concurrent
//! request with the same key. Nothing may be created twice, and the result is compared with the
//! same charges without retries, on the same server: quiet, storm, storm, quiet.

use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::time::Instant;

use anyhow::Result;

use crate::bench::Bench;
use crate::charge::{ACKNOWLEDGED, Charges, EVENT};
use crate::client::Connection;
use crate::load::Meter;
use crate::numbers::rounded;
use crate::report::{Ratio, progress};
use crate::shop::Shop;
use crate::sink::Sink;
use crate::usage::Shares;

const TURNS: f64 = 2.0;
const SHARE: f64 = 0.5;
const TWIN_EVERY: u64 = 10;

/// Charges, and the idle connections of the concurrent requests.
struct Storm<'a> {
    charges: &'a Charges<'a>,
    address: SocketAddr,
    duplicates: RefCell<Vec<Connection>>,
    asked: Cell<u64>,
}

/// Prints W10.
pub async fn run(bench: &Bench) -> Result<()> {
    progress("W10: repeats and twins");
    let (place, sink) = (bench.place().await?, Sink::open().await?);
    let server = bench.server(&place).await?;
    let shops = [Shop::open(server.address, 0).await?];
    shops[0].subscribe(server.address, &sink.url(0), &[EVENT]).await?;
    let charges = Charges::new(&shops, &sink);
    let (duplicates, asked) = (RefCell::default(), Cell::default());
    let storm = Storm { charges: &charges, address: server.address, duplicates, asked };
    let target = bench.target(&server, &place);
    let (mut quiet, mut stormy) = (0.0, 0.0);
    let mut shares = Shares::default();
    for storms in [false, true, true, false] {
        let work = async |connection: &mut Connection, intended: Instant, meter: &Meter| {
            if storms {
                return storm.one(connection, intended, meter).await;
            }
            charges.one(1, connection, intended, meter).await
        };
        let found = target.closed(work).await?;
        shares = shares.or_worse(found.usage.shares());
        let sum = if storms { &mut stormy } else { &mut quiet };
        *sum += found.per_second / TURNS;
    }
    let work = async |connection: &mut Connection, intended: Instant, meter: &Meter| {
        storm.one(connection, intended, meter).await
    };
    let (timetable, _) = target.open(stormy, SHARE, work).await?;
    let paid: u64 = charges.paid().iter().sum();
    shops[0].prove(server.address, paid).await?;
    server.stop().await?;
    place.remove().await?;
    let mut line = bench.line("W10")?;
    line.per_second = Some(rounded(stormy));
    let quantiles = timetable.laps.get(ACKNOWLEDGED);
    line.p50_ms = quantiles.map(|quantiles| quantiles.p50);
    line.p99_ms = quantiles.map(|quantiles| quantiles.p99);
    line.ratio = Some(Ratio::new("quiet", stormy, quiet));
    line.with("quiet_per_second", rounded(quiet))?
        .with("open", [timetable])?
        .held_up_by(shares)?
        .with("proved_paid", paid)?
        .print()
}

impl Storm<'_> {
    /// Creates one charge; every tenth buyer sends a concurrent duplicate.
    async fn one(
        &self,
        connection: &mut Connection,
        intended: Instant,
        meter: &Meter,
    ) -> Result<()> {
        let number = self.asked.replace(self.asked.get() + 1);
        if !number.is_multiple_of(TWIN_EVERY) {
            return self.charges.one_repeated(connection, None, intended, meter).await;
        }
        let kept = self.duplicates.borrow_mut().pop();
        let mut duplicate = match kept {
            Some(duplicate) => duplicate,
            None => Connection::open(self.address).await?,
        };
        self.charges.one_repeated(connection, Some(&mut duplicate), intended, meter).await?;
        self.duplicates.borrow_mut().push(duplicate);
        Ok(())
    }
}
