//! Units that lock the same rows in different orders are both committed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use db::args;
use db::error::Result;
use db::tx::Tx;
use futures_util::future::{join, join_all, join3};
use tokio::sync::Barrier;
use uuid::Uuid;

use crate::harness::{Refusal, Test, client, insert, with_database};

const ADD: &str = "update things set amount = amount + 1 where id = $1";

/// Makes two units meet in the middle, once; on SQLite they run one after the other anyway.
struct Meeting {
    barrier: Arc<Barrier>,
    met: AtomicBool,
}

impl Meeting {
    fn pair(test: &Test) -> [Self; 2] {
        let barrier = Arc::new(Barrier::new(2));
        [0, 1].map(|_| Self { barrier: barrier.clone(), met: AtomicBool::new(test.is_sqlite()) })
    }

    async fn once(&self) {
        if !self.met.swap(true, Ordering::Relaxed) {
            self.barrier.wait().await;
        }
    }
}

async fn amounts(test: &Test) -> Vec<i64> {
    let unit = async |tx: &Tx| {
        let rows = tx.all("select amount from things order by id", &[]).await?;
        rows.into_iter().map(|mut row| row.take()).collect::<Result<Vec<i64>>>()
    };
    test.db.read(unit).await.unwrap()
}

async fn with_two_things(body: impl AsyncFnOnce(Test)) {
    with_database(async |test| {
        for id in [1, 2] {
            test.unit(async move |tx: &Tx| Ok(insert(tx, id).await?)).await.unwrap();
        }
        body(test).await;
    })
    .await;
}

#[tokio::test]
async fn units_that_lock_each_other_out_are_run_again() {
    with_two_things(async |test| {
        let runs = Arc::new(AtomicUsize::new(0));
        let [here, there] = Meeting::pair(&test);
        let unit = |meeting: Meeting, first: i64, second: i64| {
            let runs = runs.clone();
            test.unit(async move |tx: &Tx| {
                runs.fetch_add(1, Ordering::Relaxed);
                tx.exec(ADD, args![first]).await?;
                meeting.once().await;
                tx.exec(ADD, args![second]).await?;
                Ok(())
            })
        };
        let (one, two) = join(unit(here, 1, 2), unit(there, 2, 1)).await;
        one.unwrap();
        two.unwrap();
        assert_eq!(amounts(&test).await, [2, 2]);
        // The one that was refused may take its row again before the other one wakes.
        let is_run_again = runs.load(Ordering::Relaxed) > 2;
        assert_eq!(is_run_again, !test.is_sqlite());
    })
    .await;
}

/// Outside of their lanes, where a statement waits for a row long enough to be found in a deadlock.
#[tokio::test]
async fn units_of_two_lanes_that_lock_each_other_out_are_both_kept() {
    with_two_things(async |test| {
        if test.is_sqlite() {
            // It has one writer.
            return;
        }
        let mut other = client(&test.url).await;
        let lock = other.transaction().await.unwrap();
        lock.execute("update things set amount = 7", &[]).await.unwrap();
        let runs = Arc::new(AtomicUsize::new(0));
        let [here, there] = Meeting::pair(&test);
        let unit = |meeting: Meeting, [first, second]: [i64; 2]| {
            let runs = runs.clone();
            let lane = Uuid::from_u64_pair(0, u64::from(first == 1));
            test.db.transact_for(lane, async move |tx: &Tx| -> Result<()> {
                runs.fetch_add(1, Ordering::Relaxed);
                tx.exec(ADD, args![first]).await?;
                meeting.once().await;
                tx.exec(ADD, args![second]).await?;
                Ok(())
            })
        };
        let free = async {
            // Each has waited in its lane, and waits outside of it.
            while runs.load(Ordering::Relaxed) < 4 {
                tokio::task::yield_now().await;
            }
            lock.commit().await.unwrap();
        };
        let (one, two, ()) = join3(unit(here, [1, 2]), unit(there, [2, 1]), free).await;
        one.unwrap();
        two.unwrap();
        assert_eq!(amounts(&test).await, [9, 9]);
        assert!(runs.load(Ordering::Relaxed) > 4, "one was run again");
    })
    .await;
}

#[tokio::test]
async fn units_whose_deferred_writes_lock_each_other_out_are_run_again() {
    for noticed_by_commit in [true, false] {
        with_two_things(async |test| {
            let [here, there] = Meeting::pair(&test);
            let unit = |meeting: Meeting, first: i64, second: i64| {
                test.unit(async move |tx: &Tx| {
                    tx.exec(ADD, args![first]).await?;
                    meeting.once().await;
                    tx.defer(ADD, args![second]).await?;
                    if !noticed_by_commit {
                        tx.exec(ADD, args![first]).await?;
                    }
                    Ok(())
                })
            };
            let (one, two) = join(unit(here, 1, 2), unit(there, 2, 1)).await;
            one.unwrap();
            two.unwrap();
            let expected = if noticed_by_commit { [2, 2] } else { [3, 3] };
            assert_eq!(amounts(&test).await, expected);
        })
        .await;
    }
}

