//! Resource usage of processes from the kernel: CPU time, memory, disk flushes.

use std::fs::{read_dir, read_to_string};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::clock;
use crate::cores::Cores;
use crate::numbers::{float, micros, rounded};

/// The kernel counts CPU time in hundredths of a second on every Linux.
const TICK_MICROS: u64 = 10_000;
const FLUSHES_COLUMN: usize = 15;
/// The columns of idle time and of waiting for the disk in the kernel's line about all CPUs.
const IDLE_COLUMNS: [usize; 2] = [3, 4];
/// The column of stolen time, which the host gave to others; no later column counts this machine's
/// own.
const STEAL_COLUMN: usize = 7;
/// The most that other programs may take of the generator's core, and other machines of all cores.
const OTHERS_MAX: f64 = 0.1;
const STOLEN_MAX: f64 = 0.01;

/// The processes to watch.
#[derive(Debug, Clone)]
pub struct Watch {
    /// Processes whose children are included, such as a database server's.
    pub servers: Vec<u32>,
    cores: Cores,
    device: Option<PathBuf>,
}

/// The usage between two instants.
#[derive(Debug, Clone, Copy)]
pub struct Usage {
    pub time: Duration,
    pub server_micros: u64,
    pub generator_micros: u64,
    /// All processes of the machine.
    pub busy_micros: u64,
    /// All processes on the generator's core, if it has one of its own.
    pub beside_micros: Option<u64>,
    /// CPU time that this machine wanted and its host gave to others.
    pub stolen_micros: u64,
    /// By every process that writes to the disk, not only the server.
    pub flushes: Option<u64>,
}

/// What limited the run, each in cores.
#[derive(Debug, Clone, Copy, Default)]
pub struct Shares {
    /// The generator's share of its core; near one, it limited the server.
    pub generator: f64,
    /// Used by other processes on the machine; far from zero, the run is void.
    pub others: f64,
    /// Used by other processes on the generator's core, or anywhere if it has none of its own.
    pub beside: f64,
    /// Stolen by the host; far from zero, the run is void as well.
    pub stolen: f64,
}

/// A process's memory, in KiB.
#[derive(Debug, Clone, Copy)]
pub struct Memory {
    pub now: u64,
    /// Without pages of files, which the system takes back when it is short of memory. Of a
    /// program's own file it maps what it has cached, however little of that runs.
    pub anonymous: u64,
    pub peak: u64,
}

impl Watch {
    /// Watches processes, and the disk of a folder.
    pub fn new(servers: Vec<u32>, cores: Cores, folder: &Path) -> Self {
        let device = device(folder).filter(|path| path.exists());
        Self { servers, cores, device }
    }

    /// Measures the usage between two instants.
    pub async fn between(&self, from: Instant, to: Instant) -> Result<Usage> {
        clock::pause(from.saturating_duration_since(clock::now())).await;
        let (before, began) = (self.read()?, clock::now());
        clock::pause(to.saturating_duration_since(clock::now())).await;
        let after = self.read()?;
        Ok(Usage {
            time: clock::now().duration_since(began),
            server_micros: after.server_micros.saturating_sub(before.server_micros),
            generator_micros: after.generator_micros.saturating_sub(before.generator_micros),
            busy_micros: after.busy_micros.saturating_sub(before.busy_micros),
            beside_micros: between(before.beside_micros, after.beside_micros),
            stolen_micros: after.stolen_micros.saturating_sub(before.stolen_micros),
            flushes: between(before.flushes, after.flushes),
        })
    }

    fn read(&self) -> Result<Usage> {
        let mut server_micros = 0;
        for pid in &self.servers {
            server_micros += with_children(*pid)?;
        }
        let text = read_to_string("/proc/stat")?;
        let (busy_micros, stolen_micros) =
            busy(&text, "cpu").context("the kernel counts no processor time")?;
        let beside = self.cores.generator().and_then(|core| busy(&text, &format!("cpu{core}")));
        Ok(Usage {
            time: Duration::ZERO,
            server_micros,
            generator_micros: own(std::process::id())?,
            busy_micros,
            beside_micros: beside.map(|(busy, _)| busy),
            stolen_micros,
            flushes: self.device.as_deref().and_then(flushes),
        })
    }
}

impl Usage {
    /// What limited the run.
    pub fn shares(&self) -> Shares {
        let share = |part: u64| rounded(float(part) / float(micros(self.time)));
        let ours = self.server_micros + self.generator_micros;
        let others = share(self.busy_micros.saturating_sub(ours));
        let beside = self.beside_micros.map(|all| all.saturating_sub(self.generator_micros));
        Shares {
            generator: share(self.generator_micros),
            others,
            beside: beside.map_or(others, share),
            stolen: share(self.stolen_micros),
        }
    }

    /// The server's CPU time per item of `done`, in microseconds.
    pub fn server_micros_each(&self, done: u64) -> f64 {
        rounded(float(self.server_micros) / float(done.max(1)))
    }

