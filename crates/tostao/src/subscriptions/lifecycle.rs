//! Changes of a subscription that do not take a payment, by people or by the schedule.

use std::time::Duration;

use db::time::Timestamp;
use db::tx::Tx;
use rails::card::StoredCard;

use crate::events::names::Name;
use crate::platform::error::{Error, Result};
use crate::platform::ids::{PlanId, Scope, SubscriptionId, TransactionId};
use crate::subscriptions::creation::already_subscribed;
use crate::subscriptions::plans;
use crate::subscriptions::plans::params::TRIAL_DAYS_MAX;
use crate::subscriptions::schedule::{self, DueAction, NextAction};
use crate::subscriptions::status::Status;
use crate::subscriptions::{Dunning, Period, Subscription, find, periods, save, store};

/// The stored reason where none was given.
pub const REQUESTED: &str = "requested";
/// The reason where the last retry failed, or no other card came in time.
pub const RETRIES_EXCEEDED: &str = "max_payment_retries_exceeded";
/// How many manual retries are allowed until a payment succeeds.
pub const MANUAL_RETRIES_MAX: i64 = 5;

/// How a subscription is cancelled.
#[derive(Debug, Clone, Default)]
pub struct Cancellation {
    /// At the end of the paid period instead of now.
    pub at_period_end: bool,
    pub reason: Option<String>,
    pub comment: Option<String>,
}

/// A changed subscription, and the payment that it no longer awaits.
#[derive(Debug, Clone)]
pub struct LifecycleChange {
    pub subscription: Subscription,
    /// To be cancelled in the same unit, if possible.
    pub needless: Option<TransactionId>,
}

/// Cancels a subscription, now or at the end of its period; one whose next payment is due or late
/// ends now.
pub async fn cancel(
    tx: &Tx,
    scope: Scope,
    id: SubscriptionId,
    how: &Cancellation,
) -> Result<LifecycleChange> {
    let (before, now) = (find(tx, scope, id).await?, scope.now(tx));
    before.expect_may_become(Status::Cancelled)?;
    let reason = how.reason.as_deref().unwrap_or(REQUESTED);
    let owes = before.status == Status::PastDue || before.next_billing_at <= now;
    if how.at_period_end && !owes {
        let after = Subscription {
            cancel_at_period_end: true,
            cancel_reason: Some(reason.to_owned()),
            cancel_comment: how.comment.clone(),
            ..before.clone()
        };
        let emitted = [Name::SubscriptionUpdated];
        let subscription = save(tx, scope, &before, after, &emitted, None).await?;
        return Ok(LifecycleChange { subscription, needless: None });
    }
    let needless = before.charge.map(|charge| charge.transaction);
    let after = ended(before.clone(), reason, how.comment.clone(), now);
    periods::void(tx, scope, id).await?;
    let emitted = [Name::SubscriptionCancelled];
    let subscription = save(tx, scope, &before, after, &emitted, None).await?;
    Ok(LifecycleChange { subscription, needless })
}

/// Undoes a cancellation at the end of the period.
pub async fn reactivate(tx: &Tx, scope: Scope, id: SubscriptionId) -> Result<Subscription> {
    let before = find(tx, scope, id).await?;
    before.expect_alive()?;
    if !before.cancel_at_period_end {
        let message = "The subscription is not scheduled for cancellation.".to_owned();
        return Err(Error::State { current: before.status.to_string(), message });
    }
    let after = Subscription {
        cancel_at_period_end: false,
        cancel_reason: None,
        cancel_comment: None,
        ..before.clone()
    };
    save(tx, scope, &before, after, &[Name::SubscriptionUpdated], None).await
}

/// Pauses billing until it is resumed manually or at a set time.
pub async fn pause(
    tx: &Tx,
    scope: Scope,
    id: SubscriptionId,
    resumes_at: Option<Timestamp>,
) -> Result<Subscription> {
    let (before, now) = (find(tx, scope, id).await?, scope.now(tx));
    before.expect_may_become(Status::Paused)?;
    if resumes_at.is_some_and(|at| at <= now) {
        return Err(Error::field("resumesAt", "NOT_IN_FUTURE", "must be in the future"));
    }
    let (status, paused_at) = (Status::Paused, Some(now));
    let after = Subscription { status, paused_at, resumes_at, ..before.clone() };
    save(tx, scope, &before, after, &[Name::SubscriptionPaused], None).await
}

/// Whether resuming after a pause takes a payment: the paid period has ended.
///
/// A payment that is still awaited is for the period to resume with.
pub fn resuming_costs(paused: &Subscription, at: Timestamp) -> bool {
    paused.charge.is_none() && paused.next_billing_at <= at
}

