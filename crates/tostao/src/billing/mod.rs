//! Billing: the payments that subscriptions owe, made by the clock or on request.
//!
//! ```text
//! subscription ──▶ price, coupon ──▶ bank ──▶ unit: the payment is stored, and awaited
//!                                              ├─ PIX: its code waits for the buyer
//!                                              └─ card ──▶ acquirer ──▶ unit: paid or failed
//! ```
//!
//! A payment of a subscription is like any other, so it is confirmed, settled, refunded and
//! published like any other; its effect on the subscription is decided in the same unit. A
//! subscription awaits one payment at a time: a second attempt is refused, reads the row again, and
//! finds that nothing is owed any more.

use db::hex::hex;
use db::time::Timestamp;
use db::tx::Tx;
use rails::card::{StoreCardRequest, StoreOutcome, StoredCard};
use rails::error::ProviderError;
use serde_json::json;

use crate::affiliates::attribution::{AttributionBasis, Kind};
use crate::app::App;
use crate::clients::CustomerDetails;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::ids::{Scope, SubscriptionId};
use crate::platform::secrets::sha256;
use crate::subscriptions::charges::{PeriodCharge, SubscriptionChange};
use crate::subscriptions::lifecycle::end_period;
use crate::subscriptions::schedule::{self, DueAction};
use crate::subscriptions::{ChargeReason, Method, Subscription, find};
use crate::transactions::charge::{begin, submit};
use crate::transactions::create::insert;
use crate::transactions::issue::{Issued, issue, unusable_token};
use crate::transactions::request::{ChargeFor, NewTransaction, PaymentInstrument};
use crate::transactions::terms::PaymentTerms;
use crate::transactions::{self, Transaction};

pub mod actions;
pub mod api;
pub mod checkout;
pub mod checkout_api;
pub mod collect;
pub mod jobs;
pub mod manage_auth_api;
pub mod reading_api;
pub mod simulate;

/// How long the PIX code of the first payment can be paid.
const FIRST_CODE_SECONDS: i64 = 24 * 3_600;
/// How long every other PIX code can be paid: until the first retry, which issues another.
const CODE_SECONDS: i64 = 2 * 24 * 3_600;

/// A stored payment; a card's still has to be charged.
pub enum StoredPayment {
    Pix(Box<Transaction>),
    Card(Box<transactions::charge::PendingCharge>),
}

/// Charges what a subscription owes next.
pub async fn charge(
    app: &App,
    scope: Scope,
    subscription: &Subscription,
    cause: ChargeReason,
    with: SubscriptionChange,
) -> Result<Transaction> {
    match begin_charge(app, scope, subscription, cause, with).await? {
        StoredPayment::Pix(transaction) => Ok(*transaction),
        StoredPayment::Card(order) => submit(app, scope, *order).await,
    }
}

/// A subscription after its pause, with a period that starts at the pause's end, and the change
/// that its payment makes.
///
/// The action scheduled for the end of the previous period runs first: a change of plan, or the
/// cancellation.
async fn resuming(
    app: &App,
    scope: Scope,
    mut paused: Subscription,
    at: Timestamp,
) -> Result<(Subscription, SubscriptionChange)> {
    if has_other_end(&paused) {
        let id = paused.id;
        paused = app.transact(async move |tx| end_period(tx, scope, id).await).await?;
    }
    resumed(&paused, at)
}

/// Whether something else than a payment is scheduled for the end of the period.
fn has_other_end(subscription: &Subscription) -> bool {
    schedule::at_period_end(subscription).what != DueAction::Charge
}

fn resumed(paused: &Subscription, at: Timestamp) -> Result<(Subscription, SubscriptionChange)> {
    let with = SubscriptionChange::Resuming { version: paused.version };
    Ok((paused.resumed(at)?, with))
}

/// Stores a payment for what a subscription owes next.
pub async fn begin_charge(
    app: &App,
    scope: Scope,
    subscription: &Subscription,
    cause: ChargeReason,
    with: SubscriptionChange,
) -> Result<StoredPayment> {
    let new = payment(subscription, cause, with);
    retry_without_coupon(|with_coupon| {
        let coupon_code = new.coupon_code.clone().filter(|_| with_coupon);
        issue_and_store(app, scope, NewTransaction { coupon_code, ..new.clone() })
    })
    .await
}

