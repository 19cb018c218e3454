//! The form of a plan's page, and the subscription that it creates.

use axum::response::Response;
use ledger::cents::Cents;
use serde::Deserialize;

use crate::affiliates::clicks::visitor_api::Visitor;
use crate::app::App;
use crate::billing::checkout::{RequestedMethod, SubscriptionRequest};
use crate::billing::checkout_api::subscribe;
use crate::checkout::form::FormFields;
use crate::checkout::payment_from_form::expect_seen;
use crate::checkout::portal_cookie_pages;
use crate::clients::CustomerDetails;
use crate::idempotency::{IdempotencyKey, KeyState, Replayable};
use crate::platform::error::{FieldErrors, Result};
use crate::platform::http::html::see;
use crate::platform::ids::{Scope, SubscriptionId, TransactionId};
use crate::subscription_pages::offer::{Offer, PlanPageData, offer};
use crate::subscriptions::manage_token;
use crate::transactions::status::Status;
use crate::transactions::status_token;
use crate::transactions::terms::NO_LINK;
use crate::transactions::validation;

/// A valid form.
pub struct ValidSignup {
    pub customer: CustomerDetails,
    pub coupon_code: Option<String>,
    pub offer: Offer,
}

/// The part of the subscription response that a page needs.
#[derive(Deserialize)]
struct SubscribeReply {
    data: CreatedData,
}

#[derive(Deserialize)]
struct CreatedData {
    subscription: CreatedSubscription,
    transaction: Option<CreatedPayment>,
}

#[derive(Deserialize)]
struct CreatedSubscription {
    id: SubscriptionId,
}

#[derive(Deserialize)]
struct CreatedPayment {
    id: TransactionId,
    status: Status,
}

/// Reads the form; refuses it if the amount is higher than the buyer was shown, or the terms are
/// others.
pub async fn check(app: &App, found: &PlanPageData, posted: &FormFields) -> Result<ValidSignup> {
    posted.refuse_card_data()?;
    let mut wrong = FieldErrors::new();
    let required = validation::RequiredFields::default();
    let customer = validation::customer(&mut wrong, &posted.customer(required), required);
    let coupon_code = wrong.read("couponCode", validation::coupon_code(posted.coupon()));
    let (Some((customer, _)), Some(coupon_code)) = (customer, coupon_code) else {
        return Err(wrong.into_error());
    };
    wrong.finish()?;
    let offer = offer(app, found, coupon_code.as_deref(), Some(&customer)).await?;
    expect_seen(offer.due(), posted)?;
    found.plan.expect_terms(shown_terms(posted).as_deref())?;
    Ok(ValidSignup { customer, coupon_code, offer })
}

/// The buyer, as far as the typed data identifies them.
pub fn buyer(posted: &FormFields) -> Option<CustomerDetails> {
    let required = validation::RequiredFields::default();
    let customer = posted.customer(required);
    validation::customer(&mut FieldErrors::new(), &customer, required).map(|(customer, _)| customer)
}

/// Redirects if this rendering of the form has already subscribed the buyer, whatever they send
/// now.
pub async fn subscribed(
    app: &App,
    found: &PlanPageData,
    posted: &FormFields,
) -> Result<Option<Response>> {
    let key = key(found, posted);
    let answer = match app.key_state(key.clone()).await? {
        KeyState::Free(()) => None,
        KeyState::Completed(answer) => Some(answer),
        KeyState::Running(_) => app.follow(key).await?,
    };
    answer.map(|answer| next_page(app, found.scope, &answer)).transpose()
}

/// Subscribes the buyer, once for each rendering of the form; redirects to the next step.
pub async fn subscribe_once(
    app: &App,
    found: &PlanPageData,
    posted: &FormFields,
    visitor: &Visitor,
    signup: ValidSignup,
    method: RequestedMethod,
    at_most: Option<Cents>,
) -> Result<Response> {
    let plan = found.plan.id;
    let ValidSignup { customer, coupon_code, .. } = signup;
    let claims = visitor.claims(Some(&posted.aff));
    let terms = shown_terms(posted);
    let request =
        SubscriptionRequest { plan, customer, method, coupon_code, claims, terms, at_most };
    let answer = subscribe(app, found.scope, key(found, posted), request).await?;
    next_page(app, found.scope, &answer)
}

/// The terms that the page showed, if the form was posted from it.
fn shown_terms(posted: &FormFields) -> Option<String> {
    Some(posted.terms.clone()).filter(|terms| !terms.is_empty())
}

fn key(found: &PlanPageData, posted: &FormFields) -> Option<IdempotencyKey> {
    let what = found.plan.id.to_string();
    IdempotencyKey::of_form(found.scope, "POST /subscribe/{planId}", &posted.attempt, &what)
}

/// Redirects to the awaited payment or, if there is none, to the subscriber's own page.
fn next_page<A>(app: &App, scope: Scope, answer: &Replayable<A>) -> Result<Response> {
    let made = answer.read::<SubscribeReply>()?.data;
    let token = manage_token::write(&app.secrets, scope, made.subscription.id);
    let awaited = made.transaction.as_ref().filter(|payment| payment.status != Status::Paid);
    let mut response = match awaited {
        Some(CreatedPayment { id, .. }) => {
            let opens = status_token::write(&app.secrets, scope, *id);
            see(&format!("/pay/{NO_LINK}/t/{id}?token={opens}"))
        }
        None => see(&format!("{}?news=subscribed", portal_cookie_pages::portal_path(&token))),
    };
    response.headers_mut().extend(portal_cookie_pages::set_cookie(app, &token));
    Ok(response)
}
