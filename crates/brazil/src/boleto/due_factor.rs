//! The due date factor of a boleto (fator de vencimento), four digits.
//!
//! It counts days from 7 October 1997, reached 9999 on 21 February 2025 and restarted at 1000 the
//! next day. The same factor therefore repeats every 9000 days, and only the current date decides
//! which date is meant.

use jiff::ToSpan;
use jiff::civil::{Date, date};

/// Day zero of the factor.
const BASE: Date = date(1997, 10, 7);
/// The first factor ever used, and the first of each new cycle.
const FIRST: i64 = 1000;
const LAST: i64 = 9999;
const CYCLE: i64 = LAST - FIRST + 1;

/// Banks accept boletos that were due up to this many days ago.
const OLDEST_DAYS: i64 = 3000;

/// Returns the factor of a due date; no factor is defined before 3 July 2000.
pub(super) fn of(due: Date) -> Option<i64> {
    let days = i64::from((due - BASE).get_days());
    (days >= FIRST).then(|| (days - FIRST) % CYCLE + FIRST)
}

/// Whether a boleto may have the factor; 0 means no due date.
pub(super) fn is_valid(factor: i64) -> bool {
    factor == 0 || (FIRST..=LAST).contains(&factor)
}

/// Returns the due date of a factor as of today.
pub(super) fn due_date(factor: i64, today: Date) -> Option<Date> {
    if factor == 0 {
        return None;
    }
    let oldest = i64::from((today - BASE).get_days()) - OLDEST_DAYS;
    let cycles = ((oldest - factor).max(0) + CYCLE - 1) / CYCLE;
    Some(BASE.saturating_add((factor + cycles * CYCLE).days()))
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan;
    use jiff::civil::{Date, date};
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::{due_date, is_valid, of};
    use crate::testing::repeatable;

    #[test]
    fn factors_start_over_when_they_reach_9999() {
        let rows = [
            (date(2000, 7, 2), None),
            (date(2000, 7, 3), Some(1000)),
            (date(2002, 5, 1), Some(1667)),
            (date(2025, 2, 21), Some(9999)),
            (date(2025, 2, 22), Some(1000)),
            (date(2026, 11, 21), Some(1637)),
            (date(2026, 12, 10), Some(1656)),
            (date(2026, 12, 21), Some(1667)),
            (date(2027, 1, 15), Some(1692)),
            (date(2049, 10, 13), Some(9999)),
            (date(2049, 10, 14), Some(1000)),
        ];
        for (due, factor) in rows {
            assert_eq!(of(due), factor, "{due}");
        }
    }

    #[test]
    fn the_same_factor_means_another_day_a_cycle_later() {
        let rows = [
            (1667, date(2002, 4, 1), Some(date(2002, 5, 1))),
            (1667, date(2010, 7, 18), Some(date(2002, 5, 1))),
            (1667, date(2010, 7, 19), Some(date(2026, 12, 21))),
            (1667, date(2026, 11, 21), Some(date(2026, 12, 21))),
            (9999, date(2026, 11, 21), Some(date(2025, 2, 21))),
            (1000, date(2025, 2, 21), Some(date(2025, 2, 22))),
            (1000, date(1997, 1, 1), Some(date(2000, 7, 3))),
            (0, date(2026, 11, 21), None),
        ];
        for (factor, today, due) in rows {
            assert_eq!(due_date(factor, today), due, "{factor} read on {today}");
        }
    }

    #[test]
    fn a_factor_is_zero_or_has_no_leading_zero() {
        let rows = [(0, true), (1, false), (999, false), (1000, true), (9999, true)];
        for (factor, valid) in rows {
            assert_eq!(is_valid(factor), valid, "{factor}");
        }
    }

    proptest! {
        #![proptest_config(repeatable())]

        #[test]
        fn a_due_date_is_read_back_from_3000_days_after_to_5500_before(
            days in 0_i32..40_000, distance in -3000_i32..=5500,
        ) {
            let due: Date = date(2000, 7, 3) + days.days();
            let factor = of(due).unwrap();
            let today = due - distance.days();
            prop_assert!(is_valid(factor) && factor != 0);
            prop_assert_eq!(due_date(factor, today), Some(due));
        }
    }
}
