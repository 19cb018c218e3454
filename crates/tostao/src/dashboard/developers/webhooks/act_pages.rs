//! What a person does with a webhook: try it, send again what it missed, switch it on and off.

use axum::extract::{Request, State};
use axum::response::Response;
use db::time::Timestamp;
use serde::Deserialize;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::elevation::Matter;
use crate::auth::seat::Seat;
use crate::dashboard::attempt;
use crate::dashboard::developers::webhooks::list_pages::LIST;
use crate::dashboard::shell::url;
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::platform::error::{Error, Result};
use crate::platform::http::html::posted;
use crate::platform::http::patch::Omittable;
use crate::platform::http::path::PathParam;
use crate::platform::ids::{EventId, Mode, WebhookId};
use crate::platform::permissions::WebhooksWrite;
use crate::samples::api::ask_to_test;
use crate::webhooks::history::api::ask_to_redeliver;
use crate::webhooks::recovery::api::{self as recovery, RecoverBody};
use crate::webhooks::v1::api::{UpdateBody, ask_to_enable, ask_to_update};

/// What is posted; each form has some of the fields, by the names of its operation's body.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ActForm {
    event: String,
    event_id: String,
    since: String,
    attempt: String,
}

/// POST /dashboard/{mode}/developers/webhooks/{id}/test
pub async fn test(
    State(app): State<App>,
    seat: Seat<WebhooksWrite>,
    visit: Visit,
    PathParam(id): PathParam<WebhookId>,
    request: Request,
) -> Result<Response> {
    let form: ActForm = posted(request).await?;
    let ticket = ticket(&app, &seat, &format!("{id}/test"), (&form.attempt, &form.event))?;
    ask_to_test(&app, &visit.context, ticket, seat.permissions, id, form.event).await?;
    let said = visit.lang.webhook_tested();
    Ok(see_and_say(&app, &page(seat.scope.mode, id), said))
}

/// POST /dashboard/{mode}/developers/webhooks/{id}/recover
pub async fn recover(
    State(app): State<App>,
    seat: Seat<WebhooksWrite>,
    visit: Visit,
    PathParam(id): PathParam<WebhookId>,
    request: Request,
) -> Result<Response> {
    let form: ActForm = posted(request).await?;
    let since = Timestamp::parse(&form.since)
        .ok_or_else(|| Error::field("since", "INVALID_VALUE", "must be a time"))?;
    let ticket = ticket(&app, &seat, &format!("{id}/recover"), (&form.attempt, &form.since))?;
    let body = RecoverBody { since, until: None };
    recovery::ask(&app, &visit.context, ticket, seat.by(), id, body).await?;
    let said = visit.lang.webhook_recovery_started();
    Ok(see_and_say(&app, &page(seat.scope.mode, id), said))
}

/// POST /dashboard/{mode}/developers/webhooks/{id}/enable
pub async fn enable(
    State(app): State<App>,
    seat: Seat<WebhooksWrite>,
    visit: Visit,
    PathParam(id): PathParam<WebhookId>,
    request: Request,
) -> Result<Response> {
    let form: ActForm = posted(request).await?;
    let ticket = ticket(&app, &seat, &format!("{id}/enable"), (&form.attempt, ""))?;
    let by = seat.by();
    ask_to_enable(&app, ticket, by, seat.permissions, id).await?;
    let said = visit.lang.webhook_enabled();
    Ok(see_and_say(&app, &page(seat.scope.mode, id), said))
}

/// POST /dashboard/{mode}/developers/webhooks/{id}/pause
pub async fn pause(
    State(app): State<App>,
    seat: Seat<WebhooksWrite>,
    visit: Visit,
    PathParam(id): PathParam<WebhookId>,
    request: Request,
) -> Result<Response> {
    let form: ActForm = posted(request).await?;
    let ticket = ticket(&app, &seat, &format!("{id}/pause"), (&form.attempt, ""))?;
    let by = (seat.by(), seat.permit(Matter::Money));
    let off = UpdateBody { is_active: Omittable::from(Some(false)), ..UpdateBody::default() };
    ask_to_update(&app, ticket, by, seat.permissions.clone(), (id, off)).await?;
    Ok(see_and_say(&app, &page(seat.scope.mode, id), visit.lang.webhook_was_paused()))
}

/// POST /dashboard/{mode}/developers/webhooks/{id}/resend
pub async fn resend(
    State(app): State<App>,
    seat: Seat<WebhooksWrite>,
    visit: Visit,
    PathParam(id): PathParam<WebhookId>,
    request: Request,
) -> Result<Response> {
    let form: ActForm = posted(request).await?;
    let event: EventId = form.event_id.parse().map_err(|_| Error::NotFound("Event"))?;
    // The buttons of one page share its attempt.
    let ticket = ticket(&app, &seat, &format!("{id}/resend/{event}"), (&form.attempt, ""))?;
    ask_to_redeliver(&app, &visit.context, ticket, event, Some(id)).await?;
    let said = visit.lang.webhook_resent();
    Ok(see_and_say(&app, &page(seat.scope.mode, id), said))
}

/// The ticket of one press of a button.
fn ticket(
    app: &App,
    seat: &Seat<WebhooksWrite>,
    route: &str,
    (attempt, what): (&str, &str),
) -> Result<Ticket> {
    let key = attempt::key(app, seat.scope, &format!("{LIST}/{route}"), attempt, what)?;
    Ok(Ticket::of_person(seat.scope, key, seat.by()))
}

fn page(mode: Mode, id: WebhookId) -> String {
    url(mode, &format!("{LIST}/{id}"))
}
