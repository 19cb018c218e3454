//! A database with a history: one charge created through the product, and multiplied.

use std::time::Duration;

use anyhow::Result;
use tostao::platform::system_clock;

use crate::bench::Bench;
use crate::charge::{Charges, EVENT};
use crate::client::Connection;
use crate::load::Meter;
use crate::past::copies::Times;
use crate::past::{Past, load};
use crate::place::RunFolder;
use crate::report::progress;
use crate::shop::Shop;
use crate::sink::Sink;

/// A database with a history, half of which is its first merchant's.
pub struct Old {
    pub place: RunFolder,
    pub shops: [Shop; 1],
    pub past: Past,
}

/// Creates a database with that many transactions, for the workload of this name.
pub async fn grow_old(bench: &Bench, sink: &Sink, workload: &str, rows: u64) -> Result<Old> {
    let place = bench.place().await?;
    grow_old_in(bench, place, sink, workload, (rows, Duration::from_millis(rows))).await
}

/// The same in an empty SQLite file; the transactions are those of so much time until now.
pub async fn grow_old_in(
    bench: &Bench,
    place: RunFolder,
    sink: &Sink,
    workload: &str,
    (rows, over): (u64, Duration),
) -> Result<Old> {
    progress(&format!("{workload}: loading {rows} transactions"));
    let server = bench.server(&place).await?;
    let shops = [Shop::open(server.address, 0).await?];
    shops[0].subscribe(server.address, &sink.url(0), &[EVENT]).await?;
    let meter = Meter::new(bench.options.plan());
    let mut connection = Connection::open(server.address).await?;
    let charges = Charges::new(&shops, sink);
    charges.one(1, &mut connection, crate::clock::now(), &meter).await?;
    drop(connection);
    server.stop().await?;
    let time = Duration::from_secs(bench.options.load_time);
    let times = Times::before(system_clock::system().now().micros() / 1_000, rows, over)?;
    let past = load(&place.file(), rows, times, time)?;
    Ok(Old { place, shops, past })
}

impl Old {
    /// How many charges the first merchant has, including the multiplied one.
    pub fn paid(&self) -> u64 {
        self.past.of_first_merchant + 1
    }
}
