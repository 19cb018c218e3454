//! Lanes: each commits many units at once, over one connection.
//!
//! Units that share rows, such as those of a merchant, would wait for each other's rows, each for
//! as long as the one before takes to reach the disk. So they go to one lane, which runs them one
//! after the other in one transaction. They are never polled together: in one transaction no lock
//! keeps one unit from a row that another one is changing.
//!
//! No unit has a savepoint. If one fails after it has written, the group is rolled back; the others
//! are run as a group once more, and those that failed in transactions of their own.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::rc::Rc;
use std::time::Duration;

use futures_util::{FutureExt, StreamExt, stream};
use tokio::task::{JoinHandle, spawn_local};
use tokio::time::timeout;
use uuid::Uuid;

use crate::error::{Error, Result};
use crate::postgres::engine::{Pool, UnitRequest};
use crate::postgres::session::Session;
use crate::queue::{Priority, Share, Taker, now};
use crate::tx::{CommitHooks, Engine, Tx};
use crate::unit::Unit;

const GROUP_UNITS_MAX: usize = 64;
/// No unit joins a group that is older.
const GROUP_TIME_MAX: Duration = Duration::from_millis(4);
/// How many units of a group that was rolled back run concurrently.
const ALONE_MAX: usize = 4;
/// How long a lane waits for units in transactions of their own, which may wait for rows.
const PATIENCE: Duration = Duration::from_millis(100);
/// How often it goes on without them.
const SLOW_MAX: usize = 4;

/// A unit, and what it shares rows with.
pub struct Keyed {
    pub key: Uuid,
    pub unit: Unit,
}

/// Serves one queue of units.
pub struct Lane {
    pool: Rc<Pool>,
    units: Taker<Keyed>,
    /// What came too late for its group, and comes first in the next one.
    left: RefCell<VecDeque<(Priority, Keyed)>>,
    /// Units in transactions of their own that the lane does not wait for any more.
    slow: RefCell<VecDeque<JoinHandle<()>>>,
}

/// A unit in a group.
struct Member {
    keyed: Keyed,
    priority: Priority,
    /// Whether it has run, and is to be committed.
    ran: Option<bool>,
    commit_hooks: CommitHooks,
}

impl Lane {
    pub fn new(pool: Rc<Pool>, units: Taker<Keyed>) -> Self {
        Self { pool, units, left: RefCell::default(), slow: RefCell::default() }
    }

    /// Serves until the queue is closed and empty.
    pub async fn serve(self) {
        loop {
            let left = self.left.borrow_mut().pop_front();
            let first = match left {
                Some(first) => first,
                None => match self.units.next().await {
                    Some(first) => first,
                    None => break,
                },
            };
            let mut share = self.units.begin();
            let group = self.gather(first, &mut share);
            let serving = async {
                // Alone it may wait for rows as long as any other.
                if group.len() == 1 {
                    self.serve_apart(group).await;
                } else {
                    self.serve_group(group).await;
                }
            };
            // A unit's panic is caught where it runs; this catches a destructor's.
            if AssertUnwindSafe(serving).catch_unwind().await.is_err() {
                tracing::error!("a group of units was lost to a panic outside of them");
            }
            self.units.end(&share);
        }
        for apart in self.slow.take() {
            ended(apart).await;
        }
    }

    /// Takes what waits, as far as it fits into one group.
    fn gather(&self, first: (Priority, Keyed), share: &mut Share) -> Vec<Member> {
        let mut next = Some(first);
        let mut group = Vec::new();
        while let Some((priority, keyed)) = next {
            share.add(priority);
            let commit_hooks = CommitHooks::default();
            group.push(Member { keyed, priority, ran: None, commit_hooks });
            if group.len() == GROUP_UNITS_MAX {
                break;
            }
            next = self.left.borrow_mut().pop_front().or_else(|| self.units.take(share));
        }
        group
    }

