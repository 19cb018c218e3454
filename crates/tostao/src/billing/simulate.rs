//! Simulated outcomes of a subscription's payments, for development data only.

use std::time::Duration;

use db::tx::Tx;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::app::App;
use crate::billing::{Begun, begin_charge, current};
use crate::idempotency::{Begun as Reserved, Claim, Ticket};
use crate::platform::error::{Error, Refusal, Result};
use crate::platform::ids::{Scope, SubscriptionId, TransactionId};
use crate::subscriptions::charges::SubscriptionChange;
use crate::subscriptions::status::Status;
use crate::subscriptions::{ChargeReason, Subscription};
use crate::transactions;
use crate::transactions::simulate::{Outcome as PaymentOutcome, Simulation, simulate_once};
use crate::transactions::status::Status as PaymentStatus;

/// A concurrent request may create the payment between the look-up and the insert; then it is
/// looked up again.
const TRIES_MAX: u32 = 3;

/// The outcome of the payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schemars(rename = "SubscriptionPaymentOutcome")]
pub enum Outcome {
    Paid,
    /// The card is declined, or the PIX code expires.
    Failed,
}

/// Decides the outcome of the awaited payment or, if there is none, of the next one, which is
/// created now; returns the subscription as it then is.
///
/// A repetition with the same key decides about the same payment.
pub async fn simulate(
    app: &App,
    scope: Scope,
    ticket: Option<Ticket>,
    id: SubscriptionId,
    outcome: Outcome,
) -> Result<Subscription> {
    let mut tries = 0;
    let chosen = loop {
        tries += 1;
        match choose(app, scope, ticket.clone(), id).await {
            // A concurrent request has just created the payment, or the clock has.
            Err(Error::Refused(Refusal::ConcurrentUpdate, _)) if tries < TRIES_MAX => {}
            chosen => break chosen?,
        }
    };
    if let Some(transaction) = chosen {
        decide(app, scope, ticket.as_ref(), transaction, outcome).await?;
    }
    current(app, scope, id).await
}

/// The payment to be decided, which the key stands for from then on; `None` if it was decided
/// already.
///
/// If the key still stands for nothing after the subscription was read, it has decided nothing that
/// was read, and a subscription that changed since is not charged.
async fn choose(
    app: &App,
    scope: Scope,
    ticket: Option<Ticket>,
    id: SubscriptionId,
) -> Result<Option<TransactionId>> {
    let subscription = current(app, scope, id).await?;
    match app.claim::<()>(ticket.clone()).await? {
        Claim::Free => {}
        Claim::Answered(_) => return Ok(None),
        Claim::Running(of) => return Ok(Some(TransactionId(of))),
    }
    let transaction = match subscription.charge {
        Some(charge) => charge.transaction,
        None => make(app, scope, &subscription).await?,
    };
    let named = async move |_: &Tx| Ok((transaction.0, ()));
    Ok(match app.begin_once::<(), ()>(ticket, named).await? {
        Reserved::Now(()) => Some(transaction),
        Reserved::Answered(_) => None,
        Reserved::Running(of) => Some(TransactionId(of)),
    })
}

async fn decide(
    app: &App,
    scope: Scope,
    ticket: Option<&Ticket>,
    id: TransactionId,
    outcome: Outcome,
) -> Result<()> {
    let payment = app.read(async move |tx| transactions::find(tx, scope, id).await).await?;
    let outcome = match outcome {
        // By a concurrent request, or by a coupon for the full price.
        Outcome::Paid if payment.status == PaymentStatus::Paid => return Ok(()),
        Outcome::Paid => PaymentOutcome::Paid,
        Outcome::Failed if payment.card.is_some() => PaymentOutcome::Failed,
        Outcome::Failed => PaymentOutcome::Expired,
    };
    let simulation = Simulation { outcome, amount: None, calls: 1, delay: Duration::ZERO };
    simulate_once(app, scope, id, simulation, ticket).await.map(drop)
}

/// Stores the next payment without calling a provider.
async fn make(app: &App, scope: Scope, subscription: &Subscription) -> Result<TransactionId> {
    if !matches!(subscription.status, Status::Trialing | Status::Active | Status::PastDue) {
        let message = format!("No payment is due while it is {}.", subscription.status);
        return Err(Error::State { current: subscription.status.to_string(), message });
    }
    let with = SubscriptionChange::Nothing { version: subscription.version };
    match begin_charge(app, scope, subscription, ChargeReason::Schedule, with).await? {
        Begun::Code(transaction) => Ok(transaction.id),
        Begun::Card(order) => Ok(order.transaction.id),
    }
}
