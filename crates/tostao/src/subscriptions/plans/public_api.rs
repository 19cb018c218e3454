//! A plan as anybody with its address sees it.

use axum::extract::State;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::error::{Error, Result};
use crate::http::path::At;
use crate::http::reply::Done;
use crate::ids::PlanId;
use crate::products::CURRENCY;
use crate::subscriptions::plans::{self, Interval};

/// What a buyer may know of a plan before he subscribes.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicPlan {
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
    /// Whether there is room for another subscriber.
    available: bool,
    merchant: PublicSeller,
    /// Whether payments are simulated.
    dev_mode: bool,
}

/// Who sells.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PublicSeller {
    name: String,
}

/// A plan for buyers.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PublicPlanReply {
    success: bool,
    data: PublicPlan,
}

/// GET /api/subscriptions/public/{planId}
pub async fn show(State(app): State<App>, At(id): At<PlanId>) -> Result<Done<PublicPlanReply>> {
    let found = app.read(async move |tx| plans::find_public(tx, id).await);
    let (scope, plan, seller) = found.await?;
    if !plan.active {
        return Err(Error::NotFound("Plan"));
    }
    let data = PublicPlan {
        id,
        url: plan.url(&app.terms.checkout_url),
        available: plan.is_open(),
        name: plan.name,
        description: plan.description,
        amount_cents: plan.price,
        currency: CURRENCY,
        interval: plan.interval,
        trial_days: plan.trial_days,
        merchant: PublicSeller { name: seller.name },
        dev_mode: scope.mode.is_development(),
    };
    Ok(Done(PublicPlanReply { success: true, data }))
}
