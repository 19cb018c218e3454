//! Giving an API key another secret.

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;
use serde_json::json;

use crate::app::App;
use crate::auth::seat::MemberSeat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::developers::keys::list_pages::{API, LIST, asker, expect, secret_page};
use crate::dashboard::developers::keys::view::RotatePage;
use crate::dashboard::parts::{Choice, Text};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::Visit;
use crate::merchants::credentials::api::{RotateBody, ask_to_rotate};
use crate::platform::error::{Error, Result};
use crate::platform::http::html::posted;
use crate::platform::http::path::PathParam;
use crate::platform::ids::CredentialId;
use crate::platform::messages::Lang;
use crate::platform::permissions::CredentialsWrite;

/// For how long the old secret stays valid, in seconds; the first is the usual one.
const GRACES: [(&str, Text); 4] = [
    ("86400", Lang::key_grace_day),
    ("3600", Lang::key_grace_hour),
    ("604800", Lang::key_grace_week),
    ("0", Lang::key_grace_none),
];

/// What is posted.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RotateForm {
    grace_period_seconds: String,
    attempt: String,
}

/// GET /dashboard/{mode}/developers/keys/{id}/rotate
pub async fn show(
    State(app): State<App>,
    seat: MemberSeat<CredentialsWrite>,
    visit: Visit,
    PathParam(id): PathParam<CredentialId>,
) -> Result<Response> {
    let (key, mode, lang) = (expect(&app, &seat, id).await?, seat.scope.mode, visit.lang);
    let (list_url, base_url) = (url(mode, LIST), app.settings.base_url());
    let choice = |(value, name): (&'static str, Text)| Choice {
        value,
        name: name(lang),
        is_chosen: value == GRACES[0].0,
    };
    let (api, body) = (format!("{API}/{id}/rotate"), json!({ "gracePeriodSeconds": 86_400 }));
    let page = RotatePage {
        lang,
        shell: Shell::read(&app, seat.holder(), mode, &visit, Section::Keys).await?,
        form_url: format!("{list_url}/{id}/rotate"),
        list_url,
        name: key.name,
        graces: GRACES.map(choice).into(),
        attempt: attempt::fresh(&app, seat.scope),
        api: vec![ApiCall::send("POST", &base_url, &api, &body).as_person()],
    };
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/developers/keys/{id}/rotate
pub async fn rotate(
    State(app): State<App>,
    seat: MemberSeat<CredentialsWrite>,
    visit: Visit,
    PathParam(id): PathParam<CredentialId>,
    request: Request,
) -> Result<Response> {
    let form: RotateForm = posted(request).await?;
    let (scope, lang) = (seat.scope, visit.lang);
    expect(&app, &seat, id).await?;
    let (_, grace) = GRACES
        .into_iter()
        .find(|(seconds, _)| *seconds == form.grace_period_seconds)
        .ok_or_else(|| Error::field("gracePeriodSeconds", "OUT_OF_RANGE", "must be one of those"))?;
    let route = format!("{LIST}/{id}/rotate");
    let what = &form.grace_period_seconds;
    let key = attempt::key(&app, scope, &route, &form.attempt, what)?;
    let body = RotateBody { grace_period_seconds: what.parse().ok() };
    let asked = ask_to_rotate(&app, &visit.context, asker(&seat), Some(key), (id, body));
    let made = asked.await?.read()?;
    let old = lang.key_old_until(grace(lang));
    secret_page(&app, &seat, &visit, made, Some(old)).await
}
