//! Responses to browsers: pages with their headers, redirects, posted forms.

use std::fmt::Write;

use askama::Template;
use axum::body::Body;
use axum::extract::Request;
use axum::response::{IntoResponse, Redirect, Response};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde::de::DeserializeOwned;
use url::form_urlencoded;

use crate::platform::assets::{checkout_csp, checkout_csp_reaching};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::body::{PUBLIC_BODY_BYTES_MAX, read};
use crate::platform::http::card_data;
use crate::platform::http::language::RequestLanguage;
use crate::platform::http::precompressed::{PrecompressedText, UNTIL_ASKED};

/// The policy of a page that only shows text.
const TEXT_ALONE: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; img-src data:; form-action 'none'; \
     frame-ancestors 'none'; base-uri 'none'",
);

/// The policies of the hosted pages; constants are checked when the program is compiled, and not at
/// each response.
const WITH_PIXEL: HeaderValue = HeaderValue::from_static(checkout_csp(true));
const WITHOUT_PIXEL: HeaderValue = HeaderValue::from_static(checkout_csp(false));

/// Renders a template in the requested language.
pub fn page_of(
    page: &impl Template,
    status: StatusCode,
    language: RequestLanguage,
    pixel: bool,
) -> Result<Response> {
    let html = page.render().map_err(|error| Error::Internal(error.into()))?;
    Ok(html_response(html, status, language, pixel))
}

/// Renders a template whose script may also call one other server, by its origin.
pub fn page_reaching(
    page: &impl Template,
    status: StatusCode,
    language: RequestLanguage,
    origin: &str,
) -> Result<Response> {
    let mut response = page_of(page, status, language, false)?;
    let policy = HeaderValue::try_from(checkout_csp_reaching(origin));
    let policy = policy.map_err(|error| Error::Internal(error.into()))?;
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    Ok(response)
}

/// A response with a page; `pixel` says whether it may load an image from the advertiser's server.
///
/// A language that the buyer has just chosen is remembered for the next page.
pub fn html_response(
    html: impl Into<Body>,
    status: StatusCode,
    language: RequestLanguage,
    pixel: bool,
) -> Response {
    let policy = if pixel { WITH_PIXEL } else { WITHOUT_PIXEL };
    let headers = [
        (header::CONTENT_TYPE, const { HeaderValue::from_static("text/html; charset=utf-8") }),
        (header::CACHE_CONTROL, const { HeaderValue::from_static("no-store") }),
        (header::CONTENT_SECURITY_POLICY, policy),
    ];
    let mut response = (status, headers, html.into()).into_response();
    response.headers_mut().extend(language.remember());
    response
}

/// A page that changes only with the version. It only shows text.
pub fn static_page(page: &PrecompressedText, request: &HeaderMap) -> Response {
    let mut response = page.respond(request, "text/html; charset=utf-8", UNTIL_ASKED);
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, TEXT_ALONE);
    response
}

/// Redirects a browser with a GET, so that reloading does not post again.
///
/// The path is percent-encoded where necessary, so the header can hold any path.
pub fn see(path: &str) -> Response {
    let mut address = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_graphic() && !b"\"<>\\`".contains(&byte) {
            address.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(address, "%{byte:02X}");
        }
    }
    Redirect::to(&address).into_response()
}

/// Reads a posted form; a card's number is refused in any of its fields, known or not.
pub async fn posted<T: DeserializeOwned>(request: Request) -> Result<T> {
    posted_to_correct(request, &[]).await
}

/// The same for a form that is rendered again with its errors beside the fields: the page checks
/// the fields named in `shown` for card data, and every other field is checked here.
pub async fn posted_to_correct<T: DeserializeOwned>(request: Request, shown: &[&str]) -> Result<T> {
    read_form(request, shown, PUBLIC_BODY_BYTES_MAX).await
}

/// The same for a form of at most `most` bytes.
pub async fn read_form<T: DeserializeOwned>(
    request: Request,
    shown: &[&str],
    most: usize,
) -> Result<T> {
    let raw = read(request, most).await?;
    for (field, text) in form_urlencoded::parse(&raw) {
        if !shown.contains(&field.as_ref()) && card_data::stands_in(&field, &text) {
            return Err(card_data::refused(&field));
        }
    }
    parse_form(&raw)
}

/// Reads the only form that may hold a card: a tokenizer's. It is never stored.
pub async fn posted_card<T: DeserializeOwned>(request: Request) -> Result<T> {
    parse_form(&read(request, PUBLIC_BODY_BYTES_MAX).await?)
}

fn parse_form<T: DeserializeOwned>(raw: &[u8]) -> Result<T> {
    serde_urlencoded::from_bytes(raw)
        .map_err(|_| Error::refused(ErrorCode::ValidationError, "The form cannot be read."))
}
