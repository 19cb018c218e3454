//! Since when every try of a job has failed.

use std::sync::Arc;
use std::time::Duration;

use db::database::Database;
use db::error::Error;
use db::time::Timestamp;
use db::tx::Tx;
use tempfile::TempDir;
use uuid::Uuid;

use super::{claim, reclaim};
use crate::doubles::{Call, NOW, fresh};
use crate::job::{Claimed, Due, Job, again, fail, fail_with, failing, push};

const LEASE: Duration = Duration::from_secs(30);

/// A queue with a job that is due.
async fn queue() -> (TempDir, Database) {
    let (folder, database) = fresh().await;
    let due = Due { at: NOW.minus(Duration::from_secs(1)), clock: None };
    let pushed = async move |tx: &Tx| push(tx, Uuid::from_u128(1), due, &Call).await;
    database.transact(pushed).await.unwrap();
    (folder, database)
}

/// Claims the job by a lease until an instant.
async fn claimed(database: &Database, until: Timestamp) -> Claimed {
    let unit = async move |tx: &Tx| claim(tx, &Arc::from(Call::LANE), until, 1).await;
    database.transact(unit).await.unwrap().remove(0)
}

/// How many jobs fail.
async fn failures(database: &Database) -> i64 {
    let unit = async |tx: &Tx| Ok::<_, Error>(failing(tx, NOW).await?.0);
    database.transact(unit).await.unwrap()
}

#[tokio::test]
async fn a_try_that_outlives_its_lease_counts_as_failed_until_one_is_finished() {
    let (_folder, database) = queue().await;
    claimed(&database, NOW).await;
    assert_eq!(failures(&database).await, 0, "it may still be at work");
    let second = claimed(&database, NOW.plus(Duration::from_micros(1))).await;
    assert_eq!((second.attempt, failures(&database).await), (2, 1));
    let waits = async move |tx: &Tx| again(tx, &second, NOW).await;
    assert!(database.transact(waits).await.unwrap());
    assert_eq!(failures(&database).await, 0);
}

#[tokio::test]
async fn a_try_of_a_process_that_died_counts_as_failed() {
    let (_folder, database) = queue().await;
    claimed(&database, NOW.plus(LEASE)).await;
    let unit = async |tx: &Tx| reclaim(tx, Call::LANE, LEASE).await;
    assert_eq!(database.transact(unit).await.unwrap(), 1);
    assert_eq!(failures(&database).await, 1);
}

#[tokio::test]
async fn a_job_that_fails_goes_on_failing_when_it_starts_again() {
    let (_folder, database) = queue().await;
    let first = claimed(&database, NOW.plus(LEASE)).await;
    let failed = async move |tx: &Tx| fail(tx, &first, NOW).await;
    assert!(database.transact(failed).await.unwrap());
    let second = claimed(&database, NOW.plus(LEASE)).await;
    let started_again = async move |tx: &Tx| fail_with(tx, &second, NOW, &Call).await;
    assert!(database.transact(started_again).await.unwrap());
    assert_eq!(failures(&database).await, 1);
    let third = claimed(&database, NOW.plus(LEASE)).await;
    assert_eq!((third.attempt, failures(&database).await), (1, 1));
}
