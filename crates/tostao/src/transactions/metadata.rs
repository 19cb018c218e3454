//! The merchant's metadata on a transaction: short keys with scalar values.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value};

use crate::platform::error::FieldFault;

const KEYS_MAX: usize = 50;
const KEY_LENGTH_MAX: usize = 40;
const VALUE_LENGTH_MAX: usize = 500;
/// PostgreSQL stores no U+0000.
const NO_NUL: &str = r"^[^\u0000]*$";

/// How metadata is described; what [`check`] accepts.
#[derive(Debug)]
pub struct Metadata;

impl JsonSchema for Metadata {
    fn schema_name() -> Cow<'static, str> {
        "Metadata".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "description": "The merchant's own key-value pairs: at most 50 keys of up to 40 \
                characters, with strings of up to 500 characters, numbers, booleans or null. No \
                text has the character U+0000.",
            "maxProperties": KEYS_MAX,
            "propertyNames": { "minLength": 1, "maxLength": KEY_LENGTH_MAX, "pattern": NO_NUL },
            "additionalProperties": {
                "type": ["string", "number", "boolean", "null"],
                "maxLength": VALUE_LENGTH_MAX,
                "pattern": NO_NUL,
            },
        })
    }
}

/// Validates the metadata of a new transaction.
pub fn check(given: Option<Map<String, Value>>) -> Result<Value, FieldFault> {
    let map = given.unwrap_or_default();
    if map.len() > KEYS_MAX {
        return Err(FieldFault::new("INVALID_LENGTH", "must have at most 50 keys"));
    }
    let fits = |text: &str, max: usize| text.chars().count() <= max && !text.contains('\0');
    for (key, value) in &map {
        let good = match value {
            Value::String(text) => fits(text, VALUE_LENGTH_MAX),
            Value::Number(_) | Value::Bool(_) | Value::Null => true,
            Value::Array(_) | Value::Object(_) => false,
        };
        if !good || key.is_empty() || !fits(key, KEY_LENGTH_MAX) {
            let message = "must hold keys of 1 to 40 and plain values of at most 500 characters";
            return Err(FieldFault::new("INVALID_VALUE", message));
        }
    }
    Ok(Value::Object(map))
}
