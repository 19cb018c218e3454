//! When a failed payment is retried.
//!
//! All times are counted from the first failure, so a late retry does not delay the others. A card
//! that will be declined again is not retried: another one is awaited for as long as the retries
//! would have lasted.

use brazil::periods::days_after;
use db::time::Timestamp;

use crate::subscriptions::plans::RetryPolicy;

/// The default without a retry policy on the plan: days after the first failure.
const DAYS: [u32; 4] = [2, 7, 14, 21];

/// The time of a retry, numbered from 0; `None` if there are no more.
pub fn retry_at(
    policy: Option<RetryPolicy>,
    first_failure: Timestamp,
    number: i64,
) -> Option<Timestamp> {
    let number = usize::try_from(number).ok()?;
    let days = match policy {
        None => *DAYS.get(number)?,
        Some(policy) if number < usize::from(policy.max_retry) => {
            u32::from(policy.retry_every) * u32::try_from(number + 1).ok()?
        }
        Some(_) => return None,
    };
    Some(later(first_failure, days))
}

/// How many scheduled retries there are after the first failure.
pub fn retries_max(policy: Option<RetryPolicy>) -> i64 {
    match policy {
        None => i64::try_from(DAYS.len()).unwrap_or(i64::MAX),
        Some(policy) => i64::from(policy.max_retry),
    }
}

/// Until when another card is awaited: the time of the last retry.
pub fn gives_up_at(policy: Option<RetryPolicy>, first_failure: Timestamp) -> Timestamp {
    let days = match policy {
        None => DAYS[DAYS.len() - 1],
        Some(policy) => u32::from(policy.retry_every) * u32::from(policy.max_retry),
    };
    later(first_failure, days)
}

fn later(from: Timestamp, days: u32) -> Timestamp {
    Timestamp::from_micros(days_after(from.micros(), days))
}

#[cfg(test)]
mod tests {
    use db::time::Timestamp;

    use super::{gives_up_at, retry_at};
    use crate::subscriptions::plans::RetryPolicy;

    const DAY: i64 = 24 * 3_600 * 1_000_000;

    fn days(policy: Option<RetryPolicy>) -> Vec<i64> {
        let failed = Timestamp::from_micros(1_800_000_000_000_000);
        let instants = (0..).map_while(|number| retry_at(policy, failed, number));
        let after = |at: Timestamp| (at.micros() - failed.micros()) / DAY;
        let mut days: Vec<_> = instants.map(after).collect();
        days.push(after(gives_up_at(policy, failed)));
        days
    }

    #[test]
    fn retries_are_where_the_table_has_them_and_the_last_is_where_it_ends() {
        assert_eq!(days(None), [2, 7, 14, 21, 21]);
        assert_eq!(days(Some(RetryPolicy { max_retry: 3, retry_every: 5 })), [5, 10, 15, 15]);
        assert_eq!(days(Some(RetryPolicy { max_retry: 1, retry_every: 30 })), [30, 30]);
    }
}
