//! Lanes: each commits many units at once, over one connection.
//!
//! Units of one key, such as a merchant, run in order: they would wait for each other's rows
//! anyway, each for as long as the one before takes to reach the disk. Units of different keys are
//! polled together, so that they share trips to the server. No unit has a savepoint: if one fails
//! after it has written, the group is rolled back and each runs in a transaction of its own.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, VecDeque};
use std::panic::AssertUnwindSafe;
use std::rc::Rc;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use futures_util::{FutureExt, StreamExt, stream};
use tokio::task::{JoinHandle, spawn_local};
use tokio::time::timeout;
use uuid::Uuid;

use crate::error::{Error, Result};
use crate::postgres::engine::{Pool, UnitRequest};
use crate::postgres::session::{Link, Session};
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

/// What the units of a running group share.
struct Run {
    link: Rc<Link>,
    started: Instant,
    /// Whether a unit has left something behind that must not be committed.
    is_lost: Cell<bool>,
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
            // A unit's panic is caught where it runs; this catches a destructor's.
            if AssertUnwindSafe(self.serve_group(group)).catch_unwind().await.is_err() {
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
        if group.len() == 1 {
            return self.serve_apart(group).await;
        }
        let fate = self.run(&mut group).await;
        if let Err(Error::Statement { .. } | Error::Collision(_) | Error::Busy) = fate {
            return self.serve_apart(group).await;
        }
        let is_over = matches!(fate, Ok(()) | Err(Error::Unknown(_)));
        let (late, ran): (Vec<_>, Vec<_>) =
            group.into_iter().partition(|member| is_over && member.ran.is_none());
        let late = late.into_iter().map(|member| (member.priority, member.keyed));
        late.rev().for_each(|member| self.left.borrow_mut().push_front(member));
        for member in ran {
            if fate.is_ok() && member.ran == Some(true) {
                member.commit_hooks.run(self.pool.notices());
            }
            member.keyed.unit.answer(fate.clone());
        }
    }

    /// Runs units in one transaction; after a collision, nothing of them is left.
    async fn run(&self, group: &mut [Member]) -> Result<()> {
        let link = self.pool.take().await?;
        let session = Session::group(link.clone())?;
        let run = Run { link: link.clone(), started: now(), is_lost: Cell::new(false) };
        join_all(chains(group).into_iter().map(|chain| self.run_chain(&run, chain))).await;
        if run.is_lost.get() {
            self.pool.take_back(&session, link).await;
            return Err(Error::Collision("a unit of the group failed".into()));
        }
        self.pool.commit(session, link).await
    }

    /// Runs units of one key.
    async fn run_chain(&self, run: &Run, chain: Vec<&mut Member>) {
        for (place, member) in chain.into_iter().enumerate() {
            let is_late = place > 0 && now() - run.started > GROUP_TIME_MAX;
            if is_late || run.is_lost.get() {
                return;
            }
            let session = Session::member(run.link.clone());
            let tx = Tx::new(Engine::Postgres(session), self.pool.sources());
            let keep = member.keyed.unit.run(&tx).await;
            member.ran = Some(keep);
            member.commit_hooks = tx.take_commit_hooks();
            if !keep && (tx.failure().is_some() || tx.has_written()) {
                run.is_lost.set(true);
            }
        }
    }

    /// Runs units in transactions of their own. The lane goes on without them if they take long.
    async fn serve_apart(&self, group: Vec<Member>) {
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
    for Keyed { key, unit } in units {
        match keys.iter_mut().find(|(known, _)| *known == key) {
            Some((_, units)) => units.push(unit),
            None => keys.push((key, vec![unit])),
        }
    }
    let serve = async |(_, units): (Uuid, Vec<Unit>)| {
        for unit in units {
            let _permit = pool.permit().await;
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

/// Separates a group by key.
fn chains(group: &mut [Member]) -> Vec<Vec<&mut Member>> {
    let (mut chains, mut places) = (Vec::<Vec<_>>::new(), HashMap::new());
    for member in group {
        let place = *places.entry(member.keyed.key).or_insert(chains.len());
        match chains.get_mut(place) {
            Some(chain) => chain.push(member),
            None => chains.push(vec![member]),
        }
    }
    chains
}
