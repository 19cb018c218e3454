//! A plan's public view, by its URL.

use axum::extract::State;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::platform::error::{Error, Result};
use crate::platform::http::path::PathParam;
use crate::platform::http::reply::Ok200;
use crate::platform::ids::PlanId;
use crate::products::CURRENCY;
use crate::subscriptions::plans::{self, Interval};

/// A plan as buyers see it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicPlan {
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
    /// Whether the plan accepts another subscriber.
    available: bool,
    merchant: PublicSeller,
    /// Whether payments are simulated (development environment).
    dev_mode: bool,
}

/// The merchant.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PublicPlanMerchant")]
pub struct PublicSeller {
    name: String,
}

/// A response with one public plan.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PublicPlanResponse {
    success: bool,
    data: PublicPlan,
}

/// GET /api/subscriptions/public/{planId}
pub async fn show(
    State(app): State<App>,
    PathParam(id): PathParam<PlanId>,
) -> Result<Ok200<PublicPlanResponse>> {
    let found = app.read(async move |tx| plans::find_public(tx, id).await);
    let (scope, plan, seller) = found.await?;
    if !plan.active {
        return Err(Error::NotFound("Plan"));
    }
    let data = PublicPlan {
        id,
        url: plan.url(&app.settings.checkout_url()),
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
    Ok(Ok200(PublicPlanResponse { success: true, data }))
}
