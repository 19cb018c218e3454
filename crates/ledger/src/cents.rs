//! Money: integer cents with checked arithmetic, never a float.

use std::borrow::Cow;

use db::value::{Arg, FromValue, ToArg, Value};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

/// An amount in cents; negative only where a balance may be.
#[derive(
    Debug,
    Default,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
)]
#[serde(transparent)]
pub struct Cents(i64);

impl Cents {
    /// Zero.
    pub const ZERO: Self = Self(0);

    /// Creates an amount from a number of cents.
    pub const fn new(cents: i64) -> Self {
        Self(cents)
    }

    /// Returns the number of cents.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// Adds; `None` on overflow.
    pub const fn plus(self, other: Self) -> Option<Self> {
        match self.0.checked_add(other.0) {
            Some(sum) => Some(Self(sum)),
            None => None,
        }
    }

    /// Subtracts; `None` on overflow.
    pub const fn minus(self, other: Self) -> Option<Self> {
        match self.0.checked_sub(other.0) {
            Some(difference) => Some(Self(difference)),
            None => None,
        }
    }

    /// Multiplies by a count; `None` on overflow.
    pub const fn times(self, count: i64) -> Option<Self> {
        match self.0.checked_mul(count) {
            Some(product) => Some(Self(product)),
            None => None,
        }
    }

    /// Returns a share in basis points (1/100 of a percent), rounding half away from zero.
    pub fn basis_points(self, points: u32) -> Option<Self> {
        let product = i128::from(self.0).checked_mul(i128::from(points))?;
        let half = if product < 0 { -5_000 } else { 5_000 };
        let rounded = product.checked_add(half)?.checked_div(10_000)?;
        i64::try_from(rounded).ok().map(Self)
    }

    /// Splits into parts that sum to it; the first part has the remainder.
    pub fn split(self, count: usize) -> Option<Vec<Self>> {
        let divisor = i64::try_from(count).ok()?;
        let each = self.0.checked_div(divisor)?;
        let left = self.0.checked_rem(divisor)?;
        let mut parts = vec![Self(each); count];
        let first = parts.first_mut()?;
        *first = Self(each.checked_add(left)?);
        Some(parts)
    }

    /// Whether the amount is not zero.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }
}

impl ToArg for Cents {
    fn to_arg(&self) -> Arg<'_> {
        Arg::Int(self.0)
    }
}

impl FromValue for Cents {
    fn from_value(value: Value) -> Option<Self> {
        i64::from_value(value).map(Self)
    }
}

impl JsonSchema for Cents {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Cents".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "format": "int64", "description": "Amount in cents." })
    }
}

#[cfg(test)]
mod tests {
    use super::Cents;

    #[test]
    fn arithmetic_refuses_to_overflow() {
        assert_eq!(Cents::new(i64::MAX).plus(Cents::new(1)), None);
        assert_eq!(Cents::new(i64::MIN).minus(Cents::new(1)), None);
        assert_eq!(Cents::new(i64::MAX).times(2), None);
        assert_eq!(Cents::new(i64::MAX).basis_points(10_001), None);
    }

    #[test]
    fn a_split_sums_to_what_was_split() {
        let split = |cents, count| Cents::new(cents).split(count);
        assert_eq!(split(10_000, 3), Some([3_334, 3_333, 3_333].map(Cents::new).to_vec()));
        assert_eq!(split(2, 4), Some([2, 0, 0, 0].map(Cents::new).to_vec()));
        assert_eq!(split(500, 1), Some(vec![Cents::new(500)]));
        assert_eq!(split(500, 0), None);
    }

    #[test]
    fn a_share_rounds_half_away_from_zero() {
        let table = [(100, 50, 1), (99, 50, 0), (-100, 50, -1), (10_000, 299, 299), (0, 9_999, 0)];
        for (cents, points, share) in table {
            assert_eq!(Cents::new(cents).basis_points(points), Some(Cents::new(share)));
        }
    }
}
