//! What a client compiled yesterday relies on: the document only grows.
//!
//! `surface.txt` has a line for every operation, parameter, field, type and value that the document
//! has ever had. A type may grow where callers send it, and shrink where they receive it. What is
//! added is written there with `UPDATE_SURFACE=1` in the environment of this test. What is lost
//! fails with it, too.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tostao::openapi::docs::operations;
use tostao::routes;

const FILE: &str = "tests/it/contracts/snapshots/surface.txt";
const REQUIRED: &str = " required";
const SCHEMAS: &str = "#/components/schemas/";

/// The lines, each with whether it is required: of a request, or in a response.
type Surface = BTreeMap<String, bool>;

/// Whether fields are sent by callers or by the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sender {
    Caller,
    Server,
}

#[test]
fn the_document_only_grows() {
    let (before, now) = (stored(), surface(&routes::document()));
    let breaks = breaks(&before, &now);
    assert!(
        breaks.is_empty(),
        "programs that exist would break:\n  {}\nWhat goes is deprecated first, with \
         `.deprecated(…)` in routes.rs and a line in docs/changelog.md; after its sunset, or if no \
         release has had it, change its lines in {FILE} by hand.",
        breaks.join("\n  ")
    );
    if before != now {
        assert!(wants_update(), "the document has grown; run with UPDATE_SURFACE=1");
        std::fs::write(path(), text(&now)).expect("the surface can be written");
    }
}

#[test]
fn what_would_break_a_client_is_named_and_what_is_added_is_not() {
    let before = surface(&example(&json!({
        "Draft": { "properties": { "title": {}, "note": {} }, "required": ["title"] },
        "Shown": { "properties": {
            "id": {}, "url": {}, "status": { "oneOf": [{ "const": "OPEN" }, { "const": "PAID" }] },
        }, "required": ["id", "url"] },
    })));
    let mut grown = example(&json!({
        "Draft": { "properties": { "title": {}, "note": {}, "colour": {} } },
        "Shown": { "properties": {
            "id": {}, "url": {}, "status": { "enum": ["OPEN", "PAID", "LOST"] }, "by": {},
        }, "required": ["id", "url", "by"] },
    }));
    assert_eq!(breaks(&before, &surface(&grown)), Vec::<String>::new());
    grown["paths"]["/things"]["get"] = json!({ "operationId": "listThings" });
    assert_eq!(breaks(&before, &surface(&grown)), Vec::<String>::new());
    let broken = surface(&example(&json!({
        "Draft": {
            "properties": { "title": {}, "note": {}, "colour": {} },
            "required": ["title", "note", "colour"],
        },
        "Shown": { "properties": {
            "id": {}, "status": { "const": "OPEN" },
        }, "required": [] },
    })));
    let expected = [
        "request Draft.note is required now",
        "response Shown.id is not in every response now",
        "response Shown.status = \"PAID\" is lost",
        "response Shown.url is lost",
        "request Draft.colour is new and required",
    ];
    assert_eq!(breaks(&before, &broken), expected);
    let gone = surface(&json!({ "paths": {}, "webhooks": {} }));
    assert!(breaks(&before, &gone).contains(&"operation makeThing POST /things is lost".into()));
}

#[test]
fn a_type_may_grow_where_it_is_sent_and_shrink_where_it_is_received() {
    let before = surface(&example(&json!({
        "Draft": { "type": "object", "properties": {
            "title": { "type": "string" }, "kind": { "type": "string" },
            "count": { "type": "integer", "format": "int64" },
        } },
        "Shown": { "properties": {
            "id": { "type": "string", "format": "uuid" }, "note": { "type": ["string", "null"] },
            "all": { "type": "array", "items": { "type": "string" } },
        } },
    })));
    let shown = "response Shown.id: string uuid".to_owned();
    assert!(before.contains_key(&shown), "{before:#?}");
    let grown = surface(&example(&json!({
        "Draft": { "type": "object", "properties": {
            "title": { "type": ["string", "null"] }, "kind": { "type": "string" },
            "count": { "anyOf": [{ "type": "integer", "format": "int64" }, { "type": "null" }] },
        } },
        "Shown": { "properties": {
            "id": { "type": "string", "format": "uuid" }, "note": { "type": "string" },
            "all": { "type": "array", "items": { "type": "string" } },
        } },
    })));
    assert_eq!(breaks(&before, &grown), Vec::<String>::new());
    let broken = surface(&example(&json!({
        "Draft": { "type": "object", "properties": {
            "title": { "type": "string" }, "kind": { "type": "string", "enum": ["A", "B"] },
            "count": { "type": "string" },
        } },
        "Shown": { "properties": {
            "id": { "type": ["string", "null"], "format": "uuid" }, "note": { "type": "integer" },
            "all": { "type": "array", "items": { "type": "string", "format": "uuid" } },
        } },
    })));
    let expected = [
        "request Draft.count takes no integer int64 now",
        "request Draft.kind takes listed values alone now",
        "response Shown.all[] may be string uuid now",
        "response Shown.id may be null now",
        "response Shown.note may be integer now",
    ];
    assert_eq!(breaks(&before, &broken), expected);
}

