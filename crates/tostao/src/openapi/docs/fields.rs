//! Schemas as flat tables: one row for each field, named by its path.

use std::fmt::Display;

use serde_json::{Value, json};

use crate::openapi::docs::texts::{plain, word};
use crate::openapi::docs::usual;

const REFERENCE: &str = "#/components/schemas/";
/// Deeper than any body may be nested, so only a recursive schema gets there.
const DEPTH_MAX: usize = 16;

/// One field of a body, or one parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldRow {
    /// Its path, like `products[].quantity`.
    pub name: String,
    /// Its type, like `string (uuid) or null`.
    pub kind: String,
    /// Whether it must be sent, or is always present.
    pub required: bool,
    /// Its description.
    pub meaning: String,
    /// Its constraints, like `1 to 255 characters`.
    pub limits: String,
    /// The allowed values, if they are few.
    pub values: Vec<Choice>,
}

/// One value of an enum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    pub name: String,
    /// Its description, if it has one.
    pub meaning: String,
}

/// The schemas of a document.
#[derive(Debug, Clone, Copy)]
pub struct Schemas<'a>(&'a Value);

/// A schema with its references and its "or null" resolved.
#[derive(Debug, Clone, Copy)]
pub struct Resolved<'a> {
    pub schema: &'a Value,
    nullable: bool,
}

impl<'a> Schemas<'a> {
    /// The schemas under the document's components.
    pub fn of(document: &'a Value) -> Self {
        Self(&document["components"]["schemas"])
    }

    /// Lists the fields of a body, the required ones first.
    pub fn rows(self, schema: &'a Value) -> Vec<FieldRow> {
        let mut rows = Vec::new();
        self.add_fields(&mut rows, schema, "", 0);
        rows
    }

    /// Describes one value, such as a parameter.
    pub fn row(self, name: String, schema: &'a Value, required: bool) -> FieldRow {
        let Resolved { schema: resolved, nullable } = self.resolve(schema);
        let own = &schema["description"];
        let own = if own.is_string() { own } else { &resolved["description"] };
        let own = plain(&word(own));
        let null = if nullable { " or null" } else { "" };
        FieldRow {
            meaning: if own.is_empty() { usual::meaning(&name).to_owned() } else { own },
            name,
            kind: format!("{}{null}", self.kind(resolved)),
            required,
            limits: limits(resolved),
            values: self.choices(resolved),
        }
    }

