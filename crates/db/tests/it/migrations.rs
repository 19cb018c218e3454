//! Migrations are applied once, in order and completely.

use db::args;
use db::database::Database;
use db::error::{Error, Result};
use db::migrations::{Migration, apply, pending};
use db::tx::Tx;
use futures_util::future::join;

use crate::harness::{Test, sources, with_database};

const STEPS: &[Migration] = &[
    Migration {
        name: "0001_books",
        sql: "-- Kept for ever; a comment may hold one thing; and another.
              create table books (id {int} primary key, note text not null default '{}') {heap};
              {append_only books};
              create index books_by_note on books (note);",
    },
    Migration {
        name: "0002_first",
        sql: "insert into books (id, note) values (1, 'first; with a semicolon');\n",
    },
    Migration { name: "0003_second", sql: "insert into books (id) select id + 1 from books" },
];

/// The same with another writer's note, and one more migration.
const CHANGED: &[Migration] = &[
    STEPS[0],
    Migration { name: "0002_first", sql: "insert into books (id, note) values (1, 'another');" },
    STEPS[2],
    Migration { name: "0004_third", sql: "insert into books (id) values (9)" },
];

#[story::test]
async fn migrations_apply_once_and_in_order(test: &Test) {
    let names = ["0001_books", "0002_first", "0003_second"];
    assert_eq!(pending(&test.db, STEPS).await.unwrap(), names);
    assert_eq!(apply(&test.db, STEPS).await.unwrap(), names);
    assert!(apply(&test.db, STEPS).await.unwrap().is_empty());
    assert!(pending(&test.db, STEPS).await.unwrap().is_empty());
    assert_eq!(books(test).await, [(1, "first; with a semicolon".into()), (2, "{}".into())]);
}

#[story::test]
async fn asking_what_is_pending_changes_nothing(test: &Test) {
    test.exec("drop table schema_migrations").await.unwrap();
    assert_eq!(pending(&test.db, STEPS).await.unwrap().len(), STEPS.len());
    test.exec("select name from schema_migrations").await.unwrap_err();
}

#[story::test]
async fn two_starters_apply_each_migration_once(test: &Test) {
    let other = if test.is_sqlite() {
        test.db.clone()
    } else {
        Database::open(&test.url, sources()).unwrap()
    };
    let (one, two) = join(apply(&test.db, STEPS), apply(&other, STEPS)).await;
    let mut names = [one.unwrap(), two.unwrap()].concat();
    names.sort_unstable();
    assert_eq!(names, ["0001_books", "0002_first", "0003_second"]);
    assert_eq!(books(test).await.len(), 2);
}

#[story::test]
async fn a_migration_whose_text_changed_is_refused_by_name_before_anything_is_applied(test: &Test) {
    apply(&test.db, STEPS).await.unwrap();
    for answer in [apply(&test.db, CHANGED).await, pending(&test.db, CHANGED).await] {
        let Err(Error::Open(message)) = answer else { panic!("{answer:?}") };
        assert!(message.contains("the migration 0002_first differs from the one"), "{message}");
    }
    assert_eq!(books(test).await.len(), 2);
    assert!(apply(&test.db, STEPS).await.unwrap().is_empty());
}

