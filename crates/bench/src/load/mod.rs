//! Two ways to load a server.
//!
//! The closed loop measures throughput: every caller waits for its response and sends again at
//! once. The open loop measures latency: requests have a schedule, and a request that the server
//! was not ready for counts from its scheduled time. A generator that waits would stop measuring
//! exactly when the server stalls (coordinated omission).

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::Result;
use hdrhistogram::Histogram;
use serde::Serialize;

use crate::client::Connection;
use crate::clock;
use crate::numbers::{micros, millis};

pub mod closed;
pub mod disk;
pub mod open;
pub mod profile;

const DIGITS: u8 = 3;
/// A request that takes longer fails.
const MICROS_MAX: u64 = 120_000_000;

/// The durations of the warm-up and of the measurement.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    pub warm_up: Duration,
    pub measure: Duration,
}

/// The servers that are loaded; new connections go to each in turn.
pub struct Nodes {
    addresses: Vec<SocketAddr>,
    next: Cell<usize>,
}

/// Collects durations by name, of work that started after the warm-up.
pub struct Meter {
    from: Instant,
    to: Instant,
    laps: RefCell<BTreeMap<&'static str, Histogram<u64>>>,
    done_in_time: Cell<u64>,
    done: Cell<u64>,
}

/// The distribution of durations, in milliseconds.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Quantiles {
    #[serde(rename = "p50_ms")]
    pub p50: f64,
    #[serde(rename = "p95_ms")]
    pub p95: f64,
    #[serde(rename = "p99_ms")]
    pub p99: f64,
    #[serde(rename = "p99_9_ms")]
    pub p999: f64,
    #[serde(rename = "max_ms")]
    pub max: f64,
}

impl Nodes {
    pub fn new(addresses: Vec<SocketAddr>) -> Self {
        Self { addresses, next: Cell::default() }
    }

    /// Opens a connection to the next one.
    pub async fn connect(&self) -> Result<Connection> {
        let turn = self.next.replace(self.next.get() + 1);
        Connection::open(self.addresses[turn % self.addresses.len()]).await
    }
}

impl Meter {
    /// Starts measuring by a plan.
    pub fn new(plan: Plan) -> Self {
        let from = clock::now() + plan.warm_up;
        Self {
            from,
            to: from + plan.measure,
            laps: RefCell::default(),
            done_in_time: Cell::default(),
            done: Cell::default(),
        }
    }

    /// Records a duration that ends now.
    pub fn lap(&self, name: &'static str, began: Instant) -> Result<()> {
        if began >= self.from {
            let took = micros(clock::now().duration_since(began));
            let mut laps = self.laps.borrow_mut();
            if !laps.contains_key(name) {
                laps.insert(name, Histogram::new_with_max(MICROS_MAX, DIGITS)?);
            }
            laps.entry(name).and_modify(|histogram| histogram.saturating_record(took));
        }
        Ok(())
    }

    /// The distribution of the durations of every name.
    pub fn all_quantiles(&self) -> BTreeMap<&'static str, Quantiles> {
        self.laps.borrow().iter().map(|(name, histogram)| (*name, quantiles(histogram))).collect()
    }

    /// Everything done, including the warm-up and after the end.
    pub fn done(&self) -> u64 {
        self.done.get()
    }

    /// What was done during the measurement.
    pub fn done_in_time(&self) -> u64 {
        self.done_in_time.get()
    }

    /// Whether the measurement has ended.
    pub fn is_over(&self) -> bool {
        clock::now() >= self.to
    }

    /// Records that the work was done once more.
    pub fn count(&self) {
        let now = clock::now();
        let in_time = now >= self.from && now < self.to;
        self.done_in_time.set(self.done_in_time.get() + u64::from(in_time));
        self.done.set(self.done.get() + 1);
    }
}

fn quantiles(histogram: &Histogram<u64>) -> Quantiles {
    Quantiles {
        p50: millis(histogram.value_at_quantile(0.5)),
        p95: millis(histogram.value_at_quantile(0.95)),
        p99: millis(histogram.value_at_quantile(0.99)),
        p999: millis(histogram.value_at_quantile(0.999)),
        max: millis(histogram.max()),
    }
}
