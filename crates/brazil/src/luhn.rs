//! Finds card numbers, which must never enter the books or the logs.
//!
//! One number in ten passes the check by chance, so one CNPJ or telephone in ten does. A field that
//! is declared to hold one of them is therefore better checked as what it is.

use std::ops::RangeInclusive;

const CARD_LENGTHS: RangeInclusive<usize> = 13..=19;

/// Tells whether the whole text is a card number, written with or without spaces and dashes.
pub fn is_card_number(text: &str) -> bool {
    let text = text.trim();
    text.chars().all(|c| c.is_ascii_digit() || is_separator(c))
        && passes(text.bytes().filter(u8::is_ascii_digit))
}

/// Tells whether a card number stands anywhere in the text.
///
/// A number is taken as a whole: 16 digits inside a run of 44 are a slip, not a card. Groups of
/// digits with only spaces or dashes between them may belong together or not, so every sequence of
/// neighbours is tried.
pub fn holds_card_number(text: &str) -> bool {
    text.split(|c: char| !c.is_ascii_digit() && !is_separator(c)).any(|run| {
        let groups: Vec<&str> = run.split(is_separator).filter(|group| !group.is_empty()).collect();
        (0..groups.len()).any(|first| starts_card_number(&groups[first..]))
    })
}

fn is_separator(c: char) -> bool {
    matches!(c, ' ' | '-' | '\u{a0}')
}

fn starts_card_number(groups: &[&str]) -> bool {
    let mut digits = String::new();
    for group in groups {
        digits.push_str(group);
        if digits.len() > *CARD_LENGTHS.end() {
            return false;
        }
        if passes(digits.bytes()) {
            return true;
        }
    }
    false
}

fn passes(digits: impl Iterator<Item = u8>) -> bool {
    let digits: Vec<u32> = digits.map(|digit| u32::from(digit - b'0')).collect();
    let checked = digits.iter().rev().zip([false, true].into_iter().cycle());
    let sum: u32 = checked
        .map(|(digit, doubled)| if doubled { digit * 2 / 10 + digit * 2 % 10 } else { *digit })
        .sum();
    CARD_LENGTHS.contains(&digits.len()) && sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::{holds_card_number, is_card_number};
    use crate::testing::repeatable;

    #[test]
    fn published_test_numbers_are_card_numbers() {
        let rows = [
            ("4242424242424242", true),
            ("4242 4242 4242 4242", true),
            ("4242-4242-4242-4242", true),
            (" 4000000000000002 ", true),
            ("4000000000009995", true),
            ("378282246310005", true),
            ("30569309025904", true),
            ("4242424242424241", false),
            ("4242424242424242a", false),
            ("card 4242424242424242", false),
            ("424242424242", false),
            ("", false),
            ("-", false),
        ];
        for (text, is_card) in rows {
            assert_eq!(is_card_number(text), is_card, "{text}");
        }
    }

    #[test]
    fn card_numbers_are_found_inside_other_text() {
        let rows = [
            ("4242424242424242", true),
            ("card: 4242 4242 4242 4242, thanks", true),
            ("order 12 4242-4242-4242-4242 - 3", true),
            ("x4242424242424242y", true),
            ("número\u{a0}4242\u{a0}4242\u{a0}4242\u{a0}4242", true),
            ("4242  4242  4242  4242", true),
            ("4242.4242.4242.4242", false),
            ("00191165600000150000000003128557000000004217", false),
            ("142424242424242424242", false),
            ("2026-11-21 12:30:45", false),
            ("Fulano de Tal", false),
            ("", false),
        ];
        for (text, holds) in rows {
            assert_eq!(holds_card_number(text), holds, "{text}");
        }
    }

    proptest! {
        #![proptest_config(repeatable())]

        #[test]
        fn exactly_one_last_digit_in_ten_makes_a_card_number(body in "[0-9]{12,18}") {
            let endings = (0..10).filter(|last| is_card_number(&format!("{body}{last}")));
            prop_assert_eq!(endings.count(), 1);
        }

        #[test]
        fn a_card_number_is_found_wherever_it_stands(
            body in "[0-9]{12,18}", before in "[a-z ]{0,5}[a-z:] ?", after in "|[ .,;][a-z ]{0,5}",
        ) {
            let number = (0..10).map(|last| format!("{body}{last}")).find(|n| is_card_number(n));
            let text = format!("{before}{}{after}", number.unwrap());
            prop_assert!(holds_card_number(&text), "{}", text);
        }

        #[test]
        fn no_text_makes_the_search_panic(text in ".{0,80}") {
            let _ = holds_card_number(&text) || is_card_number(&text);
        }
    }
}
