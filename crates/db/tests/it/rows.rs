//! Rows that are inserted together.

use db::args;
use db::error::Error;
use db::tx::Tx;

use crate::harness::{Refusal, Test};

/// Inserts rows of two statements, in turn.
async fn insert_rows(tx: &Tx, ids: impl IntoIterator<Item = i64>) -> Result<(), Error> {
    for id in ids {
        let whole = "insert into things (id, amount) values ($1, $1)";
        tx.insert_row(whole, args![id]).await?;
        let later =
            "insert into things (id, amount) values ($1, coalesce($2, 0)) on conflict do nothing";
        tx.insert_row(later, args![id + 1000, id]).await?;
    }
    Ok(())
}

#[story::test]
async fn rows_are_there_for_the_units_next_statement(test: &Test) {
    let unit = async |tx: &Tx| {
        insert_rows(tx, 1..=20).await?;
        let mut found = tx.one("select count(*), max(amount) from things", args![]).await?;
        let found: (i64, i64) = (found.take()?, found.take()?);
        insert_rows(tx, 21..=22).await?;
        tx.defer("update things set amount = 7 where id = 22", args![]).await?;
        insert_rows(tx, [23]).await?;
        Ok(found)
    };
    assert_eq!(test.unit(unit).await.unwrap(), (40, 20));
    let expected: Vec<_> = (1..=23).chain(1001..=1023).collect();
    assert_eq!(test.ids().await, expected);
    let amount = async |tx: &Tx| {
        tx.one("select amount from things where id = 22", args![]).await?.take::<i64>()
    };
    assert_eq!(test.db.read(amount).await.unwrap(), 7);
}

#[story::test]
async fn a_row_that_is_refused_takes_its_unit_with_it(test: &Test) {
    let unit = async |tx: &Tx| Ok(insert_rows(tx, [1, 2, -3]).await?);
    let refused = test.unit(unit).await.unwrap_err();
    assert!(matches!(refused, Refusal::Database(Error::Statement { .. })), "{refused:?}");
    let keyed = test.unit_of(1, async |tx: &Tx| Ok(insert_rows(tx, [4, 4]).await?));
    let refused = keyed.await.unwrap_err();
    assert!(matches!(refused, Refusal::Database(Error::Statement { .. })), "{refused:?}");
    assert_eq!(test.ids().await, Vec::<i64>::new());
    test.unit(async |tx: &Tx| Ok(insert_rows(tx, [5]).await?)).await.unwrap();
    assert_eq!(test.ids().await, [5, 1005]);
}

#[story::test]
async fn a_unit_that_refuses_leaves_no_row(test: &Test) {
    let unit = async |tx: &Tx| {
        insert_rows(tx, [1]).await?;
        Err::<(), _>(Refusal::Own)
    };
    assert!(matches!(test.unit(unit).await, Err(Refusal::Own)));
    assert_eq!(test.ids().await, Vec::<i64>::new());
}

#[story::test]
async fn what_goes_with_rows_is_there_for_the_units_next_statement(test: &Test) {
    test.unit(async |tx: &Tx| Ok(insert_rows(tx, [1, 2]).await?)).await.unwrap();
    let unit = async |tx: &Tx| {
        let first = "update things set amount = $1 where id = 1";
        tx.expect_one_with_rows(first, args![7_i64]).await?;
        insert_rows(tx, [3]).await?;
        let second = "update things set amount = $1 where id = 2";
        tx.defer_with_rows(second, args![8_i64]).await?;
        let found = "select amount from things where id in (1, 2, 3) order by id";
        let rows = tx.all(found, args![]).await?.into_iter();
        Ok(rows.map(|mut row| row.take()).collect::<Result<Vec<i64>, Error>>()?)
    };
    assert_eq!(test.unit(unit).await.unwrap(), [7, 8, 3]);
}

#[story::test]
async fn a_row_that_is_not_there_to_be_changed_takes_its_unit_with_it(test: &Test) {
    let unit = async |tx: &Tx| {
        insert_rows(tx, [1]).await?;
        tx.expect_one_with_rows("update things set amount = 1 where id = 99", args![]).await?;
        insert_rows(tx, [2]).await?;
        Ok(())
    };
    let refused = test.unit(unit).await.unwrap_err();
    let Refusal::Database(Error::Collision(why)) = refused else { panic!("{refused:?}") };
    assert!(why.ends_with("update things set amount = 1 where id = 99"), "{why}");
    assert_eq!(test.ids().await, Vec::<i64>::new());
}

#[story::test]
async fn an_error_names_the_statement_that_failed_beside_others(test: &Test) {
    let unit = async |tx: &Tx| {
        insert_rows(tx, [1]).await?;
        tx.expect_one_with_rows("update things set amount = 1 where id = 99", args![]).await?;
        tx.defer_with_rows("update things set amount = -1 where id = 2", args![]).await?;
        Ok(())
    };
    test.unit(async |tx: &Tx| Ok(insert_rows(tx, [2, 99]).await?)).await.unwrap();
    let refused = test.unit(unit).await.unwrap_err();
    let Refusal::Database(Error::Statement { sql, .. }) = refused else { panic!("{refused:?}") };
    assert!(sql.contains("update things set amount = -1 where id = 2"), "{sql}");
}