    async fn serve_group(&self, mut group: Vec<Member>) {
        let mut fate = self.run(&mut group).await;
        if is_lost(&fate) {
            // What failed would fail the others again.
            let (failed, others): (Vec<_>, Vec<_>) =
                group.into_iter().partition(|member| member.ran == Some(false));
            self.serve_apart(failed).await;
            group = others;
            fate = self.run(&mut group).await;
            if is_lost(&fate) {
                return self.serve_apart(group).await;
            }
        }
        let is_over = matches!(fate, Ok(()) | Err(Error::Unknown(_)));
        let (late, ran): (Vec<_>, Vec<_>) =
            group.into_iter().partition(|member| is_over && member.ran.is_none());
        let late = late.into_iter().map(|member| (member.priority, member.keyed));
        late.rev().for_each(|member| self.left.borrow_mut().push_front(member));
        // What a unit was refused for may not have been committed either.
        let (refused, ran): (Vec<_>, Vec<_>) =
            ran.into_iter().partition(|member| fate.is_err() && member.ran == Some(false));
        for member in ran {
            if fate.is_ok() && member.ran == Some(true) {
                member.commit_hooks.run(self.pool.notices());
            }
            member.keyed.unit.answer(fate.clone());
        }
        self.serve_apart(refused).await;
    }

    /// Runs units in one transaction. If one has failed after a write, nothing of them is left.
    async fn run(&self, group: &mut [Member]) -> Result<()> {
        if group.is_empty() {
            return Ok(());
        }
        let link = self.pool.take().await?;
        let session = Session::group(link.clone())?;
        let started = now();
        for member in &mut *group {
            member.ran = None;
        }
        for member in group {
            if now() - started > GROUP_TIME_MAX {
                break;
            }
            let tx = Tx::new(Engine::Postgres(session.member()), self.pool.sources());
            let keep = member.keyed.unit.run(&tx).await;
            member.ran = Some(keep);
            member.commit_hooks = tx.take_commit_hooks();
            let is_lost = !keep && (tx.failure().is_some() || tx.has_written());
            if let Engine::Postgres(own) = tx.into_engine() {
                session.wait_for(&own);
            }
            if is_lost {
                self.pool.take_back(&session, link).await;
                return Err(Error::Collision("a unit of the group failed".into()));
            }
        }
        self.pool.commit(session, link).await
    }

    /// Runs units in transactions of their own. The lane goes on without them if they take long.
    async fn serve_apart(&self, group: Vec<Member>) {
        if group.is_empty() {
            return;
        }
        let apart = group.into_iter().map(|member| member.keyed).collect();
        let mut apart = spawn_local(serve_alone(self.pool.clone(), apart));
        if timeout(PATIENCE, &mut apart).await.is_ok() {
            return;
        }
        let mut slow = self.slow.take();
        slow.push_back(apart);
        slow.retain(|other| !other.is_finished());
        if slow.len() > SLOW_MAX
            && let Some(oldest) = slow.pop_front()
        {
            ended(oldest).await;
        }
        self.slow.replace(slow);
    }
}

/// Runs each unit in a transaction of its own; those of one key in order.
async fn serve_alone(pool: Rc<Pool>, units: Vec<Keyed>) {
    let mut keys: Vec<(Uuid, Vec<Unit>)> = Vec::new();
    // One unit has the connection of its lane, which waits for it.
    let is_alone = units.len() == 1;
    for Keyed { key, unit } in units {
        match keys.iter_mut().find(|(known, _)| *known == key) {
            Some((_, units)) => units.push(unit),
            None => keys.push((key, vec![unit])),
        }
    }
    let serve = async |(_, units): (Uuid, Vec<Unit>)| {
        for unit in units {
            let _permit = if is_alone { None } else { pool.permit().await };
            pool.serve(UnitRequest::writing(unit)).await;
        }
    };
    stream::iter(keys).for_each_concurrent(ALONE_MAX, serve).await;
}

async fn ended(apart: JoinHandle<()>) {
    if apart.await.is_err() {
        tracing::error!("units were lost to a panic outside of them");
    }
}

/// Whether nothing of a group was committed although the server is there.
fn is_lost(fate: &Result<()>) -> bool {
    matches!(fate, Err(Error::Statement { .. } | Error::Collision(_) | Error::Busy))
}
