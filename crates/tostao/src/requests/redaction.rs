//! What of a request is stored.
//!
//! Production: numbers, booleans, names from fixed lists, ids and dates, each only in a field whose
//! name the API's description has for it, on any route; any other text keeps its length alone, as
//! `***(12)`. The description decides, so a new field shows nothing until its type says what it
//! holds.
//!
//! Development, where money and people are made up: everything but secrets.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use db::time::Timestamp;
use serde_json::{Value, json};
use url::form_urlencoded;
use uuid::Uuid;

use crate::auth::api_key::ApiKey;
use crate::platform::error::ErrorCode;
use crate::platform::error::field_codes::is_described;
use crate::platform::http::card_data;
use crate::platform::ids::Mode;
use crate::platform::openapi::described;

/// The longest body that is stored.
const BODY_CHARS_MAX: usize = 4_096;
/// A longer text in a body is cut, so that an image does not take the place of the rest.
const TEXT_CHARS_MAX: usize = 200;
/// The longest path of a field that is stored.
const FIELD_CHARS_MAX: usize = 255;
/// The longest query that is stored.
const QUERY_CHARS_MAX: usize = 500;
/// The merchant's own number, by which they find the request.
const OWN_NUMBER: &str = "externalId";
/// Parameters of a query whose values name or open something.
const PERSONAL: [&str; 4] = ["q", "email", "document", "token"];
/// Parts of the names of fields that hold a secret.
const SECRET_PARTS: [&str; 7] =
    ["password", "secret", "token", "apikey", "certificate", "privatekey", "authorization"];
/// How secrets of webhooks begin.
const WEBHOOK_SECRET: &str = "whsec_";
const HIDDEN: &str = "***";
/// References between schemas are followed so deep.
const DEPTH_MAX: usize = 6;

/// The fields of the API's description, by what they may hold.
static FIELDS: OnceLock<Fields> = OnceLock::new();

/// What is shown of the requests of a mode.
#[derive(Debug, Clone, Copy)]
pub enum Redaction {
    /// What the fields of the description allow.
    Allowed,
    /// All but secrets.
    AllButSecrets,
}

/// What each field may hold, wherever it stands.
#[derive(Debug, Default)]
struct Fields {
    known: HashSet<String>,
    numbers: HashSet<String>,
    ids: HashSet<String>,
    dates: HashSet<String>,
    /// The values of fields that take one of a list.
    names: HashMap<String, HashSet<String>>,
    /// Objects whose keys the caller chooses.
    free: HashSet<String>,
    /// The parameters of queries.
    parameters: HashSet<String>,
}

/// The path of an invalid field, unless the caller chose a part of it.
pub fn field_path(path: &str) -> String {
    let is_known = |part: &str| {
        let (name, places) = part.split_at(part.find('[').unwrap_or(part.len()));
        let is_place = |place: &str| place.bytes().all(|byte| byte.is_ascii_digit());
        let mut places = places.split_inclusive(']');
        fields().is_known(name)
            && places.all(|place| {
                let inner = place.strip_prefix('[').and_then(|place| place.strip_suffix(']'));
                inner.is_some_and(is_place)
            })
    };
    if path.len() <= FIELD_CHARS_MAX && path.split('.').all(is_known) {
        path.to_owned()
    } else {
        mask(path)
    }
}

impl Redaction {
    /// The one of a mode.
    pub fn of(mode: Mode) -> Self {
        match mode {
            Mode::Production => Self::Allowed,
            Mode::Development => Self::AllButSecrets,
        }
    }

    /// A body; `None` if it is empty, no JSON, or holds a card.
    pub fn body(self, body: &[u8]) -> Option<String> {
        self.value(serde_json::from_slice(body).ok()?)
    }

    /// A body that was read already.
    pub fn value(self, mut body: Value) -> Option<String> {
        card_data::refuse(&body).ok()?;
        match self {
            Self::Allowed => fields().redact(None, &mut body),
            Self::AllButSecrets => hide_secrets(&mut body),
        }
        Some(cut(body.to_string(), BODY_CHARS_MAX))
    }

    /// A path, by its route's pattern.
    pub fn path(self, path: &str, route: &str) -> String {
        let parts = path.split('/').zip(route.split('/')).map(|(text, pattern)| {
            let is_chosen = pattern.starts_with('{') && Uuid::try_parse(text).is_err();
            match self {
                Self::Allowed if is_chosen => mask(text),
                _ if is_chosen && opens(text) => mask(text),
                _ => text.to_owned(),
            }
        });
        parts.collect::<Vec<_>>().join("/")
    }

