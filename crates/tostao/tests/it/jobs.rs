//! The queue: what is pushed is done, at its time, and not lost with the worker that held it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use db::time::Timestamp;
use db::tx::Tx;
use futures_util::future::join_all;
use queue::job::{
    Claimed, Due, Job, advance, again, cancel, failing, finish, push, push_or_update_in, waiting,
};
use queue::worker::{AtOnce, Handler, run_due};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tostao::app::App;
use uuid::Uuid;

use crate::affiliates::{join, program};
use crate::harness::TestApp;
use crate::harness::engine::Engine;

const LANE: &str = "test";
/// How much later a job runs again.
const LATER: Duration = Duration::from_mins(1);

#[derive(Serialize, Deserialize)]
struct Count {
    by: usize,
}

impl Job for Count {
    const KIND: &'static str = "count";
    const LANE: &'static str = LANE;
    const UNIQUE: bool = true;
}

/// Counts; fails, does not finish or runs again later, as configured.
#[derive(Clone)]
struct Counter {
    app: App,
    counted: Arc<AtomicUsize>,
    failures: Arc<AtomicUsize>,
    forgets: bool,
    postpones: bool,
}

impl Handler for Counter {
    async fn run(&self, job: Claimed) -> Result<(), String> {
        let fails =
            self.failures.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1));
        if fails.is_ok() {
            return Err("simulated failure".into());
        }
        let count: Count = job.read().map_err(|error| error.to_string())?;
        self.counted.fetch_add(count.by, Ordering::SeqCst);
        if self.forgets {
            return Ok(());
        }
        let postpones = self.postpones;
        let unit = async move |tx: &Tx| {
            if postpones {
                return Ok(again(tx, &job, tx.now().plus(LATER)).await?);
            }
            Ok(finish(tx, &job).await?)
        };
        let done = self.app.transact(unit).await;
        done.map(|_| ()).map_err(|error| error.to_string())
    }
}

fn counter(test: &TestApp) -> Counter {
    let (counted, failures) = (Arc::default(), Arc::default());
    Counter { app: test.app.clone(), counted, failures, forgets: false, postpones: false }
}

impl Counter {
    async fn run_due(&self) -> usize {
        run_due(&self.app.database, LANE, AtOnce::OnEachServer(8), self).await.expect("jobs run");
        self.counted.load(Ordering::SeqCst)
    }
}

async fn push_in(test: &TestApp, id: u128, seconds: u64, clock: Option<Uuid>) {
    let unit = async move |tx: &Tx| {
        let due = Due { at: tx.now().plus(Duration::from_secs(seconds)), clock };
        Ok(push(tx, Uuid::from_u128(id), due, &Count { by: 1 }).await?)
    };
    test.app.transact(unit).await.expect("is pushed");
}

async fn left(test: &TestApp) -> i64 {
    test.app.read(async |tx| Ok(waiting(tx, LANE).await?)).await.expect("can be read")
}

#[story::test]
async fn a_job_runs_at_its_time_and_once(test: &TestApp) {
    let counter = counter(test);
    push_in(test, 1, 0, None).await;
    push_in(test, 2, 60, None).await;
    assert_eq!(counter.run_due().await, 1);
    assert_eq!(counter.run_due().await, 1);
    test.pass(Duration::from_secs(60));
    assert_eq!(counter.run_due().await, 2);
    assert_eq!(left(test).await, 0);
}

#[story::test]
async fn a_job_of_a_unit_that_was_taken_back_never_was(test: &TestApp) {
    let refused = test.app.transact(async |tx| {
        let due = Due { at: tx.now(), clock: None };
        push(tx, tx.new_id(), due, &Count { by: 1 }).await?;
        Err::<(), _>(tostao::platform::error::Error::NotFound("Anything"))
    });
    refused.await.expect_err("is refused");
    assert_eq!(counter(test).run_due().await, 0);
    assert_eq!(left(test).await, 0);
}

