//! The description as JSON and as a page that works without scripts.

use std::sync::{Arc, OnceLock};

use askama::Template;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, header};
use serde_json::Value;

use crate::error::{Error, Result};
use crate::openapi::docs::reference::Reference;
use crate::routes;

mod example;
mod fields;
mod reference;

/// The page shows text and nothing else.
const CSP: &str = "default-src 'none'; style-src 'self'; img-src data:; form-action 'none'; \
                   frame-ancestors 'none'; base-uri 'none'";

static DOCUMENT: OnceLock<Arc<str>> = OnceLock::new();
static PAGE: OnceLock<Arc<str>> = OnceLock::new();

/// The document, written once.
pub fn document() -> Arc<str> {
    DOCUMENT.get_or_init(|| routes::document().to_string().into()).clone()
}

/// GET /openapi.json
pub async fn json() -> Response {
    let kind = HeaderValue::from_static("application/json");
    ([(header::CONTENT_TYPE, kind)], document().to_string()).into_response()
}

/// GET /docs
pub async fn page() -> Result<Response> {
    let html = if let Some(html) = PAGE.get() {
        html.clone()
    } else {
        let html = Reference::new(&routes::document(), &routes::routes()).render();
        let html = html.map_err(|error| Error::Internal(error.into()))?;
        PAGE.get_or_init(|| html.into()).clone()
    };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(CSP)),
    ];
    Ok((headers, html.to_string()).into_response())
}

/// Every operation of a document: path, method and description.
pub fn operations(document: &Value) -> Vec<(&str, &str, &Value)> {
    let paths = document["paths"].as_object().into_iter().flatten();
    paths
        .flat_map(|(path, methods)| {
            let methods = methods.as_object().into_iter().flatten();
            methods.map(move |(method, operation)| (path.as_str(), method.as_str(), operation))
        })
        .collect()
}
