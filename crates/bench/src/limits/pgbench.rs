//! L5: a charge's statements on PostgreSQL, as functions, driven by `pgbench`.
//!
//! A charge is three calls and three commits there, because it is three units in the product. It
//! uses sixteen connections with prepared statements, like the product.

use anyhow::{Context, Result, ensure};

use crate::bench::Bench;
use crate::numbers::rounded;
use crate::place::RunFolder;
use crate::postgres::connect;
use crate::report::progress;

const FUNCTIONS: &str = include_str!("charge.sql");
const SCRIPT: &str = "select bench_create() as charge \\gset
select bench_confirm(:charge::uuid) as event \\gset
select bench_deliver(:event::uuid);
";
const CLIENTS: &str = "16";

/// Prints L5 and stores it.
pub async fn run(bench: &Bench) -> Result<()> {
    progress("L5: the statements of a charge, by pgbench");
    let place = bench.place().await?;
    place.migrate().await?;
    let client = connect(place.url()).await?;
    client.batch_execute(FUNCTIONS).await?;
    let per_second = measure(bench, &place).await?;
    let sound = "select sum(balance_cents)::bigint, sum(sequence)::bigint
                   from ledger_accounts";
    let row = client.query_one(sound, &[]).await?;
    let (sum, legs): (i64, i64) = (row.get(0), row.get(1));
    drop(client);
    place.remove().await?;
    ensure!(sum == 0 && legs % 4 == 0, "the limit's own books do not agree");
    let mut line = bench.line("L5")?;
    line.per_second = Some(rounded(per_second));
    line.with("clients", CLIENTS)?.with("units_per_charge", 3)?.print()?;
    bench.charges_at_best.set(Some(per_second));
    Ok(())
}

async fn measure(bench: &Bench, place: &RunFolder) -> Result<f64> {
    let script = place.folder().join("charge.pgbench");
    std::fs::write(&script, SCRIPT)?;
    let seconds = bench.options.plan().measure.as_secs().max(1);
    let mut command = tokio::process::Command::new("pgbench");
    command
        .args(["--no-vacuum", "--protocol", "prepared", "--client", CLIENTS, "--jobs", "1"])
        .args(["--time", &seconds.to_string(), "--file"])
        .arg(&script)
        .arg(place.url())
        .kill_on_drop(true);
    let output = command.output().await.context("pgbench is missing; it comes with PostgreSQL")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let printed = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "pgbench failed: {printed:.1000}");
    per_second(&text).with_context(|| format!("pgbench printed no rate: {text}"))
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
