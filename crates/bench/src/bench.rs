//! One invocation: its options, and what the runs share.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;

use crate::cores::Cores;
use crate::limits::sync::{SyncCost, sync_cost};
use crate::load::Nodes;
use crate::load::profile::{Profile, Target};
use crate::network::Network;
use crate::numbers::{micros, rounded};
use crate::options::Options;
use crate::place::RunFolder;
use crate::postgres::{Cluster, connect};
use crate::report::{Line, progress};
use crate::server::Server;
use crate::usage::Watch;

/// Enough writes for the median and the 99th percentile, in a fraction of a second.
const SYNCS: usize = 500;

/// The shared state of an invocation's runs.
pub struct Bench {
    pub options: Options,
    pub cores: Cores,
    pub cluster: Option<Cluster>,
    /// Over the network, if there is one.
    round_trip_micros: Option<u64>,
    yardstick: Option<Cluster>,
}

impl Bench {
    /// Pins the cores and inspects the cluster, if there is one.
    pub async fn open(options: Options, cores: Cores) -> Result<Self> {
        let mut cluster = match &options.postgres {
            Some(url) => Some(Cluster::open(url, cores).await?),
            None => None,
        };
        let yardstick = match &options.yardstick {
            Some(url) => Some(Cluster::open(url, cores).await?),
            None => None,
        };
        let mut round_trip_micros = None;
        let delay = options.network_delay_us.map(u64::from).map(Duration::from_micros);
        if let Some((cluster, delay)) = cluster.as_mut().zip(delay) {
            cluster.move_away(delay)?;
            let micros = Network::round_trip_micros(delay)?;
            progress(&format!("a byte takes {micros} µs to PostgreSQL and back"));
            round_trip_micros = Some(micros);
        }
        Ok(Self { options, cores, cluster, round_trip_micros, yardstick })
    }

    /// The cluster on which TPC-B runs.
    pub fn yardstick(&self) -> Option<&Cluster> {
        self.yardstick.as_ref().or(self.cluster.as_ref())
    }

    /// The engine's name in the report.
    pub fn database(&self) -> &'static str {
        if self.cluster.is_some() { "postgres" } else { "sqlite" }
    }

    /// An empty database for a run.
    pub async fn place(&self) -> Result<RunFolder> {
        RunFolder::new(&self.options.folder(), self.cluster.as_ref()).await
    }

    /// Starts the product on a database.
    pub async fn server(&self, place: &RunFolder) -> Result<Server> {
        Server::start(self.cores, place).await
    }

    /// What to load and which processes to watch, by the options.
    pub fn target(&self, server: &Server, place: &RunFolder) -> Target {
        self.target_of_nodes(std::slice::from_ref(server), place)
    }

    /// Starts as many nodes on a database as the options say.
    pub async fn nodes(&self, place: &RunFolder) -> Result<Vec<Server>> {
        let mut nodes = Vec::new();
        for _ in 0..self.options.nodes {
            nodes.push(self.server(place).await?);
        }
        Ok(nodes)
    }

    /// The same for all of them.
    pub fn target_of_nodes(&self, nodes: &[Server], place: &RunFolder) -> Target {
        let pids: Vec<u32> = nodes.iter().map(|node| node.pid).collect();
        Target {
            nodes: Nodes::new(nodes.iter().map(|node| node.address).collect()),
            callers: self.options.callers(),
            plan: self.options.plan(),
            watch: self.watch(&pids, place.folder()),
        }
    }

    /// Gathers the statistics that a database server gathers by itself within its first minutes;
    /// without them it reads by the wrong index.
    pub async fn analyze(&self, place: &RunFolder) -> Result<()> {
        if self.cluster.is_some() {
            connect(place.url()).await?.batch_execute("analyze").await?;
        }
        Ok(())
    }

    /// Watches processes, the cluster, and the disk.
    pub fn watch(&self, pids: &[u32], folder: &Path) -> Watch {
        let cluster = self.cluster.as_ref().and_then(|cluster| cluster.pid);
        Watch::new(pids.iter().copied().chain(cluster).collect(), self.cores, folder)
    }

    /// A result with the common fields; measures the current cost of a sync.
    pub fn line(&self, workload: &str) -> Result<Line> {
        let SyncCost { p50_us, p99_us, .. } = sync_cost(&self.options.folder(), SYNCS)?;
        let line = Line {
            workload: workload.to_owned(),
            database: self.database().to_owned(),
            fsync_p50_us: p50_us,
            fsync_p99_us: p99_us,
            ..Line::default()
        };
        let mut line = line.with("cores", self.cores)?;
        if let Some(network) = self.cluster.as_ref().and_then(|cluster| cluster.network) {
            line = line
                .with("network_delay_us", micros(network.delay))?
                .with("network_round_trip_us", self.round_trip_micros)?;
        }
        match &self.cluster {
            Some(cluster) => line
                .with("durable", cluster.durable)?
                .with("cluster_on_servers_core", cluster.pid.is_some()),
            None => Ok(line),
        }
    }

    /// A result with the loops' results; percentiles are those of the named lap.
    pub fn profile_line(&self, workload: &str, lap: &str, profile: &Profile) -> Result<Line> {
        let usage = &profile.closed.usage;
        let done = profile.closed.meter.done_in_time();
        let mut line = self
            .line(workload)?
            .with("open", &profile.open)?
            .with("callers", self.options.callers())?
            .with("server_us_each", usage.server_micros_each(done))?
            .with("disk_flushes_each", usage.flushes_each(done))?
            .held_up_by(usage.shares())?;
        let half = profile.open.first().and_then(|timetable| timetable.laps.get(lap));
        line.per_second = Some(rounded(profile.closed.per_second));
        line.p50_ms = half.map(|quantiles| quantiles.p50);
        line.p99_ms = half.map(|quantiles| quantiles.p99);
        Ok(line)
    }
}
