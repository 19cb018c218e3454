//! The guides as pages and as Markdown, and the list of them for language models.

use std::sync::LazyLock;

use askama::Template;
use axum::extract::Path;
use axum::response::Response;
use http::HeaderMap;

use crate::guides::markdown::{Heading, Rendered, render};
use crate::guides::{ALL, Guide, PATH, SOURCE, error_pages};
use crate::openapi::docs::tags;
use crate::platform::assets;
use crate::platform::error::{Error, Result};
use crate::platform::http::html::static_page;
use crate::platform::http::language::RequestLanguage;
use crate::platform::http::precompressed::{PrecompressedText, UNTIL_ASKED};
use crate::platform::messages::Lang;

/// What stands before an error code.
const ERRORS: &str = "errors/";
/// What a language model reads before it writes a program that calls this server: what it is, and
/// the rules that cost money if they are missed.
const INTRODUCTION: &str = "\
# Tostão

> A self-hosted payment gateway for Brazil: PIX, boleto and card, subscriptions, payouts, webhooks.

- Amounts are integers in cents of reais; times are RFC 3339 in UTC.
- Development keys move simulated money, production keys real money.
- Send an `Idempotency-Key` with every POST that moves money; after a 503 or a time-out repeat it
  with the same key and body until there is an answer.
- Branch on an error's `code`, never on `message`.
- Verify a webhook's signature over its raw body, answer 2xx within 10 seconds, and handle each
  event `id` once: events come twice and in any order.
- A payment is paid when its `status` is `PAID`, not when the buyer's browser returns.

- [Every operation (OpenAPI 3.1)](/openapi.json)
- [All guides at once](/llms-full.txt)
";

/// A guide in both forms.
struct Served {
    page: PrecompressedText,
    source: PrecompressedText,
}

static SERVED: LazyLock<Vec<Served>> = LazyLock::new(|| ALL.iter().map(Served::of).collect());

/// A guide as a page.
#[derive(Template)]
#[template(path = "guides/page.html")]
struct GuidePage<'a> {
    lang: Lang,
    title: &'a str,
    name: &'a str,
    html: &'a str,
    headings: &'a [Heading],
}

impl Served {
    fn of(guide: &Guide) -> Self {
        let Rendered { title, html, headings } = render(guide);
        let (lang, name) = (guide.lang(), guide.name);
        let page = GuidePage { lang, title: &title, name, html: &html, headings: &headings };
        Self {
            page: PrecompressedText::new(page.render().unwrap_or_default()),
            source: PrecompressedText::new(guide.markdown.to_owned()),
        }
    }
}

/// GET /docs/{guide}, its Markdown with `.md` after the name, or `errors/` and an error code
pub async fn show(
    Path(name): Path<String>,
    language: RequestLanguage,
    request: HeaderMap,
) -> Result<Response> {
    if let Some(code) = name.strip_prefix(ERRORS).filter(|code| is_code(code)) {
        return error_pages::page(code, language);
    }
    let (name, is_source) = match name.strip_suffix(SOURCE) {
        Some(name) => (name, true),
        None => (name.as_str(), false),
    };
    let found = ALL.iter().zip(SERVED.iter()).find(|(guide, _)| guide.name == name);
    let (_, Served { page, source }) = found.ok_or(Error::NotFound("Guide"))?;
    if is_source {
        return Ok(source.respond(&request, "text/markdown; charset=utf-8", UNTIL_ASKED));
    }
    Ok(static_page(page, &request))
}

/// Whether a name has the form of an error code, which no guide has.
fn is_code(name: &str) -> bool {
    name.starts_with(|letter: char| letter.is_ascii_uppercase())
}

/// GET /llms.txt
///
/// Guides in Portuguese, and the operations, are only named: the list has to stay short.
pub async fn for_models(request: HeaderMap) -> Response {
    static TEXT: LazyLock<PrecompressedText> = LazyLock::new(|| {
        let (english, others): (Vec<_>, Vec<_>) =
            ALL.iter().partition(|guide| guide.language() == "en");
        let about =
            |guide: &&Guide| format!("- [{0}]({PATH}/{0}{SOURCE}): {1}\n", guide.name, guide.about);
        let named = |guide: &&Guide| format!("[{0}]({PATH}/{0}{SOURCE})", guide.name);
        let operations = tags().into_iter().map(|(tag, at)| format!("[{tag}]({at}{SOURCE})"));
        PrecompressedText::new(format!(
            "{INTRODUCTION}{}- Em português: {}\n\nOperations: {}\n",
            english.iter().map(about).collect::<String>(),
            others.iter().map(named).collect::<Vec<_>>().join(", "),
            operations.collect::<Vec<_>>().join(", "),
        ))
    });
    TEXT.respond(&request, "text/plain; charset=utf-8", UNTIL_ASKED)
}

/// GET /llms-full.txt
///
/// The guides in English; those in Portuguese say the same.
pub async fn for_models_in_full(request: HeaderMap) -> Response {
    static TEXT: LazyLock<PrecompressedText> = LazyLock::new(|| {
        let guides = ALL.iter().filter(|guide| guide.language() == "en");
        let texts =
            guides.map(|guide| format!("\n<!-- {PATH}/{} -->\n\n{}", guide.name, guide.markdown));
        PrecompressedText::new(format!("{INTRODUCTION}{}", texts.collect::<String>()))
    });
    TEXT.respond(&request, "text/plain; charset=utf-8", UNTIL_ASKED)
}
