//! The OpenAPI document: as JSON, and as pages that work without scripts, an index and one for each
//! tag.

use std::sync::OnceLock;

use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use http::HeaderMap;
use serde_json::json;

use crate::app::App;
use crate::guides::SOURCE;
use crate::openapi::docs::index::Index;
use crate::openapi::docs::markdown::markdown;
use crate::openapi::docs::reference::Reference;
use crate::openapi::docs::tag::TagPage;
use crate::platform::config::Settings;
use crate::platform::error::{Error, Result};
use crate::platform::http::html::static_page;
use crate::platform::http::precompressed::{PrecompressedText, UNTIL_ASKED};
pub use crate::platform::openapi::described::operations;
use crate::routes;

mod example;
mod fields;
mod index;
mod markdown;
mod operation;
mod reference;
mod tag;
mod texts;
mod usual;

static PAGES: OnceLock<Pages> = OnceLock::new();

/// Every page of the reference.
struct Pages {
    index: PrecompressedText,
    tags: Vec<TagPages>,
}

/// A tag in both forms.
struct TagPages {
    anchor: String,
    page: PrecompressedText,
    source: PrecompressedText,
}

/// Every tag of the document, with the address of its page.
pub fn tags() -> Vec<(&'static str, String)> {
    let mut tags: Vec<_> = routes::routes().iter().map(|route| route.tag).collect();
    tags.dedup();
    tags.into_iter().map(|tag| (tag, reference::address(tag))).collect()
}

/// GET /openapi.json
pub async fn json(State(app): State<App>, request: HeaderMap) -> Response {
    let json = app.document.get_or_init(|| PrecompressedText::new(document(&app.settings)));
    json.respond(&request, "application/json", UNTIL_ASKED)
}

/// The document, with the server's address if the operator has named it.
fn document(settings: &Settings) -> String {
    let mut document = routes::document();
    if settings.base_url.is_some() {
        document["servers"] = json!([{ "url": settings.base_url() }]);
    }
    document.to_string()
}

/// GET /docs
pub async fn index(request: HeaderMap) -> Result<Response> {
    Ok(static_page(&pages()?.index, &request))
}

/// GET /docs/api/{tag}, or its Markdown with `.md` after the tag
pub async fn tag(Path(name): Path<String>, request: HeaderMap) -> Result<Response> {
    let (name, is_source) = match name.strip_suffix(SOURCE) {
        Some(name) => (name, true),
        None => (name.as_str(), false),
    };
    let found = pages()?.tags.iter().find(|tag| tag.anchor == name);
    let TagPages { page, source, .. } = found.ok_or(Error::NotFound("Tag"))?;
    if is_source {
        return Ok(source.respond(&request, "text/markdown; charset=utf-8", UNTIL_ASKED));
    }
    Ok(static_page(page, &request))
}

fn pages() -> Result<&'static Pages> {
    if let Some(pages) = PAGES.get() {
        return Ok(pages);
    }
    let reference = Reference::new(&routes::document(), &routes::routes());
    let pages = Pages::of(&reference).map_err(|error| Error::Internal(error.into()))?;
    Ok(PAGES.get_or_init(|| pages))
}

impl Pages {
    fn of(reference: &Reference) -> Result<Self, askama::Error> {
        let tags = reference.tags.iter().map(|tag| {
            Ok(TagPages {
                anchor: tag.anchor.clone(),
                page: PrecompressedText::new(TagPage { reference, tag }.render()?),
                source: PrecompressedText::new(markdown(tag)),
            })
        });
        let tags = tags.collect::<Result<_, askama::Error>>()?;
        Ok(Self { index: PrecompressedText::new(Index::of(reference).render()?), tags })
    }
}

#[cfg(test)]
mod tests {
    use super::pages;

    /// What a page may weigh, compressed.
    const BYTES_MAX: usize = 15 * 1024;

    #[test]
    fn every_page_of_the_reference_stays_light_and_runs_nothing() {
        let pages = pages().unwrap();
        let tags = pages.tags.iter().map(|tag| (tag.anchor.as_str(), &tag.page));
        let all: Vec<_> = tags.chain([("index", &pages.index)]).collect();
        let heavy: Vec<_> = all
            .iter()
            .map(|(name, page)| (page.gzip.len(), *name))
            .filter(|(bytes, _)| *bytes > BYTES_MAX)
            .collect();
        assert!(heavy.is_empty(), "{heavy:?}");
        for (name, page) in all {
            let html = str::from_utf8(&page.plain).unwrap();
            assert!(!html.contains("<script") && !html.contains(" style="), "{name}");
        }
    }
}
