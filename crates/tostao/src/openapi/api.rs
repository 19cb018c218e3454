//! Routes and their descriptions, added by one call.

use axum::Router;
use axum::handler::Handler;
use axum::routing::{MethodFilter, on};
use http::Method;
use serde_json::{Value, json};

use crate::app::App;
use crate::openapi::webhooks;
use crate::platform::openapi::API_VERSION;
use crate::platform::openapi::describe::Described;
use crate::platform::openapi::operation::{Operation, Security};

/// A router and the OpenAPI document that describes it.
pub struct Api {
    router: Router<App>,
    paths: serde_json::Map<String, Value>,
    generator: schemars::SchemaGenerator,
    routes: Vec<Route>,
    tag: &'static str,
}

/// An operation that has an id and a summary, but no route yet.
pub struct Unrouted {
    api: Api,
    id: &'static str,
    summary: &'static str,
}

/// One line of the API: a method, a path and what it requires.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    pub method: Method,
    pub path: &'static str,
    pub needs: Option<Security>,
    /// What its types cannot express.
    pub note: Option<&'static str>,
}

impl Default for Api {
    fn default() -> Self {
        Self::new()
    }
}

impl Api {
    pub fn new() -> Self {
        Self {
            router: Router::new(),
            paths: serde_json::Map::new(),
            generator: Operation::generator(),
            routes: Vec::new(),
            tag: "",
        }
    }

    /// Sets the tag of the next routes.
    #[must_use]
    pub fn tag(mut self, tag: &'static str) -> Self {
        self.tag = tag;
        self
    }

    /// Names the next operation: its id, which clients are generated from, and its summary.
    pub fn operation(self, id: &'static str, summary: &'static str) -> Unrouted {
        Unrouted { api: self, id, summary }
    }

    /// Adds a note to the last route's description, for what its types cannot express.
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

    /// Returns the router, the document and the list of routes.
    pub fn finish(mut self) -> (Router<App>, Value, Vec<Route>) {
        let webhooks = webhooks::describe(&mut self.generator);
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
            "webhooks": webhooks,
            "components": {
                "schemas": schemas,
                "parameters": webhooks::headers(),
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
}

impl Unrouted {
    /// Serves it at a GET route.
    #[must_use]
    pub fn get<H, T, M>(self, path: &'static str, handler: H) -> Api
    where
        H: Handler<T, App> + Described<M>,
        T: 'static,
    {
        self.route(Method::GET, MethodFilter::GET, path, handler)
    }

    /// Serves it at a POST route.
    #[must_use]
    pub fn post<H, T, M>(self, path: &'static str, handler: H) -> Api
    where
        H: Handler<T, App> + Described<M>,
        T: 'static,
    {
        self.route(Method::POST, MethodFilter::POST, path, handler)
    }

    /// Serves it at a PUT route.
    #[must_use]
    pub fn put<H, T, M>(self, path: &'static str, handler: H) -> Api
    where
        H: Handler<T, App> + Described<M>,
        T: 'static,
    {
        self.route(Method::PUT, MethodFilter::PUT, path, handler)
    }

    /// Serves it at a PATCH route.
    #[must_use]
    pub fn patch<H, T, M>(self, path: &'static str, handler: H) -> Api
    where
        H: Handler<T, App> + Described<M>,
        T: 'static,
    {
        self.route(Method::PATCH, MethodFilter::PATCH, path, handler)
    }

    /// Serves it at a DELETE route.
    #[must_use]
    pub fn delete<H, T, M>(self, path: &'static str, handler: H) -> Api
    where
        H: Handler<T, App> + Described<M>,
        T: 'static,
    {
        self.route(Method::DELETE, MethodFilter::DELETE, path, handler)
    }

    fn route<H, T, M>(
        self,
        method: Method,
        filter: MethodFilter,
        path: &'static str,
        handler: H,
    ) -> Api
    where
        H: Handler<T, App> + Described<M>,
        T: 'static,
    {
        let Self { mut api, id, summary } = self;
        let mut operation = Operation::new(path, api.generator);
        H::describe_handler(&mut operation);
        let needs = operation.needs();
        let (described, generator) = operation.finish(id, api.tag, summary);
        let entry = api.paths.entry(path).or_insert_with(|| json!({}));
        entry[key(&method)] = described;
        api.routes.push(Route { method, path, needs, note: None });
        api.router = api.router.route(path, on(filter, handler));
        api.generator = generator;
        api
    }
}

/// A method as the document writes it.
fn key(method: &Method) -> String {
    method.as_str().to_ascii_lowercase()
}
