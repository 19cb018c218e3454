//! The page at the server's own URL, to see that it is running.

use askama::Template;
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;
use url::form_urlencoded::byte_serialize;

use crate::platform::assets;
use crate::platform::error::Result;
use crate::platform::http::html::{page_of, see};
use crate::platform::http::language::RequestLanguage;
use crate::platform::http::query::Query;
use crate::platform::messages::Lang;

/// What this server is, with links.
#[derive(Template)]
#[template(path = "home.html")]
struct HomePage {
    lang: Lang,
    language_url: String,
}

/// An invite code, as the address that the API gives has it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct HomeQuery {
    invite_code: String,
}

/// GET /
///
/// With an invite code it leads to the page where an account is opened with it.
pub async fn show(Query(query): Query<HomeQuery>, language: RequestLanguage) -> Result<Response> {
    if !query.invite_code.is_empty() {
        let code: String = byte_serialize(query.invite_code.as_bytes()).collect();
        return Ok(see(&format!("/sign-up?code={code}")));
    }
    let lang = language.lang;
    let language_url = format!("/?lang={}", lang.other().tag());
    page_of(&HomePage { lang, language_url }, StatusCode::OK, language, false)
}
