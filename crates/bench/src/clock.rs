//! The generator's clock. It measures the product from outside, so it reads the system clock.

use std::time::{Duration, Instant};

/// A timer's maximum delay; the rest of a wait is a busy loop.
const TIMER: Duration = Duration::from_millis(2);

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
