//! Units that share a commit succeed or fail independently, and a caller that goes away changes
//! nothing.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;

use db::args;
use db::database::Database;
use db::error::Error;
use db::tx::Tx;
use futures_util::FutureExt;
use futures_util::future::{join, join_all};
use tokio::sync::Notify;

use crate::harness::{
    Refusal, Test, again_and_again, beside, client, insert, key, sources, with_database,
};

const UNITS: i64 = 200;

/// How a unit of these tests ends after it has written.
#[derive(Clone, Copy, PartialEq)]
enum End {
    Kept,
    Refused,
    Panicked,
    Failed,
}

fn end_of(id: i64) -> End {
    match id {
        _ if id % 7 == 3 => End::Refused,
        _ if id % 11 == 5 => End::Panicked,
        _ if id % 13 == 7 => End::Failed,
        _ => End::Kept,
    }
}

async fn write_and_end(tx: &Tx, id: i64) -> Result<(), Refusal> {
    insert(tx, id).await?;
    insert(tx, id + 1000).await?;
    match end_of(id) {
        End::Kept => Ok(()),
        End::Refused => Err(Refusal::Own),
        End::Panicked => panic!("as this unit shall"),
        End::Failed => {
            insert(tx, id).await?;
            Ok(())
        }
    }
}

#[story::test]
async fn a_failing_unit_among_many_takes_back_only_its_own_writes(test: &Test) {
    let runs = Arc::new(AtomicUsize::new(0));
    let units = (0..UNITS).map(|id| {
        let runs = runs.clone();
        test.unit_of(id % 10, async move |tx: &Tx| {
            runs.fetch_add(1, Ordering::Relaxed);
            write_and_end(tx, id).await
        })
    });
    let answers = all_in_one_group(test, units).await;
    for (id, answer) in (0..UNITS).zip(&answers) {
        let reported = match answer {
            Ok(()) => End::Kept,
            Err(Refusal::Own) => End::Refused,
            Err(Refusal::Database(Error::Panicked)) => End::Panicked,
            Err(Refusal::Database(Error::Statement { .. })) => End::Failed,
            Err(other) => panic!("{id}: {other:?}"),
        };
        assert!(reported == end_of(id), "{id}: {answer:?}");
    }
    let kept = (0..UNITS).filter(|id| end_of(*id) == End::Kept);
    let mut expected: Vec<_> = kept.flat_map(|id| [id, id + 1000]).collect();
    expected.sort_unstable();
    assert_eq!(test.ids().await, expected);
    let replayed = runs.load(Ordering::Relaxed) > answers.len();
    assert!(replayed, "a shared commit needs a replay");
}

#[story::test]
async fn a_unit_that_only_its_commit_refuses_does_not_refuse_the_others(test: &Test) {
    let create = "create table parts (
        id bigint primary key,
        thing_id bigint not null references things (id) deferrable initially deferred
    )";
    test.exec(create).await.unwrap();
    let units = (0..40_i64).map(|id| {
        test.unit_of(id % 7, async move |tx: &Tx| {
            let thing = if id % 9 == 4 { -1 } else { id };
            let sql = "insert into parts (id, thing_id) values ($1, $2)";
            tx.exec(sql, args![id, thing]).await?;
            insert(tx, id).await?;
            Ok(())
        })
    });
    let answers = all_in_one_group(test, units).await;
    for (id, answer) in answers.iter().enumerate() {
        let refused = matches!(answer, Err(Refusal::Database(Error::Statement { .. })));
        assert_eq!(refused, id % 9 == 4, "{id}: {answer:?}");
    }
    let kept: Vec<_> = (0..40).filter(|id| id % 9 != 4).collect();
    assert_eq!(test.ids().await, kept);
}

#[story::test]
async fn a_group_whose_last_unit_collides_at_the_commit_stays_one_without_it(test: &Test) {
    if test.is_sqlite() {
        return;
    }
    for round in 0..100 {
        if stay_together(test, round).await {
            return;
        }
    }
    panic!("the others are always taken apart");
}

/// Whether two units stay in one transaction though one of their group collides; false also if a
/// busy machine made several groups of the three.
async fn stay_together(test: &Test, round: i64) -> bool {
    let runs: Arc<Mutex<[Vec<String>; 3]>> = Arc::default();
    let units = (0..3_usize).map(|place| {
        let (id, runs) = (round * 3 + i64::try_from(place).unwrap(), runs.clone());
        test.unit_of(id, async move |tx: &Tx| {
            let transaction = "select cast(pg_current_xact_id() as text)";
            let transaction = tx.one(transaction, &[]).await?.take()?;
            runs.lock().unwrap()[place].push(transaction);
            if place == 2 {
                let missing = "update things set amount = 1 where id = -1";
                tx.expect_one_with_rows(missing, &[]).await?;
            } else {
                insert(tx, id).await?;
            }
            Ok(())
        })
    });
    let answers = all_in_one_group(test, units).await;
    let [Ok(()), Ok(()), Err(Refusal::Database(Error::Collision(_)))] = answers.as_slice() else {
        panic!("{answers:?}");
    };
    let [first, second, collides] = &*runs.lock().unwrap();
    first[0] == second[0] && second[0] == collides[0] && first.last() == second.last()
}

