//! The entries of a bank's message: several payments or orders at once, each read on its own.
//!
//! An entry that cannot be read does not block the others, and is not lost: its feature decides
//! what becomes of it.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::platform::http::body::decode;
use crate::platform::http::objects::Objects;
use crate::providers::ProviderError;

const NAME_LENGTH_MAX: usize = 100;

/// An entry, if it can be read.
pub type Entry<T> = Result<T, Unreadable>;

/// An entry that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// The entry as JSON.
    pub text: String,
    /// The charge or order that it names; empty if it names none.
    pub reference: String,
}

/// Reads the entries of a message; `reference` is the field that names an entry's charge or order.
pub fn read_entries<E: DeserializeOwned, T>(
    body: &[u8],
    list: &str,
    reference: &str,
    read: impl Fn(E) -> Option<T>,
) -> Result<Vec<Entry<T>>, ProviderError> {
    let message: Result<Map<String, Value>, _> = decode(body);
    let mut message = message.map_err(|error| ProviderError::Refused(error.to_string()))?;
    let Some(Value::Array(entries)) = message.remove(list) else {
        return Err(ProviderError::Refused(format!("the message has no list {list}")));
    };
    let read = |entry: Value| {
        let readable = E::deserialize(Objects(&entry)).ok().and_then(&read);
        readable.ok_or_else(|| {
            let named = entry.get(reference).and_then(Value::as_str).filter(|text| is_name(text));
            let reference = named.unwrap_or_default().to_owned();
            Unreadable { text: entry.to_string(), reference }
        })
    };
    Ok(entries.into_iter().map(read).collect())
}

/// Whether a bank's text can identify a charge, an order or a payment.
pub fn is_name(text: &str) -> bool {
    (1..=NAME_LENGTH_MAX).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}
