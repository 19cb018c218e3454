//! Lanes: each commits many units at once, over one connection.
//!
//! Units that share rows, such as those of a merchant, would wait for each other's rows, each for
//! as long as the one before takes to reach the disk. So they go to one lane, which runs them one
//! after the other in one transaction. They are never polled together: in one transaction no lock
//! keeps one unit from a row that another one is changing.
//!
//! A savepoint around each unit would cost a fifth of the time, so there is none at first. If a
//! unit is refused or fails after it has written, or the group's commit is refused, the group is
//! rolled back and run again with savepoints: only that unit loses its writes. One that waits for a
//! row of another connection or reads much, and one that fails again, goes
//! [`apart`](crate::postgres::apart), and the lane goes on without it.

use std::collections::{HashMap, HashSet};
use std::panic::AssertUnwindSafe;
use std::rc::Rc;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::time::timeout;
use uuid::Uuid;

use crate::error::{Error, Result};
use crate::postgres::apart::Apart;
use crate::postgres::engine::Pool;
use crate::postgres::session::Session;
use crate::queue::{GROUP_TIME_MAX, Priority, Share, Taker, now};
use crate::tx::{CommitHooks, Engine, Tx};
use crate::unit::Unit;

const GROUP_UNITS_MAX: usize = 64;
/// A unit of many statements that are each quick enough, or whose server does not answer, holds up
/// the others no longer than this.
const UNIT_TIME_MAX: Duration = Duration::from_secs(1);

/// A unit, and what it shares rows with.
pub struct Keyed {
    pub key: Uuid,
    pub unit: Unit,
}

/// Serves one queue of units.
pub struct Lane {
    pool: Rc<Pool>,
    units: Taker<Keyed>,
    apart: Apart,
}

/// A unit in a group.
struct Member {
    keyed: Keyed,
    priority: Priority,
    state: State,
    /// It waited for a row, or took longer than a unit of a group may.
    is_slow: bool,
    commit_hooks: CommitHooks,
}

/// How far a unit of a group has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// It has not run in this transaction.
    Waits,
    Kept,
    /// Nothing of it is kept; its caller gets what it returned.
    Refused,
    /// It failed, or one of its key did before it, so it is run apart.
    Failed,
}

/// What became of a group's transaction.
enum Fate {
    Ended(Result<()>),
    /// It was rolled back, because a unit that had written was refused or failed.
    Lost,
}

impl Fate {
    /// Whether nothing is kept, perhaps because of one unit alone.
    fn is_of_one_unit(&self) -> bool {
        !matches!(self, Self::Ended(Ok(()) | Err(Error::Unknown(_))))
    }
}

impl Lane {
    pub fn new(pool: Rc<Pool>, units: Taker<Keyed>) -> Self {
        let apart = Apart::new(pool.clone(), units.queue().clone());
        Self { pool, units, apart }
    }

    /// Serves until the queue is closed and empty.
    pub async fn serve(self) {
        while let Some(first) = self.units.next().await {
            let mut share = self.units.begin();
            let group = self.gather(first, &mut share);
            let serving = AssertUnwindSafe(self.serve_group(group)).catch_unwind();
            // A unit's panic is caught where it runs; this catches a destructor's.
            if serving.await.is_err() {
                tracing::error!("a group of units was lost to a panic outside of them");
            }
            self.units.end(&share);
        }
        self.apart.end().await;
    }

    /// Takes what waits, as far as it fits into one group.
    fn gather(&self, first: (Priority, Keyed), share: &mut Share) -> Vec<Member> {
        let mut next = Some(first);
        let mut group = Vec::new();
        while let Some((priority, keyed)) = next {
            share.add(priority);
            group.push(Member::new(priority, keyed));
            if group.len() == GROUP_UNITS_MAX {
                break;
            }
            next = self.units.take(share);
        }
        group
    }

