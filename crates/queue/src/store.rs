//! The jobs' table.

use std::sync::Arc;
use std::time::Duration;

use db::args;
use db::error::Result;
use db::time::Timestamp;
use db::tx::Tx;
use db::value::Row;
use uuid::Uuid;

use crate::job::{Claimed, Due};

/// The statement that claims due jobs of a lane; `whose` restricts them. A try whose lease has
/// ended was not finished, and counts as one that failed.
macro_rules! claiming {
    ($whose:literal) => {
        concat!(
            "update jobs
                set run_at = due.leased_until, attempt = attempt + 1, leased = true,
                    failing_since = case when leased then coalesce(failing_since, $3)
                                         else failing_since end
               from (select lane, run_at, id,
                            row_number() over (order by run_at, id) + $1 - $4 as leased_until
                       from (select lane, run_at, id
                               from jobs
                              where ",
            $whose,
            "lane = $2 and run_at <= $3
                              order by run_at, id
                              limit $4 /*+ skip locked */) as next) as due
              where jobs.lane = due.lane and jobs.run_at = due.run_at and jobs.id = due.id
                and not exists (
                    select 1
                      from jobs as held
                     where held.lane = due.lane and held.run_at = due.leased_until
                       and held.id = due.id)
             returning jobs.id, jobs.kind, jobs.attempt, jobs.payload, jobs.run_at"
        )
    };
}

/// The statement that makes a job that was put back due at `$1` in the lane `$2`; `waiting` reads
/// its `job_id`, and until when it was put back, `due_at`.
#[macro_export]
macro_rules! hastening {
    ($waiting:literal) => {
        concat!(
            "update jobs
                set run_at = $1
               from (",
            $waiting,
            ") as waiting
              where jobs.lane = $2 and jobs.run_at = waiting.due_at and jobs.id = waiting.job_id
                and not jobs.leased"
        )
    };
}

/// A job as its worker has claimed it.
macro_rules! claimed {
    () => {
        "lane = $1 and run_at = $2 and id = $3"
    };
}

/// A job that no worker has claimed yet.
macro_rules! unclaimed {
    () => {
        "lane = $1 and run_at = $2 and id = $3 and attempt = 0"
    };
}

pub async fn insert(
    tx: &Tx,
    lane: &str,
    (kind, is_unique): (&str, bool),
    id: Uuid,
    due: Due,
    payload: &str,
) -> Result<()> {
    tx.insert_row(
        "insert into jobs (lane, run_at, id, kind, payload, attempt, clock_id, is_unique)
         values ($1, $2, $3, $4, $5, 0, $6, $7)
             on conflict (lane, run_at, id) do nothing",
        args![lane, due.at, id, kind, payload, due.clock, is_unique],
    )
    .await
}

pub async fn delete(tx: &Tx, lane: &str, at: Timestamp, id: Uuid) -> Result<()> {
    tx.defer(concat!("delete from jobs where ", unclaimed!()), args![lane, at, id]).await
}

pub async fn delete_with_rows(tx: &Tx, lane: &str, at: Timestamp, id: Uuid) -> Result<()> {
    tx.defer_with_rows(concat!("delete from jobs where ", unclaimed!()), args![lane, at, id]).await
}

pub async fn take_back(tx: &Tx, lane: &str, at: Timestamp, id: Uuid) -> Result<bool> {
    let sql = concat!("delete from jobs where ", unclaimed!());
    Ok(tx.exec(sql, args![lane, at, id]).await? == 1)
}

/// Claims due jobs, in the order in which they became due.
///
/// An update may return rows in any order; leases that end a microsecond apart, the last one at
/// `leased_until`, preserve the order of the jobs. Where a lease of another job with the same id
/// ends at that very microsecond, the job is left for the next claim.
pub async fn claim(
    tx: &Tx,
    lane: &Arc<str>,
    leased_until: Timestamp,
    limit: i64,
) -> Result<Vec<Claimed>> {
    let rows = tx.all(claiming!(""), args![leased_until, &**lane, tx.now(), limit]).await?;
    in_order(lane, rows)
}

/// Claims jobs due by one clock, in the order in which they became due.
pub async fn claim_by(
    tx: &Tx,
    lane: &Arc<str>,
    clock: Uuid,
    leased_until: Timestamp,
    limit: i64,
) -> Result<Vec<Claimed>> {
    let rows = tx
        .all(claiming!("clock_id = $5 and "), args![leased_until, &**lane, tx.now(), limit, clock])
        .await?;
    in_order(lane, rows)
}

/// Claims the next due job of a lane, unless one is at work.
///
/// Two workers on a shared database would each see none at work, so they take turns: the row of the
/// lane is locked until the claim is committed.
pub async fn claim_alone(
    tx: &Tx,
    lane: &Arc<str>,
    leased_until: Timestamp,
) -> Result<Vec<Claimed>> {
    tx.exec(
        "insert into lane_turns (lane)
         values ($1)
             on conflict (lane) do update set lane = excluded.lane",
        args![&**lane],
    )
    .await?;
    let rows = tx
        .all(
            claiming!(
                "not exists (
                     select 1
                       from jobs as held
                      where held.lane = $2 and held.run_at > $3 and held.leased)
                 and "
            ),
            args![leased_until, &**lane, tx.now(), 1_i64],
        )
        .await?;
    in_order(lane, rows)
}

