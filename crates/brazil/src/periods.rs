//! The billing periods of something that recurs by months.
//!
//! Each boundary is computed from the anchor and never from the previous boundary, so that a short
//! month moves only one boundary: 31 January, 28 February, 31 March. The local time in São Paulo is
//! the same at each of them.

use jiff::Span;
use jiff::civil::{Date, DateTime, Time};

use crate::calendar::{sao_paulo_date_time, sao_paulo_instant};

const MONTHS_PER_YEAR: i64 = 12;

/// The anchor of the periods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Anchor {
    on: Date,
    at: Time,
    /// The day of the month, even if the first month is too short for it.
    day: i8,
}

impl Anchor {
    /// Starts at an instant and keeps its day of the month.
    pub fn at(unix_micros: i64) -> Self {
        let start = sao_paulo_date_time(unix_micros);
        Self { on: start.date(), at: start.time(), day: start.day() }
    }

    /// Starts at an instant and keeps another day of the month, for an anchor that was clamped.
    #[must_use]
    pub fn keeping(self, day: i8) -> Self {
        Self { day, ..self }
    }

    /// The day of the month.
    pub fn day(self) -> i8 {
        self.day
    }

    /// The date that many months after the anchor.
    pub fn date(self, months: u32) -> Date {
        let first = i64::from(self.on.year()) * MONTHS_PER_YEAR + i64::from(self.on.month()) - 1;
        let month = first + i64::from(months);
        let year = i16::try_from(month.div_euclid(MONTHS_PER_YEAR)).unwrap_or(i16::MAX);
        let number = i8::try_from(month.rem_euclid(MONTHS_PER_YEAR) + 1).unwrap_or(1);
        // After the last representable year nothing recurs.
        let Ok(first) = Date::new(year, number, 1) else { return Date::MAX };
        Date::new(year, number, self.day.min(first.days_in_month())).unwrap_or(first)
    }

    /// The instant that many months after the anchor, in microseconds since 1970.
    pub fn boundary(self, months: u32) -> i64 {
        sao_paulo_instant(DateTime::from_parts(self.date(months), self.at))
    }

    /// The start and the end of a period of that many months; the first one has the number 0.
    pub fn period(self, months: u32, number: u32) -> (i64, i64) {
        let boundary = |number: u32| self.boundary(months.saturating_mul(number));
        (boundary(number), boundary(number.saturating_add(1)))
    }
}

/// The instant that many calendar days later, at the same local time.
pub fn days_after(unix_micros: i64, days: u32) -> i64 {
    let start = sao_paulo_date_time(unix_micros);
    let span = Span::new().try_days(days);
    let end = span.and_then(|span| start.checked_add(span));
    sao_paulo_instant(end.unwrap_or(DateTime::MAX))
}

/// The instant that many calendar years later, at the same local time.
pub fn years_after(unix_micros: i64, years: u32) -> i64 {
    Anchor::at(unix_micros).boundary(years.saturating_mul(12))
}

