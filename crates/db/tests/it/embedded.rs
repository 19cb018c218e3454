//! What only the embedded engine has to promise.

use db::database::Database;
use db::error::Error;
use db::tx::Tx;
use futures_util::future::join_all;

use crate::harness::{Refusal, insert, sources, with_file};

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
async fn a_unit_that_waits_for_something_else_is_refused_and_holds_nobody_up() {
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
async fn everybody_who_waits_for_a_busy_file_is_refused_together() {
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

#[test]
fn an_address_of_no_known_kind_is_refused() {
    let opened = Database::open("mysql://127.0.0.1/tostao", sources());
    assert!(matches!(opened.map(|_| ()), Err(Error::Open(_))));
}
