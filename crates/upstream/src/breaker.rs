//! Leaves a service alone that keeps failing, and asks it now and then whether it is back.
//!
//! A service that is down would otherwise hold every caller for the whole of their deadline, and
//! would come back to all of them at once.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// How old a run of failed orders may get before it opens the breaker: one that is tried again and
/// again fails for reasons of its own, and other orders might be taken.
const RUN_MAX: Duration = Duration::from_mins(5);

/// What a call wants of the service. A service may answer one kind and not the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Asks for something that exists, or for a token.
    Question,
    /// Has the service do something.
    Order,
    /// Anything that says nothing of other calls: it counts for nothing, and probes nothing.
    Aside,
}

/// Counts outages, and says which calls may pass.
///
/// ```text
/// closed ──outages of one kind in a row──▶ open ──each pause: one call──▶ its success closes
/// ```
///
/// A question that succeeds says nothing about orders: until one succeeds, too, only one order may
/// pass in each pause, and if that fails, it opens the breaker again.
pub(crate) struct Breaker {
    failures: u32,
    pause: Duration,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    questions_failed: u32,
    orders_failed: u32,
    /// When the first of these orders failed, or the last one by which the breaker was opened.
    orders_failed_since: Option<Instant>,
    /// When the next call may pass; set while the breaker is open.
    next_probe: Option<Instant>,
    /// When the next order may pass while it is closed and orders are in doubt.
    next_order: Option<Instant>,
}

impl Breaker {
    pub fn new(failures: u32, pause: Duration) -> Self {
        Self { failures: failures.max(1), pause, state: Mutex::default() }
    }

    /// Whether the service is left alone.
    pub fn is_open(&self) -> bool {
        self.state().next_probe.is_some()
    }

    /// Returns how long no call of a kind may pass. A call that may pass must still be admitted.
    pub fn closed_for(&self, kind: Kind, now: Instant) -> Option<Duration> {
        self.wait(&self.state(), kind, now)
    }

    /// Admits a call, or returns how long none of its kind may pass. An open breaker admits one
    /// call in each pause, and one that doubts orders admits one of them.
    pub fn admit(&self, kind: Kind, now: Instant) -> Result<(), Duration> {
        let mut state = self.state();
        if let Some(wait) = self.wait(&state, kind, now) {
            return Err(wait);
        }
        let next = Some(now + self.pause);
        if state.next_probe.is_some() {
            state.next_probe = next;
        } else if kind == Kind::Order && self.doubts_orders(&state, now) {
            state.next_order = next;
        }
        Ok(())
    }

    /// Records that the service answered.
    pub fn succeeded(&self, kind: Kind) {
        let mut state = self.state();
        match kind {
            Kind::Question => {
                state.questions_failed = 0;
                state.orders_failed = state.orders_failed.min(self.failures - 1);
                state.next_probe = None;
            }
            Kind::Order => *state = State::default(),
            Kind::Aside => {}
        }
    }

    /// Records that the service did not answer, or not so that anything is known.
    pub fn failed(&self, kind: Kind, now: Instant) {
        let mut state = self.state();
        let failed = match kind {
            Kind::Question => {
                state.questions_failed = state.questions_failed.saturating_add(1);
                state.questions_failed
            }
            Kind::Order => {
                if state.is_run_old(now) {
                    state.orders_failed = 0;
                }
                state.orders_failed = state.orders_failed.saturating_add(1);
                if state.orders_failed == 1 || state.orders_failed >= self.failures {
                    state.orders_failed_since = Some(now);
                }
                state.orders_failed
            }
            Kind::Aside => return,
        };
        if failed >= self.failures && state.next_probe.is_none() {
            state.next_probe = Some(now + self.pause);
        }
    }

    /// How long a call must wait, if it must.
    fn wait(&self, state: &State, kind: Kind, now: Instant) -> Option<Duration> {
        let next = match (kind, state.next_probe) {
            (Kind::Aside, next) => return next.map(|_| self.pause),
            (_, Some(next)) => next,
            (Kind::Order, None) if self.doubts_orders(state, now) => state.next_order?,
            (_, None) => return None,
        };
        let wait = next.saturating_duration_since(now);
        (!wait.is_zero()).then_some(wait)
    }

