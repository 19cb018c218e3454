//! The product's log: its errors, for a test that fails, and everything, for one that looks for
//! what must not be in it.

use std::io::{Result, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, Once};

use tracing::Level;
use tracing_subscriber::filter::dynamic_filter_fn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::{Layer, fmt, registry};

static BEGUN: Once = Once::new();
/// Whether lines of every level are read, or errors only.
static READS_ALL: AtomicBool = AtomicBool::new(false);
static LOG: Mutex<Log> = Mutex::new(Log { watched: Vec::new(), lines: Vec::new() });

/// What is looked for, and the lines that hold it, or that are errors.
///
/// The tests of one binary share a log, so each looks for texts that no other one uses.
struct Log {
    watched: Vec<String>,
    lines: Vec<String>,
}

/// Where every line arrives, one at a time.
struct Sink;

impl Write for Sink {
    fn write(&mut self, line: &[u8]) -> Result<usize> {
        let text = String::from_utf8_lossy(line).into_owned();
        let mut log = log();
        let is_error = text.contains(Level::ERROR.as_str());
        if is_error || log.watched.iter().any(|watched| text.contains(watched)) {
            log.lines.push(text);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Keeps, from now on, every error.
pub fn begin() {
    BEGUN.call_once(|| {
        let lines = fmt::layer().with_ansi(false).with_writer(|| Sink);
        let is_read = dynamic_filter_fn(|line, _| {
            *line.level() == Level::ERROR || READS_ALL.load(Ordering::Relaxed)
        });
        let subscriber = registry().with(lines.with_filter(is_read));
        tracing::subscriber::set_global_default(subscriber).expect("no other subscriber is set");
    });
}

/// Keeps, from now on, every line of any level that holds one of these texts.
pub fn watch(texts: &[&str]) {
    begin();
    READS_ALL.store(true, Ordering::Relaxed);
    log().watched.extend(texts.iter().map(ToString::to_string));
}

/// The kept lines that hold a text.
pub fn lines_with(text: &str) -> Vec<String> {
    log().lines.iter().filter(|line| line.contains(text)).cloned().collect()
}

fn log() -> MutexGuard<'static, Log> {
    LOG.lock().expect("no test panics in it")
}
