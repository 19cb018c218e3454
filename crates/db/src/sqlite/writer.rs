//! The only thread that writes: it commits all waiting units with one sync to disk (group commit).
//!
//! While one group syncs, the next one gathers, so all waiting units share the cost of a sync and a
//! single request pays exactly one. Units run without savepoints; if one fails after it has
//! written, the group is rolled back and replayed with a savepoint around each, so that only the
//! failed one loses its writes. Responses are sent after the commit, never before.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::broadcast;

use crate::error::{Error, Result};
use crate::sqlite::connection::Connection;
use crate::sqlite::lanes::{Lane, Lanes, now};
use crate::tx::{CommitHooks, Engine, Notice, Tx, poll_once};
use crate::unit::Unit;

const GROUP_UNITS_MAX: usize = 512;
const GROUP_BACKGROUND_MAX: usize = 64;
/// The same while a request is likely, so that it waits for a short group and a short commit.
const GROUP_BACKGROUND_BETWEEN_CALLERS_MAX: usize = 8;
/// How long after a caller another one is expected.
const CALLERS_EXPECTED: Duration = Duration::from_millis(100);
/// How long background work is deferred at most.
const BACKGROUND_WAIT_MAX: Duration = Duration::from_millis(50);
const GROUP_TIME_MAX: Duration = Duration::from_millis(4);

pub struct Writer {
    tx: Tx,
    lanes: Arc<Lanes>,
    notices: broadcast::Sender<Notice>,
    /// When a group last contained a caller's unit.
    called_at: Cell<Option<Instant>>,
}

/// Units that share a commit, in the order they ran.
#[derive(Default)]
struct Group {
    members: Vec<Member>,
    background: usize,
    pressure: Pressure,
    /// Whether each unit has a savepoint.
    savepoints: bool,
    /// The schema's version when the group began.
    schema: i64,
}

/// Who would wait for a group with much background work.
#[derive(Debug, Clone, Copy, Default)]
enum Pressure {
    #[default]
    Nobody,
    /// Callers come and go.
    Callers,
    /// Background work itself, if it were held back longer.
    Background,
}

/// A unit, whether it is to be committed, and its commit hooks.
struct Member {
    unit: Unit,
    keep: bool,
    commit_hooks: CommitHooks,
}

impl Writer {
    pub fn new(tx: Tx, lanes: Arc<Lanes>, notices: broadcast::Sender<Notice>) -> Self {
        Self { tx, lanes, notices, called_at: Cell::default() }
    }

    /// Serves until the lanes close.
    pub fn serve(self) {
        while let Some((lane, unit)) = self.lanes.wait() {
            // With few cores, this lets a caller that is about to submit a unit share this group's
            // sync; if no other thread is ready to run, it costs nothing.
            std::thread::yield_now();
            let mut group = Group { pressure: self.pressure(), ..Group::default() };
            group.add(lane, unit);
            // A unit's panic is caught where it runs; this catches a destructor's.
            if catch_unwind(AssertUnwindSafe(|| self.serve_group(group))).is_err() {
                tracing::error!("a group of units was lost to a panic outside of them");
                self.leave();
            }
        }
    }

    fn serve_group(&self, mut group: Group) {
        let fate = self.write(&mut group);
        self.leave();
        if group.callers() > 0 {
            self.called_at.set(Some(now()));
        }
        match fate {
            // What one unit does to the transaction, or leaves for the commit to reject, must not
            // fail the others.
            Err(Error::Statement { .. }) if group.members.len() > 1 => {
                for member in group.members {
                    let mut alone = Group::default();
                    alone.members.push(member);
                    let fate = self.write_alone(&mut alone);
                    self.leave();
                    self.answer(alone, &fate);
                }
            }
            fate => self.answer(group, &fate),
        }
    }

    /// Runs the first unit and those that queue behind it, and commits them.
    fn write(&self, group: &mut Group) -> Result<()> {
        if let Err(error) = self.connection().command("begin immediate") {
            // Queued units would only wait as long for the same error.
            while group.is_open()
                && let Some((lane, unit)) = self.lanes.take(true)
            {
                group.add(lane, unit);
            }
            return Err(error);
        }
        let started = now();
        group.schema = self.schema()?;
        self.run_last(group)?;
        while group.is_open() && now() - started < GROUP_TIME_MAX && self.take_next(group) {
            self.run_last(group)?;
        }
        self.connection().commit()
    }

    fn write_alone(&self, group: &mut Group) -> Result<()> {
        self.connection().command("begin immediate")?;
        group.savepoints = true;
        self.run_last(group)?;
        self.connection().commit()
    }

    fn take_next(&self, group: &mut Group) -> bool {
        if group.callers() == 0 {
            // On one core a caller that is about to submit a unit would wait for the whole group.
            std::thread::yield_now();
        }
        let next = self.lanes.take(group.background < group.background_max());
        next.is_some_and(|(lane, unit)| {
            group.add(lane, unit);
            true
        })
    }

