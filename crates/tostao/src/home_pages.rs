//! The page at the address of the server itself, for whoever looks whether it is there.

use askama::Template;
use axum::response::Response;
use http::StatusCode;

use crate::platform::assets;
use crate::platform::error::Result;
use crate::platform::http::html::page_of;
use crate::platform::http::language::Language;
use crate::platform::messages::Lang;

/// What this server is, and where to go on.
#[derive(Template)]
#[template(path = "home.html")]
struct HomePage {
    lang: Lang,
    language_url: String,
}

/// GET /
pub async fn show(language: Language) -> Result<Response> {
    let lang = language.lang;
    let language_url = format!("/?lang={}", lang.other().tag());
    page_of(&HomePage { lang, language_url }, StatusCode::OK, language, false)
}
