//! Payments on request: to resume after a pause whose paid period has ended, or to retry a failed
//! payment.
//!
//! A declined payment is not an error here; it shows in the returned subscription.

use db::time::Timestamp;
use db::tx::Tx;
use uuid::Uuid;

use crate::app::App;
use crate::audit::ticket::{Ticket, note};
use crate::audit::{Action, ActorContext};
use crate::billing::{
    StoredPayment, current, has_other_end, payment, resumed, resuming, retry_without_coupon,
    store_payment,
};
use crate::idempotency::dry_run::{Rehearsable, Rehearsal};
use crate::idempotency::{BeginOutcome, IdempotencyKey, IdempotentOperation, Outcome, Replayable};
use crate::platform::error::Result;
use crate::platform::http::reply::StorableReply;
use crate::platform::ids::{MerchantId, Scope, SubscriptionId, TransactionId};
use crate::subscriptions::charges::SubscriptionChange;
use crate::subscriptions::lifecycle::{self, end_period, expect_retryable, resuming_costs};
use crate::subscriptions::status::Status;
use crate::subscriptions::{ChargeReason, Subscription, find};
use crate::transactions::charge::{PendingCharge, decided, submit};
use crate::transactions::issue::{Issued, Unasked, issue, issue_unasked};
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
    /// The person at a page, for the audit log.
    by: Option<ActorContext>,
    /// Whether the first payment takes its coupon.
    with_coupon: bool,
}

/// What a request takes.
enum Due {
    /// No payment, or one is awaited.
    Nothing,
    Payment(Box<NewTransaction>),
    /// The payment of a period that starts at this time, when the pause ends.
    AfterPause(Timestamp),
}

/// Resumes a subscription, or retries its payment, once for each idempotency key; what refuses it
/// may change, so a refusal is not stored.
pub async fn collect<A: StorableReply + Send + 'static>(
    app: &App,
    Ticket { scope, key, dry_run, by }: Ticket,
    id: SubscriptionId,
    request: CollectRequest,
    render: impl Fn(Subscription) -> A + Clone + Send + Sync + 'static,
) -> Result<Replayable<A>> {
    let key = key.map(IdempotencyKey::without_refusals);
    retry_without_coupon(|with_coupon| {
        let work = Collect { scope, id, request, by: by.clone(), with_coupon };
        app.charge_once(dry_run.clone(), scope, key.clone(), work, render.clone())
    })
    .await
}

impl IdempotentOperation for Collect {
    type Read = ();
    /// The payment; `None` if the request takes none, or one is awaited.
    type Prepared = Option<(PaymentTerms, NewTransaction, Issued)>;
    type Started = PendingCharge;
    type Output = Subscription;

    fn merchant(&self) -> MerchantId {
        self.scope.merchant
    }

    async fn read(&self, _: &Tx) -> Result<()> {
        Ok(())
    }

    async fn prepare(&self, app: &App, (): ()) -> Result<Self::Prepared> {
        let scope = self.scope;
        let before = current(app, scope, self.id).await?;
        let new = match self.due(&before, scope.at(app.now()))? {
            Due::Nothing => return Ok(None),
            Due::Payment(new) => *new,
            Due::AfterPause(at) => {
                let (resumed, with) = resuming(app, scope, before, at).await?;
                payment(&resumed, ChargeReason::Schedule, with)
            }
        };
        let new = self.priced(new);
        let issued = issue(app, scope, &new).await?;
        Ok(Some((PaymentTerms::of(app), new, issued)))
    }

    async fn begin(
        &self,
        tx: &Tx,
        prepared: &Self::Prepared,
    ) -> Result<BeginOutcome<PendingCharge, Subscription>> {
        let action = match self.request {
            CollectRequest::Resume => Action::SubscriptionResumed,
            CollectRequest::Retry => Action::SubscriptionRetried,
        };
        note(tx, self.scope, self.by.as_ref(), action, self.id.0).await?;
        let Some((terms, new, issued)) = prepared else {
            return Ok(BeginOutcome::Ended(self.without_payment(tx).await?));
        };
        match store_payment(tx, self.scope, terms, new, issued).await? {
            StoredPayment::Card(order) => Ok(BeginOutcome::Started(order.transaction.id.0, *order)),
            StoredPayment::Pix(_) => Ok(BeginOutcome::Ended(find(tx, self.scope, self.id).await?)),
        }
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

impl Rehearsable for Collect {
    type Known = Unasked;

    async fn rehearse(&self, tx: &Tx, known: &Unasked) -> Result<Rehearsal<Subscription>> {
        let Unasked { terms, providers } = known;
        let (scope, id) = (self.scope, self.id);
        let before = find(tx, scope, id).await?;
        let new = match self.due(&before, scope.now(tx))? {
            Due::Nothing => {
                let output = self.without_payment(tx).await?;
                return Ok(Rehearsal { output, asks_provider: false });
            }
            Due::Payment(new) => *new,
            Due::AfterPause(at) => {
                let ends = has_other_end(&before);
                let paused = if ends { end_period(tx, scope, id).await? } else { before };
                let (resumed, with) = resumed(&paused, at)?;
                payment(&resumed, ChargeReason::Schedule, with)
            }
        };
        let new = self.priced(new);
        let issued = issue_unasked(tx, scope, &new, providers).await?;
        store_payment(tx, scope, terms, &new, &issued).await?;
        let output = find(tx, scope, id).await?;
        Ok(Rehearsal { output, asks_provider: !issued.amount.is_zero() })
    }
}

impl Collect {
    /// What the request takes of the subscription as it is now.
    fn due(&self, before: &Subscription, now: Timestamp) -> Result<Due> {
        match self.request {
            CollectRequest::Retry => {
                expect_retryable(before)?;
                if before.charge.is_some() {
                    return Ok(Due::Nothing);
                }
                let with = SubscriptionChange::Unchanged { version: before.version };
                Ok(Due::Payment(Box::new(payment(before, ChargeReason::Manual, with))))
            }
            CollectRequest::Resume => {
                let at = before.pause_ends(now);
                let costs = before.status == Status::Paused && resuming_costs(before, at);
                Ok(if costs { Due::AfterPause(at) } else { Due::Nothing })
            }
        }
    }

    /// The payment, without its coupon if that was refused.
    fn priced(&self, new: NewTransaction) -> NewTransaction {
        let coupon_code = new.coupon_code.clone().filter(|_| self.with_coupon);
        NewTransaction { coupon_code, ..new }
    }

    /// Resumes within what is paid already; a retry shows the payment that is awaited.
    async fn without_payment(&self, tx: &Tx) -> Result<Subscription> {
        match self.request {
            CollectRequest::Resume => lifecycle::resume(tx, self.scope, self.id).await,
            CollectRequest::Retry => find(tx, self.scope, self.id).await,
        }
    }
}
