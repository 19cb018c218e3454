//! Decimals with a fixed number of places, stored as integers.
//!
//! JSON parsers keep numbers as binary fractions, so only their shortest decimal form is read: it
//! equals what was sent, for as many digits as any value here may have.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A decimal; JSON shows it as a number with no more places than needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decimal {
    units: u64,
    places: usize,
}

/// A JSON number as it was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberText(pub String);

impl Decimal {
    /// A number of units of the last of `places`.
    pub const fn new(units: u64, places: usize) -> Self {
        Self { units, places }
    }

    /// A number of hundredths.
    pub const fn hundredths(units: u64) -> Self {
        Self::new(units, 2)
    }

    /// An integer.
    pub const fn whole(units: u64) -> Self {
        Self::new(units, 0)
    }
}

/// Parses plain digits with a fraction of at most `places` digits, in units of the last place.
pub fn parse(text: &str, places: usize) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let significant = fraction.trim_end_matches('0');
    let good = digits(whole) && digits(fraction) && significant.len() <= places;
    good.then(|| format!("{whole}{significant:0<places$}").parse().ok()).flatten()
}

impl fmt::Display for Decimal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = format!("{:0>width$}", self.units, width = self.places.saturating_add(1));
        let (whole, fraction) = digits.split_at(digits.len().saturating_sub(self.places));
        match fraction.trim_end_matches('0') {
            "" => out.write_str(whole),
            fraction => write!(out, "{whole}.{fraction}"),
        }
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number: serde_json::Number = self.to_string().parse().map_err(S::Error::custom)?;
        number.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for NumberText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(serde_json::Number::deserialize(deserializer)?.to_string()))
    }
}

impl JsonSchema for Decimal {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Decimal".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number" })
    }
}

impl JsonSchema for NumberText {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Number".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number" })
    }
}

#[cfg(test)]
mod tests {
    use super::{Decimal, NumberText, parse};

    #[test]
    fn a_decimal_is_read_to_its_last_place() {
        let table = [
            ("0", 2, Some(0)),
            ("12.5", 2, Some(1_250)),
            ("12.50000", 2, Some(1_250)),
            ("0.01", 2, Some(1)),
            ("12.505", 2, None),
            ("500", 0, Some(500)),
            ("500.0", 0, Some(500)),
            ("500.5", 0, None),
            ("-1", 2, None),
            ("1.", 2, None),
            (".5", 2, None),
            ("1,5", 2, None),
            ("1e1", 2, None),
            ("", 2, None),
            ("99999999999999999999", 0, None),
        ];
        for (text, places, units) in table {
            assert_eq!(parse(text, places), units, "{text} with {places}");
        }
    }

    #[test]
    fn every_hundredth_is_shown_as_it_was_sent() {
        for units in 0..=10_000 {
            let json = serde_json::to_string(&Decimal::hundredths(units)).unwrap();
            let NumberText(text) = serde_json::from_str(&json).unwrap();
            assert_eq!(parse(&text, 2), Some(units), "{json}");
        }
        assert_eq!(Decimal::hundredths(1_250).to_string(), "12.5");
        assert_eq!(Decimal::hundredths(5).to_string(), "0.05");
        assert_eq!(Decimal::whole(500).to_string(), "500");
    }

    #[test]
    fn only_a_number_is_a_number() {
        for json in ["\"10\"", "true", "null", "[]"] {
            assert!(serde_json::from_str::<NumberText>(json).is_err(), "{json}");
        }
    }
}
