//! Plans: what can be subscribed to, at a recurring price.
//!
//! A change of a plan applies to new subscriptions: an existing one keeps the terms it was created
//! with. A limit of subscribers is a condition of the update that reserves a slot, so two buyers
//! never get the last one.

use db::text_enum;
use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::merchants::look::SellerProfile;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::page::Listed;
use crate::platform::ids::{PlanId, ProductId, Scope};
use crate::products::{self, Item};
use crate::subscriptions::plans::list::Filter;
use crate::subscriptions::plans::params::PlanParams;

pub mod api;
pub mod export;
pub mod export_api;
pub mod list;
pub mod params;
pub mod public_api;
mod store;
pub mod view;

text_enum! {
    /// The billing interval of a plan.
    pub enum Interval as "BillingInterval" {
        Monthly = "MONTHLY",
        Quarterly = "QUARTERLY",
        Semiannual = "SEMIANNUAL",
        Annual = "ANNUAL",
    }
}

/// A plan's own retry policy for failed payments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RetryPolicy {
    /// The number of retries.
    #[schemars(range(min = 1, max = 10))]
    pub max_retry: u8,
    /// The number of days between retries.
    #[schemars(range(min = 1, max = 30))]
    pub retry_every: u8,
}

/// A plan.
#[derive(Debug, Clone)]
pub struct Plan {
    pub id: PlanId,
    pub name: String,
    pub description: Option<String>,
    pub price: Cents,
    pub interval: Interval,
    pub trial_days: u32,
    pub max_subscribers: Option<i64>,
    pub retry_policy: Option<RetryPolicy>,
    /// The product that it sells.
    pub product: Option<ProductId>,
    /// Whether it takes new subscribers.
    pub active: bool,
    /// How many subscriptions are active, or may still become so.
    pub seats: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// Creates a plan.
pub async fn create(
    tx: &Tx,
    scope: Scope,
    interval: Interval,
    params: &PlanParams,
) -> Result<Plan> {
    let mut plan = Plan::blank(PlanId::new(tx), interval, scope.now(tx));
    params.apply(&mut plan)?;
    expect_product(tx, scope, params).await?;
    store::insert(tx, scope, &plan).await?;
    Ok(plan)
}

/// Lists plans, newest first.
pub async fn list(tx: &Tx, scope: Scope, filter: &Filter) -> Result<Listed<Plan>> {
    let rows = store::list(tx, scope, filter).await?;
    let total = store::count(tx, scope, filter).await?;
    Ok(filter.page.listed(rows, total, |plan| plan.id.0))
}

/// A page of the list, whose matches are not counted.
pub async fn page(tx: &Tx, scope: Scope, filter: &Filter) -> Result<Listed<Plan>> {
    let rows = store::list(tx, scope, filter).await?;
    Ok(filter.page.uncounted(rows, |plan| plan.id.0))
}

/// Finds a plan.
pub async fn find(tx: &Tx, scope: Scope, id: PlanId) -> Result<Plan> {
    store::find(tx, scope, id).await?.ok_or_else(missing)
}

/// Finds a plan by its id alone, with its merchant; one of a closed account takes no subscribers.
pub async fn find_public(tx: &Tx, id: PlanId) -> Result<(Scope, Plan, SellerProfile)> {
    store::find_anywhere(tx, id).await?.ok_or_else(missing)
}

/// Changes a plan for future subscriptions.
pub async fn update(tx: &Tx, scope: Scope, id: PlanId, params: &PlanParams) -> Result<Plan> {
    let mut plan = store::open(tx, scope, id).await?.ok_or_else(missing)?;
    params.apply(&mut plan)?;
    expect_product(tx, scope, params).await?;
    // The unit holds the row lock, so no slot is reserved meanwhile.
    if plan.max_subscribers.is_some_and(|max| max < plan.seats) {
        let message = format!("The plan already has {} subscribers.", plan.seats);
        return Err(Error::refused(ErrorCode::PlanFull, message));
    }
    store::update(tx, scope, &plan).await?;
    Ok(plan)
}

/// Closes a plan to new subscribers; existing subscriptions continue.
pub async fn retire(tx: &Tx, scope: Scope, id: PlanId) -> Result<Plan> {
    update(tx, scope, id, &PlanParams { active: Some(false).into(), ..PlanParams::default() }).await
}

/// Reserves a slot for a new subscription; the unit holds the plan's row lock from then on.
pub async fn reserve_slot(tx: &Tx, scope: Scope, id: PlanId) -> Result<Plan> {
    if let Some(plan) = store::reserve_slot(tx, scope, id).await? {
        return Ok(plan);
    }
    let (_, plan, _) = find_public(tx, id).await?;
    plan.expect_open()?;
    Err(tx.collision("a slot was released concurrently").into())
}

/// Serializes units about subscriptions to a plan from here on.
pub async fn lock(tx: &Tx, scope: Scope, id: PlanId) -> Result<()> {
    store::lock(tx, scope, id).await
}

/// Releases a slot, because its subscription has ended.
pub async fn release_slot(tx: &Tx, scope: Scope, id: PlanId) -> Result<()> {
    store::release_slot(tx, scope, id).await
}

impl Interval {
    /// How many months a period has.
    pub const fn months(self) -> u32 {
        match self {
            Self::Monthly => 1,
            Self::Quarterly => 3,
            Self::Semiannual => 6,
            Self::Annual => 12,
        }
    }

