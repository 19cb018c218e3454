//! Guarantees of the embedded engine only.

use std::fs::{metadata, remove_file};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::{Arc, Mutex};

use db::args;
use db::database::{Database, in_background};
use db::embedded::copy;
use db::error::Error;
use db::tx::Tx;
use futures_util::future::{Either, join_all};

use crate::groups::all_in_one_group;
use crate::harness::{Refusal, Test, insert, sources, with_file};

#[tokio::test]
async fn a_second_server_on_the_same_file_is_refused() {
    with_file(async |test, path| {
        let alias = path.with_file_name("alias.db");
        std::os::unix::fs::symlink(&path, &alias).unwrap();
        for name in [&path, &alias] {
            let second = Database::open(&format!("sqlite:{}", name.display()), sources());
            let Err(Error::Open(message)) = second.map(|_| ()) else { panic!("two servers") };
            assert!(message.contains("another process is serving"), "{message}");
        }
        let url = test.url.clone();
        drop(test);
        Database::open(&url, sources()).unwrap();
    })
    .await;
}

#[tokio::test]
async fn what_is_done_in_the_background_gives_way_to_a_caller_who_comes_later() {
    with_file(async |test, _| {
        let order = Arc::<Mutex<Vec<i64>>>::default();
        let unit = |id| {
            let order = order.clone();
            test.unit(async move |_: &Tx| {
                order.lock().unwrap().push(id);
                Ok(())
            })
        };
        let background = (1..=20).map(|id| Either::Left(in_background(unit(id))));
        let units = background.chain(std::iter::once(Either::Right(unit(0))));
        all_in_one_group(&test, units).await;
        assert_eq!(*order.lock().unwrap(), (0..=20).collect::<Vec<_>>());
    })
    .await;
}