#[story::test]
async fn a_failing_unit_takes_back_the_tables_it_made(test: &Test) {
    let unit = async |tx: &Tx| -> Result<(), Refusal> {
        tx.exec("create table leftover (id bigint primary key)", &[]).await?;
        Err(Refusal::Own)
    };
    let good = test.unit_of(1, async |tx: &Tx| Ok(insert(tx, 1).await?));
    let (bad, good) = join(test.unit_of(0, unit), good).await;
    assert!(matches!(bad, Err(Refusal::Own)), "{bad:?}");
    assert_eq!(good.unwrap(), 1);
    let left = test.db.read(async |tx: &Tx| tx.all("select id from leftover", &[]).await).await;
    assert!(matches!(left, Err(Error::Statement { .. })), "{left:?}");
}

#[story::test]
async fn a_caller_who_goes_away_leaves_the_unit_whole_or_absent(test: &Test) {
    let mut ended = leave_units_behind(&test.db);
    while ended.recv().await.is_some() {}
    assert_whole_or_absent(test).await;
    test.assert_serves().await;
}

#[tokio::test]
async fn closing_the_database_finishes_the_units_that_wait() {
    with_database(async |test| {
        let Test { db, url } = test;
        let mut ended = leave_units_behind(&db);
        drop(db);
        while ended.recv().await.is_some() {}
        let test = Test { db: Database::open(&url, sources()).unwrap(), url };
        assert_whole_or_absent(&test).await;
        assert_eq!(test.ids().await.len(), 200, "units that were taken are served");
    })
    .await;
}

#[story::test]
async fn units_that_fail_without_a_write_do_not_make_the_others_run_again(test: &Test) {
    let runs = Arc::new(AtomicUsize::new(0));
    let units = (0..40_i64).map(|id| {
        let runs = runs.clone();
        test.unit_of(id % 10, async move |tx: &Tx| {
            runs.fetch_add(1, Ordering::Relaxed);
            let seen: i64 = tx.one("select count(*) from things", &[]).await?.take()?;
            match id % 4 {
                1 => {
                    let nothing = "update things set amount = 9 where id = -1";
                    assert_eq!(tx.exec(nothing, &[]).await?, 0);
                    Err(Refusal::Own)
                }
                2 if seen >= 0 => panic!("as this unit shall"),
                _ => Ok(insert(tx, id).await.map(drop)?),
            }
        })
    });
    let answers = all_in_one_group(test, units).await;
    for (id, answer) in answers.iter().enumerate() {
        match (id % 4, answer) {
            (0 | 3, Ok(()))
            | (1, Err(Refusal::Own))
            | (2, Err(Refusal::Database(Error::Panicked))) => {}
            other => panic!("{other:?}"),
        }
    }
    let expected: Vec<_> = (0..40).filter(|id| matches!(id % 4, 0 | 3)).collect();
    assert_eq!(test.ids().await, expected);
    assert_eq!(runs.load(Ordering::Relaxed), answers.len());
}

#[story::test]
async fn units_of_one_lane_are_not_interleaved_whatever_their_keys(test: &Test) {
    test.unit(async |tx: &Tx| Ok(insert(tx, 1).await?)).await.unwrap();
    let units = (0..40_i64).map(|id| {
        test.unit_of(id, async |tx: &Tx| {
            let sql = "select amount from things where id = 1";
            let amount: i64 = tx.one(sql, &[]).await?.take()?;
            tx.exec("update things set amount = $1 where id = 1", args![amount + 1]).await?;
            Ok(())
        })
    });
    for answer in all_in_one_group(test, units).await {
        answer.unwrap();
    }
    let sql = "select amount from things where id = 1";
    let read = async |tx: &Tx| tx.one(sql, &[]).await?.take::<i64>();
    assert_eq!(test.db.read(read).await.unwrap(), 40);
}

#[story::test]
async fn units_of_one_key_run_in_the_order_in_which_they_came(test: &Test) {
    let order = Arc::new(Mutex::new(Vec::new()));
    let units = (0..200_i64).map(|id| {
        let order = order.clone();
        test.unit_of(id % 3, async move |tx: &Tx| {
            insert(tx, id).await?;
            let order = order.clone();
            tx.once_committed(move || order.lock().unwrap().push(id));
            Ok(())
        })
    });
    for answer in all_in_one_group(test, units).await {
        answer.unwrap();
    }
    let order = order.lock().unwrap();
    for rest in 0..3 {
        let own: Vec<_> = order.iter().copied().filter(|id| id % 3 == rest).collect();
        assert!(own.is_sorted(), "{own:?}");
    }
    assert_eq!(order.len(), 200, "each hook ran once");
}

