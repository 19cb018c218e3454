//! Visibility of writes to readers, notifications, IDs, copies.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use db::args;
use db::database::Database;
use db::embedded::copy;
use db::error::{Error, Result};
use db::tx::Tx;
use futures_util::future::{Either, join, join_all, select};
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, mpsc};
use uuid::Uuid;

use crate::harness::{Refusal, Test, insert, sources, with_file};

/// Takes an engine far longer than any caller waits.
const COUNT: &str = "
    with recursive numbers (n) as (
         select cast(1 as bigint)
          union all
         select n + 1 from numbers where n < 1000000000000)
    select count(*) from numbers";
/// How many scans run concurrently.
const SCANS: usize = 8;
/// Far shorter than the server's statement timeout.
const SOON: Duration = Duration::from_secs(10);

#[story::test]
async fn readers_never_see_half_a_unit(test: &Test) {
    let both = async |tx: &Tx| {
        insert(tx, 1).await?;
        insert(tx, 2).await?;
        Ok(())
    };
    test.unit(both).await.unwrap();
    let write = async {
        for _ in 0..200 {
            let unit = async |tx: &Tx| {
                for id in [1_i64, 2] {
                    let sql = "update things set amount = amount + 1 where id = $1";
                    tx.exec(sql, args![id]).await?;
                }
                Ok(())
            };
            test.unit(unit).await.unwrap();
        }
    };
    let read = async {
        for round in 0..400 {
            let unit = async |tx: &Tx| -> Result<(i64, i64)> {
                Ok((amount(tx, 1).await?, amount(tx, 2).await?))
            };
            let read =
                if round % 2 == 0 { test.db.read(unit).await } else { test.db.scan(unit).await };
            let (first, second) = read.unwrap();
            assert_eq!(first, second);
            tokio::task::yield_now().await;
        }
    };
    join(write, read).await;
}

#[story::test]
async fn a_few_scans_run_at_once_and_the_others_wait_for_them(test: &Test) {
    let gate = Arc::new(Semaphore::new(0));
    let (enters, mut entered) = mpsc::unbounded_channel();
    let scans = (0..64).map(|_| {
        let (gate, enters, is_sqlite) = (gate.clone(), enters.clone(), test.is_sqlite());
        test.db.scan(async move |_: &Tx| {
            enters.send(()).unwrap();
            // A unit of the embedded engine may block its thread, but not await.
            let passed = gate.acquire();
            let passed = if is_sqlite { Handle::current().block_on(passed) } else { passed.await };
            passed.unwrap().forget();
            Ok::<_, Error>(())
        })
    });
    let scans = join_all(scans);
    let watch = async {
        for inside in 1..=SCANS {
            assert!(entered.recv().await.is_some(), "{inside} at once");
        }
        // Anything admitted with them has started when those after it have ended.
        for _ in 0..64 {
            tokio::task::spawn_blocking(|| ()).await.unwrap();
            test.db.read(async |tx: &Tx| amounts(tx).await).await.unwrap();
        }
        for left in (0..64 - SCANS).rev() {
            assert!(entered.try_recv().is_err(), "one more than {SCANS} at once");
            gate.add_permits(1);
            assert!(entered.recv().await.is_some(), "{left} wait");
        }
        gate.add_permits(SCANS);
    };
    for ended in join(scans, watch).await.0 {
        ended.unwrap();
    }
}

#[story::test]
async fn a_scan_whose_caller_has_gone_is_stopped_and_makes_room(test: &Test) {
    let (enters, mut entered) = mpsc::unbounded_channel();
    for round in 0..3 {
        let scans = (0..SCANS).map(|_| {
            let enters = enters.clone();
            test.db.scan(async move |tx: &Tx| {
                enters.send(()).unwrap();
                tx.one(COUNT, &[]).await?.take::<i64>()
            })
        });
        let all_inside = pin!(async {
            for _ in 0..SCANS {
                entered.recv().await.unwrap();
            }
        });
        let first = select(join_all(scans), all_inside).await;
        assert!(matches!(first, Either::Right(_)), "round {round} ends before it is left");
    }
    let scan = test.db.scan(async |tx: &Tx| amounts(tx).await);
    let scanned = tokio::time::timeout(SOON, scan).await.expect("there is room");
    assert_eq!(scanned.unwrap(), 0);
    test.assert_serves().await;
}

