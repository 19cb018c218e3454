//! Statement parameters and row columns.

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
    /// 32 bytes, of which most are hashes.
    Hash([u8; 32]),
    Bytes(Vec<u8>),
}

/// A type that can be a statement parameter.
pub trait ToArg {
    /// Borrows the value for a statement.
    fn to_arg(&self) -> Arg<'_>;
}

/// A type that can be read from a column.
pub trait FromValue: Sized {
    /// Converts the value; `None` if it has another type.
    fn from_value(value: Value) -> Option<Self>;
}

impl Value {
    /// Bytes; those of the length of an ID or of a hash need no allocation.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Self {
        if let Ok(id) = Uuid::from_slice(bytes) {
            return Self::Id(id);
        }
        bytes.try_into().map_or_else(|_| Self::Bytes(bytes.to_vec()), Self::Hash)
    }
}

/// Lists the parameters of a statement, in the order of `$1`, `$2` and so on.
#[macro_export]
macro_rules! args {
    ($($value:expr),* $(,)?) => {
        &[$($crate::value::ToArg::to_arg(&$value)),*]
    };
}

/// Joins texts into one search text that [`pattern`] matches against.
///
/// Rust does the case folding, because the engines disagree on it beyond ASCII.
pub fn searchable<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let texts: Vec<_> = texts.into_iter().map(str::to_lowercase).collect();
    // Search terms contain no line break, so no match spans two texts.
    texts.join("\n")
}

/// A pattern for `… like $1 escape '\\'` that matches `text` anywhere in a text from
/// [`searchable`].
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

/// One row, read column by column in the order of the statement.
#[derive(Debug)]
pub struct Row {
    columns: Vec<Value>,
    taken: usize,
}

impl Row {
    pub(crate) fn new(columns: Vec<Value>) -> Self {
        Self { columns, taken: 0 }
    }

    /// Fills it with the columns of another row.
    pub(crate) fn refill(&mut self) -> &mut Vec<Value> {
        self.taken = 0;
        self.columns.clear();
        &mut self.columns
    }

    /// Reads the next column.
    pub fn take<T: FromValue>(&mut self) -> Result<T> {
        let column = self.columns.get_mut(self.taken);
        self.taken += 1;
        let column = column.ok_or_else(|| Error::Row(format!("no column {}", self.taken)))?;
        let value = std::mem::replace(column, Value::Null);
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
        Value::Hash(_) | Value::Bytes(_) => "bytes",
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
            Value::Hash(bytes) => Some(bytes.to_vec()),
            Value::Id(id) => Some(id.as_bytes().to_vec()),
            _ => None,
        }
    }
}

impl FromValue for [u8; 32] {
    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Hash(bytes) => Some(bytes),
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
