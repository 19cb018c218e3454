//! The deletion of a webhook, whose host is typed to confirm it.

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::confirm::{ConfirmForm, ConfirmPage, is_typed};
use crate::dashboard::developers::webhooks::form_pages::find;
use crate::dashboard::developers::webhooks::list_pages::{API, LIST};
use crate::dashboard::form::Field;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::platform::error::{Error, Result};
use crate::platform::http::html::posted;
use crate::platform::http::path::PathParam;
use crate::platform::ids::WebhookId;
use crate::platform::permissions::WebhooksWrite;
use crate::webhooks::WebhookEndpoint;
use crate::webhooks::v1::api::ask_to_delete;

/// GET /dashboard/{mode}/developers/webhooks/{id}/delete
pub async fn show(
    State(app): State<App>,
    seat: Seat<WebhooksWrite>,
    visit: Visit,
    PathParam(id): PathParam<WebhookId>,
) -> Result<Response> {
    let webhook = find(&app, seat.scope, id).await?;
    visit.page(&page(&app, &seat, &visit, &webhook).await?, StatusCode::OK)
}

/// POST /dashboard/{mode}/developers/webhooks/{id}/delete
pub async fn delete(
    State(app): State<App>,
    seat: Seat<WebhooksWrite>,
    visit: Visit,
    PathParam(id): PathParam<WebhookId>,
    request: Request,
) -> Result<Response> {
    let form: ConfirmForm = posted(request).await?;
    let scope = seat.scope;
    let key = attempt::key(&app, scope, &format!("{LIST}/{id}/delete"), &form.attempt, "")?;
    match find(&app, scope, id).await {
        Ok(webhook) if !is_typed(&name(&webhook), &form.typed) => {
            let page = page(&app, &seat, &visit, &webhook).await?;
            return visit.refused(&page.mistyped(&form.typed));
        }
        // The same form may have deleted it: then it is answered again.
        Ok(_) | Err(Error::NotFound(_)) => {}
        Err(error) => return Err(error),
    }
    ask_to_delete(&app, Ticket::of_person(scope, key, seat.by()), id).await?;
    Ok(see_and_say(&app, &url(scope.mode, LIST), visit.lang.webhook_was_deleted()))
}

/// What is typed to confirm.
fn name(webhook: &WebhookEndpoint) -> String {
    webhook.url.host().unwrap_or_else(|| webhook.id.to_string())
}

async fn page(
    app: &App,
    seat: &Seat<WebhooksWrite>,
    visit: &Visit,
    webhook: &WebhookEndpoint,
) -> Result<ConfirmPage> {
    let (mode, lang) = (seat.scope.mode, visit.lang);
    let here = url(mode, &format!("{LIST}/{}", webhook.id));
    let api = format!("{API}/{}", webhook.id);
    Ok(ConfirmPage {
        lang,
        shell: Shell::read(app, seat.holder(), mode, visit, Section::Webhooks).await?,
        heading: lang.webhook_delete().to_owned(),
        step: None,
        form_url: format!("{here}/delete"),
        back: (here, lang.webhook_back()),
        effects: vec![
            lang.webhook_delete_effect().to_owned(),
            lang.webhook_delete_stays().to_owned(),
        ],
        name: name(webhook),
        field: Field::default(),
        wrong: Vec::new(),
        button: lang.webhook_delete_now(),
        attempt: attempt::fresh(app, seat.scope),
        api: vec![ApiCall::rehearsed_deletion(&app.settings.base_url(), &api)],
    })
}
