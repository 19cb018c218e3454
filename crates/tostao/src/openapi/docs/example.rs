//! An example request of an operation, generated from the schemas: the value that every language
//! writes as a program.

use serde_json::Value;

use crate::openapi::docs::example::body::body;
use crate::openapi::docs::fields::{Schemas, json_schema};
use crate::platform::openapi::operation::Security;

mod body;
pub mod languages;
mod literal;

/// A request that can be sent once its variables have values. They are variables of the
/// environment, and stand in braces.
#[derive(Debug, Clone, PartialEq)]
pub struct ExampleRequest {
    pub method: &'static str,
    pub address: String,
    pub headers: Vec<(&'static str, &'static str)>,
    pub body: Option<Value>,
}

/// A part of an address, or of a header's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'a> {
    Text(&'a str),
    Variable(&'a str),
}

impl ExampleRequest {
    /// The request with its path's parameters and everything that is required.
    pub fn of(
        schemas: Schemas<'_>,
        method: &'static str,
        path: &str,
        needs: Option<Security>,
        operation: &Value,
    ) -> Self {
        let credential = needs.map(|needs| ("Authorization", credential(needs)));
        let wanted = &operation["requestBody"];
        let body = body(schemas, json_schema(wanted), wanted["required"] == true);
        let kind = body.as_ref().map(|_| ("Content-Type", "application/json"));
        let headers = credential.into_iter().chain(kind).collect();
        Self { method, address: address(path, operation), headers, body }
    }

    /// The variables, each once.
    fn variables(&self) -> Vec<&str> {
        let values = self.headers.iter().map(|(_, value)| *value);
        let mut names = Vec::new();
        for piece in std::iter::once(&*self.address).chain(values).flat_map(pieces) {
            match piece {
                Piece::Variable(name) if !names.contains(&name) => names.push(name),
                Piece::Variable(_) | Piece::Text(_) => {}
            }
        }
        names
    }
}

fn credential(needs: Security) -> &'static str {
    match needs {
        Security::Permissions(_) => "Bearer {KEY}",
        Security::Person(_) | Security::Admin => "Bearer {TOKEN}",
    }
}

/// The path with its parameters, and the required query parameters.
fn address(path: &str, operation: &Value) -> String {
    let variables = pieces(path).into_iter().map(|piece| match piece {
        Piece::Text(text) => text.to_owned(),
        Piece::Variable(name) => variable(name),
    });
    let mut address = format!("{{BASE}}{}", variables.collect::<String>());
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let needed = parameters.filter(|p| p["in"] == "query" && p["required"] == true);
    for (index, name) in needed.filter_map(|parameter| parameter["name"].as_str()).enumerate() {
        let joint = if index == 0 { '?' } else { '&' };
        address = format!("{address}{joint}{name}={}", variable(name));
    }
    address
}

fn variable(name: &str) -> String {
    format!("{{{}}}", name.to_ascii_uppercase())
}

/// Splits a text at its variables.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    for part in text.split('{') {
        let (name, text) = part.split_once('}').map_or((None, part), |(n, text)| (Some(n), text));
        pieces.extend(name.map(Piece::Variable));
        pieces.extend(Some(text).filter(|text| !text.is_empty()).map(Piece::Text));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{ExampleRequest, Piece, pieces};
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
        let request =
            ExampleRequest::of(Schemas::of(&json!({})), "PUT", "/api/me", None, &operation);
        assert_eq!(request.body, Some(json!({ "name": "Ana" })));
    }

    #[test]
    fn a_text_is_split_at_its_variables() {
        use Piece::{Text, Variable};
        let expected = [Variable("BASE"), Text("/a/"), Variable("ID"), Text("/b")];
        assert_eq!(pieces("{BASE}/a/{ID}/b"), expected);
        assert_eq!(pieces("application/json"), [Text("application/json")]);
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
        let (schemas, needs) = (Schemas::of(&document), Some(Security::Person(&[])));
        let request = ExampleRequest::of(schemas, "POST", "/api/things/{id}", needs, &operation);
        let expected = ExampleRequest {
            method: "POST",
            address: "{BASE}/api/things/{ID}?token={TOKEN}".to_owned(),
            headers: vec![
                ("Authorization", "Bearer {TOKEN}"),
                ("Content-Type", "application/json"),
            ],
            body: Some(json!({ "name": "…", "price": 4_990 })),
        };
        assert_eq!(request, expected);
        assert_eq!(request.variables(), ["BASE", "ID", "TOKEN"]);
    }
}
