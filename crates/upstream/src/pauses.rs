//! Operations that the service asked us to leave alone for a while.
//!
//! A limit is an operation's own: one list that was read too often must not hold up payouts. Every
//! caller waits for it, because a service counts the calls of all of them.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// The longest that all callers of an operation wait.
const LONGEST: Duration = Duration::from_mins(5);

/// Until when each operation is left alone.
#[derive(Default)]
pub struct Pauses(Mutex<HashMap<&'static str, Instant>>);

impl Pauses {
    /// Returns how much longer no call of the operation may be sent.
    pub fn left(&self, operation: &str, now: Instant) -> Option<Duration> {
        let until = self.all().get(operation).copied()?;
        let left = until.saturating_duration_since(now);
        (!left.is_zero()).then_some(left)
    }

    /// Leaves the operation alone for a while.
    ///
    /// A longer wait is its job's own: one odd header must not stop a rail for a day.
    pub fn begin(&self, operation: &'static str, now: Instant, wait: Duration) {
        self.all().insert(operation, now + wait.min(LONGEST));
    }

    fn all(&self) -> MutexGuard<'_, HashMap<&'static str, Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::{Instant, advance};

    use super::Pauses;

    #[tokio::test(start_paused = true)]
    async fn an_operation_is_left_alone_for_as_long_as_was_asked_and_the_others_are_not() {
        let pauses = Pauses::default();
        let wait = Duration::from_secs(3);
        pauses.begin("read_list", Instant::now(), wait);
        assert_eq!(pauses.left("read_list", Instant::now()), Some(wait));
        assert_eq!(pauses.left("pay", Instant::now()), None);
        advance(Duration::from_millis(2_999)).await;
        assert_eq!(pauses.left("read_list", Instant::now()), Some(Duration::from_millis(1)));
        advance(Duration::from_millis(1)).await;
        assert_eq!(pauses.left("read_list", Instant::now()), None);
    }
}
