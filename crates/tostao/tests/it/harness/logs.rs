//! The product's log, for a test that looks for what must not be in it.

use std::io::{Result, Write};
use std::sync::{Mutex, MutexGuard, Once};

use tracing::Level;

static BEGUN: Once = Once::new();
static LOG: Mutex<Log> = Mutex::new(Log { watched: Vec::new(), lines: Vec::new() });

/// What is looked for, and the lines that hold it.
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
        if log.watched.iter().any(|watched| text.contains(watched)) {
            log.lines.push(text);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Keeps, from now on, every line of any level that holds one of these texts.
pub fn watch(texts: &[&str]) {
    BEGUN.call_once(|| {
        let lines = tracing_subscriber::fmt().with_max_level(Level::TRACE).with_ansi(false);
        let subscriber = lines.with_writer(|| Sink).finish();
        tracing::subscriber::set_global_default(subscriber).expect("no other subscriber is set");
    });
    log().watched.extend(texts.iter().map(ToString::to_string));
}

/// The kept lines that hold a text.
pub fn lines_with(text: &str) -> Vec<String> {
    log().lines.iter().filter(|line| line.contains(text)).cloned().collect()
}

fn log() -> MutexGuard<'static, Log> {
    LOG.lock().expect("no test panics in it")
}
