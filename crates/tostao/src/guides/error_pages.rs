//! A page for each error code: why it comes and what to do, in both languages.

use std::sync::LazyLock;

use askama::Template;
use axum::response::Response;
use http::StatusCode;

use crate::guides::markdown::render;
use crate::guides::{ALL, Guide, PATH};
use crate::platform::assets;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::html::page_of;
use crate::platform::http::language::RequestLanguage;
use crate::platform::messages::Lang;

/// What stands before a code's name in the files of explanations.
const SECTION: &str = "\n## ";

/// A code with the HTML of its explanation, in the order of the file.
type Explained = Vec<(&'static str, String)>;

static PORTUGUESE: LazyLock<Explained> =
    LazyLock::new(|| explained("errors/pt", include_str!("../../../../docs/errors/pt.md")));
static ENGLISH: LazyLock<Explained> =
    LazyLock::new(|| explained("errors/en", include_str!("../../../../docs/errors/en.md")));

#[derive(Template)]
#[template(path = "guides/error.html")]
struct ErrorPage<'a> {
    lang: Lang,
    language_url: String,
    code: &'static str,
    status: u16,
    is_kept: bool,
    html: &'a str,
}

/// The page of a code.
pub fn page(name: &str, language: RequestLanguage) -> Result<Response> {
    let unknown = || Error::NotFound("Error code");
    let code = ErrorCode::ALL.iter().find(|code| code.name() == name).ok_or_else(unknown)?;
    let lang = language.lang;
    let explained = match lang {
        Lang::PtBr => &*PORTUGUESE,
        Lang::En => &*ENGLISH,
    };
    let (_, html) = explained.iter().find(|(known, _)| *known == name).ok_or_else(unknown)?;
    let page = ErrorPage {
        lang,
        language_url: format!("{PATH}/errors/{name}?lang={}", lang.other().tag()),
        code: code.name(),
        status: code.status(),
        is_kept: Error::refused(*code, "").is_final(),
        html,
    };
    page_of(&page, StatusCode::OK, language, false)
}

fn explained(name: &'static str, markdown: &'static str) -> Explained {
    let sections = markdown.split(SECTION).skip(1);
    let read = |section: &'static str| {
        let (code, text) = section.split_once('\n').unwrap_or((section, ""));
        let guide = Guide { name, about: "", markdown: text };
        (code.trim(), render(&guide).html)
    };
    sections.map(read).collect()
}
