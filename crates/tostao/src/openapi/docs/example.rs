//! An example request of an operation, generated from the schemas: the value that every language
//! writes as a program.

use serde_json::Value;

use crate::openapi::docs::example::body::body;
use crate::openapi::docs::example::variables::{NEW_KEY, Piece, pieces, variable, variables_in};
use crate::openapi::docs::fields::{Schemas, json_schema};
use crate::openapi::errors::takes;
use crate::platform::openapi::operation::Security;

mod body;
pub mod languages;
mod literal;
mod variables;

/// A request that can be sent once its variables have values. They are variables of the
/// environment, and stand in braces: in the address, in headers, and as texts of the body.
#[derive(Debug, Clone, PartialEq)]
pub struct ExampleRequest {
    pub method: &'static str,
    pub address: String,
    pub headers: Vec<(&'static str, &'static str)>,
    pub body: Option<Value>,
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
        let key = takes(operation, "header", "Idempotency-Key");
        let key = key.then_some(("Idempotency-Key", "{NEW_KEY}"));
        let headers = credential.into_iter().chain(kind).chain(key).collect();
        Self { method, address: address(path, operation), headers, body }
    }

    /// The variables, each once.
    fn variables(&self) -> Vec<&str> {
        let values = self.headers.iter().map(|(_, value)| *value);
        let pieces = std::iter::once(&*self.address).chain(values).flat_map(pieces);
        let around = pieces.filter_map(|piece| match piece {
            Piece::Variable(name) => Some(name),
            Piece::Text(_) => None,
        });
        let mut names = Vec::new();
        for name in around.chain(self.body.iter().flat_map(variables_in)) {
            if name != NEW_KEY && !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}

fn credential(needs: Security) -> &'static str {
    match needs {
        Security::Permissions(_) => "Bearer {TOSTAO_API_KEY}",
        Security::Person(_) | Security::Admin => "Bearer {TOKEN}",
    }
}

/// The path with its parameters, and the required query parameters.
fn address(path: &str, operation: &Value) -> String {
    let variables = pieces(path).into_iter().map(|piece| match piece {
        Piece::Text(text) => text.to_owned(),
        Piece::Variable(name) => variable(name),
    });
    let mut address = format!("{{TOSTAO_SERVER}}{}", variables.collect::<String>());
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let needed = parameters.filter(|p| p["in"] == "query" && p["required"] == true);
    for (index, name) in needed.filter_map(|parameter| parameter["name"].as_str()).enumerate() {
        let joint = if index == 0 { '?' } else { '&' };
        address = format!("{address}{joint}{name}={}", variable(name));
    }
    address
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::ExampleRequest;
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
    fn what_only_the_reader_knows_is_a_variable() {
        let text = json!({ "type": "string" });
        let id = json!({ "type": "string", "format": "uuid" });
        let schema = json!({
            "type": "object",
            "required": ["planId", "cardToken", "more"],
            "properties": {
                "planId": id, "cardToken": text,
                "more": { "type": "object", "examples": [{
                    "productId": "0190a000-0000-7000-8000-000000000001", "rate": 1,
                }] },
            },
        });
        let content = json!({ "application/json": { "schema": schema } });
        let operation = json!({
            "parameters": [{ "in": "header", "name": "Idempotency-Key" }],
            "requestBody": { "required": true, "content": content },
        });
        let request =
            ExampleRequest::of(Schemas::of(&json!({})), "POST", "/api/a", None, &operation);
        let expected = json!({
            "planId": "{PLAN_ID}", "cardToken": "{CARD_TOKEN}",
            "more": { "productId": "{PRODUCT_ID}", "rate": 1 },
        });
        assert_eq!(request.body.as_ref(), Some(&expected));
        let names = request.variables();
        assert_eq!(names, ["TOSTAO_SERVER", "CARD_TOKEN", "PRODUCT_ID", "PLAN_ID"]);
        assert!(request.headers.contains(&("Idempotency-Key", "{NEW_KEY}")));
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
            address: "{TOSTAO_SERVER}/api/things/{ID}?token={TOKEN}".to_owned(),
            headers: vec![
                ("Authorization", "Bearer {TOKEN}"),
                ("Content-Type", "application/json"),
            ],
            body: Some(json!({ "name": "Example", "price": 4_990 })),
        };
        assert_eq!(request, expected);
        assert_eq!(request.variables(), ["TOSTAO_SERVER", "ID", "TOKEN"]);
    }
}
