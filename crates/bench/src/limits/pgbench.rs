//! L6: TPC-B as `pgbench` has it, a number that every operator of PostgreSQL knows.
//!
//! It runs on the cluster itself, without the network that may be between it and the product.

use anyhow::{Context, Result, ensure};

use crate::bench::Bench;
use crate::numbers::rounded;
use crate::postgres::{Cluster, Scratch};
use crate::report::progress;

/// As many as the product has connections.
const CLIENTS: &str = "16";

/// A database with the tables of TPC-B.
pub struct TpcB {
    scratch: Scratch,
    durable: bool,
}

impl TpcB {
    /// Creates the tables at the scale of the options.
    pub async fn open(bench: &Bench, cluster: &Cluster) -> Result<Self> {
        let scale = bench.options.tpcb_scale.to_string();
        progress(&format!("L6: loading TPC-B at scale {scale}"));
        let scratch = cluster.scratch().await?;
        pgbench(&["--initialize", "--quiet", "--scale", &scale], &scratch.url).await?;
        Ok(Self { scratch, durable: cluster.durable })
    }

    /// Prints L6 and returns transactions per second.
    pub async fn run(&self, bench: &Bench) -> Result<f64> {
        progress("L6: TPC-B, by pgbench");
        let seconds = bench.options.plan().measure.as_secs().max(1).to_string();
        let how = ["--no-vacuum", "--protocol", "prepared", "--client", CLIENTS, "--jobs", "1"];
        let text = pgbench(&[&how[..], &["--time", &seconds]].concat(), &self.scratch.url).await?;
        let found = per_second(&text);
        let found = found.with_context(|| format!("pgbench printed no rate: {text}"))?;
        let mut line = bench.line("L6")?;
        line.per_second = Some(rounded(found));
        // The workload beside it may be on SQLite.
        "postgres".clone_into(&mut line.database);
        let line = line.with("durable", self.durable)?;
        line.with("clients", CLIENTS)?.with("scale", bench.options.tpcb_scale)?.print()?;
        Ok(found)
    }

    /// Deletes the tables.
    pub async fn remove(self) -> Result<()> {
        self.scratch.remove().await
    }
}

async fn pgbench(arguments: &[&str], url: &str) -> Result<String> {
    let mut command = tokio::process::Command::new("pgbench");
    command.args(arguments).arg(url).kill_on_drop(true);
    let output = command.output().await.context("pgbench is missing; it comes with PostgreSQL")?;
    let printed = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "pgbench failed: {printed:.1000}");
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn per_second(text: &str) -> Option<f64> {
    let rate = text.lines().find_map(|line| line.strip_prefix("tps = "))?;
    rate.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::per_second;

    #[test]
    fn the_rate_is_read_from_what_pgbench_prints() {
        let text = "latency average = 1.2 ms\ntps = 812.345678 (without initial connection time)\n";
        assert_eq!(per_second(text), Some(812.345_678));
        assert_eq!(per_second("nothing"), None);
    }
}
