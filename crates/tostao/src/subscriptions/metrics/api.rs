//! Subscription metrics through the API.

use std::time::Duration;

use axum::extract::State;
use db::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::auth::caller::Caller;
use crate::platform::decimal::Decimal;
use crate::platform::error::{Error, Result};
use crate::platform::http::page::{PageQuery, Pagination};
use crate::platform::http::query::Query;
use crate::platform::http::reply::Ok200;
use crate::platform::ids::{ClientId, SubscriptionId};
use crate::platform::permissions::SubscriptionsRead;
use crate::subscriptions::metrics::{
    self, ChangesFilter, Counted, ListedChange, MrrMovement, Window, average, monthly, percent,
};

const WINDOW: Duration = Duration::from_hours(30 * 24);

/// Which stretch of time; the last thirty days if it is not said.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MetricsQuery {
    /// The start of the period. Defaults to thirty days before its end.
    pub from: Option<Timestamp>,
    /// The end of the period. Defaults to now.
    pub to: Option<Timestamp>,
}

/// Which changes of the recurring revenue are listed.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ChangesQuery {
    /// Filter by what the change counts as.
    pub kind: Option<MrrMovement>,
}

/// A change of the recurring revenue.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SubscriptionChange")]
pub struct ChangeView {
    /// When it changed.
    at: Timestamp,
    kind: MrrMovement,
    subscription_id: SubscriptionId,
    client_id: ClientId,
    plan_name: String,
    /// The difference in the price of twelve months, in cents; negative if revenue is lost.
    annual_cents: i64,
    /// Whether a subscriber who had paid is lost.
    lost: bool,
}

/// A page of changes of the recurring revenue, newest first.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionChangeList {
    success: bool,
    data: Vec<ChangeView>,
    /// What all that match come to as monthly recurring revenue, in cents, rounded once.
    mrr_cents: i64,
    /// How many subscribers who had paid are lost by them.
    lost: i64,
    pagination: Pagination,
}

/// The metrics of recurring revenue.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionMetrics {
    /// The monthly recurring revenue at the start of the period, in cents.
    mrr_start_cents: i64,
    /// The monthly recurring revenue at the end of the period, in cents: the prices of `ACTIVE` and
    /// `PAST_DUE` subscriptions, each divided by the months of its interval, rounded once as a sum.
    mrr_cents: i64,
    /// The churn rate in percent: paying subscribers that became `CANCELLED` in the period, of
    /// those that were `ACTIVE` or `PAST_DUE` at its start.
    churn_rate: Decimal,
    /// The number of subscriptions that are `ACTIVE` now.
    active_subscribers: i64,
    trialing: i64,
    past_due: i64,
    paused: i64,
    /// Monthly recurring revenue from subscriptions first charged in the period, in cents.
    new_mrr_cents: i64,
    /// Monthly recurring revenue gained from upgrades and resumed subscriptions, in cents.
    expansion_mrr_cents: i64,
    /// Monthly recurring revenue lost to downgrades and pauses, in cents.
    contraction_mrr_cents: i64,
    /// Monthly recurring revenue lost to cancellations, in cents.
    churned_mrr_cents: i64,
    /// The revenue churn rate in percent: churn and contraction, of the recurring revenue at the
    /// start of the period.
    revenue_churn_rate: Decimal,
    /// The average monthly revenue per subscriber, in cents.
    arpu_cents: i64,
    period_start: Timestamp,
    period_end: Timestamp,
}

/// A response with the subscription metrics.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SubscriptionMetricsResponse {
    success: bool,
    data: SubscriptionMetrics,
}

/// GET /api/subscriptions/metrics
pub async fn show(
    State(app): State<App>,
    caller: Caller<SubscriptionsRead>,
    Query(query): Query<MetricsQuery>,
) -> Result<Ok200<SubscriptionMetricsResponse>> {
    let scope = caller.scope;
    let window = query.window(scope.at(app.now()))?;
    let counting =
        app.scan_for(scope.merchant, async move |tx| metrics::count(tx, scope, window).await);
    let data = SubscriptionMetrics::new(&counting.await?, window);
    Ok(Ok200(SubscriptionMetricsResponse { success: true, data }))
}

/// GET /api/subscriptions/metrics/changes
pub async fn changes(
    State(app): State<App>,
    caller: Caller<SubscriptionsRead>,
    Query(page): Query<PageQuery>,
    Query(query): Query<MetricsQuery>,
    Query(of): Query<ChangesQuery>,
) -> Result<Ok200<SubscriptionChangeList>> {
    let scope = caller.scope;
    let window = query.window(scope.at(app.now()))?;
    let filter = ChangesFilter { page: page.read()?, kind: of.kind, window };
    let listing =
        app.scan_for(scope.merchant, async move |tx| metrics::changes(tx, scope, &filter).await);
    let (listed, sum) = listing.await?;
    let pagination = filter.page.pagination(&listed);
    let data = listed.rows.into_iter().map(ChangeView::new).collect();
    let (mrr_cents, lost) = (monthly(sum.annual), sum.lost);
    Ok(Ok200(SubscriptionChangeList { success: true, data, mrr_cents, lost, pagination }))
}

impl ChangeView {
    fn new(change: ListedChange) -> Self {
        Self {
            at: change.at,
            kind: change.kind,
            subscription_id: change.subscription,
            client_id: change.client,
            plan_name: change.plan_name,
            annual_cents: change.annual,
            lost: change.lost,
        }
    }
}

impl MetricsQuery {
    /// The window that is asked for, at an instant of the scope's clock.
    pub fn window(&self, now: Timestamp) -> Result<Window> {
        // A window that ends now includes the present instant.
        let to = self.to.unwrap_or(now.plus(Duration::from_micros(1)));
        let from = self.from.unwrap_or(self.to.unwrap_or(now).minus(WINDOW));
        if from >= to {
            return Err(Error::field("from", "OUT_OF_RANGE", "must be before `to`"));
        }
        Ok(Window { from, to })
    }
}

impl SubscriptionMetrics {
    fn new(counted: &Counted, window: Window) -> Self {
        let lost = counted.churned.saturating_add(counted.contraction);
        Self {
            mrr_start_cents: monthly(counted.annual_before),
            mrr_cents: monthly(counted.annual),
            churn_rate: percent(counted.lost, counted.paying_before),
            active_subscribers: counted.active,
            trialing: counted.trialing,
            past_due: counted.past_due,
            paused: counted.paused,
            new_mrr_cents: monthly(counted.new),
            expansion_mrr_cents: monthly(counted.expansion),
            contraction_mrr_cents: monthly(counted.contraction),
            churned_mrr_cents: monthly(counted.churned),
            revenue_churn_rate: percent(lost, counted.annual_before),
            arpu_cents: average(counted.annual, counted.paying),
            period_start: window.from,
            period_end: window.to,
        }
    }
}
