//! The profile of every workload: a closed loop, then open loops at fractions of its throughput.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde::Serialize;

use crate::client::Connection;
use crate::clock;
use crate::load::closed::{self, Throughput};
use crate::load::disk::{DiskProbe, DuringRun};
use crate::load::{Meter, Nodes, Plan, Quantiles, open};
use crate::numbers::rounded;
use crate::usage::{Usage, Watch};

/// The fractions of the throughput at which latency is measured.
const SHARES: [f64; 2] = [0.5, 0.8];
/// The server allows at most 200 connections from one address.
const CONNECTIONS_MAX: usize = 190;
/// How long the work is done that does not count.
const PRIME: Duration = Duration::from_secs(1);
/// How long the server may take to notice that the last loop's connections are closed.
const REST: Duration = Duration::from_millis(300);

/// What to load, how long, and which processes to watch.
pub struct Target {
    pub nodes: Nodes,
    pub callers: usize,
    pub plan: Plan,
    pub watch: Watch,
}

/// The results of the loops.
pub struct Profile {
    pub closed: Throughput,
    pub open: Vec<Timetable>,
    /// How often the work was done, in all loops together.
    pub done: u64,
}

/// The result of one open loop.
#[derive(Debug, Clone, Serialize)]
pub struct Timetable {
    /// The fraction of the closed loop's throughput.
    pub share: f64,
    pub per_second: f64,
    pub laps: BTreeMap<&'static str, Quantiles>,
}

/// The result of an open loop at a fixed rate.
pub struct AtRate {
    pub laps: BTreeMap<&'static str, Quantiles>,
    pub usage: Usage,
    pub disk: DuringRun,
    pub done: u64,
}

impl Target {
    /// Runs all loops.
    pub async fn profile(
        &self,
        work: impl AsyncFn(&mut Connection, Instant, &Meter) -> Result<()>,
    ) -> Result<Profile> {
        let closed = self.closed(&work).await?;
        let (mut done, mut open) = (closed.meter.done(), Vec::new());
        for share in SHARES {
            let (timetable, sent) = self.open(closed.per_second, share, &work).await?;
            open.push(timetable);
            done += sent;
        }
        Ok(Profile { closed, open, done })
    }

    /// Runs the closed loop only.
    pub async fn closed(
        &self,
        work: impl AsyncFn(&mut Connection, Instant, &Meter) -> Result<()>,
    ) -> Result<Throughput> {
        clock::pause(REST).await;
        closed::run(&self.nodes, self.callers, self.plan, &self.watch, work).await
    }

    /// Does some work that does not count, so that a database server has rows to analyze; returns
    /// how often.
    pub async fn prime(
        &self,
        work: impl AsyncFn(&mut Connection, Instant, &Meter) -> Result<()>,
    ) -> Result<u64> {
        let plan = Plan { warm_up: Duration::ZERO, measure: PRIME };
        let primed = closed::run(&self.nodes, self.callers, plan, &self.watch, work).await?;
        Ok(primed.meter.done())
    }

    /// Runs one open loop; returns its result and how often the work was done.
    pub async fn open(
        &self,
        throughput: f64,
        share: f64,
        work: impl AsyncFn(&mut Connection, Instant, &Meter) -> Result<()>,
    ) -> Result<(Timetable, u64)> {
        let per_second = throughput * share;
        clock::pause(REST).await;
        let connections = (self.callers * 2).min(CONNECTIONS_MAX);
        let meter = open::run(&self.nodes, connections, per_second, self.plan, work).await?;
        let laps = meter.all_quantiles();
        Ok((Timetable { share, per_second: rounded(per_second), laps }, meter.done()))
    }

    /// Runs an open loop at a fixed rate, and measures the disk of a folder during it.
    pub async fn at_rate(
        &self,
        per_second: f64,
        folder: &Path,
        work: impl AsyncFn(&mut Connection, Instant, &Meter) -> Result<()>,
    ) -> Result<AtRate> {
        clock::pause(REST).await;
        let from = clock::now() + self.plan.warm_up;
        let disk = DiskProbe::start(folder, from)?;
        let connections = (self.callers * 2).min(CONNECTIONS_MAX);
        let load = open::run(&self.nodes, connections, per_second, self.plan, work);
        let (meter, usage) =
            tokio::try_join!(load, self.watch.between(from, from + self.plan.measure))?;
        Ok(AtRate { laps: meter.all_quantiles(), usage, disk: disk.stop()?, done: meter.done() })
    }
}
