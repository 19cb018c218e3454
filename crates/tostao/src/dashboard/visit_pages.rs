//! What a page knows of its request beside who asks, and how it is sent.

use std::convert::Infallible;
use std::sync::Arc;

use askama::Template;
use axum::extract::{FromRequestParts, Request};
use axum::http::request::Parts;
use axum::response::Response;
use http::StatusCode;
use serde::de::DeserializeOwned;
use url::form_urlencoded;

use crate::app::App;
use crate::dashboard::form::{DRAWN, Posted};
use crate::platform::error::{Error, Result};
use crate::platform::http::body::BODY_BYTES_MAX;
use crate::platform::http::context::{Context, RequestContext};
use crate::platform::http::flash::Flash;
use crate::platform::http::html::{page_of, read_form, see};
use crate::platform::http::language::RequestLanguage;
use crate::platform::messages::Lang;

/// A visit to a page.
#[derive(Debug)]
pub struct Visit {
    pub lang: Lang,
    /// The path, and the query without the choice of a language.
    pub path: String,
    pub query: String,
    /// What a form has done that led here.
    pub flash: Option<Flash>,
    pub context: Arc<RequestContext>,
    language: RequestLanguage,
}

impl FromRequestParts<App> for Visit {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        let Context(context) = Context::from_request_parts(parts, app).await?;
        let language = RequestLanguage::from_request_parts(parts, app).await;
        let language = language.unwrap_or_else(|never: Infallible| match never {});
        Ok(Self {
            lang: language.lang,
            path: parts.uri.path().to_owned(),
            query: without_language(parts.uri.query().unwrap_or_default()),
            flash: Flash::read(&app.secrets, app.now(), &parts.headers),
            context,
            language,
        })
    }
}

impl Visit {
    /// The address of this page, without the choice of a language.
    pub fn address(&self) -> String {
        let between = if self.query.is_empty() { "" } else { "?" };
        format!("{}{between}{}", self.path, self.query)
    }

    /// This page in the other language.
    pub fn language_url(&self) -> String {
        let tag = self.lang.other().tag();
        let between = if self.query.is_empty() { "" } else { "&" };
        format!("{}?{}{between}lang={tag}", self.path, self.query)
    }

    /// Sends a page; the sentence that it shows once is not shown again.
    pub fn page(&self, page: &impl Template, status: StatusCode) -> Result<Response> {
        let mut response = page_of(page, status, self.language, false)?;
        if self.flash.is_some() {
            let (name, value) = Flash::forget();
            response.headers_mut().append(name, value);
        }
        Ok(response)
    }

    /// Sends a form again with its errors.
    pub fn refused(&self, page: &impl Template) -> Result<Response> {
        self.page(page, StatusCode::UNPROCESSABLE_ENTITY)
    }
}

/// Reads a form that makes or changes an object; the page checks the fields named in `shown` for
/// card data.
pub async fn posted_form<F: DeserializeOwned>(
    request: Request,
    shown: &[&str],
) -> Result<Posted<F>> {
    // What was drawn is compared with what was typed, and not stored.
    read_form(request, &[shown, &[DRAWN]].concat(), BODY_BYTES_MAX).await
}

/// Leads to a page that says what was done.
pub fn see_and_say(app: &App, path: &str, text: impl Into<String>) -> Response {
    let mut response = see(path);
    let nonce = app.database.sources().random();
    if let Some((name, value)) = Flash(text.into()).remember(&app.secrets, nonce, app.now()) {
        response.headers_mut().append(name, value);
    }
    response
}

fn without_language(query: &str) -> String {
    let mut kept = form_urlencoded::Serializer::new(String::new());
    let pairs = form_urlencoded::parse(query.as_bytes());
    kept.extend_pairs(pairs.filter(|(name, _)| name != "lang"));
    kept.finish()
}

#[cfg(test)]
mod tests {
    use super::without_language;

    #[test]
    fn a_query_keeps_its_filters_in_another_language() {
        let table = [
            ("", ""),
            ("lang=en", ""),
            ("q=caf%C3%A9&lang=en&page=2", "q=caf%C3%A9&page=2"),
            ("language=en", "language=en"),
        ];
        for (query, kept) in table {
            assert_eq!(without_language(query), kept);
        }
    }
}