    /// Follows references and removes "or null".
    pub fn resolve(self, schema: &'a Value) -> Resolved<'a> {
        let (mut schema, mut nullable) = (schema, is_null_allowed(schema));
        for _ in 0..DEPTH_MAX {
            let named = schema["$ref"].as_str().and_then(|name| name.strip_prefix(REFERENCE));
            let next = match (named, alternatives(schema).as_slice()) {
                (Some(name), _) => &self.0[name],
                (None, [only]) => only,
                (None, _) => break,
            };
            schema = next;
            nullable |= is_null_allowed(schema);
        }
        Resolved { schema, nullable }
    }

    fn add_fields(self, rows: &mut Vec<FieldRow>, schema: &'a Value, under: &str, depth: usize) {
        if depth > DEPTH_MAX {
            return;
        }
        let schema = self.resolve(schema).schema;
        if schema["items"].is_object() {
            return self.add_fields(rows, &schema["items"], &format!("{under}[]"), depth + 1);
        }
        let required = |name: &str| {
            schema["required"].as_array().into_iter().flatten().any(|known| known == name)
        };
        let mut fields: Vec<_> = schema["properties"].as_object().into_iter().flatten().collect();
        fields.sort_by_key(|(name, _)| !required(name));
        for (name, field) in fields {
            let path = if under.is_empty() { name.clone() } else { format!("{under}.{name}") };
            rows.push(self.row(path.clone(), field, required(name)));
            self.add_fields(rows, field, &path, depth + 1);
        }
    }

    /// The values of an enum, or of a list's entries.
    fn choices(self, schema: &'a Value) -> Vec<Choice> {
        let entries = &schema["items"];
        if entries.is_object() { values(self.resolve(entries).schema) } else { values(schema) }
    }

    fn kind(self, schema: &'a Value) -> String {
        if !values(schema).is_empty() {
            return "string".to_owned();
        }
        match (type_name(schema), schema["format"].as_str()) {
            (Some("array"), _) => {
                format!("list of {}", self.kind(self.resolve(&schema["items"]).schema))
            }
            // The width of a number does not matter in JSON.
            (Some("string"), Some(format)) => format!("string ({format})"),
            (Some(name), _) => name.to_owned(),
            (None, _) => "any value".to_owned(),
        }
    }
}

/// The schema of a body or a reply.
pub fn json_schema(part: &Value) -> &Value {
    &part["content"]["application/json"]["schema"]
}

/// The only type of a schema, "or null" left out.
pub fn type_name(schema: &Value) -> Option<&str> {
    match &schema["type"] {
        Value::String(name) => Some(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).find(|name| *name != "null"),
        _ => None,
    }
}

/// The values of an enum.
pub fn values(schema: &Value) -> Vec<Choice> {
    let of = |choice: &Value| -> Vec<Choice> {
        let meaning = plain(&word(&choice["description"]));
        let listed = choice["enum"].as_array().into_iter().flatten();
        let names = listed.chain(Some(&choice["const"])).filter_map(Value::as_str);
        names.map(|name| Choice { name: name.to_owned(), meaning: meaning.clone() }).collect()
    };
    if let Some(listed) = schema["enum"].as_array() {
        return of(&json!({ "enum": listed }));
    }
    schema["oneOf"].as_array().into_iter().flatten().flat_map(of).collect()
}

fn alternatives(schema: &Value) -> Vec<&Value> {
    let choices = schema["anyOf"].as_array().into_iter().flatten();
    choices.filter(|choice| choice["type"] != "null").collect()
}

fn is_null_allowed(schema: &Value) -> bool {
    let in_types = schema["type"].as_array().into_iter().flatten().any(|name| name == "null");
    let mut choices = schema["anyOf"].as_array().into_iter().flatten();
    in_types || choices.any(|choice| choice["type"] == "null")
}

/// The constraints of a value, in words.
fn limits(schema: &Value) -> String {
    let of = |low: &str, high: &str, unit: &str| {
        range(schema[low].as_number(), schema[high].as_number(), unit)
    };
    let unit = if type_name(schema) == Some("string") { " characters" } else { "" };
    let parts = [
        of("minLength", "maxLength", unit),
        of("minItems", "maxItems", " entries"),
        of("minimum", "maximum", ""),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn range(low: Option<impl Display>, high: Option<impl Display>, unit: &str) -> Option<String> {
    match (low, high) {
        (Some(low), Some(high)) => Some(format!("{low} to {high}{unit}")),
        (Some(low), None) => Some(format!("at least {low}{unit}")),
        (None, Some(high)) => Some(format!("at most {high}{unit}")),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Choice, Schemas};

    #[test]
    fn a_body_becomes_one_row_a_field_with_those_required_first() {
        let document = json!({ "components": { "schemas": {
            "Body": {
                "type": "object",
                "required": ["title", "items"],
                "properties": {
                    "note": { "type": ["string", "null"], "maxLength": 9, "description": "Free." },
                    "status": {
                        "anyOf": [{ "$ref": "#/components/schemas/Status" }, { "type": "null" }],
                    },
                    "items": {
                        "type": "array", "minItems": 1,
                        "items": { "$ref": "#/components/schemas/Item" },
                    },
                    "title": { "type": "string", "minLength": 1, "maxLength": 255 },
                    "wanted": {
                        "type": "array", "items": { "$ref": "#/components/schemas/Status" },
                    },
                },
            },
            "Item": {
                "type": "object",
                "required": ["id"],
                "properties": { "id": { "type": "string", "format": "uuid" } },
            },
            "Status": { "oneOf": [
                { "type": "string", "const": "PAID", "description": "All of it." },
                { "type": "string", "enum": ["OPEN"] },
            ] },
        } } });
        let body = json!({ "$ref": "#/components/schemas/Body" });
        let rows: Vec<_> = Schemas::of(&document)
            .rows(&body)
            .into_iter()
            .map(|row| {
                let value = |value: &Choice| format!("{}={}", value.name, value.meaning);
                let values: Vec<_> = row.values.iter().map(value).collect();
                let must = if row.required { "*" } else { "" };
                format!("{}{must}: {} [{}] {}", row.name, row.kind, row.limits, values.join(" "))
            })
            .collect();
        let expected = [
            "items*: list of object [at least 1 entries] ",
            "items[].id*: string (uuid) [] ",
            "title*: string [1 to 255 characters] ",
            "note: string or null [at most 9 characters] ",
            "status: string or null [] PAID=All of it. OPEN=",
            "wanted: list of string [] PAID=All of it. OPEN=",
        ];
        assert_eq!(rows, expected);
    }

    #[test]
    fn a_schema_that_holds_itself_ends() {
        let document = json!({ "components": { "schemas": {
            "Node": {
                "type": "object",
                "properties": { "next": { "$ref": "#/components/schemas/Node" } },
            },
        } } });
        let node = json!({ "$ref": "#/components/schemas/Node" });
        assert!(Schemas::of(&document).rows(&node).len() < 32);
    }
}