#[story::test]
async fn what_was_applied_before_there_were_checksums_is_trusted_once(test: &Test) {
    apply(&test.db, STEPS).await.unwrap();
    test.exec("alter table schema_migrations drop column checksum").await.unwrap();
    test.exec("delete from schema_migrations where name = '0003_second'").await.unwrap();
    assert_eq!(pending(&test.db, STEPS).await.unwrap(), ["0003_second"]);
    let older = "insert into schema_migrations (name, applied_at) values ('0003_second', 1)";
    test.exec(older).await.unwrap();
    assert!(apply(&test.db, STEPS).await.unwrap().is_empty());
    let answer = apply(&test.db, CHANGED).await;
    assert!(matches!(answer, Err(Error::Open(_))), "{answer:?}");
    test.exec("delete from schema_migrations where name = '0003_second'").await.unwrap();
    test.exec(older).await.unwrap();
    assert!(apply(&test.db, STEPS).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_migration_that_fails_leaves_nothing_of_itself() {
    const BROKEN: &[Migration] = &[
        Migration { name: "0001_good", sql: "create table good (id {int} primary key) {heap};" },
        Migration {
            name: "0002_broken",
            sql: "create table half (id {int} primary key) {heap};
                  insert into nowhere (id) values (1);",
        },
    ];
    with_database(async |test| {
        let failed = apply(&test.db, BROKEN).await;
        assert!(matches!(failed, Err(Error::Statement { .. })), "{failed:?}");
        assert_eq!(pending(&test.db, BROKEN).await.unwrap(), ["0002_broken"]);
        let half = test.db.read(async |tx: &Tx| tx.all("select id from half", &[]).await).await;
        assert!(matches!(half, Err(Error::Statement { .. })), "{half:?}");
    })
    .await;
}

#[tokio::test]
async fn an_unknown_word_is_refused() {
    const UNKNOWN: &[Migration] =
        &[Migration { name: "0001", sql: "create table unknown (id {money}) {heap};" }];
    with_database(async |test| {
        let refused = apply(&test.db, UNKNOWN).await;
        let Err(Error::Open(message)) = refused else { panic!("{refused:?}") };
        assert!(message.contains("{money}"), "{message}");
    })
    .await;
}

#[tokio::test]
async fn a_table_that_is_append_only_for_a_term_lets_go_what_has_outlived_it() {
    const LOG: &[Migration] = &[Migration {
        name: "0001",
        sql: "create table log (created_at {int} not null) {heap};
              {append_only_for 2 log};",
    }];
    const DAY: i64 = 24 * 3600 * 1_000_000;
    with_database(async |test| {
        apply(&test.db, LOG).await.unwrap();
        let insert = async |at: i64| {
            let unit = async move |tx: &Tx| {
                tx.exec("insert into log (created_at) values ($1)", args![at]).await
            };
            test.db.transact(unit).await.unwrap();
        };
        insert(1).await;
        insert(2 * DAY).await;
        let oldest = "delete from log where created_at = 1";
        for sql in [oldest, "update log set created_at = 0", "delete from log"] {
            let answer = test.exec(sql).await;
            let Err(Error::Statement { message, .. }) = &answer else {
                panic!("{sql}: {answer:?}")
            };
            assert!(message.contains("log is append-only"), "{sql}: {message}");
        }
        insert(2 * DAY + 1).await;
        test.exec(oldest).await.unwrap();
        test.exec("delete from log").await.unwrap_err();
    })
    .await;
}

#[story::test]
async fn an_append_only_table_refuses_update_and_delete(test: &Test) {
    apply(&test.db, STEPS).await.unwrap();
    let own = if test.is_sqlite() {
        "insert or replace into books (id, note) values (1, 'changed')"
    } else {
        "truncate books"
    };
    let upsert = "insert into books (id, note) values (1, 'changed')
         on conflict (id) do update set note = excluded.note";
    let delete = "delete from books where id = 1";
    for sql in ["update books set note = 'changed'", delete, "delete from books", upsert, own] {
        let answer = test.exec(sql).await;
        let Err(Error::Statement { message, .. }) = &answer else { panic!("{sql}: {answer:?}") };
        assert!(message.contains("books is append-only"), "{sql}: {message}");
    }
    assert_eq!(books(test).await.len(), 2);
    let append = async |tx: &Tx| tx.exec("insert into books (id) values ($1)", args![9_i64]).await;
    assert_eq!(test.db.transact(append).await.unwrap(), 1);
}

async fn books(test: &Test) -> Vec<(i64, String)> {
    let unit = async |tx: &Tx| {
        let rows = tx.all("select id, note from books order by id", &[]).await?;
        let read = |mut row: db::value::Row| Ok((row.take()?, row.take()?));
        rows.into_iter().map(read).collect::<Result<Vec<_>>>()
    };
    test.db.read(unit).await.unwrap()
}