    /// A query string.
    pub fn query(self, query: &str) -> String {
        let mut shown = form_urlencoded::Serializer::new(String::new());
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            let is_known = fields().parameters.contains(&*name);
            let is_shown = !PERSONAL.contains(&&*name)
                && !opens(&value)
                && match self {
                    Self::Allowed => is_known && fields().may_show_in_query(&name, &value),
                    Self::AllButSecrets => !is_secret(&name),
                };
            let is_named = is_known || matches!(self, Self::AllButSecrets) && !opens(&name);
            let name = if is_named { name.into_owned() } else { mask(&name) };
            let value = if is_shown { value.into_owned() } else { mask(&value) };
            shown.append_pair(&name, &value);
        }
        cut(shown.finish(), QUERY_CHARS_MAX)
    }
}

impl Fields {
    fn of(document: &Value) -> Self {
        let mut fields = Self::default();
        fields.read(document, document);
        let codes = ErrorCode::ALL.iter().map(|code| code.name().to_owned());
        fields.names.entry("code".to_owned()).or_default().extend(codes);
        fields
    }

    /// Reads every object's properties, and every parameter of a query, anywhere in a part of the
    /// document.
    fn read(&mut self, document: &Value, part: &Value) {
        match part {
            Value::Array(parts) => parts.iter().for_each(|part| self.read(document, part)),
            Value::Object(parts) => {
                if let Some(Value::Object(properties)) = parts.get("properties") {
                    for (name, schema) in properties {
                        self.known.insert(name.clone());
                        self.note(document, name, schema, 0);
                    }
                }
                if parts.get("in").is_some_and(|place| place == "query")
                    && let Some(Value::String(name)) = parts.get("name")
                {
                    self.parameters.insert(name.clone());
                    self.note(document, name, parts.get("schema").unwrap_or(&Value::Null), 0);
                }
                parts.values().for_each(|part| self.read(document, part));
            }
            _ => {}
        }
    }

    /// Notes what a field may hold.
    fn note(&mut self, document: &Value, name: &str, schema: &Value, depth: usize) {
        if depth > DEPTH_MAX {
            return;
        }
        let Value::Object(parts) = schema else {
            // The schema `true` allows anything.
            if *schema == json!(true) {
                self.free.insert(name.to_owned());
            }
            return;
        };
        if let Some(place) = parts.get("$ref").and_then(Value::as_str)
            && let Some(target) = document.pointer(place.trim_start_matches('#'))
        {
            self.note(document, name, target, depth + 1);
        }
        for key in ["anyOf", "oneOf", "allOf"] {
            for option in parts.get(key).and_then(Value::as_array).into_iter().flatten() {
                self.note(document, name, option, depth + 1);
            }
        }
        if let Some(items) = parts.get("items") {
            self.note(document, name, items, depth + 1);
        }
        let is = |wanted: &str| match parts.get("type") {
            Some(Value::String(kind)) => kind == wanted,
            Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == wanted),
            _ => false,
        };
        if is("integer") || is("number") {
            self.numbers.insert(name.to_owned());
        }
        match parts.get("format").and_then(Value::as_str) {
            Some("uuid") => {
                self.ids.insert(name.to_owned());
            }
            Some("date" | "date-time") => {
                self.dates.insert(name.to_owned());
            }
            _ => {}
        }
        let listed = parts.get("enum").and_then(Value::as_array).into_iter().flatten();
        let values: Vec<_> = listed.chain(parts.get("const")).filter_map(Value::as_str).collect();
        if !values.is_empty() {
            let names = self.names.entry(name.to_owned()).or_default();
            names.extend(values.into_iter().map(str::to_owned));
        }
        if parts.get("additionalProperties").is_some_and(|more| *more != json!(false)) {
            self.free.insert(name.to_owned());
        }
    }

    fn is_known(&self, name: &str) -> bool {
        self.known.contains(name) || self.parameters.contains(name)
    }

    /// Masks what a field must not show.
    fn redact(&self, name: Option<&str>, value: &mut Value) {
        match value {
            Value::Null | Value::Bool(_) => {}
            Value::Number(number) => {
                if !name.is_some_and(|name| self.numbers.contains(name)) {
                    *value = Value::String(mask(&number.to_string()));
                }
            }
            Value::String(text) => {
                if !name.is_some_and(|name| self.may_show(name, text)) {
                    *text = mask(text);
                }
            }
            Value::Array(values) => values.iter_mut().for_each(|value| self.redact(name, value)),
            Value::Object(_) if name.is_some_and(|name| self.free.contains(name)) => {
                mask_all(value);
            }
            Value::Object(members) => {
                let mut masks = Masks::default();
                for (name, mut member) in std::mem::take(members) {
                    if self.is_known(&name) {
                        self.redact(Some(&name), &mut member);
                        members.insert(name, member);
                    } else {
                        mask_all(&mut member);
                        members.insert(masks.name(&name), member);
                    }
                }
            }
        }
    }

    fn may_show_in_query(&self, name: &str, text: &str) -> bool {
        let is_flag = matches!(text, "true" | "false");
        let is_number = self.numbers.contains(name) && text.parse::<i64>().is_ok();
        is_flag || is_number || self.may_show(name, text)
    }

    fn may_show(&self, name: &str, text: &str) -> bool {
        name == OWN_NUMBER && !opens(text)
            || self.names.get(name).is_some_and(|names| names.contains(text))
            || self.ids.contains(name) && Uuid::try_parse(text).is_ok()
            || self.dates.contains(name) && is_date(text)
            || name == "code" && is_described(text)
    }
}

