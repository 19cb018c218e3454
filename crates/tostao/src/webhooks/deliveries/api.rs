//! The delivery log of one subscription.

use axum::extract::State;
use db::time::Timestamp;
use db::tx::Tx;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::auth::caller::Caller;
use crate::platform::error::Result;
use crate::platform::http::page::{PageQuery, Pagination};
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::http::reply::Ok200;
use crate::platform::ids::{EventId, WebhookId};
use crate::platform::permissions::{Permission, Permissions, WebhooksRead};
use crate::webhooks;
use crate::webhooks::deliveries::{self, Delivery, DeliveryAttempt, EventDelivery};

/// A delivery of an event to a webhook.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "WebhookDelivery")]
pub struct DeliveryView {
    event_id: EventId,
    /// The name under which the webhook receives the event.
    event: String,
    #[serde(flatten)]
    standing: EventDelivery,
    /// The latest attempts, oldest first.
    log: Vec<DeliveryAttempt>,
    created_at: Timestamp,
}

/// A page of webhook deliveries, newest first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WebhookDeliveryList")]
pub struct DeliveryList {
    success: bool,
    data: Vec<DeliveryView>,
    pagination: Pagination,
}

/// GET /api/webhooks/subscriptions/{id}/deliveries
pub async fn list(
    State(app): State<App>,
    caller: Caller<WebhooksRead>,
    PathParam(id): PathParam<WebhookId>,
    Query(query): Query<PageQuery>,
) -> Result<Ok200<DeliveryList>> {
    let (scope, page) = (caller.scope, query.read()?);
    let unit = async move |tx: &Tx| {
        webhooks::expect_subscriber(tx, scope, id).await?;
        deliveries::list(tx, scope, id, page).await
    };
    let listed = app.scan_for(scope.merchant, unit).await?;
    let pagination = page.pagination(&listed);
    let data =
        listed.rows.into_iter().map(|delivery| view(&caller.permissions, delivery)).collect();
    Ok(Ok200(DeliveryList { success: true, data, pagination }))
}

/// A delivery as a caller with these permissions may see it.
fn view(permissions: &Permissions, delivery: Delivery) -> DeliveryView {
    let log = shown_log(permissions, delivery.log);
    DeliveryView {
        event_id: delivery.event,
        event: delivery.event_name,
        standing: delivery.standing,
        log,
        created_at: delivery.created_at,
    }
}

/// The attempts as a caller with these permissions may see them. A receiver's response may repeat
/// the URL that was called, so only callers who may see the whole URL see it.
pub fn shown_log(permissions: &Permissions, mut log: Vec<DeliveryAttempt>) -> Vec<DeliveryAttempt> {
    let whole = permissions.contains(Permission::WebhooksWrite);
    for entry in &mut log {
        entry.excerpt.take_if(|_| !whole);
    }
    log
}
