//! The time that the fake bank believes in: the machine's with an offset, or one that stands still.

use jiff::{SignedDuration, Timestamp, tz::TimeZone};

/// São Paulo has had no summer time since 2019, so an offset is enough.
const SAO_PAULO_HOURS: i8 = -3;

#[derive(Debug, Clone, Copy)]
pub enum Clock {
    /// The machine's clock, so many seconds ahead or behind.
    Running {
        offset: SignedDuration,
    },
    Stopped(Timestamp),
}

impl Clock {
    pub fn running() -> Self {
        Self::Running { offset: SignedDuration::ZERO }
    }

    #[expect(clippy::disallowed_methods, reason = "this is where the machine's clock enters")]
    pub fn now(self) -> Timestamp {
        match self {
            Self::Running { offset } => {
                let now = Timestamp::now();
                now.checked_add(offset).unwrap_or(now)
            }
            Self::Stopped(at) => at,
        }
    }

    pub fn advance(&mut self, by: SignedDuration) {
        match self {
            Self::Running { offset } => *offset = offset.saturating_add(by),
            Self::Stopped(at) => *at = at.checked_add(by).unwrap_or(*at),
        }
    }
}

/// How the central bank's API and Efí write an instant: UTC with milliseconds.
pub fn instant(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}

/// How Cobranças and Inter write an instant: São Paulo's wall clock.
pub fn local(at: Timestamp) -> String {
    zoned(at).strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// The calendar day in São Paulo.
pub fn day(at: Timestamp) -> String {
    zoned(at).strftime("%Y-%m-%d").to_string()
}

fn zoned(at: Timestamp) -> jiff::Zoned {
    at.to_zoned(TimeZone::fixed(jiff::tz::offset(SAO_PAULO_HOURS)))
}

#[cfg(test)]
mod tests {
    use super::{day, instant, local};

    #[test]
    fn a_day_ends_at_midnight_in_sao_paulo() {
        let at = "2027-01-01T02:59:59.5Z".parse().unwrap();

        assert_eq!(day(at), "2026-12-31");
        assert_eq!(local(at), "2026-12-31 23:59:59");
        assert_eq!(instant(at), "2027-01-01T02:59:59.500Z");
    }
}
