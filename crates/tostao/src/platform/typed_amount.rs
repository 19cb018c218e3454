//! Amounts as people type them.

use crate::platform::fields::AMOUNT_MAX;
use crate::platform::messages::Lang;

/// Reads an amount as people write it: `49,90`, `R$ 1.204,00`, `1,204.00`, `49`; `None` if
/// it is no amount of a charge.
pub fn typed_cents(text: &str) -> Option<i64> {
    typed_cents_from(1, text)
}

/// The same for an amount of at least `least` cents.
pub fn typed_cents_from(least: i64, text: &str) -> Option<i64> {
    let digits = text.strip_prefix("R$").unwrap_or(text).trim_start();
    let (whole, cents, mark) = match digits.char_indices().nth_back(2) {
        Some((at, mark @ (',' | '.'))) => (&digits[..at], &digits[at + 1..], mark),
        _ => (digits, "00", ','),
    };
    // A comma before three digits at the end is a slip, and would make a thousand times as much.
    let thousands = if mark == ',' { '.' } else { ',' };
    let mut groups = whole.split(thousands);
    let first = groups.next()?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    let mut joined = first.to_owned();
    for group in groups {
        if group.len() != 3 || first.len() > 3 {
            return None;
        }
        joined.push_str(group);
    }
    if !is_number(&joined) || !is_number(cents) || first.is_empty() {
        return None;
    }
    let amount: i64 = (joined + cents).parse().ok()?;
    (least..=AMOUNT_MAX).contains(&amount).then_some(amount)
}

/// An amount as people type it: without its currency.
pub fn typed(cents: i64, lang: Lang) -> String {
    lang.money(cents).trim_start_matches("R$").trim_start().to_owned()
}

#[cfg(test)]
mod tests {
    use super::{typed, typed_cents, typed_cents_from};
    use crate::platform::messages::Lang;

    #[test]
    fn an_amount_is_read_as_people_write_it() {
        let table = [
            ("49,90", Some(4_990)),
            ("49.90", Some(4_990)),
            ("R$ 49,90", Some(4_990)),
            ("R$\u{a0}1.204,00", Some(120_400)),
            ("1,204.00", Some(120_400)),
            ("1.204", Some(120_400)),
            ("49", Some(4_900)),
            ("0,01", Some(1)),
            ("10.000.000,00", Some(1_000_000_000)),
            ("10.000.000,01", None),
            ("0", None),
            (",90", None),
            ("49,9", None),
            ("12.34.56", None),
            ("49,905", None),
            ("R$ 1,204", None),
            ("1.049,905", None),
            ("1,049.905", None),
            ("1.204.00", None),
            ("1234.567", None),
            ("-49,90", None),
            ("49,90 €", None),
            ("Ana", None),
            ("é,90", None),
            ("", None),
            ("R$", None),
            ("99999999999999999999999", None),
        ];
        for (text, expected) in table {
            assert_eq!(typed_cents(text), expected, "{text}");
        }
    }

    #[test]
    fn an_amount_is_written_as_it_is_read() {
        for (lang, text) in [(Lang::PtBr, "1.204,50"), (Lang::En, "1,204.50")] {
            let written = typed(120_450, lang);
            assert_eq!((&*written, typed_cents(&written)), (text, Some(120_450)));
        }
    }

    #[test]
    fn nothing_is_an_amount_only_where_it_may_be() {
        assert_eq!((typed_cents("R$ 0,00"), typed_cents_from(0, "R$ 0,00")), (None, Some(0)));
    }
}
