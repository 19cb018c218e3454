//! The limits of this machine, measured in the same run as the product.

use anyhow::Result;

use crate::bench::Bench;
use crate::limits::pgbench::TpcB;

pub mod bare;
mod lane;
mod lanes;
mod nginx;
mod pgbench;
mod rows;
mod sql;
mod statements;
pub mod sync;
pub mod yardsticks;

/// Roughly the product's requests and responses, for limits that are measured without it.
const JSON_BYTES: usize = 600;
const PAGE_BYTES: usize = 8 * 1024;
const EVENT_BYTES: usize = 2_300;

/// Prints every limit.
pub async fn run(bench: &Bench) -> Result<()> {
    sync::run(bench)?;
    if bench.cluster.is_some() {
        lanes::run(bench).await?;
    } else {
        rows::run(bench).await?;
    }
    if let Some(cluster) = bench.yardstick() {
        let tpcb = TpcB::open(bench, cluster).await?;
        tpcb.run(bench).await?;
        tpcb.remove().await?;
    }
    bare::echo(bench, &"a".repeat(JSON_BYTES)).await?;
    bare::page(bench, PAGE_BYTES).await?;
    bare::post(bench, EVENT_BYTES).await?;
    Ok(())
}
