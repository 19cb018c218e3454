//! What a payment comes to: the price, less a coupon's discount, plus installment interest.

use brazil::installments::{self, MOST, Plan};
use db::tx::Tx;
use ledger::cents::Cents;

use crate::clients::CustomerDetails;
use crate::coupons::discount::Basket;
use crate::coupons::uses::{BuyerIdentity, has_use_left};
use crate::coupons::{self, Discount};
use crate::payment_links::{self, PaymentLink};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::ids::Scope;
use crate::products::{self, Item, items};
use crate::subscriptions::plans;
use crate::transactions::request::{ChargeFor, NewTransaction, PaymentInstrument};
use crate::transactions::status::Status;
use crate::transactions::{PaymentMethod, find};

/// Without a link there is no limit: as many installments as cards allow, without interest.
const TERMS_WITHOUT_LINK: installments::Terms =
    installments::Terms { max_installments: MOST, interest_free: MOST, monthly_rate_ppm: 0 };

/// The priced payment.
#[derive(Debug, Clone)]
pub struct Quote {
    /// Before any discount.
    pub price: Cents,
    pub discount: Option<Discount>,
    pub interest: Cents,
    /// What the buyer pays.
    pub amount: Cents,
    /// The installments of a card charge; one for every other method.
    pub parts: Vec<Cents>,
    pub items: Vec<Item>,
    pub link: Option<PaymentLink>,
}

/// Prices a payment as of now.
pub async fn quote(tx: &Tx, scope: Scope, new: &NewTransaction) -> Result<Quote> {
    let (price, items, link) = match &new.charge_for {
        ChargeFor::Amount(amount) => (*amount, Vec::new(), None),
        ChargeFor::Items(wanted) => {
            let items = products::for_sale(tx, scope, wanted).await?;
            (items::total("items", &items)?, items, None)
        }
        ChargeFor::Link(id) => {
            let link = payment_links::find(tx, scope, *id).await?;
            link.expect_usable()?;
            let (price, items) = payment_links::price(tx, scope, &link).await?;
            (price, items, Some(link))
        }
        ChargeFor::Period(charge) => (charge.price, Vec::new(), None),
    };
    expect_method(link.as_ref(), new.instrument.method())?;
    let discount = match &new.coupon_code {
        Some(code) => {
            let sold = match new.charge_for.period() {
                Some(charge) => plans::find(tx, scope, charge.plan).await?.sold(),
                None => None,
            };
            let items = sold.as_ref().map_or(items.as_slice(), std::slice::from_ref);
            let basket = Basket { amount: price, items };
            let given_back = given_back(tx, scope, new).await?;
            Some(coupons::quote(tx, scope, code, basket, given_back).await?)
        }
        None => None,
    };
    let taken = discount.as_ref().map_or(Cents::ZERO, |discount| discount.amount);
    let due = price.minus(taken).unwrap_or(Cents::ZERO);
    let plan = plan(link.as_ref(), due, &new.instrument)?;
    let parts = plan
        .as_ref()
        .map_or_else(|| vec![due], |plan| plan.amounts().into_iter().map(Cents::new).collect());
    let interest = Cents::new(plan.as_ref().map_or(0, |plan| plan.interest_cents));
    let amount = plan.map_or(due, |plan| Cents::new(plan.total_cents));
    Ok(Quote { price, discount, interest, amount, parts, items, link })
}

/// Whether a payment by PIX or boleto would be refused for its coupon as of now.
pub async fn refuses_coupon(tx: &Tx, scope: Scope, new: &NewTransaction) -> Result<bool> {
    let discount = match quote(tx, scope, new).await {
        Ok(quote) => quote.discount,
        Err(Error::Refused(code, _)) => return Ok(code == ErrorCode::CouponInvalid),
        // Something else is wrong, such as a deleted product.
        Err(Error::Invalid(_)) => return Ok(false),
        Err(error) => return Err(error),
    };
    let Some(Discount { coupon, .. }) = discount else { return Ok(false) };
    let CustomerDetails { document, email, .. } = &new.customer;
    let buyer = BuyerIdentity::new(document.as_ref(), email, None);
    Ok(!has_use_left(tx, scope, &coupon, &buyer).await?)
}

/// The coupon whose use is released before this payment takes one.
async fn given_back(tx: &Tx, scope: Scope, new: &NewTransaction) -> Result<Option<String>> {
    let Some(id) = new.replaces else { return Ok(None) };
    let old = find(tx, scope, id).await?;
    Ok(old.coupon_code.filter(|_| old.status == Status::Pending))
}

fn expect_method(link: Option<&PaymentLink>, method: PaymentMethod) -> Result<()> {
    let Some(link) = link else { return Ok(()) };
    let enabled = match method {
        PaymentMethod::Pix => link.settings.pix_enabled,
        PaymentMethod::Boleto => link.settings.boleto_enabled,
        PaymentMethod::CreditCard => link.settings.credit_card_enabled,
    };
    if enabled {
        return Ok(());
    }
    let message = format!("This link does not take {}.", super::Method::from(method).name());
    Err(Error::refused(ErrorCode::PaymentMethodDisabled, message))
}

/// The installments of a card charge; `None` where there is nothing to divide.
fn plan(
    link: Option<&PaymentLink>,
    due: Cents,
    instrument: &PaymentInstrument,
) -> Result<Option<Plan>> {
    let PaymentInstrument::Card { installments, .. } = instrument else { return Ok(None) };
    if due.is_zero() {
        return Ok(None);
    }
    let terms = link.map_or(TERMS_WITHOUT_LINK, |link| link.settings.installment_terms());
    let plan = installments::option(due.get(), *installments, &terms);
    plan.map(Some).ok_or_else(|| {
        let message = format!("This cannot be paid in {installments} installments.");
        Error::refused(ErrorCode::InstallmentsNotAllowed, message)
    })
}
