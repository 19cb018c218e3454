//! Turns a submitted form into the payment that it asks for.

use ledger::cents::Cents;

use crate::affiliates::clicks::visitor_api::Visitor;
use crate::app::App;
use crate::checkout::api::wanted;
use crate::checkout::form::{FormFields, METHOD};
use crate::checkout::order_summary::available_methods;
use crate::checkout::pay_pages::{LinkPageData, bill_of};
use crate::platform::error::{Error, Fault, Fields, Refusal, Result};
use crate::transactions::PaymentMethod;
use crate::transactions::intake::{self, Wish};
use crate::transactions::request::{Means, NewTransaction, Purpose};

/// What a valid form asks for.
pub enum PaymentRequest {
    /// The card page.
    Card { total: Cents },
    /// A payment.
    Now(Box<NewTransaction>),
}

/// Validates a form; refuses it if the total is higher than the page showed.
pub async fn check(
    app: &App,
    found: &LinkPageData,
    posted: &FormFields,
    visitor: &Visitor,
) -> Result<PaymentRequest> {
    posted.refuse_card_data()?;
    found.1.expect_usable()?;
    let method = chosen(app, found, posted)?;
    let new = new(app, found, posted, visitor, method, None)?;
    let bill = bill_of(app, found, &posted.attempt, posted.coupon()).await?;
    expect_seen(bill.due, posted)?;
    if method != PaymentMethod::CreditCard || bill.due.is_zero() {
        return Ok(PaymentRequest::Now(Box::new(new)));
    }
    if bill.plan(posted.parts()).is_none() {
        let message = "This number of installments is not available.";
        return Err(Error::refused(Refusal::InstallmentsNotAllowed, message));
    }
    Ok(PaymentRequest::Card { total: bill.total(method, posted.parts()) })
}

/// The payment that a form asks for, by a method and, for a card, with its token.
pub fn new(
    app: &App,
    (scope, link, _): &LinkPageData,
    posted: &FormFields,
    visitor: &Visitor,
    method: PaymentMethod,
    card_token: Option<&str>,
) -> Result<NewTransaction> {
    let mut wrong = Fields::new();
    let customer = intake::customer(&mut wrong, &posted.customer(wanted(link)), wanted(link));
    if method == PaymentMethod::Boleto && !posted.has_typed_document() {
        wrong.add("customer.document", Fault::new("REQUIRED", "is required to pay by boleto"));
    }
    let means = means(app, *scope, &mut wrong, posted, method, card_token);
    let code = wrong.read("couponCode", intake::coupon_code(posted.coupon()));
    let (Some((customer, address)), Some(means), Some(coupon_code)) = (customer, means, code)
    else {
        return Err(wrong.into_error());
    };
    wrong.finish()?;
    Ok(NewTransaction {
        purpose: Purpose::Link(link.id),
        means,
        customer,
        address,
        coupon_code,
        attribution: visitor.attribution(Some(&posted.affiliate_code)),
        external_id: None,
        metadata: serde_json::json!({}),
        replaces: None,
    })
}

fn means(
    app: &App,
    scope: crate::platform::ids::Scope,
    wrong: &mut Fields,
    posted: &FormFields,
    method: PaymentMethod,
    card_token: Option<&str>,
) -> Option<Means> {
    match (method, card_token) {
        // Without a token nothing is charged: a coupon covers the whole price, or the card page is
        // next.
        (PaymentMethod::CreditCard, None) => Some(Means::Card { token: None, installments: 1 }),
        (method, card_token) => {
            let is_card = method == PaymentMethod::CreditCard;
            let installments = is_card.then(|| posted.parts());
            let wish = Wish {
                method,
                expires_in: None,
                due_date: None,
                installments,
                card_token,
                coupon_code: posted.coupon(),
            };
            intake::means(wrong, wish, scope.today(app.now()))
        }
    }
}

fn chosen(app: &App, found: &LinkPageData, posted: &FormFields) -> Result<PaymentMethod> {
    let available_methods = available_methods(app, found.0.mode, &found.1);
    if available_methods.is_empty() {
        let message = "This link cannot be paid here.";
        return Err(Error::refused(Refusal::PaymentMethodDisabled, message));
    }
    let refused = || Error::field(METHOD, "INVALID_VALUE", "is not offered");
    posted.method(&available_methods).ok_or_else(refused)
}

/// Refuses a total that is higher than the page showed.
pub fn expect_seen(due: Cents, posted: &FormFields) -> Result<()> {
    match posted.seen.parse::<i64>() {
        Ok(seen) if due.get() > seen => Err(price_changed()),
        _ => Ok(()),
    }
}

/// The error for a price that has changed.
pub fn price_changed() -> Error {
    Error::refused(Refusal::ConcurrentUpdate, "The price has changed. Check it again.")
}
