//! Subscriptions in the second form of the API, with rotation of secrets and sample events.

use axum::extract::State;
use db::tx::Tx;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::auth::caller::Caller;
use crate::auth::permissions::{WebhooksRead, WebhooksWrite};
use crate::error::Result;
use crate::fields::grace_period;
use crate::http::body::{Body, OptionalBody};
use crate::http::context::Context;
use crate::http::idempotency::{Once, Replayable};
use crate::http::page::{PageQuery, Pagination};
use crate::http::patch::{Given, Patch};
use crate::http::path::At;
use crate::http::query::Query;
use crate::http::rate_limit::{WEBHOOK_SECRETS, WEBHOOK_TEST};
use crate::http::reply::{Created, Done, ShownOnce};
use crate::ids::WebhookId;
use crate::webhooks::history::api::EventReply;
use crate::webhooks::view::{Activity, SubscriptionView, check_change, check_event, check_new};
use crate::webhooks::{self, Change, history, policy, samples};

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
    status: Option<Activity>,
}

/// The fields to update; omitted fields keep their values.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "UpdateWebhookEndpointRequest")]
pub struct UpdateBody {
    #[schemars(length(max = 2048), extend("format" = "uri"))]
    #[serde(default)]
    url: Given<String>,
    #[schemars(length(min = 1, max = 100))]
    #[serde(default)]
    events: Given<Vec<String>>,
    #[serde(default)]
    #[schemars(length(max = 1000))]
    description: Patch<String>,
    /// Whether the webhook receives events. Enabling it clears its failures.
    #[serde(default)]
    status: Given<Activity>,
}

/// The parameters of a webhook secret's rotation.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RotateWebhookSecretRequest")]
pub struct RotateBody {
    /// How long deliveries are also signed with the old secret, 0 to 604800 seconds. Defaults to
    /// one day.
    #[schemars(range(max = 604_800))]
    grace_period_seconds: Option<u64>,
}

/// The event type to send a test event of.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "SendTestEventRequest")]
pub struct TestBody {
    event: String,
}

/// One subscription.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WebhookEndpointResponse")]
pub struct SubscriptionReply {
    success: bool,
    data: SubscriptionView,
}

/// A page of webhooks, newest first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WebhookEndpointList")]
pub struct SubscriptionList {
    success: bool,
    data: Vec<SubscriptionView>,
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
    once: Once,
    body: Body<CreateBody>,
) -> Result<Replayable<ShownOnce<Created<SubscriptionReply>>>> {
    let CreateBody { url, events, description, status } = body.value;
    let active = status.is_none_or(Activity::is_active);
    let new = check_new(policy(&app.settings), url, events, description.as_deref(), active)?;
    let (scope, secrets) = (caller.scope, app.secrets.clone());
    app.transact_once(once.ticket(scope, &body.raw), async move |tx| {
        let made = webhooks::create(tx, scope, &secrets, &new).await?;
        let data = SubscriptionView::with_secret(&secrets, made);
        Ok(ShownOnce(Created(SubscriptionReply { success: true, data })))
    })
    .await
}

/// GET /api/webhooks/subscriptions
pub async fn list(
    State(app): State<App>,
    caller: Caller<WebhooksRead>,
    Query(query): Query<PageQuery>,
) -> Result<Done<SubscriptionList>> {
    let (scope, page) = (caller.scope, query.read()?);
    let listed =
        app.scan_for(scope.merchant, async move |tx| webhooks::list(tx, scope, page).await).await?;
    let pagination = page.pagination(&listed);
    let shown = |webhook| SubscriptionView::new(&app.secrets, &caller.rights, webhook);
    let data = listed.rows.into_iter().map(shown).collect();
    Ok(Done(SubscriptionList { success: true, data, pagination }))
}

/// PUT /api/webhooks/subscriptions/{id}
pub async fn update(
    State(app): State<App>,
    caller: Caller<WebhooksWrite>,
    At(id): At<WebhookId>,
    body: Body<UpdateBody>,
) -> Result<Done<SubscriptionReply>> {
    let UpdateBody { url, events, description, status } = body.value;
    let active = status.map(Activity::is_active);
    let (url, events) = (url.sent(), events.sent());
    let change = Change { url, description, events, active };
    let change = check_change(policy(&app.settings), change)?;
    let (scope, secrets) = (caller.scope, app.secrets.clone());
    let unit = async move |tx: &Tx| webhooks::update(tx, scope, &secrets, id, &change).await;
    let data = SubscriptionView::new(&app.secrets, &caller.rights, app.transact(unit).await?);
    Ok(Done(SubscriptionReply { success: true, data }))
}

/// DELETE /api/webhooks/subscriptions/{id}
pub async fn delete(
    State(app): State<App>,
    caller: Caller<WebhooksWrite>,
    At(id): At<WebhookId>,
) -> Result<Done<DeletedReply>> {
    let scope = caller.scope;
    app.transact(async move |tx| webhooks::delete(tx, scope, id).await).await?;
    Ok(Done(DeletedReply { success: true, message: "Webhook subscription deleted." }))
}

/// POST /api/webhooks/subscriptions/{id}/rotate-secret
pub async fn rotate_secret(
    State(app): State<App>,
    caller: Caller<WebhooksWrite>,
    Context(context): Context,
    At(id): At<WebhookId>,
    once: Once,
    body: OptionalBody<RotateBody>,
) -> Result<Replayable<ShownOnce<Done<SubscriptionReply>>>> {
    let seconds = body.value.grace_period_seconds.unwrap_or(GRACE_SECONDS_DEFAULT);
    let (scope, grace) = (caller.scope, grace_period(seconds)?);
    context.hold_to(&app, &WEBHOOK_SECRETS, scope)?;
    let (secrets, by) = (app.secrets.clone(), caller.by());
    app.transact_once(once.ticket(scope, &body.raw), async move |tx| {
        let rotated = webhooks::rotate_secret(tx, scope, &secrets, &by, id, grace).await?;
        let data = SubscriptionView::with_secret(&secrets, rotated);
        Ok(ShownOnce(Done(SubscriptionReply { success: true, data })))
    })
    .await
}

/// POST /api/webhooks/subscriptions/{id}/test
pub async fn test(
    State(app): State<App>,
    caller: Caller<WebhooksWrite>,
    Context(context): Context,
    At(id): At<WebhookId>,
    once: Once,
    body: Body<TestBody>,
) -> Result<Replayable<Done<EventReply>>> {
    let (scope, rights) = (caller.scope, caller.rights);
    let sample = samples::of(check_event(&body.value.event)?);
    context.hold_to(&app, &WEBHOOK_TEST, scope)?;
    let ticket = once.ticket(scope, &body.raw);
    let event_name = body.value.event;
    app.transact_once(ticket, async move |tx| {
        let event = webhooks::send_sample(tx, scope, id, &event_name, &sample).await?;
        Ok(Done(EventReply::new(scope, &rights, history::find(tx, scope, event).await?)?))
    })
    .await
}
