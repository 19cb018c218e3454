//! Units that would hold up the others of their lane: each in a transaction of its own, those of
//! one key in order.
//!
//! Meanwhile the lane's queue holds what comes later of their keys, so that it runs after them, and
//! in the lane again.

use std::cell::RefCell;
use std::panic::AssertUnwindSafe;
use std::rc::Rc;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::join_all;
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, spawn_local};
use uuid::Uuid;

use crate::postgres::engine::{Pool, UnitRequest};
use crate::postgres::lane::Keyed;
use crate::queue::Queue;
use crate::unit::Unit;

/// How many of them run at once, each on a connection.
const APART_MAX: usize = 2;

/// The units of a lane that are run apart.
pub struct Apart {
    pool: Rc<Pool>,
    queue: Arc<Queue<Keyed>>,
    permits: Rc<Semaphore>,
    tasks: RefCell<Vec<JoinHandle<()>>>,
}

impl Apart {
    pub fn new(pool: Rc<Pool>, queue: Arc<Queue<Keyed>>) -> Self {
        let permits = Rc::new(Semaphore::new(APART_MAX));
        Self { pool, queue, permits, tasks: RefCell::default() }
    }

    /// Runs units of one key, and answers their callers.
    pub fn run(&self, key: Uuid, units: Vec<Unit>) {
        tracing::debug!(%key, units = units.len(), "units are run apart from their lane");
        self.queue.hold(key);
        let (pool, queue, permits) = (self.pool.clone(), self.queue.clone(), self.permits.clone());
        let mut tasks = self.tasks.borrow_mut();
        tasks.retain(|task| !task.is_finished());
        tasks.push(spawn_local(async move {
            for unit in units {
                // Between two of them other keys have their turn.
                let _permit = permits.acquire().await;
                let serving = pool.serve(UnitRequest::writing(unit));
                // A unit's panic is caught where it runs; this catches a destructor's.
                if AssertUnwindSafe(serving).catch_unwind().await.is_err() {
                    tracing::error!("a unit was lost to a panic outside of it");
                }
            }
            queue.release(key);
        }));
    }

    /// Waits until all have run.
    pub async fn end(&self) {
        join_all(self.tasks.take()).await;
    }
}
