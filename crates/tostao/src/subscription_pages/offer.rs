//! What a plan's page offers: the price, less a coupon, after a trial if the buyer gets one.

use db::tx::Tx;
use ledger::cents::Cents;
use rails::profile::RailKind;

use crate::app::App;
use crate::clients::CustomerDetails;
use crate::coupons;
use crate::coupons::discount::Basket;
use crate::merchants::look::SellerProfile;
use crate::platform::error::{Error, Result};
use crate::platform::ids::{Mode, Scope};
use crate::providers::Service;
use crate::subscriptions::creation::has_trial;
use crate::subscriptions::plans::Plan;
use crate::transactions::PaymentMethod;

/// A plan with the other data of its page.
pub struct PlanPageData {
    pub scope: Scope,
    pub plan: Plan,
    pub seller: SellerProfile,
}

/// The offer shown to the buyer.
pub struct Offer {
    /// Whether nothing is charged before the trial's end.
    pub trial: bool,
    /// The coupon's code, and its discount on the first payment.
    pub coupon: Option<(String, Cents)>,
    /// The amount of the first payment.
    pub first: Cents,
}

/// Calculates the offer as of now; for an unknown buyer, with the trial.
pub async fn offer(
    app: &App,
    found: &PlanPageData,
    coupon: Option<&str>,
    buyer: Option<&CustomerDetails>,
) -> Result<Offer> {
    let (scope, plan) = (found.scope, found.plan.clone());
    plan.expect_open()?;
    let (price, sold, mut trial) = (plan.price, plan.sold(), plan.trial_days > 0);
    if let Some(buyer) = buyer.cloned() {
        let first_time = async move |tx: &Tx| has_trial(tx, scope, &plan, &buyer).await;
        trial = app.read(first_time).await?;
    }
    let coupon = match coupon.map(str::to_owned) {
        None => None,
        Some(code) => {
            let quoted = app.read(async move |tx| {
                let basket = Basket { amount: price, items: sold.as_slice() };
                coupons::quote(tx, scope, &code, basket, None).await
            });
            let discount = quoted.await?;
            Some((discount.coupon.code, discount.amount))
        }
    };
    let off = coupon.as_ref().map_or(Cents::ZERO, |(_, off)| *off);
    Ok(Offer { trial, coupon, first: price.minus(off).unwrap_or(Cents::ZERO) })
}

/// The methods that can be charged here now, the one that renews automatically first.
pub fn methods(app: &App, mode: Mode) -> Vec<PaymentMethod> {
    methods_with(app, mode, Service::Available)
}

/// The methods whose provider is out of service.
pub fn methods_out_of_service(app: &App, mode: Mode) -> Vec<PaymentMethod> {
    methods_with(app, mode, Service::OutOfService)
}

/// Refuses a page that could offer no method now.
pub fn expect_methods(app: &App, mode: Mode) -> Result<()> {
    if !methods(app, mode).is_empty() {
        return Ok(());
    }
    if !methods_out_of_service(app, mode).is_empty() {
        return Err(Error::OutOfService("no provider of subscriptions answers".to_owned()));
    }
    let mode = mode.name();
    Err(Error::NotConfigured(format!("no provider takes payments of subscriptions in {mode}")))
}

fn methods_with(app: &App, mode: Mode, service: Service) -> Vec<PaymentMethod> {
    let rails = [(RailKind::Card, PaymentMethod::CreditCard), (RailKind::Pix, PaymentMethod::Pix)];
    let has = |(rail, _): &(RailKind, PaymentMethod)| app.providers.service(*rail, mode) == service;
    rails.into_iter().filter(has).map(|(_, method)| method).collect()
}

impl Offer {
    /// What is charged at once.
    pub fn due(&self) -> Cents {
        if self.trial { Cents::ZERO } else { self.first }
    }
}
