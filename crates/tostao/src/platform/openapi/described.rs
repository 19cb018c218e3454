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

/// Every operation of a document: path, method and description.
pub fn operations(document: &Value) -> Vec<(&str, &str, &Value)> {
    let paths = document["paths"].as_object().into_iter().flatten();
    paths
        .flat_map(|(path, methods)| {
            let methods = methods.as_object().into_iter().flatten();
            methods.map(move |(method, operation)| (path.as_str(), method.as_str(), operation))
        })
        .collect()
}
