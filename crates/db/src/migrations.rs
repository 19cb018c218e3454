//! One set of migrations for both engines: portable text with a few words the engines spell
//! differently.
//!
//! | word | SQLite | PostgreSQL |
//! |---|---|---|
//! | `{id}` | `blob` | `uuid` |
//! | `{int}` | `integer` | `bigint` |
//! | `{bool}` | `integer` | `boolean` |
//! | `{json}` | `text` | `text` |
//! | `{bytes}` | `blob` | `bytea` |
//! | `{clustered}` | `strict, without rowid` | |
//! | `{heap}` | `strict` | |
//!
//! `{append_only TABLE};` makes the engine refuse every update and delete of the table's rows.

use crate::database::{Database, Dialect};
use crate::error::{Error, Result};
use crate::tx::Tx;

/// One step forward; its name orders it and never changes.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    pub name: &'static str,
    pub sql: &'static str,
}

/// Applies what is missing, each in a unit of its own; answers the names applied.
pub async fn apply(
    database: &Database,
    migrations: &'static [Migration],
) -> Result<Vec<&'static str>> {
    prepare(database).await?;
    let mut applied = Vec::new();
    for migration in migrations {
        if apply_one(database, *migration).await? {
            applied.push(migration.name);
        }
    }
    Ok(applied)
}

/// Names the migrations that are not applied yet; changes nothing.
pub async fn pending(
    database: &Database,
    migrations: &'static [Migration],
) -> Result<Vec<&'static str>> {
    let sqlite = database.dialect() == Dialect::Sqlite;
    let unit = async move |tx: &Tx| {
        if is_prepared(tx, sqlite).await? { names(tx).await } else { Ok(Vec::new()) }
    };
    let done = database.read(unit).await?;
    let missing = migrations.iter().map(|m| m.name).filter(|name| !done.iter().any(|d| d == name));
    Ok(missing.collect())
}

async fn prepare(database: &Database) -> Result<()> {
    let sqlite = database.dialect() == Dialect::Sqlite;
    let unit = async move |tx: &Tx| {
        wait_for_turn(tx, sqlite).await?;
        let create = "create table if not exists schema_migrations (
            name text primary key,
            applied_at bigint not null
        )";
        tx.batch(create).await
    };
    database.transact(unit).await
}

async fn apply_one(database: &Database, migration: Migration) -> Result<bool> {
    let sqlite = database.dialect() == Dialect::Sqlite;
    let text = render(migration.sql, sqlite)?;
    let unit = async move |tx: &Tx| {
        wait_for_turn(tx, sqlite).await?;
        if names(tx).await?.iter().any(|name| name == migration.name) {
            return Ok(false);
        }
        tx.batch(&text).await?;
        let insert = "insert into schema_migrations (name, applied_at) values ($1, $2)";
        tx.exec(insert, crate::args![migration.name, tx.now()]).await?;
        Ok::<_, Error>(true)
    };
    database.transact(unit).await
}

/// Two nodes that start together apply one after the other, however long a migration takes.
async fn wait_for_turn(tx: &Tx, sqlite: bool) -> Result<()> {
    if sqlite {
        return Ok(());
    }
    tx.batch(
        "set local lock_timeout = 0;
         set local statement_timeout = 0;
         select pg_advisory_xact_lock(7367737461);",
    )
    .await
}

async fn is_prepared(tx: &Tx, sqlite: bool) -> Result<bool> {
    let find = if sqlite {
        "select 1 from sqlite_schema where type = 'table' and name = 'schema_migrations'"
    } else {
        "select 1 from pg_class where oid = to_regclass('schema_migrations')"
    };
    Ok(tx.opt(find, &[]).await?.is_some())
}

async fn names(tx: &Tx) -> Result<Vec<String>> {
    let rows = tx.all("select name from schema_migrations order by name", &[]).await?;
    rows.into_iter().map(|mut row| row.take()).collect()
}

fn render(sql: &str, sqlite: bool) -> Result<String> {
    let pick = |own: &'static str, other: &'static str| if sqlite { own } else { other };
    let mut text = sql
        .replace("{id}", pick("blob", "uuid"))
        .replace("{int}", pick("integer", "bigint"))
        .replace("{bool}", pick("integer", "boolean"))
        .replace("{json}", "text")
        .replace("{bytes}", pick("blob", "bytea"))
        .replace("{clustered}", pick("strict, without rowid", ""))
        .replace("{heap}", pick("strict", ""));
    while let Some(start) = text.find("{append_only ") {
        let Some(length) = text[start..].find('}') else {
            break;
        };
        let table = text[start + 13..start + length].trim().to_owned();
        let guard = if sqlite { sqlite_guard(&table) } else { postgres_guard(&table) };
        text.replace_range(start..=start + length, &guard);
    }
    match text.match_indices('{').find(|(at, _)| begins_word(&text[at + 1..])) {
        Some((at, _)) => {
            Err(Error::Open(format!("unknown word in a migration: {:.20}", &text[at..])))
        }
        None => Ok(text),
    }
}

/// An empty JSON object in a default is no word.
fn begins_word(text: &str) -> bool {
    text.starts_with(|letter: char| letter.is_ascii_alphabetic())
}

fn sqlite_guard(table: &str) -> String {
    let one = |event: &str| {
        format!(
            "create trigger {table}_refuses_{event} before {event} on {table} \
             begin select raise(abort, '{table} is append-only'); end"
        )
    };
    format!("{};\n{}", one("update"), one("delete"))
}

fn postgres_guard(table: &str) -> String {
    format!(
        "create function {table}_is_append_only() returns trigger language plpgsql as \
         $$ begin raise exception '{table} is append-only'; end $$;\n\
         create trigger {table}_refuses_change before update or delete on {table} \
         for each row execute function {table}_is_append_only();\n\
         create trigger {table}_refuses_truncate before truncate on {table} \
         for each statement execute function {table}_is_append_only()"
    )
}
