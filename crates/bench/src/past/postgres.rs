//! A history on PostgreSQL: the rows of a SQLite file, table by table.

use std::fmt::Write;
use std::path::Path;
use std::pin::pin;

use anyhow::{Result, bail};
use bytes::Bytes;
use db::hex::hex;
use futures_util::SinkExt;
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use tokio_postgres::Client;

use crate::postgres::connect;
use crate::report::progress;

/// How much text is sent at once.
const PART_BYTES: usize = 1024 * 1024;
/// Each engine has its own record of its migrations.
const MIGRATIONS: &str = "schema_migrations";

/// A column, and whether PostgreSQL keeps it as bytes.
struct Column {
    name: String,
    is_bytes: bool,
}

/// Replaces the rows of a database, whose tables exist, by those of a SQLite file.
pub async fn copy(file: &Path, url: &str) -> Result<()> {
    let (source, target) = (Connection::open(file)?, connect(url).await?);
    // Rows come by table, so what they refer to may come later.
    target.batch_execute("set session_replication_role = replica").await?;
    for table in tables(&source)? {
        progress(&format!("copying {table}"));
        copy_table(&source, &target, &table).await?;
    }
    Ok(target.batch_execute("analyze").await?)
}

fn tables(source: &Connection) -> Result<Vec<String>> {
    let mut statement = source.prepare(
        "select name from sqlite_schema
          where type = 'table' and name not like 'sqlite%' and name <> ?1",
    )?;
    let names = statement.query_map([MIGRATIONS], |row| row.get(0))?;
    Ok(names.collect::<rusqlite::Result<_>>()?)
}

async fn copy_table(source: &Connection, target: &Client, table: &str) -> Result<()> {
    let columns = columns(target, table).await?;
    let list = columns.iter().map(|column| &*column.name).collect::<Vec<_>>().join(", ");
    target.batch_execute(&format!("delete from {table}")).await?;
    let sink = target.copy_in::<_, Bytes>(&format!("copy {table} ({list}) from stdin")).await?;
    let mut sink = pin!(sink);
    let mut statement = source.prepare(&format!("select {list} from {table}"))?;
    let mut rows = statement.query([])?;
    let mut part = String::new();
    while let Some(row) = rows.next()? {
        for (index, column) in columns.iter().enumerate() {
            let end = if index + 1 == columns.len() { '\n' } else { '\t' };
            write_value(&mut part, row.get_ref(index)?, column.is_bytes)?;
            part.push(end);
        }
        if part.len() >= PART_BYTES {
            sink.send(std::mem::take(&mut part).into()).await?;
        }
    }
    sink.send(part.into()).await?;
    sink.finish().await?;
    Ok(())
}

async fn columns(target: &Client, table: &str) -> Result<Vec<Column>> {
    let sql = "select column_name::text, data_type = 'bytea'
                 from information_schema.columns
                where table_schema = current_schema() and table_name = $1
                order by ordinal_position";
    let rows = target.query(sql, &[&table]).await?;
    Ok(rows.iter().map(|row| Column { name: row.get(0), is_bytes: row.get(1) }).collect())
}

/// A value as the text format of `copy` has it.
fn write_value(out: &mut String, value: ValueRef<'_>, is_bytes: bool) -> Result<()> {
    match value {
        ValueRef::Null => out.push_str("\\N"),
        ValueRef::Integer(number) => write!(out, "{number}")?,
        ValueRef::Real(number) => write!(out, "{number}")?,
        ValueRef::Blob(bytes) if is_bytes => write!(out, "\\\\x{}", hex(bytes))?,
        // An ID.
        ValueRef::Blob(bytes) => out.push_str(&hex(bytes)),
        ValueRef::Text(text) => {
            for letter in std::str::from_utf8(text)?.chars() {
                match letter {
                    '\\' => out.push_str("\\\\"),
                    '\n' => out.push_str("\\n"),
                    '\r' => out.push_str("\\r"),
                    '\t' => out.push_str("\\t"),
                    '\0' => bail!("PostgreSQL keeps no text with the character 0"),
                    other => out.push(other),
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use rusqlite::types::ValueRef;

    use super::write_value;

    #[test]
    fn values_are_written_as_copy_reads_them() {
        for (value, is_bytes, expected) in [
            (ValueRef::Null, false, "\\N"),
            (ValueRef::Integer(-5), false, "-5"),
            (ValueRef::Blob(&[1, 255]), true, "\\\\x01ff"),
            (ValueRef::Blob(&[1, 255]), false, "01ff"),
            (ValueRef::Text(b"a\tb\nc\\d"), false, "a\\tb\\nc\\\\d"),
        ] {
            let mut out = String::new();
            write_value(&mut out, value, is_bytes).unwrap();
            assert_eq!(out, expected);
        }
    }
}
