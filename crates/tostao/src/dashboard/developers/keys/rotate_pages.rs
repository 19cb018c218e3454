//! Giving an API key another secret.

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use serde_json::json;

use crate::app::App;
use crate::auth::seat::MemberSeat;
use crate::credentials::api::{RotateBody, ask_to_rotate};
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::developers::keys::list_pages::{API, LIST, asker, expect, secret_page};
use crate::dashboard::developers::secrets::{RotateForm, RotatePage, graces, is_over, of_session};
use crate::dashboard::kept_form;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::platform::error::Result;
use crate::platform::http::html::posted;
use crate::platform::http::path::PathParam;
use crate::platform::ids::CredentialId;
use crate::platform::permissions::CredentialsWrite;

/// GET /dashboard/{mode}/developers/keys/{id}/rotate
pub async fn show(
    State(app): State<App>,
    seat: MemberSeat<CredentialsWrite>,
    visit: Visit,
    PathParam(id): PathParam<CredentialId>,
) -> Result<Response> {
    let (key, mode, lang) = (expect(&app, &seat, id).await?, seat.scope.mode, visit.lang);
    let (list_url, base_url) = (url(mode, LIST), app.settings.base_url());
    let (api, body) = (format!("{API}/{id}/rotate"), json!({ "gracePeriodSeconds": 86_400 }));
    let page = RotatePage {
        lang,
        shell: Shell::read(&app, seat.holder(), mode, &visit, Section::Keys).await?,
        heading: lang.key_rotate_of(key.name),
        form_url: format!("{list_url}/{id}/rotate"),
        back: (list_url, lang.keys_title().to_owned()),
        note: lang.key_rotate_note(),
        graces: graces(kept_form::read(&app, seat.who(), &visit).as_ref(), lang),
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
    expect(&app, &seat, id).await?;
    let (seconds, old) = form.grace(visit.lang)?;
    let what = of_session(&seat, &form.grace_period_seconds);
    let route = format!("{LIST}/{id}/rotate");
    let key = attempt::key(&app, seat.scope, &route, &form.attempt, &what)?;
    let body = RotateBody { grace_period_seconds: Some(seconds) };
    let asked = ask_to_rotate(&app, &visit.context, asker(&seat), Some(key), (id, body));
    let made = asked.await?;
    if is_over(&app, &made) {
        let list = url(seat.scope.mode, LIST);
        return Ok(see_and_say(&app, &list, visit.lang.secret_no_more()));
    }
    secret_page(&app, &seat, &visit, made.read()?, Some(old)).await
}
