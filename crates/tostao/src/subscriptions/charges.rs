//! How payments report their outcome to a subscription, each in the unit of the payment.
//!
//! `begin` is called before a payment is stored: while its outcome is awaited no other is made.
//! `paid` extends the subscription, or refuses what it no longer owes: that money is refunded.
//! `unpaid` starts or continues the dunning.

use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;
use rails::card::StoredCard;

use crate::events::Rendered;
use crate::events::names::Name;
use crate::platform::error::Result;
use crate::platform::ids::{ClientId, PlanId, Scope, SubscriptionId, TransactionId};
use crate::subscriptions::creation::{NewSubscription, open};
use crate::subscriptions::lifecycle::{RETRIES_EXCEEDED, ended};
use crate::subscriptions::status::Status;
use crate::subscriptions::{
    Charge, ChargeReason, Dunning, Period, Subscription, dunning, find, periods, plans, save, store,
};

/// A payment for a period, about to be made.
#[derive(Debug, Clone)]
pub struct PeriodCharge {
    pub subscription: SubscriptionId,
    pub plan: PlanId,
    /// The client; `None` while the subscription is still being created.
    pub client: Option<ClientId>,
    pub period: Period,
    /// The plan's name, as shown to the buyer.
    pub description: String,
    pub price: Cents,
    pub cause: ChargeReason,
    /// The change of the subscription in the same unit.
    pub with: SubscriptionChange,
}

/// The change of a subscription in the unit that charges it.
#[derive(Debug, Clone)]
pub enum SubscriptionChange {
    /// It is created.
    Creation(Box<NewSubscription>),
    /// It resumes after a pause, with a new period.
    Resuming { version: i64 },
    /// It gets another card.
    Card { version: i64, card: Box<StoredCard> },
    /// No other change.
    Unchanged { version: i64 },
}

/// The period that a payment is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeriodReference {
    pub subscription: SubscriptionId,
    pub starts_at: Timestamp,
}

/// The result of a payment that arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaymentEffect {
    /// It pays for its period; another payment for it, if one was awaited, is not needed.
    Applied { needless: Option<TransactionId> },
    /// Nothing is owed for its period any more.
    NotOwed,
}

/// Why a payment did not succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailedPayment<'a> {
    /// The card was declined, or a PIX code expired; `card` is the card's fingerprint.
    Failed { code: &'a str, hard: bool, card: Option<&'a str> },
    /// The payment was never attempted, so it does not count as a failure.
    NotAttempted,
}

impl PeriodCharge {
    /// The reference stored with the payment.
    pub fn reference(&self) -> PeriodReference {
        PeriodReference { subscription: self.subscription, starts_at: self.period.start }
    }
}

/// Marks the period as being charged; called before the payment is inserted.
pub async fn begin(
    tx: &Tx,
    scope: Scope,
    new: &PeriodCharge,
    client: ClientId,
    transaction: TransactionId,
) -> Result<()> {
    let charge = Charge { transaction, cause: new.cause };
    let (version, emitted): (i64, &[Name]) = match &new.with {
        SubscriptionChange::Creation(subscription) => {
            open(tx, scope, subscription, client, Some(charge)).await?;
            return periods::charge(tx, scope, subscription.id, new.period, transaction).await;
        }
        SubscriptionChange::Resuming { version } => (*version, &[Name::SubscriptionResumed]),
        SubscriptionChange::Card { version, .. } => (*version, &[Name::SubscriptionUpdated]),
        SubscriptionChange::Unchanged { version } => (*version, &[]),
    };
    let before = find(tx, scope, new.subscription).await?;
    let mut after = match &new.with {
        SubscriptionChange::Resuming { .. } => before.resumed(new.period.start)?,
        SubscriptionChange::Card { card, .. } => before.with_card(card),
        _ => before.clone(),
    };
    let same = after.due_period() == new.period && after.price == new.price;
    if before.version != version || before.charge.is_some() || !same {
        return Err(tx.collision("the subscription changed concurrently").into());
    }
    after.charge = Some(charge);
    after.dunning.manual_retries += i64::from(new.cause == ChargeReason::Manual);
    if matches!(new.with, SubscriptionChange::Resuming { .. }) {
        periods::void(tx, scope, after.id).await?;
    }
    save(tx, scope, &before, after, emitted, None).await?;
    periods::charge(tx, scope, new.subscription, new.period, transaction).await
}

/// Extends a subscription by the paid period.
pub async fn paid(
    tx: &Tx,
    scope: Scope,
    of: PeriodReference,
    transaction: TransactionId,
    payment: impl FnOnce() -> Result<Rendered>,
) -> Result<PaymentEffect> {
    let before = find(tx, scope, of.subscription).await?;
    let period = before.due_period();
    let owed = !before.status.has_ended() && period.start == of.starts_at;
    if owed && before.status == Status::Incomplete && is_second(tx, scope, &before).await? {
        expire_incomplete(tx, scope, &before, Some(payment()?)).await?;
        return Ok(PaymentEffect::NotOwed);
    }
    if !owed || !periods::mark_paid(tx, scope, before.id, period, transaction).await? {
        return Ok(PaymentEffect::NotOwed);
    }
    let needless = before.charge.map(|charge| charge.transaction).filter(|id| *id != transaction);
    let (status, emitted) = match before.status {
        Status::Incomplete => (Status::Active, Name::SubscriptionActivated),
        // The PIX code was issued before the pause.
        Status::Paused => (Status::Paused, Name::SubscriptionRenewed),
        _ => (Status::Active, Name::SubscriptionRenewed),
    };
    let after = Subscription {
        status,
        period: Some(period),
        next_cycle: before.next_cycle + 1,
        next_billing_at: period.end,
        charge: None,
        paid_once: true,
        dunning: Dunning::default(),
        ..before.clone()
    };
    save(tx, scope, &before, after, &[emitted], Some(payment()?)).await?;
    Ok(PaymentEffect::Applied { needless })
}