/// Whether a job of a lane is at work.
pub async fn is_held(tx: &Tx, lane: &str) -> Result<bool> {
    let row = tx
        .opt(
            "select id from jobs where lane = $1 and run_at > $2 and leased limit 1",
            args![lane, tx.now()],
        )
        .await?;
    Ok(row.is_some())
}

pub async fn is_still_claimed(tx: &Tx, job: &Claimed) -> Result<bool> {
    let sql = concat!("select id from jobs where ", claimed!());
    Ok(tx.opt(sql, args![&*job.lane, job.leased_until, job.id]).await?.is_some())
}

pub async fn finish(tx: &Tx, job: &Claimed) -> Result<bool> {
    let sql = concat!("delete from jobs where ", claimed!());
    let deleted = tx.exec(sql, args![&*job.lane, job.leased_until, job.id]).await?;
    Ok(deleted == 1)
}

pub async fn finish_claimed(tx: &Tx, job: &Claimed) -> Result<()> {
    let sql = concat!("delete from jobs where ", claimed!());
    tx.expect_one_with_rows(sql, args![&*job.lane, job.leased_until, job.id]).await
}

pub async fn put_back_claimed(tx: &Tx, job: &Claimed, at: Timestamp) -> Result<()> {
    let sql = concat!(
        "update jobs set run_at = $4, leased = false, failing_since = null where ",
        claimed!()
    );
    tx.expect_one_with_rows(sql, args![&*job.lane, job.leased_until, job.id, at]).await
}

pub async fn put_back(tx: &Tx, job: &Claimed, at: Timestamp) -> Result<bool> {
    let updated = tx
        .exec(
            "update jobs
                set run_at = $1, leased = false, failing_since = null
              where lane = $2 and run_at = $3 and id = $4",
            args![at, &*job.lane, job.leased_until, job.id],
        )
        .await?;
    Ok(updated == 1)
}

/// Puts a job back whose try ended in an error; keeps since when each of its tries has.
pub async fn put_back_failed(tx: &Tx, job: &Claimed, at: Timestamp) -> Result<bool> {
    let updated = tx
        .exec(
            "update jobs
                set run_at = $1, leased = false, failing_since = coalesce(failing_since, $2)
              where lane = $3 and run_at = $4 and id = $5",
            args![at, tx.now(), &*job.lane, job.leased_until, job.id],
        )
        .await?;
    Ok(updated == 1)
}

/// The same with another payload and its attempts reset.
pub async fn put_back_failed_as(
    tx: &Tx,
    job: &Claimed,
    at: Timestamp,
    payload: &str,
) -> Result<bool> {
    let updated = tx
        .exec(
            "update jobs
                set run_at = $1, leased = false, payload = $2, attempt = 0,
                    failing_since = coalesce(failing_since, $3)
              where lane = $4 and run_at = $5 and id = $6",
            args![at, payload, tx.now(), &*job.lane, job.leased_until, job.id],
        )
        .await?;
    Ok(updated == 1)
}

