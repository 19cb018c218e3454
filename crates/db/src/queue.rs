//! Units that wait for a writer: those of callers, which go first, and background work, which has a
//! bounded share of each group of units that are committed together.
//!
//! Units of one key, such as a merchant's, are taken in order; the keys take turns, so that one
//! with many units does not hold up the others.

use std::cell::Cell;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use uuid::Uuid;

use crate::error::Error;

/// Who is waiting for a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Priority {
    /// A request that waits for the result.
    Caller,
    /// A worker, which can wait.
    Background,
}

/// No unit joins a group that is older: those that are in it wait for all of them.
pub const GROUP_TIME_MAX: Duration = Duration::from_millis(4);

/// The key of units without one; they are in one line.
pub const NO_KEY: Uuid = Uuid::nil();

const WAITING_MAX: usize = 16_384;
/// How many of them may have one key.
const WAITING_EACH_MAX: usize = 2_048;
/// After this many callers in a row, one background unit runs, so that it is not starved.
const CALLERS_IN_A_ROW_MAX: usize = 15;
const GROUP_BACKGROUND_MAX: usize = 64;
/// The same while a request is likely, so that it waits for a short group and a short commit.
const GROUP_BACKGROUND_BETWEEN_CALLERS_MAX: usize = 8;
/// How long after a caller another one is expected.
const CALLERS_EXPECTED: Duration = Duration::from_millis(100);
/// How long background work is deferred at most.
const BACKGROUND_WAIT_MAX: Duration = Duration::from_millis(50);

/// Units of type `U` that wait for one writer.
pub struct Queue<U> {
    waiting: Mutex<Waiting<U>>,
    /// For a writer that is a thread.
    filled: Condvar,
    /// For a writer that is a task.
    notified: Notify,
}

/// Units by key, each with the time since when it waits.
struct Line<U> {
    /// Those that have units, in the order of their turns.
    keys: VecDeque<Uuid>,
    units: HashMap<Uuid, VecDeque<(Instant, U)>>,
    count: usize,
}

struct Waiting<U> {
    caller: Line<U>,
    background: Line<U>,
    /// The keys whose units are not taken for now.
    held: HashSet<Uuid>,
    callers_in_a_row: usize,
    closed: bool,
}

/// Why a unit was not queued.
#[derive(Debug)]
pub enum Full {
    Closed,
    Overloaded,
}

impl From<Full> for Error {
    fn from(full: Full) -> Self {
        Self::Unavailable(match full {
            Full::Closed => "the database is closing".into(),
            Full::Overloaded => "too many units are waiting".into(),
        })
    }
}

/// A writer's end of its queue.
pub struct Taker<U> {
    queue: Arc<Queue<U>>,
    /// When a group last contained a caller's unit.
    called_at: Cell<Option<Instant>>,
}

/// How much of a group is background work, and who would wait for more of it.
#[derive(Debug, Default)]
pub struct Share {
    callers: usize,
    background: usize,
    pressure: Pressure,
}

/// Who would wait for a group with much background work.
#[derive(Debug, Clone, Copy, Default)]
enum Pressure {
    #[default]
    None,
    /// Callers come and go.
    Callers,
    /// Background work itself, if it were held back longer.
    Background,
}

impl<U> Default for Queue<U> {
    fn default() -> Self {
        let (caller, background) = (Line::default(), Line::default());
        let held = HashSet::new();
        let waiting = Waiting { caller, background, held, callers_in_a_row: 0, closed: false };
        Self { waiting: waiting.into(), filled: Condvar::new(), notified: Notify::new() }
    }
}

impl<U> Queue<U> {
    pub fn push(&self, priority: Priority, key: Uuid, unit: U) -> Result<(), Full> {
        let mut waiting = self.lock();
        if waiting.closed {
            return Err(Full::Closed);
        }
        let line = match priority {
            Priority::Caller => &mut waiting.caller,
            Priority::Background => &mut waiting.background,
        };
        if !line.push(key, unit) {
            return Err(Full::Overloaded);
        }
        drop(waiting);
        self.filled.notify_one();
        self.notified.notify_one();
        Ok(())
    }

