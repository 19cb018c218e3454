//! A merchant's input about a plan, and its validation.

use db::time::Timestamp;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Deserialize;
use uuid::Uuid;

use crate::platform::error::{FieldErrors, FieldFault, Result};
use crate::platform::fields::{self, AMOUNT_MAX};
use crate::platform::http::patch::{Omittable, Patch};
use crate::platform::ids::{PlanId, ProductId};
use crate::subscriptions::plans::{Interval, Plan, RetryPolicy};

const AMOUNT_MIN: i64 = 500;
/// The lengths of a plan's texts.
pub const NAME_MAX: usize = 255;
pub const DESCRIPTION_MAX: usize = 1000;
/// Two years, the limit for extended trials too.
pub(in crate::subscriptions) const TRIAL_DAYS_MAX: u16 = 730;
const SUBSCRIBERS_MAX: i64 = 1_000_000_000;

/// The fields to update; omitted fields keep their values. Existing subscriptions are not affected.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(rename = "UpdatePlanRequest")]
pub struct PlanParams {
    #[schemars(length(min = 1, max = 255))]
    pub name: Omittable<String>,
    #[schemars(length(max = 1000))]
    pub description: Patch<String>,
    /// The price per billing period, in cents.
    #[schemars(range(min = 500, max = 1_000_000_000))]
    pub amount_cents: Omittable<i64>,
    /// The number of free trial days before the first charge.
    #[schemars(range(min = 0, max = 730))]
    pub trial_days: Omittable<i64>,
    /// The maximum number of concurrent subscribers, not below the current number. `null` removes
    /// the limit.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub max_subscribers: Patch<i64>,
    /// The plan's own retry policy for failed payments; `null` restores the default.
    pub retry_policy: Patch<RetryPolicyRequest>,
    /// The product that the plan sells.
    pub product_id: Patch<ProductId>,
    /// Whether the plan accepts new subscribers.
    pub active: Omittable<bool>,
}

/// A plan's own retry policy for failed payments.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RetryPolicyRequest {
    /// The number of retries.
    #[schemars(range(min = 1, max = 10))]
    pub max_retry: i64,
    /// The number of days between retries.
    #[schemars(range(min = 1, max = 30))]
    pub retry_every: i64,
}

impl PlanParams {
    /// Reports every fault without a plan to change.
    pub fn check(&self) -> Result<()> {
        let (id, at) = (PlanId(Uuid::nil()), Timestamp::from_micros(0));
        self.apply(&mut Plan::blank(id, Interval::Monthly, at))
    }

    /// Sets a plan's fields; reports every fault at once.
    ///
    /// The caller checks whether the product exists.
    pub fn apply(&self, plan: &mut Plan) -> Result<()> {
        let mut wrong = FieldErrors::new();
        let name = self.name.as_ref().map(|name| fields::name(name, 1, NAME_MAX));
        wrong.assign("name", &mut plan.name, name);
        let description =
            self.description.read(|text| fields::optional_text(Some(text), DESCRIPTION_MAX));
        wrong.assign("description", &mut plan.description, description);
        let price = self.amount_cents.map(|cents| within(cents, AMOUNT_MIN, AMOUNT_MAX));
        let price = price.map(|cents| cents.map(Cents::new));
        wrong.assign("amountCents", &mut plan.price, price);
        let days = self.trial_days.map(|days| within(days, 0, TRIAL_DAYS_MAX.into()));
        let days = days.map(|days| days.map(|days| u32::try_from(days).unwrap_or(0)));
        wrong.assign("trialDays", &mut plan.trial_days, days);
        let most = self.max_subscribers.read(|most| within(*most, 1, SUBSCRIBERS_MAX).map(Some));
        wrong.assign("maxSubscribers", &mut plan.max_subscribers, most);
        match &self.retry_policy {
            Patch::Keep => {}
            Patch::Clear => plan.retry_policy = None,
            Patch::Set(body) => plan.retry_policy = body.read(&mut wrong),
        }
        plan.product = self.product_id.apply(plan.product);
        plan.active = self.active.unwrap_or(plan.active);
        wrong.finish()
    }
}

impl RetryPolicyRequest {
    fn read(self, wrong: &mut FieldErrors) -> Option<RetryPolicy> {
        let max_retry = wrong.read("retryPolicy.maxRetry", within(self.max_retry, 1, 10));
        let retry_every = wrong.read("retryPolicy.retryEvery", within(self.retry_every, 1, 30));
        Some(RetryPolicy {
            max_retry: u8::try_from(max_retry?).ok()?,
            retry_every: u8::try_from(retry_every?).ok()?,
        })
    }
}

fn within(value: i64, min: i64, max: i64) -> Result<i64, FieldFault> {
    if (min..=max).contains(&value) {
        return Ok(value);
    }
    Err(FieldFault::new("OUT_OF_RANGE", format!("must be from {min} to {max}")))
}