fn fields() -> &'static Fields {
    FIELDS.get_or_init(|| Fields::of(&described::document()))
}

fn is_date(text: &str) -> bool {
    Timestamp::parse(text).is_some() || text.parse::<jiff::civil::Date>().is_ok()
}

/// Masks every value and every name.
fn mask_all(value: &mut Value) {
    match value {
        Value::Null | Value::Bool(_) => {}
        Value::Number(number) => *value = Value::String(mask(&number.to_string())),
        Value::String(text) => *text = mask(text),
        Value::Array(values) => values.iter_mut().for_each(mask_all),
        Value::Object(members) => {
            let mut masks = Masks::default();
            for (name, mut member) in std::mem::take(members) {
                mask_all(&mut member);
                members.insert(masks.name(&name), member);
            }
        }
    }
}

/// The masked names of one object; those of one length get a number each.
#[derive(Debug, Default)]
struct Masks(HashMap<usize, usize>);

impl Masks {
    fn name(&mut self, name: &str) -> String {
        let number = self.0.entry(name.chars().count()).or_default();
        *number += 1;
        match *number {
            1 => mask(name),
            number => format!("{} {number}", mask(name)),
        }
    }
}

/// Hides secrets, and cuts long texts.
fn hide_secrets(value: &mut Value) {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
        Value::String(text) => {
            *text = if opens(text) { HIDDEN.to_owned() } else { short(text) };
        }
        Value::Array(values) => values.iter_mut().for_each(hide_secrets),
        Value::Object(members) => {
            for (name, member) in members {
                if is_secret(name) && !member.is_null() {
                    *member = HIDDEN.into();
                } else {
                    hide_secrets(member);
                }
            }
        }
    }
}

/// Whether a text opens something, or holds a card's number, wherever it stands.
fn opens(text: &str) -> bool {
    ApiKey::is_meant(text) || text.starts_with(WEBHOOK_SECRET) || card_data::stands_in_value(text)
}

/// Whether a field of this name holds a secret.
fn is_secret(name: &str) -> bool {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    let name: String = letters.map(|c| c.to_ascii_lowercase()).collect();
    SECRET_PARTS.iter().any(|part| name.contains(part))
}

/// A text without the query of an address, which may open something, and without its length.
fn short(text: &str) -> String {
    let is_address = text.starts_with("https://") || text.starts_with("http://");
    let shown = match text.split_once('?') {
        Some((address, _)) if is_address => format!("{address}?{HIDDEN}"),
        _ => text.to_owned(),
    };
    let length = shown.chars().count();
    if length <= TEXT_CHARS_MAX {
        return shown;
    }
    let start: String = shown.chars().take(TEXT_CHARS_MAX).collect();
    format!("{start}…({length})")
}

fn mask(text: &str) -> String {
    format!("{HIDDEN}({})", text.chars().count())
}

