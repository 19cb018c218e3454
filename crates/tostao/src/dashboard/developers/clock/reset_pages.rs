//! Starting over: the test data is deleted, and the clock is the server's again.

use axum::extract::{Request, State};
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;
use serde_json::json;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::confirm::{ConfirmForm, ConfirmPage, is_typed};
use crate::dashboard::developers::clock::clock_pages::PAGE;
use crate::dashboard::form::Field;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::development::ResetPermissions;
use crate::development::api::ask_to_reset;
use crate::merchants;
use crate::platform::error::Result;
use crate::platform::http::html::posted;

/// GET /dashboard/{mode}/developers/clock/reset
pub async fn show(
    State(app): State<App>,
    seat: Seat<ResetPermissions>,
    visit: Visit,
) -> Result<Response> {
    visit.page(&page(&app, &seat, &visit).await?, StatusCode::OK)
}

/// POST /dashboard/{mode}/developers/clock/reset
pub async fn reset(
    State(app): State<App>,
    seat: Seat<ResetPermissions>,
    visit: Visit,
    request: Request,
) -> Result<Response> {
    let form: ConfirmForm = posted(request).await?;
    let scope = seat.scope;
    let key = attempt::key(&app, scope, &format!("{PAGE}/reset"), &form.attempt, "")?;
    let page = page(&app, &seat, &visit).await?;
    if !is_typed(&page.name, &form.typed) {
        return visit.refused(&page.mistyped(&form.typed));
    }
    ask_to_reset(&app, &visit.context, Ticket::of_person(scope, key, seat.by())).await?;
    Ok(see_and_say(&app, &url(scope.mode, PAGE), visit.lang.clock_was_reset()))
}

async fn page(app: &App, seat: &Seat<ResetPermissions>, visit: &Visit) -> Result<ConfirmPage> {
    let (scope, lang) = (seat.scope.expect_development()?, visit.lang);
    let account = app.read(async move |tx: &Tx| merchants::find(tx, scope.merchant).await).await?;
    let here = url(scope.mode, PAGE);
    let base_url = app.settings.base_url();
    Ok(ConfirmPage {
        lang,
        shell: Shell::read(app, seat.holder(), scope.mode, visit, Section::Clock).await?,
        heading: lang.clock_reset().to_owned(),
        step: None,
        form_url: format!("{here}/reset"),
        back: (here, lang.clock_title()),
        needs_second_step: None,
        effects: vec![lang.clock_reset_gone().to_owned(), lang.clock_reset_stays().to_owned()],
        name: account.name,
        field: Field::default(),
        wrong: Vec::new(),
        button: lang.clock_reset_now(),
        attempt: attempt::fresh(app, scope),
        api: vec![ApiCall::send("POST", &base_url, "/api/dev/reset", &json!({}))],
    })
}
