//! One operation of the API reference, as plain values.

use serde_json::Value;

use crate::openapi::api::Route;
use crate::openapi::docs::example::ExampleRequest;
use crate::openapi::docs::example::languages::LANGUAGES;
use crate::openapi::docs::fields::{FieldRow, Schemas, json_schema};
use crate::openapi::docs::texts::{anchor, plain, word};
use crate::openapi::errors;
use crate::platform::openapi::operation::Security;

/// One operation.
pub struct Entry {
    pub anchor: String,
    pub method: &'static str,
    pub path: &'static str,
    pub summary: String,
    /// The required credentials, in words.
    pub needs: String,
    pub note: String,
    pub has_dry_run: bool,
    pub parameters: Vec<FieldRow>,
    pub body: Vec<FieldRow>,
    pub replies: Vec<Reply>,
    /// The codes of its errors, without those of any operation.
    pub errors: Vec<String>,
    pub programs: Vec<Program>,
}

/// A response of an operation.
pub struct Reply {
    pub status: String,
    pub fields: Vec<FieldRow>,
}

/// The request of an operation in one language.
pub struct Program {
    pub language: &'static str,
    /// What marks it in Markdown.
    pub mark: &'static str,
    pub text: String,
}

impl Entry {
    /// Describes a route; `None` if its method is none of the API's.
    pub fn of(document: &Value, route: &Route) -> Option<Self> {
        let schemas = Schemas::of(document);
        let method = method_word(route)?;
        let operation = &document["paths"][route.path][method.to_ascii_lowercase()];
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let replies = operation["responses"].as_object().into_iter().flatten();
        let replies = replies.filter(|(status, _)| *status != "default");
        let request = ExampleRequest::of(schemas, method, route.path, route.needs, operation);
        let programs = LANGUAGES.iter().map(|language| Program {
            language: language.name,
            mark: language.mark,
            text: (language.write)(&request),
        });
        Some(Self {
            anchor: anchor(&word(&operation["operationId"])),
            method,
            path: route.path,
            summary: word(&operation["summary"]),
            needs: needs(route.needs),
            note: plain(route.note.unwrap_or_default()),
            has_dry_run: errors::takes(operation, "query", "dryRun"),
            parameters: parameters.map(|parameter| self::parameter(schemas, parameter)).collect(),
            body: schemas.rows(json_schema(&operation["requestBody"])),
            replies: replies
                .map(|(status, reply)| Reply {
                    status: status.clone(),
                    fields: schemas.rows(json_schema(reply)),
                })
                .collect(),
            errors: errors::beside_those_of_all(operation),
            programs: programs.collect(),
        })
    }
}

fn parameter(schemas: Schemas<'_>, parameter: &Value) -> FieldRow {
    let place = word(&parameter["in"]);
    let (name, required) = (word(&parameter["name"]), parameter["required"] == true);
    let row = schemas.row(name, &parameter["schema"], required);
    let meaning = word(&parameter["description"]);
    FieldRow {
        meaning: if meaning.is_empty() { row.meaning } else { plain(&meaning) },
        kind: format!("{}, in the {place}", row.kind),
        ..row
    }
}

fn needs(security: Option<Security>) -> String {
    match security {
        None => "Public".to_owned(),
        Some(Security::Permissions([])) => "Any API key or access token".to_owned(),
        Some(Security::Permissions(permissions)) => list(permissions),
        Some(Security::Person([])) => "Access token".to_owned(),
        Some(Security::Person(permissions)) => {
            format!("Access token of a member with {}", list(permissions))
        }
        Some(Security::Admin) => "Access token of an administrator".to_owned(),
    }
}

fn list(permissions: &[impl ToString]) -> String {
    permissions.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn method_word(route: &Route) -> Option<&'static str> {
    let known = ["GET", "POST", "PUT", "PATCH", "DELETE"];
    known.into_iter().find(|word| *word == route.method.as_str())
}
