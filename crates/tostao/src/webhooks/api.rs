//! Webhook subscriptions in version 2 of the API, with rotation of secrets.

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::audit::ActorContext;
use crate::audit::ticket::Ticket;
use crate::auth::caller::Caller;
use crate::auth::elevation::Matter;
use crate::idempotency::dry_run::DryRun;
use crate::idempotency::{Execution, IdempotencyHeader, Replayable};
use crate::platform::error::{Permit, Result};
use crate::platform::fields::grace_period;
use crate::platform::http::body::{Body, OptionalBody};
use crate::platform::http::context::{Context, RequestContext};
use crate::platform::http::page::{PageQuery, Pagination};
use crate::platform::http::patch::{Omittable, Patch};
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::http::rate_limit::WEBHOOK_SECRETS;
use crate::platform::http::reply::{Created, Ok200, SecretReply};
use crate::platform::ids::WebhookId;
use crate::platform::permissions::{WebhooksRead, WebhooksWrite};
use crate::webhooks::view::{EndpointView, WebhookStatus, check_change, check_new};
use crate::webhooks::{self, Change};

const GRACE_SECONDS_DEFAULT: u64 = 86_400;

/// The parameters of a new webhook.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "CreateWebhookEndpointRequest")]
pub struct CreateBody {
    /// The URL that receives events: https, on port 443 or 8443.
    #[schemars(length(max = 2048), extend("format" = "uri"))]
    url: String,
    /// The event types to receive, or `*` for all.
    #[schemars(length(min = 1, max = 100))]
    events: Vec<String>,
    #[schemars(length(max = 1000))]
    description: Option<String>,
    /// Whether the webhook receives events. Defaults to `ACTIVE`.
    status: Option<WebhookStatus>,
}

/// The fields to update; omitted fields keep their values.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "UpdateWebhookEndpointRequest")]
pub struct UpdateBody {
    #[schemars(length(max = 2048), extend("format" = "uri"))]
    #[serde(default)]
    url: Omittable<String>,
    #[schemars(length(min = 1, max = 100))]
    #[serde(default)]
    events: Omittable<Vec<String>>,
    #[serde(default)]
    #[schemars(length(max = 1000))]
    description: Patch<String>,
    /// Whether the webhook receives events. Enabling it clears its failures.
    #[serde(default)]
    status: Omittable<WebhookStatus>,
}

/// The parameters of a webhook secret's rotation.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RotateWebhookSecretRequest")]
pub struct RotateBody {
    /// How long deliveries are also signed with the old secret, 0 to 604800 seconds. Defaults to
    /// one day.
    #[schemars(range(max = 604_800))]
    pub grace_period_seconds: Option<u64>,
}

/// One subscription.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WebhookEndpointResponse")]
pub struct EndpointReply {
    success: bool,
    data: EndpointView,
}

/// A page of webhooks, newest first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WebhookEndpointList")]
pub struct EndpointList {
    success: bool,
    data: Vec<EndpointView>,
    pagination: Pagination,
}

/// The confirmation of the deleted webhook endpoint.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DeletedWebhookEndpointResponse")]
pub struct DeletedReply {
    success: bool,
    message: &'static str,
}

/// POST /api/webhooks/subscriptions
pub async fn create(
    State(app): State<App>,
    caller: Caller<WebhooksWrite>,
    dry_run: DryRun,
    once: IdempotencyHeader,
    body: Body<CreateBody>,
) -> Result<Replayable<SecretReply<Created<EndpointReply>>>> {
    let CreateBody { url, events, description, status } = body.value;
    let active = status.is_none_or(WebhookStatus::is_active);
    let new =
        check_new(app.settings.webhook_policy(), url, events, description.as_deref(), active)?;
    let (scope, secrets) = (caller.scope, app.secrets.clone());
    let execution = once.permitted(scope, &body.raw, caller.permit(Matter::Money));
    app.change_once(dry_run, scope, execution, async move |tx| {
        let made = webhooks::create(tx, scope, &secrets, &new).await?;
        let data = EndpointView::with_secret(&secrets, made);
        Ok(SecretReply(Created(EndpointReply { success: true, data })))
    })
    .await
}