#[story::test]
async fn a_failed_job_comes_back_later_each_time(test: &TestApp) {
    let counter = counter(test);
    counter.failures.store(2, Ordering::SeqCst);
    push_in(test, 1, 0, None).await;
    for wait in [1, 2] {
        assert_eq!(counter.run_due().await, 0);
        test.pass(Duration::from_millis(wait * 1_000 - 1));
        assert_eq!(counter.run_due().await, 0);
        test.pass(Duration::from_millis(1));
    }
    assert_eq!(counter.run_due().await, 1);
    assert_eq!(left(test).await, 0);
}

#[story::test]
async fn a_job_fails_from_its_first_failed_try_until_one_ends_without_an_error(test: &TestApp) {
    let counter = Counter { postpones: true, ..counter(test) };
    counter.failures.store(2, Ordering::SeqCst);
    push_in(test, 1, 0, None).await;
    let look = async |until: Timestamp| {
        let read = test.app.read(async move |tx: &Tx| Ok(failing(tx, until).await?));
        read.await.expect("can be read")
    };
    let first = test.app.now();
    assert_eq!(look(first).await, (0, None), "it was not tried yet");
    for seconds in [1, 2] {
        assert_eq!(counter.run_due().await, 0);
        assert_eq!(look(test.app.now()).await, (1, Some(first)));
        assert_eq!(look(first.minus(Duration::from_micros(1))).await, (0, None));
        test.pass(Duration::from_secs(seconds));
    }
    assert_eq!(counter.run_due().await, 1);
    assert_eq!(look(test.app.now()).await, (0, None));
    assert_eq!(left(test).await, 1, "it runs again later");
}

#[story::test]
async fn a_job_that_is_pushed_while_it_waits_keeps_its_turn_and_takes_the_new_fields(
    test: &TestApp,
) {
    let counter = counter(test);
    counter.failures.store(3, Ordering::SeqCst);
    let push = async |by| {
        let unit = async move |tx: &Tx| {
            let due = Due { at: tx.now(), clock: None };
            Ok(push_or_update_in(tx, LANE, Uuid::from_u128(1), due, &Count { by }).await?)
        };
        test.app.transact(unit).await.expect("is pushed");
    };
    for (by, wait) in [1, 2, 4].into_iter().enumerate() {
        push(by).await;
        assert_eq!(counter.run_due().await, 0);
        push(by + 1).await;
        test.pass(Duration::from_millis(wait * 1_000 - 1));
        assert_eq!(counter.run_due().await, 0);
        test.pass(Duration::from_millis(1));
    }
    assert_eq!(counter.run_due().await, 3);
    assert_eq!(left(test).await, 0);
}

#[story::test]
async fn a_job_whose_worker_died_is_due_again_when_its_lease_ends(test: &TestApp) {
    let dying = Counter { forgets: true, ..counter(test) };
    push_in(test, 1, 0, None).await;
    assert_eq!(dying.run_due().await, 1);
    let living = counter(test);
    test.pass(Duration::from_secs(29));
    assert_eq!(living.run_due().await, 0);
    test.pass(Duration::from_secs(1));
    assert_eq!(living.run_due().await, 1);
    assert_eq!(left(test).await, 0);
}

#[story::test]
async fn advancing_a_clock_moves_its_jobs_and_no_others(test: &TestApp) {
    let counter = counter(test);
    let clock = Uuid::from_u128(9);
    push_in(test, 1, 3_600, Some(clock)).await;
    push_in(test, 2, 3_600, None).await;
    let by = Duration::from_secs(3_600);
    test.app.transact(async move |tx| Ok(advance(tx, clock, by).await?)).await.expect("moves");
    assert_eq!(counter.run_due().await, 1);
    assert_eq!(left(test).await, 1);
}

/// Finishes jobs after it gave others time to begin; counts how many run at once at most.
#[derive(Clone, Default)]
struct Overlaps {
    running: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
    ran: Arc<AtomicUsize>,
}

/// A server's worker of a lane, which reports to the same counts as the others.
#[derive(Clone)]
struct Server {
    app: App,
    overlaps: Overlaps,
}

