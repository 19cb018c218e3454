//! One set of migrations for both engines: portable SQL with a few tokens that the engines spell
//! differently.
//!
//! | token | SQLite | PostgreSQL |
//! |---|---|---|
//! | `{id}` | `blob` | `uuid` |
//! | `{int}` | `integer` | `bigint` |
//! | `{bool}` | `integer` | `boolean` |
//! | `{json}` | `text` | `text` |
//! | `{bytes}` | `blob` | `bytea` |
//! | `{clustered}` | `strict, without rowid` | |
//! | `{heap}` | `strict` | |
//!
//! `{append_only TABLE};` makes the engine reject every update and delete of the table's rows.
//! `{append_only_for DAYS TABLE};` rejects every update, and a delete until the table has a row
//! whose `created_at` is that many days later: time is read from the rows, so no setting and no
//! clock of the engine can shorten the retention.

use std::collections::BTreeSet;

use aws_lc_rs::digest::{SHA256, digest};

use crate::database::{Database, Dialect};
use crate::error::{Error, Result};
use crate::hex::hex;
use crate::tx::Tx;
use crate::value::Row;

const MICROS_PER_DAY: i64 = 24 * 3600 * 1_000_000;
const CREATE: &str = "create table schema_migrations (
    name text primary key,
    applied_at bigint not null,
    checksum text
)";

/// One migration; its name orders it. Neither its name nor its text ever changes.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    pub name: &'static str,
    pub sql: &'static str,
}

/// A migration recorded in the database.
struct AppliedMigration {
    name: String,
    /// The SHA-256 of its text; absent if a version without checksums applied it.
    checksum: Option<String>,
}

/// The state of the table that records migrations.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MigrationTable {
    None,
    WithoutChecksums,
    Whole,
}

/// Applies missing migrations, each in its own unit; returns their names.
///
/// Applies nothing if the text of an applied migration has changed. One without a checksum is
/// trusted and gets it.
pub async fn apply(
    database: &Database,
    migrations: &'static [Migration],
) -> Result<Vec<&'static str>> {
    let done = prepare(database, migrations).await?;
    let mut applied = Vec::new();
    for migration in migrations.iter().filter(|migration| !done.contains(migration.name)) {
        if apply_one(database, *migration).await? {
            applied.push(migration.name);
        }
    }
    Ok(applied)
}

/// Returns the names of pending migrations; changes nothing.
pub async fn pending(
    database: &Database,
    migrations: &'static [Migration],
) -> Result<Vec<&'static str>> {
    let sqlite = database.dialect() == Dialect::Sqlite;
    let done = database.read(async move |tx: &Tx| applied(tx, sqlite).await).await?;
    ensure_unchanged(migrations, &done)?;
    let missing = migrations.iter().map(|m| m.name);
    Ok(missing.filter(|name| !done.iter().any(|done| done.name == *name)).collect())
}

/// Makes the table that records migrations; returns the names of those that are applied.
async fn prepare(
    database: &Database,
    migrations: &'static [Migration],
) -> Result<BTreeSet<String>> {
    let sqlite = database.dialect() == Dialect::Sqlite;
    let unit = async move |tx: &Tx| {
        wait_for_turn(tx, sqlite).await?;
        match memory(tx, sqlite).await? {
            MigrationTable::None => tx.batch(CREATE).await?,
            MigrationTable::WithoutChecksums => {
                tx.batch("alter table schema_migrations add column checksum text").await?;
            }
            MigrationTable::Whole => {}
        }
        let done = applied(tx, sqlite).await?;
        ensure_unchanged(migrations, &done)?;
        for migration in migrations {
            if done.iter().any(|done| done.name == migration.name && done.checksum.is_none()) {
                let fill = "update schema_migrations set checksum = $1 where name = $2";
                tx.exec(fill, crate::args![migration.checksum(), migration.name]).await?;
            }
        }
        Ok(done.into_iter().map(|done| done.name).collect())
    };
    database.transact(unit).await
}

async fn apply_one(database: &Database, migration: Migration) -> Result<bool> {
    let sqlite = database.dialect() == Dialect::Sqlite;
    let text = render(migration.sql, sqlite)?;
    let unit = async move |tx: &Tx| {
        wait_for_turn(tx, sqlite).await?;
        if applied(tx, sqlite).await?.iter().any(|done| done.name == migration.name) {
            return Ok(false);
        }
        tx.batch(&text).await?;
        let insert =
            "insert into schema_migrations (name, applied_at, checksum) values ($1, $2, $3)";
        let checksum = migration.checksum();
        tx.exec(insert, crate::args![migration.name, tx.now(), checksum]).await?;
        Ok::<_, Error>(true)
    };
    database.transact(unit).await
}

impl Migration {
    /// The SHA-256 of its text before token substitution, so that both engines store the same.
    fn checksum(&self) -> String {
        hex(digest(&SHA256, self.sql.as_bytes()).as_ref())
    }
}

