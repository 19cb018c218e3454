//! The retry schedule of a failed delivery: ten attempts within about 75 hours.
//!
//! Jitter keeps deliveries that failed together from being retried together.

use std::time::Duration;

use db::time::Timestamp;

/// How many attempts a series has.
pub const ATTEMPTS_MAX: i64 = 10;

/// The longest delay that a receiver may ask for.
const RETRY_AFTER_MAX: Duration = Duration::from_hours(24);

/// Seconds from the first attempt to the second, and so on.
const DELAYS_SECONDS: [u64; 9] = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

const SPREAD_PER_MILLE: u64 = 200;

/// When to retry after the failed `attempt`, counted from 1; `None` if it was the last.
///
/// A receiver that asks for a longer delay gets it; one that asks for a shorter delay does not, so
/// that attempts remain for the hours in which it may recover.
pub fn next(
    attempt: i64,
    failed_at: Timestamp,
    asked: Option<Duration>,
    random: [u8; 8],
) -> Option<Timestamp> {
    let index = usize::try_from(attempt - 1).ok()?;
    let delay = spread(Duration::from_secs(*DELAYS_SECONDS.get(index)?), random);
    let asked = asked.unwrap_or_default().min(RETRY_AFTER_MAX);
    Some(failed_at.plus(delay.max(asked)))
}

fn spread(delay: Duration, random: [u8; 8]) -> Duration {
    let offset = u64::from_le_bytes(random) % (2 * SPREAD_PER_MILLE + 1);
    let per_mille = 1_000 - SPREAD_PER_MILLE + offset;
    Duration::from_millis(u64::try_from(delay.as_millis()).unwrap_or(0) * per_mille / 1_000)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use db::time::Timestamp;

    use super::{ATTEMPTS_MAX, next};

    const FAILED_AT: Timestamp = Timestamp::from_micros(1_795_276_800_000_000);
    const LEAST: u64 = 0;
    const MIDDLE: u64 = 200;
    const MOST: u64 = 400;

    fn wait(attempt: i64, asked: Option<u64>, random: u64) -> Option<u64> {
        let asked = asked.map(Duration::from_secs);
        let at = next(attempt, FAILED_AT, asked, random.to_le_bytes())?;
        Some(at.since(FAILED_AT).as_secs())
    }

    #[test]
    fn ten_attempts_follow_the_published_schedule() {
        let table = [
            (1, Some(5)),
            (2, Some(300)),
            (3, Some(1_800)),
            (4, Some(7_200)),
            (5, Some(18_000)),
            (6, Some(36_000)),
            (7, Some(50_400)),
            (8, Some(72_000)),
            (9, Some(86_400)),
            (ATTEMPTS_MAX, None),
            (11, None),
        ];
        for (attempt, seconds) in table {
            assert_eq!(wait(attempt, None, MIDDLE), seconds, "attempt {attempt}");
        }
    }

    #[test]
    fn a_delay_is_spread_by_a_fifth_either_way() {
        assert_eq!(wait(2, None, LEAST), Some(240));
        assert_eq!(wait(2, None, MOST), Some(360));
        for random in [0, 1, 77, 12_345, u64::MAX] {
            let seconds = wait(2, None, random).unwrap();
            assert!((240..=360).contains(&seconds), "{random}: {seconds}");
        }
    }

    #[test]
    fn a_receiver_may_ask_for_more_time_up_to_a_day() {
        let table = [
            (1, Some(120), Some(120)),
            (2, Some(120), Some(300)),
            (1, Some(0), Some(5)),
            (1, Some(90_000), Some(86_400)),
            (1, Some(u64::MAX), Some(86_400)),
            (ATTEMPTS_MAX, Some(120), None),
        ];
        for (attempt, asked, seconds) in table {
            assert_eq!(wait(attempt, asked, MIDDLE), seconds, "attempt {attempt}, {asked:?}");
        }
    }
}
