//! What a buyer of a link is about to pay: its price less a coupon, and the card installments
//! offered.
//!
//! It is only shown; the amount charged is computed again when the buyer pays.

use brazil::installments::{Plan, options};
use db::tx::Tx;
use ledger::cents::Cents;

use crate::app::App;
use crate::coupons::discount::Basket;
use crate::coupons::{self};
use crate::payment_links::{self, PaymentLink};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::ids::{Mode, Scope};
use crate::products::Item;
use crate::providers::Service;
use crate::transactions::PaymentMethod;

/// The most used first.
const METHODS: [PaymentMethod; 3] =
    [PaymentMethod::Pix, PaymentMethod::Boleto, PaymentMethod::CreditCard];

/// The amount to pay and how it is made up.
#[derive(Debug, Clone)]
pub struct OrderSummary {
    pub items: Vec<Item>,
    /// Before any discount.
    pub price: Cents,
    /// The coupon's code, and its discount.
    pub coupon: Option<(String, Cents)>,
    /// The price less the discount.
    pub due: Cents,
    /// The installment plans; empty where no card is charged.
    pub plans: Vec<Plan>,
}

/// Computes it as of now; an invalid code is refused.
///
/// `given_back` is the code of a coupon that the same buyer already uses.
pub async fn summarize(
    tx: &Tx,
    scope: Scope,
    link: &PaymentLink,
    code: Option<&str>,
    given_back: Option<String>,
) -> Result<OrderSummary> {
    link.expect_usable()?;
    let (price, items) = payment_links::price(tx, scope, link).await?;
    let coupon = match code {
        None => None,
        Some(code) => {
            let basket = Basket { amount: price, items: &items };
            let discount = coupons::quote(tx, scope, code, basket, given_back).await?;
            Some((discount.coupon.code, discount.amount))
        }
    };
    let off = coupon.as_ref().map_or(Cents::ZERO, |(_, off)| *off);
    let due = price.minus(off).unwrap_or(Cents::ZERO);
    let plans = if link.settings.credit_card_enabled && !due.is_zero() {
        options(due.get(), &link.settings.installment_terms())
    } else {
        Vec::new()
    };
    Ok(OrderSummary { items, price, coupon, due, plans })
}

impl OrderSummary {
    /// The plan with this number of installments, if it is offered.
    pub fn plan(&self, count: i64) -> Option<&Plan> {
        self.plans.iter().find(|plan| i64::from(plan.count) == count)
    }

    /// The total for a method and a number of installments.
    pub fn total(&self, method: PaymentMethod, count: i64) -> Cents {
        let plan = self.plan(count).filter(|_| method == PaymentMethod::CreditCard);
        plan.map_or(self.due, |plan| Cents::new(plan.total_cents))
    }
}

/// Refuses a page without a provider, as in production before a bank is connected.
pub fn expect_provider(app: &App, mode: Mode) -> Result<()> {
    if app.providers.takes_payments(mode) {
        return Ok(());
    }
    Err(Error::NotConfigured(format!("no provider takes payments in {}", mode.name())))
}

/// The methods that a link accepts and that can be charged here now, the most used first.
pub fn available_methods(app: &App, mode: Mode, link: &PaymentLink) -> Vec<PaymentMethod> {
    link.settings.methods_with(Service::Available, (&app.providers, mode), METHODS)
}

/// The methods that a link accepts and whose provider is out of service.
pub fn methods_out_of_service(app: &App, mode: Mode, link: &PaymentLink) -> Vec<PaymentMethod> {
    link.settings.methods_with(Service::OutOfService, (&app.providers, mode), METHODS)
}

/// The methods that can be charged now; refuses a link that has none.
pub fn expect_methods(app: &App, mode: Mode, link: &PaymentLink) -> Result<Vec<PaymentMethod>> {
    let available = available_methods(app, mode, link);
    if !available.is_empty() {
        return Ok(available);
    }
    if !methods_out_of_service(app, mode, link).is_empty() {
        return Err(Error::OutOfService("no provider of the link's methods answers".to_owned()));
    }
    let message = "This link cannot be paid here.";
    Err(Error::refused(ErrorCode::PaymentMethodDisabled, message))
}
