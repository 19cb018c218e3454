//! The OpenAPI document, for features that follow it at run time.

use std::sync::OnceLock;

use serde_json::Value;

static SOURCE: OnceLock<fn() -> Value> = OnceLock::new();

/// Names where the document comes from, so that a server starts without making it.
pub fn learn(source: fn() -> Value) {
    SOURCE.get_or_init(|| source);
}

/// Makes the document, which takes megabytes: a caller keeps what it needs of it. Null before its
/// source is named.
pub fn document() -> Value {
    SOURCE.get().map_or(Value::Null, |source| source())
}
