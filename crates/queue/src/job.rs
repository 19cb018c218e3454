//! Jobs: enqueueing, finishing, rescheduling.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use db::error::Result;
use db::time::Timestamp;
use db::tx::{Notice, Tx};
use serde::Serialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use crate::store;

/// The topic with which a unit notifies the workers of a lane of a job that is due.
const PUSHED: &str = "job pushed";
/// In place of a lane: all of them.
const EVERY_LANE: Uuid = Uuid::nil();

/// The lane of work on our own rows, and of calls to banks that answer at once.
pub const WORK: &str = "work";

const BACKOFF_MAX: Duration = Duration::from_mins(15);
/// Later than any job is due.
const ALWAYS: Timestamp = Timestamp::from_micros(i64::MAX);

/// A kind of job; its fields are the worker's only input.
pub trait Job: Serialize + DeserializeOwned {
    /// The kind's name in the database; it never changes.
    const KIND: &'static str;
    /// The lane whose workers run it; lanes do not delay each other.
    const LANE: &'static str;
    /// Whether it is looked for by its id, as by [`push_once_in`], which an index then has.
    const UNIQUE: bool = false;
}

/// When a job runs, and by which clock.
#[derive(Debug, Clone, Copy)]
pub struct Due {
    /// The instant, by the system clock.
    pub at: Timestamp,
    /// The simulated clock that moves the instant when it is advanced; `None` for the system clock.
    pub clock: Option<Uuid>,
}

/// A job that a worker holds until its lease ends.
#[derive(Debug, Clone)]
pub struct Claimed {
    pub lane: Arc<str>,
    pub id: Uuid,
    pub kind: String,
    /// How many times it has been claimed, including this one.
    pub attempt: i64,
    pub(crate) payload: String,
    pub(crate) leased_until: Timestamp,
}

impl Claimed {
    /// Deserializes the job's fields.
    pub fn read<J: Job>(&self) -> serde_json::Result<J> {
        serde_json::from_str(&self.payload)
    }
}

/// Enqueues a job; `id` identifies it and is unique within its lane and instant.
pub async fn push<J: Job>(tx: &Tx, id: Uuid, due: Due, job: &J) -> Result<()> {
    push_in(tx, J::LANE, id, due, job).await
}

/// A job that a unit which is undone would enqueue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pushed {
    pub kind: &'static str,
    /// The instant, by the system clock.
    pub at: Timestamp,
    /// The simulated clock that moves it, if any.
    pub clock: Option<Uuid>,
}

/// Enqueues a job in another lane than its kind's.
pub async fn push_in<J: Job>(tx: &Tx, lane: &str, id: Uuid, due: Due, job: &J) -> Result<()> {
    tx.note_effect(|| Pushed { kind: J::KIND, at: due.at, clock: due.clock });
    store::insert(tx, lane, (J::KIND, J::UNIQUE), id, due, &payload(job)?).await?;
    notify_if_due(tx, lane, due);
    Ok(())
}

fn notify_if_due(tx: &Tx, lane: &str, due: Due) {
    if due.at <= tx.now() {
        tx.notify(PUSHED, name_of(lane));
    }
}

/// Whether a notice is about a due job of a lane.
pub(crate) fn is_pushed(notice: Notice, lane: &str) -> bool {
    notice.topic == PUSHED && (notice.id == EVERY_LANE || notice.id == name_of(lane))
}

/// A lane in a notice. Two lanes of one name here would only be looked into more often.
fn name_of(lane: &str) -> Uuid {
    let mut hasher = DefaultHasher::new();
    lane.hash(&mut hasher);
    Uuid::from_u64_pair(1, hasher.finish())
}

/// Enqueues a job that waits once in its lane: if one with its id does, that one is due by then at
/// the latest, with these fields. One that a worker has claimed may have read what is no longer so,
/// and does not count.
///
/// Concurrent units may each enqueue one, unless they hold a lock; [`again_once`] makes them one.
pub async fn push_once_in<J: Job>(tx: &Tx, lane: &str, id: Uuid, due: Due, job: &J) -> Result<()> {
    const { assert!(J::UNIQUE, "it is not found by its id") };
    if let Some(at) = store::find_waiting(tx, (lane, id), ALWAYS).await? {
        if at <= due.at {
            return Ok(());
        }
        if store::hasten(tx, (lane, id, at), due.at, &payload(job)?).await? {
            notify_if_due(tx, lane, due);
            return Ok(());
        }
    }
    push_in(tx, lane, id, due, job).await
}

/// Enqueues a job that waits once in its lane: if one with its id does, that one takes these
/// fields, and stays due when it is, with its attempts.
pub async fn push_or_update_in<J: Job>(
    tx: &Tx,
    lane: &str,
    id: Uuid,
    due: Due,
    job: &J,
) -> Result<()> {
    const { assert!(J::UNIQUE, "it is not found by its id") };
    if let Some(at) = store::find_waiting(tx, (lane, id), ALWAYS).await?
        && store::update(tx, (lane, id, at), &payload(job)?).await?
    {
        return Ok(());
    }
    push_in(tx, lane, id, due, job).await
}

