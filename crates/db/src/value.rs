//! What goes into a statement and what comes out of a row.

use uuid::Uuid;

use crate::error::{Error, Result};
use crate::time::Timestamp;

/// One parameter of a statement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Arg<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Text(&'a str),
    Id(Uuid),
    Bytes(&'a [u8]),
}

/// One column of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Text(String),
    Id(Uuid),
    Bytes(Vec<u8>),
}

/// A type that can stand as a parameter.
pub trait ToArg {
    /// Lends the value to a statement.
    fn to_arg(&self) -> Arg<'_>;
}

/// A type that can be read from a column.
pub trait FromValue: Sized {
    /// Takes the value; `None` if it is of another kind.
    fn from_value(value: Value) -> Option<Self>;
}

/// Lists the parameters of a statement, in the order of `$1`, `$2` and so on.
#[macro_export]
macro_rules! args {
    ($($value:expr),* $(,)?) => {
        &[$($crate::value::ToArg::to_arg(&$value)),*]
    };
}

/// Writes texts down as one that [`pattern`] is looked for in.
///
/// What is a capital letter beyond ASCII is for Rust to say: engines do not agree on it.
pub fn searchable<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let texts: Vec<_> = texts.into_iter().map(str::to_lowercase).collect();
    // Nobody looks for a line break, so nothing is found where one text ends and the next begins.
    texts.join("\n")
}

/// A pattern for `… like $1 escape '\\'` that finds `text` anywhere in what [`searchable`] wrote.
pub fn pattern(text: &str) -> String {
    let mut pattern = String::from("%");
    for character in text.to_lowercase().chars() {
        if matches!(character, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}

/// One row, read column by column in the order the statement names them.
#[derive(Debug)]
pub struct Row {
    columns: std::vec::IntoIter<Value>,
    taken: usize,
}

impl Row {
    pub(crate) fn new(columns: Vec<Value>) -> Self {
        Self { columns: columns.into_iter(), taken: 0 }
    }

    /// Takes the next column.
    pub fn take<T: FromValue>(&mut self) -> Result<T> {
        self.taken += 1;
        let value = self.columns.next();
        let value = value.ok_or_else(|| Error::Row(format!("no column {}", self.taken)))?;
        let shown = kind(&value);
        T::from_value(value).ok_or_else(|| {
            let wanted = std::any::type_name::<T>();
            Error::Row(format!("column {} is {shown}, not {wanted}", self.taken))
        })
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Int(_) => "an integer",
        Value::Text(_) => "text",
        Value::Id(_) => "an id",
        Value::Bytes(_) => "bytes",
    }
}

impl ToArg for bool {
    fn to_arg(&self) -> Arg<'_> {
        Arg::Bool(*self)
    }
}

impl ToArg for i64 {
    fn to_arg(&self) -> Arg<'_> {
        Arg::Int(*self)
    }
}

impl ToArg for str {
    fn to_arg(&self) -> Arg<'_> {
        Arg::Text(self)
    }
}

impl ToArg for String {
    fn to_arg(&self) -> Arg<'_> {
        Arg::Text(self)
    }
}

impl ToArg for Uuid {
    fn to_arg(&self) -> Arg<'_> {
        Arg::Id(*self)
    }
}

impl ToArg for Timestamp {
    fn to_arg(&self) -> Arg<'_> {
        Arg::Int(self.micros())
    }
}

impl ToArg for [u8] {
    fn to_arg(&self) -> Arg<'_> {
        Arg::Bytes(self)
    }
}

impl<const N: usize> ToArg for [u8; N] {
    fn to_arg(&self) -> Arg<'_> {
        Arg::Bytes(self)
    }
}

impl ToArg for Vec<u8> {
    fn to_arg(&self) -> Arg<'_> {
        Arg::Bytes(self)
    }
}

impl<T: ToArg> ToArg for Option<T> {
    fn to_arg(&self) -> Arg<'_> {
        self.as_ref().map_or(Arg::Null, ToArg::to_arg)
    }
}

impl<T: ToArg + ?Sized> ToArg for &T {
    fn to_arg(&self) -> Arg<'_> {
        (**self).to_arg()
    }
}

impl FromValue for bool {
    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Bool(flag) => Some(flag),
            Value::Int(flag @ (0 | 1)) => Some(flag == 1),
            _ => None,
        }
    }
}

impl FromValue for i64 {
    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Int(number) => Some(number),
            _ => None,
        }
    }
}

impl FromValue for String {
    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl FromValue for Uuid {
    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Id(id) => Some(id),
            Value::Bytes(bytes) => Uuid::from_slice(&bytes).ok(),
            _ => None,
        }
    }
}

impl FromValue for Timestamp {
    fn from_value(value: Value) -> Option<Self> {
        i64::from_value(value).map(Self::from_micros)
    }
}

impl FromValue for Vec<u8> {
    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Null => Some(None),
            present => T::from_value(present).map(Some),
        }
    }
}
