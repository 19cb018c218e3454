//! What happens to a subscription next by itself, and when; derived from its row alone.
//!
//! One job for each subscription waits for that time and reads the row again. So a job that runs
//! twice, late, or after the subscription was changed finds nothing to do, and what was missed
//! while the server was down is caught up one by one.

use std::time::Duration;

use db::time::Timestamp;

use crate::subscriptions::Subscription;
use crate::subscriptions::dunning;
use crate::subscriptions::status::Status;

/// How long before the trial's end its event is emitted.
const TRIAL_END_NOTICE: Duration = Duration::from_hours(3 * 24);

/// A scheduled action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NextAction {
    pub at: Timestamp,
    pub what: DueAction,
}

/// The kind of a scheduled action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DueAction {
    AnnounceTrialEnd,
    /// A cancellation at the end of the period.
    Cancel,
    /// The failed payment is not retried any more.
    GiveUp,
    Resume,
    ChangePlan,
    /// A payment is due: the first, the next, or a retry.
    Charge,
}

/// The next scheduled action; `None` while a payment's outcome is awaited, or when the subscription
/// has ended.
///
/// An `INCOMPLETE` subscription awaits its first payment, and ends with it if that fails.
pub fn next(subscription: &Subscription) -> Option<NextAction> {
    let awaits = subscription.charge.is_some();
    match subscription.status {
        Status::Trialing if !awaits => {
            let end = at_period_end(subscription);
            trial_end_announced(subscription).filter(|emitted| emitted.at <= end.at).or(Some(end))
        }
        Status::Active if !awaits => Some(at_period_end(subscription)),
        Status::PastDue if !awaits => past_due(subscription),
        Status::Paused => paused(subscription),
        _ => None,
    }
}

/// The action at the end of the paid period.
pub fn at_period_end(subscription: &Subscription) -> NextAction {
    let what = match (subscription.cancel_at_period_end, subscription.next_plan) {
        (true, _) => DueAction::Cancel,
        (false, Some(_)) => DueAction::ChangePlan,
        (false, None) => DueAction::Charge,
    };
    NextAction { at: subscription.next_billing_at, what }
}

fn trial_end_announced(subscription: &Subscription) -> Option<NextAction> {
    let silent = subscription.trial_end_announced || subscription.cancel_at_period_end;
    let at = subscription.trial_ends_at.filter(|_| !silent)?.minus(TRIAL_END_NOTICE);
    Some(NextAction { at: at.max(subscription.created_at), what: DueAction::AnnounceTrialEnd })
}

fn past_due(subscription: &Subscription) -> Option<NextAction> {
    let dunning = &subscription.dunning;
    let retry = dunning.next_retry_at.filter(|_| !dunning.awaits_card);
    if let Some(at) = retry {
        return Some(NextAction { at, what: DueAction::Charge });
    }
    let at = dunning::gives_up_at(subscription.retry_policy, dunning.past_due_at?);
    Some(NextAction { at, what: DueAction::GiveUp })
}

/// A pause prevents the charge at the period's end, and nothing else.
fn paused(subscription: &Subscription) -> Option<NextAction> {
    let resumes = subscription.resumes_at.map(|at| NextAction { at, what: DueAction::Resume });
    let ends = Some(at_period_end(subscription));
    let ends = ends.filter(|due| due.what != DueAction::Charge && subscription.charge.is_none());
    [ends, resumes].into_iter().flatten().min_by_key(|due| due.at)
}
