//! Reading subscriptions through the API.

use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::auth::caller::Caller;
use crate::platform::error::Result;
use crate::platform::http::page::{PageQuery, Pagination};
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::http::reply::Ok200;
use crate::platform::ids::SubscriptionId;
use crate::platform::permissions::SubscriptionsRead;
use crate::subscriptions::list::ListQuery;
use crate::subscriptions::metrics::monthly;
use crate::subscriptions::view::SubscriptionView;
use crate::subscriptions::{find, list_with_sum};

/// One subscription.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SubscriptionResponse {
    pub success: bool,
    pub data: SubscriptionView,
}

/// A page of subscriptions, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SubscriptionList {
    success: bool,
    data: Vec<SubscriptionView>,
    /// The monthly recurring revenue of all that match, in cents.
    #[serde(rename = "mrrCents")]
    mrr_cents: i64,
    pagination: Pagination,
}

/// GET /api/subscriptions
pub async fn list(
    State(app): State<App>,
    caller: Caller<SubscriptionsRead>,
    Query(page): Query<PageQuery>,
    Query(query): Query<ListQuery>,
) -> Result<Ok200<SubscriptionList>> {
    let (scope, filter) = (caller.scope, query.read(&page)?);
    let page = filter.page;
    let (listed, annual) = app
        .scan_for(scope.merchant, async move |tx| list_with_sum(tx, scope, &filter).await)
        .await?;
    let pagination = page.pagination(&listed);
    let data = listed.rows.iter().map(|row| SubscriptionView::new(scope, row)).collect();
    let mrr_cents = monthly(annual);
    Ok(Ok200(SubscriptionList { success: true, data, mrr_cents, pagination }))
}

/// GET /api/subscriptions/{id}
pub async fn show(
    State(app): State<App>,
    caller: Caller<SubscriptionsRead>,
    PathParam(id): PathParam<SubscriptionId>,
) -> Result<Ok200<SubscriptionResponse>> {
    let scope = caller.scope;
    let subscription = app.read(async move |tx| find(tx, scope, id).await).await?;
    let data = SubscriptionView::new(scope, &subscription);
    Ok(Ok200(SubscriptionResponse { success: true, data }))
}
