//! Leaves a service alone that keeps failing, and asks it now and then whether it is back.
//!
//! A service that is down would otherwise hold every caller for the whole of their deadline, and
//! would come back to all of them at once.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// What a call wants of the service. A service may answer one kind and not the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Asks for something that exists, or for a token.
    Question,
    /// Has the service do something.
    Order,
}

/// Counts outages, and says which calls may pass.
///
/// ```text
/// closed ──outages of one kind in a row──▶ open ──each pause: one call──▶ its success closes
/// ```
///
/// A question that succeeds says nothing about orders: after it, one more order that fails opens
/// the breaker again.
pub(crate) struct Breaker {
    failures: u32,
    pause: Duration,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    questions_failed: u32,
    orders_failed: u32,
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
    pub fn succeeded(&self, kind: Kind) {
        let mut state = self.state();
        let orders_failed = match kind {
            Kind::Question => state.orders_failed.min(self.failures - 1),
            Kind::Order => 0,
        };
        *state = State { orders_failed, ..State::default() };
    }

    /// Records that the service did not answer, or not so that anything is known.
    pub fn failed(&self, kind: Kind, now: Instant) {
        let mut state = self.state();
        let failed = match kind {
            Kind::Question => &mut state.questions_failed,
            Kind::Order => &mut state.orders_failed,
        };
        *failed = failed.saturating_add(1);
        if *failed >= self.failures && state.next_probe.is_none() {
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

    use super::{Breaker, Kind};

    const PAUSE: Duration = Duration::from_secs(5);

    /// A breaker after so many outages of a kind.
    fn after(outages: u32, kind: Kind) -> Breaker {
        let breaker = Breaker::new(10, PAUSE);
        for _ in 0..outages {
            assert_eq!(breaker.admit(Instant::now()), Ok(()));
            breaker.failed(kind, Instant::now());
        }
        breaker
    }

    #[tokio::test(start_paused = true)]
    async fn ten_outages_in_a_row_open_it_and_nine_do_not() {
        for kind in [Kind::Question, Kind::Order] {
            let breaker = after(9, kind);
            assert!(!breaker.is_open());
            breaker.succeeded(kind);
            for _ in 0..9 {
                breaker.failed(kind, Instant::now());
            }
            assert_eq!(breaker.admit(Instant::now()), Ok(()));
            breaker.failed(kind, Instant::now());
            assert_eq!(breaker.admit(Instant::now()), Err(PAUSE));
            assert!(breaker.is_open());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn one_call_passes_in_each_pause() {
        let breaker = after(10, Kind::Question);
        advance(Duration::from_millis(4_999)).await;
        assert_eq!(breaker.admit(Instant::now()), Err(Duration::from_millis(1)));
        advance(Duration::from_millis(1)).await;
        assert_eq!(breaker.closed_for(Instant::now()), None);
        assert_eq!(breaker.admit(Instant::now()), Ok(()));
        assert_eq!(breaker.closed_for(Instant::now()), Some(PAUSE));
        assert_eq!(breaker.admit(Instant::now()), Err(PAUSE));
        breaker.failed(Kind::Question, Instant::now());
        assert_eq!(breaker.admit(Instant::now()), Err(PAUSE));
        advance(PAUSE).await;
        assert_eq!(breaker.admit(Instant::now()), Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn one_success_closes_it_and_forgets_the_outages() {
        for kind in [Kind::Question, Kind::Order] {
            let breaker = after(10, kind);
            advance(PAUSE).await;
            assert_eq!(breaker.admit(Instant::now()), Ok(()));
            breaker.succeeded(kind);
            breaker.failed(kind, Instant::now());
            assert!(!breaker.is_open());
            assert_eq!(breaker.admit(Instant::now()), Ok(()));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn orders_that_fail_open_it_although_questions_are_answered() {
        let breaker = after(9, Kind::Order);
        breaker.succeeded(Kind::Question);
        assert!(!breaker.is_open());
        breaker.failed(Kind::Order, Instant::now());
        assert!(breaker.is_open());
    }

    #[tokio::test(start_paused = true)]
    async fn after_an_answered_question_one_order_that_fails_opens_it_again() {
        let breaker = after(10, Kind::Order);
        advance(PAUSE).await;
        breaker.succeeded(Kind::Question);
        assert_eq!(breaker.admit(Instant::now()), Ok(()));
        breaker.failed(Kind::Order, Instant::now());
        assert!(breaker.is_open());
        breaker.succeeded(Kind::Order);
        breaker.failed(Kind::Order, Instant::now());
        assert!(!breaker.is_open());
    }
}