    /// The disk's flushes per item of `done`.
    pub fn flushes_each(&self, done: u64) -> Option<f64> {
        self.flushes.map(|count| rounded(float(count) / float(done.max(1))))
    }
}

impl Shares {
    /// Whether something else than the product and the generator decided the result.
    pub fn is_void(self) -> bool {
        self.beside > OTHERS_MAX || self.stolen > STOLEN_MAX
    }

    /// The maximum of each value, for two runs that make one result.
    pub fn or_worse(self, other: Self) -> Self {
        Self {
            generator: self.generator.max(other.generator),
            others: self.others.max(other.others),
            beside: self.beside.max(other.beside),
            stolen: self.stolen.max(other.stolen),
        }
    }
}

/// Reads a process's resident memory.
pub fn memory(pid: u32) -> Result<Memory> {
    let text = read_to_string(format!("/proc/{pid}/status"))?;
    let field = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|rest| rest.split_whitespace().next()?.parse().ok())
    };
    let missing = || format!("process {pid} has no memory left to count");
    Ok(Memory {
        now: field("VmRSS:").with_context(missing)?,
        anonymous: field("RssAnon:").with_context(missing)?,
        peak: field("VmHWM:").with_context(missing)?,
    })
}

/// A process's parent.
pub fn parent(pid: u32) -> Option<u32> {
    stat(pid)?.get(1)?.parse().ok()
}

/// A process's children that still run.
pub fn children(pid: u32) -> Vec<u32> {
    let numbers = read_dir("/proc").into_iter().flatten().flatten();
    let pids = numbers.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|child| parent(*child) == Some(pid)).collect()
}

fn own(pid: u32) -> Result<u64> {
    let ended = || format!("process {pid} has ended");
    let fields = stat(pid).with_context(ended)?;
    let ticks = |column: usize| fields.get(column)?.parse::<u64>().ok();
    let (user, system) = ticks(11).zip(ticks(12)).with_context(ended)?;
    Ok((user + system) * TICK_MICROS)
}

fn with_children(pid: u32) -> Result<u64> {
    // A child may end between the listing and the read; it is then not counted.
    let of_children: u64 = children(pid).into_iter().filter_map(|child| own(child).ok()).sum();
    Ok(own(pid)? + of_children)
}

fn between(before: Option<u64>, after: Option<u64>) -> Option<u64> {
    before.zip(after).map(|(before, after)| after.saturating_sub(before))
}

/// A processor's busy time, without idling and waiting for the disk; and its stolen time.
fn busy(text: &str, processor: &str) -> Option<(u64, u64)> {
    let mut lines = text.lines().map(str::split_whitespace);
    let fields = lines.find_map(|mut fields| (fields.next()? == processor).then_some(fields))?;
    let ticks: Vec<u64> = fields.map(str::parse).collect::<Result<_, _>>().ok()?;
    let busy = ticks.iter().take(STEAL_COLUMN).enumerate();
    let busy = busy.filter(|(column, _)| !IDLE_COLUMNS.contains(column));
    let busy: u64 = busy.map(|(_, ticks)| ticks).sum();
    let stolen = ticks.get(STEAL_COLUMN).copied().unwrap_or_default();
    Some((busy * TICK_MICROS, stolen * TICK_MICROS))
}

/// The fields after the name, the only one that may contain spaces.
fn stat(pid: u32) -> Option<Vec<String>> {
    let text = read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, rest) = text.rsplit_once(") ")?;
    Some(rest.split_whitespace().map(str::to_owned).collect())
}

fn device(folder: &Path) -> Option<PathBuf> {
    let number = std::fs::metadata(folder).ok()?.dev();
    let major = (number >> 8) & 0xfff;
    let minor = (number & 0xff) | ((number >> 12) & 0xfff_ff00);
    Some(PathBuf::from(format!("/sys/dev/block/{major}:{minor}/stat")))
}

fn flushes(device: &Path) -> Option<u64> {
    let text = read_to_string(device).ok()?;
    text.split_whitespace().nth(FLUSHES_COLUMN)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{Shares, busy};

    #[test]
    fn a_result_is_void_if_others_took_a_tenth_of_the_core_or_a_hundredth_was_stolen() {
        for (beside, stolen, expected) in
            [(0.0, 0.0, false), (0.1, 0.01, false), (0.101, 0.0, true), (0.0, 0.011, true)]
        {
            // What others do on the server's core is shown, and voids nothing.
            let shares = Shares { generator: 0.5, others: 0.9, beside, stolen };
            assert_eq!(shares.is_void(), expected, "{beside} {stolen}");
        }
    }

    #[test]
    fn the_busy_time_of_one_processor_leaves_out_idling_and_what_was_stolen() {
        let text = "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 1 0 0 0 0 0 0 0 0 0\n\
                    cpu1 1 2 3 400 500 6 7 8 0 0\n";
        assert_eq!(busy(text, "cpu1"), Some((190_000, 80_000)));
        assert_eq!(busy(text, "cpu2"), None);
    }
}
