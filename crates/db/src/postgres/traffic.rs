//! How much a database server is asked: what limits it before the disk does.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// What was sent to a database server, and how often a unit waited for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traffic {
    /// Statements, with those that begin and end a transaction.
    pub messages: u64,
    /// Waits for an answer; statements that are sent together are one.
    pub trips: u64,
}

/// Counts over all connections of a pool.
#[derive(Debug, Default)]
pub struct Counter {
    messages: AtomicU64,
    trips: AtomicU64,
}

/// How many statements of one connection are waited for.
#[derive(Debug, Default)]
pub struct Waiting(Cell<u32>);

/// A statement that is waited for, until it is dropped.
pub struct Wait<'a>(&'a Waiting);

impl Counter {
    pub fn message(&self) {
        self.messages.fetch_add(1, Ordering::Relaxed);
    }

    /// A trip begins with the first of the statements that are waited for together.
    pub fn wait<'a>(&self, waiting: &'a Waiting) -> Wait<'a> {
        if waiting.0.replace(waiting.0.get() + 1) == 0 {
            self.trips.fetch_add(1, Ordering::Relaxed);
        }
        Wait(waiting)
    }

    pub fn read(&self) -> Traffic {
        Traffic {
            messages: self.messages.load(Ordering::Relaxed),
            trips: self.trips.load(Ordering::Relaxed),
        }
    }
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        self.0.0.set(self.0.0.get() - 1);
    }
}
