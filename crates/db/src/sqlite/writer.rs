//! The only thread that writes: it commits all waiting units with one sync to disk (group commit).
//!
//! While one group syncs, the next one gathers, so all waiting units share the cost of a sync and a
//! single request pays exactly one. Units run without savepoints; if one fails after it has
//! written, the group is rolled back and replayed with a savepoint around each, so that only the
//! failed one loses its writes. Responses are sent after the commit, never before.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tokio::sync::broadcast;

use crate::error::{Error, Result};
use crate::queue::{GROUP_TIME_MAX, Priority, Share, Taker, now};
use crate::sqlite::checkpoints::Checkpoints;
use crate::sqlite::connection::Connection;
use crate::tx::{CommitHooks, Engine, Notice, Tx, poll_once};
use crate::unit::Unit;

const GROUP_UNITS_MAX: usize = 512;

pub struct Writer {
    tx: Tx,
    units: Taker<Unit>,
    notices: broadcast::Sender<Notice>,
    checkpoints: Arc<Checkpoints>,
}

/// Units that share a commit, in the order they ran.
#[derive(Default)]
struct Group {
    members: Vec<Member>,
    share: Share,
    /// Whether each unit has a savepoint.
    savepoints: bool,
    /// The schema's version when the group began.
    schema: i64,
}

/// A unit, whether it is to be committed, and its commit hooks.
struct Member {
    unit: Unit,
    keep: bool,
    commit_hooks: CommitHooks,
}

impl Writer {
    pub fn new(
        tx: Tx,
        units: Taker<Unit>,
        notices: broadcast::Sender<Notice>,
        checkpoints: Arc<Checkpoints>,
    ) -> Self {
        Self { tx, units, notices, checkpoints }
    }

    /// Serves until the queue is closed and empty.
    pub fn serve(self) {
        while let Some((priority, unit)) = self.units.wait() {
            // With few cores, this lets a caller that is about to submit a unit share this group's
            // sync; if no other thread is ready to run, it costs nothing.
            std::thread::yield_now();
            let mut group = Group { share: self.units.begin(), ..Group::default() };
            group.add(priority, unit);
            // A unit's panic is caught where it runs; this catches a destructor's.
            if catch_unwind(AssertUnwindSafe(|| self.serve_group(group))).is_err() {
                tracing::error!("a group of units was lost to a panic outside of them");
                self.leave();
            }
            self.checkpoints.finish(self.connection());
        }
    }

    fn serve_group(&self, mut group: Group) {
        let fate = self.write(&mut group);
        self.leave();
        self.units.end(&group.share);
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
                && let Some((priority, unit)) = self.units.take_any()
            {
                group.add(priority, unit);
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
        if group.share.callers() == 0 {
            // On one core a caller that is about to submit a unit would wait for the whole group.
            std::thread::yield_now();
        }
        let next = self.units.take(&group.share);
        next.is_some_and(|(priority, unit)| {
            group.add(priority, unit);
            true
        })
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
            // Nothing of what was undone before the commit is stored, whatever became of that.
            let fate = match fate {
                Err(Error::Unknown(why)) if !member.keep => Err(Error::Unavailable(why.clone())),
                fate => fate.clone(),
            };
            member.unit.answer(fate);
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
    fn add(&mut self, priority: Priority, unit: Unit) {
        self.share.add(priority);
        self.members.push(Member { unit, keep: false, commit_hooks: CommitHooks::default() });
    }

    fn is_open(&self) -> bool {
        self.members.len() < GROUP_UNITS_MAX
    }
}
