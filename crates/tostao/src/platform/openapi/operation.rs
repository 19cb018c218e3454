//! One operation of the document, filled in by the handler's types.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Value, json};

use crate::platform::http::error_body::ErrorBody;
use crate::platform::permissions::{Permission, PersonalPermission};

/// The credentials that a route requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Security {
    /// An API key with all of these permissions, or the access token of a person whose role
    /// includes them.
    Permissions(&'static [Permission]),
    /// The access token of a person whose role includes all of these permissions.
    Person(&'static [PersonalPermission]),
    /// An administrator's access token.
    Admin,
}

/// One method of one path.
pub struct Operation {
    path: &'static str,
    parameters: Vec<Value>,
    request: Option<Value>,
    replies: Vec<(String, Value)>,
    security: Option<Security>,
    generator: SchemaGenerator,
}

impl Operation {
    pub(crate) fn new(path: &'static str, generator: SchemaGenerator) -> Self {
        Self {
            path,
            parameters: Vec::new(),
            request: None,
            replies: Vec::new(),
            security: None,
            generator,
        }
    }

    /// Schemas as OpenAPI 3.1 requires them, shared ones under `components`.
    pub(crate) fn generator() -> SchemaGenerator {
        let settings = SchemaSettings::draft2020_12()
            .with(|settings| settings.definitions_path = "/components/schemas".into());
        settings.into_generator()
    }

    /// Sets the required credentials.
    pub fn security(&mut self, security: Security) {
        self.security = Some(security);
    }

    /// The required credentials; `None` for a public route.
    pub fn needs(&self) -> Option<Security> {
        self.security
    }

    /// Adds the next parameter that the path names.
    pub fn path_parameter<T: JsonSchema>(&mut self) {
        let known = self.parameters.iter().filter(|p| p["in"] == "path").count();
        let mut names = self.path.split('{').skip(1).filter_map(|part| part.split('}').next());
        if let Some(name) = names.nth(known) {
            let schema = self.generator.subschema_for::<T>();
            self.parameters
                .push(json!({ "name": name, "in": "path", "required": true, "schema": schema }));
        }
    }

    /// Adds an optional header.
    pub fn header(&mut self, name: &str, description: &str, schema: &Value) {
        self.parameters.push(json!({
            "name": name, "in": "header", "required": false,
            "description": description, "schema": schema,
        }));
    }

    /// Adds a query parameter that is true or false.
    pub fn query_flag(&mut self, name: &str, description: &str) {
        self.parameters.push(json!({
            "name": name, "in": "query", "required": false,
            "description": description, "schema": { "type": "boolean" },
        }));
    }

    /// Adds the schema of `T` to the document, for what the description names.
    pub fn mention<T: JsonSchema>(&mut self) {
        self.generator.subschema_for::<T>();
    }

    /// Adds every field of `T` as a query parameter.
    pub fn query<T: JsonSchema>(&mut self) {
        let schema = T::json_schema(&mut self.generator).to_value();
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        let fields = schema["properties"].as_object().cloned().unwrap_or_default();
        for (name, mut field) in fields {
            let description = field.as_object_mut().and_then(|f| f.remove("description"));
            let mut parameter = json!({
                "name": name, "in": "query", "schema": field,
                "required": required.iter().any(|r| *r == name),
            });
            if let Some(text) = description {
                parameter["description"] = text;
            }
            self.parameters.push(parameter);
        }
    }

    /// Sets the JSON body.
    pub fn body<T: JsonSchema>(&mut self, required: bool) {
        let schema = self.generator.subschema_for::<T>();
        self.request = Some(json!({
            "required": required,
            "content": { "application/json": { "schema": schema } },
        }));
    }

    /// Sets a body of bytes of a media type; the description says which bytes.
    pub fn binary_body(&mut self, kind: &str, description: &str) {
        let schema = json!({ "type": "string", "format": "binary" });
        self.request = Some(json!({
            "required": true,
            "description": description,
            "content": { kind: { "schema": schema } },
        }));
    }

    /// Adds a JSON reply.
    pub fn reply<T: JsonSchema>(&mut self, status: u16) {
        let schema = self.generator.subschema_for::<T>();
        let description = match status {
            201 => "Created.",
            400.. => "The request was rejected.",
            _ => "OK.",
        };
        self.replies.push((
            status.to_string(),
            json!({
                "description": description,
                "content": { "application/json": { "schema": schema } },
            }),
        ));
    }

    /// Adds a reply of another media type.
    pub fn other_reply(&mut self, status: u16, kind: &str, description: &str) {
        let content = json!({ kind: { "schema": { "type": "string" } } });
        self.replies
            .push((status.to_string(), json!({ "description": description, "content": content })));
    }

    /// Offers the last reply in another media type, too.
    pub fn also_as(&mut self, kind: &str) {
        if let Some((_, reply)) = self.replies.last_mut() {
            reply["content"][kind] = json!({ "schema": { "type": "string" } });
        }
    }

    /// Renders the operation, with the error body that every route may return.
    pub(crate) fn finish(mut self, id: &str, tag: &str, summary: &str) -> (Value, SchemaGenerator) {
        let error = self.generator.subschema_for::<ErrorBody>();
        self.replies.push((
            "default".into(),
            json!({
                "description": "The request failed; `code` says why.",
                "content": { "application/json": { "schema": error } },
            }),
        ));
        let replies: serde_json::Map<_, _> = self.replies.into_iter().collect();
        let mut operation = json!({
            "operationId": id, "tags": [tag], "summary": summary,
            "responses": replies, "security": security(self.security),
        });
        if let Some(required) = self.security.and_then(required) {
            operation["description"] = required.into();
        }
        if !self.parameters.is_empty() {
            operation["parameters"] = self.parameters.into();
        }
        if let Some(request) = self.request {
            operation["requestBody"] = request;
        }
        (operation, self.generator)
    }
}

/// The sentence about the permissions that a route requires, if it requires any.
fn required(security: Security) -> Option<String> {
    let (names, of): (Vec<_>, _) = match security {
        Security::Permissions(permissions) => {
            (permissions.iter().map(|name| name.name()).collect(), "")
        }
        Security::Person(permissions) => {
            (permissions.iter().map(|name| name.name()).collect(), " of a member")
        }
        Security::Admin => return Some("Requires an administrator's access token.".to_owned()),
    };
    let noun = if names.len() == 1 { "permission" } else { "permissions" };
    let quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    let sentence = || format!("Requires the {noun} {}{of}.", quoted.join(", "));
    (!names.is_empty()).then(sentence)
}

fn security(needed: Option<Security>) -> Value {
    match needed {
        None => json!([]),
        Some(Security::Permissions(_)) => {
            json!([{ "apiKey": [] }, { "bearer": [] }])
        }
        Some(Security::Person(_) | Security::Admin) => json!([{ "bearer": [] }]),
    }
}
