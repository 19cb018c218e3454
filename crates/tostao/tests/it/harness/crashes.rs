//! Workers that die, and requests that break off, between any two steps.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use db::database::in_background;
use futures_util::future::join_all;
use tokio::sync::Barrier;
use tostao::platform::ids::MerchantId;
use uuid::Uuid;

use crate::harness::TestApp;

/// More waits than any request and any run of the jobs has.
pub const WAITS_MAX: usize = 200;

/// More lanes than a database has.
const LANES_MAX: u64 = 16;

/// Plays a round again and again, of which something is broken off where it waits one time later
/// than in the round before. The last round is the one in which it ended before; it says false.
pub async fn at_every_wait(mut round: impl AsyncFnMut(usize) -> bool) {
    for number in 0..WAITS_MAX {
        if !round(number).await {
            return assert!(number > 0, "nothing was broken off");
        }
    }
    panic!("it never ended");
}

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
///
/// A unit that was handed over runs to its end, even if its caller is gone. So as many units as run
/// at once meet here: they come after all that was handed over before, and can only meet when it
/// has ended.
/// A database server's lanes come to an end one by one: they run their units in order.
pub async fn calm_down(test: &TestApp) {
    let database = &test.app.database;
    let meeting = Arc::new(Barrier::new(database.writers_max()));
    let units = (0..database.writers_max()).map(|_| {
        let meeting = meeting.clone();
        test.app.transact(async move |_| {
            meeting.wait().await;
            Ok(())
        })
    });
    for met in join_all(units).await {
        met.expect("runs");
    }
    in_background(test.app.transact(async |_| Ok(()))).await.expect("runs");
    for lane in 0..LANES_MAX {
        let key = MerchantId(Uuid::from_u64_pair(0, lane));
        test.app.transact_for(key, async |_| Ok(())).await.expect("runs");
        in_background(test.app.transact_for(key, async |_| Ok(()))).await.expect("runs");
    }
}
