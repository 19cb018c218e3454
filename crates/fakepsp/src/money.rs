//! Money is whole cents here, and text or a JSON number on the wire.

use serde_json::{Number, Value};

/// `12.34`.
pub fn text(cents: i64) -> String {
    let sign = if cents < 0 { "-" } else { "" };
    let cents = cents.unsigned_abs();
    format!("{sign}{}.{:02}", cents / 100, cents % 100)
}

/// Reads what the central bank's pattern allows: one to ten digits, a point, two digits.
pub fn parse(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_once('.')?;
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let fits = (1..=10).contains(&whole.len()) && fraction.len() == 2;
    if !fits || !digits(whole) || !digits(fraction) {
        return None;
    }
    Some(whole.parse::<i64>().ok()? * 100 + fraction.parse::<i64>().ok()?)
}

/// The JSON number `12.34`.
pub fn number(cents: i64) -> Value {
    serde_json::from_str(&text(cents)).unwrap_or_default()
}

/// Reads a JSON number of at most two decimals by its text, so that no fraction is rounded.
pub fn parse_number(number: &Number) -> Option<i64> {
    let text = number.to_string();
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    if fraction.len() > 2 || text.starts_with('-') {
        return None;
    }
    parse(&format!("{whole}.{fraction:0<2}"))
}

#[cfg(test)]
mod tests {
    use super::{number, parse, parse_number, text};

    #[test]
    fn an_amount_is_read_only_as_the_central_bank_writes_it() {
        for (written, read) in [
            ("0.01", Some(1)),
            ("1234567890.99", Some(123_456_789_099)),
            ("1", None),
            ("1.5", None),
            ("1,50", None),
            ("+1.50", None),
            (".50", None),
            ("12345678901.00", None),
        ] {
            assert_eq!(parse(written), read, "{written}");
        }
        assert_eq!(text(1_205), "12.05");
    }

    #[test]
    fn a_number_keeps_its_cents() {
        for cents in [1, 10, 250, 1_205, 99_999_999] {
            let value = number(cents);
            assert_eq!(parse_number(value.as_number().unwrap()), Some(cents), "{value}");
        }
        assert_eq!(parse_number(&serde_json::from_str("2.505").unwrap()), None);
    }
}
