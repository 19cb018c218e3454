//! A unit in which anything fails leaves nothing behind, and its caller gets an error.

use db::args;
use db::error::Error;
use db::tx::Tx;
use db::value::Arg;
use futures_util::FutureExt;
use futures_util::future::join;

use crate::harness::{Refusal, Test, client, insert, with_file};

#[story::test]
async fn a_swallowed_statement_error_refuses_the_commit(test: &Test) {
    let unit = async |tx: &Tx| {
        insert(tx, 1).await?;
        let second = insert(tx, 1).await;
        assert!(matches!(second, Err(Error::Statement { .. })));
        // A statement after a failed one fails on one engine and not on the other.
        let _ = insert(tx, 2).await;
        Ok(())
    };
    let answer = test.unit(unit).await;
    let Err(Refusal::Database(Error::Statement { sql, .. })) = answer else { panic!("{answer:?}") };
    assert!(sql.starts_with("insert into things"));
    assert!(test.ids().await.is_empty());
    test.assert_serves().await;
}

#[story::test]
async fn a_statement_dropped_inside_the_unit_does_not_turn_into_a_silent_half(test: &Test) {
    test.unit(async |tx| Ok(insert(tx, 1).await?)).await.unwrap();
    let unit = async |tx: &Tx| {
        insert(tx, 2).await?;
        // Sent at the first poll, then dropped, so that its failure is never awaited.
        let _ = insert(tx, 1).now_or_never();
        Ok(())
    };
    let answer = test.unit(unit).await;
    assert!(matches!(answer, Err(Refusal::Database(Error::Statement { .. }))), "{answer:?}");
    assert_eq!(test.ids().await, [1]);
    test.assert_serves().await;
}

#[story::test]
async fn a_statement_that_a_refused_unit_dropped_leaves_nothing(test: &Test) {
    // The connection knows the statement, so that one look sends it.
    test.unit_of(1, async |tx| Ok(insert(tx, 1).await?)).await.unwrap();
    let refused = async |tx: &Tx| -> Result<(), Refusal> {
        let _ = insert(tx, 2).now_or_never();
        Err(Refusal::Own)
    };
    let kept = test.unit_of(1, async |tx| Ok(insert(tx, 3).await?));
    let (answer, kept) = join(test.unit_of(1, refused), kept).await;
    assert!(matches!(answer, Err(Refusal::Own)), "{answer:?}");
    assert_eq!(kept.unwrap(), 1);
    assert_eq!(test.ids().await, [1, 3]);
}

#[story::test]
async fn rows_that_a_dropped_statement_was_sending_are_kept_or_fail_the_unit(test: &Test) {
    let unit = async |tx: &Tx| {
        tx.insert_row("insert into things (id, amount) values ($1, 0)", args![1_i64]).await?;
        // It sends the rows first; dropped after one poll, it may not have.
        let _ = tx.one("select count(*) from things", &[]).now_or_never();
        Ok(())
    };
    let is_kept = test.unit(unit).await.is_ok();
    assert_eq!(test.ids().await, if is_kept { vec![1] } else { vec![] });
    test.assert_serves().await;
}

