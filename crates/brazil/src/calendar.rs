//! Brazilian bank business days, and local time in São Paulo.
//!
//! Banks follow the national holidays, and also close on both days of Carnival, on Corpus Christi
//! and on 31 December, when a due date moves to January.

use std::sync::LazyLock;

use jiff::civil::{Date, DateTime, Weekday, date};
use jiff::tz::{TimeZone, TimeZoneDatabase};
use jiff::{Timestamp, ToSpan};

/// Month and day of the fixed holidays.
const FIXED_HOLIDAYS: [(i8, i8); 10] = [
    (1, 1),
    (4, 21),
    (5, 1),
    (9, 7),
    (10, 12),
    (11, 2),
    (11, 15),
    (12, 25),
    // Not a holiday, but there is no settlement on it.
    (12, 31),
    BLACK_AWARENESS_DAY,
];

const BLACK_AWARENESS_DAY: (i8, i8) = (11, 20);
/// Before this year, only some states and cities observed the holiday.
const BLACK_AWARENESS_DAY_NATIONAL_SINCE: i16 = 2024;

/// Carnival Monday and Tuesday, Good Friday and Corpus Christi, in days after Easter Sunday.
const DAYS_FROM_EASTER: [i32; 4] = [-48, -47, -2, 60];

/// The time zone data is compiled in, so that the machine's cannot change a due date.
static SAO_PAULO: LazyLock<TimeZone> = LazyLock::new(|| {
    TimeZoneDatabase::bundled()
        .get("America/Sao_Paulo")
        .expect("the zone data compiled in knows São Paulo")
});

/// Whether a day is a business day.
pub fn is_business_day(day: Date) -> bool {
    !matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday) && !is_bank_holiday(day)
}

/// Returns the day itself if it is a business day, otherwise the next business day.
pub fn business_day_on_or_after(day: Date) -> Date {
    let mut day = day;
    while !is_business_day(day) && day < Date::MAX {
        day = day.saturating_add(1.day());
    }
    day
}

/// Returns the next business day after a day.
pub fn next_business_day(day: Date) -> Date {
    business_day_on_or_after(day.saturating_add(1.day()))
}

/// Adds business days, counted from the first business day on or after a day.
///
/// A payment on a Saturday counts as Monday's, so one business day later is Tuesday.
pub fn add_business_days(day: Date, count: u32) -> Date {
    (0..count).fold(business_day_on_or_after(day), |day, _| next_business_day(day))
}

/// Returns the date in São Paulo at an instant.
pub fn sao_paulo_date(unix_micros: i64) -> Date {
    sao_paulo_date_time(unix_micros).date()
}

/// Returns the local date and time in São Paulo at an instant.
pub fn sao_paulo_date_time(unix_micros: i64) -> DateTime {
    SAO_PAULO.to_datetime(instant(unix_micros))
}

/// Returns the instant of a local time in São Paulo, in microseconds since 1970.
///
/// A local time skipped by daylight saving time maps to the one after the gap.
pub fn sao_paulo_instant(wall: DateTime) -> i64 {
    wall.to_zoned(SAO_PAULO.clone())
        .map_or(Timestamp::MAX, |instant| instant.timestamp())
        .as_microsecond()
}

/// Returns the instant at which a day begins in São Paulo, in microseconds since 1970.
pub fn sao_paulo_start_of_day(day: Date) -> i64 {
    // Saturates at the ends of the calendar, thousands of years away from any payment.
    day.to_zoned(SAO_PAULO.clone())
        .map_or(Timestamp::MAX, |start| start.timestamp())
        .as_microsecond()
}

/// Returns the date and time in UTC at an instant.
pub(crate) fn utc_date_time(unix_micros: i64) -> DateTime {
    TimeZone::UTC.to_datetime(instant(unix_micros))
}

