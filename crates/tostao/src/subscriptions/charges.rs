//! Where payments tell a subscription what becomes of them, each in the unit of the payment.
//!
//! `begin` is told before a payment is written down: while its outcome is awaited no other is
//! made. `paid` extends the subscription, or refuses what it no longer owes: that money goes back.
//! `unpaid` begins or goes on with the dunning.

use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;

use crate::events::Rendered;
use crate::events::names::Name;
use crate::platform::error::Result;
use crate::platform::ids::{ClientId, PlanId, Scope, SubscriptionId, TransactionId};
use crate::providers::card::StoredCard;
use crate::subscriptions::lifecycle::{RETRIES_EXCEEDED, ended};
use crate::subscriptions::opening::{Opening, open};
use crate::subscriptions::status::Status;
use crate::subscriptions::{
    Cause, Charge, Dunning, Period, Subscription, dunning, find, periods, plans, save, store,
};

/// A payment for a period, about to be made.
#[derive(Debug, Clone)]
pub struct PeriodCharge {
    pub subscription: SubscriptionId,
    pub plan: PlanId,
    /// Whose it is; none while the subscription is still being made.
    pub client: Option<ClientId>,
    pub period: Period,
    /// The plan's name, as the buyer reads what he pays for.
    pub description: String,
    pub price: Cents,
    pub cause: Cause,
    /// What happens to the subscription in the same unit.
    pub with: With,
}

/// What happens to a subscription in the unit that charges it.
#[derive(Debug, Clone)]
pub enum With {
    /// It is made.
    Opening(Box<Opening>),
    /// It goes on after a pause, with a period of its own.
    Resuming { version: i64 },
    /// It gets another card.
    Card { version: i64, card: Box<StoredCard> },
    /// Nothing else.
    Nothing { version: i64 },
}

/// What a payment is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeriodReference {
    pub subscription: SubscriptionId,
    pub starts_at: Timestamp,
}

/// What follows from a payment that arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// It pays for its period; another payment for it, if one was awaited, is not needed.
    Yes { needless: Option<TransactionId> },
    /// Nothing is owed for its period any more.
    No,
}

/// Why nothing arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unpaid<'a> {
    /// The card was declined, or a code ran out; `card` is the card's fingerprint.
    Failed { code: &'a str, hard: bool, card: Option<&'a str> },
    /// Nobody was asked, so nobody is to blame.
    NeverAsked,
}

impl PeriodCharge {
    /// What the payment is to keep.
    pub fn reference(&self) -> PeriodReference {
        PeriodReference { subscription: self.subscription, starts_at: self.period.start }
    }
}

/// Takes note of a payment that this unit is about to write down.
pub async fn begin(
    tx: &Tx,
    scope: Scope,
    new: &PeriodCharge,
    client: ClientId,
    transaction: TransactionId,
) -> Result<()> {
    let charge = Charge { transaction, cause: new.cause };
    let (version, told): (i64, &[Name]) = match &new.with {
        With::Opening(opening) => {
            open(tx, scope, opening, client, Some(charge)).await?;
            return periods::charge(tx, scope, opening.id, new.period, transaction).await;
        }
        With::Resuming { version } => (*version, &[Name::SubscriptionResumed]),
        With::Card { version, .. } => (*version, &[Name::SubscriptionUpdated]),
        With::Nothing { version } => (*version, &[]),
    };
    let before = find(tx, scope, new.subscription).await?;
    let mut after = match &new.with {
        With::Resuming { .. } => before.resumed(new.period.start)?,
        With::Card { card, .. } => before.with_card(card),
        _ => before.clone(),
    };
    let same = after.due_period() == new.period && after.price == new.price;
    if before.version != version || before.charge.is_some() || !same {
        return Err(tx.collision("the subscription changed meanwhile").into());
    }
    after.charge = Some(charge);
    after.dunning.manual_retries += i64::from(new.cause == Cause::Manual);
    if matches!(new.with, With::Resuming { .. }) {
        periods::void(tx, scope, after.id).await?;
    }
    save(tx, scope, &before, after, told, None).await?;
    periods::charge(tx, scope, new.subscription, new.period, transaction).await
}

