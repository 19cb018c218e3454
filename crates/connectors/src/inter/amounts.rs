//! Amounts, which Inter writes as JSON numbers in answers and as texts in notices.

use brazil::money::{format_decimal, parse_decimal};
use ledger::cents::Cents;
use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// An amount that is read and written digit by digit, since a reader of numbers may round it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Amount(pub Cents);

impl Amount {
    /// Reads the JSON of an amount.
    pub fn read(json: &RawValue) -> Option<Self> {
        let text = json.get();
        let quoted = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        parse_decimal(quoted.unwrap_or(text)).map(|cents| Self(Cents::new(cents)))
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number = RawValue::from_string(format_decimal(self.0.get()));
        number.map_err(S::Error::custom)?.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Box::<RawValue>::deserialize(deserializer)?;
        Self::read(&json).ok_or_else(|| D::Error::custom("it is no amount"))
    }
}

#[cfg(test)]
mod tests {
    use ledger::cents::Cents;

    use super::Amount;

    #[test]
    fn an_amount_is_read_by_its_digits_as_a_number_or_as_a_text() {
        let table = [
            ("2.5", Some(250)),
            ("1200", Some(120_000)),
            ("46.17", Some(4_617)),
            ("\"46.17\"", Some(4_617)),
            ("9999999999.99", Some(999_999_999_999)),
            ("0.1", Some(10)),
            ("0.101", None),
            ("1e2", None),
            ("-1.00", None),
            ("\"1,00\"", None),
            ("null", None),
            ("true", None),
        ];
        for (json, cents) in table {
            let read = serde_json::from_str::<Amount>(json).ok();
            assert_eq!(read.map(|amount| amount.0.get()), cents, "{json}");
        }
    }

    #[test]
    fn an_amount_is_written_as_a_number_with_its_cents() {
        for (cents, json) in [(250, "2.50"), (120_000, "1200.00"), (1, "0.01")] {
            let written = serde_json::to_string(&Amount(Cents::new(cents)));
            assert_eq!(written.expect("is written"), json);
        }
    }
}