fn cut(text: String, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => text[..end].to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Fields, Redaction, hide_secrets};

    fn fields() -> Fields {
        Fields::of(&json!({
            "paths": { "/api/x": { "get": { "parameters": [
                { "in": "query", "name": "limit" }, { "in": "path", "name": "id" },
            ] } } },
            "components": { "schemas": {
                "Method": { "oneOf": [{ "const": "PIX" }, { "const": "BOLETO" }] },
                "Charge": { "properties": {
                    "id": { "type": "string", "format": "uuid" },
                    "amount": { "type": ["integer", "null"] },
                    "method": { "anyOf": [
                        { "$ref": "#/components/schemas/Method" }, { "type": "null" },
                    ] },
                    "name": { "type": "string" },
                    "dueDate": { "type": "string", "format": "date" },
                    "createdAt": { "type": "string", "format": "date-time" },
                    "ids": { "type": "array", "items": { "format": "uuid" } },
                    "customer": { "properties": { "document": { "type": "string" } } },
                    "externalId": { "type": "string" },
                    "metadata": { "type": "object", "additionalProperties": true },
                } },
            } },
        }))
    }

    fn redacted(mut body: Value) -> Value {
        fields().redact(None, &mut body);
        body
    }

    #[test]
    fn only_what_a_fields_type_allows_is_shown() {
        let id = "7d9f0c1e-7c1e-7d7a-8242-424242424242";
        let shown = json!({
            "id": id, "amount": 1_000, "method": "PIX", "dueDate": "2026-12-24",
            "createdAt": "2026-12-24T10:00:00Z", "ids": [id], "externalId": "pedido 7",
            "customer": { "document": null }, "name": true,
        });
        assert_eq!(redacted(shown.clone()), shown);
        let table = [
            (json!({ "id": "Fulano" }), json!({ "id": "***(6)" })),
            (json!({ "amount": "12345678909" }), json!({ "amount": "***(11)" })),
            (json!({ "method": "Fulano" }), json!({ "method": "***(6)" })),
            (json!({ "name": "Fulano de Tal" }), json!({ "name": "***(13)" })),
            (json!({ "name": 12_345_678_909_u64 }), json!({ "name": "***(11)" })),
            (json!({ "dueDate": "Fulano" }), json!({ "dueDate": "***(6)" })),
            (json!({ "ids": ["Fulano"] }), json!({ "ids": ["***(6)"] })),
            (json!({ "Fulano": 1 }), json!({ "***(6)": "***(1)" })),
            (
                json!({ "metadata": { "amount": 7, "Fulano": "x", "Cicran": ["y"] } }),
                json!({ "metadata": {
                    "***(6)": ["***(1)"], "***(6) 2": "***(1)", "***(6) 3": "***(1)",
                } }),
            ),
            (
                json!({ "customer": { "document": "12345678909", "x": { "amount": 7 } } }),
                json!({ "customer": {
                    "document": "***(11)", "***(1)": { "***(6)": "***(1)" },
                } }),
            ),
        ];
        for (body, expected) in table {
            assert_eq!(redacted(body.clone()), expected, "{body}");
        }
    }

    #[test]
    fn secrets_are_hidden_in_development_and_the_rest_is_not() {
        let mut body = json!({
            "newPassword": "p", "secret": "s", "manageToken": 7, "key": "tos_dev_x", "name": "Ana",
            "list": ["whsec_x", "https://example.com/a?t=1"], "tokens": { "a": "b" },
        });
        hide_secrets(&mut body);
        let expected = json!({
            "newPassword": "***", "secret": "***", "manageToken": "***", "key": "***",
            "name": "Ana", "list": ["***", "https://example.com/a?***"], "tokens": "***",
        });
        assert_eq!(body, expected);
    }

    #[test]
    fn a_body_that_is_no_json_or_holds_a_card_is_not_kept() {
        let redaction = Redaction::AllButSecrets;
        assert_eq!(redaction.body(b"{\"a\": "), None);
        assert_eq!(redaction.body(br#"{"note": "4242 4242 4242 4242"}"#), None);
        assert_eq!(redaction.body(br#"{"a": 1}"#).as_deref(), Some(r#"{"a":1}"#));
    }

    #[test]
    fn a_path_shows_ids_alone() {
        let id = "7d9f0c1e-7c1e-7d7a-8242-424242424242";
        let (path, route) = (format!("/api/x/{id}/y/fulano"), "/api/x/{id}/y/{name}");
        let shown = Redaction::Allowed.path(&path, route);
        assert_eq!(shown, format!("/api/x/{id}/y/***(6)"));
        assert_eq!(Redaction::AllButSecrets.path(&path, route), path);
    }
}
