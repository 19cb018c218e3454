//! Simulated outcomes of a subscription's payments, for development data only.

use std::time::Duration;

use db::tx::Tx;
use schemars::JsonSchema;
use serde::Deserialize;
use uuid::Uuid;

use crate::app::App;
use crate::audit::ticket::note;
use crate::audit::{Action, ActorContext};
use crate::billing::{StoredPayment, begin_charge, current};
use crate::idempotency::{BeginOutcome, IdempotencyKey, IdempotentOperation, KeyState, Outcome};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::ids::{MerchantId, Scope, SubscriptionId, TransactionId};
use crate::subscriptions::charges::SubscriptionChange;
use crate::subscriptions::status::Status;
use crate::subscriptions::{ChargeReason, Subscription};
use crate::transactions;
use crate::transactions::simulate::{SimulatedOutcome, Simulation, simulate};
use crate::transactions::status::Status as PaymentStatus;

/// The outcome of the payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SubscriptionPaymentOutcome {
    Paid,
    /// The card is declined, or the PIX code expires.
    Failed,
}

/// Decides the outcome of the awaited payment or, if there is none, of the next one, which is
/// created now; shows the subscription as it then is.
///
/// A repetition with the same key decides about the same payment.
#[derive(Debug, Clone)]
pub struct SimulatePayment {
    pub scope: Scope,
    pub id: SubscriptionId,
    pub outcome: SubscriptionPaymentOutcome,
    pub key: Option<IdempotencyKey>,
    /// The person at a page, for the audit log.
    pub by: Option<ActorContext>,
}

impl IdempotentOperation for SimulatePayment {
    type Read = ();
    type Prepared = TransactionId;
    type Started = TransactionId;
    type Output = Subscription;

    fn merchant(&self) -> MerchantId {
        self.scope.merchant
    }

    async fn read(&self, _: &Tx) -> Result<()> {
        Ok(())
    }

    /// The payment to be decided.
    ///
    /// If the key still stands for nothing after the subscription was read, it has decided nothing
    /// that was read, and a subscription that changed since is not charged.
    async fn prepare(&self, app: &App, (): ()) -> Result<TransactionId> {
        let subscription = current(app, self.scope, self.id).await?;
        let KeyState::Free(()) = app.key_state(self.key.clone()).await? else {
            let message = "A request with the same key has just chosen the payment.";
            return Err(Error::refused(ErrorCode::ConcurrentUpdate, message));
        };
        match subscription.charge {
            Some(charge) => Ok(charge.transaction),
            None => create_payment(app, self.scope, &subscription).await,
        }
    }

    async fn begin(
        &self,
        tx: &Tx,
        chosen: &TransactionId,
    ) -> Result<BeginOutcome<TransactionId, Subscription>> {
        let action = Action::SubscriptionSimulated;
        note(tx, self.scope, self.by.as_ref(), action, self.id.0).await?;
        Ok(BeginOutcome::Started(chosen.0, *chosen))
    }

    async fn finish(&self, app: &App, chosen: TransactionId) -> Result<Outcome<Subscription>> {
        match self.decide(app, chosen).await {
            Err(refusal) if refusal.is_final() => Ok(Outcome::Refused(refusal)),
            decided => Ok(Outcome::Done(decided?)),
        }
    }

    async fn resume(&self, app: &App, chosen: Uuid) -> Result<Option<Outcome<Subscription>>> {
        self.finish(app, TransactionId(chosen)).await.map(Some)
    }
}

impl SimulatePayment {
    async fn decide(&self, app: &App, id: TransactionId) -> Result<Subscription> {
        let scope = self.scope;
        let payment = app.read(async move |tx| transactions::find(tx, scope, id).await).await?;
        let outcome = match self.outcome {
            SubscriptionPaymentOutcome::Paid => SimulatedOutcome::Paid,
            SubscriptionPaymentOutcome::Failed if payment.card.is_some() => {
                SimulatedOutcome::Failed
            }
            SubscriptionPaymentOutcome::Failed => SimulatedOutcome::Expired,
        };
        // It may be paid already, by a concurrent request or by a coupon for the full price.
        if outcome != SimulatedOutcome::Paid || payment.status != PaymentStatus::Paid {
            let simulation = Simulation { outcome, amount: None, calls: 1, delay: Duration::ZERO };
            let seed = self.key.as_ref().map(IdempotencyKey::seed);
            simulate(app, scope, id, simulation, seed).await?;
        }
        current(app, scope, self.id).await
    }
}

/// Stores the next payment without calling a provider.
async fn create_payment(
    app: &App,
    scope: Scope,
    subscription: &Subscription,
) -> Result<TransactionId> {
    if !matches!(subscription.status, Status::Trialing | Status::Active | Status::PastDue) {
        let message = format!("No payment is due while it is {}.", subscription.status);
        return Err(Error::State { current: subscription.status.to_string(), message });
    }
    let with = SubscriptionChange::Unchanged { version: subscription.version };
    match begin_charge(app, scope, subscription, ChargeReason::Schedule, with).await? {
        StoredPayment::Pix(transaction) => Ok(transaction.id),
        StoredPayment::Card(order) => Ok(order.transaction.id),
    }
}
