//! What past deliveries have in common.

use std::collections::BTreeMap;

use brazil::calendar::sao_paulo_date_time;

use crate::webhooks::deliveries::PastDelivery;
use crate::webhooks::diagnosis::finding::Finding;

/// Fewer failures than this may be chance.
const FAILURES_MIN: usize = 3;
/// The widest part of a day that counts as certain hours.
const HOURS_MAX: i8 = 3;

/// Judges past deliveries, the newest first.
pub fn judge(past: &[PastDelivery]) -> Finding {
    let failed: Vec<_> = past.iter().filter(|one| !one.is_delivered).collect();
    if past.is_empty() {
        return Finding::NeverDelivered;
    }
    if failed.is_empty() {
        return Finding::AllDelivered { count: past.len() };
    }
    if failed.len() == past.len() {
        return Finding::AllFailed { count: past.len(), error: most_frequent(&failed) };
    }
    let failing = past.iter().take_while(|one| !one.is_delivered).count();
    if failing >= FAILURES_MIN && failing == failed.len() && failing < past.len() {
        let since = past[failing - 1].at;
        return Finding::FailsSince { since, error: most_frequent(&failed) };
    }
    let hour = |one: &PastDelivery| sao_paulo_date_time(one.at.micros()).hour();
    let hours = failed.iter().map(|one| hour(one));
    let (first, last) =
        hours.fold((i8::MAX, i8::MIN), |(first, last), hour| (first.min(hour), last.max(hour)));
    let is_within = |one: &&PastDelivery| (first..=last).contains(&hour(one));
    let good_outside = past.iter().filter(|one| one.is_delivered && !is_within(one)).count();
    if failed.len() >= FAILURES_MIN && last - first < HOURS_MAX && good_outside >= FAILURES_MIN {
        return Finding::FailsAtHours { from: first, to: last + 1 };
    }
    Finding::FailsSometimes { failed: failed.len(), of: past.len(), error: most_frequent(&failed) }
}

fn most_frequent(failed: &[&PastDelivery]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for one in failed {
        *counts.entry(one.error.as_deref().unwrap_or("unknown")).or_default() += 1;
    }
    let most = counts.into_iter().max_by_key(|(_, count)| *count);
    most.map(|(error, _)| error.to_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use db::time::Timestamp;

    use super::judge;
    use crate::webhooks::deliveries::PastDelivery;
    use crate::webhooks::diagnosis::finding::Finding;

    /// A delivery at an hour of a day of November 2026 in São Paulo.
    fn delivery(day: i64, hour: i64, error: Option<&str>) -> PastDelivery {
        let midnight = 1_793_502_000 + (day - 1) * 86_400;
        PastDelivery {
            at: Timestamp::from_micros((midnight + hour * 3_600) * 1_000_000),
            is_delivered: error.is_none(),
            error: error.map(str::to_owned),
        }
    }

    #[test]
    fn the_past_says_since_when_or_at_what_hours_deliveries_fail() {
        let good = |day| delivery(day, 12, None);
        let bad = |day, hour| delivery(day, hour, Some("tls"));
        let since = bad(5, 9).at;
        let error = || "tls".to_owned();
        let table = [
            (vec![], Finding::NeverDelivered),
            (vec![bad(2, 9), bad(1, 9)], Finding::AllFailed { count: 2, error: error() }),
            (vec![good(2), good(1)], Finding::AllDelivered { count: 2 }),
            (
                vec![bad(7, 1), bad(6, 20), bad(5, 9), good(4), good(3)],
                Finding::FailsSince { since, error: error() },
            ),
            (
                vec![good(4), bad(4, 3), good(3), bad(3, 2), good(2), bad(2, 3), good(1)],
                Finding::FailsAtHours { from: 2, to: 4 },
            ),
            (
                vec![good(4), bad(4, 3), bad(3, 20), bad(2, 12), good(1)],
                Finding::FailsSometimes { failed: 3, of: 5, error: error() },
            ),
            (
                vec![good(4), bad(4, 3)],
                Finding::FailsSometimes { failed: 1, of: 2, error: error() },
            ),
        ];
        for (past, expected) in table {
            assert_eq!(judge(&past), expected, "{past:?}");
        }
    }
}