#[tokio::test]
async fn only_its_owner_reads_a_database_its_log_or_its_copy() {
    with_file(async |test, path| {
        test.unit(async |tx: &Tx| Ok(insert(tx, 1).await?)).await.unwrap();
        copy(&path, &path.with_file_name("copy.db")).await.unwrap();
        for name in ["test.db", "test.db-wal", "test.db-shm", "test.db-lock", "copy.db"] {
            let mode = metadata(path.with_file_name(name)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{name}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_copy_replaces_nothing_and_leaves_nothing_half_done() {
    with_file(async |test, path| {
        let taken = path.with_file_name("taken.db");
        std::fs::write(&taken, "something else").unwrap();
        assert!(matches!(copy(&path, &taken).await, Err(Error::Unavailable(_))));
        assert_eq!(std::fs::read(&taken).unwrap(), b"something else");
        drop(test);
        let broken = path.with_file_name("broken.db");
        std::fs::write(&broken, "this is no database, and long enough to be read as one").unwrap();
        let unfinished = path.with_file_name("unfinished.db");
        assert!(copy(&broken, &unfinished).await.is_err());
        assert!(!unfinished.exists());
    })
    .await;
}

#[tokio::test]
async fn a_file_that_is_served_can_be_read_by_others_and_written_by_none_of_them() {
    with_file(async |test, path| {
        let other = Database::open_to_read(&test.url, sources()).unwrap();
        test.unit(async |tx: &Tx| Ok(insert(tx, 1).await?)).await.unwrap();
        let ids = async |tx: &Tx| tx.all("select id from things", &[]).await;
        assert_eq!(other.read(ids).await.unwrap().len(), 1);
        assert_eq!(other.scan(ids).await.unwrap().len(), 1);
        let write = async |tx: &Tx| insert(tx, 2).await;
        let refused = other.transact(write).await;
        assert!(matches!(refused, Err(Error::Unavailable(_))), "{refused:?}");
        let smuggled = other.read(write).await;
        assert!(matches!(smuggled, Err(Error::Unavailable(_))), "{smuggled:?}");
        assert_eq!(test.ids().await, [1]);
        drop(test);
        assert_eq!(other.read(ids).await.unwrap().len(), 1);
        let nowhere = format!("sqlite:{}", path.with_file_name("nowhere.db").display());
        let missing = Database::open_to_read(&nowhere, sources());
        assert!(matches!(missing.map(|_| ()), Err(Error::Open(_))));
    })
    .await;
}

#[tokio::test]
async fn a_unit_that_waits_for_something_else_is_refused_and_delays_no_other_unit() {
    with_file(async |test, _| {
        let unit = async |tx: &Tx| {
            insert(tx, 1).await?;
            tokio::task::yield_now().await;
            Ok(())
        };
        let answer = test.unit(unit).await;
        let refused = matches!(answer, Err(Refusal::Database(Error::Unavailable(_))));
        assert!(refused, "{answer:?}");
        assert!(test.ids().await.is_empty());
        test.assert_serves().await;
    })
    .await;
}

#[tokio::test]
async fn all_callers_waiting_for_a_busy_file_are_refused_together() {
    with_file(async |test, path| {
        let other = rusqlite::Connection::open(path).unwrap();
        other.execute_batch("begin immediate").unwrap();
        let units = (0..50).map(|id| test.unit(async move |tx: &Tx| Ok(insert(tx, id).await?)));
        for answer in join_all(units).await {
            assert!(matches!(answer, Err(Refusal::Database(Error::Busy))), "{answer:?}");
        }
        drop(other);
        test.assert_serves().await;
    })
    .await;
}

#[tokio::test]
async fn a_unit_that_ends_the_transaction_is_refused_alone() {
    with_file(async |test, _| {
        let units = (0..50).map(|id| {
            test.unit(async move |tx: &Tx| {
                insert(tx, id).await?;
                match id {
                    25 => {
                        let sql = "insert or rollback into things (id, amount) values (25, 0)";
                        tx.exec(sql, &[]).await?;
                    }
                    40 => {
                        tx.exec("rollback", &[]).await?;
                    }
                    _ => {}
                }
                Ok(id)
            })
        });
        let answers = join_all(units).await;
        let kept: Vec<_> = answers.into_iter().filter_map(Result::ok).collect();
        let expected: Vec<_> = (0..50).filter(|id| ![25, 40].contains(id)).collect();
        assert_eq!(kept, expected);
        assert_eq!(test.ids().await, expected);
        test.assert_serves().await;
    })
    .await;
}

#[tokio::test]
async fn a_unit_that_failed_is_not_unknown_where_the_commit_of_the_others_is() {
    with_file(async |test, path| {
        let aside = path.with_file_name("aside.db");
        let made = rusqlite::Connection::open(&aside).unwrap();
        made.execute_batch("create table marks (id integer primary key)").unwrap();
        drop(made);
        let name = aside.display().to_string();
        let attach = async move |tx: &Tx| {
            Ok(tx.exec("attach database $1 as aside", args![name.as_str()]).await?)
        };
        test.unit(attach).await.unwrap();
        let journal = path.with_file_name("aside.db-journal");
        for round in 0..100 {
            if fail_together(&test, &journal, round).await {
                let committed: Vec<_> = (0..=round).map(|round| round * 3 + 2).collect();
                assert_eq!(test.ids().await, committed);
                return test.assert_serves().await;
            }
        }
        panic!("the units are never of one group");
    })
    .await;
}

/// Runs two units that fail and one whose commit meets an I/O error once it has happened; returns
/// whether they share it: a busy machine may make several groups of them.
async fn fail_together(test: &Test, journal: &Path, round: i64) -> bool {
    let units = (0..3).map(|place| {
        let (id, journal) = (round * 3 + place, journal.to_owned());
        test.unit(async move |tx: &Tx| {
            insert(tx, id).await?;
            match place {
                0 => return Err(Refusal::Own),
                1 => {
                    let _ = insert(tx, id).await;
                }
                _ => {
                    tx.exec("insert into aside.marks (id) values ($1)", args![id]).await?;
                    // The commit, which removes it at its end, meets an I/O error.
                    remove_file(&journal).unwrap();
                }
            }
            Ok(())
        })
    });
    let answers: [_; 3] = all_in_one_group(test, units).await.try_into().unwrap();
    let [refused, failed, committed] = answers.map(Result::unwrap_err);
    assert!(matches!(failed, Refusal::Database(Error::Statement { .. })), "{failed:?}");
    assert!(matches!(committed, Refusal::Database(Error::Unknown(_))), "{committed:?}");
    match refused {
        Refusal::Own => false,
        // It may be due to what another unit of the group has written.
        Refusal::Database(Error::Unavailable(_)) => true,
        other @ Refusal::Database(_) => panic!("{other:?}"),
    }
}

#[test]
fn an_address_of_no_known_kind_is_refused() {
    let opened = Database::open("mysql://127.0.0.1/tostao", sources());
    assert!(matches!(opened.map(|_| ()), Err(Error::Open(_))));
}

#[tokio::test]
async fn the_log_beside_a_busy_writer_is_kept_short() {
    with_file(async |test, path| {
        test.exec("create table pages (id bigint primary key, body blob not null)").await.unwrap();
        let body = vec![7_u8; 100_000];
        for id in 0..400_i64 {
            let body = body.clone();
            let unit = async move |tx: &Tx| {
                let sql = "insert into pages (id, body) values ($1, $2)";
                Ok(tx.exec(sql, args![id, body.as_slice()]).await?)
            };
            assert_eq!(test.unit(unit).await.unwrap(), 1);
        }
        let mut log = path.into_os_string();
        log.push("-wal");
        let size = metadata(log).unwrap().len();
        assert!(size <= 17 * 1024 * 1024, "{size} bytes");
    })
    .await;
}
