//! What a worker runs, in which order, and what it leaves to another one.

use std::collections::BTreeSet;
use std::future::ready;
use std::iter;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use db::database::Database;
use db::error::Error;
use db::tx::Tx;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;
use tokio::time::timeout;
use uuid::Uuid;

use super::{AtOnce, Handler, claim, run, run_due_by, serve};
use crate::doubles::{Call, NOW, fresh};
use crate::job::{Claimed, Due, Job, advance, again, finish, push};

const MANY: AtOnce = AtOnce::OnEachServer(2);
const HELD: Uuid = Uuid::from_u128(1);
const PUT_BACK: Uuid = Uuid::from_u128(2);
const OTHERS: Uuid = Uuid::from_u128(3);
const FOLLOWS: Uuid = Uuid::from_u128(4);

#[derive(Serialize, Deserialize)]
struct Answer;

/// Finishes every job and reports which it was.
#[derive(Clone)]
struct Finisher(Database, mpsc::Sender<Uuid>);

/// Records the order in which units ran.
#[derive(Clone)]
struct Writer(Database, Arc<Mutex<Vec<&'static str>>>);

impl Writer {
    async fn write(&self, what: &'static str) {
        let wrote = self.1.clone();
        let unit = async move |_: &Tx| {
            wrote.lock().unwrap().push(what);
            Ok::<_, Error>(())
        };
        self.0.transact(unit).await.unwrap();
    }
}

impl Handler for Writer {
    async fn run(&self, _: Claimed) -> Result<(), String> {
        self.write("a job").await;
        Ok(())
    }
}

impl Job for Answer {
    const KIND: &'static str = "answer";
    const LANE: &'static str = "answers";
}

impl Handler for Finisher {
    async fn run(&self, job: Claimed) -> Result<(), String> {
        let (Self(database, finished), id) = (self, job.id);
        let unit = async move |tx: &Tx| finish(tx, &job).await;
        database.transact(unit).await.map_err(|error| error.to_string())?;
        finished.send(id).await.map_err(|error| error.to_string())
    }
}

#[tokio::test]
async fn a_clock_that_is_advanced_leaves_the_leases_of_jobs_at_work_alone() {
    let (_folder, database) = fresh().await;
    let clock = Uuid::from_u128(9);
    let pushed =
        async move |tx: &Tx| push(tx, HELD, Due { at: NOW, clock: Some(clock) }, &Call).await;
    database.transact(pushed).await.unwrap();
    let held = claim(&database, &Arc::from(Call::LANE), MANY, 1).await.unwrap();
    let pass = async move |tx: &Tx| advance(tx, clock, Duration::from_hours(1)).await;
    database.transact(pass).await.unwrap();
    assert!(claim(&database, &Arc::from(Call::LANE), MANY, 1).await.unwrap().is_empty());
    let job = held[0].clone();
    let done = async move |tx: &Tx| finish(tx, &job).await;
    assert!(database.transact(done).await.unwrap());
}

#[tokio::test]
async fn a_job_with_the_id_of_one_at_work_is_claimed_at_the_same_instant() {
    let (_folder, database) = fresh().await;
    let lane = Arc::from(Call::LANE);
    for _ in 0..2 {
        let due = Due { at: NOW, clock: None };
        let pushed = async move |tx: &Tx| push(tx, HELD, due, &Call).await;
        database.transact(pushed).await.unwrap();
        let claimed = claim(&database, &lane, MANY, 1).await.unwrap();
        assert_eq!(claimed.iter().map(|job| job.id).collect::<Vec<_>>(), [HELD]);
    }
}

#[tokio::test]
async fn what_is_due_by_a_clock_is_done_only_when_no_other_worker_is_at_it() {
    let (_folder, database) = fresh().await;
    let clock = Uuid::from_u128(9);
    let pushed = async move |tx: &Tx| {
        push(tx, HELD, Due { at: NOW, clock: Some(clock) }, &Call).await?;
        push(tx, PUT_BACK, Due { at: NOW, clock: Some(clock) }, &Call).await?;
        push(tx, OTHERS, Due { at: NOW, clock: None }, &Call).await
    };
    database.transact(pushed).await.unwrap();
    let held = claim(&database, &Arc::from(Call::LANE), MANY, 1).await.unwrap().remove(0);
    assert_eq!(held.id, HELD);

    let (ended, mut completions) = mpsc::channel(3);
    let finisher = Finisher(database.clone(), ended);
    let lanes = &[Answer::LANE, Call::LANE];
    let mut running = pin!(run_due_by(&database, lanes, clock, &finisher));
    assert!(timeout(Duration::from_millis(100), &mut running).await.is_err());
    let done = async move |tx: &Tx| {
        push(tx, FOLLOWS, Due { at: NOW, clock: Some(clock) }, &Answer).await?;
        finish(tx, &held).await
    };
    assert!(database.transact(done).await.unwrap());
    running.await.unwrap();
    let ran: BTreeSet<_> = iter::from_fn(|| completions.try_recv().ok()).collect();
    assert_eq!(ran, BTreeSet::from([PUT_BACK, FOLLOWS]));
}

#[tokio::test]
async fn what_a_job_writes_gives_way_to_a_caller_who_comes_later() {
    let (_folder, database) = fresh().await;
    let pushed = async |tx: &Tx| push(tx, HELD, Due { at: NOW, clock: None }, &Call).await;
    database.transact(pushed).await.unwrap();
    let job = claim(&database, &Arc::from(Call::LANE), MANY, 1).await.unwrap().remove(0);
    let (open, gate) = std::sync::mpsc::channel::<()>();
    let gate = Mutex::new(gate);
    let closed = database.transact(async move |_: &Tx| {
        // The gate is open when the other end is dropped, so that a replay does not wait again.
        assert!(gate.lock().unwrap().recv().is_err());
        Ok::<_, Error>(())
    });
    let wrote = Arc::<Mutex<Vec<&str>>>::default();
    let writer = Writer(database.clone(), wrote.clone());
    let caller = writer.write("a caller");
    let release = async { drop(open) };
    let all = async { tokio::join!(closed, run(&database, job, &writer), caller, release) };
    timeout(Duration::from_secs(5), all).await.unwrap().0.unwrap();
    assert_eq!(*wrote.lock().unwrap(), ["a caller", "a job"]);
}

#[tokio::test]
async fn a_new_worker_runs_at_once_what_a_dead_one_held_and_nothing_before_its_time() {
    let (_folder, database) = fresh().await;
    let pushed = async |tx: &Tx| {
        for id in [HELD, PUT_BACK] {
            push(tx, id, Due { at: NOW, clock: None }, &Call).await?;
        }
        Ok::<_, Error>(())
    };
    database.transact(pushed).await.unwrap();
    let held = claim(&database, &Arc::from(Call::LANE), MANY, 2).await.unwrap();
    assert_eq!(held.iter().map(|job| job.id).collect::<Vec<_>>(), [HELD, PUT_BACK]);
    let second = held[1].clone();
    let later = async move |tx: &Tx| again(tx, &second, NOW.plus(Duration::from_secs(1))).await;
    assert!(database.transact(later).await.unwrap());

    let (ended, mut completions) = mpsc::channel(2);
    let mut ran = Vec::new();
    let finisher = Finisher(database.clone(), ended);
    let patience = Duration::from_secs(5);
    let first = async { ran.extend(timeout(patience, completions.recv()).await.ok().flatten()) };
    serve(database, Call::LANE.into(), MANY, finisher, first).await;
    ran.extend(completions.try_recv().ok());
    assert_eq!(ran, [HELD]);
}

#[tokio::test]
async fn a_new_worker_runs_all_that_a_dead_one_held_of_one_id() {
    let (_folder, database) = fresh().await;
    let lane = Arc::from(Call::LANE);
    for _ in 0..2 {
        let pushed = async |tx: &Tx| push(tx, HELD, Due { at: NOW, clock: None }, &Call).await;
        database.transact(pushed).await.unwrap();
        assert_eq!(claim(&database, &lane, MANY, 1).await.unwrap().len(), 1);
    }
    let (ended, mut completions) = mpsc::channel(2);
    let both = async {
        for _ in 0..2 {
            let ran = timeout(Duration::from_secs(5), completions.recv()).await;
            assert_eq!(ran, Ok(Some(HELD)));
        }
    };
    serve(database.clone(), lane, MANY, Finisher(database, ended), both).await;
}

#[tokio::test]
async fn a_worker_that_is_to_stop_claims_no_job_that_is_due() {
    let (_folder, database) = fresh().await;
    let pushed = async |tx: &Tx| push(tx, HELD, Due { at: NOW, clock: None }, &Call).await;
    database.transact(pushed).await.unwrap();
    let (ended, mut completions) = mpsc::channel(1);
    let finisher = Finisher(database.clone(), ended);
    serve(database.clone(), Call::LANE.into(), MANY, finisher, ready(())).await;
    assert!(completions.try_recv().is_err());
    assert_eq!(claim(&database, &Arc::from(Call::LANE), MANY, 1).await.unwrap().len(), 1);
}