#[story::test]
async fn a_failed_deferred_statement_fails_the_unit(test: &Test) {
    const INSERT: &str = "insert into things (id, amount) values ($1, $2)";
    const CASES: [(&str, [Arg<'static>; 2]); 4] = [
        ("the same key twice", [Arg::Int(1), Arg::Int(0)]),
        ("a refused check", [Arg::Int(2), Arg::Int(-1)]),
        ("text for an integer", [Arg::Text("two"), Arg::Int(0)]),
        ("text with a zero byte", [Arg::Text("\0"), Arg::Int(0)]),
    ];
    for (case, deferred) in CASES {
        for last in [false, true] {
            let unit = async move |tx: &Tx| {
                insert(tx, 1).await?;
                let _ = tx.defer(INSERT, &deferred).await;
                if !last {
                    let _ = insert(tx, 3).await;
                }
                Ok(())
            };
            let answer = test.unit(unit).await;
            let Err(Refusal::Database(error)) = &answer else { panic!("{answer:?}") };
            assert!(
                matches!(error, Error::Statement { .. } | Error::ZeroByte(_)),
                "{case}, last: {last}: {error:?}"
            );
            assert!(test.ids().await.is_empty(), "{case}, last: {last}");
        }
    }
    test.assert_serves().await;
}

#[story::test]
async fn a_deferred_statements_failure_is_returned_by_the_statement_that_notices_it(test: &Test) {
    let unit = async |tx: &Tx| {
        insert(tx, 1).await?;
        let sql = "insert into things (amount, id) values (0, $1)";
        tx.defer(sql, args![1_i64]).await?;
        insert(tx, 2).await?;
        Ok(())
    };
    let answer = test.unit(unit).await;
    let Err(Refusal::Database(Error::Statement { sql, .. })) = answer else { panic!("{answer:?}") };
    assert_eq!(sql, "insert into things (amount, id) values (0, $1)");
}

#[story::test]
async fn a_row_that_is_not_the_only_one_refuses_the_commit(test: &Test) {
    let none = async |tx: &Tx| {
        insert(tx, 1).await?;
        let _ = tx.one("select id from things where id = 9", &[]).await;
        Ok(())
    };
    let two = async |tx: &Tx| {
        insert(tx, 1).await?;
        insert(tx, 2).await?;
        let _ = tx.opt("select id from things", &[]).await;
        Ok(())
    };
    let refused =
        |answer: &Result<(), Refusal>| matches!(answer, Err(Refusal::Database(Error::Row(_))));
    assert!(refused(&test.unit(none).await));
    assert!(refused(&test.unit(two).await));
    assert!(test.ids().await.is_empty());
}

#[story::test]
async fn a_panic_in_a_unit_fails_that_unit_alone(test: &Test) {
    let early = |_: &Tx| -> std::future::Ready<Result<(), Refusal>> { panic!("early") };
    let late = async |tx: &Tx| -> Result<(), Refusal> {
        insert(tx, 1).await?;
        panic!("late")
    };
    let deferred = async |tx: &Tx| -> Result<(), Refusal> {
        tx.defer("insert into things (id, amount) values ($1, 0)", args![2_i64]).await?;
        panic!("with a write on its way")
    };
    let good = async |tx: &Tx| Ok(insert(tx, 3).await?);
    let (early, late, deferred, good) =
        tokio::join!(test.unit(early), test.unit(late), test.unit(deferred), test.unit(good));
    for answer in [early, late, deferred] {
        assert!(matches!(answer, Err(Refusal::Database(Error::Panicked))), "{answer:?}");
    }
    assert_eq!(good.unwrap(), 1);
    assert_eq!(test.ids().await, [3]);
    test.assert_serves().await;
}

#[story::test]
async fn a_panic_in_a_reader_fails_that_reader_alone(test: &Test) {
    let unit = async |tx: &Tx| -> Result<(), Refusal> {
        tx.all("select id from things", &[]).await?;
        panic!("while reading")
    };
    for _ in 0..20 {
        let answer = test.db.read(unit).await;
        assert!(matches!(answer, Err(Refusal::Database(Error::Panicked))), "{answer:?}");
        let answer = test.db.scan(unit).await;
        assert!(matches!(answer, Err(Refusal::Database(Error::Panicked))), "{answer:?}");
    }
    assert!(test.ids().await.is_empty());
}

#[story::test]
async fn a_reader_cannot_write(test: &Test) {
    for _ in 0..20 {
        let answer = test.db.read(async |tx: &Tx| insert(tx, 1).await).await;
        assert!(answer.is_err(), "{answer:?}");
    }
    assert!(test.ids().await.is_empty());
    test.assert_serves().await;
}

#[story::test]
async fn a_lock_held_too_long_is_busy(test: &Test) {
    insert_one(test).await;
    let unit = async |tx: &Tx| {
        Ok(tx.exec("update things set amount = 5 where id = $1", args![1_i64]).await?)
    };
    let answer = if let Some(path) = test.db.path() {
        let other = rusqlite::Connection::open(path).unwrap();
        other.execute_batch("begin immediate").unwrap();
        test.unit(unit).await
    } else {
        let other = client(&test.url).await;
        let lock = "begin; update things set amount = 4 where id = 1";
        other.batch_execute(lock).await.unwrap();
        test.unit(unit).await
    };
    assert!(matches!(answer, Err(Refusal::Database(Error::Busy))), "{answer:?}");
    assert_eq!(test.unit(unit).await.unwrap(), 1);
    test.assert_serves().await;
}

#[tokio::test]
async fn a_full_disk_refuses_and_heals_by_itself() {
    with_file(async |test, _| {
        const INSERT: &str = "insert into blobs (id, content) values ($1, $2)";
        test.exec("create table blobs (id integer primary key, content blob)").await.unwrap();
        limit_pages(&test, "pragma max_page_count = 1").await;
        let mut acknowledged = Vec::new();
        let mut refused = 0;
        for id in 0..40_i64 {
            // Small ones fit into existing pages, large ones do not.
            let size = if id % 2 == 0 { 10 } else { 100_000 };
            let unit = async move |tx: &Tx| {
                tx.exec(INSERT, args![-id - 1, vec![7_u8; 1]]).await?;
                tx.exec(INSERT, args![id, vec![7_u8; size]]).await
            };
            match test.db.transact(unit).await {
                Ok(_) => acknowledged.extend([id, -id - 1]),
                Err(Error::Unavailable(_)) => refused += 1,
                Err(other) => panic!("{other}"),
            }
        }
        assert!(refused >= 20, "{refused}");
        limit_pages(&test, "pragma max_page_count = 1000000").await;
        acknowledged.sort_unstable();
        assert_eq!(blob_ids(&test).await, acknowledged);
        let unit = async |tx: &Tx| Ok(tx.exec(INSERT, args![100_i64, vec![7_u8; 100_000]]).await?);
        assert_eq!(test.unit(unit).await.unwrap(), 1);
    })
    .await;
}

async fn insert_one(test: &crate::harness::Test) {
    test.unit(async |tx| Ok(insert(tx, 1).await?)).await.unwrap();
}

async fn limit_pages(test: &crate::harness::Test, pragma: &'static str) {
    test.unit(async move |tx| Ok(tx.all(pragma, &[]).await?.len())).await.unwrap();
}

async fn blob_ids(test: &crate::harness::Test) -> Vec<i64> {
    let unit = async |tx: &Tx| {
        let rows = tx.all("select id from blobs order by id", &[]).await?;
        rows.into_iter().map(|mut row| row.take()).collect::<db::error::Result<Vec<i64>>>()
    };
    test.db.read(unit).await.unwrap()
}

#[story::test]
async fn a_lookup_is_one_statement(test: &Test) {
    test.unit(async |tx| Ok(insert(tx, 1).await?)).await.unwrap();
    let counted = async |tx: &Tx| tx.one("select count(*) from things", &[]).await?.take::<i64>();
    assert_eq!(test.db.lookup(counted).await.unwrap(), 1);
    let twice = async move |tx: &Tx| Ok(counted(tx).await? + counted(tx).await?);
    assert!(matches!(test.db.lookup::<i64, Error>(twice).await, Err(Error::Row(_))));
    let written = async |tx: &Tx| insert(tx, 2).await;
    if test.is_sqlite() {
        assert!(test.db.lookup(written).await.is_err());
    }
    test.assert_serves().await;
}

#[story::test]
async fn a_unit_that_is_committed_with_its_statement_has_no_other(test: &Test) {
    test.db.transact_one(async |tx: &Tx| insert(tx, 1).await).await.unwrap();
    let twice = async |tx: &Tx| {
        insert(tx, 2).await?;
        insert(tx, 3).await
    };
    let refused = test.db.transact_one::<u64, Error>(twice).await.unwrap_err();
    if test.is_sqlite() {
        assert!(matches!(refused, Error::Row(_)), "{refused:?}");
        assert_eq!(test.ids().await, [1]);
    } else {
        // The first statement is committed already.
        assert!(matches!(refused, Error::Unknown(_)), "{refused:?}");
        assert_eq!(test.ids().await, [1, 2]);
    }
    let refused = test.db.transact_one(async |tx: &Tx| insert(tx, 1).await).await;
    assert!(matches!(refused, Err(Error::Statement { .. })), "{refused:?}");
    test.assert_serves().await;
}

#[story::test]
async fn a_unit_that_fails_after_its_statement_is_unknown_where_that_is_committed(test: &Test) {
    let refusal = async |tx: &Tx| {
        insert(tx, 1).await?;
        Err::<(), _>(Refusal::Own)
    };
    let panic = async |tx: &Tx| -> Result<(), Refusal> {
        insert(tx, 2).await?;
        panic!("after its statement")
    };
    let collision = async |tx: &Tx| -> Result<(), Refusal> {
        insert(tx, 3).await?;
        Err(tx.collision("after its statement").into())
    };
    let all = [
        test.db.transact_one(refusal).await.unwrap_err(),
        test.db.transact_one(panic).await.unwrap_err(),
        test.db.transact_one(collision).await.unwrap_err(),
    ];
    if test.is_sqlite() {
        use Refusal::Database;
        let [own, second, third] = all;
        assert!(matches!(own, Refusal::Own), "{own:?}");
        assert!(matches!(second, Database(Error::Panicked)), "{second:?}");
        assert!(matches!(third, Database(Error::Collision(_))), "{third:?}");
        assert!(test.ids().await.is_empty());
        return;
    }
    for error in all {
        assert!(matches!(error, Refusal::Database(Error::Unknown(_))), "{error:?}");
    }
    assert_eq!(test.ids().await, [1, 2, 3]);
}

#[story::test]
async fn the_only_statement_of_a_unit_is_awaited_however_it_is_sent(test: &Test) {
    const INSERT: &str = "insert into things (id, amount) values ($1, $2)";
    const NONE: &str = "update things set amount = 1 where id = $1 and amount = $2";
    let refused = [
        test.db.transact_one(async |tx: &Tx| tx.defer(INSERT, args![1_i64, -1_i64]).await).await,
        test.db
            .transact_one(async |tx: &Tx| tx.insert_row(INSERT, args![1_i64, -1_i64]).await)
            .await,
        test.db
            .transact_one(async |tx: &Tx| tx.defer_with_rows(INSERT, args![1_i64, -1_i64]).await)
            .await,
    ];
    for answer in refused {
        assert!(matches!(answer, Err(Error::Statement { .. })), "{answer:?}");
    }
    let missing = [
        test.db.transact_one(async |tx: &Tx| tx.expect_one(NONE, args![1_i64, 0_i64]).await).await,
        test.db
            .transact_one(async |tx: &Tx| tx.expect_one_with_rows(NONE, args![1_i64, 0_i64]).await)
            .await,
    ];
    for answer in missing {
        assert!(matches!(answer, Err(Error::Collision(_))), "{answer:?}");
    }
    let unreadable = async |tx: &Tx| tx.defer(INSERT, args!["\0", 0_i64]).await;
    let answer = test.db.transact_one(unreadable).await;
    assert!(matches!(answer, Err(Error::Statement { .. } | Error::ZeroByte(_))), "{answer:?}");
    test.db
        .transact_one(async |tx: &Tx| tx.insert_row(INSERT, args![1_i64, 0_i64]).await)
        .await
        .unwrap();
    assert_eq!(test.ids().await, [1]);
    test.assert_serves().await;
}
