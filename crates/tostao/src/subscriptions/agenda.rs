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
const TRIAL_END_TOLD: Duration = Duration::from_hours(3 * 24);

/// A scheduled action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Due {
    pub at: Timestamp,
    pub what: What,
}

/// The kind of a scheduled action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    TellTrialEnd,
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
pub fn next(subscription: &Subscription) -> Option<Due> {
    let awaits = subscription.charge.is_some();
    match subscription.status {
        Status::Trialing if !awaits => {
            let end = at_period_end(subscription);
            trial_end_told(subscription).filter(|told| told.at <= end.at).or(Some(end))
        }
        Status::Active if !awaits => Some(at_period_end(subscription)),
        Status::PastDue if !awaits => past_due(subscription),
        Status::Paused => paused(subscription),
        _ => None,
    }
}

/// The action at the end of the paid period.
pub fn at_period_end(subscription: &Subscription) -> Due {
    let what = match (subscription.cancel_at_period_end, subscription.next_plan) {
        (true, _) => What::Cancel,
        (false, Some(_)) => What::ChangePlan,
        (false, None) => What::Charge,
    };
    Due { at: subscription.next_billing_at, what }
}

fn trial_end_told(subscription: &Subscription) -> Option<Due> {
    let silent = subscription.trial_end_told || subscription.cancel_at_period_end;
    let at = subscription.trial_ends_at.filter(|_| !silent)?.minus(TRIAL_END_TOLD);
    Some(Due { at: at.max(subscription.created_at), what: What::TellTrialEnd })
}

fn past_due(subscription: &Subscription) -> Option<Due> {
    let dunning = &subscription.dunning;
    let retry = dunning.next_retry_at.filter(|_| !dunning.awaits_card);
    if let Some(at) = retry {
        return Some(Due { at, what: What::Charge });
    }
    let at = dunning::gives_up_at(subscription.retry_policy, dunning.past_due_at?);
    Some(Due { at, what: What::GiveUp })
}

/// A pause prevents the charge at the period's end, and nothing else.
fn paused(subscription: &Subscription) -> Option<Due> {
    let resumes = subscription.resumes_at.map(|at| Due { at, what: What::Resume });
    let ends = Some(at_period_end(subscription));
    let ends = ends.filter(|due| due.what != What::Charge && subscription.charge.is_none());
    [ends, resumes].into_iter().flatten().min_by_key(|due| due.at)
}
