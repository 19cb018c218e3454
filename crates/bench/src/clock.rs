//! The generator's clock. It measures the product from outside, so it reads the system clock.

use std::time::{Duration, Instant};

/// A timer's maximum delay; the rest of a wait is a busy loop.
const TIMER: Duration = Duration::from_millis(2);
/// The same of a thread that sleeps: the kernel wakes it within a tenth of a millisecond.
const WAKING: Duration = Duration::from_micros(80);

/// The current instant.
#[expect(clippy::disallowed_methods, reason = "the generator measures from outside the product")]
pub fn now() -> Instant {
    Instant::now()
}

/// Sleeps.
#[expect(clippy::disallowed_methods, reason = "a load is a matter of time, not of events")]
pub async fn pause(duration: Duration) {
    tokio::time::sleep(duration).await;
}

/// Stops this thread until an instant.
#[expect(clippy::disallowed_methods, reason = "a load is a matter of time, not of events")]
pub fn block_until(at: Instant) {
    std::thread::sleep(at.saturating_duration_since(now()));
}

/// Stops this thread until an instant to the microsecond.
pub fn spin_until(at: Instant) {
    block_until(at.checked_sub(WAKING).unwrap_or(at));
    while now() < at {
        std::thread::yield_now();
    }
}

/// Waits for an instant to the microsecond, while other futures run.
pub async fn wait_until(at: Instant) {
    loop {
        let left = at.saturating_duration_since(now());
        if left.is_zero() {
            return;
        }
        if left > TIMER {
            pause(left.saturating_sub(TIMER)).await;
        } else {
            tokio::task::yield_now().await;
        }
    }
}