pub async fn put_back_as(tx: &Tx, job: &Claimed, at: Timestamp, payload: &str) -> Result<bool> {
    let updated = tx
        .exec(
            "update jobs
                set run_at = $1, leased = false, payload = $2, attempt = 0, failing_since = null
              where lane = $3 and run_at = $4 and id = $5",
            args![at, payload, &*job.lane, job.leased_until, job.id],
        )
        .await?;
    Ok(updated == 1)
}

pub async fn move_earlier(tx: &Tx, lane: &str, id: Uuid, at: Timestamp) -> Result<bool> {
    let updated = tx
        .exec(
            "update jobs
                set run_at = $1
              where lane = $2 and run_at = $3 and id = $4 and not leased",
            args![tx.now(), lane, at, id],
        )
        .await?;
    Ok(updated == 1)
}

/// When the first unique job with an id in a lane is due that no worker has claimed, if that is by
/// an instant at the latest.
pub async fn find_waiting(
    tx: &Tx,
    (lane, id): (&str, Uuid),
    until: Timestamp,
) -> Result<Option<Timestamp>> {
    let row = tx
        .opt(
            "select run_at
               from jobs
              where lane = $1 and run_at <= $2 and id = $3 and not leased and is_unique
              order by run_at
              limit 1",
            args![lane, until, id],
        )
        .await?;
    row.map(|mut row| row.take()).transpose()
}

/// Whether a worker has claimed a unique job with an id in a lane.
pub async fn is_claimed(tx: &Tx, (lane, id): (&str, Uuid)) -> Result<bool> {
    let row = tx
        .opt(
            "select id from jobs where lane = $1 and id = $2 and leased and is_unique limit 1",
            args![lane, id],
        )
        .await?;
    Ok(row.is_some())
}

/// How many jobs of a lane are due, of at most 1,001, and since when the first of them is.
pub async fn overdue(tx: &Tx, lane: &str) -> Result<(i64, Option<Timestamp>)> {
    let mut row = tx
        .one(
            "select count(*), min(run_at)
               from (select run_at
                       from jobs
                      where lane = $1 and run_at <= $2
                      order by run_at
                      limit 1001) as due",
            args![lane, tx.now()],
        )
        .await?;
    Ok((row.take()?, row.take()?))
}

/// How many jobs have failed in each try since an instant or longer, of at most 1,001, and since
/// when the first of them has.
pub async fn failing(tx: &Tx, until: Timestamp) -> Result<(i64, Option<Timestamp>)> {
    let mut row = tx
        .one(
            "select count(*), min(failing_since)
               from (select failing_since
                       from jobs
                      where failing_since is not null and failing_since <= $1
                      order by failing_since
                      limit 1001) as failing",
            args![until],
        )
        .await?;
    Ok((row.take()?, row.take()?))
}

/// Makes a waiting job due at another time, with other fields and its attempts reset; false if a
/// worker has claimed it.
pub async fn hasten(
    tx: &Tx,
    (lane, id, at): (&str, Uuid, Timestamp),
    due: Timestamp,
    payload: &str,
) -> Result<bool> {
    let updated = tx
        .exec(
            "update jobs
                set run_at = $1, payload = $2, attempt = 0
              where lane = $3 and run_at = $4 and id = $5 and not leased",
            args![due, payload, lane, at, id],
        )
        .await?;
    Ok(updated == 1)
}

/// Gives a waiting job other fields; false if a worker has claimed it.
pub async fn update(
    tx: &Tx,
    (lane, id, at): (&str, Uuid, Timestamp),
    payload: &str,
) -> Result<bool> {
    let updated = tx
        .exec(
            "update jobs
                set payload = $1
              where lane = $2 and run_at = $3 and id = $4 and not leased",
            args![payload, lane, at, id],
        )
        .await?;
    Ok(updated == 1)
}

pub async fn delete_waiting(tx: &Tx, (lane, id): (&str, Uuid)) -> Result<()> {
    tx.exec(
        "delete from jobs where lane = $1 and id = $2 and not leased and is_unique",
        args![lane, id],
    )
    .await
    .map(|_| ())
}

