//! The entries of a bank's message: several payments or orders at once, each read on its own.
//!
//! An entry that cannot be read does not block the others, and is not lost: its feature decides
//! what becomes of it.

use std::collections::HashMap;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use strict_json::StructsFromMaps;

use crate::error::ProviderError;

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
///
/// Payers type parts of an entry, and a bank may pass on any bytes of theirs. The message is
/// authenticated already, so such text is replaced instead of refused.
pub fn read_entries<M: DeserializeOwned, E: DeserializeOwned, T>(
    body: &[u8],
    list: impl FnOnce(M) -> Vec<Box<RawValue>>,
    reference: &str,
    read: impl Fn(E) -> Option<T>,
) -> Result<Vec<Entry<T>>, ProviderError> {
    let text = without_controls(&String::from_utf8_lossy(body));
    let message = text.trim_start().starts_with('{').then(|| serde_json::from_str(&text).ok());
    let Some(message) = message.flatten() else {
        let message = "the message is no JSON object with one list of entries";
        return Err(ProviderError::refused(message));
    };
    let read = |entry: Box<RawValue>| {
        let mut json = serde_json::Deserializer::from_str(entry.get());
        let readable = E::deserialize(StructsFromMaps(&mut json)).ok().and_then(&read);
        readable.ok_or_else(|| Unreadable {
            text: entry.get().to_owned(),
            reference: named(&entry, reference).unwrap_or_default(),
        })
    };
    Ok(list(message).into_iter().map(read).collect())
}

/// The name in a field of an entry that cannot be read as a whole.
fn named(entry: &RawValue, field: &str) -> Option<String> {
    let fields: HashMap<String, &RawValue> = serde_json::from_str(entry.get()).ok()?;
    let name: String = serde_json::from_str(fields.get(field)?.get()).ok()?;
    is_name(&name).then_some(name)
}

/// Replaces the control characters that JSON does not allow in its strings.
fn without_controls(json: &str) -> String {
    let (mut quoted, mut escaped) = (false, false);
    let replaced = json.chars().map(|letter| {
        match letter {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ => {}
        }
        if quoted && letter < ' ' { char::REPLACEMENT_CHARACTER } else { letter }
    });
    replaced.collect()
}

/// Whether a bank's text can identify a charge, an order or a payment.
pub fn is_name(text: &str) -> bool {
    (1..=NAME_LENGTH_MAX).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}
