//! Recovering a webhook after an outage, and the progress of that.

use axum::extract::State;
use db::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::auth::caller::Caller;
use crate::idempotency::dry_run::DryRun;
use crate::idempotency::{IdempotencyHeader, Replayable};
use crate::platform::error::Result;
use crate::platform::http::body::Body;
use crate::platform::http::context::Context;
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
    since: Timestamp,
    /// Events up to this time. Defaults to now.
    until: Option<Timestamp>,
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
    let (scope, RecoverBody { since, until }) = (caller.scope, body.value);
    if !dry_run.is_wanted() {
        app.check_rate_limit(&context, &WEBHOOK_TEST, scope)?;
    }
    let by = caller.by();
    app.change_once(dry_run, scope, once.key(scope, &body.raw), async move |tx| {
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