    async fn serve_group(&self, mut group: Vec<Member>) {
        let mut fate = self.run(&mut group, false).await;
        if fate.as_ref().is_ok_and(Fate::is_of_one_unit) {
            fate = self.run(&mut group, true).await;
        }
        let fate = match fate {
            Ok(Fate::Ended(fate)) => fate,
            Ok(Fate::Lost) => Err(Error::Collision("a group was lost".into())),
            Err(error) => {
                let units = group.into_iter().map(|member| member.keyed.unit);
                return units.for_each(|unit| unit.fail(error.clone()));
            }
        };
        let (mut left, mut apart) = (Vec::new(), HashMap::<Uuid, Vec<Unit>>::new());
        for member in group {
            match (member.state, &fate) {
                (State::Kept, Ok(())) => {
                    member.commit_hooks.run(self.pool.notices());
                    member.keyed.unit.answer(Ok(()));
                }
                (State::Kept, Err(Error::Unknown(_))) | (State::Refused, Ok(())) => {
                    member.keyed.unit.answer(fate.clone());
                }
                (State::Waits, _) if !apart.contains_key(&member.keyed.key) => {
                    left.push((member.priority, member.keyed));
                }
                // A refusal may be due to what another unit has written, and lost.
                _ => apart.entry(member.keyed.key).or_default().push(member.keyed.unit),
            }
        }
        // The last one first, so that each is before those that came after it.
        for (priority, keyed) in left.into_iter().rev() {
            self.units.queue().put_back(priority, keyed.key, keyed);
        }
        for (key, units) in apart {
            self.apart.run(key, units);
        }
    }

    /// Runs units in one transaction; `Err` means that there is no server to run them.
    async fn run(&self, group: &mut [Member], has_savepoints: bool) -> Result<Fate> {
        if group.is_empty() {
            return Ok(Fate::Ended(Ok(())));
        }
        let link = self.pool.take().await?;
        let session = Session::group(link.clone())?;
        let started = now();
        for member in &mut *group {
            member.state = State::Waits;
        }
        let mut failed = HashSet::new();
        for member in group {
            if now() - started > GROUP_TIME_MAX {
                break;
            }
            if member.is_slow || failed.contains(&member.keyed.key) {
                // Units of one key stay in order.
                member.state = State::Failed;
                failed.insert(member.keyed.key);
                continue;
            }
            let running = self.run_member(member, &session, has_savepoints);
            match timeout(UNIT_TIME_MAX, running).await {
                Ok(Ok(())) if member.state == State::Failed => {
                    failed.insert(member.keyed.key);
                }
                Ok(Ok(())) => {}
                Ok(Err(_)) => {
                    self.pool.take_back(&session, link).await?;
                    return Ok(Fate::Lost);
                }
                // The connection is closed, because a statement may still run on it.
                Err(_) => {
                    member.is_slow = true;
                    return Ok(Fate::Lost);
                }
            }
        }
        Ok(Fate::Ended(self.pool.commit(session, link).await))
    }

    /// Runs a unit; `Err` means that the transaction is lost.
    async fn run_member(
        &self,
        member: &mut Member,
        session: &Session,
        has_savepoints: bool,
    ) -> Result<()> {
        if has_savepoints {
            self.run_in_savepoint(member, session).await
        } else {
            self.run_plain(member, session).await
        }
    }

    async fn run_plain(&self, member: &mut Member, session: &Session) -> Result<()> {
        let tx = Tx::new(Engine::Postgres(session.member()), self.pool.sources());
        let is_kept = member.keyed.unit.run(&tx).await;
        member.state = if is_kept { State::Kept } else { State::Refused };
        member.commit_hooks = tx.take_commit_hooks();
        // It would only wait once more.
        member.is_slow = matches!(tx.failure(), Some(Error::Busy | Error::Unavailable(_)));
        if !is_kept && (tx.failure().is_some() || tx.has_written()) {
            return Err(Error::Collision("a unit of the group was refused".into()));
        }
        Ok(())
    }

    /// The same for a unit that may lose its writes alone.
    async fn run_in_savepoint(&self, member: &mut Member, session: &Session) -> Result<()> {
        session.set_savepoint()?;
        let tx = Tx::new(Engine::Postgres(session.member()), self.pool.sources());
        let is_kept = member.keyed.unit.run(&tx).await;
        member.commit_hooks = tx.take_commit_hooks();
        let is_settled = session.settle().await.is_ok();
        member.state = match is_kept {
            true if is_settled => State::Kept,
            false if is_settled && tx.failure().is_none() => State::Refused,
            _ => State::Failed,
        };
        if member.state == State::Kept { session.keep() } else { session.undo().await }
    }
}

impl Member {
    fn new(priority: Priority, keyed: Keyed) -> Self {
        let commit_hooks = CommitHooks::default();
        Self { keyed, priority, state: State::Waits, is_slow: false, commit_hooks }
    }
}
