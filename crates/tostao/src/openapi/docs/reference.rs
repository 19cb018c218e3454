//! The API reference page: plain values, and the template they fill.

use askama::Template;
use serde_json::Value;

use crate::events::names::Name;
use crate::guides::{self, Guide};
use crate::openapi::api::Route;
use crate::openapi::docs::example::curl;
use crate::openapi::docs::fields::{FieldRow, Schemas};
use crate::openapi::webhooks::HEADERS;
use crate::platform::assets;
use crate::platform::error::ErrorCode;
use crate::platform::openapi::operation::Security;
use crate::platform::permissions::Permission;

/// Everything the page shows.
#[derive(Template)]
#[template(path = "docs/page.html")]
pub struct Reference {
    version: String,
    guides: &'static [Guide],
    groups: Vec<Group>,
    error_fields: Vec<FieldRow>,
    codes: Vec<Code>,
    event_fields: Vec<FieldRow>,
    event_headers: Vec<FieldRow>,
    events: Vec<EventType>,
}

/// The operations of one part of the API.
struct Group {
    name: String,
    anchor: String,
    operations: Vec<Entry>,
}

/// An error code.
struct Code {
    name: &'static str,
    status: u16,
    when: String,
}

/// An event that webhooks may subscribe to.
struct EventType {
    name: &'static str,
    aliases: String,
    when: String,
}

/// One operation.
struct Entry {
    anchor: String,
    method: &'static str,
    path: &'static str,
    summary: String,
    needs: String,
    note: String,
    parameters: Vec<FieldRow>,
    body: Vec<FieldRow>,
    replies: Vec<Reply>,
    example: String,
}

/// A response of an operation.
struct Reply {
    status: String,
    fields: Vec<FieldRow>,
}

impl Reference {
    /// Lays out a document in the order of its routes.
    pub fn new(document: &Value, routes: &[Route]) -> Self {
        let schemas = Schemas::of(document);
        let mut groups: Vec<Group> = Vec::new();
        for route in routes {
            let Some(method) = method_word(route) else { continue };
            let operation = &document["paths"][route.path][method.to_ascii_lowercase()];
            let name = word(&operation["tags"][0]);
            if groups.last().is_none_or(|group| group.name != name) {
                groups.push(Group { anchor: anchor(&name), name, operations: Vec::new() });
            }
            if let Some(group) = groups.last_mut() {
                group.operations.push(Entry::new(schemas, method, route, operation));
            }
        }
        Self {
            version: word(&document["info"]["version"]),
            guides: guides::ALL,
            groups,
            error_fields: schemas.rows(&document["components"]["schemas"]["Error"]),
            codes: ErrorCode::ALL.iter().map(|code| Code::of(*code)).collect(),
            event_fields: schemas.rows(&document["components"]["schemas"]["WebhookEvent"]),
            event_headers: HEADERS.iter().map(header).collect(),
            events: Name::ALL.iter().map(|name| EventType::of(*name)).collect(),
        }
    }
}

impl Code {
    fn of(code: ErrorCode) -> Self {
        Self { name: code.name(), status: code.status(), when: plain(code.when()) }
    }
}

impl EventType {
    fn of(name: Name) -> Self {
        let aliases = name.aliases().collect::<Vec<_>>().join(", ");
        Self { name: name.text(), aliases, when: plain(name.when()) }
    }
}

impl Entry {
    fn new(schemas: Schemas<'_>, method: &'static str, route: &Route, operation: &Value) -> Self {
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let replies = operation["responses"].as_object().into_iter().flatten();
        let replies = replies.filter(|(status, _)| *status != "default");
        Self {
            anchor: anchor(&word(&operation["operationId"])),
            method,
            path: route.path,
            summary: word(&operation["summary"]),
            needs: needs(route.needs),
            note: plain(route.note.unwrap_or_default()),
            parameters: parameters.map(|parameter| self::parameter(schemas, parameter)).collect(),
            body: schemas.rows(json_schema(&operation["requestBody"])),
            replies: replies
                .map(|(status, reply)| Reply {
                    status: status.clone(),
                    fields: schemas.rows(json_schema(reply)),
                })
                .collect(),
            example: curl(schemas, method, route.path, route.needs, operation),
        }
    }
}

fn parameter(schemas: Schemas<'_>, parameter: &Value) -> FieldRow {
    let place = word(&parameter["in"]);
    let (name, required) = (word(&parameter["name"]), parameter["required"] == true);
    let row = schemas.row(name, &parameter["schema"], required);
    let meaning = word(&parameter["description"]);
    FieldRow {
        meaning: if meaning.is_empty() { row.meaning } else { meaning },
        kind: format!("{}, in the {place}", row.kind),
        ..row
    }
}

/// A header of a delivery.
fn header((name, kind, meaning): &(&str, &str, &str)) -> FieldRow {
    FieldRow {
        name: (*name).to_owned(),
        kind: (*kind).to_owned(),
        required: true,
        meaning: plain(meaning),
        limits: String::new(),
        values: Vec::new(),
    }
}

fn json_schema(part: &Value) -> &Value {
    &part["content"]["application/json"]["schema"]
}

fn needs(security: Option<Security>) -> String {
    match security {
        None => "Public".to_owned(),
        Some(Security::Permissions([])) => "Any API key or access token".to_owned(),
        Some(Security::Permissions(permissions)) => list(permissions),
        Some(Security::Owner) => "Access token of the owner".to_owned(),
        Some(Security::Admin) => "Access token of an administrator".to_owned(),
    }
}

fn list(permissions: &[Permission]) -> String {
    permissions.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn method_word(route: &Route) -> Option<&'static str> {
    let known = ["GET", "POST", "PUT", "PATCH", "DELETE"];
    known.into_iter().find(|word| *word == route.method.as_str())
}

/// Text without Markdown's backquotes, which the page would show.
fn plain(text: &str) -> String {
    text.replace('`', "")
}

fn anchor(text: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    text.chars().map(safe).collect()
}

fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use askama::Template;

    use super::Reference;
    use crate::routes;

    #[test]
    fn every_route_is_on_the_page_once_and_has_its_own_address() {
        let (document, routes) = (routes::document(), routes::routes());
        let page = Reference::new(&document, &routes);
        let entries: Vec<_> = page.groups.iter().flat_map(|group| &group.operations).collect();
        assert_eq!(entries.len(), routes.len());
        let mut anchors: Vec<_> = entries.iter().map(|entry| &entry.anchor).collect();
        anchors.sort_unstable();
        anchors.dedup();
        assert_eq!(anchors.len(), routes.len());
        let html = page.render().unwrap();
        for route in &routes {
            assert!(html.contains(&format!("<code>{}</code>", route.path)), "{}", route.path);
        }
        assert!(!html.contains("<script") && !html.contains(" style="));
    }
}