    fn pressure(&self) -> Pressure {
        let since = |at: Option<Instant>| at.map(|at| now() - at);
        if since(self.lanes.background_since()).is_some_and(|waits| waits > BACKGROUND_WAIT_MAX) {
            Pressure::Background
        } else if since(self.called_at.get()).is_some_and(|ago| ago < CALLERS_EXPECTED) {
            Pressure::Callers
        } else {
            Pressure::Nobody
        }
    }

    /// Runs the newest unit; `Err` means that the whole group is lost.
    fn run_last(&self, group: &mut Group) -> Result<()> {
        let Some(last) = group.members.last_mut() else {
            return Ok(());
        };
        if group.savepoints {
            return self.run_in_savepoint(last);
        }
        let before = self.connection().changes();
        self.run(last)?;
        let rows_changed = self.connection().changes() != before;
        if last.keep || (!rows_changed && self.schema()? == group.schema) {
            return Ok(());
        }
        group.savepoints = true;
        self.connection().command("rollback")?;
        self.connection().command("begin immediate")?;
        group.members.iter_mut().try_for_each(|member| self.run_in_savepoint(member))
    }

    fn run_in_savepoint(&self, member: &mut Member) -> Result<()> {
        self.connection().command("savepoint unit")?;
        self.run(member)?;
        if !member.keep {
            self.connection().command("rollback to unit")?;
        }
        self.connection().command("release unit")
    }

    fn run(&self, member: &mut Member) -> Result<()> {
        self.tx.renew();
        member.keep = poll_once(member.unit.run(&self.tx)).unwrap_or_else(|| {
            // A unit that awaits something other than SQL would block every other writer.
            tracing::error!("a unit awaited something other than SQL");
            false
        });
        member.commit_hooks = self.tx.take_commit_hooks();
        // Some errors make the engine end the transaction, which loses what ran before.
        if self.connection().is_idle() {
            return Err(Error::Statement {
                message: "the transaction ended inside the unit".into(),
                sql: "commit".into(),
            });
        }
        Ok(())
    }

    /// Increments with every schema change, which the engine does not count as a row change.
    fn schema(&self) -> Result<i64> {
        let mut rows = self.connection().all("pragma schema_version", &[])?;
        rows.pop().map_or(Ok(0), |mut row| row.take())
    }

    /// Rolls back what is not committed, so that the next group can begin.
    fn leave(&self) {
        if self.connection().is_idle() {
            return;
        }
        if let Err(error) = self.connection().command("rollback") {
            tracing::error!(%error, "rollback failed");
        }
    }

    fn answer(&self, group: Group, fate: &Result<()>) {
        for member in group.members {
            if member.keep && fate.is_ok() {
                member.commit_hooks.run(&self.notices);
            }
            member.unit.answer(fate.clone());
        }
    }

    fn connection(&self) -> &Connection {
        match self.tx.engine() {
            Engine::Sqlite(connection) => connection,
            Engine::Postgres(_) => unreachable!("the writer is made with a SQLite connection"),
        }
    }
}

impl Group {
    fn add(&mut self, lane: Lane, unit: Unit) {
        self.background += usize::from(lane == Lane::Background);
        self.members.push(Member { unit, keep: false, commit_hooks: CommitHooks::default() });
    }

    fn is_open(&self) -> bool {
        self.members.len() < GROUP_UNITS_MAX
    }

    /// Callers wait for every unit of their group, so at most as much background work joins as
    /// there are callers, unless it is late.
    fn background_max(&self) -> usize {
        match (self.pressure, self.callers()) {
            (Pressure::Background, _) | (Pressure::Nobody, 0) => GROUP_BACKGROUND_MAX,
            (Pressure::Callers, 0) => GROUP_BACKGROUND_BETWEEN_CALLERS_MAX,
            (Pressure::Nobody | Pressure::Callers, callers) => callers.min(GROUP_BACKGROUND_MAX),
        }
    }

    fn callers(&self) -> usize {
        self.members.len() - self.background
    }
}

#[cfg(test)]
mod tests {
    use super::{Group, Lane, Pressure};
    use crate::error::Error;
    use crate::tx::Tx;
    use crate::unit::{Unit, erased};

    fn background_beside(callers: usize, pressure: Pressure) -> usize {
        let mut group = Group { pressure, ..Group::default() };
        for _ in 0..callers {
            let unit = Unit::new(erased(async |_: &Tx| Ok::<_, Error>(()))).0;
            group.add(Lane::Caller, unit);
        }
        group.background_max()
    }

    #[test]
    fn background_work_is_held_back_beside_callers_until_it_is_late() {
        let table = [
            (Pressure::Nobody, [64, 1, 20, 64]),
            (Pressure::Callers, [8, 1, 20, 64]),
            (Pressure::Background, [64, 64, 64, 64]),
        ];
        for (pressure, most) in table {
            assert_eq!([0, 1, 20, 200].map(|n| background_beside(n, pressure)), most);
        }
    }
}
