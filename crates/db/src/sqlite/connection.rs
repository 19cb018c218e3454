//! One SQLite connection: statements with numbered parameters, cached by the address of their text.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;

use rusqlite::config::DbConfig;
use rusqlite::types::{FromSqlError, ToSqlOutput, Value as Stored, ValueRef};
use rusqlite::{CachedStatement, ErrorCode, OpenFlags};

use crate::error::{Error, Result, ZeroByte};
use crate::value::{Arg, Row, Value};

const STATEMENTS_CACHED_MAX: usize = 512;
/// The engine runs this many steps in well under a millisecond.
const STEPS_PER_LOOK: i32 = 10_000;
/// Past 16 MiB a commit checkpoints by itself, if a reader kept the log from starting over.
const LOG_PAGES_MAX: u32 = 4_096;
const LOG_BYTES_MAX: u32 = LOG_PAGES_MAX * 4_096;

/// What a connection does with the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Writer,
    Reader,
    /// Reads much, in a process that serves no requests.
    LoneReader,
    /// Copies the file and leaves it and its log unchanged.
    Copier,
}

impl Role {
    /// The size of its page cache; the rest is in the operating system's cache.
    const fn cache_kib(self) -> u32 {
        match self {
            Self::Writer => 8 * 1024,
            Self::LoneReader => 64 * 1024,
            Self::Reader | Self::Copier => 4 * 1024,
        }
    }
}

pub struct Connection {
    raw: rusqlite::Connection,
    texts: RefCell<HashMap<(usize, usize), Box<str>>>,
}