/// Rejects a text other than the applied one, because the schema would not match it.
fn ensure_unchanged(migrations: &[Migration], done: &[AppliedMigration]) -> Result<()> {
    for applied in done {
        let known = migrations.iter().find(|migration| migration.name == applied.name);
        if let (Some(known), Some(checksum)) = (known, &applied.checksum)
            && known.checksum() != *checksum
        {
            return Err(Error::Open(format!(
                "the migration {} differs from the one that was applied to this database; use a \
                 version whose migrations are unchanged",
                known.name
            )));
        }
    }
    Ok(())
}

/// Nodes that start together apply migrations one after the other, however long one takes.
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

async fn memory(tx: &Tx, sqlite: bool) -> Result<MigrationTable> {
    let columns = if sqlite {
        "select name from pragma_table_info('schema_migrations')"
    } else {
        "select cast(attname as text) from pg_attribute
          where attrelid = to_regclass('schema_migrations') and attnum > 0 and not attisdropped"
    };
    let mut memory = MigrationTable::None;
    for mut column in tx.all(columns, &[]).await? {
        match column.take::<String>()?.as_str() {
            "checksum" => memory = MigrationTable::Whole,
            _ if memory == MigrationTable::None => memory = MigrationTable::WithoutChecksums,
            _ => {}
        }
    }
    Ok(memory)
}

async fn applied(tx: &Tx, sqlite: bool) -> Result<Vec<AppliedMigration>> {
    let find = match memory(tx, sqlite).await? {
        MigrationTable::None => return Ok(Vec::new()),
        MigrationTable::WithoutChecksums => {
            "select name, cast(null as text) from schema_migrations order by name"
        }
        MigrationTable::Whole => "select name, checksum from schema_migrations order by name",
    };
    let rows = tx.all(find, &[]).await?;
    let read = |mut row: Row| Ok(AppliedMigration { name: row.take()?, checksum: row.take()? });
    rows.into_iter().map(read).collect()
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
    while let Some(start) = text.find("{append_only") {
        let Some(length) = text[start..].find('}') else {
            break;
        };
        let Some(kept) = AppendOnlyTable::read(&text[start + 1..start + length]) else {
            break;
        };
        let guard = if sqlite { sqlite_guard(&kept) } else { postgres_guard(&kept) };
        text.replace_range(start..=start + length, &guard);
    }
    match text.match_indices('{').find(|(at, _)| begins_word(&text[at + 1..])) {
        Some((at, _)) => {
            Err(Error::Open(format!("unknown word in a migration: {:.20}", &text[at..])))
        }
        None => Ok(text),
    }
}

/// `{}`, an empty JSON object in a default, is not a token.
fn begins_word(text: &str) -> bool {
    text.starts_with(|letter: char| letter.is_ascii_alphabetic())
}

/// An append-only table, and for how long its rows cannot be deleted.
struct AppendOnlyTable<'a> {
    table: &'a str,
    /// For ever if `None`.
    days: Option<i64>,
}

impl<'a> AppendOnlyTable<'a> {
    fn read(text: &'a str) -> Option<Self> {
        match text.split_whitespace().collect::<Vec<_>>().as_slice() {
            ["append_only", table] => Some(Self { table, days: None }),
            ["append_only_for", days, table] => {
                Some(Self { table, days: Some(days.parse().ok()?) })
            }
            _ => None,
        }
    }

    /// The condition under which a row may be deleted.
    fn outlived(&self) -> Option<String> {
        let (table, micros) = (self.table, self.days? * MICROS_PER_DAY);
        Some(format!(
            "exists (select 1 from {table} as newer \
              where newer.created_at >= old.created_at + {micros})"
        ))
    }
}

fn sqlite_guard(kept: &AppendOnlyTable) -> String {
    let table = kept.table;
    let unless = kept.outlived().map(|outlived| format!("when not {outlived} "));
    let one = |event: &str, when: &str| {
        format!(
            "create trigger {table}_refuses_{event} before {event} on {table} \
             {when}begin select raise(abort, '{table} is append-only'); end"
        )
    };
    format!("{};\n{}", one("update", ""), one("delete", unless.as_deref().unwrap_or_default()))
}

fn postgres_guard(kept: &AppendOnlyTable) -> String {
    let table = kept.table;
    let allow = kept.outlived().map(|outlived| {
        format!("if tg_op = 'DELETE' then if {outlived} then return old; end if; end if; ")
    });
    let allow = allow.unwrap_or_default();
    format!(
        "create function {table}_is_append_only() returns trigger language plpgsql as \
         $$ begin {allow}raise exception '{table} is append-only'; end $$;\n\
         create trigger {table}_refuses_change before update or delete on {table} \
         for each row execute function {table}_is_append_only();\n\
         create trigger {table}_refuses_truncate before truncate on {table} \
         for each statement execute function {table}_is_append_only()"
    )
}
