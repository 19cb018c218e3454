//! A plan as the merchant sees it.

use db::time::Timestamp;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Serialize;

use crate::platform::ids::{PlanId, ProductId};
use crate::products::CURRENCY;
use crate::subscriptions::plans::{Interval, Plan, RetryPolicy};

/// A subscription plan.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Plan")]
pub struct PlanView {
    id: PlanId,
    /// The URL of the subscription page.
    url: String,
    name: String,
    description: Option<String>,
    /// The price per billing period, in cents.
    amount_cents: Cents,
    currency: &'static str,
    interval: Interval,
    /// The number of free trial days before the first charge.
    trial_days: u32,
    /// The maximum number of concurrent subscribers; null if unlimited.
    max_subscribers: Option<i64>,
    /// The number of current subscribers.
    subscribers: i64,
    /// The plan's own retry policy for failed payments; null for the default.
    retry_policy: Option<RetryPolicy>,
    /// The product that the plan sells.
    product_id: Option<ProductId>,
    /// Whether the plan accepts new subscribers.
    active: bool,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl PlanView {
    /// Builds the view of a plan; `checkout_url` is the base URL of its page.
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