/// Resumes within the paid period, or the trial.
pub async fn resume(tx: &Tx, scope: Scope, id: SubscriptionId) -> Result<Subscription> {
    let before = find(tx, scope, id).await?;
    let at = before.pause_ends(scope.now(tx));
    let after = before.resumed(at)?;
    if resuming_costs(&before, at) {
        return Err(tx.collision("the period ended concurrently").into());
    }
    save(tx, scope, &before, after, &[Name::SubscriptionResumed], None).await
}

/// Stores another card for future payments.
pub async fn set_card(
    tx: &Tx,
    scope: Scope,
    id: SubscriptionId,
    card: &StoredCard,
) -> Result<Subscription> {
    let before = find(tx, scope, id).await?;
    before.expect_alive()?;
    let after = before.with_card(card);
    save(tx, scope, &before, after, &[Name::SubscriptionUpdated], None).await
}

/// Stores another card for a past-due payment, which no longer waits for a PIX code; it is charged
/// now.
///
/// If the charge is not made, it stays on the schedule.
pub async fn set_card_instead_of_code(
    tx: &Tx,
    scope: Scope,
    id: SubscriptionId,
    card: &StoredCard,
    code: TransactionId,
) -> Result<Subscription> {
    let before = find(tx, scope, id).await?;
    let awaited = before.charge.is_some_and(|charge| charge.transaction == code);
    if before.status != Status::PastDue || !awaited {
        return Err(tx.collision("the subscription changed concurrently").into());
    }
    let mut after = Subscription { charge: None, ..before.with_card(card) };
    after.dunning.next_retry_at = Some(scope.now(tx));
    save(tx, scope, &before, after, &[Name::SubscriptionUpdated], None).await
}

/// Changes the plan from the next period on; a slot of the new plan is reserved now.
pub async fn change_plan(
    tx: &Tx,
    scope: Scope,
    id: SubscriptionId,
    plan: PlanId,
) -> Result<Subscription> {
    let before = find(tx, scope, id).await?;
    before.expect_alive()?;
    let next_plan = (plan != before.plan).then_some(plan);
    if next_plan != before.next_plan {
        if let Some(plan) = next_plan {
            plans::reserve_slot(tx, scope, plan).await?;
            // From here on, a new subscription to that plan sees this one on its way there.
            if store::subscribes(tx, scope, plan, &before.customer, id).await? {
                return Err(already_subscribed());
            }
        }
        if let Some(plan) = before.next_plan {
            plans::release_slot(tx, scope, plan).await?;
        }
    }
    let after = Subscription { next_plan, ..before.clone() };
    save(tx, scope, &before, after, &[Name::SubscriptionUpdated], None).await
}

/// Moves the end of an active trial; the payment after it must not be in progress.
pub async fn extend_trial(
    tx: &Tx,
    scope: Scope,
    id: SubscriptionId,
    ends_at: Timestamp,
) -> Result<Subscription> {
    let before = find(tx, scope, id).await?;
    if !is_trial_extendable(&before, scope.now(tx)) {
        let message = "Only an active trial can be extended.".to_owned();
        return Err(Error::State { current: before.status.to_string(), message });
    }
    if before.trial_ends_at.is_some_and(|ends| ends_at <= ends) {
        return Err(Error::field("trialEndsAt", "OUT_OF_RANGE", "must be after the trial's end"));
    }
    let longest = Duration::from_hours(24 * u64::from(TRIAL_DAYS_MAX));
    if ends_at > scope.now(tx).plus(longest) {
        let message = format!("must be at most {TRIAL_DAYS_MAX} days from now");
        return Err(Error::field("trialEndsAt", "OUT_OF_RANGE", message));
    }
    let period = before.period.map(|period| Period { end: ends_at, ..period });
    let (trial_ends_at, trial_end_announced) = (Some(ends_at), false);
    let after = Subscription { trial_ends_at, trial_end_announced, period, ..before.clone() };
    save(tx, scope, &before, after.anchored(ends_at), &[Name::SubscriptionUpdated], None).await
}

/// Whether the trial is active, and the payment after it not in progress.
pub fn is_trial_extendable(subscription: &Subscription, now: Timestamp) -> bool {
    let goes_on = subscription.status == Status::Trialing && subscription.is_in_trial(now);
    goes_on && subscription.charge.is_none()
}

/// Runs the due action if it takes no payment; does nothing if it is no longer due.
pub async fn advance(tx: &Tx, scope: Scope, id: SubscriptionId) -> Result<()> {
    let (before, now) = (find(tx, scope, id).await?, scope.now(tx));
    let Some(due) = schedule::next(&before).filter(|due| due.at <= now) else { return Ok(()) };
    run_action(tx, scope, before, due).await.map(drop)
}

