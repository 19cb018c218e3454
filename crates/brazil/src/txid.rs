//! The identifiers of a PIX payment.
//!
//! A `txid` is the receiver's ID of a charge and is never reused; an end-to-end ID is the paying
//! bank's ID of a payment. Both are case-sensitive text.

use std::ops::RangeInclusive;

use jiff::civil::DateTime;

use crate::calendar;

/// The placeholder in a static code without a `txid`.
pub const NO_TXID: &str = "***";

const OF_A_CHARGE: RangeInclusive<usize> = 26..=35;
const OF_A_STATIC_CODE: RangeInclusive<usize> = 1..=25;

/// Whether it is a valid `txid` of a charge: 26 to 35 letters and digits.
pub fn is_txid(text: &str) -> bool {
    OF_A_CHARGE.contains(&text.len()) && is_alphanumeric(text)
}

/// Whether it is a valid `txid` of a static code: 1 to 25 letters and digits, or [`NO_TXID`].
pub fn is_static_txid(text: &str) -> bool {
    text == NO_TXID || (OF_A_STATIC_CODE.contains(&text.len()) && is_alphanumeric(text))
}

/// Builds a payment's end-to-end ID of 32 characters: `E`, the bank's ISPB, the minute in UTC and a
/// suffix of 11 letters and digits that is unique at the bank within that minute.
pub fn end_to_end_id(ispb: &str, unix_micros: i64, suffix: &str) -> String {
    id('E', ispb, unix_micros, suffix)
}

/// Builds a refund's ID of 32 characters: `D`, then as in a payment's.
pub fn return_id(ispb: &str, unix_micros: i64, suffix: &str) -> String {
    id('D', ispb, unix_micros, suffix)
}

/// Whether it is a payment's end-to-end ID, as [`end_to_end_id`] builds it.
pub fn is_end_to_end_id(text: &str) -> bool {
    let minute = text.get(9..21).filter(|minute| minute.bytes().all(|b| b.is_ascii_digit()));
    text.len() == 32
        && text.starts_with('E')
        && is_alphanumeric(text)
        && minute.is_some_and(|minute| DateTime::strptime("%Y%m%d%H%M", minute).is_ok())
}

fn id(letter: char, ispb: &str, unix_micros: i64, suffix: &str) -> String {
    debug_assert!(ispb.len() == 8 && is_alphanumeric(ispb), "an ISPB has 8 characters");
    debug_assert!(suffix.len() == 11 && is_alphanumeric(suffix), "the suffix has 11 characters");
    let minute = calendar::utc_date_time(unix_micros).strftime("%Y%m%d%H%M");
    format!("{letter}{ispb}{minute}{suffix}")
}

fn is_alphanumeric(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::{end_to_end_id, is_end_to_end_id, is_static_txid, is_txid, return_id};
    use crate::testing::repeatable;

    #[test]
    fn a_charge_is_called_by_26_to_35_letters_and_digits() {
        let rows = [
            ("7978c0c97ea847e78e8849634473c1f1", true),
            ("abcdefghijklmnopqrstuvwxyZ", true),
            ("abcdefghijklmnopqrstuvwxy", false),
            ("abcdefghijklmnopqrstuvwxyz012345678", true),
            ("abcdefghijklmnopqrstuvwxyz0123456789", false),
            ("7978c0c9-7ea8-47e7-8e88-49634473c1f", false),
            ("abcdefghijklmnopqrstuvwxyã", false),
            ("", false),
        ];
        for (text, valid) in rows {
            assert_eq!(is_txid(text), valid, "{text}");
        }
    }

    #[test]
    fn a_static_code_carries_at_most_25_letters_and_digits() {
        let rows = [
            ("***", true),
            ("**", false),
            ("", false),
            ("A", true),
            ("RP12345678", true),
            ("RP12345678-2019", false),
            ("abcdefghijklmnopqrstuvwxy", true),
            ("abcdefghijklmnopqrstuvwxyz", false),
        ];
        for (text, valid) in rows {
            assert_eq!(is_static_txid(text), valid, "{text}");
        }
    }

    #[test]
    fn an_end_to_end_id_names_bank_and_minute() {
        let rows = [
            (0, "E12345678197001010000abcDEF12345"),
            (1_582_934_399_999_999, "E12345678202002282359abcDEF12345"),
            (1_795_262_400_000_000, "E12345678202611211200abcDEF12345"),
        ];
        for (unix_micros, id) in rows {
            assert_eq!(end_to_end_id("12345678", unix_micros, "abcDEF12345"), id);
            let refund = id.replacen('E', "D", 1);
            assert_eq!(return_id("12345678", unix_micros, "abcDEF12345"), refund);
        }
    }

    proptest! {
        #![proptest_config(repeatable())]

        #[test]
        fn an_end_to_end_id_has_32_characters_in_every_year_a_bank_will_see(
            unix_micros in 0_i64..250_000_000_000_000_000,
            ispb in "[0-9A-Z]{8}",
            suffix in "[0-9A-Za-z]{11}",
        ) {
            let id = end_to_end_id(&ispb, unix_micros, &suffix);
            prop_assert_eq!(id.len(), 32);
            prop_assert!(is_txid(&id) && is_end_to_end_id(&id));
            prop_assert!(!is_end_to_end_id(&return_id(&ispb, unix_micros, &suffix)));
        }
    }
}
