//! Disables a failing endpoint by time, not by a count of failures.
//!
//! A count would be reached within minutes by one bad deployment of a busy receiver, and never by a
//! dead endpoint with few events.

use std::time::Duration;

use db::text_enum;
use db::time::Timestamp;

/// Failing for this long without any success disables a subscription.
///
/// The first and the last failure are then far more than half a day apart, so no single outage
/// disables a subscription. A single event's retries end sooner and never get here.
const FAILING_MAX: Duration = Duration::from_hours(5 * 24);

/// Failing for this long without any success is reported to the owner: longer than a deployment.
const FAILING_MIN: Duration = Duration::from_hours(1);

/// An endpoint's failures since its last success.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FailureStreak {
    /// The first failure.
    pub since: Timestamp,
    /// How many there were.
    pub failures: i64,
}

/// When and why a subscription was disabled by the server.
#[derive(Debug, Clone, Copy)]
pub struct Disabled {
    pub at: Timestamp,
    pub reason: DisabledReason,
}

text_enum! {
    /// Why a webhook was disabled.
    pub enum DisabledReason as "WebhookDisabledReason" {
        /// The URL responded with 410 Gone.
        Gone = "gone",
        /// All deliveries failed for five days.
        Failing = "failing",
    }
}

impl FailureStreak {
    /// Whether a failure at `now` is more than a moment's: the owner gets a mail.
    pub fn is_sustained(self, now: Timestamp) -> bool {
        self.failures >= 2 && now.since(self.since) >= FAILING_MIN
    }

    /// Whether a failure at `now` disables the subscription.
    pub fn is_hopeless(self, now: Timestamp) -> bool {
        self.failures >= 2 && now.since(self.since) >= FAILING_MAX
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use db::time::Timestamp;

    use super::FailureStreak;

    #[test]
    fn an_address_that_has_failed_for_an_hour_does_more_than_stumble() {
        let since = Timestamp::from_micros(1_795_276_800_000_000);
        let minutes = |count| since.plus(Duration::from_mins(count));
        let streak = |failures| FailureStreak { since, failures };
        assert!(!streak(1).is_sustained(minutes(60)) && !streak(90).is_sustained(minutes(59)));
        assert!(streak(2).is_sustained(minutes(60)));
    }

    #[test]
    fn an_address_is_given_up_after_five_days_of_failures_and_not_by_their_number() {
        let since = Timestamp::from_micros(1_795_276_800_000_000);
        let hours = Duration::from_hours;
        let table = [
            (1, hours(0), false),
            (10_000, hours(1), false),
            (10, hours(76), false),
            (500, hours(119), false),
            (2, hours(120), true),
            (1, hours(120), false),
            (11, hours(1_000), true),
        ];
        for (failures, after, hopeless) in table {
            let streak = FailureStreak { since, failures };
            assert_eq!(streak.is_hopeless(since.plus(after)), hopeless, "{failures} in {after:?}");
        }
    }
}
