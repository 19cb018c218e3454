//! Workers that die, and requests that break off, between any two steps.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use db::database::{Dialect, in_background};

use crate::harness::TestApp;
use crate::harness::engine::Engine;

/// Runs jobs and lets the worker die where it waits for the n-th time; true if it did not live
/// to end them.
pub async fn die_at_wait(test: &TestApp, number: usize) -> bool {
    breaks_off(test.run_jobs(), number).await
}

/// Does something and breaks it off where it waits for the n-th time; false if it ended before.
pub async fn breaks_off<T>(work: impl Future<Output = T>, number: usize) -> bool {
    let mut work = pin!(work);
    let mut waits = 0;
    poll_fn(|context| match work.as_mut().poll(context) {
        Poll::Ready(_) => Poll::Ready(false),
        Poll::Pending if waits == number => Poll::Ready(true),
        Poll::Pending => {
            waits += 1;
            Poll::Pending
        }
    })
    .await
}

/// Runs jobs and has something happen where the worker waits for the n-th time, before it goes on;
/// true if it had not ended before.
pub async fn overtake_at_wait(
    test: &TestApp,
    number: usize,
    something: impl Future<Output = ()>,
) -> bool {
    let mut jobs = pin!(test.run_jobs());
    let waits = breaks_off(jobs.as_mut(), number).await;
    something.await;
    if waits {
        jobs.await;
    }
    waits
}

/// Lets what the dead had given to the database end, as it would in a day.
pub async fn calm_down(test: &TestApp) {
    // On one engine it stands in line before these, on the other it shows among the sessions.
    let last = || test.app.transact(async |_| Ok(()));
    last().await.expect("runs");
    in_background(last()).await.expect("runs");
    let engine = Engine::open(test).await;
    let busy = "select count(*)::text from pg_stat_activity
                 where datname = current_database() and application_name = 'tostao'
                   and state <> 'idle'";
    while engine.dialect() == Dialect::Postgres && engine.rows(busy).await != [["0"]] {
        tokio::task::yield_now().await;
    }
}
