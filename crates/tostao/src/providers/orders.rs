//! Orders that move money out: payouts, and refunds on the rail of the payment.
//!
//! | The order | The provider says | Result |
//! |---|---|---|
//! | pending | it is being processed | stored: the provider knows the order |
//! | pending | done | completed |
//! | pending | refused | failed; the money returns to where it was held before |
//! | pending | order unknown, for a day and ever since it was sent | failed, the same |
//! | pending | nothing: it certainly was not reached | as before the attempt, and tried again |
//! | pending | its account has less than the payout | the same |
//! | pending | done, by another order's payment | still pending; an error as below |
//! | ended | the same again | nothing |
//! | ended | otherwise | an error in the log and a metric, to be investigated |
//!
//! That an order is about to be sent is stored first, in a unit of its own. A later attempt that
//! finds this (a second worker, or the first one after a crash) cannot know whether the order
//! arrived, so it asks the provider. An order is sent again only if the provider does not know it,
//! and the same reference is the same order, so nothing is paid twice. Silence has no effect: an
//! order that may have been sent stays pending until the provider reports.

use std::sync::Arc;
use std::time::Duration;

use brazil::pix_key::PixKey;
use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;
use queue::job::{Claimed, again, backoff, fail, finish};
use rails::card::CardProvider;
use rails::error::ProviderError;
use rails::payout::{PayoutFailureCode, PayoutProvider, PayoutState, SENT_AGAIN_WITHIN};
use rails::pix::PixProvider;
use rails::provider::ARRIVES_WITHIN;
use rails::refund::{RefundFailureCode, RefundState};
use sandbox::SANDBOX;
use uuid::Uuid;

use crate::app::App;
use crate::jobs::log_failed;
use crate::platform::error::{Error, Result};
use crate::platform::ids::Scope;
use crate::platform::lanes;
use crate::providers::orders::calls::call;

mod calls;
mod store;

/// An order that its provider does not know a day after it was sent has not arrived, and will not:
/// no provider accepts an order that has been in flight for so long.
pub const LOST_AFTER: Duration = Duration::from_hours(24);
/// A payout may reach its bank for as long as it is resent, and the last order is in flight.
pub const MAY_ARRIVE_FOR: Duration = SENT_AGAIN_WITHIN.saturating_add(ARRIVES_WITHIN);

/// Counts a result in the metric of a feature.
pub type OutcomeCounter = fn(&'static str);

/// A payment order to a provider.
#[derive(Clone)]
pub struct PaymentOrder {
    /// The owner of the money.
    pub scope: Scope,
    /// Our reference, unique for ever.
    pub reference: String,
    pub target: OrderTarget,
    pub amount: Cents,
    pub description: Option<String>,
    /// It cannot have been sent before.
    pub first: bool,
    /// When it was first sent.
    pub sent_at: Option<Timestamp>,
}

/// What to do about an order, as its feature has stored it.
#[derive(Clone)]
pub enum NextStep {
    /// Sends it, or asks about it; that is stored.
    Send(Box<PaymentOrder>),
    /// Waits: another order has to end first.
    Wait,
    /// Nothing: it has ended.
    End,
}

/// The provider of an order, and what it is about.
#[derive(Clone)]
pub enum OrderTarget {
    /// The return of a PIX payment with this end-to-end id.
    Pix(Arc<dyn PixProvider>, String),
    /// The refund of a card charge.
    Card(Arc<dyn CardProvider>, CardRefund),
    /// A payout to this key.
    Payout(Arc<dyn PayoutProvider>, PixKey),
}

/// What a card refund is about.
#[derive(Debug, Clone)]
pub struct CardRefund {
    pub charge_reference: String,
    /// What was refunded of the charge before.
    pub refunded_before: Cents,
    /// Names the attempt: another one after an order that certainly did nothing.
    pub attempt: String,
}

/// An order's status at its provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProviderStatus {
    /// The provider has the order and has not decided.
    Processing,
    /// The provider does not know the order.
    NotFound,
    /// The first attempt to send the order certainly did not reach the provider.
    NotSent,
    /// The money has been sent; the id identifies the payment on its rail.
    Done { rail_id: String },
    /// The money has not been sent and will not be.
    Refused { reason: String },
}