    /// Whether one more order that fails opens the breaker.
    fn doubts_orders(&self, state: &State, now: Instant) -> bool {
        state.orders_failed > 0
            && state.orders_failed >= self.failures - 1
            && !state.is_run_old(now)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Whether the orders that failed did so too long ago to count.
    fn is_run_old(&self, now: Instant) -> bool {
        self.orders_failed_since.is_some_and(|since| now > since + RUN_MAX)
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
            assert_eq!(breaker.admit(kind, Instant::now()), Ok(()));
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
            assert_eq!(breaker.admit(kind, Instant::now()), Ok(()));
            breaker.failed(kind, Instant::now());
            assert_eq!(breaker.admit(kind, Instant::now()), Err(PAUSE));
            assert!(breaker.is_open());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn one_call_passes_in_each_pause() {
        let breaker = after(10, Kind::Question);
        advance(Duration::from_millis(4_999)).await;
        assert_eq!(breaker.admit(Kind::Question, Instant::now()), Err(Duration::from_millis(1)));
        advance(Duration::from_millis(1)).await;
        assert_eq!(breaker.closed_for(Kind::Question, Instant::now()), None);
        assert_eq!(breaker.admit(Kind::Question, Instant::now()), Ok(()));
        assert_eq!(breaker.closed_for(Kind::Question, Instant::now()), Some(PAUSE));
        assert_eq!(breaker.admit(Kind::Question, Instant::now()), Err(PAUSE));
        breaker.failed(Kind::Question, Instant::now());
        assert_eq!(breaker.admit(Kind::Question, Instant::now()), Err(PAUSE));
        advance(PAUSE).await;
        assert_eq!(breaker.admit(Kind::Question, Instant::now()), Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn one_success_closes_it_and_forgets_the_outages() {
        for kind in [Kind::Question, Kind::Order] {
            let breaker = after(10, kind);
            advance(PAUSE).await;
            assert_eq!(breaker.admit(kind, Instant::now()), Ok(()));
            breaker.succeeded(kind);
            breaker.failed(kind, Instant::now());
            assert!(!breaker.is_open());
            assert_eq!(breaker.admit(kind, Instant::now()), Ok(()));
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
        assert_eq!(breaker.admit(Kind::Order, Instant::now()), Ok(()));
        breaker.failed(Kind::Order, Instant::now());
        assert!(breaker.is_open());
        breaker.succeeded(Kind::Order);
        breaker.failed(Kind::Order, Instant::now());
        assert!(!breaker.is_open());
    }

    #[tokio::test(start_paused = true)]
    async fn while_questions_are_answered_and_orders_are_not_one_order_passes_in_each_pause() {
        let breaker = after(10, Kind::Order);
        for _ in 0..5 {
            advance(PAUSE).await;
            assert_eq!(breaker.admit(Kind::Question, Instant::now()), Ok(()));
            breaker.succeeded(Kind::Question);
            assert_eq!(breaker.admit(Kind::Order, Instant::now()), Ok(()));
            for _ in 0..3 {
                assert_eq!(breaker.closed_for(Kind::Order, Instant::now()), Some(PAUSE));
                assert_eq!(breaker.admit(Kind::Order, Instant::now()), Err(PAUSE));
                assert_eq!(breaker.admit(Kind::Question, Instant::now()), Ok(()));
            }
            breaker.failed(Kind::Order, Instant::now());
            assert!(breaker.is_open());
        }
        advance(PAUSE).await;
        breaker.succeeded(Kind::Order);
        for _ in 0..3 {
            assert_eq!(breaker.admit(Kind::Order, Instant::now()), Ok(()));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn one_order_that_is_tried_again_at_growing_intervals_does_not_open_it() {
        let breaker = Breaker::new(10, PAUSE);
        for attempt in 0..20 {
            breaker.failed(Kind::Order, Instant::now());
            assert!(!breaker.is_open());
            advance(Duration::from_secs(1 << attempt.min(9))).await;
        }
        for _ in 0..3 {
            assert_eq!(breaker.admit(Kind::Order, Instant::now()), Ok(()));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_done_aside_neither_opens_it_nor_probes_nor_closes_it() {
        let breaker = after(9, Kind::Order);
        for _ in 0..20 {
            breaker.failed(Kind::Aside, Instant::now());
        }
        assert!(!breaker.is_open());
        breaker.failed(Kind::Order, Instant::now());
        advance(PAUSE).await;
        assert_eq!(breaker.admit(Kind::Aside, Instant::now()), Err(PAUSE));
        breaker.succeeded(Kind::Aside);
        assert_eq!(breaker.admit(Kind::Order, Instant::now()), Ok(()));
        assert!(breaker.is_open());
    }
}