/// Runs the action at the end of the paid period, before a pause ends with a payment.
pub async fn end_period(tx: &Tx, scope: Scope, id: SubscriptionId) -> Result<Subscription> {
    let before = find(tx, scope, id).await?;
    if before.status != Status::Paused || !resuming_costs(&before, scope.now(tx)) {
        return Err(tx.collision("the subscription changed concurrently").into());
    }
    let due = schedule::at_period_end(&before);
    run_action(tx, scope, before, due).await
}

/// Runs an action of the schedule; does nothing if it takes a payment.
async fn run_action(
    tx: &Tx,
    scope: Scope,
    before: Subscription,
    due: NextAction,
) -> Result<Subscription> {
    let now = scope.now(tx);
    let (after, emitted) = match due.what {
        DueAction::Charge => return Ok(before),
        DueAction::AnnounceTrialEnd => {
            let after = Subscription { trial_end_announced: true, ..before.clone() };
            (after, Name::SubscriptionTrialWillEnd)
        }
        DueAction::Cancel => {
            let reason = before.cancel_reason.clone().unwrap_or_else(|| REQUESTED.to_owned());
            let comment = before.cancel_comment.clone();
            (ended(before.clone(), &reason, comment, now), Name::SubscriptionCancelled)
        }
        DueAction::GiveUp => {
            (ended(before.clone(), RETRIES_EXCEEDED, None, now), Name::SubscriptionCancelled)
        }
        DueAction::Resume if resuming_costs(&before, due.at) => return Ok(before),
        DueAction::Resume => (before.resumed(due.at)?, Name::SubscriptionResumed),
        DueAction::ChangePlan => return enter_plan(tx, scope, before).await,
    };
    if after.status.has_ended() {
        periods::void(tx, scope, before.id).await?;
    }
    save(tx, scope, &before, after, &[emitted], None).await
}

/// Changes to another plan with the period that starts now; the billing days stay the same.
async fn enter_plan(tx: &Tx, scope: Scope, before: Subscription) -> Result<Subscription> {
    let Some(next) = before.next_plan else { return Ok(before) };
    if before.status == Status::Paused {
        // A PIX code of the previous plan that is paid late must not buy a period of this one.
        periods::void(tx, scope, before.id).await?;
    }
    let plan = plans::find(tx, scope, next).await?;
    let after = Subscription {
        plan: plan.id,
        plan_name: plan.name,
        price: plan.price,
        interval: plan.interval,
        retry_policy: plan.retry_policy,
        next_plan: None,
        anchor_at: before.next_billing_at,
        next_cycle: 0,
        ..before.clone()
    };
    plans::release_slot(tx, scope, before.plan).await?;
    save(tx, scope, &before, after, &[Name::SubscriptionUpdated], None).await
}

/// The subscription after its end.
pub(super) fn ended(
    subscription: Subscription,
    reason: &str,
    comment: Option<String>,
    now: Timestamp,
) -> Subscription {
    let dunning = Dunning { next_retry_at: None, ..subscription.dunning };
    Subscription {
        status: Status::Cancelled,
        cancelled_at: Some(now),
        ended_at: Some(now),
        cancel_reason: Some(reason.to_owned()),
        cancel_comment: comment,
        cancel_at_period_end: false,
        paused_at: None,
        resumes_at: None,
        dunning,
        ..subscription
    }
}

impl Subscription {
    /// When a pause that is ended now has ended: its scheduled end may have passed already.
    pub fn pause_ends(&self, now: Timestamp) -> Timestamp {
        self.resumes_at.map_or(now, |at| at.min(now))
    }

    /// The subscription after its pause: within the paid period or, if that has ended, with a
    /// period that starts then.
    pub fn resumed(&self, at: Timestamp) -> Result<Self> {
        if self.status != Status::Paused {
            return Err(Error::conflict(self.status, Status::Active));
        }
        let status = if self.is_in_trial(at) { Status::Trialing } else { Status::Active };
        let resumed = Self { status, paused_at: None, resumes_at: None, ..self.clone() };
        Ok(if resuming_costs(self, at) { resumed.anchored(at) } else { resumed })
    }
}

/// Refuses a retry if nothing is owed, or the limit of manual retries is reached.
pub fn expect_retryable(subscription: &Subscription) -> Result<()> {
    if subscription.status != Status::PastDue {
        let message = format!(
            "There is no failed payment to retry while the subscription is \
            {}.",
            subscription.status
        );
        return Err(Error::State { current: subscription.status.to_string(), message });
    }
    if subscription.dunning.manual_retries >= MANUAL_RETRIES_MAX {
        let message = format!(
            "Manual retry limit ({MANUAL_RETRIES_MAX}) reached; update the \
            card."
        );
        return Err(Error::State { current: subscription.status.to_string(), message });
    }
    Ok(())
}
