//! The OpenAPI document as JSON and as a page that works without scripts.

use std::sync::{Arc, LazyLock, OnceLock};

use askama::Template;
use axum::response::Response;
use http::{HeaderMap, HeaderValue, header};

use crate::openapi::docs::reference::Reference;
use crate::platform::error::{Error, Result};
use crate::platform::http::precompressed::{PrecompressedText, UNTIL_ASKED};
pub use crate::platform::openapi::described::operations;
use crate::routes;

mod example;
mod fields;
mod reference;

/// The page only shows text.
const CSP: &str = "default-src 'none'; style-src 'self'; img-src data:; form-action 'none'; \
                   frame-ancestors 'none'; base-uri 'none'";

static DOCUMENT: OnceLock<Arc<str>> = OnceLock::new();
static JSON: LazyLock<PrecompressedText> =
    LazyLock::new(|| PrecompressedText::new(document().to_string()));
static PAGE: OnceLock<PrecompressedText> = OnceLock::new();

/// The document, rendered once.
pub fn document() -> Arc<str> {
    DOCUMENT.get_or_init(|| routes::document().to_string().into()).clone()
}

/// GET /openapi.json
pub async fn json(request: HeaderMap) -> Response {
    JSON.respond(&request, "application/json", UNTIL_ASKED)
}

/// GET /docs
pub async fn page(request: HeaderMap) -> Result<Response> {
    let page = if let Some(page) = PAGE.get() {
        page
    } else {
        let html = Reference::new(&routes::document(), &routes::routes()).render();
        let html = html.map_err(|error| Error::Internal(error.into()))?;
        PAGE.get_or_init(|| PrecompressedText::new(html))
    };
    let mut response = page.respond(&request, "text/html; charset=utf-8", UNTIL_ASKED);
    let csp = HeaderValue::from_static(CSP);
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, csp);
    Ok(response)
}
