//! The closed loop: a number of callers, each of which sends the next request after its response.

use std::time::Instant;

use anyhow::Result;
use futures_util::future::try_join_all;

use crate::client::Connection;
use crate::clock;
use crate::load::{Meter, Nodes, Plan};
use crate::numbers::rate;
use crate::usage::{Usage, Watch};

/// The result of a closed loop.
pub struct Throughput {
    pub per_second: f64,
    pub usage: Usage,
    pub meter: Meter,
}

/// Loads servers with that many callers; a failure of any of them fails the run.
pub async fn run(
    nodes: &Nodes,
    callers: usize,
    plan: Plan,
    watch: &Watch,
    work: impl AsyncFn(&mut Connection, Instant, &Meter) -> Result<()>,
) -> Result<Throughput> {
    let mut connections = Vec::with_capacity(callers);
    for _ in 0..callers {
        connections.push(nodes.connect().await?);
    }
    let meter = Meter::new(plan);
    let callers = try_join_all(connections.iter_mut().map(|own| call(own, &meter, &work)));
    let (_, usage) = tokio::try_join!(callers, watch.between(meter.from, meter.to))?;
    Ok(Throughput { per_second: rate(meter.done_in_time(), plan.measure), usage, meter })
}

async fn call(
    connection: &mut Connection,
    meter: &Meter,
    work: &impl AsyncFn(&mut Connection, Instant, &Meter) -> Result<()>,
) -> Result<()> {
    while !meter.is_over() {
        work(connection, clock::now(), meter).await?;
        meter.count();
    }
    Ok(())
}