    /// Gives back a unit that was taken and did not run: it is the next of its key, whose turn is
    /// the next one.
    pub fn put_back(&self, priority: Priority, key: Uuid, unit: U) {
        let mut waiting = self.lock();
        match priority {
            Priority::Caller => waiting.caller.put_back(key, unit),
            Priority::Background => {
                waiting.background.put_back(key, unit);
                waiting.callers_in_a_row = CALLERS_IN_A_ROW_MAX;
            }
        }
    }

    /// Takes no unit of a key until it is released; they wait in order.
    pub fn hold(&self, key: Uuid) {
        self.lock().held.insert(key);
    }

    pub fn release(&self, key: Uuid) {
        self.lock().held.remove(&key);
        self.filled.notify_one();
        self.notified.notify_one();
    }

    /// Units that wait are still taken; no others are.
    pub fn close(&self) {
        self.lock().closed = true;
        self.filled.notify_all();
        self.notified.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, Waiting<U>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<U> Default for Line<U> {
    fn default() -> Self {
        Self { keys: VecDeque::new(), units: HashMap::new(), count: 0 }
    }
}

impl<U> Line<U> {
    /// False if there is no room.
    fn push(&mut self, key: Uuid, unit: U) -> bool {
        let own = self.units.entry(key).or_default();
        let is_full = key != NO_KEY && own.len() >= WAITING_EACH_MAX;
        if is_full || self.count >= WAITING_MAX {
            if own.is_empty() {
                self.units.remove(&key);
            }
            return false;
        }
        if own.is_empty() {
            self.keys.push_back(key);
        }
        own.push_back((now(), unit));
        self.count += 1;
        true
    }

    fn put_back(&mut self, key: Uuid, unit: U) {
        self.keys.retain(|other| *other != key);
        self.keys.push_front(key);
        self.units.entry(key).or_default().push_front((now(), unit));
        self.count += 1;
    }

    /// The place of the key whose turn it is.
    fn turn(&self, held: &HashSet<Uuid>) -> Option<usize> {
        self.keys.iter().position(|key| !held.contains(key))
    }

    /// Takes the first unit of the key whose turn it is.
    fn pop(&mut self, held: &HashSet<Uuid>) -> Option<U> {
        let key = self.keys.remove(self.turn(held)?)?;
        let own = self.units.get_mut(&key)?;
        let (_, unit) = own.pop_front()?;
        if own.is_empty() {
            self.units.remove(&key);
        } else {
            self.keys.push_back(key);
        }
        self.count -= 1;
        Some(unit)
    }

    /// Since when the unit waits whose turn it is.
    fn since(&self, held: &HashSet<Uuid>) -> Option<Instant> {
        let own = self.units.get(self.keys.get(self.turn(held)?)?)?;
        own.front().map(|(at, _)| *at)
    }
}

impl<U> Waiting<U> {
    fn next(&mut self, background: bool) -> Option<(Priority, U)> {
        let due =
            self.callers_in_a_row >= CALLERS_IN_A_ROW_MAX || self.caller.turn(&self.held).is_none();
        if background
            && due
            && let Some(unit) = self.background.pop(&self.held)
        {
            self.callers_in_a_row = 0;
            return Some((Priority::Background, unit));
        }
        let unit = self.caller.pop(&self.held)?;
        self.callers_in_a_row += 1;
        Some((Priority::Caller, unit))
    }

    /// Whether no unit is left that may be taken sooner or later.
    fn is_over(&self) -> bool {
        self.closed && self.caller.count + self.background.count == 0
    }
}

impl<U> Taker<U> {
    pub fn new(queue: Arc<Queue<U>>) -> Self {
        Self { queue, called_at: Cell::default() }
    }

    pub fn queue(&self) -> &Arc<Queue<U>> {
        &self.queue
    }

    /// Blocks until there is a unit; `None` once closed and empty.
    pub fn wait(&self) -> Option<(Priority, U)> {
        let mut waiting = self.queue.lock();
        loop {
            if let Some(next) = waiting.next(true) {
                return Some(next);
            }
            if waiting.is_over() {
                return None;
            }
            waiting = self.queue.filled.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The same for a task. The queue has one task that waits.
    pub async fn next(&self) -> Option<(Priority, U)> {
        loop {
            {
                let mut waiting = self.queue.lock();
                if let Some(next) = waiting.next(true) {
                    return Some(next);
                }
                if waiting.is_over() {
                    return None;
                }
            }
            self.queue.notified.notified().await;
        }
    }

    /// Takes a unit if one is there that may join a group.
    pub fn take(&self, share: &Share) -> Option<(Priority, U)> {
        self.queue.lock().next(share.background < share.background_max())
    }

    /// Takes any unit if one is there.
    pub fn take_any(&self) -> Option<(Priority, U)> {
        self.queue.lock().next(true)
    }

    /// The share of a group that begins now.
    pub fn begin(&self) -> Share {
        Share { pressure: self.pressure(), ..Share::default() }
    }

    /// A group has ended.
    pub fn end(&self, share: &Share) {
        if share.callers > 0 {
            self.called_at.set(Some(now()));
        }
    }

    fn pressure(&self) -> Pressure {
        let since = |at: Option<Instant>| at.map(|at| now() - at);
        let waiting = self.queue.lock();
        let oldest = waiting.background.since(&waiting.held);
        drop(waiting);
        if since(oldest).is_some_and(|waits| waits > BACKGROUND_WAIT_MAX) {
            Pressure::Background
        } else if since(self.called_at.get()).is_some_and(|ago| ago < CALLERS_EXPECTED) {
            Pressure::Callers
        } else {
            Pressure::None
        }
    }
}

impl Share {
    pub fn add(&mut self, priority: Priority) {
        match priority {
            Priority::Caller => self.callers += 1,
            Priority::Background => self.background += 1,
        }
    }

    pub fn callers(&self) -> usize {
        self.callers
    }

    /// Callers wait for every unit of their group, so at most as much background work joins as
    /// there are callers, unless it is late.
    fn background_max(&self) -> usize {
        match (self.pressure, self.callers) {
            (Pressure::Background, _) | (Pressure::None, 0) => GROUP_BACKGROUND_MAX,
            (Pressure::Callers, 0) => GROUP_BACKGROUND_BETWEEN_CALLERS_MAX,
            (Pressure::None | Pressure::Callers, callers) => callers.min(GROUP_BACKGROUND_MAX),
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "how long a unit waits is not a business rule")]
pub fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use uuid::Uuid;

    use super::{NO_KEY, Pressure, Priority, Queue, Share, Taker, WAITING_EACH_MAX, WAITING_MAX};

    fn taker_of(callers: usize, background: usize) -> Taker<()> {
        let queue = Arc::<Queue<()>>::default();
        for (priority, count) in [(Priority::Caller, callers), (Priority::Background, background)] {
            for _ in 0..count {
                queue.push(priority, NO_KEY, ()).expect("room");
            }
        }
        Taker::new(queue)
    }

    #[test]
    fn background_work_has_every_sixteenth_turn_while_callers_wait() {
        let taker = taker_of(40, 40);
        let turns: Vec<_> = (0..32).filter_map(|_| taker.take_any()).map(|(p, ())| p).collect();
        let background = |i: usize| turns[i] == Priority::Background;
        assert_eq!((0..32).filter(|i| background(*i)).collect::<Vec<_>>(), [15, 31]);
    }

    #[test]
    fn keys_take_turns_and_each_has_its_units_in_order() {
        let queue = Arc::<Queue<(u128, u32)>>::default();
        for (key, count) in [(1, 4), (2, 1), (3, 2)] {
            for number in 0..count {
                let unit = (key, number);
                queue.push(Priority::Caller, Uuid::from_u128(key), unit).expect("room");
            }
        }
        let taker = Taker::new(queue);
        let order: Vec<_> = std::iter::from_fn(|| taker.take_any()).map(|(_, unit)| unit).collect();
        assert_eq!(order, [(1, 0), (2, 0), (3, 0), (1, 1), (3, 1), (1, 2), (1, 3)]);
    }

    #[test]
    fn units_that_are_put_back_precede_those_of_their_keys_and_no_others() {
        let queue = Arc::<Queue<(u128, u32)>>::default();
        let push = |unit: (u128, u32)| {
            queue.push(Priority::Caller, Uuid::from_u128(unit.0), unit).expect("room");
        };
        (0..4).for_each(|number| push((1, number)));
        push((2, 0));
        let taker = Taker::new(queue.clone());
        let take_all = || -> Vec<_> {
            std::iter::from_fn(|| taker.take_any()).map(|(_, unit)| unit).collect()
        };
        assert_eq!(take_all(), [(1, 0), (2, 0), (1, 1), (1, 2), (1, 3)]);
        push((3, 0));
        push((1, 4));
        for unit in [(2, 0), (1, 1), (1, 2), (1, 3)].into_iter().rev() {
            queue.put_back(Priority::Caller, Uuid::from_u128(unit.0), unit);
        }
        assert_eq!(take_all(), [(2, 0), (1, 1), (3, 0), (1, 2), (1, 3), (1, 4)]);
    }

    #[test]
    fn background_work_that_is_put_back_is_next() {
        let taker = taker_of(40, 1);
        let turns: Vec<_> = (0..16).filter_map(|_| taker.take_any()).map(|(p, ())| p).collect();
        assert_eq!(turns.last(), Some(&Priority::Background));
        taker.queue().put_back(Priority::Background, NO_KEY, ());
        assert_eq!(taker.take_any().map(|(p, ())| p), Some(Priority::Background));
        assert_eq!(taker.take_any().map(|(p, ())| p), Some(Priority::Caller));
    }

    #[test]
    fn the_units_of_a_key_that_is_held_wait_in_order_and_the_others_do_not() {
        let queue = Arc::<Queue<(u128, u32)>>::default();
        for unit in [(1, 0), (2, 0), (1, 1), (2, 1)] {
            queue.push(Priority::Caller, Uuid::from_u128(unit.0), unit).expect("room");
        }
        queue.push(Priority::Background, Uuid::from_u128(3), (3, 0)).expect("room");
        queue.close();
        let taker = Taker::new(queue.clone());
        let take_all = || -> Vec<_> {
            std::iter::from_fn(|| taker.take_any()).map(|(_, unit)| unit).collect()
        };
        queue.hold(Uuid::from_u128(1));
        assert_eq!(take_all(), [(2, 0), (2, 1), (3, 0)]);
        queue.release(Uuid::from_u128(1));
        assert_eq!(take_all(), [(1, 0), (1, 1)]);
        assert!(taker.wait().is_none());
    }

    #[test]
    fn one_key_leaves_room_for_the_others() {
        let queue = Queue::<()>::default();
        let push = |key: Uuid| queue.push(Priority::Caller, key, ()).is_ok();
        assert!((0..WAITING_EACH_MAX).all(|_| push(Uuid::from_u128(1))));
        assert!(!push(Uuid::from_u128(1)));
        assert!(push(Uuid::from_u128(2)));
        assert!((WAITING_EACH_MAX + 1..WAITING_MAX).all(|_| push(NO_KEY)));
        assert!(!push(NO_KEY) && !push(Uuid::from_u128(3)));
    }

    #[test]
    fn a_group_whose_background_share_is_used_up_takes_only_callers() {
        let taker = taker_of(20, 1);
        let used_up = Share { callers: 1, background: 1, pressure: Pressure::None };
        let priority = || taker.take(&used_up).map(|(priority, ())| priority);
        assert!((0..20).all(|_| priority() == Some(Priority::Caller)));
        assert_eq!(priority(), None);
        taker.queue.close();
        assert_eq!(taker.wait().map(|(priority, ())| priority), Some(Priority::Background));
        assert!(taker.wait().is_none());
    }

    #[test]
    fn background_work_is_held_back_beside_callers_until_it_is_late() {
        let beside =
            |callers, pressure| Share { callers, background: 0, pressure }.background_max();
        let table = [
            (Pressure::None, [64, 1, 20, 64]),
            (Pressure::Callers, [8, 1, 20, 64]),
            (Pressure::Background, [64, 64, 64, 64]),
        ];
        for (pressure, most) in table {
            assert_eq!([0, 1, 20, 200].map(|callers| beside(callers, pressure)), most);
        }
    }
}
