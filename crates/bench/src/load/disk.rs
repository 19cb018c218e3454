//! The disk beside a running workload: how long a plain sync takes while the server writes.
//!
//! A tail of the product means little without it, because every commit waits for this disk.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use hdrhistogram::Histogram;
use serde::Serialize;

use crate::clock;
use crate::numbers::micros;

/// About what a group of charges adds to the database's log.
static BLOCK: [u8; 40 * 1024] = [7; 40 * 1024];
/// Often enough for a 99th percentile within seconds, and too seldom to slow the server.
const EVERY: Duration = Duration::from_millis(30);
const DIGITS: u8 = 3;
const MICROS_MAX: u64 = 60_000_000;

/// A thread that writes and syncs until it is stopped.
pub struct DiskProbe {
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<Histogram<u64>>>>,
}

/// How long plain syncs took during a run.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct DuringRun {
    pub p50_us: u64,
    pub p99_us: u64,
    pub max_us: u64,
    pub syncs: u64,
}

impl DiskProbe {
    /// Appends to a file in a folder and syncs it at once; only what begins after `from` counts.
    pub fn start(folder: &Path, from: Instant) -> Result<Self> {
        let file = tempfile::tempfile_in(folder)?;
        let over = Arc::new(AtomicBool::new(false));
        let until = over.clone();
        let thread = std::thread::Builder::new()
            .name("disk".to_owned())
            .spawn(move || write_until(file, from, &until))?;
        Ok(Self { over, thread: Some(thread) })
    }

    /// Stops and returns what was measured.
    pub fn stop(mut self) -> Result<DuringRun> {
        self.over.store(true, Ordering::Relaxed);
        let thread = self.thread.take().context("the disk is measured once")?;
        let done = thread.join().ok().context("the thread that measures the disk failed")?;
        let histogram = done?;
        Ok(DuringRun {
            p50_us: histogram.value_at_quantile(0.5),
            p99_us: histogram.value_at_quantile(0.99),
            max_us: histogram.max(),
            syncs: histogram.len(),
        })
    }
}

impl Drop for DiskProbe {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
    }
}

fn write_until(mut file: File, from: Instant, over: &AtomicBool) -> Result<Histogram<u64>> {
    let mut histogram = Histogram::new_with_max(MICROS_MAX, DIGITS)?;
    while !over.load(Ordering::Relaxed) {
        let began = clock::now();
        file.write_all(&BLOCK)?;
        file.sync_data()?;
        if began >= from {
            histogram.saturating_record(micros(clock::now().duration_since(began)));
        }
        clock::block_until(began + EVERY);
    }
    Ok(histogram)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::DiskProbe;
    use crate::clock;

    #[test]
    fn syncs_are_counted_from_the_end_of_the_warm_up() {
        let folder = tempfile::tempdir().unwrap();
        let began = clock::now();
        let counted = DiskProbe::start(folder.path(), began).unwrap();
        let warming = DiskProbe::start(folder.path(), began + Duration::from_secs(60)).unwrap();
        clock::block_until(began + Duration::from_millis(20));
        let (counted, warming) = (counted.stop().unwrap(), warming.stop().unwrap());
        assert!(counted.syncs >= 1 && counted.max_us >= counted.p50_us, "{counted:?}");
        assert_eq!(warming.syncs, 0);
    }
}
