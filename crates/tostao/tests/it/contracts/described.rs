//! Whether a value is as the document describes it, and holds nothing that it leaves out.

use serde_json::{Map, Value, json};

/// What is wrong with a value, each with its path.
pub fn faults(document: &Value, schema: &Value, value: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    check(document, schema, value, "", &mut faults);
    faults
}

#[test]
fn a_field_that_is_missing_or_misfits_or_is_not_described_is_found() {
    let document = json!({ "components": { "schemas": {
        "Name": { "type": ["string", "null"] },
        "Paid": { "oneOf": [{ "const": "PAID" }, { "enum": ["OPEN"] }] },
    } } });
    let named = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    let envelope = json!({ "properties": { "id": { "type": "integer" } }, "required": ["id"] });
    let own = json!({ "type": "object", "properties": {
        "name": named("Name"),
        "status": named("Paid"),
        "notes": { "type": "object", "additionalProperties": { "type": "string" } },
        "list": { "type": "array", "items": { "type": "boolean" } },
    } });
    let schema = json!({ "allOf": [envelope, own] });
    let good = json!({
        "id": 1, "name": null, "status": "OPEN", "notes": { "a": "b" }, "list": [true],
    });
    assert_eq!(faults(&document, &schema, &good), Vec::<String>::new());
    let bad = json!({
        "name": 1, "status": "LOST", "notes": { "a": 1 }, "list": [true, 0], "extra": true,
    });
    let expected = [
        ".id: missing",
        ".extra: not described",
        ".list[1]: 0 is not boolean",
        ".name: 1 is not string or null",
        ".notes.a: 1 is not string",
        ".status: \"LOST\" fits no alternative",
    ];
    assert_eq!(faults(&document, &schema, &bad), expected);
}

fn check(document: &Value, schema: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
    let schema = merged(document, schema);
    for alternatives in ["anyOf", "oneOf"].iter().filter_map(|word| schema.get(*word)) {
        let mut alternatives = alternatives.as_array().expect("is a list").iter();
        if !alternatives.any(|schema| self::faults(document, schema, value).is_empty()) {
            faults.push(format!("{at}: {value} fits no alternative"));
        }
    }
    let is_other = schema.get("const").is_some_and(|only| only != value);
    let is_unlisted = schema.get("enum").is_some_and(|listed| !list(listed).contains(&value));
    if is_other || is_unlisted {
        faults.push(format!("{at}: {value} is not allowed"));
    }
    let kinds: Vec<_> = schema.get("type").map(list).unwrap_or_default();
    if !kinds.is_empty() && !kinds.iter().any(|kind| is_of(kind, value)) {
        let kinds: Vec<_> = kinds.iter().filter_map(|kind| kind.as_str()).collect();
        faults.push(format!("{at}: {value} is not {}", kinds.join(" or ")));
    }
    if let Some(fields) = value.as_object() {
        check_fields(document, &schema, fields, at, faults);
    }
    for (index, entry) in value.as_array().into_iter().flatten().enumerate() {
        check(document, &schema["items"], entry, &format!("{at}[{index}]"), faults);
    }
}

fn check_fields(
    document: &Value,
    schema: &Map<String, Value>,
    fields: &Map<String, Value>,
    at: &str,
    faults: &mut Vec<String>,
) {
    let required = schema.get("required").map(list).unwrap_or_default();
    let missing = required.iter().filter_map(|name| name.as_str());
    let missing = missing.filter(|name| !fields.contains_key(*name));
    faults.extend(missing.map(|name| format!("{at}.{name}: missing")));
    let Some(properties) = schema.get("properties") else {
        return check_entries(document, schema, fields, at, faults);
    };
    for (name, value) in fields {
        match properties.get(name) {
            Some(property) => check(document, property, value, &format!("{at}.{name}"), faults),
            None => faults.push(format!("{at}.{name}: not described")),
        }
    }
}

/// A map has names of its own choice.
fn check_entries(
    document: &Value,
    schema: &Map<String, Value>,
    fields: &Map<String, Value>,
    at: &str,
    faults: &mut Vec<String>,
) {
    let Some(entry) = schema.get("additionalProperties").filter(|entry| entry.is_object()) else {
        return;
    };
    for (name, value) in fields {
        check(document, entry, value, &format!("{at}.{name}"), faults);
    }
}

/// A schema with what it refers to and consists of; of two equal names the later one counts.
fn merged(document: &Value, schema: &Value) -> Map<String, Value> {
    let mut whole = Map::new();
    if let Some(name) = schema["$ref"].as_str() {
        let pointer = name.trim_start_matches('#');
        let target = document.pointer(pointer).unwrap_or_else(|| panic!("{name} is nowhere"));
        whole = merged(document, target);
    }
    for part in schema["allOf"].as_array().into_iter().flatten() {
        for (word, value) in merged(document, part) {
            add(&mut whole, word, value);
        }
    }
    for (word, value) in schema.as_object().into_iter().flatten() {
        if !["$ref", "allOf"].contains(&word.as_str()) {
            add(&mut whole, word.clone(), value.clone());
        }
    }
    whole
}

fn add(whole: &mut Map<String, Value>, word: String, value: Value) {
    match (whole.get_mut(&word), value) {
        (Some(Value::Object(known)), Value::Object(more)) if word == "properties" => {
            known.extend(more);
        }
        (Some(Value::Array(known)), Value::Array(more)) if word == "required" => {
            known.extend(more);
        }
        (_, value) => drop(whole.insert(word, value)),
    }
}

/// The entries of a list, or the one that stands for itself.
fn list(value: &Value) -> Vec<&Value> {
    value.as_array().map_or_else(|| vec![value], |entries| entries.iter().collect())
}

fn is_of(kind: &Value, value: &Value) -> bool {
    match kind.as_str() {
        Some("null") => value.is_null(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_i64(),
        Some("number") => value.is_number(),
        Some("string") => value.is_string(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => false,
    }
}
