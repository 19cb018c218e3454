//! A request: why it was refused, and what was sent and answered.

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use serde_json::Value;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::credentials::Credential;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::developers::requests::list_pages::{LIST, key_name, keys, state};
use crate::dashboard::developers::requests::view::{Refused, RequestPage};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::Visit;
use crate::platform::error::Result;
use crate::platform::http::error_response::doc_url;
use crate::platform::http::path::PathParam;
use crate::platform::messages::Lang;
use crate::platform::permissions::RequestsRead;
use crate::requests::{self, Refusal, RequestRecord};

/// GET /dashboard/{mode}/developers/requests/{id}
pub async fn show(
    State(app): State<App>,
    seat: Seat<RequestsRead>,
    visit: Visit,
    PathParam(request_id): PathParam<String>,
) -> Result<Response> {
    let (scope, lang) = (seat.scope, visit.lang);
    app.requests.write(&app.database).await;
    let wanted = request_id.clone();
    let found = app.read(async move |tx| requests::find(tx, scope, &wanted).await).await?;
    let keys = keys(&app, &seat).await?;
    let shell = Shell::read(&app, seat.holder(), scope.mode, &visit, Section::Requests).await?;
    let (record, base_url) = (found.record, app.settings.base_url());
    let notes = [
        record.is_replayed.then(|| lang.requests_replayed()),
        record.is_dry_run.then(|| lang.requests_dry_run()),
    ];
    let page = RequestPage {
        lang,
        shell,
        list_url: url(scope.mode, LIST),
        heading: format!("{} {}", record.method, record.route),
        state: state(&record, lang),
        status: record.status,
        why: record.refusal.as_ref().map(|refusal| refused(refusal, &base_url, lang)),
        notes: notes.into_iter().flatten().collect(),
        facts: facts(&record, &keys, lang),
        sent: record.request_body.map(pretty),
        answered: record.response_body.map(pretty),
        api: vec![ApiCall::get(&base_url, &format!("/api/requests/{request_id}"))],
    };
    visit.page(&page, StatusCode::OK)
}

fn refused(refusal: &Refusal, base_url: &str, lang: Lang) -> Refused {
    let field = refusal.field.as_ref();
    Refused {
        code: refusal.code.clone(),
        field: field.map(|(field, code)| lang.requests_field(field, code)),
        doc_url: doc_url(base_url, &refusal.code),
    }
}

fn facts(record: &RequestRecord, keys: &[Credential], lang: Lang) -> Vec<(&'static str, String)> {
    let path = match &record.query {
        Some(query) => format!("{}?{query}", record.path),
        None => record.path.clone(),
    };
    let key = key_name(record, keys, lang).unwrap_or_else(|| lang.requests_person().to_owned());
    let facts = [
        (lang.requests_when(), Some(lang.date_time(record.created_at.micros()))),
        (lang.requests_path(), Some(path)),
        ("X-Request-Id", Some(record.request_id.clone())),
        (lang.requests_api_key(), Some(key)),
        (lang.requests_network(), Some(record.client_network.clone())),
        (lang.requests_took(), Some(format!("{} ms", record.duration.as_millis()))),
        ("Idempotency-Key", record.idempotency_key.clone()),
        (lang.requests_object(), record.object.map(|object| object.to_string())),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// A body, indented; one that was cut is no JSON any more.
fn pretty(body: String) -> String {
    let parsed = serde_json::from_str::<Value>(&body);
    parsed.and_then(|body| serde_json::to_string_pretty(&body)).unwrap_or(body)
}