/// An order as its feature has stored it.
#[derive(Debug, Clone, Copy)]
pub struct StoredOrder<'a> {
    /// What it is, for the log: `withdrawal`, `refund` or `return`.
    pub kind: &'static str,
    pub id: Uuid,
    /// The merchant or the platform, whose money it is.
    pub owner: Scope,
    pub is_pending: bool,
    /// The bank that sends it as a PIX, whose id stands for one payment or return in the whole PIX
    /// system; none for cards.
    pub pix_bank: Option<&'a str>,
    /// Set once it is completed.
    pub rail_id: Option<&'a str>,
    pub sent_at: Option<Timestamp>,
    pub acknowledged_at: Option<Timestamp>,
}

/// The effect of a provider's report on a stored order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reconciled {
    /// It is still pending; the provider knows it.
    Acknowledged,
    /// It is still pending.
    Pending,
    /// It is still pending, and as if it had never been sent.
    NotSent,
    Completed {
        rail_id: String,
    },
    Failed {
        reason: String,
    },
    /// It had already ended as the provider says.
    AlreadyEnded,
    /// It had ended with a different result.
    StatusMismatch,
    /// It is still pending: another order was completed by the payment that the provider names.
    PaymentTaken,
}

impl Reconciled {
    const fn is_pending(&self) -> bool {
        matches!(self, Self::Acknowledged | Self::Pending | Self::NotSent | Self::PaymentTaken)
    }

    /// Counts a new result, once the unit is committed.
    pub fn count(&self, count: OutcomeCounter) {
        match self {
            Self::Completed { .. } => count("COMPLETED"),
            Self::Failed { .. } => count("FAILED"),
            Self::StatusMismatch | Self::PaymentTaken => count("CONTRADICTED"),
            Self::Acknowledged | Self::Pending | Self::NotSent | Self::AlreadyEnded => {}
        }
    }
}

impl StoredOrder<'_> {
    /// Whether a payout may still reach its bank, which would pay it.
    pub fn may_still_arrive(&self, now: Timestamp) -> bool {
        self.sent_at.is_none_or(|at| now.since(at) < MAY_ARRIVE_FOR)
    }

    /// What a report changes in the order; a payment that completes it is claimed for it.
    ///
    /// The caller holds the lock of the order, so that concurrent reports are applied one by one.
    pub async fn reconcile(&self, tx: &Tx, status: &ProviderStatus) -> Result<Reconciled> {
        let reconciled = self.effect(self.owner.now(tx), status);
        if let Reconciled::Completed { rail_id } = &reconciled
            && !self.claim(tx, rail_id).await?
        {
            self.log_contradiction(status);
            return Ok(Reconciled::PaymentTaken);
        }
        Ok(reconciled)
    }

    /// Claims a payment for the order; false if another order was completed by it.
    pub async fn claim(&self, tx: &Tx, rail_id: &str) -> Result<bool> {
        let Some(bank) = self.pix_bank else { return Ok(true) };
        let (kind, id) = store::claim_payment(tx, bank, rail_id, self.kind, self.id).await?;
        let is_own = (kind.as_str(), id) == (self.kind, self.id);
        if !is_own {
            tracing::error!(kind, order = %id, rail_id, "a payment completed another order");
        }
        Ok(is_own)
    }

    fn effect(&self, now: Timestamp, status: &ProviderStatus) -> Reconciled {
        match status {
            ProviderStatus::Processing if self.is_pending => Reconciled::Acknowledged,
            ProviderStatus::NotFound if self.is_pending => self.not_found(now),
            ProviderStatus::NotSent if self.is_pending && self.acknowledged_at.is_none() => {
                Reconciled::NotSent
            }
            ProviderStatus::NotSent if self.is_pending => Reconciled::Pending,
            ProviderStatus::Processing | ProviderStatus::NotFound | ProviderStatus::NotSent => {
                Reconciled::AlreadyEnded
            }
            ProviderStatus::Done { rail_id } if self.is_pending => {
                Reconciled::Completed { rail_id: rail_id.clone() }
            }
            ProviderStatus::Refused { reason } if self.is_pending => {
                Reconciled::Failed { reason: reason.clone() }
            }
            ProviderStatus::Done { rail_id } if self.rail_id == Some(rail_id) => {
                Reconciled::AlreadyEnded
            }
            ProviderStatus::Refused { .. } if self.rail_id.is_none() => Reconciled::AlreadyEnded,
            ProviderStatus::Done { .. } | ProviderStatus::Refused { .. } => {
                self.log_contradiction(status);
                Reconciled::StatusMismatch
            }
        }
    }

    fn log_contradiction(&self, status: &ProviderStatus) {
        let Self { kind, id, owner, rail_id, .. } = self;
        tracing::error!(
            kind,
            order = %id,
            merchant = %owner.merchant,
            rail_id,
            reported = ?status,
            "a provider contradicts an order's result"
        );
    }

    fn not_found(&self, now: Timestamp) -> Reconciled {
        if self.acknowledged_at.is_some() {
            // That the provider no longer knows the order is no proof that it did not pay.
            let Self { kind, id, owner, .. } = self;
            tracing::error!(
                kind,
                order = %id,
                merchant = %owner.merchant,
                "a provider no longer knows an order that it knew"
            );
            return Reconciled::Pending;
        }
        if self.sent_at.is_some_and(|at| now.since(at) >= LOST_AFTER) {
            return Reconciled::Failed { reason: PayoutFailureCode::RailTimeout.name().to_owned() };
        }
        Reconciled::Pending
    }
}

