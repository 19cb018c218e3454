//! What recurs, through the API.

use std::time::Duration;

use axum::extract::State;
use db::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::auth::caller::Caller;
use crate::auth::permissions::SubscriptionsRead;
use crate::decimal::Decimal;
use crate::error::{Error, Result};
use crate::http::query::Query;
use crate::http::reply::Done;
use crate::subscriptions::metrics::{self, Counted, Window, average, monthly, percent};

const WINDOW: Duration = Duration::from_hours(30 * 24);

/// Which stretch of time; the last thirty days if it is not said.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MetricsQuery {
    /// When it begins; thirty days before its end if not given.
    from: Option<Timestamp>,
    /// When it ends; now if not given.
    to: Option<Timestamp>,
}

/// What recurs each month, and how it came to that.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Metrics {
    /// What is charged a month, when the window ended: the prices of `ACTIVE` and `PAST_DUE`
    /// subscriptions, each divided by the months of its interval, and rounded once as a sum.
    mrr_cents: i64,
    /// How many of a hundred were lost: who became `CANCELLED` in the window and had paid, of those
    /// who were `ACTIVE` or `PAST_DUE` when it began.
    churn_rate: Decimal,
    /// How many are `ACTIVE` now.
    active_subscribers: i64,
    trialing: i64,
    past_due: i64,
    paused: i64,
    /// From subscriptions that began to be charged in the window.
    new_mrr_cents: i64,
    /// From dearer plans, and from pauses that ended.
    expansion_mrr_cents: i64,
    /// By cheaper plans, and by pauses.
    contraction_mrr_cents: i64,
    /// By subscriptions that ended.
    churned_mrr_cents: i64,
    /// How much of a hundred was lost: churn and contraction, of what recurred when it began.
    revenue_churn_rate: Decimal,
    /// What one subscriber pays a month.
    arpu_cents: i64,
    period_start: Timestamp,
    period_end: Timestamp,
}

/// What recurs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MetricsReply {
    success: bool,
    data: Metrics,
}

/// GET /api/subscriptions/metrics
pub async fn show(
    State(app): State<App>,
    caller: Caller<SubscriptionsRead>,
    Query(query): Query<MetricsQuery>,
) -> Result<Done<MetricsReply>> {
    let scope = caller.scope;
    let window = query.window(scope.at(app.now()))?;
    let counting =
        app.scan_for(scope.merchant, async move |tx| metrics::count(tx, scope, window).await);
    let data = Metrics::new(&counting.await?, window);
    Ok(Done(MetricsReply { success: true, data }))
}

impl MetricsQuery {
    fn window(&self, now: Timestamp) -> Result<Window> {
        // The present instant is part of a window that goes up to now.
        let to = self.to.unwrap_or(now.plus(Duration::from_micros(1)));
        let from = self.from.unwrap_or(self.to.unwrap_or(now).minus(WINDOW));
        if from >= to {
            return Err(Error::field("from", "OUT_OF_RANGE", "must be before `to`"));
        }
        Ok(Window { from, to })
    }
}

impl Metrics {
    fn new(counted: &Counted, window: Window) -> Self {
        let lost = counted.churned.saturating_add(counted.contraction);
        Self {
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
