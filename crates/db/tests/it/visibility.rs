//! Who sees what, and when: readers, notices, ids, copies.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use db::args;
use db::database::{Database, copy};
use db::error::{Error, Result};
use db::tx::Tx;
use futures_util::future::{join, join_all};
use uuid::Uuid;

use crate::harness::{Refusal, insert, sources, with_database, with_file};

/// Takes an engine a while.
const COUNT: &str = "
    with recursive numbers (n) as (
         select 1
          union all
         select n + 1 from numbers where n < 20000)
    select count(*) from numbers";

#[tokio::test]
async fn readers_never_see_half_a_unit() {
    with_database(async |test| {
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
                let read = if round % 2 == 0 {
                    test.db.read(unit).await
                } else {
                    test.db.scan(unit).await
                };
                let (first, second) = read.unwrap();
                assert_eq!(first, second);
                tokio::task::yield_now().await;
            }
        };
        join(write, read).await;
    })
    .await;
}

#[tokio::test]
async fn a_few_scans_run_at_once_and_the_others_wait_for_them() {
    with_database(async |test| {
        let (inside, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let scans = (0..64).map(|_| {
            let (inside, most) = (inside.clone(), most.clone());
            test.db.scan(async move |tx: &Tx| {
                most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                let counted = tx.one(COUNT, &[]).await;
                inside.fetch_sub(1, Ordering::SeqCst);
                counted?.take::<i64>()
            })
        });
        for counted in join_all(scans).await {
            assert_eq!(counted.unwrap(), 20_000);
        }
        let most = most.load(Ordering::SeqCst);
        assert!((1..=8).contains(&most), "{most} at once");
    })
    .await;
}

async fn amount(tx: &Tx, id: i64) -> Result<i64> {
    tx.one("select amount from things where id = $1", args![id]).await?.take()
}

#[tokio::test]
async fn a_notice_is_heard_after_the_commit_and_never_for_a_unit_taken_back() {
    with_database(async |test| {
        let mut notices = test.db.notices();
        let told = |id: i64| Uuid::from_u128(u128::from(id.unsigned_abs()));
        let units = (0..60_i64).map(|id| {
            test.unit(async move |tx: &Tx| {
                tx.notify("thing", told(id));
                insert(tx, id).await?;
                match id % 3 {
                    0 => Ok(()),
                    1 => Err(Refusal::Own),
                    _ => {
                        tx.defer("insert into things (id, amount) values ($1, 0)", args![id])
                            .await?;
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
                assert!(test.ids().await.contains(&id), "{id} is told before it is there");
                heard.push(id);
            }
            heard.sort_unstable();
            assert_eq!(heard, (0..60).step_by(3).collect::<Vec<_>>());
        };
        join(join_all(units), hear).await;
        assert!(notices.try_recv().is_err());
    })
    .await;
}

#[tokio::test]
async fn ids_grow_strictly_within_a_unit_and_from_one_unit_to_the_next() {
    with_database(async |test| {
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
    })
    .await;
}

#[tokio::test]
async fn a_unit_has_one_instant() {
    with_database(async |test| {
        let unit = async |tx: &Tx| {
            let before = tx.now();
            insert(tx, 1).await?;
            Ok((before, tx.now()))
        };
        let (before, after) = test.unit(unit).await.unwrap();
        assert_eq!(before, after);
    })
    .await;
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
