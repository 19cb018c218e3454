//! Payments on request: to resume after a pause whose paid period has ended, or to retry a failed
//! payment.
//!
//! A declined payment is not an error here; it shows in the returned subscription.

use db::tx::Tx;
use uuid::Uuid;

use crate::app::App;
use crate::billing::{
    StoredPayment, current, payment, resuming, retry_without_coupon, store_payment,
};
use crate::idempotency::{BeginOutcome, IdempotencyKey, IdempotentOperation, Outcome, Replayable};
use crate::platform::error::Result;
use crate::platform::http::reply::StorableReply;
use crate::platform::ids::{Scope, SubscriptionId, TransactionId};
use crate::subscriptions::charges::SubscriptionChange;
use crate::subscriptions::lifecycle::{self, expect_retryable, resuming_costs};
use crate::subscriptions::status::Status;
use crate::subscriptions::{ChargeReason, Subscription, find};
use crate::transactions::charge::{PendingCharge, decided, submit};
use crate::transactions::issue::{Issued, issue};
use crate::transactions::request::NewTransaction;
use crate::transactions::terms::PaymentTerms;

/// What is requested.
#[derive(Debug, Clone, Copy)]
pub enum CollectRequest {
    Resume,
    Retry,
}

#[derive(Debug, Clone)]
struct Collect {
    scope: Scope,
    id: SubscriptionId,
    request: CollectRequest,
    /// Whether the first payment takes its coupon.
    with_coupon: bool,
}

/// Resumes a subscription, or retries its payment, once for each idempotency key; what refuses it
/// may change, so a refusal is not stored.
pub async fn collect<A: StorableReply + Send + 'static>(
    app: &App,
    scope: Scope,
    key: Option<IdempotencyKey>,
    id: SubscriptionId,
    request: CollectRequest,
    render: impl Fn(Subscription) -> A + Clone + Send + Sync + 'static,
) -> Result<Replayable<A>> {
    let key = key.map(IdempotencyKey::without_refusals);
    retry_without_coupon(|with_coupon| {
        let work = Collect { scope, id, request, with_coupon };
        app.run_once(key.clone(), work, render.clone())
    })
    .await
}

impl IdempotentOperation for Collect {
    /// The payment; `None` if the request takes none, or one is awaited.
    type Prepared = Option<(PaymentTerms, NewTransaction, Issued)>;
    type Started = PendingCharge;
    type Output = Subscription;

    async fn prepare(&self, app: &App) -> Result<Self::Prepared> {
        let scope = self.scope;
        let before = current(app, scope, self.id).await?;
        let mut new = match self.request {
            CollectRequest::Retry => {
                expect_retryable(&before)?;
                if before.charge.is_some() {
                    return Ok(None);
                }
                let with = SubscriptionChange::Unchanged { version: before.version };
                payment(&before, ChargeReason::Manual, with)
            }
            CollectRequest::Resume => {
                let at = before.pause_ends(scope.at(app.now()));
                if before.status != Status::Paused || !resuming_costs(&before, at) {
                    return Ok(None);
                }
                let (resumed, with) = resuming(app, scope, before, at).await?;
                payment(&resumed, ChargeReason::Schedule, with)
            }
        };
        new.coupon_code = new.coupon_code.filter(|_| self.with_coupon);
        let issued = issue(app, scope, &new).await?;
        Ok(Some((PaymentTerms::of(app), new, issued)))
    }

    async fn begin(
        &self,
        tx: &Tx,
        prepared: &Self::Prepared,
    ) -> Result<BeginOutcome<PendingCharge, Subscription>> {
        let (scope, id) = (self.scope, self.id);
        if let Some((terms, new, issued)) = prepared {
            if let StoredPayment::Card(order) = store_payment(tx, scope, terms, new, issued).await?
            {
                return Ok(BeginOutcome::Started(order.transaction.id.0, *order));
            }
        } else if matches!(self.request, CollectRequest::Resume) {
            return Ok(BeginOutcome::Ended(lifecycle::resume(tx, scope, id).await?));
        }
        Ok(BeginOutcome::Ended(find(tx, scope, id).await?))
    }

    async fn finish(&self, app: &App, order: PendingCharge) -> Result<Outcome<Subscription>> {
        submit(app, self.scope, order).await?;
        Ok(Outcome::Done(current(app, self.scope, self.id).await?))
    }

    async fn resume(&self, app: &App, created: Uuid) -> Result<Option<Outcome<Subscription>>> {
        if decided(app, self.scope, TransactionId(created)).await?.is_none() {
            return Ok(None);
        }
        Ok(Some(Outcome::Done(current(app, self.scope, self.id).await?)))
    }
}