/// GET /api/webhooks/subscriptions
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
    Ok(Ok200(EndpointList { success: true, data, pagination }))
}

/// PUT /api/webhooks/subscriptions/{id}
pub async fn update(
    State(app): State<App>,
    caller: Caller<WebhooksWrite>,
    dry_run: DryRun,
    PathParam(id): PathParam<WebhookId>,
    body: Body<UpdateBody>,
) -> Result<Replayable<Ok200<EndpointReply>>> {
    let UpdateBody { url, events, description, status } = body.value;
    let active = status.map(WebhookStatus::is_active);
    let (url, events) = (url.sent(), events.sent());
    let change = Change { url, description, events, active };
    let change = check_change(app.settings.webhook_policy(), change)?;
    let (scope, secrets, by) = (caller.scope, app.secrets.clone(), caller.by());
    let permit = if change.url.is_some() { caller.permit(Matter::Money) } else { Ok(()) };
    let execution = Execution::permitted(None, permit);
    app.change_once(dry_run, scope, execution, async move |tx| {
        let changed = webhooks::update(tx, scope, &secrets, &by, id, &change).await?;
        let data = EndpointView::new(&secrets, &caller.permissions, changed);
        Ok(Ok200(EndpointReply { success: true, data }))
    })
    .await
}

/// DELETE /api/webhooks/subscriptions/{id}
pub async fn delete(
    State(app): State<App>,
    caller: Caller<WebhooksWrite>,
    dry_run: DryRun,
    PathParam(id): PathParam<WebhookId>,
) -> Result<Replayable<Ok200<DeletedReply>>> {
    let scope = caller.scope;
    let deleted = app.change_once(dry_run, scope, None, async move |tx| {
        webhooks::delete(tx, scope, id).await?;
        Ok(Ok200(DeletedReply { success: true, message: "Webhook subscription deleted." }))
    });
    deleted.await
}

/// POST /api/webhooks/subscriptions/{id}/rotate-secret
pub async fn rotate_secret(
    State(app): State<App>,
    caller: Caller<WebhooksWrite>,
    Context(context): Context,
    PathParam(id): PathParam<WebhookId>,
    dry_run: DryRun,
    once: IdempotencyHeader,
    body: OptionalBody<RotateBody>,
) -> Result<Replayable<SecretReply<Ok200<EndpointReply>>>> {
    let ticket = Ticket::of_program(caller.scope, once.key(caller.scope, &body.raw), dry_run);
    let by = (caller.by(), caller.permit(Matter::Money));
    ask_to_rotate(&app, &context, ticket, by, (id, body.value)).await
}

/// Gives a webhook another secret: the way in of programs and of people.
pub async fn ask_to_rotate(
    app: &App,
    context: &RequestContext,
    Ticket { scope, key, dry_run, .. }: Ticket,
    (by, permit): (ActorContext, Permit),
    (id, body): (WebhookId, RotateBody),
) -> Result<Replayable<SecretReply<Ok200<EndpointReply>>>> {
    let seconds = body.grace_period_seconds.unwrap_or(GRACE_SECONDS_DEFAULT);
    let grace = grace_period(seconds)?;
    // What may not be carried out uses up nothing of the limit.
    if !dry_run.is_wanted() && permit.is_ok() {
        app.check_rate_limit(context, &WEBHOOK_SECRETS, scope)?;
    }
    let secrets = app.secrets.clone();
    app.change_once(dry_run, scope, Execution::permitted(key, permit), async move |tx| {
        let rotated = webhooks::rotate_secret(tx, scope, &secrets, &by, id, grace).await?;
        let data = EndpointView::with_secret(&secrets, rotated);
        Ok(SecretReply(Ok200(EndpointReply { success: true, data })))
    })
    .await
}
