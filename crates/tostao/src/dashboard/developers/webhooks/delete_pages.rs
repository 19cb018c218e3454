//! The deletion of a webhook, whose host is typed to confirm it.

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::dashboard::attempt;
use crate::dashboard::confirm::{ConfirmForm, Deletion, DeletionOf, unconfirmed};
use crate::dashboard::developers::webhooks::form_pages::find;
use crate::dashboard::developers::webhooks::list_pages::{API, LIST};
use crate::dashboard::shell::{Section, url};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::platform::error::Result;
use crate::platform::http::html::posted;
use crate::platform::http::path::PathParam;
use crate::platform::ids::WebhookId;
use crate::platform::messages::Lang;
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
    let name = name(&webhook);
    let page = deletion(&webhook, &name, visit.lang).page(&app, &seat, &visit).await?;
    visit.page(&page, StatusCode::OK)
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
    let found = find(&app, scope, id).await.map(|webhook| (name(&webhook), webhook));
    if let Some((name, webhook)) = unconfirmed(found, |(name, _)| name, &form.typed)? {
        let page = deletion(&webhook, &name, visit.lang).page(&app, &seat, &visit).await?;
        return visit.refused(&page.mistyped(&form.typed));
    }
    ask_to_delete(&app, Ticket::of_person(scope, key, seat.by()), id).await?;
    Ok(see_and_say(&app, &url(scope.mode, LIST), visit.lang.webhook_was_deleted()))
}

/// What is typed to confirm.
fn name(webhook: &WebhookEndpoint) -> String {
    webhook.url.host().unwrap_or_else(|| webhook.id.to_string())
}

fn deletion<'a>(webhook: &WebhookEndpoint, name: &'a str, lang: Lang) -> Deletion<'a> {
    Deletion {
        section: Section::Webhooks,
        place: (LIST, API, webhook.id.to_string()),
        heading: lang.webhook_delete().to_owned(),
        back: lang.webhook_back(),
        effects: [lang.webhook_delete_effect(), lang.webhook_delete_stays()],
        name,
        button: lang.webhook_delete_now(),
        of: DeletionOf::Object,
    }
}
