//! Amounts in cents, formatted for people and for payment systems.
//!
//! An amount is an integer number of cents everywhere; only these functions format it with a comma
//! or a dot.

/// The longest amount of a BR Code or of the central bank's API: `9999999999.99`.
pub const DECIMAL_LONGEST: usize = 13;

/// Formats cents for Brazilian readers: `R$ 1.234,56`, with a non-breaking space.
pub fn format_brl(cents: i64) -> String {
    let sign = if cents < 0 { "-" } else { "" };
    let (reais, rest) = reais_and_cents(cents);
    format!("{sign}R$\u{a0}{},{rest:02}", grouped(reais))
}

/// Formats cents for payment systems: `1234.56`.
pub fn format_decimal(cents: i64) -> String {
    let sign = if cents < 0 { "-" } else { "" };
    let (reais, rest) = reais_and_cents(cents);
    format!("{sign}{reais}.{rest:02}")
}

/// Parses a payment system's amount: digits, then at most two decimals after a dot.
pub fn parse_decimal(text: &str) -> Option<i64> {
    let (reais, decimals) = text.split_once('.').unwrap_or((text, "00"));
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if text.len() > DECIMAL_LONGEST
        || decimals.len() > 2
        || !is_number(reais)
        || !is_number(decimals)
    {
        return None;
    }
    let cents: i64 = format!("{decimals:0<2}").parse().ok()?;
    reais.parse::<i64>().ok()?.checked_mul(100)?.checked_add(cents)
}

fn reais_and_cents(cents: i64) -> (u64, u64) {
    let size = cents.unsigned_abs();
    (size / 100, size % 100)
}

/// Inserts a dot before every third digit from the right.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() * 4 / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push('.');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert_eq, proptest};

    use super::{format_brl, format_decimal, parse_decimal};
    use crate::testing::repeatable;

    #[test]
    fn amounts_are_written_for_people() {
        let rows = [
            (0, "R$\u{a0}0,00"),
            (5, "R$\u{a0}0,05"),
            (100, "R$\u{a0}1,00"),
            (99_999, "R$\u{a0}999,99"),
            (123_456, "R$\u{a0}1.234,56"),
            (100_000_000, "R$\u{a0}1.000.000,00"),
            (-123_456, "-R$\u{a0}1.234,56"),
            (i64::MIN, "-R$\u{a0}92.233.720.368.547.758,08"),
        ];
        for (cents, text) in rows {
            assert_eq!(format_brl(cents), text);
        }
    }

    #[test]
    fn amounts_are_written_for_payment_systems() {
        let rows = [
            (0, "0.00"),
            (1, "0.01"),
            (12_345, "123.45"),
            (100_000_000, "1000000.00"),
            (-5, "-0.05"),
        ];
        for (cents, text) in rows {
            assert_eq!(format_decimal(cents), text);
        }
    }

    #[test]
    fn decimals_are_read_as_cents() {
        let rows = [
            ("123.45", Some(12_345)),
            ("0.00", Some(0)),
            ("10", Some(1_000)),
            ("10.5", Some(1_050)),
            ("0000000001.05", Some(105)),
            ("9999999999.99", Some(999_999_999_999)),
            ("10000000000.00", None),
            ("", None),
            (".50", None),
            ("1.", None),
            ("1.234", None),
            ("1,23", None),
            ("-1.00", None),
            ("+1.00", None),
            ("1.2.3", None),
            (" 1.00", None),
        ];
        for (text, cents) in rows {
            assert_eq!(parse_decimal(text), cents, "{text}");
        }
    }

    proptest! {
        #![proptest_config(repeatable())]

        #[test]
        fn what_is_written_is_read_back(cents in 0_i64..1_000_000_000_000) {
            prop_assert_eq!(parse_decimal(&format_decimal(cents)), Some(cents));
        }

        #[test]
        fn both_forms_hold_the_same_digits(cents in any::<i64>()) {
            let digits_of = |text: String| text.replace(|c: char| !c.is_ascii_digit(), "");
            prop_assert_eq!(digits_of(format_brl(cents)), digits_of(format_decimal(cents)));
            prop_assert_eq!(format_brl(cents).starts_with('-'), cents < 0);
        }
    }
}