/// Makes a unique job due now, with these fields: one that waits is brought forward, one that a
/// worker has claimed goes on as it is, and only without either it is enqueued.
///
/// The caller holds a lock that the unit takes, too, in which a worker puts the job back.
pub async fn bring_forward<J: Job>(tx: &Tx, id: Uuid, job: &J) -> Result<()> {
    const { assert!(J::UNIQUE, "it is not found by its id") };
    let due = Due { at: tx.now(), clock: None };
    match store::find_waiting(tx, (J::LANE, id), ALWAYS).await? {
        Some(at) if at <= due.at => Ok(()),
        Some(at) => {
            // If it was claimed meanwhile, its worker is at it.
            if store::hasten(tx, (J::LANE, id, at), due.at, &payload(job)?).await? {
                notify_if_due(tx, J::LANE, due);
            }
            Ok(())
        }
        None => {
            if store::is_claimed(tx, (J::LANE, id)).await? {
                return Ok(());
            }
            push(tx, id, due, job).await
        }
    }
}

/// Whether a unique job with an id waits in a lane.
pub async fn is_waiting(tx: &Tx, lane: &str, id: Uuid) -> Result<bool> {
    Ok(store::find_waiting(tx, (lane, id), ALWAYS).await?.is_some())
}

/// Deletes the unique jobs with an id that wait in a lane; one that a worker has claimed goes on.
pub async fn forget_waiting(tx: &Tx, lane: &str, id: Uuid) -> Result<()> {
    store::delete_waiting(tx, (lane, id)).await
}

/// Cancels a job that no worker has claimed; one that is claimed first must have no effect by
/// itself.
pub async fn cancel<J: Job>(tx: &Tx, id: Uuid, at: Timestamp) -> Result<()> {
    store::delete(tx, J::LANE, at, id).await
}

/// Cancels a job as [`cancel`] does, together with the rows that wait to be inserted; no job with
/// its id and instant is among them.
pub async fn cancel_with_rows<J: Job>(tx: &Tx, id: Uuid, at: Timestamp) -> Result<()> {
    store::delete_with_rows(tx, J::LANE, at, id).await
}

/// Deletes a job that no worker has claimed; false if one has, which may do its work.
pub async fn take_back(tx: &Tx, lane: &str, id: Uuid, at: Timestamp) -> Result<bool> {
    store::take_back(tx, lane, at, id).await
}

/// Deletes a claimed job in the unit that did its work; false if another worker has claimed it
/// since.
pub async fn finish(tx: &Tx, job: &Claimed) -> Result<bool> {
    store::finish(tx, job).await
}

/// Deletes a claimed job as [`finish`] does, together with the rows that wait to be inserted; the
/// unit collides if another worker has claimed it since.
pub async fn finish_claimed(tx: &Tx, job: &Claimed) -> Result<()> {
    store::finish_claimed(tx, job).await
}

/// Reschedules a claimed job as [`again`] does, together with the rows that wait to be inserted;
/// the unit collides if another worker has claimed it since.
pub async fn again_claimed(tx: &Tx, job: &Claimed, at: Timestamp) -> Result<()> {
    store::put_back_claimed(tx, job, at).await
}

/// Whether a claimed job is still its worker's: no other one has claimed it since, and it was not
/// deleted.
pub async fn is_still_claimed(tx: &Tx, job: &Claimed) -> Result<bool> {
    store::is_still_claimed(tx, job).await
}

/// Reschedules a claimed job; false if another worker has claimed it since.
pub async fn again(tx: &Tx, job: &Claimed, at: Timestamp) -> Result<bool> {
    store::put_back(tx, job, at).await
}

/// Reschedules a claimed job whose try ended in an error, or whose provider did not answer; false
/// if another worker has claimed it since.
pub async fn fail(tx: &Tx, job: &Claimed, at: Timestamp) -> Result<bool> {
    store::put_back_failed(tx, job, at).await
}

/// Reschedules a claimed job whose try failed with other fields, and its attempts reset; false if
/// another worker has claimed it since.
pub async fn fail_with<J: Job>(tx: &Tx, job: &Claimed, at: Timestamp, next: &J) -> Result<bool> {
    store::put_back_failed_as(tx, job, at, &payload(next)?).await
}

/// Reschedules a claimed job, or finishes it if another one with its id waits in its lane and is
/// due by then; false if another worker has claimed it since.
pub async fn again_once(tx: &Tx, job: &Claimed, at: Timestamp) -> Result<bool> {
    match store::find_waiting(tx, (&job.lane, job.id), at).await? {
        Some(_) => finish(tx, job).await,
        None => again(tx, job, at).await,
    }
}

