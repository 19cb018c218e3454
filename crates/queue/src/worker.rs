//! A lane's worker: claims due jobs, runs them, and retries failures with backoff.

use std::future::{Future, ready};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use db::database::{Database, Dialect, in_background};
use db::error::{Error, Result};
use db::time::Timestamp;
use db::tx::{Notice, Tx};
use tokio::sync::Semaphore;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::job::{Claimed, backoff, fail, is_pushed};
use crate::store;

/// Twice the longest job: a delivery, whose receiver has ten seconds.
const LEASE: Duration = Duration::from_secs(30);
/// Leases end at different microseconds of the last second, whatever the clock does: jobs with the
/// same id may be claimed at one instant.
const SPREAD_MICROS: u64 = 1_000_000;
const POLL_EVERY: Duration = Duration::from_secs(1);
const CLAIM_MAX: usize = 64;
/// How often, and how many times, it polls whether another worker has finished its jobs.
const RECHECK_EVERY: Duration = Duration::from_millis(10);
const RECHECKS_MAX: usize = 200;

/// How many jobs of a lane run at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtOnce {
    /// So many on each server.
    OnEachServer(usize),
    /// One, on whichever server.
    One,
}

/// A job's handler; on `Ok` it has finished or rescheduled the job itself.
pub trait Handler: Clone + Send + Sync + 'static {
    /// Runs one claimed job.
    fn run(&self, job: Claimed) -> impl Future<Output = std::result::Result<(), String>> + Send;
}

/// Claims and runs due jobs one after the other until none is due; returns how many ran.
pub async fn run_due(
    database: &Database,
    lane: &str,
    at_once: AtOnce,
    handler: &impl Handler,
) -> Result<usize> {
    let (mut ran, lane) = (0, Arc::from(lane));
    loop {
        let jobs = claim(database, &lane, at_once, CLAIM_MAX).await?;
        if jobs.is_empty() {
            return Ok(ran);
        }
        ran += jobs.len();
        for job in jobs {
            run(database, job, handler).await;
        }
    }
}

/// Runs jobs that are due by one clock in some lanes, and waits for those that other workers run.
///
/// Another worker finishes a job no earlier than it enqueues what follows, so every check sees one
/// of them. The wait is bounded: a worker that died holds its jobs until their leases end.
#[expect(clippy::disallowed_methods, reason = "another process ends its jobs without a notice")]
pub async fn run_due_by(
    database: &Database,
    lanes: &'static [&'static str],
    clock: Uuid,
    handler: &impl Handler,
) -> Result<()> {
    let mut rechecks = 0;
    loop {
        let mut ran = false;
        for lane in lanes {
            for job in claim_by(database, &Arc::from(*lane), clock).await? {
                run(database, job, handler).await;
                ran = true;
            }
        }
        if ran {
            rechecks = 0;
            continue;
        }
        let busy = database.read(async move |tx: &Tx| {
            for lane in lanes {
                if store::is_busy(tx, lane, clock).await? {
                    return Ok(true);
                }
            }
            Ok::<_, Error>(false)
        });
        if rechecks == RECHECKS_MAX || !busy.await? {
            return Ok(());
        }
        rechecks += 1;
        tokio::time::sleep(RECHECK_EVERY).await;
    }
}

/// Serves a lane until `stop` resolves, then waits for its running jobs.
#[expect(clippy::disallowed_methods, reason = "other processes push without a notice to this one")]
pub async fn serve(
    database: Database,
    lane: Arc<str>,
    at_once: AtOnce,
    handler: impl Handler,
    stop: impl Future<Output = ()>,
) {
    let mut notices = database.notices();
    let permits = Arc::new(Semaphore::new(match at_once {
        AtOnce::OnEachServer(concurrency) => concurrency,
        AtOnce::One => 1,
    }));
    let mut at_work = JoinSet::new();
    tokio::pin!(stop);
    if let Err(error) = reclaim(&database, &lane).await {
        tracing::warn!(%error, %lane, "cannot reclaim jobs; their leases will end by themselves");
    }
    loop {
        // While there is always something to do, nothing below waits.
        tokio::select! {
            biased;
            () = &mut stop => break,
            () = ready(()) => {}
        }
        // One claim is for all notices that came before it.
        forget_all(&mut notices);
        let free = permits.available_permits().min(CLAIM_MAX);
        let jobs = claim(&database, &lane, at_once, free).await.unwrap_or_else(|error| {
            tracing::warn!(%error, %lane, "cannot claim jobs; trying again");
            Vec::new()
        });
        let idle = jobs.len() < free || free == 0;
        for job in jobs {
            let Ok(permit) = permits.clone().acquire_owned().await else { return };
            let (database, handler) = (database.clone(), handler.clone());
            at_work.spawn(async move {
                run(&database, job, &handler).await;
                drop(permit);
            });
        }
        let mut has_ended = false;
        while at_work.try_join_next().is_some() {
            has_ended = true;
        }
        // A job that has ended since the claim may have made another one due without a notice, as
        // `wake` of the deliveries does.
        if !idle || has_ended {
            continue;
        }
        tokio::select! {
            () = &mut stop => break,
            () = pushed(&mut notices, &lane) => {}
            _ = at_work.join_next(), if !at_work.is_empty() => {}
            () = tokio::time::sleep(POLL_EVERY) => {}
        }
    }
    while at_work.join_next().await.is_some() {}
}

