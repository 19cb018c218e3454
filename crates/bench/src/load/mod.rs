//! Two ways to load a server.
//!
//! The closed loop finds what it can do: everybody waits for his answer and asks again at once.
//! The open loop finds how long it takes: requests have a timetable, and one that the server was
//! not ready for counts from when it should have been sent. A generator that waits would stop
//! measuring exactly when the server stalls.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::Result;
use hdrhistogram::Histogram;
use serde::Serialize;

use crate::clock;
use crate::numbers::{micros, millis};

pub mod closed;
pub mod open;
pub mod profile;

const DIGITS: u8 = 3;
/// Whatever takes longer has failed before.
const MICROS_MAX: u64 = 120_000_000;

/// How long to load before it counts, and while it counts.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    pub warm_up: Duration,
    pub measure: Duration,
}

/// Collects durations by name, of what began after the warm-up.
pub struct Meter {
    from: Instant,
    to: Instant,
    laps: RefCell<BTreeMap<&'static str, Histogram<u64>>>,
    done_in_time: Cell<u64>,
    done: Cell<u64>,
}

/// How durations lie, in milliseconds.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Quantiles {
    #[serde(rename = "p50_ms")]
    pub p50: f64,
    #[serde(rename = "p99_ms")]
    pub p99: f64,
    #[serde(rename = "p99_9_ms")]
    pub p999: f64,
    #[serde(rename = "max_ms")]
    pub max: f64,
}

impl Meter {
    /// Begins to measure by a plan.
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

    /// Notes a duration that ends now.
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

    /// How the durations of every name lie.
    pub fn all_quantiles(&self) -> BTreeMap<&'static str, Quantiles> {
        self.laps.borrow().iter().map(|(name, histogram)| (*name, quantiles(histogram))).collect()
    }

    /// Everything done, in the warm-up and after the end as well.
    pub fn done(&self) -> u64 {
        self.done.get()
    }

    /// What was done while it counted.
    pub fn done_in_time(&self) -> u64 {
        self.done_in_time.get()
    }

    /// Whether it has counted for long enough.
    pub fn is_over(&self) -> bool {
        clock::now() >= self.to
    }

    /// Notes that the work was done once more.
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
        p99: millis(histogram.value_at_quantile(0.99)),
        p999: millis(histogram.value_at_quantile(0.999)),
        max: millis(histogram.max()),
    }
}