/// Reschedules a claimed job with other fields, such as its progress, and its attempts reset; false
/// if another worker has claimed it since.
pub async fn reschedule_with<J: Job>(
    tx: &Tx,
    job: &Claimed,
    at: Timestamp,
    next: &J,
) -> Result<bool> {
    store::put_back_as(tx, job, at, &payload(next)?).await
}

/// Makes a job that was rescheduled to `at` due now; false if a worker has claimed it, or it has
/// moved.
pub async fn move_earlier<J: Job>(tx: &Tx, id: Uuid, at: Timestamp) -> Result<bool> {
    let hastened = store::move_earlier(tx, J::LANE, id, at).await?;
    if hastened {
        tx.notify(PUSHED, name_of(J::LANE));
    }
    Ok(hastened)
}

/// Makes all jobs of a kind that were tried before and wait in a lane due at an instant, with their
/// attempts reset, unless they are due earlier.
pub async fn hasten_all<J: Job>(tx: &Tx, lane: &str, at: Timestamp) -> Result<()> {
    store::hasten_all(tx, (lane, J::KIND), at).await
}

/// Moves all pending jobs of `clock` forward in time.
pub async fn advance(tx: &Tx, clock: Uuid, by: Duration) -> Result<()> {
    store::advance(tx, clock, by).await?;
    tx.notify(PUSHED, EVERY_LANE);
    Ok(())
}

/// The kinds of jobs of `clock` that are due, with how many of each.
pub async fn due_kinds(tx: &Tx, clock: Uuid) -> Result<Vec<(String, i64)>> {
    store::due_kinds(tx, clock).await
}

/// Deletes the jobs of `clock`, also claimed ones, whose workers find them gone.
pub async fn delete_of(tx: &Tx, clock: Uuid, most: i64) -> Result<u64> {
    store::delete_of(tx, clock, most).await
}

/// Counts the pending jobs of a lane, due or not.
pub async fn waiting(tx: &Tx, lane: &str) -> Result<i64> {
    store::count(tx, lane).await
}

/// How many jobs of a lane are due, of at most 1,001, and since when the first of them is.
pub async fn overdue(tx: &Tx, lane: &str) -> Result<(i64, Option<Timestamp>)> {
    store::overdue(tx, lane).await
}

/// How many jobs of all lanes have failed in each try since an instant or longer, of at most 1,001,
/// and since when the first of them has.
pub async fn failing(tx: &Tx, until: Timestamp) -> Result<(i64, Option<Timestamp>)> {
    store::failing(tx, until).await
}

/// The instant of a lane's next job, due or not.
pub async fn next(tx: &Tx, lane: &str) -> Result<Option<Timestamp>> {
    store::next(tx, lane).await
}

/// Writes and reads a row of its own, to check that the database accepts writes.
pub async fn prove_writable(tx: &Tx) -> Result<()> {
    store::probe(tx).await
}

/// The backoff: doubles from a second with each attempt, up to a quarter of an hour.
pub fn backoff(attempt: i64) -> Duration {
    backoff_from(Duration::from_secs(1), BACKOFF_MAX, attempt)
}

/// A wait that doubles with each attempt, up to a longest one.
pub fn backoff_from(first: Duration, most: Duration, attempt: i64) -> Duration {
    let doublings = u32::try_from(attempt.clamp(1, 20) - 1).unwrap_or(0);
    (first * (1 << doublings)).min(most)
}

fn payload<J: Job>(job: &J) -> Result<String> {
    serde_json::to_string(job)
        .map_err(|error| db::error::Error::Row(format!("job {}: {error}", J::KIND)))
}

#[cfg(test)]
mod tests {
    use db::tx::Notice;
    use uuid::Uuid;

    use super::{EVERY_LANE, PUSHED, backoff, is_pushed, name_of};

    #[test]
    fn a_push_is_noticed_in_its_own_lane_and_one_into_all_lanes_in_each() {
        let pushed = |id: Uuid| Notice { topic: PUSHED, id };
        for (notice, noticed_in) in [
            (pushed(name_of("work")), [true, false]),
            (pushed(name_of("webhooks")), [false, true]),
            (pushed(EVERY_LANE), [true, true]),
            (Notice { topic: "something else", id: EVERY_LANE }, [false, false]),
        ] {
            let lanes = ["work", "webhooks"];
            assert_eq!(lanes.map(|lane| is_pushed(notice, lane)), noticed_in, "{notice:?}");
        }
    }

    #[test]
    fn waiting_doubles_up_to_a_quarter_of_an_hour() {
        let table = [(0, 1), (1, 1), (2, 2), (5, 16), (10, 512), (11, 900), (i64::MAX, 900)];
        for (attempt, seconds) in table {
            assert_eq!(backoff(attempt).as_secs(), seconds, "attempt {attempt}");
        }
    }
}
