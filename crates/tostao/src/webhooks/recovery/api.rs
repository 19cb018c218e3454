//! Recovering a webhook after an outage, and the progress of that.

use axum::extract::State;
use db::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::audit::ActorContext;
use crate::audit::ticket::Ticket;
use crate::auth::caller::Caller;
use crate::idempotency::dry_run::DryRun;
use crate::idempotency::{IdempotencyHeader, Replayable};
use crate::platform::error::Result;
use crate::platform::http::body::Body;
use crate::platform::http::context::{Context, RequestContext};
use crate::platform::http::path::PathParam;
use crate::platform::http::rate_limit::WEBHOOK_TEST;
use crate::platform::http::reply::{Created, Ok200};
use crate::platform::ids::WebhookId;
use crate::platform::permissions::{WebhooksRead, WebhooksWrite};
use crate::webhooks::recovery::{self, Recovery};

/// Which events to send again.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "RecoverWebhookRequest")]
pub struct RecoverBody {
    /// Events from this time on; not in the future.
    pub since: Timestamp,
    /// Events up to this time. Defaults to now.
    pub until: Option<Timestamp>,
}

/// A response with a recovery.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WebhookRecoveryResponse")]
pub struct RecoveryReply {
    success: bool,
    data: Recovery,
}

/// A response with the last recovery.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LatestWebhookRecoveryResponse")]
pub struct LatestReply {
    success: bool,
    /// Null if there was none.
    data: Option<Recovery>,
}

/// POST /api/v1/webhooks/subscriptions/{id}/recover
pub async fn recover(
    State(app): State<App>,
    caller: Caller<WebhooksWrite>,
    Context(context): Context,
    PathParam(id): PathParam<WebhookId>,
    dry_run: DryRun,
    once: IdempotencyHeader,
    body: Body<RecoverBody>,
) -> Result<Replayable<Created<RecoveryReply>>> {
    let scope = caller.scope;
    let ticket = Ticket::of_program(scope, once.key(scope, &body.raw), dry_run);
    ask(&app, &context, ticket, caller.by(), id, body.value).await
}

/// Starts a recovery, as a program or a person asks.
pub async fn ask(
    app: &App,
    context: &RequestContext,
    ticket: Ticket,
    by: ActorContext,
    id: WebhookId,
    body: RecoverBody,
) -> Result<Replayable<Created<RecoveryReply>>> {
    let Ticket { scope, key, dry_run, .. } = ticket;
    let RecoverBody { since, until } = body;
    if !dry_run.is_wanted() {
        app.check_rate_limit(context, &WEBHOOK_TEST, scope)?;
    }
    app.change_once(dry_run, scope, key, async move |tx| {
        let data = recovery::begin(tx, scope, &by, id, since, until).await?;
        Ok(Created(RecoveryReply { success: true, data }))
    })
    .await
}

/// GET /api/v1/webhooks/subscriptions/{id}/recovery
pub async fn show(
    State(app): State<App>,
    caller: Caller<WebhooksRead>,
    PathParam(id): PathParam<WebhookId>,
) -> Result<Ok200<LatestReply>> {
    let scope = caller.scope;
    let data = app.read(async move |tx| recovery::latest(tx, scope, id).await).await?;
    Ok(Ok200(LatestReply { success: true, data }))
}
