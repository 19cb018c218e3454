//! Switching a payment link off, after a page that says what that does, and on again.

use axum::extract::{Request, State};
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt::{self, AttemptForm};
use crate::dashboard::links::link_view::SwitchOffPage;
use crate::dashboard::links::list_pages::{API, LIST};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::payment_links;
use crate::payment_links::api::ask_to_update;
use crate::payment_links::params::PaymentLinkParams;
use crate::payment_links::status::SettablePaymentLinkStatus;
use crate::platform::error::Result;
use crate::platform::http::html::posted;
use crate::platform::http::patch::Omittable;
use crate::platform::http::path::PathParam;
use crate::platform::ids::PaymentLinkId;
use crate::platform::permissions::PaymentLinksWrite;

/// GET /dashboard/{mode}/links/{id}/switch-off
pub async fn show(
    State(app): State<App>,
    seat: Seat<PaymentLinksWrite>,
    visit: Visit,
    PathParam(id): PathParam<PaymentLinkId>,
) -> Result<Response> {
    let (scope, lang) = (seat.scope, visit.lang);
    let link = app.read(async move |tx: &Tx| payment_links::find(tx, scope, id).await).await?;
    let shell = Shell::read(&app, seat.holder(), scope.mode, &visit, Section::Links).await?;
    let path = format!("{LIST}/{id}");
    let body = serde_json::json!({ "status": "INACTIVE" });
    let page = SwitchOffPage {
        lang,
        shell,
        title: link.title,
        link_url: url(scope.mode, &path),
        form_url: url(scope.mode, &format!("{path}/switch-off")),
        attempt: attempt::fresh(&app, scope),
        api: vec![ApiCall::send("PATCH", &app.settings.base_url(), &format!("{API}/{id}"), &body)],
    };
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/links/{id}/switch-off
pub async fn switch_off(
    State(app): State<App>,
    seat: Seat<PaymentLinksWrite>,
    visit: Visit,
    PathParam(id): PathParam<PaymentLinkId>,
    request: Request,
) -> Result<Response> {
    let AttemptForm { attempt } = posted(request).await?;
    switch(&app, &seat, id, &attempt, SettablePaymentLinkStatus::Inactive).await?;
    let here = url(seat.scope.mode, &format!("{LIST}/{id}"));
    Ok(see_and_say(&app, &here, visit.lang.links_switched_off()))
}

/// POST /dashboard/{mode}/links/{id}/switch-on
pub async fn switch_on(
    State(app): State<App>,
    seat: Seat<PaymentLinksWrite>,
    visit: Visit,
    PathParam(id): PathParam<PaymentLinkId>,
    request: Request,
) -> Result<Response> {
    let AttemptForm { attempt } = posted(request).await?;
    switch(&app, &seat, id, &attempt, SettablePaymentLinkStatus::Active).await?;
    let here = url(seat.scope.mode, &format!("{LIST}/{id}"));
    Ok(see_and_say(&app, &here, visit.lang.links_switched_on()))
}

/// Switches the link as programs do, by the same body.
async fn switch(
    app: &App,
    seat: &Seat<PaymentLinksWrite>,
    id: PaymentLinkId,
    attempt: &str,
    wanted: SettablePaymentLinkStatus,
) -> Result<()> {
    let what = match wanted {
        SettablePaymentLinkStatus::Active => "ACTIVE",
        SettablePaymentLinkStatus::Inactive => "INACTIVE",
    };
    let key = attempt::key(app, seat.scope, &format!("{LIST}/{id}"), attempt, what)?;
    let ticket = Ticket::of_person(seat.scope, key, seat.by());
    let params =
        PaymentLinkParams { status: Omittable::from(Some(wanted)), ..PaymentLinkParams::default() };
    ask_to_update(app, ticket, id, params).await?;
    Ok(())
}