impl Handler for Server {
    async fn run(&self, job: Claimed) -> Result<(), String> {
        let Overlaps { running, most, ran } = &self.overlaps;
        most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        running.fetch_sub(1, Ordering::SeqCst);
        ran.fetch_add(1, Ordering::SeqCst);
        let done = self.app.transact(async move |tx| Ok(finish(tx, &job).await?)).await;
        done.map(|_| ()).map_err(|error| error.to_string())
    }
}

#[story::test]
async fn a_lane_whose_jobs_run_alone_has_one_at_work_on_however_many_servers(test: &TestApp) {
    const JOBS: usize = 30;
    for id in 0..JOBS as u128 {
        push_in(test, id, 0, None).await;
    }
    let overlaps = Overlaps::default();
    let servers = [(); 4].map(|()| Server { app: test.app.clone(), overlaps: overlaps.clone() });
    while left(test).await > 0 {
        let run = |server: &Server| {
            let (app, server) = (test.app.clone(), server.clone());
            async move { run_due(&app.database, LANE, AtOnce::One, &server).await }
        };
        for ran in join_all(servers.iter().map(run)).await {
            ran.expect("jobs run");
        }
    }
    assert_eq!(overlaps.ran.load(Ordering::SeqCst), JOBS);
    assert_eq!(overlaps.most.load(Ordering::SeqCst), 1);
}

#[story::test]
async fn a_lane_whose_jobs_run_alone_goes_on_after_the_lease_of_a_worker_that_died(test: &TestApp) {
    for id in 1..3 {
        push_in(test, id, 0, None).await;
    }
    let run = async |counter: &Counter| {
        run_due(&test.app.database, LANE, AtOnce::One, counter).await.expect("jobs run")
    };
    let dying = Counter { forgets: true, ..counter(test) };
    assert_eq!(run(&dying).await, 1);
    let living = counter(test);
    for (passes, ran) in [(29, 0), (2, 2)] {
        test.pass(Duration::from_secs(passes));
        assert_eq!(run(&living).await, ran);
    }
    assert_eq!(left(test).await, 0);
}

#[story::test]
async fn a_cancelled_job_does_not_run(test: &TestApp) {
    push_in(test, 1, 60, None).await;
    let unit = async move |tx: &Tx| {
        let at = tx.now().plus(Duration::from_secs(60));
        Ok(cancel::<Count>(tx, Uuid::from_u128(1), at).await?)
    };
    test.app.transact(unit).await.expect("is cancelled");
    test.pass(Duration::from_secs(60));
    assert_eq!(counter(test).run_due().await, 0);
}

#[story::test]
async fn a_job_waits_while_something_else_than_what_it_is_about_is_missing(test: &TestApp) {
    let (shop, affiliate) = (test.shop("Loja").await, test.shop("Bia").await);
    let product = shop.product(json!({})).await;
    let program = program(&shop, &product, json!({})).await;
    let code = join(&affiliate, &program).await["code"].clone();
    let items = json!([{ "productId": product["id"], "quantity": 1 }]);
    let sale = json!({ "items": items, "affiliateCode": code });
    let charge = shop.charge_with(sale).await;
    shop.pay(&charge).await;
    let engine = Engine::open(test).await;
    let due = "select cast(count(*) as text) from jobs where kind = 'release_commission'";
    assert_eq!(engine.rows(due).await, [["1"]]);
    let away = [
        "create table away as select * from merchants where email = 'bia@example.com'",
        "delete from merchants where email = 'bia@example.com'",
    ];
    for statement in away {
        engine.rows(statement).await;
    }
    test.run_jobs_after(Duration::from_hours(24 * 40)).await;
    assert_eq!(engine.rows(due).await, [["1"]], "the commission is there, and not released");
    for statement in ["insert into merchants select * from away", "drop table away"] {
        engine.rows(statement).await;
    }
    test.run_jobs_after(Duration::from_hours(1)).await;
    assert_eq!(engine.rows(due).await, [["0"]]);
}