/// Sends an order, or asks about it if it may have been sent before, and applies the provider's
/// report; while the order is pending, the job is put back to ask again.
///
/// `begin` stores that the order is about to be sent, unless it has to wait or has ended.
pub async fn send_once(
    app: &App,
    job: Claimed,
    begin: impl AsyncFn(&Tx) -> Result<NextStep> + Send + 'static,
    apply: impl AsyncFn(&Tx, &ProviderStatus) -> Result<Reconciled> + Send + 'static,
    count: OutcomeCounter,
) -> Result<()> {
    let step = app.transact(async move |tx| {
        let step = begin(tx).await?;
        let bank_code = match &step {
            NextStep::Send(order) => order.bank_code(tx).await?,
            NextStep::Wait | NextStep::End => None,
        };
        Ok((step, bank_code))
    });
    let (order, bank_code) = match step.await? {
        (NextStep::Send(order), bank_code) => (order, bank_code),
        (NextStep::Wait, _) => {
            let due = app.now().plus(backoff(job.attempt));
            return app.transact(async move |tx| Ok(again(tx, &job, due).await.map(drop)?)).await;
        }
        (NextStep::End, _) => {
            return app.transact(async move |tx| Ok(finish(tx, &job).await.map(drop)?)).await;
        }
    };
    let Attempt { status, bank_code, wait } = send_or_ask(&order, bank_code, app.now()).await;
    if status.as_ref().is_none_or(|status| *status == ProviderStatus::NotSent) {
        log_failed(&job);
    }
    let reconciled = app.transact(async move |tx| {
        if let Some(code) = &bank_code {
            order.note_bank_code(tx, code).await?;
        }
        let due = tx.now().plus(backoff(job.attempt).max(wait));
        let Some(status) = &status else {
            fail(tx, &job, due).await?;
            return Ok(Reconciled::Pending);
        };
        if *status == ProviderStatus::NotSent {
            // Another worker that has started since may have reached the provider.
            let is_ours = fail(tx, &job, due).await?;
            return if is_ours { apply(tx, status).await } else { Ok(Reconciled::Pending) };
        }
        let reconciled = apply(tx, status).await?;
        if reconciled.is_pending() {
            again(tx, &job, due).await?;
        } else {
            finish(tx, &job).await?;
        }
        Ok(reconciled)
    });
    reconciled.await?.count(count);
    Ok(())
}

/// The lane of an order that moves money out. Each connection has lanes of its own; all of the
/// simulated money shares one.
pub fn lane(provider: &str, is_payout: bool) -> String {
    match provider {
        SANDBOX => lanes::PAYOUTS.to_owned(),
        _ if is_payout => lanes::of_payouts(provider),
        _ => lanes::of_connection(provider),
    }
}