#[tokio::test]
async fn a_unit_whose_row_was_changed_since_it_was_read_is_run_again() {
    for noticed_by_commit in [true, false] {
        with_two_things(async |test| {
            let [here, there] = Meeting::pair(&test);
            let unit = |meeting: Meeting| {
                test.unit(async move |tx: &Tx| {
                    let sql = "select amount from things where id = 1";
                    let amount: i64 = tx.one(sql, &[]).await?.take()?;
                    meeting.once().await;
                    if amount != 0 {
                        return Err(Refusal::Own);
                    }
                    let sql = "update things set amount = 1 where id = 1 and amount = $1";
                    tx.expect_one(sql, args![amount]).await?;
                    tx.defer(ADD, args![2_i64]).await?;
                    if !noticed_by_commit {
                        tx.exec(ADD, args![2_i64]).await?;
                    }
                    Ok(())
                })
            };
            let (one, two) = join(unit(here), unit(there)).await;
            let refused = [&one, &two].map(|end| matches!(end, Err(Refusal::Own)));
            assert_eq!(refused.iter().filter(|is| **is).count(), 1, "{one:?} {two:?}");
            assert!(one.is_ok() || two.is_ok(), "{one:?} {two:?}");
            let added = if noticed_by_commit { 1 } else { 2 };
            assert_eq!(amounts(&test).await, [1, added]);
        })
        .await;
    }
}

#[tokio::test]
async fn a_unit_whose_unique_value_was_taken_since_it_was_seen_free_is_run_again() {
    with_two_things(async |test| {
        let [here, there] = Meeting::pair(&test);
        let unit = |meeting: Meeting, own: i64| {
            test.unit(async move |tx: &Tx| {
                let taken = tx.opt("select id from things where id = 3", &[]).await?.is_some();
                meeting.once().await;
                if taken {
                    return Err(Refusal::Own);
                }
                tx.exec_unique("update things set id = 3 where id = $1", args![own]).await?;
                Ok(())
            })
        };
        let (one, two) = join(unit(here, 1), unit(there, 2)).await;
        let refused = [&one, &two].map(|end| matches!(end, Err(Refusal::Own)));
        assert_eq!(refused.iter().filter(|is| **is).count(), 1, "{one:?} {two:?}");
        assert!(one.is_ok() || two.is_ok(), "{one:?} {two:?}");
        assert_eq!(amounts(&test).await, [0, 0]);
    })
    .await;
}

#[tokio::test]
async fn units_that_no_order_explains_are_run_again() {
    with_two_things(async |test| {
        let strict = !test.is_sqlite();
        let [here, there] = Meeting::pair(&test);
        // Each debits its own row while the two rows together hold something.
        let unit = |meeting: Meeting, own: i64| {
            test.unit(async move |tx: &Tx| {
                if strict {
                    tx.exec("set transaction isolation level serializable", &[]).await?;
                }
                let sql = "select cast(sum(amount) as bigint) from things";
                let sum: i64 = tx.one(sql, &[]).await?.take()?;
                meeting.once().await;
                if sum > 0 {
                    return Err(Refusal::Own);
                }
                tx.exec(ADD, args![own]).await?;
                Ok(())
            })
        };
        let (one, two) = join(unit(here, 1), unit(there, 2)).await;
        let kept = usize::from(one.is_ok()) + usize::from(two.is_ok());
        assert_eq!(kept, 1, "the second sees what the first has done");
        assert_eq!(amounts(&test).await.iter().sum::<i64>(), 1);
    })
    .await;
}

#[tokio::test]
async fn many_units_on_the_same_rows_are_all_kept() {
    with_two_things(async |test| {
        let units = (0..64_i64).map(|number| {
            test.unit(async move |tx: &Tx| {
                for id in [1 + number % 2, 2 - number % 2] {
                    tx.defer(ADD, args![id]).await?;
                }
                Ok(())
            })
        });
        let answers = join_all(units).await;
        let kept = answers.iter().filter(|answer| answer.is_ok()).count();
        let total = i64::try_from(kept).unwrap();
        assert_eq!(amounts(&test).await, [total, total]);
        let other: Vec<_> = answers
            .into_iter()
            .filter_map(Result::err)
            .filter(|refusal| {
                use db::error::Error::{Busy, Collision};
                !matches!(refusal, Refusal::Database(Collision(_) | Busy))
            })
            .collect();
        assert!(other.is_empty(), "{other:?}");
    })
    .await;
}
