//! Turns a submitted form into the payment that it asks for.

use ledger::cents::Cents;

use crate::affiliates::clicks::visitor_api::Visitor;
use crate::app::App;
use crate::checkout::api::required_fields;
use crate::checkout::form::{FormFields, METHOD};
use crate::checkout::order_summary::expect_methods;
use crate::checkout::pay_pages::{LinkPageData, order_summary};
use crate::platform::error::{Error, ErrorCode, FieldErrors, FieldFault, Result};
use crate::transactions::PaymentMethod;
use crate::transactions::issue::price_changed;
use crate::transactions::request::{ChargeFor, NewTransaction, PaymentInstrument};
use crate::transactions::validation::{self, MethodParams, RequiredFields};

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
    let new = NewTransaction { at_most: posted.seen(), ..new };
    let order = order_summary(app, found, &posted.attempt, posted.coupon()).await?;
    expect_seen(order.due, posted)?;
    if method != PaymentMethod::CreditCard || order.due.is_zero() {
        return Ok(PaymentRequest::Now(Box::new(new)));
    }
    if order.plan(posted.installment_count()).is_none() {
        let message = "This number of installments is not available.";
        return Err(Error::refused(ErrorCode::InstallmentsNotAllowed, message));
    }
    Ok(PaymentRequest::Card { total: order.total(method, posted.installment_count()) })
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
    let mut wrong = FieldErrors::new();
    let required = required_fields(link);
    let needs_address =
        method == PaymentMethod::Boleto && app.providers.boleto_needs_address(scope.mode);
    let required = RequiredFields { address: required.address || needs_address, ..required };
    let customer = validation::customer(&mut wrong, &posted.customer(required), required);
    if method == PaymentMethod::Boleto && !posted.has_typed_document() {
        wrong.add("customer.document", FieldFault::new("REQUIRED", "is required to pay by boleto"));
    }
    let instrument = instrument(app, *scope, &mut wrong, posted, method, card_token);
    let code = wrong.read("couponCode", validation::coupon_code(posted.coupon()));
    let (Some((customer, address)), Some(instrument), Some(coupon_code)) =
        (customer, instrument, code)
    else {
        return Err(wrong.into_error());
    };
    wrong.finish()?;
    Ok(NewTransaction {
        charge_for: ChargeFor::Link(link.id),
        instrument,
        customer,
        address,
        coupon_code,
        attribution: visitor.attribution(Some(&posted.affiliate_code)),
        description: None,
        external_id: None,
        metadata: serde_json::json!({}),
        at_most: None,
        buyer_ip: Some(visitor.address()),
        replaces: None,
    })
}

fn instrument(
    app: &App,
    scope: crate::platform::ids::Scope,
    wrong: &mut FieldErrors,
    posted: &FormFields,
    method: PaymentMethod,
    card_token: Option<&str>,
) -> Option<PaymentInstrument> {
    match (method, card_token) {
        // Without a token nothing is charged: a coupon covers the whole price, or the card page is
        // next.
        (PaymentMethod::CreditCard, None) => {
            Some(PaymentInstrument::Card { token: None, installments: 1 })
        }
        (method, card_token) => {
            let is_card = method == PaymentMethod::CreditCard;
            let installments = is_card.then(|| posted.installment_count());
            let params = MethodParams {
                method,
                expires_in: None,
                due_date: None,
                installments,
                card_token,
                coupon_code: posted.coupon(),
            };
            validation::instrument(wrong, params, scope.today(app.now()))
        }
    }
}

fn chosen(app: &App, found: &LinkPageData, posted: &FormFields) -> Result<PaymentMethod> {
    let available_methods = expect_methods(app, found.0.mode, &found.1)?;
    let refused = || Error::field(METHOD, "INVALID_VALUE", "is not offered");
    posted.method(&available_methods).ok_or_else(refused)
}

/// Refuses a total that is higher than the page showed.
pub fn expect_seen(due: Cents, posted: &FormFields) -> Result<()> {
    match posted.seen() {
        Some(seen) if due > seen => Err(price_changed()),
        _ => Ok(()),
    }
}
