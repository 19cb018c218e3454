//! Routes and their descriptions, added by one call.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Router;
use axum::handler::Handler;
use axum::middleware::from_fn_with_state;
use axum::routing::{MethodFilter, on};
use http::Method;
use schemars::SchemaGenerator;
use serde_json::{Value, json};

use crate::app::App;
use crate::openapi::deprecation::{Deprecation, announce};
use crate::openapi::{errors, webhooks};
use crate::platform::error::ErrorCode;
use crate::platform::openapi::API_VERSION;
use crate::platform::openapi::describe::Described;
use crate::platform::openapi::operation::{Operation, Security};

/// A router and the operations that it serves.
///
/// The document is generated on demand: a server that starts only needs the router.
#[derive(Default)]
pub struct Api {
    router: Router<App>,
    operations: Vec<ServedOperation>,
    tag: &'static str,
}

/// An operation that has an id and a summary, but no route yet.
pub struct Unrouted {
    api: Api,
    id: &'static str,
    summary: &'static str,
}

/// An operation and its route.
struct ServedOperation {
    id: &'static str,
    tag: &'static str,
    summary: &'static str,
    method: Method,
    path: &'static str,
    note: Option<&'static str>,
    deprecation: Option<Deprecation>,
    /// Describes the handler by its types.
    describe: fn(&mut Operation),
}

/// One line of the API: a method, a path and what it requires.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// The part of the API that it belongs to.
    pub tag: &'static str,
    pub method: Method,
    pub path: &'static str,
    pub needs: Option<Security>,
    /// What its types cannot express.
    pub note: Option<&'static str>,
}

impl Api {
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
        if let Some(operation) = self.operations.last_mut() {
            operation.note = Some(note);
        }
        self
    }

    /// Deprecates the last route.
    #[must_use]
    pub fn deprecated(mut self, deprecation: Deprecation) -> Self {
        if let Some(operation) = self.operations.last_mut() {
            operation.deprecation = Some(deprecation);
        }
        self
    }

    /// The router of all operations.
    pub fn into_router(self) -> Router<App> {
        let deprecated: HashMap<_, _> = self
            .operations
            .iter()
            .filter_map(|operation| {
                let headers = operation.deprecation?.headers()?;
                Some(((operation.method.clone(), operation.path), headers))
            })
            .collect();
        if deprecated.is_empty() {
            return self.router;
        }
        self.router.layer(from_fn_with_state(Arc::new(deprecated), announce))
    }

    /// Every operation's route, and what it requires.
    pub fn routes(&self) -> Vec<Route> {
        let route = |operation: &ServedOperation| Route {
            tag: operation.tag,
            method: operation.method.clone(),
            path: operation.path,
            needs: operation.described(Operation::generator()).needs(),
            note: operation.note,
        };
        self.operations.iter().map(route).collect()
    }

    /// The OpenAPI document.
    pub fn document(&self) -> Value {
        let mut generator = Operation::generator();
        let mut paths = serde_json::Map::new();
        for operation in &self.operations {
            let described = operation.described(generator);
            let needs = described.needs();
            let (mut value, next) =
                described.finish(operation.id, operation.tag, operation.summary);
            let codes = errors::all(operation.method.as_str(), needs, &value);
            value[errors::LISTED] = codes.into_iter().map(ErrorCode::name).collect();
            if let Some(note) = operation.note {
                let needs = value["description"].as_str();
                value["description"] =
                    needs.map_or_else(|| note.into(), |needs| format!("{needs} {note}").into());
            }
            if operation.deprecation.is_some() {
                value["deprecated"] = json!(true);
            }
            let methods = paths.entry(operation.path).or_insert_with(|| json!({}));
            methods[operation.method.as_str().to_ascii_lowercase()] = value;
            generator = next;
        }
        let webhooks = webhooks::describe(&mut generator);
        let schemas = generator.take_definitions(true);
        json!({
            "openapi": "3.1.0",
            "info": {
                "title": "Tostão",
                "version": API_VERSION,
                "description": "Payment links, PIX, webhooks and balances for a merchant in \
                    Brazil. Amounts are integers in cents; times are UTC. Each operation lists in \
                    `x-error-codes` the values of `code` that its errors can have.",
                "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
            },
            // The server that the document was read from.
            "servers": [{ "url": "/" }],
            "paths": paths,
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
        })
    }
}

impl ServedOperation {
    fn described(&self, generator: SchemaGenerator) -> Operation {
        let mut operation = Operation::new(self.path, generator);
        (self.describe)(&mut operation);
        operation
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
        let (tag, describe) = (api.tag, H::describe_handler);
        api.operations.push(ServedOperation {
            id,
            tag,
            summary,
            method,
            path,
            note: None,
            deprecation: None,
            describe,
        });
        api.router = api.router.route(path, on(filter, handler));
        api
    }
}