#[story::test]
async fn a_unit_that_waits_for_a_row_does_not_hold_up_the_others_of_its_lane(test: &Test) {
    for id in [1, 2] {
        test.unit(async move |tx: &Tx| Ok(insert(tx, id).await?)).await.unwrap();
    }
    if test.is_sqlite() {
        // Nothing else writes.
        return;
    }
    let mut other = client(&test.url).await;
    let lock = other.transaction().await.unwrap();
    lock.execute("update things set amount = 7 where id = 1", &[]).await.unwrap();
    let add = |id: i64| {
        test.unit_of(id, async move |tx: &Tx| {
            let sql = "update things set amount = amount + 1 where id = $1";
            Ok(tx.exec(sql, args![id]).await?)
        })
    };
    let waits = add(1);
    let free = async {
        let added = add(2).await;
        lock.commit().await.unwrap();
        added
    };
    let (waited, free) = join(waits, free).await;
    assert_eq!((waited.unwrap(), free.unwrap()), (1, 1));
    let rows = other.query("select amount from things order by id", &[]).await.unwrap();
    let amounts: Vec<i64> = rows.iter().map(|row| row.get(0)).collect();
    assert_eq!(amounts, [8, 1]);
}

#[story::test]
async fn a_unit_that_reads_for_long_does_not_hold_up_the_others_of_its_lane(test: &Test) {
    if test.is_sqlite() {
        // It has no statement that only waits.
        return;
    }
    let long = test.unit_of(1, async |tx: &Tx| {
        tx.all("select cast(pg_sleep(600) as text)", &[]).await?;
        Ok(insert(tx, 1).await?)
    });
    assert_does_not_hold_up_others(test, long).await;
}

#[story::test]
async fn units_behind_one_of_their_key_that_waits_for_a_row_stay_in_order(test: &Test) {
    test.unit(async |tx: &Tx| Ok(insert(tx, 1).await?)).await.unwrap();
    if test.is_sqlite() {
        return;
    }
    let mut other = client(&test.url).await;
    let lock = other.transaction().await.unwrap();
    lock.execute("update things set amount = 7 where id = 1", &[]).await.unwrap();
    let order = Arc::new(Mutex::new(Vec::new()));
    let units = (0..20_i64).map(|number| {
        let order = order.clone();
        test.unit_of(1 + number % 2, async move |tx: &Tx| {
            if number % 2 == 0 {
                tx.exec("update things set amount = amount + 1 where id = 1", &[]).await?;
            }
            insert(tx, 100 + number).await?;
            let order = order.clone();
            tx.once_committed(move || order.lock().unwrap().push(number));
            Ok(())
        })
    });
    let free = async {
        while order.lock().unwrap().len() < 10 {
            tokio::task::yield_now().await;
        }
        lock.commit().await.unwrap();
    };
    let (answers, ()) = join(all_in_one_group(test, units), free).await;
    for answer in answers {
        answer.unwrap();
    }
    let order = order.lock().unwrap();
    let expected = (0..10).map(|half| 2 * half + 1).chain((0..10).map(|half| 2 * half));
    assert_eq!(*order, expected.collect::<Vec<_>>());
}

/// How long a statement waits for a row says where it runs: longer outside of a lane.
#[story::test]
async fn a_key_whose_unit_waited_for_a_row_is_soon_served_by_its_lane_again(test: &Test) {
    const MANY: i64 = 400;
    test.unit(async |tx: &Tx| Ok(insert(tx, 1).await?)).await.unwrap();
    if test.is_sqlite() {
        return;
    }
    let mut other = client(&test.url).await;
    let lock = other.transaction().await.unwrap();
    lock.execute("update things set amount = 7 where id = 1", &[]).await.unwrap();
    let units = (0..MANY).map(|number| {
        test.unit_of(1, async move |tx: &Tx| {
            if number == 0 {
                tx.exec("update things set amount = amount + 1 where id = 1", &[]).await?;
            }
            insert(tx, 100 + number).await?;
            let asked = "select count(*), current_setting('lock_timeout') from things";
            let mut row = tx.one(asked, &[]).await?;
            Ok((row.take::<i64>()?, row.take::<String>()?))
        })
    });
    let free = async {
        test.unit_of(2, async |tx: &Tx| Ok(insert(tx, 2).await?)).await.unwrap();
        lock.commit().await.unwrap();
    };
    let (answers, ()) = join(all_in_one_group(test, units), free).await;
    let answers: Vec<_> = answers.into_iter().map(Result::unwrap).collect();
    assert!(answers.is_sorted_by_key(|(before, _)| *before), "{answers:?}");
    let limits = [&answers[0].1, &answers[answers.len() - 1].1];
    assert_eq!(limits, ["3s", "50ms"]);
}

