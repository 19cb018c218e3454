//! Checkpoints: pages move from the write-ahead log into the file, so that the log stays short.
//!
//! A thread moves them often and few at a time, beside the commits: one large sync makes the syncs
//! of commits wait for many milliseconds. The log starts over only once all of it has been moved,
//! which never happens beside a writer that does not pause; so the writer moves the last pages
//! itself, between two groups.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::park_timeout;
use std::time::Duration;

use crate::error::Result;
use crate::sqlite::connection::{Connection, Role};

const EVERY: Duration = Duration::from_millis(50);
/// Fewer pages than this, 4 MiB, are not worth a sync: every group of commits writes the same few
/// pages, which are moved once for all of them.
const PAGES_MIN: i64 = 1_024;
/// A log of this many pages, 12 MiB, starts over as soon as it can.
const LOG_PAGES: i64 = 3_072;
/// With more pages left than these, the writer does not finish the log: callers wait for it.
const REST_PAGES_MAX: i64 = 400;

/// What the thread and the writer share.
#[derive(Debug, Default)]
pub struct Checkpoints {
    is_stopped: AtomicBool,
    is_nearly_done: AtomicBool,
}

/// How many pages the log has, and how many of them have been moved.
struct Log {
    pages: i64,
    moved: i64,
}

impl Checkpoints {
    /// Serves until it is stopped.
    pub fn serve(&self, path: &Path) {
        let connection = match Connection::open(path, Role::Writer) {
            Ok(connection) => connection,
            Err(error) => return tracing::error!(%error, "only commits will move the log now"),
        };
        while !self.is_stopped.load(Ordering::Relaxed) {
            match Log::shortened(&connection) {
                Ok(log) => self.is_nearly_done.store(log.is_nearly_done(), Ordering::Relaxed),
                Err(error) => {
                    tracing::warn!(%error, "checkpoint failed; the next one tries again");
                }
            }
            park_timeout(EVERY);
        }
    }

    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Moves the rest of the log if little is left; the writer calls it between two groups.
    pub fn finish(&self, writer: &Connection) {
        if self.is_nearly_done.swap(false, Ordering::Relaxed)
            && let Err(error) = Log::moved(writer)
        {
            tracing::warn!(%error, "checkpoint failed; the next one tries again");
        }
    }
}

impl Log {
    /// Moves pages if there are enough of them.
    fn shortened(connection: &Connection) -> Result<Self> {
        let log = Self::read(connection, "pragma wal_checkpoint(noop)")?;
        if log.left() < PAGES_MIN { Ok(log) } else { Self::moved(connection) }
    }

    /// Moves what no reader needs, and waits for no one.
    fn moved(connection: &Connection) -> Result<Self> {
        Self::read(connection, "pragma wal_checkpoint(passive)")
    }

    fn read(connection: &Connection, sql: &'static str) -> Result<Self> {
        let mut rows = connection.all(sql, &[])?;
        let Some(mut row) = rows.pop() else { return Ok(Self { pages: 0, moved: 0 }) };
        let _is_busy: i64 = row.take()?;
        Ok(Self { pages: row.take()?, moved: row.take()? })
    }

    fn left(&self) -> i64 {
        self.pages - self.moved
    }

    fn is_nearly_done(&self) -> bool {
        self.pages >= LOG_PAGES && (1..=REST_PAGES_MAX).contains(&self.left())
    }
}