    /// The cost of a price over a year: a whole number of cents for every interval.
    pub fn annual(self, price: Cents) -> Cents {
        let times = i64::from(12 / self.months());
        // A price has an upper limit far below what overflows.
        price.times(times).unwrap_or(price)
    }
}

impl Plan {
    /// What a subscriber agrees to, as one text: price, interval and days of trial.
    pub fn terms(&self) -> String {
        format!("{} {} {}", self.price.get(), self.interval, self.trial_days)
    }

    /// Refuses terms that are not those in force, if a page showed any.
    pub fn expect_terms(&self, shown: Option<&str>) -> Result<()> {
        if shown.is_some_and(|shown| shown != self.terms()) {
            let message = "The plan's terms have changed. Check them again.";
            return Err(Error::refused(ErrorCode::ConcurrentUpdate, message));
        }
        Ok(())
    }

    /// The page where buyers subscribe, below the base URL of all hosted pages.
    pub fn url(&self, checkout_url: &str) -> String {
        format!("{checkout_url}/subscribe/{}", self.id)
    }

    /// What it sells, as the one item of each of its payments; `None` if that is not known.
    pub fn sold(&self) -> Option<Item> {
        let (name, unit_price) = (self.name.clone(), self.price);
        self.product.map(|product| Item { product, name, quantity: 1, unit_price })
    }

    /// Whether it takes subscribers now.
    pub fn is_open(&self) -> bool {
        self.active && self.has_room()
    }

    /// Refuses a new subscriber if the plan is inactive or full.
    pub fn expect_open(&self) -> Result<()> {
        if !self.active {
            let message = format!("\"{}\" accepts no new subscribers.", self.name);
            return Err(Error::refused(ErrorCode::PlanInactive, message));
        }
        if !self.has_room() {
            let message = format!("\"{}\" is full.", self.name);
            return Err(Error::refused(ErrorCode::PlanFull, message));
        }
        Ok(())
    }

    fn has_room(&self) -> bool {
        self.max_subscribers.is_none_or(|max| self.seats < max)
    }

    fn blank(id: PlanId, interval: Interval, now: Timestamp) -> Self {
        Self {
            id,
            name: String::new(),
            description: None,
            price: Cents::ZERO,
            interval,
            trial_days: 0,
            max_subscribers: None,
            retry_policy: None,
            product: None,
            active: true,
            seats: 0,
            created_at: now,
            updated_at: now,
        }
    }
}

async fn expect_product(tx: &Tx, scope: Scope, params: &PlanParams) -> Result<()> {
    let Some(id) = params.product_id.set() else { return Ok(()) };
    if products::find_many(tx, scope, &[*id]).await?.is_empty() {
        return Err(Error::field("productId", "UNKNOWN_PRODUCT", "must be a product of yours"));
    }
    Ok(())
}

fn missing() -> Error {
    Error::NotFound("Plan")
}
