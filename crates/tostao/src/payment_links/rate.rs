//! Interest per month as an exact decimal: a JSON number in the API, millionths internally.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error as _, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::platform::decimal::{self, Decimal};
use crate::platform::error::FieldFault;

/// A hundredth is ten thousand millionths.
const PPM_OF_PERCENT: u32 = 10_000;
const PLACES: usize = 4;
const PERCENT_MAX: u32 = 20;

/// Interest per month in millionths: 2.99 % is 29 900.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MonthlyRatePpm(u32);

/// A decimal as it was sent: the text of a number, or a text that should hold one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecimalText(pub String);

impl MonthlyRatePpm {
    /// Parses percent per month.
    pub fn parse(percent: &str) -> Result<Self, FieldFault> {
        let fault = || {
            let message = "must be a decimal from 0 to 20 with at most 4 decimal places";
            FieldFault::new("OUT_OF_RANGE", message)
        };
        let ppm = decimal::parse(percent, PLACES).and_then(|ppm| u32::try_from(ppm).ok());
        let ppm = ppm.ok_or_else(fault)?;
        if ppm <= PERCENT_MAX * PPM_OF_PERCENT { Ok(Self(ppm)) } else { Err(fault()) }
    }

    /// Millionths per month.
    pub const fn ppm(self) -> u32 {
        self.0
    }

    fn decimal(self) -> Decimal {
        Decimal::new(u64::from(self.0), PLACES)
    }
}

/// Percent, with no more decimals than needed.
impl fmt::Display for MonthlyRatePpm {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.decimal().fmt(out)
    }
}

impl Serialize for MonthlyRatePpm {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.decimal().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for MonthlyRatePpm {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let DecimalText(text) = DecimalText::deserialize(deserializer)?;
        Self::parse(&text).map_err(|fault| D::Error::custom(fault.message))
    }
}

impl<'de> Deserialize<'de> for DecimalText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DecimalVisitor)
    }
}

struct DecimalVisitor;

impl Visitor<'_> for DecimalVisitor {
    type Value = DecimalText;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a decimal number")
    }

    fn visit_u64<E>(self, value: u64) -> Result<DecimalText, E> {
        Ok(DecimalText(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<DecimalText, E> {
        Ok(DecimalText(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<DecimalText, E> {
        Ok(DecimalText(value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<DecimalText, E> {
        Ok(DecimalText(value.trim().to_owned()))
    }
}

impl JsonSchema for MonthlyRatePpm {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Rate".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "number", "minimum": 0, "maximum": PERCENT_MAX,
            "description": "The monthly interest rate in percent, with at most 4 decimal places.",
        })
    }
}

impl JsonSchema for DecimalText {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Decimal".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["number", "string"], "minimum": 0, "maximum": PERCENT_MAX,
            "pattern": r"^\d{1,2}(\.\d{1,4})?$",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{DecimalText, MonthlyRatePpm};

    fn read(json: &str) -> Option<u32> {
        let DecimalText(text) = serde_json::from_str(json).ok()?;
        MonthlyRatePpm::parse(&text).ok().map(MonthlyRatePpm::ppm)
    }

    #[test]
    fn a_rate_is_read_to_the_last_decimal() {
        let table = [
            ("0", Some(0)),
            ("2.99", Some(29_900)),
            ("\"2.99\"", Some(29_900)),
            ("2.9900", Some(29_900)),
            ("\"2.99000\"", Some(29_900)),
            ("0.0001", Some(1)),
            ("0.1", Some(1_000)),
            ("19.9999", Some(199_999)),
            ("20", Some(200_000)),
            ("20.0", Some(200_000)),
            ("20.0001", None),
            ("21", None),
            ("-1", None),
            ("-0.5", None),
            ("0.00001", None),
            ("\"1.\"", None),
            ("\".5\"", None),
            ("\"1,5\"", None),
            ("\"1e1\"", None),
            ("\"\"", None),
            ("99999999999", None),
            ("true", None),
        ];
        for (json, ppm) in table {
            assert_eq!(read(json), ppm, "{json}");
        }
    }

    #[test]
    fn every_rate_is_shown_as_it_was_sent() {
        for ppm in 0..=200_000 {
            let rate = MonthlyRatePpm(ppm);
            let json = serde_json::to_string(&rate).unwrap();
            assert_eq!(json, rate.to_string());
            assert_eq!(serde_json::from_str::<MonthlyRatePpm>(&json).unwrap(), rate);
        }
        assert_eq!(serde_json::to_string(&MonthlyRatePpm(29_900)).unwrap(), "2.99");
        assert_eq!(serde_json::to_string(&MonthlyRatePpm(20_000)).unwrap(), "2");
    }
}
