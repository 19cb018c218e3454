//! Values round-trip identically on both engines, or are rejected.

use db::args;
use db::error::{Error, Result};
use db::migrations::{Migration, apply};
use db::time::Timestamp;
use db::tx::Tx;
use uuid::Uuid;

use crate::harness::Test;

const SCHEMA: &[Migration] = &[Migration {
    name: "0001_values",
    sql: "create table kinds (
              id {id} primary key,
              flag {bool},
              number {int},
              words {json},
              content {bytes}
          ) {clustered};",
}];

#[derive(Debug, Clone, PartialEq)]
struct Kinds {
    flag: Option<bool>,
    number: Option<i64>,
    words: Option<String>,
    content: Option<Vec<u8>>,
}

async fn round_trip(test: &Test, id: Uuid, given: Kinds) -> Result<Kinds> {
    let write = async move |tx: &Tx| {
        tx.defer(
            "insert into kinds (id, flag, number, words, content) values ($1, $2, $3, $4, $5)",
            args![id, given.flag, given.number, given.words, given.content],
        )
        .await
    };
    test.db.transact(write).await?;
    let read = async move |tx: &Tx| -> Result<(Uuid, Kinds)> {
        let sql = "select id, flag, number, words, content from kinds where id = $1";
        let mut row = tx.one(sql, args![id]).await?;
        let id = row.take()?;
        let (flag, number) = (row.take()?, row.take()?);
        Ok((id, Kinds { flag, number, words: row.take()?, content: row.take()? }))
    };
    let (found, kinds) = test.db.read(read).await?;
    assert_eq!(found, id);
    Ok(kinds)
}

#[story::test]
async fn values_come_back_as_they_went_in(test: &Test) {
    apply(&test.db, SCHEMA).await.unwrap();
    let none = Kinds { flag: None, number: None, words: None, content: None };
    let some = |number: i64, words: &str, content: Vec<u8>| Kinds {
        flag: Some(number > 0),
        number: Some(number),
        words: Some(words.into()),
        content: Some(content),
    };
    let cases = [
        none,
        some(0, "", vec![]),
        some(i64::MAX, "São João's \"quoted\" \\ line\nend", vec![0, 255, 0]),
        some(i64::MIN, "\u{1F4B8} \u{FFFD} e\u{301} \u{7F}\u{1}", vec![0; 16]),
        some(-1, "{\"a\": [1, null]}", vec![7; 16]),
        some(1, &"ção".repeat(500_000), (0..8_000_000_u32).map(|n| n.to_le_bytes()[0]).collect()),
    ];
    for (number, given) in cases.into_iter().enumerate() {
        let id = Uuid::from_u128(number as u128);
        let found = round_trip(test, id, given.clone()).await.unwrap();
        assert!(found == given, "case {number}");
    }
}

#[story::test]
async fn text_with_a_zero_byte_is_refused(test: &Test) {
    apply(&test.db, SCHEMA).await.unwrap();
    let given = Kinds { flag: None, number: None, words: Some("a\0b".into()), content: None };
    let answer = round_trip(test, Uuid::nil(), given).await;
    assert!(matches!(answer, Err(Error::ZeroByte(_))), "{answer:?}");
    let search =
        async |tx: &Tx| tx.all("select id from kinds where words = $1", args!["a\0b"]).await;
    let answer = test.db.read(search).await;
    assert!(matches!(answer, Err(Error::ZeroByte(_))), "{answer:?}");
    test.assert_serves().await;
}

#[story::test]
async fn a_column_of_another_type_is_reported_by_its_number(test: &Test) {
    let unit = async |tx: &Tx| -> Result<i64> {
        let mut row = tx.one("select cast('1' as text), cast('2' as text)", &[]).await?;
        row.take::<String>()?;
        row.take()
    };
    let answer = test.db.read(unit).await;
    let Err(Error::Row(message)) = answer else { panic!("{answer:?}") };
    assert_eq!(message, "column 2 is text, not i64");
}

#[story::test]
async fn an_instant_is_a_column_and_a_parameter_like_any_other(test: &Test) {
    let unit = async |tx: &Tx| -> Result<(Timestamp, Timestamp)> {
        let now = tx.now();
        let sql = "insert into things (id, amount) values (1, $1) returning amount";
        Ok((now, tx.one(sql, args![now]).await?.take()?))
    };
    let (given, found) = test.db.transact(unit).await.unwrap();
    assert_eq!(given, found);
}

#[story::test]
async fn a_dollar_without_a_number_is_only_text(test: &Test) {
    let unit = async |tx: &Tx| -> Result<String> {
        tx.one("select cast('R$ ' as text) || cast($1 as text)", args!["10"]).await?.take()
    };
    assert_eq!(test.db.read(unit).await.unwrap(), "R$ 10");
}

#[story::test]
async fn the_hint_for_locked_rows_is_understood_by_both_engines(test: &Test) {
    let unit = async |tx: &Tx| -> Result<usize> {
        let sql = "select id from things order by id limit 1 /*+ skip locked */";
        Ok(tx.all(sql, &[]).await?.len())
    };
    assert_eq!(test.db.transact(unit).await.unwrap(), 0);
}