/// The instant that many years earlier, in the same way.
pub fn years_before(unix_micros: i64, years: u32) -> i64 {
    let start = sao_paulo_date_time(unix_micros);
    let span = Span::new().try_years(years);
    let end = span.and_then(|span| start.checked_sub(span));
    sao_paulo_instant(end.unwrap_or(DateTime::MIN))
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use jiff::civil::{Date, date};
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::{Anchor, days_after, years_after, years_before};
    use crate::calendar::sao_paulo_date_time;
    use crate::testing::repeatable;

    fn micros(text: &str) -> i64 {
        text.parse::<Timestamp>().unwrap().as_microsecond()
    }

    fn dates(anchor: &str, months: u32, count: u32) -> Vec<Date> {
        let anchor = Anchor::at(micros(anchor));
        (0..count).map(|number| anchor.date(months * number)).collect()
    }

    #[test]
    fn years_are_counted_by_the_calendar_in_both_directions() {
        let table = [
            ("2026-11-21T12:00:00Z", 5, "2031-11-21T12:00:00Z"),
            ("2028-03-01T12:00:00Z", 1, "2029-03-01T12:00:00Z"),
            ("2026-01-01T02:30:00Z", 0, "2026-01-01T02:30:00Z"),
        ];
        for (early, years, late) in table {
            assert_eq!(years_after(micros(early), years), micros(late), "{early}");
            assert_eq!(years_before(micros(late), years), micros(early), "{late}");
        }
        let leap_day = micros("2028-02-29T12:00:00Z");
        assert_eq!(years_after(leap_day, 1), micros("2029-02-28T12:00:00Z"));
        assert_eq!(years_before(leap_day, 1), micros("2027-02-28T12:00:00Z"));
    }

    #[test]
    fn a_day_that_a_month_lacks_is_its_last_and_comes_back() {
        let monthly = [
            date(2027, 1, 31),
            date(2027, 2, 28),
            date(2027, 3, 31),
            date(2027, 4, 30),
            date(2027, 5, 31),
        ];
        assert_eq!(dates("2027-01-31T12:00:00Z", 1, 5), monthly);
        let annual = [
            date(2028, 2, 29),
            date(2029, 2, 28),
            date(2030, 2, 28),
            date(2031, 2, 28),
            date(2032, 2, 29),
        ];
        assert_eq!(dates("2028-02-29T12:00:00Z", 12, 5), annual);
        let quarterly = [date(2026, 11, 30), date(2027, 2, 28), date(2027, 5, 30)];
        assert_eq!(dates("2026-11-30T12:00:00Z", 3, 3), quarterly);
        let half_years = [date(2026, 8, 31), date(2027, 2, 28), date(2027, 8, 31)];
        assert_eq!(dates("2026-08-31T12:00:00Z", 6, 3), half_years);
    }

    #[test]
    fn the_day_is_that_of_sao_paulo() {
        // In London it is already the first of March.
        let anchor = Anchor::at(micros("2027-03-01T01:30:00Z"));
        assert_eq!(anchor.day(), 28);
        assert_eq!(anchor.boundary(1), micros("2027-03-29T01:30:00Z"));
    }

    #[test]
    fn a_clamped_start_keeps_the_day_it_was_clamped_from() {
        let anchor = Anchor::at(micros("2027-02-28T12:00:00Z")).keeping(31);
        assert_eq!(anchor.boundary(0), micros("2027-02-28T12:00:00Z"));
        assert_eq!(anchor.date(1), date(2027, 3, 31));
        assert_eq!(anchor.date(12), date(2028, 2, 29));
    }

    #[test]
    fn days_are_counted_by_the_calendar() {
        let start = micros("2026-11-21T12:00:00Z");
        assert_eq!(days_after(start, 0), start);
        assert_eq!(days_after(start, 14), micros("2026-12-05T12:00:00Z"));
        // In 2018, the day on which daylight saving time started had 23 hours.
        let before = micros("2018-11-03T15:00:00Z");
        assert_eq!(days_after(before, 1), micros("2018-11-04T14:00:00Z"));
    }

    #[test]
    fn the_calendar_ends_without_a_panic() {
        let last = Anchor::at(i64::MAX);
        assert!(last.boundary(u32::MAX) >= last.boundary(0));
        assert!(days_after(i64::MAX, u32::MAX) >= days_after(0, 1));
    }

    /// A hundred thousand subscribers for ten years; the month of each charge is computed by an
    /// independent counter: every month is charged exactly once.
    #[test]
    fn no_period_is_missed_and_none_is_there_twice() {
        for seed in 0..100_000_u32 {
            let start = micros("2026-01-01T03:00:00Z") + i64::from(seed) * 947_000_000;
            let anchor = Anchor::at(start);
            let months = [1, 3, 6, 12][usize::try_from(seed % 4).unwrap()];
            let first = anchor.date(0);
            let mut owed = i32::from(first.year()) * 12 + i32::from(first.month());
            let last = owed + 120;
            let mut number = 0;
            while owed < last {
                let day = anchor.date(months * number);
                let month = i32::from(day.year()) * 12 + i32::from(day.month());
                assert_eq!(month, owed, "{first} every {months} months: number {number}");
                assert_eq!(day.day(), anchor.day().min(day.days_in_month()), "{first}: {day}");
                owed += i32::try_from(months).unwrap();
                number += 1;
            }
            assert_eq!(number * months, 120);
        }
    }

    proptest! {
        #![proptest_config(repeatable())]

        #[test]
        fn periods_join_and_grow(
            start in 1_700_000_000_000_000_i64..3_000_000_000_000_000,
            which in 0_usize..4, number in 0_u32..200,
        ) {
            let (anchor, months) = (Anchor::at(start), [1, 3, 6, 12][which]);
            prop_assert_eq!(anchor.boundary(0), start);
            let (begins, ends) = anchor.period(months, number);
            prop_assert!(begins < ends);
            prop_assert_eq!(anchor.period(months, number + 1).0, ends);
            let (first, now) = (sao_paulo_date_time(start), sao_paulo_date_time(begins));
            prop_assert_eq!(first.time(), now.time());
            prop_assert!(now.day() == first.day() || now.day() == now.date().days_in_month());
        }

        #[test]
        fn a_new_anchor_on_a_boundary_goes_on_where_the_old_one_was(
            start in 1_700_000_000_000_000_i64..3_000_000_000_000_000,
            done in 0_u32..60, more in 0_u32..60,
        ) {
            let old = Anchor::at(start);
            let new = Anchor::at(old.boundary(done)).keeping(old.day());
            prop_assert_eq!(new.boundary(more), old.boundary(done + more));
        }
    }
}