async fn amounts(tx: &Tx) -> Result<i64> {
    tx.one("select cast(coalesce(sum(amount), 0) as bigint) from things", &[]).await?.take()
}

async fn amount(tx: &Tx, id: i64) -> Result<i64> {
    tx.one("select amount from things where id = $1", args![id]).await?.take()
}

#[story::test]
async fn a_notice_is_sent_after_the_commit_and_never_for_a_unit_rolled_back(test: &Test) {
    let mut notices = test.db.notices();
    let reported = |id: i64| Uuid::from_u128(u128::from(id.unsigned_abs()));
    let units = (0..60_i64).map(|id| {
        test.unit(async move |tx: &Tx| {
            tx.notify("thing", reported(id));
            insert(tx, id).await?;
            match id % 3 {
                0 => Ok(()),
                1 => Err(Refusal::Own),
                _ => {
                    tx.defer("insert into things (id, amount) values ($1, 0)", args![id]).await?;
                    Ok(())
                }
            }
        })
    });
    let hear = async {
        let mut heard = Vec::new();
        for _ in 0..20 {
            let notice = notices.recv().await.unwrap();
            assert_eq!(notice.topic, "thing");
            let id = i64::try_from(notice.id.as_u128()).unwrap();
            assert!(test.ids().await.contains(&id), "{id} is announced before it is there");
            heard.push(id);
        }
        heard.sort_unstable();
        assert_eq!(heard, (0..60).step_by(3).collect::<Vec<_>>());
    };
    join(join_all(units), hear).await;
    assert!(notices.try_recv().is_err());
}

#[story::test]
async fn ids_grow_strictly_within_a_unit_and_from_one_unit_to_the_next(test: &Test) {
    let unit = async |tx: &Tx| Ok((0..50).map(|_| tx.new_id()).collect::<Vec<_>>());
    let mut last = Uuid::nil();
    for _ in 0..20 {
        for id in test.unit(unit).await.unwrap() {
            assert!(id > last, "{id} after {last}");
            last = id;
        }
    }
    let together = join_all((0..20).map(|_| test.unit(unit))).await;
    let mut all: Vec<_> = together.into_iter().flat_map(Result::unwrap).collect();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 1000);
    assert!(all[0] > last);
}

#[story::test]
async fn a_unit_has_one_instant(test: &Test) {
    let unit = async |tx: &Tx| {
        let before = tx.now();
        insert(tx, 1).await?;
        Ok((before, tx.now()))
    };
    let (before, after) = test.unit(unit).await.unwrap();
    assert_eq!(before, after);
}

#[tokio::test]
async fn a_copy_made_while_serving_is_whole() {
    with_file(async |test, path| {
        let write = async {
            for id in 0..100 {
                let unit = async move |tx: &Tx| {
                    insert(tx, id).await?;
                    insert(tx, id + 1000).await?;
                    Ok(())
                };
                test.unit(unit).await.unwrap();
            }
        };
        let target = path.with_file_name("copy's.db");
        let (copied, ()) = join(copy(&path, &target), write).await;
        copied.unwrap();
        assert!(copy(&path, &target).await.is_err(), "a copy does not replace a file");
        let url = format!("sqlite:{}", target.display());
        let copied = Database::open(&url, sources()).unwrap();
        let unit = async |tx: &Tx| -> Result<(i64, i64), Error> {
            let sql = "select count(*) from things where id < 1000";
            let first = tx.one(sql, &[]).await?.take()?;
            let sql = "select count(*) from things where id >= 1000";
            Ok((first, tx.one(sql, &[]).await?.take()?))
        };
        let (first, second) = copied.read(unit).await.unwrap();
        assert_eq!(first, second);
    })
    .await;
}
