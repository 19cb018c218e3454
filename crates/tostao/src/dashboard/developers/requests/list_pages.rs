//! The list of requests, and what was refused by its kind.

use axum::extract::State as Shared;
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::credentials::{self, Credential};
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::developers::requests::filter::FilterForm;
use crate::dashboard::developers::requests::view::{Group, KeyChoice, ListPage, Row};
use crate::dashboard::form::WrongField;
use crate::dashboard::listing::{Found, by_cursor};
use crate::dashboard::parts::{NothingYet, State, Tone};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::Visit;
use crate::platform::error::{FieldError, Result};
use crate::platform::http::query::Query;
use crate::platform::ids::Scope;
use crate::platform::messages::Lang;
use crate::platform::permissions::{PersonalPermission, RequestsRead};
use crate::requests::{self, LoggedRequest, RefusalGroup, RequestRecord};

/// The path of the list in its mode.
pub const LIST: &str = "/developers/requests";
/// How many kinds of refusals are shown.
const GROUPS_SHOWN: usize = 5;

/// GET /dashboard/{mode}/developers/requests
pub async fn show(
    Shared(app): Shared<App>,
    seat: Seat<RequestsRead>,
    visit: Visit,
    Query(form): Query<FilterForm>,
) -> Result<Response> {
    let (scope, lang) = (seat.scope, visit.lang);
    let shell = Shell::read(&app, seat.holder(), scope.mode, &visit, Section::Requests).await?;
    app.requests.write(&app.database).await;
    let keys = keys(&app, &seat).await?;
    let (found, wrong) = Found::or_wrong(found(&app, scope, &form, (&keys, lang)).await)?;
    let is_first = form == FilterForm::default();
    let groups = if is_first { groups(&app, scope, &form, lang).await? } else { Vec::new() };
    let status = if wrong.is_empty() { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    let page = ListPage {
        lang,
        shell,
        list_url: url(scope.mode, LIST),
        statuses: form.statuses(lang),
        methods: form.methods(),
        keys: choices(&keys, &form),
        wrong: summary(&wrong, lang),
        groups,
        found,
        api: vec![ApiCall::get(&app.settings.base_url(), &form.api_path())],
        form,
    };
    visit.page(&page, status)
}

async fn found(
    app: &App,
    scope: Scope,
    form: &FilterForm,
    (keys, lang): (&[Credential], Lang),
) -> Result<Found<Row>> {
    let (filter, page, here) = (form.read()?, form.page().read()?, url(scope.mode, LIST));
    let read = async move |tx: &Tx| requests::page(tx, scope, &filter, page).await;
    let listed = app.scan_for(scope.merchant, read).await?;
    if listed.rows.is_empty() && form.cursor.is_empty() {
        let (heading, note) = (lang.requests_none(), lang.requests_none_note());
        let empty = (lang.requests_none_match(), NothingYet { heading, note, step: None });
        return Ok(Found::none(form.is_set().then_some(here), empty));
    }
    let at = |cursor: &str| form.from_cursor(cursor).url(&here);
    let pager = by_cursor(&form.cursor, &listed, page, at);
    let row = |one| row(one, keys, &here, lang);
    Ok(Found::Rows { rows: listed.rows.iter().map(row).collect(), pager })
}

/// The keys of the mode; none if the reader may not know their names.
pub async fn keys<P>(app: &App, seat: &Seat<P>) -> Result<Vec<Credential>> {
    if !seat.may(PersonalPermission::CredentialsRead) {
        return Ok(Vec::new());
    }
    let scope = seat.scope;
    let mut keys =
        app.read(async move |tx: &Tx| credentials::list(tx, scope.merchant).await).await?;
    keys.retain(|key| key.mode == scope.mode);
    Ok(keys)
}

/// The name of a request's key, or its end where the name is not known; `None` for a person's.
pub fn key_name(record: &RequestRecord, keys: &[Credential], lang: Lang) -> Option<String> {
    let used = record.key.as_ref()?;
    let known = keys.iter().find(|key| key.id == used.id).map(|key| key.name.clone());
    Some(known.unwrap_or_else(|| lang.requests_ends_in(&used.last4)))
}

fn choices(keys: &[Credential], form: &FilterForm) -> Vec<KeyChoice> {
    let choice = |key: &Credential| KeyChoice {
        id: key.id.to_string(),
        name: format!("{} …{}", key.name, key.last4),
        is_chosen: key.id.to_string() == form.credential_id,
    };
    keys.iter().map(choice).collect()
}

/// A request in a list.
pub fn row(
    LoggedRequest { record, .. }: &LoggedRequest,
    keys: &[Credential],
    here: &str,
    lang: Lang,
) -> Row {
    Row {
        when: lang.date_time(record.created_at.micros()),
        what: format!("{} {}", record.method, record.path),
        url: format!("{here}/{}", record.request_id),
        state: state(record, lang),
        status: record.status,
        why: record.refusal.as_ref().map(|refusal| match &refusal.field {
            Some((field, code)) => format!("{}: {field} {code}", refusal.code),
            None => refusal.code.clone(),
        }),
        key: key_name(record, keys, lang),
        took: format!("{} ms", record.duration.as_millis()),
    }
}

async fn groups(app: &App, scope: Scope, form: &FilterForm, lang: Lang) -> Result<Vec<Group>> {
    let (filter, here) = (form.read()?, url(scope.mode, LIST));
    let read = async move |tx: &Tx| requests::refusals(tx, scope, &filter).await;
    let groups = app.scan_for(scope.merchant, read).await?;
    Ok(groups.iter().take(GROUPS_SHOWN).map(|one| group(one, &here, lang)).collect())
}

fn group(one: &RefusalGroup, here: &str, lang: Lang) -> Group {
    let times = match one.count {
        1 => lang.requests_once().to_owned(),
        count => lang.requests_times(count),
    };
    let code = one.code.clone().unwrap_or_else(|| one.status.to_string());
    let field = one.field.clone().zip(one.field_code.clone());
    Group {
        what: format!("{} {}", one.method, one.route),
        why: field.map_or(code.clone(), |(field, fault)| format!("{code}: {field} {fault}")),
        times: format!("{times} {}", lang.date_time(one.last_at.micros())),
        url: format!("{here}/{}", one.example),
    }
}

/// How a request ended.
pub fn state(record: &RequestRecord, lang: Lang) -> State {
    let (tone, word) = match record.status {
        500.. => (Tone::Bad, lang.request_faulty()),
        400.. => (Tone::Wait, lang.request_refused()),
        _ => (Tone::Good, lang.request_accepted()),
    };
    State { tone, word }
}

fn summary(wrong: &[FieldError], lang: Lang) -> Vec<WrongField> {
    let labels = [
        ("status", lang.requests_status()),
        ("method", lang.requests_method()),
        ("route", lang.requests_route()),
        ("code", lang.requests_code()),
        ("idempotencyKey", "Idempotency-Key"),
        ("credentialId", lang.requests_api_key()),
    ];
    let shown = |(id, label): (&'static str, &'static str)| {
        let wrong = wrong.iter().find(|wrong| wrong.field == id)?;
        Some(WrongField::of(id, label, wrong, lang))
    };
    labels.into_iter().filter_map(shown).collect()
}
