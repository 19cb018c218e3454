//! The OpenAPI document and the credentials of its routes, for features that follow them at run
//! time.

use std::collections::HashMap;
use std::sync::OnceLock;

use serde_json::Value;

use crate::platform::openapi::operation::Security;

/// The credentials that each route requires, by its method and pattern.
pub type Requirements = HashMap<String, Option<Security>>;

static SOURCE: OnceLock<fn() -> Value> = OnceLock::new();
static REQUIREMENTS_SOURCE: OnceLock<fn() -> Requirements> = OnceLock::new();
static REQUIREMENTS: OnceLock<Requirements> = OnceLock::new();

/// Names where the document and the routes come from, so that a server starts without making them.
pub fn learn(source: fn() -> Value, requirements: fn() -> Requirements) {
    SOURCE.get_or_init(|| source);
    REQUIREMENTS_SOURCE.get_or_init(|| requirements);
}

/// The credentials that a route requires, such as `POST /api/v1/transactions`; `None` for a public
/// one, and for one that is none of the API's.
pub fn required(route: &str) -> Option<Security> {
    let source = REQUIREMENTS_SOURCE.get()?;
    REQUIREMENTS.get_or_init(source).get(route).copied().flatten()
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
