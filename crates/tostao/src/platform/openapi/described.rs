//! The OpenAPI document, for features that follow it at run time.

use std::sync::OnceLock;

use serde_json::Value;

static SOURCE: OnceLock<fn() -> Value> = OnceLock::new();
static DOCUMENT: OnceLock<Value> = OnceLock::new();

/// Names where the document comes from. It is made when it is first needed, so that a server starts
/// without it.
pub fn learn(source: fn() -> Value) {
    SOURCE.get_or_init(|| source);
}

/// The document; null before its source is named.
pub fn document() -> &'static Value {
    match SOURCE.get() {
        Some(source) => DOCUMENT.get_or_init(source),
        None => &Value::Null,
    }
}
