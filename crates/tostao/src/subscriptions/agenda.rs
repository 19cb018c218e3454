//! What happens to a subscription next by itself, and when: told by its own row alone.
//!
//! One job for each subscription waits for that instant and looks again. So a job that runs twice,
//! late, or after somebody changed the subscription finds nothing to do, and what was missed while
//! the server was down is caught up on one by one.

use std::time::Duration;

use db::time::Timestamp;

use crate::subscriptions::Subscription;
use crate::subscriptions::dunning;
use crate::subscriptions::status::Status;

/// How long before its end a trial's end is told.
const TRIAL_END_TOLD: Duration = Duration::from_hours(3 * 24);

/// Something that is to happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Due {
    pub at: Timestamp,
    pub what: What,
}

/// What is to happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    TellTrialEnd,
    /// It was to be cancelled when its period ends.
    Cancel,
    /// The payment that failed is tried no more.
    GiveUp,
    Resume,
    ChangePlan,
    /// A payment is to be made, the first, the next, or a retry.
    Charge,
}

/// The next thing on the agenda; none while a payment's outcome is awaited, or when it has ended.
///
/// What is `INCOMPLETE` awaits its first payment, and ends with it where that does not come.
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

/// What comes with the end of what was paid for.
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

/// A pause keeps the period's end from being charged for, and from nothing else.
fn paused(subscription: &Subscription) -> Option<Due> {
    let resumes = subscription.resumes_at.map(|at| Due { at, what: What::Resume });
    let ends = Some(at_period_end(subscription));
    let ends = ends.filter(|due| due.what != What::Charge && subscription.charge.is_none());
    [ends, resumes].into_iter().flatten().min_by_key(|due| due.at)
}
