//! Texts of the document, as the pages show them.

use serde_json::Value;

/// Text on one line without Markdown's backquotes, which a page would show.
pub fn plain(text: &str) -> String {
    text.replace('\n', " ").replace('`', "")
}

/// The part of an address that names a tag or an operation.
pub fn anchor(text: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    text.chars().map(safe).collect()
}

/// A value's text; empty if it has none.
pub fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