/// An instant after the last representable year is clamped to its end.
fn instant(unix_micros: i64) -> Timestamp {
    let farthest = if unix_micros < 0 { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::from_microsecond(unix_micros).unwrap_or(farthest)
}

fn is_bank_holiday(day: Date) -> bool {
    let month_and_day = (day.month(), day.day());
    if month_and_day == BLACK_AWARENESS_DAY && day.year() < BLACK_AWARENESS_DAY_NATIONAL_SINCE {
        return false;
    }
    FIXED_HOLIDAYS.contains(&month_and_day)
        || DAYS_FROM_EASTER.contains(&(day - easter(day.year())).get_days())
}

/// Returns Easter Sunday by Oudin's method for the Gregorian calendar.
fn easter(year: i16) -> Date {
    let long_year = i32::from(year);
    let golden = long_year.rem_euclid(19);
    let century = long_year.div_euclid(100);
    let leap_centuries = century.div_euclid(4);
    let epact = (century - leap_centuries - (8 * century + 13).div_euclid(25) + 19 * golden + 15)
        .rem_euclid(30);
    let full_moon = epact - (epact / 28) * (1 - (29 / (epact + 1)) * ((21 - golden) / 11));
    let weekday = (long_year + long_year.div_euclid(4) + full_moon + 2 - century + leap_centuries)
        .rem_euclid(7);
    date(year, 3, 28).saturating_add((full_moon - weekday).days())
}

#[cfg(test)]
mod tests {
    use jiff::civil::{Date, date};
    use jiff::{Timestamp, ToSpan};
    use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};

    use super::{
        add_business_days, business_day_on_or_after, easter, is_business_day, next_business_day,
        sao_paulo_date, sao_paulo_date_time, sao_paulo_start_of_day,
    };
    use crate::testing::repeatable;

    fn micros(text: &str) -> i64 {
        text.parse::<Timestamp>().unwrap().as_microsecond()
    }

    fn day_after_2000(days: i32) -> Date {
        date(2000, 1, 1) + days.days()
    }

    #[test]
    fn easter_falls_where_the_church_says() {
        let rows = [
            date(1997, 3, 30),
            date(2000, 4, 23),
            date(2008, 3, 23),
            date(2011, 4, 24),
            date(2024, 3, 31),
            date(2025, 4, 20),
            date(2026, 4, 5),
            date(2027, 3, 28),
            date(2038, 4, 25),
            date(2049, 4, 18),
            date(2076, 4, 19),
        ];
        for day in rows {
            assert_eq!(easter(day.year()), day);
        }
    }

    #[test]
    fn the_days_off_of_2026_are_these() {
        let all_year = (0..365).map(|day| date(2026, 1, 1) + day.days());
        let is_weekday = |day: &Date| !matches!(day.weekday().to_monday_one_offset(), 6 | 7);
        let days_off: Vec<Date> =
            all_year.filter(is_weekday).filter(|day| !is_business_day(*day)).collect();
        let expected = [
            date(2026, 1, 1),
            date(2026, 2, 16),
            date(2026, 2, 17),
            date(2026, 4, 3),
            date(2026, 4, 21),
            date(2026, 5, 1),
            date(2026, 6, 4),
            date(2026, 9, 7),
            date(2026, 10, 12),
            date(2026, 11, 2),
            date(2026, 11, 20),
            date(2026, 12, 25),
            date(2026, 12, 31),
        ];
        assert_eq!(days_off, expected);
    }

    #[test]
    fn each_kind_of_day_is_distinguished() {
        let rows = [
            ("an ordinary Monday", date(2026, 11, 23), true),
            ("a Saturday", date(2026, 11, 21), false),
            ("a Sunday", date(2026, 11, 22), false),
            ("20 November before it was national", date(2023, 11, 20), true),
            ("20 November since", date(2025, 11, 20), false),
            ("Ash Wednesday", date(2026, 2, 18), true),
            ("Maundy Thursday", date(2026, 4, 2), true),
            ("Christmas Eve", date(2026, 12, 24), true),
            ("the last day of the year", date(2025, 12, 31), false),
            ("a state holiday", date(2026, 7, 9), true),
        ];
        for (name, day, expected) in rows {
            assert_eq!(is_business_day(day), expected, "{name}");
        }
    }

    #[test]
    fn a_due_date_rolls_to_a_day_on_which_banks_settle() {
        let rows = [
            (date(2026, 11, 20), date(2026, 11, 23), date(2026, 11, 23)),
            (date(2020, 12, 25), date(2020, 12, 28), date(2020, 12, 28)),
            (date(2020, 10, 24), date(2020, 10, 26), date(2020, 10, 26)),
            (date(2027, 2, 21), date(2027, 2, 22), date(2027, 2, 22)),
            (date(2026, 11, 23), date(2026, 11, 23), date(2026, 11, 24)),
            (date(2026, 12, 30), date(2026, 12, 30), date(2027, 1, 4)),
            (date(2026, 12, 31), date(2027, 1, 4), date(2027, 1, 4)),
            (date(2027, 2, 5), date(2027, 2, 5), date(2027, 2, 10)),
        ];
        for (day, on_or_after, next) in rows {
            assert_eq!(business_day_on_or_after(day), on_or_after, "on or after {day}");
            assert_eq!(next_business_day(day), next, "after {day}");
        }
    }

    #[test]
    fn business_days_are_counted_from_the_first_one() {
        let rows = [
            (date(2026, 11, 19), 0, date(2026, 11, 19)),
            (date(2026, 11, 19), 1, date(2026, 11, 23)),
            (date(2026, 11, 19), 3, date(2026, 11, 25)),
            (date(2026, 11, 21), 0, date(2026, 11, 23)),
            (date(2026, 11, 21), 1, date(2026, 11, 24)),
            (date(2026, 12, 29), 2, date(2027, 1, 4)),
        ];
        for (day, count, expected) in rows {
            assert_eq!(add_business_days(day, count), expected, "{day} + {count}");
        }
    }

    #[test]
    fn the_calendar_ends_without_a_panic() {
        assert_eq!(next_business_day(Date::MAX), Date::MAX);
        assert_eq!(add_business_days(Date::MAX, 3), Date::MAX);
        assert!(next_business_day(Date::MIN) > Date::MIN);
        assert_eq!(sao_paulo_date(i64::MAX).year(), 9999);
        assert_eq!(sao_paulo_date(i64::MIN).year(), -9999);
        assert!(sao_paulo_start_of_day(Date::MAX) > sao_paulo_start_of_day(date(9999, 1, 1)));
    }

    #[test]
    fn the_date_in_sao_paulo_changes_three_hours_after_utc() {
        let rows = [
            ("2026-11-21T02:59:59.999999Z", date(2026, 11, 20), 23),
            ("2026-11-21T03:00:00Z", date(2026, 11, 21), 0),
            ("2026-11-21T23:00:00Z", date(2026, 11, 21), 20),
            // Daylight saving time was in effect in the summers until 2019.
            ("2018-12-25T02:00:00Z", date(2018, 12, 25), 0),
        ];
        for (text, day, hour) in rows {
            assert_eq!(sao_paulo_date(micros(text)), day, "{text}");
            assert_eq!(sao_paulo_date_time(micros(text)).hour(), hour, "{text}");
        }
        let midnight = micros("2026-11-21T03:00:00Z");
        assert_eq!(sao_paulo_start_of_day(date(2026, 11, 21)), midnight);
    }

    proptest! {
        #![proptest_config(repeatable())]

        #[test]
        fn banks_are_never_closed_for_more_than_five_days(days in 0_i32..40_000) {
            let day = day_after_2000(days);
            let next = next_business_day(day);
            prop_assert!(is_business_day(next));
            prop_assert!(next > day && (next - day).get_days() <= 6, "{} to {}", day, next);
        }

        #[test]
        fn counting_in_two_steps_ends_on_the_same_day(
            days in 0_i32..40_000, first in 0_u32..30, second in 0_u32..30,
        ) {
            let day = day_after_2000(days);
            let in_two_steps = add_business_days(add_business_days(day, first), second);
            prop_assert_eq!(in_two_steps, add_business_days(day, first + second));
        }

        #[test]
        fn a_day_starts_on_its_own_date_and_not_before(days in 0_i32..40_000) {
            let day = day_after_2000(days);
            let start = sao_paulo_start_of_day(day);
            prop_assert_eq!(sao_paulo_date(start), day);
            prop_assert_eq!(sao_paulo_date(start - 1), day - 1.day());
        }

        #[test]
        fn every_instant_has_a_date(unix_micros in any::<i64>()) {
            let _ = sao_paulo_date(unix_micros);
        }
    }
}
