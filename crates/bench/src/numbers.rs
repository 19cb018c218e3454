//! Counts and durations as numbers of a report.

use std::time::Duration;

/// A count, for computing a rate or a ratio.
#[expect(clippy::cast_precision_loss, reason = "nothing counted here comes near 2^53")]
pub fn float(count: u64) -> f64 {
    count as f64
}

/// Whole microseconds.
pub fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

/// Rounds to three decimals; more would be noise.
pub fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

/// Microseconds as milliseconds.
pub fn millis(micros: u64) -> f64 {
    rounded(float(micros) / 1000.0)
}

/// The rate per second.
pub fn rate(count: u64, time: Duration) -> f64 {
    float(count) / time.as_secs_f64()
}