impl Connection {
    pub fn open(path: &Path, role: Role) -> Result<Self> {
        // A reader writes, too: it marks in the log's index how far it reads.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let raw =
            rusqlite::Connection::open_with_flags(path, flags).map_err(|e| refused(&e, ""))?;
        raw.set_prepared_statement_cache_capacity(STATEMENTS_CACHED_MAX);
        // Otherwise a statement is planned again whenever its parameters change. Statistics are not
        // gathered either: every file would have its own plans, which no test has covered. Where
        // the planner picks the wrong index, the statement is written to leave it only one.
        raw.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)
            .map_err(|e| refused(&e, ""))?;
        let connection = Self { raw, texts: RefCell::default() };
        // Without recursive triggers, `insert or replace` would delete without firing the delete
        // trigger.
        connection.batch(
            "pragma busy_timeout = 3000;
             pragma foreign_keys = on;
             pragma recursive_triggers = on;
             pragma temp_store = memory;",
        )?;
        connection.batch(&format!("pragma cache_size = -{}", role.cache_kib()))?;
        match role {
            Role::Writer => connection.batch(&format!(
                "pragma journal_mode = wal;
                 pragma synchronous = full;
                 pragma journal_size_limit = {LOG_BYTES_MAX};
                 pragma wal_autocheckpoint = {LOG_PAGES_MAX};"
            ))?,
            Role::Reader | Role::LoneReader => connection.batch("pragma query_only = on")?,
            Role::Copier => connection.keep_log()?,
        }
        Ok(connection)
    }

    /// Otherwise the last connection to close checkpoints the log into the file.
    fn keep_log(&self) -> Result<()> {
        let kept = self.raw.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
        kept.map(drop).map_err(|e| refused(&e, ""))
    }

    /// Runs statements that take no parameters.
    pub fn batch(&self, sql: &str) -> Result<()> {
        self.raw.execute_batch(sql).map_err(|e| refused(&e, sql))
    }

    /// Runs one cached statement that takes no parameters.
    pub fn command(&self, sql: &'static str) -> Result<()> {
        self.exec(sql, &[]).map(|_| ())
    }

    /// Commits; after an I/O error it is unknown whether the disk has it.
    pub fn commit(&self) -> Result<()> {
        self.raw.execute_batch("commit").map_err(|error| match error.sqlite_error_code() {
            Some(ErrorCode::SystemIoFailure) => Error::Unknown(error.to_string()),
            _ => refused(&error, "commit"),
        })
    }

    pub fn exec(&self, sql: &'static str, args: &[Arg<'_>]) -> Result<u64> {
        self.with(sql, args, |statement| statement.raw_execute().map(|rows| rows as u64))
    }

    pub fn all(&self, sql: &'static str, args: &[Arg<'_>]) -> Result<Vec<Row>> {
        self.with(sql, args, |statement| {
            let width = statement.column_count();
            let mut found = Vec::new();
            let mut rows = statement.raw_query();
            while let Some(row) = rows.next()? {
                let mut columns = Vec::with_capacity(width);
                fill(&mut columns, row, width)?;
                found.push(Row::new(columns));
            }
            Ok(found)
        })
    }

    /// Reads every row as it comes; the rows share their memory.
    pub fn each(
        &self,
        sql: &'static str,
        args: &[Arg<'_>],
        read: &mut dyn FnMut(&mut Row) -> Result<()>,
    ) -> Result<()> {
        self.with(sql, args, |statement| {
            let width = statement.column_count();
            let mut shared = Row::new(Vec::with_capacity(width));
            let mut rows = statement.raw_query();
            while let Some(row) = rows.next()? {
                fill(shared.refill(), row, width)?;
                if let Err(error) = read(&mut shared) {
                    return Ok(Err(error));
                }
            }
            Ok(Ok(()))
        })?
    }

    /// From now on, interrupts statements when the callback, polled often, says so.
    pub fn stop_when(&mut self, stopped: impl FnMut() -> bool + Send + 'static) -> Result<()> {
        let set = self.raw.progress_handler(STEPS_PER_LOOK, Some(stopped));
        set.map_err(|e| refused(&e, ""))
    }

    /// Stops interrupting statements.
    pub fn never_stop(&mut self) -> Result<()> {
        let unset = self.raw.progress_handler(0, None::<fn() -> bool>);
        unset.map_err(|e| refused(&e, ""))
    }

    /// Whether no transaction is open, as after some errors, which make the engine end it.
    pub fn is_idle(&self) -> bool {
        self.raw.is_autocommit()
    }

    /// Returns the number of rows changed since the connection was opened.
    pub fn changes(&self) -> u64 {
        self.raw.total_changes()
    }

    fn with<T>(
        &self,
        sql: &'static str,
        args: &[Arg<'_>],
        work: impl FnOnce(&mut CachedStatement<'_>) -> rusqlite::Result<T>,
    ) -> Result<T> {
        let mut texts = self.texts.borrow_mut();
        let key = (sql.as_ptr() as usize, sql.len());
        let text = texts.entry(key).or_insert_with(|| numbered(sql));
        let run = || {
            let mut statement = self.raw.prepare_cached(text)?;
            for (index, arg) in args.iter().enumerate() {
                statement.raw_bind_parameter(index + 1, bound(arg)?)?;
            }
            work(&mut statement)
        };
        run().map_err(|e| refused(&e, sql))
    }
}

/// SQLite reads `$2` as a name, numbered by its first use; `?2` is the second parameter.
fn numbered(sql: &str) -> Box<str> {
    let mut text = String::with_capacity(sql.len());
    let mut rest = sql.chars().peekable();
    while let Some(letter) = rest.next() {
        let number = letter == '$' && rest.peek().is_some_and(char::is_ascii_digit);
        text.push(if number { '?' } else { letter });
    }
    text.into()
}

fn bound<'a>(arg: &'a Arg<'_>) -> rusqlite::Result<ToSqlOutput<'a>> {
    Ok(match arg {
        Arg::Null => ToSqlOutput::Owned(Stored::Null),
        Arg::Bool(flag) => ToSqlOutput::Owned(Stored::Integer(i64::from(*flag))),
        Arg::Int(number) => ToSqlOutput::Owned(Stored::Integer(*number)),
        Arg::Text(text) if text.contains('\0') => {
            return Err(rusqlite::Error::ToSqlConversionFailure(Box::new(ZeroByte)));
        }
        Arg::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
        Arg::Id(id) => ToSqlOutput::Borrowed(ValueRef::Blob(id.as_bytes())),
        Arg::Bytes(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
    })
}

fn fill(columns: &mut Vec<Value>, row: &rusqlite::Row<'_>, width: usize) -> rusqlite::Result<()> {
    for index in 0..width {
        columns.push(value_of(row.get_ref(index)?, index)?);
    }
    Ok(())
}

fn value_of(value: ValueRef<'_>, index: usize) -> rusqlite::Result<Value> {
    let kind = value.data_type();
    let failed = |error: FromSqlError| {
        rusqlite::Error::FromSqlConversionFailure(index, kind, Box::new(error))
    };
    Ok(match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Int(number),
        ValueRef::Real(_) => return Err(failed(FromSqlError::InvalidType)),
        ValueRef::Text(_) => Value::Text(value.as_str().map_err(failed)?.to_owned()),
        ValueRef::Blob(bytes) => Value::of_bytes(bytes),
    })
}

/// Classifies the engine's errors by what the caller may conclude.
pub fn refused(error: &rusqlite::Error, sql: &str) -> Error {
    let message = error.to_string();
    match error {
        rusqlite::Error::FromSqlConversionFailure(..) => return Error::Row(message),
        rusqlite::Error::ToSqlConversionFailure(cause) if cause.is::<ZeroByte>() => {
            return ZeroByte.into();
        }
        _ => {}
    }
    match error.sqlite_error_code() {
        Some(
            ErrorCode::DiskFull
            | ErrorCode::SystemIoFailure
            | ErrorCode::CannotOpen
            | ErrorCode::ReadOnly
            | ErrorCode::OutOfMemory
            | ErrorCode::DatabaseCorrupt
            | ErrorCode::NotADatabase
            | ErrorCode::OperationInterrupted,
        ) => Error::Unavailable(message),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Error::Busy,
        _ => Error::Statement { message, sql: sql.into() },
    }
}