/// Whether the same person already subscribes to the plan: by another code that was paid first, by
/// a card, or by changing to it.
///
/// The plan's row is locked from here on, as it is where subscriptions are created and changed, so
/// of two that are paid at once one sees the other.
async fn is_second(tx: &Tx, scope: Scope, incomplete: &Subscription) -> Result<bool> {
    plans::lock(tx, scope, incomplete.plan).await?;
    store::subscribes(tx, scope, incomplete.plan, &incomplete.customer, incomplete.id).await
}

/// Ends a subscription that never became active.
async fn expire_incomplete(
    tx: &Tx,
    scope: Scope,
    before: &Subscription,
    payment: Option<Rendered>,
) -> Result<()> {
    let (status, ended_at) = (Status::Expired, Some(scope.now(tx)));
    let after = Subscription { status, ended_at, charge: None, ..before.clone() };
    periods::void(tx, scope, before.id).await?;
    save(tx, scope, before, after, &[Name::SubscriptionExpired], payment).await?;
    Ok(())
}

/// Applies a payment that did not succeed.
pub async fn unpaid(
    tx: &Tx,
    scope: Scope,
    of: PeriodReference,
    transaction: TransactionId,
    why: FailedPayment<'_>,
    payment: impl FnOnce() -> Result<Rendered>,
) -> Result<()> {
    let before = find(tx, scope, of.subscription).await?;
    let Some(charge) = before.charge.filter(|charge| charge.transaction == transaction) else {
        return Ok(());
    };
    let mut after = Subscription { charge: None, ..before.clone() };
    let emitted = match (before.status, why) {
        (Status::Incomplete, _) => {
            after.status = Status::Expired;
            after.ended_at = Some(scope.now(tx));
            vec![Name::SubscriptionExpired]
        }
        (
            Status::Trialing | Status::Active | Status::PastDue,
            FailedPayment::Failed { code, hard, card },
        ) => {
            after.dunning.failed_attempts += 1;
            after.dunning.last_failure_code = Some(code.to_owned());
            after.dunning.awaits_card = hard && after.has_card(card);
            mark_past_due(&mut after, charge.cause, card, scope.now(tx))
        }
        // A scheduled retry is still scheduled; a manual one is scheduled again for now.
        (Status::PastDue, FailedPayment::NotAttempted)
            if charge.cause != ChargeReason::Schedule =>
        {
            let dunning = &mut after.dunning;
            dunning.next_retry_at = Some(scope.now(tx)).filter(|_| !dunning.awaits_card);
            dunning.manual_retries -= i64::from(charge.cause == ChargeReason::Manual);
            Vec::new()
        }
        _ => Vec::new(),
    };
    if after.status.has_ended() {
        periods::void(tx, scope, after.id).await?;
    }
    let payment = (!emitted.is_empty()).then(payment).transpose()?;
    save(tx, scope, &before, after, &emitted, payment).await?;
    Ok(())
}

/// Decides whether and when a failed payment is retried: at once if another card than the charged
/// one was stored meanwhile.
fn mark_past_due(
    after: &mut Subscription,
    cause: ChargeReason,
    charged: Option<&str>,
    now: Timestamp,
) -> Vec<Name> {
    let mut emitted = vec![Name::SubscriptionPaymentFailed];
    let untried = !after.has_card(charged);
    let (policy, dunning) = (after.retry_policy, &mut after.dunning);
    let first_failure = *dunning.past_due_at.get_or_insert(now);
    let retry = |number| dunning::retry_at(policy, first_failure, number);
    if after.status != Status::PastDue {
        after.status = Status::PastDue;
        emitted.push(Name::SubscriptionPastDue);
    } else if cause == ChargeReason::Schedule
        && dunning.next_retry_at == retry(dunning.retries_done)
    {
        // A retry between two scheduled days replaces neither.
        dunning.retries_done += 1;
    }
    let mut next = retry(dunning.retries_done);
    // A manual retry replaces scheduled ones whose day has passed meanwhile.
    while cause != ChargeReason::Schedule && next.is_some_and(|at| at <= now) {
        dunning.retries_done += 1;
        next = retry(dunning.retries_done);
    }
    let planned = next.filter(|_| !dunning.awaits_card);
    dunning.next_retry_at = if untried { Some(now) } else { planned };
    let over = dunning::gives_up_at(policy, first_failure) <= now;
    if next.is_none() && over && !untried {
        *after = ended(after.clone(), RETRIES_EXCEEDED, None, now);
        emitted.push(Name::SubscriptionCancelled);
    }
    emitted
}
