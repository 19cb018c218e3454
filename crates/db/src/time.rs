//! Instants in microseconds, the only form in which time is stored.

use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

/// An instant: microseconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// Creates an instant from microseconds since the epoch.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// Returns microseconds since the epoch.
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// Returns whole seconds since the epoch.
    pub const fn seconds(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }

    /// Adds a duration, saturating.
    #[must_use]
    pub fn plus(self, span: Duration) -> Self {
        Self(self.0.saturating_add(micros_of(span)))
    }

    /// Subtracts a duration, saturating.
    #[must_use]
    pub fn minus(self, span: Duration) -> Self {
        Self(self.0.saturating_sub(micros_of(span)))
    }

    /// Returns the time since `earlier`; zero if it is not earlier.
    pub fn since(self, earlier: Self) -> Duration {
        let micros = self.0.saturating_sub(earlier.0);
        Duration::from_micros(u64::try_from(micros).unwrap_or(0))
    }

    /// Parses RFC 3339; `None` if it is not a date and time with an offset.
    pub fn parse(text: &str) -> Option<Self> {
        let parsed: jiff::Timestamp = text.parse().ok()?;
        Some(Self(parsed.as_microsecond()))
    }
}

/// RFC 3339 in UTC with milliseconds, as everywhere in the API; years past 9999 print as the end of
/// 9999.
impl std::fmt::Display for Timestamp {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let limit = if self.0 < 0 { jiff::Timestamp::MIN } else { jiff::Timestamp::MAX };
        let instant = jiff::Timestamp::from_microsecond(self.0).unwrap_or(limit);
        write!(out, "{instant:.3}")
    }
}

impl serde::Serialize for Timestamp {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Timestamp {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| {
            serde::de::Error::custom("must be an RFC 3339 date-time, like 2026-11-21T12:00:00Z")
        })
    }
}

impl JsonSchema for Timestamp {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Timestamp".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}

fn micros_of(span: Duration) -> i64 {
    i64::try_from(span.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::Timestamp;

    #[test]
    fn an_instant_reads_back_what_it_prints() {
        let instant = Timestamp::from_micros(1_795_276_800_123_000);
        assert_eq!(instant.to_string(), "2026-11-21T16:00:00.123Z");
        assert_eq!(Timestamp::parse("2026-11-21T13:00:00.123-03:00"), Some(instant));
        assert_eq!(Timestamp::parse("2026-11-21"), None);
    }

    #[test]
    fn an_instant_past_the_calendar_prints_its_end() {
        assert_eq!(Timestamp::from_micros(i64::MAX).to_string(), "9999-12-30T22:00:00.999Z");
        assert_eq!(Timestamp::from_micros(i64::MIN).to_string(), "-009999-01-02T01:59:59.000Z");
    }
}