/// The provider that an order names, whichever would be used for a new one.
pub fn of_order<P: ?Sized>(named: Option<Arc<P>>, name: &str) -> Result<Arc<P>> {
    named.ok_or_else(|| {
        Error::Unavailable(format!("the provider {name} of an order is not configured"))
    })
}

/// What an attempt to send an order, or to ask about it, came to.
struct Attempt {
    /// `None` if nothing is certain, so that it must be asked about again.
    status: Option<ProviderStatus>,
    /// The provider's own code of the order.
    bank_code: Option<String>,
    /// How long the provider asks to be left alone.
    wait: Duration,
}

async fn send_or_ask(order: &PaymentOrder, bank_code: Option<String>, now: Timestamp) -> Attempt {
    let age = order.sent_at.map(|sent_at| order.scope.at(now).since(sent_at));
    let reference = &order.reference;
    let mut wait = Duration::ZERO;
    let status = match call(order, bank_code.as_deref(), age).await {
        Ok((status, code)) => {
            let bank_code = code.or(bank_code);
            return Attempt { status: Some(status), bank_code, wait };
        }
        Err(error @ ProviderError::Refused { .. })
            if !matches!(order.target, OrderTarget::Payout(..)) =>
        {
            tracing::warn!(reference, %error, "a provider refused an order");
            // An earlier order may still be in flight, and be accepted.
            let certain = order.first || age >= Some(ARRIVES_WITHIN);
            certain.then(|| ProviderStatus::refused(RefundFailureCode::RefusedByProvider))
        }
        Err(error) if error.is_certainly_not_sent() && order.did_nothing_before(age) => {
            tracing::error!(reference, %error, "an order was not sent and is tried again");
            wait = error.retry_after().unwrap_or_default();
            Some(ProviderStatus::NotSent)
        }
        Err(error) => {
            tracing::warn!(reference, %error, "the status of an order is unknown");
            wait = error.retry_after().unwrap_or_default();
            None
        }
    };
    Attempt { status, bank_code, wait }
}

impl PaymentOrder {
    /// Whether no attempt before this one can have an effect. A card's refund is asked about before
    /// it is sent again, so an old one that its acquirer does not show has not arrived.
    fn did_nothing_before(&self, age: Option<Duration>) -> bool {
        let is_card = matches!(self.target, OrderTarget::Card(..));
        self.first || is_card && age >= Some(ARRIVES_WITHIN)
    }

    /// The code that its bank gave it, where a bank is asked by that.
    async fn bank_code(&self, tx: &Tx) -> Result<Option<String>> {
        match &self.target {
            OrderTarget::Payout(bank, _) if !self.first && !bank.finds_by_reference() => {
                store::bank_code(tx, bank.name(), &self.reference).await
            }
            _ => Ok(None),
        }
    }

    async fn note_bank_code(&self, tx: &Tx, code: &str) -> Result<()> {
        match &self.target {
            OrderTarget::Payout(bank, _) => {
                store::note_bank_code(tx, bank.name(), &self.reference, code).await
            }
            _ => Ok(()),
        }
    }
}

/// Our reference of the payout that a bank names by a code of its own.
pub async fn named_by_bank(tx: &Tx, provider: &str, code: &str) -> Result<Option<String>> {
    store::named_by_bank(tx, provider, code).await
}

impl ProviderStatus {
    fn refused(reason: RefundFailureCode) -> Self {
        Self::Refused { reason: reason.name().to_owned() }
    }
}

impl From<RefundState> for ProviderStatus {
    fn from(state: RefundState) -> Self {
        match state {
            RefundState::Processing => Self::Processing,
            RefundState::Done { rail_id } => Self::Done { rail_id },
            RefundState::Refused { reason } => Self::refused(reason),
        }
    }
}

impl From<&PayoutState> for ProviderStatus {
    fn from(state: &PayoutState) -> Self {
        match state {
            PayoutState::Processing => Self::Processing,
            PayoutState::Paid { end_to_end_id } => Self::Done { rail_id: end_to_end_id.clone() },
            PayoutState::Refused(refusal) => Self::Refused { reason: refusal.name().to_owned() },
        }
    }
}