/// Extends a subscription by what was paid for.
pub async fn paid(
    tx: &Tx,
    scope: Scope,
    of: PeriodReference,
    transaction: TransactionId,
    payment: impl FnOnce() -> Result<Rendered>,
) -> Result<Taken> {
    let before = find(tx, scope, of.subscription).await?;
    let period = before.due_period();
    let owed = !before.status.has_ended() && period.start == of.starts_at;
    if owed && before.status == Status::Incomplete && is_second(tx, scope, &before).await? {
        end_unbegun(tx, scope, &before, Some(payment()?)).await?;
        return Ok(Taken::No);
    }
    if !owed || !periods::pay(tx, scope, before.id, period, transaction).await? {
        return Ok(Taken::No);
    }
    let needless = before.charge.map(|charge| charge.transaction).filter(|id| *id != transaction);
    let (status, told) = match before.status {
        Status::Incomplete => (Status::Active, Name::SubscriptionActivated),
        // A code that was issued before the pause.
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
    save(tx, scope, &before, after, &[told], Some(payment()?)).await?;
    Ok(Taken::Yes { needless })
}

/// Whether the same person subscribes to the plan already: by another code that was paid first, by
/// a card, or by going over to it.
///
/// The plan is this unit's own from here on, as it is where subscriptions are made and changed, so
/// of two that are paid at once one sees the other.
async fn is_second(tx: &Tx, scope: Scope, unbegun: &Subscription) -> Result<bool> {
    plans::hold(tx, scope, unbegun.plan).await?;
    store::subscribes(tx, scope, unbegun.plan, &unbegun.customer, unbegun.id).await
}

/// Ends a subscription that never began.
async fn end_unbegun(
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

/// Goes on without a payment that did not come.
pub async fn unpaid(
    tx: &Tx,
    scope: Scope,
    of: PeriodReference,
    transaction: TransactionId,
    why: Unpaid<'_>,
    payment: impl FnOnce() -> Result<Rendered>,
) -> Result<()> {
    let before = find(tx, scope, of.subscription).await?;
    let Some(charge) = before.charge.filter(|charge| charge.transaction == transaction) else {
        return Ok(());
    };
    let mut after = Subscription { charge: None, ..before.clone() };
    let told = match (before.status, why) {
        (Status::Incomplete, _) => {
            after.status = Status::Expired;
            after.ended_at = Some(scope.now(tx));
            vec![Name::SubscriptionExpired]
        }
        (
            Status::Trialing | Status::Active | Status::PastDue,
            Unpaid::Failed { code, hard, card },
        ) => {
            after.dunning.failed_attempts += 1;
            after.dunning.last_failure_code = Some(code.to_owned());
            after.dunning.awaits_card = hard && after.keeps(card);
            fall_behind(&mut after, charge.cause, card, scope.now(tx))
        }
        // A retry by its day is still on the agenda; what somebody wanted tried now still is.
        (Status::PastDue, Unpaid::NeverAsked) if charge.cause != Cause::Schedule => {
            let dunning = &mut after.dunning;
            dunning.next_retry_at = Some(scope.now(tx)).filter(|_| !dunning.awaits_card);
            dunning.manual_retries -= i64::from(charge.cause == Cause::Manual);
            Vec::new()
        }
        _ => Vec::new(),
    };
    if after.status.has_ended() {
        periods::void(tx, scope, after.id).await?;
    }
    let payment = (!told.is_empty()).then(payment).transpose()?;
    save(tx, scope, &before, after, &told, payment).await?;
    Ok(())
}

/// Decides when a failed payment is tried again, if it is: at once where another card than the
/// charged one was given meanwhile.
fn fall_behind(
    after: &mut Subscription,
    cause: Cause,
    charged: Option<&str>,
    now: Timestamp,
) -> Vec<Name> {
    let mut told = vec![Name::SubscriptionPaymentFailed];
    let untried = !after.keeps(charged);
    let (policy, dunning) = (after.retry_policy, &mut after.dunning);
    let first_failure = *dunning.past_due_at.get_or_insert(now);
    let retry = |number| dunning::retry_at(policy, first_failure, number);
    if after.status != Status::PastDue {
        after.status = Status::PastDue;
        told.push(Name::SubscriptionPastDue);
    } else if cause == Cause::Schedule && dunning.next_retry_at == retry(dunning.retries_done) {
        // What is tried between two days of the table takes the place of neither.
        dunning.retries_done += 1;
    }
    let mut next = retry(dunning.retries_done);
    // What somebody tried by hand takes the place of retries whose day has passed meanwhile.
    while cause != Cause::Schedule && next.is_some_and(|at| at <= now) {
        dunning.retries_done += 1;
        next = retry(dunning.retries_done);
    }
    let planned = next.filter(|_| !dunning.awaits_card);
    dunning.next_retry_at = if untried { Some(now) } else { planned };
    let over = dunning::gives_up_at(policy, first_failure) <= now;
    if next.is_none() && over && !untried {
        *after = ended(after.clone(), RETRIES_EXCEEDED, None, now);
        told.push(Name::SubscriptionCancelled);
    }
    told
}
