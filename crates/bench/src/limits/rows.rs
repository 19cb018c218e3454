//! L2 and L3: a charge's statements on plain SQLite, in this process, without HTTP or JSON.
//!
//! L2 commits every unit separately, as a server without group commit does; L3 commits 256 at once.
//! Nothing that stores the same rows on the same engine can be much faster than L3.

use std::time::Duration;

use anyhow::Result;
use rusqlite::Connection;

use crate::bench::Bench;
use crate::clock;
use crate::limits::statements::Statements;
use crate::numbers::{float, rate, rounded};
use crate::place::RunFolder;
use crate::report::progress;

const GROUP: usize = 256;
const UNITS: u64 = 3;

struct Found {
    per_second: f64,
    statements: f64,
    entries: f64,
}

/// Prints L2 and L3.
pub async fn run(bench: &Bench) -> Result<()> {
    run_one(bench, "L2", 1).await?;
    run_grouped(bench).await.map(drop)
}

/// Prints L3 and returns charges per second.
pub async fn run_grouped(bench: &Bench) -> Result<f64> {
    run_one(bench, "L3", GROUP).await
}

async fn run_one(bench: &Bench, name: &str, group: usize) -> Result<f64> {
    progress(&format!("{name}: the statements of a charge, {group} to a commit"));
    let place = RunFolder::new(&bench.options.folder(), None).await?;
    place.migrate().await?;
    let found = measure(&place, group, bench.options.plan().measure)?;
    place.remove().await?;
    let mut line = bench.line(name)?;
    line.per_second = Some(rounded(found.per_second));
    line.with("units_per_commit", group)?
        .with("units_per_charge", UNITS)?
        .with("statements_per_charge", rounded(found.statements))?
        .with("row_operations_per_charge", rounded(found.entries))?
        .print()?;
    Ok(found.per_second)
}

fn measure(place: &RunFolder, group: usize, time: Duration) -> Result<Found> {
    let statements = Statements::open(Connection::open(place.file())?)?;
    let (began, mut done) = (clock::now(), 0_u64);
    while clock::now() - began < time {
        done += one_group(&statements, group)?;
    }
    let took = clock::now() - began;
    let (count, entries) = statements.counted();
    let each = |total: u64| float(total) / float(done);
    Ok(Found { per_second: rate(done, took), statements: each(count), entries: each(entries) })
}

/// A group of each kind of unit; a charge's earlier unit is durable before its next one.
fn one_group(statements: &Statements, group: usize) -> Result<u64> {
    statements.begin()?;
    let created: Result<Vec<_>> = (0..group).map(|_| statements.create()).collect();
    let mut charges = created?;
    statements.commit()?;
    statements.begin()?;
    charges.iter_mut().try_for_each(|charge| statements.confirm(charge))?;
    statements.commit()?;
    statements.begin()?;
    charges.iter().try_for_each(|charge| statements.deliver(charge))?;
    statements.commit()?;
    Ok(u64::try_from(group)?)
}
