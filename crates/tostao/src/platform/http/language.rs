//! The buyer's language: chosen now, chosen before (a cookie), or the browser's.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use http::{HeaderMap, HeaderValue, Uri, header};
use serde_json::json;

use crate::platform::http::headers::cookies;
use crate::platform::messages::Lang;
use crate::platform::openapi::describe::Describe;
use crate::platform::openapi::operation::Operation;

const COOKIE: &str = "lang=";

/// The language of a page, and whether the buyer chose it with this request.
#[derive(Debug, Clone, Copy)]
pub struct RequestLanguage {
    pub lang: Lang,
    chosen: bool,
}

impl RequestLanguage {
    /// Reads it from a request.
    pub fn of(address: &Uri, headers: &HeaderMap) -> Self {
        let query = address.query().unwrap_or_default();
        let mut pairs = url::form_urlencoded::parse(query.as_bytes());
        let chosen = pairs.find(|(key, _)| key == "lang").and_then(|(_, tag)| Lang::parse(&tag));
        let lang = chosen
            .or_else(|| remembered(headers))
            .unwrap_or_else(|| Lang::from_header(text(headers, header::ACCEPT_LANGUAGE)));
        Self { lang, chosen: chosen.is_some() }
    }

    /// The cookie that keeps a choice for the next page.
    pub fn remember(self) -> Option<(header::HeaderName, HeaderValue)> {
        let tag = self.lang.tag();
        let cookie = format!("{COOKIE}{tag}; Path=/; Max-Age=31536000; SameSite=Lax; HttpOnly");
        let value = HeaderValue::from_str(&cookie).ok().filter(|_| self.chosen)?;
        Some((header::SET_COOKIE, value))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for RequestLanguage {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::of(&parts.uri, &parts.headers))
    }
}

impl Describe for RequestLanguage {
    fn describe(operation: &mut Operation) {
        let description = "The language of texts for people: `pt` or `en`.";
        operation.header("Accept-Language", description, &json!({ "type": "string" }));
    }
}

fn remembered(headers: &HeaderMap) -> Option<Lang> {
    cookies(headers, COOKIE).find_map(Lang::parse)
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}
