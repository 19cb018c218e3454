//! Workers, and requests, that die between any two steps.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use db::database::Dialect;

use crate::harness::TestApp;
use crate::harness::engine::Engine;

/// Runs jobs and lets the worker die where it waits for the n-th time; true if it did not live
/// to do so.
pub async fn die_at_wait(test: &TestApp, number: usize) -> bool {
    dies_at_wait(test.run_jobs(), number).await
}

/// Begins something and lets whoever does it die where he waits for the n-th time; true if he did
/// not live to finish it.
pub async fn dies_at_wait(work: impl Future, number: usize) -> bool {
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

/// Lets what the dead worker had given to the database end, as it would in a day.
pub async fn calm_down(test: &TestApp) {
    // On one engine it stands in line before this, on the other it shows among the sessions.
    test.app.transact(async |_| Ok(())).await.expect("runs");
    let engine = Engine::open(test).await;
    let busy = "select count(*)::text from pg_stat_activity
                 where datname = current_database() and application_name = 'tostao'
                   and state <> 'idle'";
    while engine.dialect() == Dialect::Postgres && engine.rows(busy).await != [["0"]] {
        tokio::task::yield_now().await;
    }
}