/// Releases the leases of a worker that died, if that is certain.
///
/// An embedded database belongs to one process, whose worker starts here; on a shared one another
/// process may be running them, and only the end of a lease is certain.
async fn reclaim(database: &Database, lane: &Arc<str>) -> Result<()> {
    if database.dialect() == Dialect::Postgres {
        return Ok(());
    }
    let of = lane.clone();
    let unit = async move |tx: &Tx| store::reclaim(tx, &of, LEASE).await;
    let count = in_background(database.transact(unit)).await?;
    if count > 0 {
        tracing::info!(count, %lane, "reclaimed the jobs of a worker that did not finish them");
    }
    Ok(())
}

async fn claim(
    database: &Database,
    lane: &Arc<str>,
    at_once: AtOnce,
    limit: usize,
) -> Result<Vec<Claimed>> {
    if limit == 0 {
        return Ok(Vec::new());
    }
    // Most polls find no job, so they read before they ask for the one writer of an embedded
    // database. On a server the claim costs hardly more than the look.
    let looks = at_once == AtOnce::One || database.dialect() == Dialect::Sqlite;
    if looks && !is_due(database, lane).await? {
        return Ok(Vec::new());
    }
    let of = lane.clone();
    let is_held = async move |tx: &Tx| store::is_held(tx, &of).await;
    if at_once == AtOnce::One && database.lookup(is_held).await? {
        return Ok(Vec::new());
    }
    let (of, limit) = (lane.clone(), i64::try_from(limit).unwrap_or(1));
    match at_once {
        AtOnce::OnEachServer(_) => {
            let unit = async move |tx: &Tx| store::claim(tx, &of, lease_end(tx), limit).await;
            in_background(database.transact_one(unit)).await
        }
        AtOnce::One => {
            let unit = async move |tx: &Tx| store::claim_alone(tx, &of, lease_end(tx)).await;
            in_background(database.transact(unit)).await
        }
    }
}

/// Whether a job of a lane is due.
async fn is_due(database: &Database, lane: &Arc<str>) -> Result<bool> {
    let of = lane.clone();
    let unit = async move |tx: &Tx| {
        let next = store::next(tx, &of).await?;
        Ok::<_, Error>(next.is_some_and(|at| at <= tx.now()))
    };
    database.lookup(unit).await
}

async fn claim_by(database: &Database, lane: &Arc<str>, clock: Uuid) -> Result<Vec<Claimed>> {
    let (of, limit) = (lane.clone(), i64::try_from(CLAIM_MAX).unwrap_or(1));
    let unit = async move |tx: &Tx| store::claim_by(tx, &of, clock, lease_end(tx), limit).await;
    in_background(database.transact_one(unit)).await
}

/// When the last lease of a claim ends.
fn lease_end(tx: &Tx) -> Timestamp {
    static CLAIMS: AtomicU64 = AtomicU64::new(0);
    let taken = u64::try_from(CLAIM_MAX).unwrap_or(SPREAD_MICROS);
    let spread = CLAIMS.fetch_add(taken, Ordering::Relaxed) % SPREAD_MICROS;
    tx.now().plus(LEASE.saturating_sub(Duration::from_micros(spread)))
}

async fn run(database: &Database, job: Claimed, handler: &impl Handler) {
    let Err(error) = in_background(handler.run(job.clone())).await else { return };
    tracing::warn!(error, kind = job.kind, id = %job.id, attempt = job.attempt, "job failed");
    let unit = async move |tx: &Tx| fail(tx, &job, tx.now().plus(backoff(job.attempt))).await;
    if let Err(error) = in_background(database.transact_one(unit)).await {
        // The lease ends by itself, and then the job is due again.
        tracing::warn!(%error, "cannot put a failed job back");
    }
}

/// Drops the notices that wait.
fn forget_all(notices: &mut Receiver<Notice>) {
    while !matches!(notices.try_recv(), Err(TryRecvError::Empty | TryRecvError::Closed)) {}
}

/// Waits for a unit that enqueued a due job in the lane; missed notifications count as one.
async fn pushed(notices: &mut Receiver<Notice>, lane: &str) {
    loop {
        match notices.recv().await {
            Ok(notice) if !is_pushed(notice, lane) => {}
            Ok(_) | Err(RecvError::Lagged(_)) => return,
            Err(RecvError::Closed) => std::future::pending().await,
        }
    }
}

#[cfg(test)]
mod tests;
