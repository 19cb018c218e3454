//! Webhook subscriptions in version 1 of the API.

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::audit::ticket::{Ticket, note};
use crate::audit::{Action, ActorContext};
use crate::auth::caller::Caller;
use crate::auth::elevation::Matter;
use crate::idempotency::dry_run::DryRun;
use crate::idempotency::{Execution, IdempotencyHeader, Replayable};
use crate::platform::error::{Permit, Result};
use crate::platform::http::body::{Body, Empty, OptionalBody};
use crate::platform::http::page::{PageQuery, Pagination};
use crate::platform::http::patch::{Omittable, Patch};
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::http::reply::{Created, Message, Ok200, SecretReply};
use crate::platform::ids::WebhookId;
use crate::platform::permissions::{Permissions, WebhooksRead, WebhooksWrite};
use crate::webhooks::view::{EndpointView, check_change, check_new};
use crate::webhooks::{self, Change};

/// The parameters of a new webhook.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CreateWebhookSubscriptionRequest")]
pub struct CreateBody {
    /// The URL that receives events: https, on port 443 or 8443.
    #[schemars(length(max = 2048), extend("format" = "uri"))]
    pub url: String,
    /// The event types to receive, or `*` for all.
    #[schemars(length(min = 1, max = 100))]
    pub events: Vec<String>,
    #[schemars(length(max = 1000))]
    pub description: Option<String>,
    /// Whether the webhook receives events. Defaults to true.
    pub is_active: Option<bool>,
}

/// The fields to update; omitted fields keep their values.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "UpdateWebhookSubscriptionRequest")]
pub struct UpdateBody {
    #[schemars(length(max = 2048), extend("format" = "uri"))]
    #[serde(default)]
    pub url: Omittable<String>,
    #[schemars(length(min = 1, max = 100))]
    #[serde(default)]
    pub events: Omittable<Vec<String>>,
    #[serde(default)]
    #[schemars(length(max = 1000))]
    pub description: Patch<String>,
    /// Whether the webhook receives events. Enabling it clears its failures.
    #[serde(default)]
    pub is_active: Omittable<bool>,
}

/// One subscription.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WebhookSubscriptionResponse")]
pub struct EndpointReply {
    message: &'static str,
    subscription: EndpointView,
}

/// A page of webhooks, newest first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WebhookSubscriptionList")]
pub struct EndpointList {
    message: &'static str,
    data: Vec<EndpointView>,
    pagination: Pagination,
}

/// POST /api/v1/webhooks/subscriptions
pub async fn create(
    State(app): State<App>,
    caller: Caller<WebhooksWrite>,
    dry_run: DryRun,
    once: IdempotencyHeader,
    body: Body<CreateBody>,
) -> Result<Replayable<SecretReply<Created<EndpointReply>>>> {
    let (scope, key) = (caller.scope, once.key(caller.scope, &body.raw));
    let ticket = Ticket::of_program(scope, key, dry_run);
    ask_to_create(&app, ticket, caller.permit(Matter::Money), body.value).await
}

/// Creates a webhook: the way in of programs and of people.
pub async fn ask_to_create(
    app: &App,
    Ticket { scope, key, dry_run, by }: Ticket,
    permit: Permit,
    body: CreateBody,
) -> Result<Replayable<SecretReply<Created<EndpointReply>>>> {
    let CreateBody { url, events, description, is_active } = body;
    let active = is_active.unwrap_or(true);
    let new =
        check_new(app.settings.webhook_policy(), url, events, description.as_deref(), active)?;
    let secrets = app.secrets.clone();
    app.change_once(dry_run, scope, Execution::permitted(key, permit), async move |tx| {
        let made = webhooks::create(tx, scope, &secrets, &new).await?;
        note(tx, scope, by.as_ref(), Action::WebhookCreated, made.0.id.0).await?;
        let subscription = EndpointView::with_secret(&secrets, made);
        let message = "Webhook created. Its secret is shown only now.";
        Ok(SecretReply(Created(EndpointReply { message, subscription })))
    })
    .await
}

/// GET /api/v1/webhooks/subscriptions
pub async fn list(
    State(app): State<App>,
    caller: Caller<WebhooksRead>,
    Query(query): Query<PageQuery>,
) -> Result<Ok200<EndpointList>> {
    let (scope, page) = (caller.scope, query.read()?);
    let listed =
        app.scan_for(scope.merchant, async move |tx| webhooks::list(tx, scope, page).await).await?;
    let pagination = page.pagination(&listed);
    let shown = |webhook| EndpointView::new(&app.secrets, &caller.permissions, webhook);
    let data = listed.rows.into_iter().map(shown).collect();
    Ok(Ok200(EndpointList { message: "Webhook subscriptions.", data, pagination }))
}

