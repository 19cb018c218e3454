//! Giving a webhook another secret.

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;
use serde_json::json;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::elevation::Matter;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::developers::secrets::{RotateForm, RotatePage, graces, is_over, of_session};
use crate::dashboard::developers::webhooks::form_pages::{MadeWebhook, find, secret_page};
use crate::dashboard::developers::webhooks::list_pages::LIST;
use crate::dashboard::kept_form;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::platform::error::Result;
use crate::platform::http::html::posted;
use crate::platform::http::path::PathParam;
use crate::platform::ids::WebhookId;
use crate::platform::permissions::WebhooksWrite;
use crate::webhooks::api::{RotateBody, ask_to_rotate};
use crate::webhooks::view::shown_url;

/// What the API answers, as far as the page needs it.
#[derive(Debug, Deserialize)]
struct Rotated {
    data: MadeWebhook,
}

/// GET /dashboard/{mode}/developers/webhooks/{id}/rotate
pub async fn show(
    State(app): State<App>,
    seat: Seat<WebhooksWrite>,
    visit: Visit,
    PathParam(id): PathParam<WebhookId>,
) -> Result<Response> {
    let (scope, lang) = (seat.scope, visit.lang);
    let webhook = find(&app, scope, id).await?;
    let here = url(scope.mode, &format!("{LIST}/{id}"));
    let api = format!("/api/webhooks/subscriptions/{id}/rotate-secret");
    let body = json!({ "gracePeriodSeconds": 86_400 });
    let page = RotatePage {
        lang,
        shell: Shell::read(&app, seat.holder(), scope.mode, &visit, Section::Webhooks).await?,
        heading: lang.webhook_rotate().to_owned(),
        form_url: format!("{here}/rotate"),
        back: (here, shown_url(&app.secrets, &seat.permissions, &webhook)),
        note: lang.webhook_rotate_note(),
        graces: graces(kept_form::read(&app, seat.who(), &visit).as_ref(), lang),
        attempt: attempt::fresh(&app, scope),
        api: vec![ApiCall::send("POST", &app.settings.base_url(), &api, &body)],
    };
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/developers/webhooks/{id}/rotate
pub async fn rotate(
    State(app): State<App>,
    seat: Seat<WebhooksWrite>,
    visit: Visit,
    PathParam(id): PathParam<WebhookId>,
    request: Request,
) -> Result<Response> {
    let form: RotateForm = posted(request).await?;
    let (seconds, old) = form.grace(visit.lang)?;
    let what = of_session(&seat, &form.grace_period_seconds);
    let route = format!("{LIST}/{id}/rotate");
    let key = attempt::key(&app, seat.scope, &route, &form.attempt, &what)?;
    let ticket = Ticket::of_person(seat.scope, key, seat.by());
    let by = (seat.by(), seat.permit(Matter::Money));
    let body = RotateBody { grace_period_seconds: Some(seconds) };
    let rotated = ask_to_rotate(&app, &visit.context, ticket, by, (id, body)).await?;
    if is_over(&app, &rotated) {
        let here = url(seat.scope.mode, &format!("{LIST}/{id}"));
        return Ok(see_and_say(&app, &here, visit.lang.secret_no_more()));
    }
    let Rotated { data } = rotated.read()?;
    secret_page(&app, &seat, &visit, data, Some(old)).await
}
