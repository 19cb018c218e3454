//! What a buyer of a link is about to pay: its price, less a coupon, in as many parts as a card
//! may be charged.
//!
//! It is worked out for whoever looks; what is charged is quoted anew when he pays.

use brazil::instalments::{Plan, options};
use db::tx::Tx;
use ledger::cents::Cents;

use crate::app::App;
use crate::coupons::discount::Basket;
use crate::coupons::{self};
use crate::payment_links::{self, PaymentLink};
use crate::platform::error::{Error, Result};
use crate::platform::ids::{Mode, Scope};
use crate::products::Item;
use crate::transactions::PaymentMethod;

/// What is to be paid.
#[derive(Debug, Clone)]
pub struct Bill {
    pub items: Vec<Item>,
    /// Before any discount.
    pub price: Cents,
    /// The coupon's code, and what it takes off.
    pub coupon: Option<(String, Cents)>,
    /// The price less the discount.
    pub due: Cents,
    /// The ways to divide it on a card; empty where no card is charged.
    pub plans: Vec<Plan>,
}

/// Works it out as of now; a code that is not good is refused.
///
/// `given_back` is the code of a coupon of which the same buyer holds a use already.
pub async fn bill(
    tx: &Tx,
    scope: Scope,
    link: &PaymentLink,
    code: Option<&str>,
    given_back: Option<String>,
) -> Result<Bill> {
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
        options(due.get(), &link.settings.instalment_terms())
    } else {
        Vec::new()
    };
    Ok(Bill { items, price, coupon, due, plans })
}

impl Bill {
    /// The plan with so many parts, if it is offered.
    pub fn plan(&self, count: i64) -> Option<&Plan> {
        self.plans.iter().find(|plan| i64::from(plan.count) == count)
    }

    /// What comes to pay by a method, in so many parts.
    pub fn total(&self, method: PaymentMethod, count: i64) -> Cents {
        let plan = self.plan(count).filter(|_| method == PaymentMethod::CreditCard);
        plan.map_or(self.due, |plan| Cents::new(plan.total_cents))
    }
}

/// Refuses a page where nobody takes payments, as in production before a bank is connected.
pub fn expect_provider(app: &App, mode: Mode) -> Result<()> {
    if app.providers.takes_payments(mode) {
        return Ok(());
    }
    Err(Error::NotConfigured(format!("no provider takes payments in {}", mode.name())))
}

/// The methods that a link takes and that can be charged here, the one most pay by first.
pub fn offered(app: &App, mode: Mode, link: &PaymentLink) -> Vec<PaymentMethod> {
    let methods = [PaymentMethod::Pix, PaymentMethod::Boleto, PaymentMethod::CreditCard];
    link.settings.offered(&app.providers, mode, methods)
}
