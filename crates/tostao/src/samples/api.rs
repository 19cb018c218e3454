//! The event types with their samples, and test deliveries.

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::app::App;
use crate::audit::Action;
use crate::audit::ticket::{Ticket, note};
use crate::auth::caller::Caller;
use crate::events::names::Name;
use crate::idempotency::dry_run::DryRun;
use crate::idempotency::{IdempotencyHeader, Replayable};
use crate::platform::error::Result;
use crate::platform::http::body::Body;
use crate::platform::http::context::{Context, RequestContext};
use crate::platform::http::path::PathParam;
use crate::platform::http::rate_limit::WEBHOOK_TEST;
use crate::platform::http::reply::Ok200;
use crate::platform::ids::WebhookId;
use crate::platform::permissions::{Permissions, WebhooksRead, WebhooksWrite};
use crate::samples;
use crate::webhooks::history::api::EventReply;
use crate::webhooks::view::check_event;
use crate::webhooks::{self, history};

/// The event type to send a test event of.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct SendTestEventRequest {
    event: String,
}

/// An event type.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EventType {
    name: &'static str,
    /// Alternative names that webhooks may subscribe to.
    aliases: Vec<&'static str>,
    /// An example of `data`.
    example: Value,
}

/// All event types.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EventTypeList {
    success: bool,
    data: Vec<EventType>,
}

/// POST /api/webhooks/subscriptions/{id}/test
pub async fn test(
    State(app): State<App>,
    caller: Caller<WebhooksWrite>,
    Context(context): Context,
    PathParam(id): PathParam<WebhookId>,
    once: IdempotencyHeader,
    body: Body<SendTestEventRequest>,
) -> Result<Replayable<Ok200<EventReply>>> {
    let (scope, permissions) = (caller.scope, caller.permissions);
    let ticket = Ticket::of_program(scope, once.key(scope, &body.raw), DryRun::default());
    ask_to_test(&app, &context, ticket, permissions, id, body.value.event).await
}

/// Sends a test event to one webhook, as a program or a person asks; they see of it what their
/// permissions allow.
pub async fn ask_to_test(
    app: &App,
    context: &RequestContext,
    ticket: Ticket,
    permissions: Permissions,
    id: WebhookId,
    event_name: String,
) -> Result<Replayable<Ok200<EventReply>>> {
    let Ticket { scope, key, by, .. } = ticket;
    let sample = samples::of(check_event(&event_name)?);
    app.check_rate_limit(context, &WEBHOOK_TEST, scope)?;
    app.transact_once(key, async move |tx| {
        let event = webhooks::send_sample(tx, scope, id, &event_name, &sample).await?;
        note(tx, scope, by.as_ref(), Action::WebhookTested, id.0).await?;
        Ok(Ok200(EventReply::new(scope, &permissions, history::find(tx, scope, event).await?)?))
    })
    .await
}

/// GET /api/webhooks/event-types
pub async fn event_types(_: Caller<WebhooksRead>) -> Result<Ok200<EventTypeList>> {
    let kind = |name: &Name| {
        let example = serde_json::from_str(&samples::of(*name).data)?;
        Ok(EventType { name: name.text(), aliases: name.aliases().collect(), example })
    };
    let data = Name::ALL.iter().map(kind).collect::<Result<_>>()?;
    Ok(Ok200(EventTypeList { success: true, data }))
}
