//! What an idempotency key stands for.

use askama::Template;
use axum::extract::State as Shared;
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;
use serde_json::Value;
use url::form_urlencoded::byte_serialize;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::developers::requests::list_pages::LIST as REQUESTS;
use crate::dashboard::parts::{State, Tone};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::Visit;
use crate::idempotency::lookup_api::{KeyProgress, KeyReader, KeyView, seen};
use crate::people;
use crate::platform::assets;
use crate::platform::error::Result;
use crate::platform::http::query::Query;
use crate::platform::messages::Lang;
use crate::platform::permissions::RequestsRead;

/// The path of the page in its mode.
pub const PAGE: &str = "/developers/idempotency";

/// The key to look up.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct LookUpForm {
    key: String,
}

/// What a key stands for.
#[derive(Template)]
#[template(path = "dashboard/developers/idempotency.html")]
struct KeyPage {
    lang: Lang,
    shell: Shell,
    url: String,
    key: String,
    /// On each route that knows the key; `None` if none was looked up.
    found: Option<Vec<FoundKey>>,
    api: Vec<ApiCall>,
}

/// A key on one route.
struct FoundKey {
    route: String,
    state: State,
    why: &'static str,
    status: Option<i64>,
    facts: Vec<(&'static str, String)>,
    /// The first request in the log.
    request_url: Option<String>,
    /// The answer, or why it is not here.
    answer: Result<String, &'static str>,
}

/// GET /dashboard/{mode}/developers/idempotency
pub async fn show(
    Shared(app): Shared<App>,
    seat: Seat<RequestsRead>,
    visit: Visit,
    Query(form): Query<LookUpForm>,
) -> Result<Response> {
    let (scope, lang) = (seat.scope, visit.lang);
    let key = form.key.trim().to_owned();
    let reader = KeyReader {
        permissions: &seat.permissions,
        may: &|what| seat.may(what),
        is_program: false,
        opened_account: people::opened(seat.person, scope.merchant),
    };
    let (found, named) = if key.is_empty() {
        (None, "pedido-1042".to_owned())
    } else {
        let found = seen(&app, scope, key.clone(), &reader).await?;
        let log = url(scope.mode, REQUESTS);
        let named = byte_serialize(key.as_bytes()).collect::<String>().replace('+', "%20");
        (Some(found.into_iter().map(|one| shown(one, &log, lang)).collect()), named)
    };
    let page = KeyPage {
        lang,
        shell: Shell::read(&app, seat.holder(), scope.mode, &visit, Section::Idempotency).await?,
        url: url(scope.mode, PAGE),
        key,
        found,
        api: vec![ApiCall::get(
            &app.settings.base_url(),
            &format!("/api/idempotency-keys/{named}"),
        )],
    };
    visit.page(&page, StatusCode::OK)
}

fn shown(found: KeyView, log: &str, lang: Lang) -> FoundKey {
    let (tone, word, why) = match (found.state, found.status) {
        (KeyProgress::InProgress, _) => {
            (Tone::Wait, lang.idempotency_running(), lang.idempotency_running_why())
        }
        (KeyProgress::Answered, Some(status)) if status >= 400 => {
            (Tone::Bad, lang.request_refused(), lang.idempotency_refused_why())
        }
        (KeyProgress::Answered, _) => {
            (Tone::Good, lang.idempotency_done(), lang.idempotency_done_why())
        }
    };
    let answer = match found.answer {
        Some(answer) => Ok(indented(answer.get())),
        None if found.sealed => Err(lang.idempotency_sealed()),
        None if found.state == KeyProgress::InProgress => Err(lang.idempotency_no_answer()),
        None => Err(lang.idempotency_withheld()),
    };
    let facts = [
        (lang.idempotency_subject(), found.subject_id.map(|id| id.to_string())),
        ("X-Request-Id", found.request_id.clone()),
        (lang.idempotency_expires(), Some(lang.date_time(found.expires_at.micros()))),
    ];
    FoundKey {
        route: found.route,
        state: State { tone, word },
        why,
        status: found.status,
        facts: facts.into_iter().filter_map(|(name, value)| Some((name, value?))).collect(),
        request_url: found.request_id.map(|id| {
            let id: String = byte_serialize(id.as_bytes()).collect();
            format!("{log}/{id}")
        }),
        answer,
    }
}

/// A response with a line for each of its members, sorted by their names.
fn indented(answer: &str) -> String {
    let read = serde_json::from_str::<Value>(answer);
    read.map_or_else(|_| answer.to_owned(), |answer| format!("{answer:#}"))
}