/// Stores a payment, and without its coupon if that is no longer valid for the first payment.
///
/// Whether this buyer has used it up shows only when the payment is stored. A payment that has no
/// coupon is never refused like this.
async fn retry_without_coupon<T, F: Future<Output = Result<T>>>(
    store: impl Fn(bool) -> F,
) -> Result<T> {
    match store(true).await {
        Err(Error::Refused(ErrorCode::CouponInvalid, _)) => store(false).await,
        stored => stored,
    }
}

async fn issue_and_store(app: &App, scope: Scope, new: NewTransaction) -> Result<StoredPayment> {
    let issued = issue(app, scope, &new).await?;
    let terms = PaymentTerms::of(app);
    app.transact(async move |tx| store_payment(tx, scope, &terms, &new, &issued).await).await
}

/// Stores a payment of a subscription.
pub async fn store_payment(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    new: &NewTransaction,
    issued: &Issued,
) -> Result<StoredPayment> {
    if issued.card.is_some() {
        let order = begin(tx, scope, terms, new, issued).await?;
        return Ok(StoredPayment::Card(Box::new(order)));
    }
    let transaction = insert(tx, scope, terms, new, issued).await?;
    Ok(StoredPayment::Pix(Box::new(transaction)))
}

/// The payment for what a subscription owes next.
///
/// All payments of a subscription are built here, including their attribution: it is decided when
/// the buyer subscribes, and `paid_once` distinguishes a sale from a renewal.
pub fn payment(
    subscription: &Subscription,
    cause: ChargeReason,
    with: SubscriptionChange,
) -> NewTransaction {
    let first = matches!(with, SubscriptionChange::Creation(_));
    let seconds_to_pay = if first { FIRST_CODE_SECONDS } else { CODE_SECONDS };
    let instrument = match (&subscription.method, &subscription.card) {
        (Method::CreditCard, Some(card)) => PaymentInstrument::Stored(Box::new(card.clone())),
        _ => PaymentInstrument::Pix { seconds_to_pay },
    };
    let charge = PeriodCharge {
        subscription: subscription.id,
        plan: subscription.plan,
        client: (!first).then_some(subscription.client),
        period: subscription.due_period(),
        description: subscription.plan_name.clone(),
        price: subscription.price,
        cause,
        with,
    };
    let attributed = match &charge.with {
        SubscriptionChange::Creation(new) => new.claims.is_some(),
        _ => subscription.affiliate_code.is_some(),
    };
    let kind = if subscription.paid_once { Kind::Renewal } else { Kind::Sale };
    NewTransaction {
        charge_for: ChargeFor::Period(Box::new(charge)),
        instrument,
        customer: subscription.customer.clone(),
        address: None,
        coupon_code: subscription.coupon_code.clone().filter(|_| !subscription.paid_once),
        attribution: attributed.then_some(AttributionBasis::Subscriber(subscription.id, kind)),
        description: None,
        external_id: None,
        metadata: json!({}),
        at_most: None,
        buyer_ip: None,
        replaces: None,
    }
}

/// Verifies a buyer's card without charging it, and stores it for future payments.
///
/// The reference follows from the token, so the same token is the same request.
pub async fn store_card(
    app: &App,
    scope: Scope,
    customer: &CustomerDetails,
    token: &str,
) -> Result<StoredCard> {
    let provider = app.providers.card(scope.mode)?;
    let order = StoreCardRequest {
        reference: hex(&sha256(token.as_bytes())),
        token: token.to_owned(),
        buyer: customer.as_card_buyer(None),
    };
    match provider.store_card(&order).await {
        Ok(StoreOutcome::Stored(card)) => Ok(card),
        Ok(StoreOutcome::Declined(code)) => Err(Error::Declined(code.name().to_owned())),
        Err(ProviderError::UnusableToken | ProviderError::Refused { .. }) => Err(unusable_token()),
        Err(error) => Err(Error::NotAnswered(format!("the card was not kept: {error}"))),
    }
}

/// Reads a subscription as of now.
pub async fn current(app: &App, scope: Scope, id: SubscriptionId) -> Result<Subscription> {
    app.read(async move |tx| find(tx, scope, id).await).await
}
