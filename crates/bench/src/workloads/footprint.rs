//! What the product takes when nothing happens: memory, time to start, size on disk.

use std::process::Command;

use anyhow::Result;

use crate::bench::Bench;
use crate::clock;
use crate::numbers::{micros, millis};
use crate::report::tell;
use crate::server::program;
use crate::usage::memory;

const STARTS: usize = 5;
const REST: std::time::Duration = std::time::Duration::from_secs(2);

/// Prints memory, start and size.
pub async fn run(bench: &Bench) -> Result<()> {
    tell("footprint: memory, start, size");
    let place = bench.place().await?;
    let first = bench.server(&place).await?;
    let fresh = first.started_in;
    first.stop().await?;
    let mut starts = Vec::new();
    for _ in 1..STARTS {
        let server = bench.server(&place).await?;
        starts.push(server.started_in);
        server.stop().await?;
    }
    let server = bench.server(&place).await?;
    starts.push(server.started_in);
    clock::pause(REST).await;
    let idle = memory(server.pid)?;
    server.stop().await?;
    place.remove().await?;
    starts.sort_unstable();
    bench
        .line("footprint")?
        .with("memory_idle_kib", idle.now_kib)?
        .with("start_ms", millis(micros(starts[STARTS / 2])))?
        .with("start_with_migrations_ms", millis(micros(fresh)))?
        .with("binary_bytes", std::fs::metadata(program()?)?.len())?
        .with("binary_stripped_bytes", stripped()?)?
        .print()
}

/// The size without symbols; `None` without `strip`.
fn stripped() -> Result<Option<u64>> {
    let target = tempfile::NamedTempFile::new()?;
    let mut command = Command::new("strip");
    command.arg("-o").arg(target.path()).arg(program()?);
    if !command.status().is_ok_and(|status| status.success()) {
        return Ok(None);
    }
    Ok(Some(std::fs::metadata(target.path())?.len()))
}
