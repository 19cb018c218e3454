//! L1: the cost of syncing four kilobytes to this disk.
//!
//! Some virtual machines acknowledge a flush that never happens, which cannot be detected from
//! inside. So the figure is printed with every other one, for the reader to judge.

use std::fs::OpenOptions;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use anyhow::Result;
use hdrhistogram::Histogram;

use crate::bench::Bench;
use crate::clock;
use crate::numbers::{micros, rate, rounded};

const BLOCK: [u8; 4096] = [7; 4096];
const WRITES: usize = 1_000;
const DIGITS: u8 = 3;
const MICROS_MAX: u64 = 60_000_000;

/// The duration of a sync.
#[derive(Debug, Clone, Copy)]
pub struct SyncCost {
    pub p50_us: u64,
    pub p99_us: u64,
    pub per_second: f64,
}

/// Prints L1.
pub fn run(bench: &Bench) -> Result<()> {
    let cost = sync_cost(&bench.options.folder(), WRITES)?;
    let mut line = bench.line("L1")?;
    line.per_second = Some(rounded(cost.per_second));
    (line.fsync_p50_us, line.fsync_p99_us) = (cost.p50_us, cost.p99_us);
    line.with("writes", WRITES)?.with("bytes", BLOCK.len())?.print()
}

/// Writes a block and syncs it, that many times, at the same position of a file.
pub fn sync_cost(folder: &Path, writes: usize) -> Result<SyncCost> {
    let file = tempfile::NamedTempFile::new_in(folder)?;
    let mut blocks = OpenOptions::new().write(true).open(file.path())?;
    blocks.write_all(&BLOCK)?;
    blocks.sync_all()?;
    let mut histogram = Histogram::<u64>::new_with_max(MICROS_MAX, DIGITS)?;
    let began = clock::now();
    for _ in 0..writes {
        let one = clock::now();
        blocks.seek(SeekFrom::Start(0))?;
        blocks.write_all(&BLOCK)?;
        blocks.sync_data()?;
        histogram.saturating_record(micros(clock::now().duration_since(one)));
    }
    Ok(SyncCost {
        p50_us: histogram.value_at_quantile(0.5),
        p99_us: histogram.value_at_quantile(0.99),
        per_second: rate(u64::try_from(writes)?, clock::now().duration_since(began)),
    })
}
