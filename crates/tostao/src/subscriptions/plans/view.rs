//! A plan as its merchant sees it.

use db::time::Timestamp;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Serialize;

use crate::ids::{PlanId, ProductId};
use crate::products::CURRENCY;
use crate::subscriptions::plans::{Interval, Plan, RetryPolicy};

/// A plan.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanView {
    id: PlanId,
    /// The page where buyers subscribe.
    url: String,
    name: String,
    description: Option<String>,
    /// What each period costs.
    amount_cents: Cents,
    currency: &'static str,
    interval: Interval,
    /// How many days are free before the first charge.
    trial_days: u32,
    /// How many subscribers there may be at once; null without a limit.
    max_subscribers: Option<i64>,
    /// How many seats are taken.
    subscribers: i64,
    /// A rule of its own for payments that fail; null where the usual one holds.
    retry_policy: Option<RetryPolicy>,
    /// The product that it sells.
    product_id: Option<ProductId>,
    /// Whether it takes new subscribers.
    active: bool,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl PlanView {
    /// Shows a plan; `checkout_url` is where its page is.
    pub fn new(checkout_url: &str, plan: Plan) -> Self {
        Self {
            id: plan.id,
            url: plan.url(checkout_url),
            name: plan.name,
            description: plan.description,
            amount_cents: plan.price,
            currency: CURRENCY,
            interval: plan.interval,
            trial_days: plan.trial_days,
            max_subscribers: plan.max_subscribers,
            subscribers: plan.seats,
            retry_policy: plan.retry_policy,
            product_id: plan.product,
            active: plan.active,
            created_at: plan.created_at,
            updated_at: plan.updated_at,
        }
    }
}
