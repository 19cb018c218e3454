//! Units that would hold up the others of their lane: each in a transaction of its own, those of
//! one key in order.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::panic::AssertUnwindSafe;
use std::rc::Rc;

use futures_util::FutureExt;
use futures_util::future::join_all;
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, spawn_local};
use uuid::Uuid;

use crate::error::Error;
use crate::postgres::engine::{Pool, UnitRequest};
use crate::postgres::lane::Keyed;
use crate::unit::Unit;

/// How many of them run at once, each on a connection.
const APART_MAX: usize = 2;
/// How many units of one key wait.
const WAITING_EACH_MAX: usize = 256;

/// The units of a lane that are run apart.
pub struct Apart {
    waiting: Rc<Waiting>,
    tasks: RefCell<Vec<JoinHandle<()>>>,
}

struct Waiting {
    pool: Rc<Pool>,
    /// A key is there until the last of its units has run.
    units: RefCell<HashMap<Uuid, VecDeque<Unit>>>,
    permits: Semaphore,
}

impl Apart {
    pub fn new(pool: Rc<Pool>) -> Self {
        let (units, permits) = (RefCell::default(), Semaphore::new(APART_MAX));
        Self { waiting: Rc::new(Waiting { pool, units, permits }), tasks: RefCell::default() }
    }

    /// Whether units of a key are run apart, so that all others of it are.
    pub fn has(&self, key: Uuid) -> bool {
        self.waiting.units.borrow().contains_key(&key)
    }

    /// Runs a unit after the others of its key, and answers its caller.
    pub fn push(&self, Keyed { key, unit }: Keyed) {
        let mut units = self.waiting.units.borrow_mut();
        if let Some(own) = units.get_mut(&key) {
            if own.len() < WAITING_EACH_MAX {
                own.push_back(unit);
            } else {
                unit.answer(Err(Error::Unavailable("too many units are waiting".into())));
            }
            return;
        }
        units.insert(key, VecDeque::from([unit]));
        let waiting = self.waiting.clone();
        let mut tasks = self.tasks.borrow_mut();
        tasks.retain(|task| !task.is_finished());
        tasks.push(spawn_local(async move { waiting.serve(key).await }));
    }

    /// Waits until all have run.
    pub async fn end(&self) {
        join_all(self.tasks.take()).await;
    }
}

impl Waiting {
    /// Runs the units of a key; between two of them other keys have their turn.
    async fn serve(&self, key: Uuid) {
        while let Some(unit) = self.take(key) {
            let _permit = self.permits.acquire().await;
            let serving = self.pool.serve(UnitRequest::writing(unit));
            // A unit's panic is caught where it runs; this catches a destructor's.
            if AssertUnwindSafe(serving).catch_unwind().await.is_err() {
                tracing::error!("a unit was lost to a panic outside of it");
            }
        }
    }

    /// Takes the next unit of a key, or ends the key.
    fn take(&self, key: Uuid) -> Option<Unit> {
        let mut units = self.units.borrow_mut();
        let next = units.get_mut(&key).and_then(VecDeque::pop_front);
        if next.is_none() {
            units.remove(&key);
        }
        next
    }
}
