//! The page at the server's own URL, to see that it is running.

use askama::Template;
use axum::response::Response;
use http::StatusCode;

use crate::platform::assets;
use crate::platform::error::Result;
use crate::platform::http::html::page_of;
use crate::platform::http::language::RequestLanguage;
use crate::platform::messages::Lang;

/// What this server is, with links.
#[derive(Template)]
#[template(path = "home.html")]
struct HomePage {
    lang: Lang,
    language_url: String,
}

/// GET /
pub async fn show(language: RequestLanguage) -> Result<Response> {
    let lang = language.lang;
    let language_url = format!("/?lang={}", lang.other().tag());
    page_of(&HomePage { lang, language_url }, StatusCode::OK, language, false)
}
