//! An example request that can be pasted into a terminal, generated from the schemas.

use serde_json::{Map, Value, json};

use crate::openapi::docs::fields::{Schemas, type_name, values};
use crate::platform::openapi::operation::Security;

/// Fields that almost every request has, although none of them is required.
const USUAL: [&str; 2] = ["amountCents", "customer"];
const DEPTH_MAX: usize = 8;

/// Writes a request as a `curl` command.
pub fn curl(
    schemas: Schemas<'_>,
    method: &str,
    path: &str,
    needs: Option<Security>,
    operation: &Value,
) -> String {
    let mut words = vec!["curl".to_owned()];
    if method != "GET" {
        words.push(format!("-X {method}"));
    }
    words.push(format!("\"$BASE{}\"", address(path, operation)));
    words.extend(proof(needs).map(|name| format!("\\\n  -H \"Authorization: Bearer ${name}\"")));
    let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
    if let Some(body) = body(schemas, schema, operation["requestBody"]["required"] == true) {
        words.push("\\\n  -H \"Content-Type: application/json\"".to_owned());
        words.push(format!("\\\n  -d '{body}'"));
    }
    words.join(" ")
}

fn proof(needs: Option<Security>) -> Option<&'static str> {
    match needs? {
        Security::Permissions(_) => Some("KEY"),
        Security::Owner | Security::Admin => Some("TOKEN"),
    }
}

/// The path with its parameters and the required query parameters, as shell variables.
fn address(path: &str, operation: &Value) -> String {
    let parts = path.split('/').map(|part| {
        let name = part.strip_prefix('{').and_then(|part| part.strip_suffix('}'));
        name.map_or_else(|| part.to_owned(), variable)
    });
    let mut address = parts.collect::<Vec<_>>().join("/");
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let needed = parameters.filter(|p| p["in"] == "query" && p["required"] == true);
    for (index, name) in needed.filter_map(|parameter| parameter["name"].as_str()).enumerate() {
        let joint = if index == 0 { '?' } else { '&' };
        address = format!("{address}{joint}{name}={}", variable(name));
    }
    address
}

fn variable(name: &str) -> String {
    format!("${}", name.to_ascii_uppercase())
}

fn body(schemas: Schemas<'_>, schema: &Value, required: bool) -> Option<Value> {
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
        return own.clone();
    }
    if let Some(first) = values(schema).first() {
        return json!(first.name);
    }
    match type_name(schema) {
        Some("string") => json!(text(schema, name)),
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

fn text(schema: &Value, name: &str) -> &'static str {
    match (schema["format"].as_str(), name) {
        (Some("uuid"), _) => "0190a000-0000-7000-8000-000000000001",
        (Some("date-time"), _) => "2030-01-31T12:00:00Z",
        (Some("email"), _) | (_, "email") => "ana@example.com",
        (_, "url") => "https://example.com/webhooks",
        (_, "password") => "a long password",
        (_, "events" | "event") => "transaction.paid",
        _ => "…",
    }
}

fn number(schema: &Value, name: &str) -> Value {
    if name.ends_with("Cents") || name == "price" {
        return json!(4_990);
    }
    if schema["minimum"].is_number() { schema["minimum"].clone() } else { json!(1) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::curl;
    use crate::openapi::docs::fields::Schemas;
    use crate::platform::openapi::operation::Security;

    #[test]
    fn an_example_is_that_of_its_schema_if_it_has_one() {
        let schema = json!({
            "type": "object",
            "properties": { "name": { "type": "string" } },
            "examples": [{ "name": "Ana" }],
        });
        let content = json!({ "application/json": { "schema": schema } });
        let operation = json!({ "requestBody": { "required": true, "content": content } });
        let written = curl(Schemas::of(&json!({})), "PUT", "/api/me", None, &operation);
        assert!(written.ends_with("-d '{\"name\":\"Ana\"}'"), "{written}");
    }

    #[test]
    fn an_example_names_its_variables_and_sends_what_is_required() {
        let document = json!({ "components": { "schemas": { "Body": {
            "type": "object",
            "required": ["price", "name"],
            "properties": {
                "name": { "type": "string" },
                "note": { "type": "string" },
                "price": { "type": "integer", "minimum": 1 },
            },
        } } } });
        let schema = json!({ "$ref": "#/components/schemas/Body" });
        let operation = json!({
            "parameters": [{ "name": "token", "in": "query", "required": true }],
            "requestBody": {
                "required": true,
                "content": { "application/json": { "schema": schema } },
            },
        });
        let schemas = Schemas::of(&document);
        let needs = Some(Security::Owner);
        let expected = [
            "curl -X POST \"$BASE/api/things/$ID?token=$TOKEN\" \\",
            "  -H \"Authorization: Bearer $TOKEN\" \\",
            "  -H \"Content-Type: application/json\" \\",
            "  -d '{\"name\":\"…\",\"price\":4990}'",
        ];
        let written = curl(schemas, "POST", "/api/things/{id}", needs, &operation);
        assert_eq!(written, expected.join("\n"));
        assert_eq!(curl(schemas, "GET", "/api/me", None, &json!({})), "curl \"$BASE/api/me\"");
    }
}
