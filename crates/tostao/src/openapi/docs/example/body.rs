//! An example of a body: a value for each field that is required or usual.
//!
//! It is accepted as it stands, once its variables have values: what only the reader knows, such as
//! an id, is one.

use serde_json::{Map, Value, json};

use crate::openapi::docs::example::variables::variable;
use crate::openapi::docs::fields::{Schemas, type_name, values};

/// The id in the examples of the schemas.
const SOME_ID: &str = "0190a000-0000-7000-8000-000000000001";

/// Fields that almost every request has, although none of them is required.
const USUAL: [&str; 2] = ["amountCents", "customer"];
const DEPTH_MAX: usize = 8;

/// The body with what is required and what is usual; `None` if the operation takes none.
pub fn body(schemas: Schemas<'_>, schema: &Value, required: bool) -> Option<Value> {
    let example = value(schemas, schema, "", 0);
    let is_empty = example.as_object().is_none_or(Map::is_empty);
    if !is_empty {
        return Some(example);
    }
    // Where nothing is required, one field shows what the request is for.
    let fields = schemas.resolve(schema).schema["properties"].as_object()?;
    let named = fields.iter().find(|(name, _)| *name == "name");
    let (name, field) = named.or_else(|| fields.iter().next()).filter(|_| required)?;
    Some(json!({ name: value(schemas, field, name, 1) }))
}

fn value(schemas: Schemas<'_>, schema: &Value, name: &str, depth: usize) -> Value {
    let schema = schemas.resolve(schema).schema;
    // Where fields depend on each other, the schema has an example of its own.
    if let Some(own) = schema["examples"].get(0) {
        return with_variables(own, name);
    }
    if let Some(first) = values(schema).first() {
        return json!(first.name);
    }
    match type_name(schema) {
        Some("string") => text(schema, name).into(),
        Some("integer" | "number") => number(schema, name),
        Some("boolean") => json!(true),
        Some("array") if depth < DEPTH_MAX => {
            json!([value(schemas, &schema["items"], name, depth + 1)])
        }
        Some("object") if depth < DEPTH_MAX => object(schemas, schema, depth),
        _ => Value::Null,
    }
}

fn object(schemas: Schemas<'_>, schema: &Value, depth: usize) -> Value {
    let required = schema["required"].as_array().into_iter().flatten();
    let mut names: Vec<&str> = required.filter_map(Value::as_str).collect();
    let fields = &schema["properties"];
    names.extend(USUAL.iter().filter(|name| fields[**name].is_object()));
    names.sort_unstable();
    names.dedup();
    let shown = names
        .iter()
        .map(|name| ((*name).to_owned(), value(schemas, &fields[*name], name, depth + 1)));
    Value::Object(shown.collect())
}

/// The example of a schema, with a variable for each id.
fn with_variables(example: &Value, name: &str) -> Value {
    match example {
        Value::String(id) if id == SOME_ID => variable(name).into(),
        Value::Array(entries) => entries.iter().map(|entry| with_variables(entry, name)).collect(),
        Value::Object(fields) => {
            let field =
                |(name, value): (&String, &Value)| (name.clone(), with_variables(value, name));
            Value::Object(fields.iter().map(field).collect())
        }
        other => other.clone(),
    }
}

fn text(schema: &Value, name: &str) -> String {
    let known = match (schema["format"].as_str(), name) {
        (Some("uuid" | "date-time"), _) => return variable(name),
        (Some("email"), _) | (_, "email") => "fulano@example.com",
        (_, "url") => "https://example.com/webhooks",
        (_, "password" | "currentPassword") => "a long password",
        (_, "newPassword") => "another long password",
        (_, "events" | "event") => "transaction.paid",
        (_, "name" | "title" | "description") => "Example",
        (_, "note") => "Compared with the bank's statement.",
        // What only the reader knows, such as a token.
        _ => return variable(name),
    };
    known.to_owned()
}

fn number(schema: &Value, name: &str) -> Value {
    if name.ends_with("Cents") || name == "price" {
        return json!(4_990);
    }
    if schema["minimum"].is_number() { schema["minimum"].clone() } else { json!(1) }
}
