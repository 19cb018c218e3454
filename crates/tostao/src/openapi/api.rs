//! Routes and their description, added by one call.

use axum::Router;
use axum::handler::Handler;
use axum::routing::{MethodFilter, on};
use http::Method;
use serde_json::{Value, json};

use crate::app::App;
use crate::openapi::API_VERSION;
use crate::openapi::describe::Described;
use crate::openapi::operation::{Operation, Security};

/// A router and the document that describes it.
pub struct Api {
    router: Router<App>,
    paths: serde_json::Map<String, Value>,
    generator: schemars::SchemaGenerator,
    routes: Vec<Route>,
    tag: &'static str,
}

/// One line of the contract: a method, a path and what it needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    pub method: Method,
    pub path: &'static str,
    pub needs: Option<Security>,
    /// What its types cannot say.
    pub note: Option<&'static str>,
}

impl Default for Api {
    fn default() -> Self {
        Self::new()
    }
}

impl Api {
    /// Starts with no routes.
    pub fn new() -> Self {
        Self {
            router: Router::new(),
            paths: serde_json::Map::new(),
            generator: Operation::generator(),
            routes: Vec::new(),
            tag: "",
        }
    }

    /// Names the part of the document that the next routes belong to.
    #[must_use]
    pub fn tag(mut self, tag: &'static str) -> Self {
        self.tag = tag;
        self
    }

    /// Adds a GET route.
    #[must_use]
    pub fn get<H, T, M>(self, path: &'static str, summary: &str, handler: H) -> Self
    where
        H: Handler<T, App> + Described<M>,
        T: 'static,
    {
        self.route(Method::GET, MethodFilter::GET, path, summary, handler)
    }

    /// Adds a POST route.
    #[must_use]
    pub fn post<H, T, M>(self, path: &'static str, summary: &str, handler: H) -> Self
    where
        H: Handler<T, App> + Described<M>,
        T: 'static,
    {
        self.route(Method::POST, MethodFilter::POST, path, summary, handler)
    }

    /// Adds a PUT route.
    #[must_use]
    pub fn put<H, T, M>(self, path: &'static str, summary: &str, handler: H) -> Self
    where
        H: Handler<T, App> + Described<M>,
        T: 'static,
    {
        self.route(Method::PUT, MethodFilter::PUT, path, summary, handler)
    }

    /// Adds a PATCH route.
    #[must_use]
    pub fn patch<H, T, M>(self, path: &'static str, summary: &str, handler: H) -> Self
    where
        H: Handler<T, App> + Described<M>,
        T: 'static,
    {
        self.route(Method::PATCH, MethodFilter::PATCH, path, summary, handler)
    }

    /// Adds a DELETE route.
    #[must_use]
    pub fn delete<H, T, M>(self, path: &'static str, summary: &str, handler: H) -> Self
    where
        H: Handler<T, App> + Described<M>,
        T: 'static,
    {
        self.route(Method::DELETE, MethodFilter::DELETE, path, summary, handler)
    }

    /// Adds what the types of the last route cannot say to its description.
    #[must_use]
    pub fn note(mut self, note: &'static str) -> Self {
        if let Some(route) = self.routes.last_mut() {
            let operation = &mut self.paths[route.path][key(&route.method)];
            let needs = operation["description"].as_str();
            let whole = needs.map_or_else(|| note.to_owned(), |needs| format!("{needs} {note}"));
            operation["description"] = whole.into();
            route.note = Some(note);
        }
        self
    }

    /// Gives the router, the document and the list of routes.
    pub fn finish(mut self) -> (Router<App>, Value, Vec<Route>) {
        let schemas = self.generator.take_definitions(true);
        let document = json!({
            "openapi": "3.1.0",
            "info": {
                "title": "Tostão",
                "version": API_VERSION,
                "description": "Payment links, PIX, webhooks and balances for a merchant in \
                    Brazil. Amounts are integers in cents; times are UTC.",
                "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
            },
            "paths": self.paths,
            "components": {
                "schemas": schemas,
                "securitySchemes": {
                    "apiKey": { "type": "apiKey", "in": "header", "name": "API-Key" },
                    "bearer": {
                        "type": "http", "scheme": "bearer",
                        "description": "An API key, or an access token from /api/auth/login.",
                    },
                },
            },
        });
        (self.router, document, self.routes)
    }

    fn route<H, T, M>(
        mut self,
        method: Method,
        filter: MethodFilter,
        path: &'static str,
        summary: &str,
        handler: H,
    ) -> Self
    where
        H: Handler<T, App> + Described<M>,
        T: 'static,
    {
        let mut operation = Operation::new(path, self.generator);
        H::describe_handler(&mut operation);
        let needs = operation.needs();
        let id = operation_id(std::any::type_name::<H>());
        let (described, generator) = operation.finish(&id, self.tag, summary);
        let entry = self.paths.entry(path).or_insert_with(|| json!({}));
        entry[key(&method)] = described;
        self.routes.push(Route { method, path, needs, note: None });
        self.router = self.router.route(path, on(filter, handler));
        self.generator = generator;
        self
    }
}

/// A method as the document writes it.
fn key(method: &Method) -> String {
    method.as_str().to_ascii_lowercase()
}

/// `tostao::payment_links::api::create` is `payment_links.create`.
fn operation_id(type_name: &str) -> String {
    let mut parts: Vec<_> = type_name.split("::").skip(1).collect();
    parts.retain(|part| *part != "api");
    parts.join(".")
}
