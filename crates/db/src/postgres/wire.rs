//! Parameters, columns and errors in PostgreSQL's representation.

use bytes::{BufMut, BytesMut};
use tokio_postgres::error::{DbError, Severity, SqlState};
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use uuid::Uuid;

use crate::error::{Error, Result, ZeroByte};
use crate::value::{Arg, Row, Value};

type Failure = Box<dyn std::error::Error + Sync + Send>;

/// Parameters that outlive the call, for statements that are not awaited.
pub fn owned(args: &[Arg<'_>]) -> Vec<Value> {
    args.iter().map(|arg| arg.owned()).collect()
}

impl Arg<'_> {
    fn owned(self) -> Value {
        match self {
            Arg::Null => Value::Null,
            Arg::Bool(flag) => Value::Bool(flag),
            Arg::Int(number) => Value::Int(number),
            Arg::Text(text) => Value::Text(text.into()),
            Arg::Id(id) => Value::Id(id),
            Arg::Bytes(bytes) => Value::Bytes(bytes.to_vec()),
        }
    }
}

impl Value {
    fn borrowed(&self) -> Arg<'_> {
        match self {
            Value::Null => Arg::Null,
            Value::Bool(flag) => Arg::Bool(*flag),
            Value::Int(number) => Arg::Int(*number),
            Value::Text(text) => Arg::Text(text),
            Value::Id(id) => Arg::Id(*id),
            Value::Hash(bytes) => Arg::Bytes(bytes),
            Value::Bytes(bytes) => Arg::Bytes(bytes),
        }
    }
}

impl ToSql for Arg<'_> {
    fn to_sql(&self, wanted: &Type, out: &mut BytesMut) -> std::result::Result<IsNull, Failure> {
        match (*self, wanted) {
            (Arg::Null, _) => return Ok(IsNull::Yes),
            (Arg::Bool(flag), &Type::BOOL) => out.put_u8(u8::from(flag)),
            (Arg::Int(number), &Type::INT8) => out.put_i64(number),
            (Arg::Int(number), &Type::INT4) => out.put_i32(i32::try_from(number)?),
            (Arg::Text(text), &(Type::TEXT | Type::VARCHAR | Type::UNKNOWN)) => {
                if text.contains('\0') {
                    return Err(ZeroByte.into());
                }
                out.put_slice(text.as_bytes());
            }
            (Arg::Id(id), &Type::UUID) => out.put_slice(id.as_bytes()),
            (Arg::Bytes(bytes), &Type::BYTEA) => out.put_slice(bytes),
            (given, wanted) => return Err(format!("{given:?} for a {wanted}").into()),
        }
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

impl ToSql for Value {
    fn to_sql(&self, wanted: &Type, out: &mut BytesMut) -> std::result::Result<IsNull, Failure> {
        self.borrowed().to_sql(wanted, out)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// Reads a row into values, whatever its columns are.
pub fn row_of(row: &tokio_postgres::Row) -> Result<Row> {
    let columns = row.columns().iter().enumerate();
    let values: Result<Vec<Value>> = columns.map(|(i, c)| value_of(row, i, c.type_())).collect();
    values.map(Row::new)
}

fn value_of(row: &tokio_postgres::Row, index: usize, found: &Type) -> Result<Value> {
    let failed = |error: tokio_postgres::Error| Error::Row(error.to_string());
    let value = match *found {
        Type::BOOL => row.try_get::<_, Option<bool>>(index).map_err(failed)?.map(Value::Bool),
        Type::INT8 => row.try_get::<_, Option<i64>>(index).map_err(failed)?.map(Value::Int),
        Type::INT4 => {
            let number = row.try_get::<_, Option<i32>>(index).map_err(failed)?;
            number.map(|n| Value::Int(i64::from(n)))
        }
        Type::TEXT | Type::VARCHAR => {
            row.try_get::<_, Option<String>>(index).map_err(failed)?.map(Value::Text)
        }
        Type::BYTEA => row.try_get::<_, Option<&[u8]>>(index).map_err(failed)?.map(Value::of_bytes),
        Type::UUID => row.try_get::<_, Option<Id>>(index).map_err(failed)?.map(|i| Value::Id(i.0)),
        ref other => return Err(Error::Row(format!("column {index} is a {other}; cast it"))),
    };
    Ok(value.unwrap_or(Value::Null))
}

struct Id(Uuid);

impl<'a> tokio_postgres::types::FromSql<'a> for Id {
    fn from_sql(_: &Type, raw: &'a [u8]) -> std::result::Result<Self, Failure> {
        Ok(Self(Uuid::from_slice(raw)?))
    }

    fn accepts(wanted: &Type) -> bool {
        *wanted == Type::UUID
    }
}

/// What went wrong.
pub fn message_of(error: &tokio_postgres::Error) -> String {
    error.as_db_error().map_or_else(|| error.to_string(), complaint)
}

/// The engine's message without its detail, which quotes whole rows.
fn complaint(error: &DbError) -> String {
    let (severity, state) = (error.severity(), error.code().code());
    let constraint = error.constraint().map(|name| format!(", {name}")).unwrap_or_default();
    format!("{severity}: {} ({state}{constraint})", error.message())
}

/// Whether the server or a pooler ends the connection with an error, perhaps after a commit was
/// written to the log.
pub fn ends_connection(error: &tokio_postgres::Error) -> bool {
    // A pooler's error has no severity in the form that no language changes, and ends it, too.
    error.as_db_error().is_some_and(|error| error.parsed_severity() != Some(Severity::Error))
}

/// Classifies the engine's errors by what the caller may conclude.
pub fn refused(error: &tokio_postgres::Error, sql: &str) -> Error {
    let message = message_of(error);
    let Some(state) = error.code() else {
        let source = std::error::Error::source(error);
        if source.is_some_and(<dyn std::error::Error>::is::<ZeroByte>) {
            return ZeroByte.into();
        }
        let io = source.is_some_and(<dyn std::error::Error>::is::<std::io::Error>);
        if io || error.is_closed() {
            return Error::Unavailable(message);
        }
        return Error::Statement { message, sql: sql.into() };
    };
    if ends_connection(error) {
        return Error::Unavailable(message);
    }
    match *state {
        SqlState::T_R_SERIALIZATION_FAILURE | SqlState::T_R_DEADLOCK_DETECTED => {
            Error::Collision(message)
        }
        SqlState::LOCK_NOT_AVAILABLE => Error::Busy,
        SqlState::DISK_FULL
        | SqlState::OUT_OF_MEMORY
        | SqlState::TOO_MANY_CONNECTIONS
        | SqlState::QUERY_CANCELED
        | SqlState::ADMIN_SHUTDOWN
        | SqlState::CRASH_SHUTDOWN
        | SqlState::CANNOT_CONNECT_NOW
        | SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT
        | SqlState::READ_ONLY_SQL_TRANSACTION => Error::Unavailable(message),
        _ => Error::Statement { message, sql: sql.into() },
    }
}