#[story::test]
async fn a_key_with_many_slow_units_does_not_hold_up_the_others_of_its_lane(test: &Test) {
    const MANY: usize = 40;
    if test.is_sqlite() {
        // It has no statement that only waits.
        return;
    }
    let order = Arc::new(Mutex::new(Vec::new()));
    let unit = |key: i64, started: Option<Arc<Notify>>| {
        let order = order.clone();
        test.unit_of(key, async move |tx: &Tx| {
            if let Some(started) = &started {
                started.notify_one();
            }
            tx.all("select cast(pg_sleep(0.005) as text)", &[]).await?;
            let order = order.clone();
            tx.once_committed(move || order.lock().unwrap().push(key));
            Ok(())
        })
    };
    let started = Arc::new(Notify::new());
    let slow = all_in_one_group(test, (0..MANY).map(|_| unit(1, Some(started.clone()))));
    let other = async {
        started.notified().await;
        unit(2, None).await.unwrap();
    };
    let (answers, ()) = join(slow, other).await;
    for answer in answers {
        answer.unwrap();
    }
    let order = order.lock().unwrap();
    let place = order.iter().position(|key| *key == 2).unwrap();
    assert!(place < MANY / 2, "{order:?}");
}

#[story::test]
async fn a_unit_of_many_slow_statements_does_not_hold_up_the_others_of_its_lane(test: &Test) {
    if test.is_sqlite() {
        // It has no statement that only waits.
        return;
    }
    let long = test.unit_of(1, async |tx: &Tx| {
        for _ in 0..1_000 {
            tx.all("select cast(pg_sleep(0.2) as text)", &[]).await?;
        }
        Ok(insert(tx, 1).await?)
    });
    assert_does_not_hold_up_others(test, long).await;
}

/// Runs the others of a lane beside a unit that sleeps without an end; its sleep is cancelled once
/// they have ended.
async fn assert_does_not_hold_up_others(
    test: &Test,
    long: impl Future<Output = Result<u64, Refusal>>,
) {
    let others = async {
        let others = (2..40).map(|id| test.unit_of(id, async move |tx| Ok(insert(tx, id).await?)));
        for answer in join_all(others).await {
            answer.unwrap();
        }
        let other = client(&test.url).await;
        let cancel = "select pg_cancel_backend(pid) from pg_stat_activity
             where datname = current_database() and wait_event = 'PgSleep'";
        again_and_again(&other, cancel).await
    };
    let long = beside(long, others).await;
    assert!(matches!(long, Err(Refusal::Database(Error::Unavailable(_)))), "{long:?}");
    assert_eq!(test.ids().await, (2..40).collect::<Vec<_>>());
}

/// Submits a hundred units that write two rows each, and drops their callers at once.
///
/// The channel closes once the last of them is gone from the engine.
fn leave_units_behind(db: &Database) -> tokio::sync::mpsc::Receiver<()> {
    let (alive, ended) = tokio::sync::mpsc::channel(1);
    for id in 0..100 {
        let alive = alive.clone();
        let unit = async move |tx: &Tx| {
            let _alive = &alive;
            insert(tx, id).await?;
            insert(tx, id + 1000).await
        };
        // Its caller is gone after one look, whether or not the unit has ended by then.
        drop(db.transact_for(key(id % 10), unit).now_or_never());
    }
    ended
}

async fn assert_whole_or_absent(test: &Test) {
    let ids = test.ids().await;
    let (first, second): (Vec<_>, Vec<_>) = ids.into_iter().partition(|id| *id < 1000);
    assert_eq!(first, second.into_iter().map(|id| id - 1000).collect::<Vec<_>>());
}

/// Blocks the engine until every unit is queued, so that those that can share a commit do.
pub async fn all_in_one_group<T>(
    test: &Test,
    units: impl Iterator<Item = impl Future<Output = T>>,
) -> Vec<T> {
    let (open, gate) = channel::<()>();
    let gate = Mutex::new(gate);
    let closed = test.unit_of(0, async move |_: &Tx| {
        // The gate is open when the other end is dropped, so that a replay does not wait again.
        assert!(gate.lock().unwrap().recv().is_err());
        Ok(())
    });
    let release = async move { drop(open) };
    // The gate's own fate is that of its group.
    let (_, (answers, ())) = join(closed, join(join_all(units), release)).await;
    answers
}
