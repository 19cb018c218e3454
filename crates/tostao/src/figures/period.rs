//! Days of a period, by the calendar of São Paulo.

use std::time::Duration;

use brazil::calendar::{sao_paulo_date, sao_paulo_start_of_day};
use db::time::Timestamp;
use jiff::ToSpan;
use jiff::civil::Date;

use crate::platform::error::{Error, Result};
use crate::platform::http::page::TimeRange;

/// The time zone whose midnights divide days.
pub const TIME_ZONE: &str = "America/Sao_Paulo";
/// How many days a period has at most.
pub const DAYS_MAX: i32 = 92;
/// How many days a period has that is not named.
const DAYS_DEFAULT: i32 = 30;
/// So long after midnight a day is over: units and clocks of nodes are late by less.
const SETTLED_AFTER: Duration = Duration::from_secs(5 * 60);

/// The days from one to another, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    pub from: Date,
    pub to: Date,
}

impl Period {
    /// Validates a period; without bounds it ends today.
    pub fn read(from: Option<&str>, to: Option<&str>, today: Date) -> Result<Self> {
        let (from, to) = (date("from", from)?, date("to", to)?);
        let back = |day: Date| day.saturating_sub((DAYS_DEFAULT - 1).days());
        let to = to.unwrap_or_else(|| match from {
            Some(from) if from <= today => from.saturating_add((DAYS_MAX - 1).days()).min(today),
            Some(from) => from,
            None => today,
        });
        let from = from.unwrap_or_else(|| back(to));
        if from > to {
            return Err(Error::field("from", "OUT_OF_RANGE", "must not be after `to`"));
        }
        if (to - from).get_days() >= DAYS_MAX {
            let message = format!("must be at most {} days before `to`", DAYS_MAX - 1);
            return Err(Error::field("from", "OUT_OF_RANGE", message));
        }
        Ok(Self { from, to })
    }

    /// The days, oldest first.
    pub fn days(self) -> impl Iterator<Item = Date> {
        self.from.series(1.day()).take_while(move |day| *day <= self.to)
    }

    /// The instants of the period.
    pub fn instants(self) -> TimeRange {
        TimeRange { from: start(self.from), to: start(after(self.to)) }
    }
}

/// The instant at which a day begins.
pub fn start(day: Date) -> Timestamp {
    Timestamp::from_micros(sao_paulo_start_of_day(day))
}

/// The day of an instant.
pub fn day_of(instant: Timestamp) -> Date {
    sao_paulo_date(instant.micros())
}

/// The next day.
pub fn after(day: Date) -> Date {
    day.saturating_add(1.day())
}

/// The day that is so many days earlier.
pub fn before(day: Date, days: i32) -> Date {
    day.saturating_sub(days.days())
}

/// The last day that is over at an instant of the scope's clock on `today`.
pub fn last_over(today: Date, now: Timestamp) -> Date {
    let is_settled = now.since(start(today)) >= SETTLED_AFTER;
    before(today, if is_settled { 1 } else { 2 })
}

fn date(field: &'static str, text: Option<&str>) -> Result<Option<Date>> {
    let read = |text: &str| {
        let wrong = || Error::field(field, "INVALID_VALUE", "must be a date, like 2026-11-21");
        text.parse().ok().filter(|_| text.len() == 10).ok_or_else(wrong)
    };
    text.map(read).transpose()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use jiff::civil::date;

    use super::{Period, last_over, start};

    #[test]
    fn a_period_is_read_with_and_without_bounds() {
        let today = date(2026, 11, 21);
        let table = [
            (None, None, Some((date(2026, 10, 23), today))),
            (Some("2026-11-01"), None, Some((date(2026, 11, 1), today))),
            (Some("2026-01-01"), None, Some((date(2026, 1, 1), date(2026, 4, 2)))),
            (Some("2026-12-01"), None, Some((date(2026, 12, 1), date(2026, 12, 1)))),
            (None, Some("2026-11-10"), Some((date(2026, 10, 12), date(2026, 11, 10)))),
            (Some("2026-08-22"), Some("2026-11-21"), Some((date(2026, 8, 22), date(2026, 11, 21)))),
            (Some("2026-08-21"), Some("2026-11-21"), None),
            (Some("2026-11-22"), Some("2026-11-21"), None),
            (Some("2026-11-31"), None, None),
            (Some("2026-11-01T12:00:00"), None, None),
            (Some(""), None, None),
            (None, Some("hoje"), None),
        ];
        for (from, to, expected) in table {
            let read = Period::read(from, to, today).ok().map(|period| (period.from, period.to));
            assert_eq!(read, expected, "{from:?} {to:?}");
        }
    }

    #[test]
    fn a_day_is_over_some_minutes_after_midnight() {
        let today = date(2026, 11, 21);
        let at = |seconds| last_over(today, start(today).plus(Duration::from_secs(seconds)));
        assert_eq!(at(299), date(2026, 11, 19));
        assert_eq!(at(300), date(2026, 11, 20));
    }
}
