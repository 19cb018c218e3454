//! Card installment plans and their totals, with or without a coupon.

use axum::extract::State;
use brazil::installments::Plan;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::checkout::coupon_api;
use crate::checkout::order_summary::summarize;
use crate::payment_links;
use crate::platform::error::Result;
use crate::platform::http::context::Context;
use crate::platform::http::device::Device;
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::http::reply::Ok200;
use crate::transactions::validation;

/// With which coupon.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstallmentsQuery {
    /// A coupon code; case-insensitive.
    #[schemars(length(max = 40))]
    coupon_code: Option<String>,
}

/// The installment options of a card payment.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "InstallmentOptionList")]
pub struct InstallmentsReply {
    /// The amount in cents, before interest.
    amount: Cents,
    /// The discount in cents, already deducted.
    discount: Cents,
    /// The options; empty if the link does not accept cards or nothing is left to pay.
    options: Vec<InstallmentOption>,
}

/// An installment option.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "InstallmentOption")]
pub struct InstallmentOption {
    installments: u8,
    /// Each installment after the first, in cents.
    installment_amount: Cents,
    /// The first installment in cents; includes the remainder of the division.
    first_installment_amount: Cents,
    total: Cents,
    interest_amount: Cents,
    interest_free: bool,
}

/// GET /api/payment-links/public/slug/{slug}/installments
pub async fn installments(
    State(app): State<App>,
    Context(context): Context,
    device: Device,
    PathParam(slug): PathParam<String>,
    Query(query): Query<InstallmentsQuery>,
) -> Result<Ok200<InstallmentsReply>> {
    let code = validation::coupon_code(query.coupon_code.as_deref());
    let code = code.map_err(|fault| fault.of("couponCode"))?;
    coupon_api::limit_if_given(&app, &context, &device, code.as_deref())?;
    let read = app.read(async move |tx| {
        let (scope, link, _) = payment_links::find_public(tx, &slug).await?;
        summarize(tx, scope, &link, code.as_deref(), None).await
    });
    let order = read.await?;
    let discount = order.coupon.map_or(Cents::ZERO, |(_, off)| off);
    let options = order.plans.iter().map(InstallmentOption::from).collect();
    Ok(Ok200(InstallmentsReply { amount: order.due, discount, options }))
}

impl From<&Plan> for InstallmentOption {
    fn from(plan: &Plan) -> Self {
        Self {
            installments: plan.count,
            installment_amount: Cents::new(plan.other_cents),
            first_installment_amount: Cents::new(plan.first_cents),
            total: Cents::new(plan.total_cents),
            interest_amount: Cents::new(plan.interest_cents),
            interest_free: plan.is_interest_free(),
        }
    }
}