/// A document with an operation that takes a `Draft` and answers what is `Shown`.
fn example(schemas: &Value) -> Value {
    let body = |name: &str| {
        let schema = json!({ "$ref": format!("{SCHEMAS}{name}") });
        json!({ "content": { "application/json": { "schema": schema } } })
    };
    json!({
        "components": { "schemas": schemas },
        "paths": { "/things": { "post": {
            "operationId": "makeThing",
            "requestBody": body("Draft"),
            "responses": { "201": body("Shown") },
        } } },
        "webhooks": {},
    })
}

/// What existing programs would not get over, in words.
fn breaks(before: &Surface, now: &Surface) -> Vec<String> {
    let changed = before.iter().filter_map(|(line, was_required)| {
        let Some(is_required) = now.get(line) else { return lost(now, line) };
        match (was_required, is_required, line.starts_with("response ")) {
            (true, false, true) => Some(format!("{line} is not in every response now")),
            (false, true, false) => Some(format!("{line} is required now")),
            _ => None,
        }
    });
    let new = now.iter().filter(|(line, _)| !before.contains_key(*line));
    let demanded = new.filter_map(|(line, is_required)| demanded(before, line, *is_required));
    let mut breaks: Vec<_> = changed.chain(demanded).collect();
    breaks.dedup();
    breaks
}

/// What is lost with a line; nothing with a type that a response has no more.
fn lost(now: &Surface, line: &str) -> Option<String> {
    let Some((place, kind)) = typed(line) else { return Some(format!("{line} is lost")) };
    let is_there = now.contains_key(place) || begins(now, &format!("{place}: "));
    let is_missed = !place.starts_with("response ") && is_there;
    is_missed.then(|| format!("{place} takes no {kind} now"))
}

/// What a new line asks of existing programs.
fn demanded(before: &Surface, line: &str, is_required: bool) -> Option<String> {
    if let Some((place, kind)) = typed(line) {
        let is_changed = place.starts_with("response ") && begins(before, &format!("{place}: "));
        return is_changed.then(|| format!("{place} may be {kind} now"));
    }
    if let Some((place, _)) = line.split_once(" = ") {
        let [kinds, values] = [": ", " = "].map(|mark| begins(before, &format!("{place}{mark}")));
        let is_narrowed = !place.starts_with("response ") && kinds && !values;
        return is_narrowed.then(|| format!("{place} takes listed values alone now"));
    }
    let is_demanded = is_required && is_of_caller(before, line);
    is_demanded.then(|| format!("{line} is new and required"))
}

/// The place and the type in a line about a type.
fn typed(line: &str) -> Option<(&str, &str)> {
    let is_of_field = ["request ", "response ", "parameter "].iter().any(|it| line.starts_with(it));
    let (place, kind) = line.split_once(": ")?;
    (is_of_field && !place.contains(" = ")).then_some((place, kind))
}

/// Whether a line begins like this.
fn begins(surface: &Surface, start: &str) -> bool {
    let mut after = surface.range(start.to_owned()..);
    after.next().is_some_and(|(line, _)| line.starts_with(start))
}

/// Whether existing callers send what a new line is a part of.
fn is_of_caller(before: &Surface, line: &str) -> bool {
    if let Some(parameter) = line.strip_prefix("parameter ") {
        let id = parameter.split(' ').next().unwrap_or_default();
        let operation = format!("operation {id} ");
        return before.keys().any(|known| known.starts_with(&operation));
    }
    let whole = line.rsplit_once('.').map_or(line, |(whole, _)| whole);
    line.starts_with("request ") && before.contains_key(whole.trim_end_matches("[]"))
}

/// The document as lines.
fn surface(document: &Value) -> Surface {
    let mut surface = Surface::new();
    let mut used = BTreeSet::new();
    for (path, method, operation) in operations(document) {
        let id = operation["operationId"].as_str().expect("has an id");
        surface.insert(format!("operation {id} {} {path}", method.to_uppercase()), false);
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let [place, name] = ["in", "name"].map(|word| parameter[word].as_str().expect("has"));
            let line = format!("parameter {id} {place} {name}");
            let named = fields(&mut surface, &line, &parameter["schema"]);
            used.extend(named.into_iter().map(|name| (Sender::Caller, name)));
            surface.insert(line, parameter["required"] == true);
        }
        messages(&mut surface, &mut used, Sender::Caller, id, &operation["requestBody"]);
        for (status, response) in operation["responses"].as_object().into_iter().flatten() {
            let what = format!("{id} {status}");
            messages(&mut surface, &mut used, Sender::Server, &what, response);
        }
    }
    for (event, webhook) in document["webhooks"].as_object().expect("has webhooks") {
        let body = &webhook["post"]["requestBody"];
        messages(&mut surface, &mut used, Sender::Server, event, body);
    }
    schemas(&mut surface, document, used);
    surface
}

