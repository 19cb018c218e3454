//! Two queues to the writer: callers, which go first, and background work, which has a bounded
//! share.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::unit::Unit;

/// Who is waiting for a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// A request that waits for the result.
    Caller,
    /// A worker, which can wait.
    Background,
}

const WAITING_MAX: usize = 16_384;
/// After this many callers in a row, one background unit runs, so that it is not starved.
const CALLERS_IN_A_ROW_MAX: usize = 15;

#[derive(Default)]
pub struct Lanes {
    queues: Mutex<Queues>,
    filled: Condvar,
}

/// Units, each with the time since when it waits.
type Queue = VecDeque<(Instant, Unit)>;

#[derive(Default)]
struct Queues {
    caller: Queue,
    background: Queue,
    callers_in_a_row: usize,
    closed: bool,
}

/// Why a unit was not queued.
#[derive(Debug)]
pub enum Full {
    Closed,
    Overloaded,
}

impl Lanes {
    pub fn push(&self, lane: Lane, unit: Unit) -> Result<(), Full> {
        let mut queues = self.lock();
        if queues.closed {
            return Err(Full::Closed);
        }
        let queue = match lane {
            Lane::Caller => &mut queues.caller,
            Lane::Background => &mut queues.background,
        };
        if queue.len() >= WAITING_MAX {
            return Err(Full::Overloaded);
        }
        queue.push_back((now(), unit));
        drop(queues);
        self.filled.notify_one();
        Ok(())
    }

    /// Waits for a unit; `None` once closed and empty.
    pub fn wait(&self) -> Option<(Lane, Unit)> {
        let mut queues = self.lock();
        loop {
            if let Some(next) = queues.next(true) {
                return Some(next);
            }
            if queues.closed {
                return None;
            }
            queues = self.filled.wait(queues).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Takes a unit if one is there.
    pub fn take(&self, background: bool) -> Option<(Lane, Unit)> {
        self.lock().next(background)
    }

    /// Since when the oldest background unit waits.
    pub fn background_since(&self) -> Option<Instant> {
        self.lock().background.front().map(|(at, _)| *at)
    }

    pub fn close(&self) {
        self.lock().closed = true;
        self.filled.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Queues> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queues {
    fn next(&mut self, background: bool) -> Option<(Lane, Unit)> {
        let due = self.caller.is_empty() || self.callers_in_a_row >= CALLERS_IN_A_ROW_MAX;
        if background
            && due
            && let Some((_, unit)) = self.background.pop_front()
        {
            self.callers_in_a_row = 0;
            return Some((Lane::Background, unit));
        }
        let (_, unit) = self.caller.pop_front()?;
        self.callers_in_a_row += 1;
        Some((Lane::Caller, unit))
    }
}

#[expect(clippy::disallowed_methods, reason = "how long a unit waits is not a business rule")]
pub fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::{Lane, Lanes};
    use crate::error::Error;
    use crate::tx::Tx;
    use crate::unit::{Unit, erased};

    fn lanes_with(callers: usize, background: usize) -> Lanes {
        let unit = || Unit::new(erased(async |_: &Tx| Ok::<_, Error>(()))).0;
        let lanes = Lanes::default();
        for (lane, count) in [(Lane::Caller, callers), (Lane::Background, background)] {
            for _ in 0..count {
                lanes.push(lane, unit()).expect("room");
            }
        }
        lanes
    }

    #[test]
    fn background_work_has_every_sixteenth_turn_while_callers_wait() {
        let lanes = lanes_with(40, 40);
        let turns: Vec<_> = (0..32).filter_map(|_| lanes.take(true)).map(|(l, _)| l).collect();
        let background = |i: usize| turns[i] == Lane::Background;
        assert_eq!((0..32).filter(|i| background(*i)).collect::<Vec<_>>(), [15, 31]);
    }

    #[test]
    fn a_group_whose_background_share_is_used_up_takes_only_callers() {
        let lanes = lanes_with(20, 1);
        let lane = || lanes.take(false).map(|(lane, _)| lane);
        assert!((0..20).all(|_| lane() == Some(Lane::Caller)));
        assert_eq!(lane(), None);
        lanes.close();
        assert_eq!(lanes.wait().map(|(lane, _)| lane), Some(Lane::Background));
        assert!(lanes.wait().is_none());
    }
}
