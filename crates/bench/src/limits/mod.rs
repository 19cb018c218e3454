//! The limits of this machine, measured in the same run as the product.

use anyhow::Result;

use crate::bench::Bench;

pub mod bare;
mod nginx;
pub mod pgbench;
pub mod rows;
mod sql;
mod statements;
pub mod sync;

/// Roughly the product's requests and responses, for limits that are measured without it.
const JSON_BYTES: usize = 600;
const PAGE_BYTES: usize = 8 * 1024;
const EVENT_BYTES: usize = 2_300;

/// Prints every limit.
pub async fn run(bench: &Bench) -> Result<()> {
    sync::run(bench)?;
    if bench.cluster.is_some() {
        pgbench::run(bench).await?;
    } else {
        rows::run(bench).await?;
    }
    bare::echo(bench, &"a".repeat(JSON_BYTES)).await?;
    bare::page(bench, PAGE_BYTES).await?;
    bare::post(bench, EVENT_BYTES).await?;
    Ok(())
}

/// The product's engine limit, in charges per second; measured once, unless limits are skipped.
pub async fn charges_at_best(bench: &Bench) -> Result<Option<(&'static str, f64)>> {
    if bench.options.no_limits {
        return Ok(None);
    }
    let name = if bench.cluster.is_some() { "L5" } else { "L3" };
    if let Some(known) = bench.charges_at_best.get() {
        return Ok(Some((name, known)));
    }
    if bench.cluster.is_some() {
        pgbench::run(bench).await?;
    } else {
        rows::run(bench).await?;
    }
    Ok(bench.charges_at_best.get().map(|at_best| (name, at_best)))
}