/// The types of a request's or a response's body.
fn messages(
    surface: &mut Surface,
    used: &mut BTreeSet<(Sender, String)>,
    sender: Sender,
    what: &str,
    message: &Value,
) {
    for (kind, content) in message["content"].as_object().into_iter().flatten() {
        let schema = &content["schema"];
        let name = schema["$ref"].as_str().map_or("", |name| name.trim_start_matches(SCHEMAS));
        let line = format!("{} {what}: {kind} {name}", sender.body());
        surface.insert(line.trim_end().to_owned(), false);
        let place = format!("{} {what}", sender.word());
        let named = match name {
            "" => fields(surface, &place, schema),
            // The line has it already.
            name => vec![name.to_owned()],
        };
        used.extend(named.into_iter().map(|name| (sender, name)));
    }
}

/// The fields of every schema that is used, by those who send it.
fn schemas(surface: &mut Surface, document: &Value, used: BTreeSet<(Sender, String)>) {
    let mut open: Vec<_> = used.into_iter().collect();
    while let Some((sender, name)) = open.pop() {
        let place = format!("{} {name}", sender.word());
        if surface.insert(place.clone(), false).is_some() {
            continue;
        }
        let schema = &document["components"]["schemas"][&name];
        open.extend(fields(surface, &place, schema).into_iter().map(|name| (sender, name)));
    }
}

/// Adds the types, fields and values of a schema; returns the schemas that it refers to.
fn fields(surface: &mut Surface, place: &str, schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    if let Some(name) = schema["$ref"].as_str() {
        found.push(name.trim_start_matches(SCHEMAS).to_owned());
    }
    types(surface, place, schema);
    values(surface, place, schema);
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let line = format!("{place}.{name}");
        found.extend(fields(surface, &line, field));
        let is_required = required.iter().any(|it| it == name.as_str());
        *surface.entry(line).or_default() |= is_required;
    }
    for part in ["allOf", "anyOf", "oneOf"].iter().filter_map(|word| schema[*word].as_array()) {
        found.extend(part.iter().flat_map(|part| fields(surface, place, part)));
    }
    let inner = [&schema["items"], &schema["additionalProperties"]];
    for inner in inner.into_iter().filter(|inner| inner.is_object()) {
        found.extend(fields(surface, &format!("{place}[]"), inner));
    }
    found
}

/// Adds the types that a schema allows: another schema by its name, or a type with its format.
fn types(surface: &mut Surface, place: &str, schema: &Value) {
    let named = schema["$ref"].as_str().map(|name| name.trim_start_matches(SCHEMAS).to_owned());
    let format = schema["format"].as_str().map(|format| format!(" {format}")).unwrap_or_default();
    let kinds = match &schema["type"] {
        Value::Array(kinds) => kinds.as_slice(),
        kind => std::slice::from_ref(kind),
    };
    let kinds = kinds.iter().filter_map(Value::as_str).map(|kind| match kind {
        "null" => kind.to_owned(),
        kind => format!("{kind}{format}"),
    });
    surface.extend(named.into_iter().chain(kinds).map(|kind| (format!("{place}: {kind}"), false)));
}

/// Adds the values that a schema lists.
fn values(surface: &mut Surface, place: &str, schema: &Value) {
    let listed = schema["enum"].as_array().into_iter().flatten().chain(schema.get("const"));
    surface.extend(listed.map(|value| (format!("{place} = {value}"), false)));
}

impl Sender {
    fn word(self) -> &'static str {
        match self {
            Self::Caller => "request",
            Self::Server => "response",
        }
    }

    fn body(self) -> &'static str {
        match self {
            Self::Caller => "takes",
            Self::Server => "gives",
        }
    }
}

fn text(surface: &Surface) -> String {
    let line = |(line, required): (&String, &bool)| {
        format!("{line}{}\n", if *required { REQUIRED } else { "" })
    };
    surface.iter().map(line).collect()
}

fn stored() -> Surface {
    let text = std::fs::read_to_string(path()).unwrap_or_default();
    let line = |line: &str| match line.strip_suffix(REQUIRED) {
        Some(line) => (line.to_owned(), true),
        None => (line.to_owned(), false),
    };
    text.lines().map(line).collect()
}

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE)
}

#[expect(clippy::disallowed_methods, reason = "the person who runs the tests asks for it this way")]
fn wants_update() -> bool {
    std::env::var_os("UPDATE_SURFACE").is_some()
}