/// Makes the waiting jobs of a kind that were tried before due at an instant, the first one of each
/// id.
pub async fn hasten_all(tx: &Tx, (lane, kind): (&str, &str), at: Timestamp) -> Result<()> {
    tx.exec(
        "update jobs
            set run_at = $1, attempt = 0
          where lane = $2 and not leased and (run_at, id) in (
                select min(run_at), id
                  from jobs
                 where lane = $2 and kind = $3 and not leased and attempt > 0
                 group by id
                having min(run_at) > $1)",
        args![at, lane, kind],
    )
    .await
    .map(|_| ())
}

/// Makes claimed jobs due as they were when they were claimed; each lease ends at an instant of its
/// own, so that two jobs with one id stay apart. Their tries were not finished, and count as ones
/// that failed.
pub async fn reclaim(tx: &Tx, lane: &str, lease: Duration) -> Result<u64> {
    let micros = i64::try_from(lease.as_micros()).unwrap_or(i64::MAX);
    tx.exec(
        "update jobs
            set run_at = run_at - $1, leased = false,
                failing_since = coalesce(failing_since, $4)
          where lane = $2 and run_at <= $3 and leased",
        args![micros, lane, tx.now().plus(lease), tx.now()],
    )
    .await
}

/// Moves pending jobs; the instant of a claimed job is the end of its lease, which no clock moves.
pub async fn advance(tx: &Tx, clock: Uuid, by: Duration) -> Result<()> {
    let micros = i64::try_from(by.as_micros()).unwrap_or(i64::MAX);
    tx.exec(
        "update jobs set run_at = run_at - $1 where clock_id = $2 and not leased",
        args![micros, clock],
    )
    .await
    .map(|_| ())
}

pub async fn due_kinds(tx: &Tx, clock: Uuid) -> Result<Vec<(String, i64)>> {
    let rows = tx
        .all(
            "select kind, count(*)
               from jobs
              where clock_id = $1 and run_at <= $2 and not leased
              group by kind
              order by kind",
            args![clock, tx.now()],
        )
        .await?;
    rows.into_iter().map(|mut row| Ok((row.take()?, row.take()?))).collect()
}

/// Whether a job of a clock is due or claimed.
pub async fn is_busy(tx: &Tx, lane: &str, clock: Uuid) -> Result<bool> {
    let row = tx
        .opt(
            "select id
               from jobs
              where clock_id = $1 and lane = $2 and (leased or run_at <= $3)
              limit 1",
            args![clock, lane, tx.now()],
        )
        .await?;
    Ok(row.is_some())
}

pub async fn delete_of(tx: &Tx, clock: Uuid, most: i64) -> Result<u64> {
    tx.exec(
        "delete from jobs
          where (lane, run_at, id) in (
                select lane, run_at, id from jobs where clock_id = $1 limit $2)",
        args![clock, most],
    )
    .await
}

pub async fn count(tx: &Tx, lane: &str) -> Result<i64> {
    tx.one("select count(*) from jobs where lane = $1", args![lane]).await?.take()
}

/// The instant of the next job of a lane, due or not.
pub async fn next(tx: &Tx, lane: &str) -> Result<Option<Timestamp>> {
    let row = tx
        .opt("select run_at from jobs where lane = $1 order by run_at limit 1", args![lane])
        .await?;
    row.map(|mut row| row.take()).transpose()
}

pub async fn probe(tx: &Tx) -> Result<()> {
    tx.exec(
        "insert into probes (id, probed_at)
         values (1, $1)
             on conflict (id) do update set probed_at = excluded.probed_at",
        args![tx.now()],
    )
    .await
    .map(|_| ())
}

/// Reads claimed jobs; the ends of their leases give their order.
fn in_order(lane: &Arc<str>, rows: Vec<Row>) -> Result<Vec<Claimed>> {
    let read = |mut row: Row| {
        Ok(Claimed {
            lane: lane.clone(),
            id: row.take()?,
            kind: row.take()?,
            attempt: row.take()?,
            payload: row.take()?,
            leased_until: row.take()?,
        })
    };
    let mut claimed = rows.into_iter().map(read).collect::<Result<Vec<_>>>()?;
    claimed.sort_unstable_by_key(|job| job.leased_until);
    Ok(claimed)
}

#[cfg(test)]
mod tests;