/// GET /api/v1/webhooks/subscriptions/{id}
pub async fn show(
    State(app): State<App>,
    caller: Caller<WebhooksRead>,
    PathParam(id): PathParam<WebhookId>,
) -> Result<Ok200<EndpointReply>> {
    let scope = caller.scope;
    let found = app.read(async move |tx| webhooks::find(tx, scope, id).await).await?;
    let subscription = EndpointView::new(&app.secrets, &caller.permissions, found);
    Ok(Ok200(EndpointReply { message: "Webhook subscription.", subscription }))
}

/// PATCH /api/v1/webhooks/subscriptions/{id}
pub async fn update(
    State(app): State<App>,
    caller: Caller<WebhooksWrite>,
    dry_run: DryRun,
    PathParam(id): PathParam<WebhookId>,
    body: Body<UpdateBody>,
) -> Result<Replayable<Ok200<EndpointReply>>> {
    let by = (caller.by(), caller.permit(Matter::Money));
    let ticket = Ticket::of_program(caller.scope, None, dry_run);
    ask_to_update(&app, ticket, by, caller.permissions, (id, body.value)).await
}

/// Changes a webhook: the way in of programs and of people.
pub async fn ask_to_update(
    app: &App,
    ticket: Ticket,
    (by, permit): (ActorContext, Permit),
    permissions: Permissions,
    (id, body): (WebhookId, UpdateBody),
) -> Result<Replayable<Ok200<EndpointReply>>> {
    let UpdateBody { url, events, description, is_active } = body;
    let (url, events, active) = (url.sent(), events.sent(), is_active.sent());
    let change = Change { url, description, events, active };
    let change = check_change(app.settings.webhook_policy(), change)?;
    let (Ticket { scope, key, dry_run, by: noted }, secrets) = (ticket, app.secrets.clone());
    let permit = if change.url.is_some() { permit } else { Ok(()) };
    app.change_once(dry_run, scope, Execution::permitted(key, permit), async move |tx| {
        let changed = webhooks::update(tx, scope, &secrets, &by, id, &change).await?;
        note(tx, scope, noted.as_ref(), Action::WebhookUpdated, id.0).await?;
        let subscription = EndpointView::new(&secrets, &permissions, changed);
        Ok(Ok200(EndpointReply { message: "Webhook subscription updated.", subscription }))
    })
    .await
}

/// POST /api/v1/webhooks/subscriptions/{id}/enable
pub async fn enable(
    State(app): State<App>,
    caller: Caller<WebhooksWrite>,
    PathParam(id): PathParam<WebhookId>,
    dry_run: DryRun,
    once: IdempotencyHeader,
    body: OptionalBody<Empty>,
) -> Result<Replayable<SecretReply<Ok200<EndpointReply>>>> {
    let scope = caller.scope;
    let ticket = Ticket::of_program(scope, once.key(scope, &body.raw), dry_run);
    ask_to_enable(&app, ticket, caller.by(), caller.permissions, id).await
}

/// Enables a webhook, as a program or a person asks.
pub async fn ask_to_enable(
    app: &App,
    ticket: Ticket,
    by: ActorContext,
    permissions: Permissions,
    id: WebhookId,
) -> Result<Replayable<SecretReply<Ok200<EndpointReply>>>> {
    let (Ticket { scope, key, dry_run, .. }, secrets) = (ticket, app.secrets.clone());
    app.change_once(dry_run, scope, key, async move |tx| {
        let enabled = webhooks::enable(tx, scope, &secrets, &by, id).await?;
        let subscription = EndpointView::new(&secrets, &permissions, enabled);
        // The URL's query may hold a secret.
        let message = "Webhook subscription enabled.";
        Ok(SecretReply(Ok200(EndpointReply { message, subscription })))
    })
    .await
}

/// DELETE /api/v1/webhooks/subscriptions/{id}
pub async fn delete(
    State(app): State<App>,
    caller: Caller<WebhooksWrite>,
    dry_run: DryRun,
    PathParam(id): PathParam<WebhookId>,
) -> Result<Replayable<Ok200<Message>>> {
    ask_to_delete(&app, Ticket::of_program(caller.scope, None, dry_run), id).await
}

/// Deletes a webhook: the way in of programs and of people.
pub async fn ask_to_delete(
    app: &App,
    Ticket { scope, key, dry_run, by }: Ticket,
    id: WebhookId,
) -> Result<Replayable<Ok200<Message>>> {
    let deleted = app.change_once(dry_run, scope, key, async move |tx| {
        webhooks::delete(tx, scope, id).await?;
        note(tx, scope, by.as_ref(), Action::WebhookDeleted, id.0).await?;
        Ok(Ok200(Message { message: "Webhook subscription deleted." }))
    });
    deleted.await
}
