//! Answers to browsers: pages with their headers, redirects, posted forms.

use askama::Template;
use axum::body::Body;
use axum::extract::Request;
use axum::response::{IntoResponse, Redirect, Response};
use http::{HeaderValue, StatusCode, header};
use serde::de::DeserializeOwned;

use crate::assets::checkout_csp;
use crate::error::{Error, Refusal, Result};
use crate::http::body::{PUBLIC_BODY_BYTES_MAX, read};
use crate::http::language::Language;

/// A filled template in the language it was asked for.
pub fn page_of(
    page: &impl Template,
    status: StatusCode,
    language: Language,
    pixel: bool,
) -> Result<Response> {
    let html = page.render().map_err(|error| Error::Internal(error.into()))?;
    Ok(html_response(html, status, language, pixel))
}

/// Any page; `pixel` says whether it may ask the advertiser's server for an image.
///
/// A language that was chosen just now is remembered for the next page.
pub fn html_response(
    html: impl Into<Body>,
    status: StatusCode,
    language: Language,
    pixel: bool,
) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(checkout_csp(pixel))),
    ];
    let mut response = (status, headers, html.into()).into_response();
    response.headers_mut().extend(language.remember());
    response
}

/// Sends a browser on with a GET, so that reloading posts nothing again.
pub fn see(path: &str) -> Response {
    Redirect::to(path).into_response()
}

/// Reads a posted form.
pub async fn posted<T: DeserializeOwned>(request: Request) -> Result<T> {
    let raw = read(request, PUBLIC_BODY_BYTES_MAX).await?;
    serde_urlencoded::from_bytes(&raw)
        .map_err(|_| Error::refused(Refusal::ValidationError, "The form cannot be read."))
}
