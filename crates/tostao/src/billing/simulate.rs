//! Simulated outcomes of a subscription's payments, for development data only.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::app::App;
use crate::billing::{Begun, begin_charge, current};
use crate::error::{Error, Result};
use crate::ids::{Scope, SubscriptionId, TransactionId};
use crate::subscriptions::charges::With;
use crate::subscriptions::status::Status;
use crate::subscriptions::{Cause, Method, Subscription};
use crate::transactions::simulate::{Outcome as PaymentOutcome, Simulation, simulate as pay};

/// What is to become of the payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Outcome {
    Paid,
    /// The card is declined, or the code runs out.
    Failed,
}

/// Decides about the payment that is awaited or, if there is none, about the next, which is made
/// now; answers with the subscription as it then is.
pub async fn simulate(
    app: &App,
    scope: Scope,
    id: SubscriptionId,
    outcome: Outcome,
) -> Result<Subscription> {
    let subscription = current(app, scope, id).await?;
    let transaction = match subscription.charge {
        Some(charge) => charge.transaction,
        None => make(app, scope, &subscription).await?,
    };
    let outcome = match (outcome, subscription.method) {
        (Outcome::Paid, _) => PaymentOutcome::Paid,
        (Outcome::Failed, Method::CreditCard) => PaymentOutcome::Failed,
        (Outcome::Failed, Method::Pix) => PaymentOutcome::Expired,
    };
    let simulation = Simulation { outcome, amount: None, calls: 1, delay: Duration::ZERO };
    pay(app, scope, transaction, simulation).await?;
    current(app, scope, id).await
}

/// Writes the next payment down without asking anybody for it.
async fn make(app: &App, scope: Scope, subscription: &Subscription) -> Result<TransactionId> {
    if !matches!(subscription.status, Status::Trialing | Status::Active | Status::PastDue) {
        let message = format!("No payment is due while it is {}.", subscription.status);
        return Err(Error::State { current: subscription.status.to_string(), message });
    }
    let with = With::Nothing { version: subscription.version };
    match begin_charge(app, scope, subscription, Cause::Schedule, with).await? {
        Begun::Code(transaction) => Ok(transaction.id),
        Begun::Card(order) => Ok(order.transaction.id),
    }
}
