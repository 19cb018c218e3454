//! Leaves a service alone that keeps failing, and asks it now and then whether it is back.
//!
//! A service that is down would otherwise hold every caller for the whole of their deadline, and
//! would come back to all of them at once.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Counts outages, and says which calls may pass.
///
/// ```text
/// closed ──outages in a row──▶ open ──each pause: one call──▶ its success closes
/// ```
pub struct Breaker {
    failures: u32,
    pause: Duration,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    outages_in_a_row: u32,
    /// When the next call may pass; set while the breaker is open.
    next_probe: Option<Instant>,
}

impl Breaker {
    pub fn new(failures: u32, pause: Duration) -> Self {
        Self { failures: failures.max(1), pause, state: Mutex::default() }
    }

    /// Whether the service is left alone.
    pub fn is_open(&self) -> bool {
        self.state().next_probe.is_some()
    }

    /// Returns how long no call may pass. A call that may pass must still be admitted.
    pub fn closed_for(&self, now: Instant) -> Option<Duration> {
        let wait = self.state().next_probe?.saturating_duration_since(now);
        (!wait.is_zero()).then_some(wait)
    }

    /// Admits a call, or returns how long no call may pass. An open breaker admits one call in
    /// each pause.
    pub fn admit(&self, now: Instant) -> Result<(), Duration> {
        let mut state = self.state();
        let Some(next_probe) = state.next_probe else {
            return Ok(());
        };
        let wait = next_probe.saturating_duration_since(now);
        if wait.is_zero() {
            state.next_probe = Some(now + self.pause);
            Ok(())
        } else {
            Err(wait)
        }
    }

    /// Records that the service answered.
    pub fn succeeded(&self) {
        *self.state() = State::default();
    }

    /// Records that the service did not answer, or not so that anything is known.
    pub fn failed(&self, now: Instant) {
        let mut state = self.state();
        state.outages_in_a_row = state.outages_in_a_row.saturating_add(1);
        if state.outages_in_a_row >= self.failures && state.next_probe.is_none() {
            state.next_probe = Some(now + self.pause);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::{Instant, advance};

    use super::Breaker;

    const PAUSE: Duration = Duration::from_secs(5);

    fn open() -> Breaker {
        let breaker = Breaker::new(10, PAUSE);
        for _ in 0..10 {
            assert_eq!(breaker.admit(Instant::now()), Ok(()));
            breaker.failed(Instant::now());
        }
        breaker
    }

    #[tokio::test(start_paused = true)]
    async fn ten_outages_in_a_row_open_it_and_nine_do_not() {
        let breaker = Breaker::new(10, PAUSE);
        for _ in 0..9 {
            breaker.failed(Instant::now());
        }
        assert!(!breaker.is_open());
        breaker.succeeded();
        for _ in 0..9 {
            breaker.failed(Instant::now());
        }
        assert_eq!(breaker.admit(Instant::now()), Ok(()));
        breaker.failed(Instant::now());
        assert_eq!(breaker.admit(Instant::now()), Err(PAUSE));
        assert!(breaker.is_open());
    }

    #[tokio::test(start_paused = true)]
    async fn one_call_passes_in_each_pause() {
        let breaker = open();
        advance(Duration::from_millis(4_999)).await;
        assert_eq!(breaker.admit(Instant::now()), Err(Duration::from_millis(1)));
        advance(Duration::from_millis(1)).await;
        assert_eq!(breaker.closed_for(Instant::now()), None);
        assert_eq!(breaker.admit(Instant::now()), Ok(()));
        assert_eq!(breaker.closed_for(Instant::now()), Some(PAUSE));
        assert_eq!(breaker.admit(Instant::now()), Err(PAUSE));
        breaker.failed(Instant::now());
        assert_eq!(breaker.admit(Instant::now()), Err(PAUSE));
        advance(PAUSE).await;
        assert_eq!(breaker.admit(Instant::now()), Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn one_success_closes_it_and_forgets_the_outages() {
        let breaker = open();
        advance(PAUSE).await;
        assert_eq!(breaker.admit(Instant::now()), Ok(()));
        breaker.succeeded();
        breaker.failed(Instant::now());
        assert!(!breaker.is_open());
        assert_eq!(breaker.admit(Instant::now()), Ok(()));
    }
}
