//! A history: one charge that the product created, multiplied in its database file.
//!
//! The copies have their own IDs, buyers, names and running balances, half of them the merchant's
//! and the rest spread over ninety-nine others, so every verification of the ledger holds for them
//! as it does for the first. All columns of a table are copied, so the copies stay true to the
//! product; only the differences are listed here.

use std::fs::File;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use rusqlite::{Connection, params};

use crate::clock;
use crate::numbers::{rate, rounded};
use crate::past::copies::{Plan, Times};
use crate::report::progress;

pub mod copies;
pub mod postgres;
pub mod subscribers;

/// Charges per commit.
const STEP: u64 = 10_000;
/// The newest charges, of which events, deliveries and stored responses are still there: with them
/// a charge takes seven times the space, and no server keeps them for years.
const RECENT: u64 = 200_000;
const SAID_EVERY: Duration = Duration::from_secs(10);

/// What was loaded.
#[derive(Debug, Clone, Copy)]
pub struct Past {
    pub transactions: u64,
    pub of_first_merchant: u64,
    pub rows: u64,
    pub bytes: u64,
}

/// Loads that many charges into a database that contains exactly one, or fewer if time runs out.
pub fn load(file: &Path, transactions: u64, times: Times, time: Duration) -> Result<Past> {
    let database = open(file)?;
    let plan = copies::plan(&database, times)?;
    let Plan { kept, recent, .. } = &plan;
    let recent_from = transactions.saturating_sub(RECENT);
    let began = clock::now();
    let until = began + time;
    let (mut loaded, mut rows, mut said) = (0, 0, began);
    while loaded < transactions && clock::now() < until {
        let to = (loaded + STEP).min(transactions);
        database.execute_batch("begin immediate")?;
        let recent = if to > recent_from { &recent[..] } else { &[] };
        for copy in kept.iter().chain(recent) {
            let range = params![i64::try_from(loaded)?, i64::try_from(to)?];
            rows += u64::try_from(database.prepare_cached(copy)?.execute(range)?)?;
        }
        database.execute_batch("commit")?;
        loaded = to;
        if clock::now() - said >= SAID_EVERY {
            said = clock::now();
            let each = rounded(rate(loaded, said - began));
            progress(&format!("{loaded} of {transactions} loaded, {each}/s"));
        }
    }
    progress(&format!("{loaded} loaded in {} s", (clock::now() - began).as_secs()));
    copies::settle(&database, &plan, loaded)?;
    let bytes = close(&database, file)?;
    Ok(Past { transactions: loaded, of_first_merchant: loaded.div_ceil(2), rows, bytes })
}

fn open(file: &Path) -> Result<Connection> {
    let database = Connection::open(file)?;
    // The file is discarded after a power failure.
    database.execute_batch(
        "pragma synchronous = off;
         pragma cache_size = -262144;
         pragma temp_store = memory;
         pragma wal_autocheckpoint = 65536;",
    )?;
    Ok(database)
}

/// Syncs the loaded data to disk; returns the size of the file.
fn close(database: &Connection, file: &Path) -> Result<u64> {
    database.execute_batch("pragma wal_checkpoint(truncate)")?;
    let file = File::open(file).context("the database has no file")?;
    // Otherwise the system would still be writing the history during the measurement.
    file.sync_all()?;
    Ok(file.metadata()?.len())
}
