//! Finds card numbers, which must never be stored or logged.
//!
//! One number in ten passes the Luhn check by chance, so one CNPJ or phone number in ten does. A
//! field that is declared to contain one of them is therefore better validated as such.
//!
//! Digits of every script and width count. They only count as whole words, so an ID of letters and
//! digits contains no card number: people do not type a card like that.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use unicode_normalization::char::decompose_compatible;

const CARD_LENGTHS: RangeInclusive<usize> = 13..=19;
/// How many characters other than letters and digits may separate two groups of a number.
const GAP_MAX: usize = 3;
/// The zeros of scripts with their own digits; each is followed by its one to nine.
const ZEROS: [u32; 58] = [
    0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66,
    0x0DE6, 0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90,
    0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0,
    0x104A0, 0x10D30, 0x11066, 0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650,
    0x116C0, 0x11730, 0x118E0, 0x11950, 0x11C50, 0x11D50, 0x11DA0, 0x16A60, 0x16AC0, 0x16B50,
    0x1E140, 0x1E2F0, 0x1E950,
];
/// The issuer ranges of cards, by the first four digits, and their lengths.
const ISSUED: [(RangeInclusive<u32>, &[usize]); 11] = [
    (2200..=2204, &[16, 17, 18, 19]),
    (2221..=2720, &[16]),
    (3000..=3099, &[14, 16]),
    (3400..=3499, &[15]),
    (3528..=3589, &[16, 17, 18, 19]),
    (3600..=3699, &[14, 16]),
    (3700..=3799, &[15]),
    (3800..=3999, &[14, 16, 19]),
    (4000..=4999, &[13, 16, 19]),
    (5100..=5599, &[16]),
    (5000..=6999, &[13, 14, 15, 16, 17, 18, 19]),
];

/// A run of adjacent digits.
struct Group {
    digits: Vec<u8>,
    /// Whether it is adjacent to a letter.
    after_letter: bool,
    before_letter: bool,
    /// How many characters separate it from the previous run; `None` if one is a letter.
    gap: Option<usize>,
}

/// Whether the whole text is a card number, in any grouping of its digits.
pub fn is_card_number(text: &str) -> bool {
    let text = with_plain_digits(text);
    let groups = groups(&text);
    let one = |group: &Group| group.gap.is_some_and(|gap| gap <= GAP_MAX);
    let whole = !text.contains(is_letter) && groups.iter().skip(1).all(one);
    whole
        && passes(&groups.iter().flat_map(|group| group.digits.iter().copied()).collect::<Vec<_>>())
}

/// Whether the text contains a card number.
///
/// A number is checked as a whole: 16 digits inside a run of 44 are a boleto, not a card, and
/// digits next to a letter are part of a word. Groups of digits may or may not belong together, so
/// every sequence of adjacent groups is tried; but dates, phone numbers and sizes are groups as
/// well, so a grouped number must start with an issuer's prefix.
pub fn holds_card_number(text: &str) -> bool {
    is_found(text, |groups, digits| groups == 1 || is_issued(digits))
}

/// Whether the text contains a number that starts with a card issuer's prefix.
///
/// For machine-generated texts, where long numbers are common.
pub fn holds_issued_number(text: &str) -> bool {
    is_found(text, |_, digits| is_issued(digits))
}

/// The text with the digits of every script, width and style normalized to 0 to 9.
pub fn with_plain_digits(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            _ if c.is_ascii() => plain.push(c),
            // `nº` precedes a number, and its sign is not part of a word.
            'º' | 'ª' => plain.push(' '),
            _ if c.is_alphabetic() => plain.push(c),
            _ => decompose_compatible(c, |part| plain.push(plain_digit(part).unwrap_or(part))),
        }
    }
    Cow::Owned(plain)
}

/// Whether a text has enough digits for a card number.
pub fn may_hold_card_number(text: &str) -> bool {
    let least = *CARD_LENGTHS.start();
    if text.is_ascii() {
        return text.bytes().filter(u8::is_ascii_digit).count() >= least;
    }
    // No single character, such as a circled twelve, represents more than two digits.
    let weight = |c: char| match c {
        '0'..='9' => 1,
        _ if c.is_ascii() => 0,
        _ => 2 * usize::from(!c.is_alphabetic()),
    };
    text.chars().map(weight).sum::<usize>() >= least
}

fn plain_digit(c: char) -> Option<char> {
    let code = u32::from(c);
    let zero = ZEROS[..ZEROS.partition_point(|zero| *zero <= code)].last()?;
    char::from_digit(code - zero, 10)
}

fn is_letter(c: char) -> bool {
    !c.is_ascii_digit() && c.is_alphanumeric()
}

fn is_found(text: &str, counts: impl Fn(usize, &[u8]) -> bool) -> bool {
    if !may_hold_card_number(text) {
        return false;
    }
    let text = with_plain_digits(text);
    let groups = groups(&text);
    (0..groups.len()).any(|first| starts_card_number(&groups[first..], &counts))
}

fn groups(text: &str) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    // The separator between the previous group and this one, unless it contains a letter.
    let (mut gap, mut letter, mut open) = (Some(0), false, false);
    for c in text.chars() {
        if c.is_ascii_digit() {
            if !open {
                groups.push(Group {
                    digits: Vec::new(),
                    after_letter: letter,
                    before_letter: false,
                    gap,
                });
                (gap, open) = (Some(0), true);
            }
            if let Some(group) = groups.last_mut() {
                group.digits.push(c as u8 - b'0');
            }
            letter = false;
            continue;
        }
        letter = is_letter(c);
        if letter {
            gap = None;
            if let Some(group) = groups.last_mut().filter(|_| open) {
                group.before_letter = true;
            }
        }
        gap = gap.map(|gap| gap + 1);
        open = false;
    }
    groups
}

fn starts_card_number(groups: &[Group], counts: impl Fn(usize, &[u8]) -> bool) -> bool {
    let mut digits = Vec::new();
    for (place, group) in groups.iter().enumerate() {
        let joined = match place {
            0 => !group.after_letter,
            _ => group.gap.is_some_and(|gap| gap <= GAP_MAX),
        };
        if !joined || digits.len() + group.digits.len() > *CARD_LENGTHS.end() {
            return false;
        }
        digits.extend_from_slice(&group.digits);
        if !group.before_letter && passes(&digits) && counts(place + 1, &digits) {
            return true;
        }
    }
    false
}

fn is_issued(digits: &[u8]) -> bool {
    let start = digits.iter().take(4).fold(0, |start, digit| start * 10 + u32::from(*digit));
    ISSUED
        .iter()
        .any(|(starts, lengths)| starts.contains(&start) && lengths.contains(&digits.len()))
}

fn passes(digits: &[u8]) -> bool {
    let checked = digits.iter().rev().zip([false, true].into_iter().cycle());
    let sum: u32 = checked
        .map(|(digit, doubled)| (u32::from(*digit), doubled))
        .map(|(digit, doubled)| if doubled { digit * 2 / 10 + digit * 2 % 10 } else { digit })
        .sum();
    CARD_LENGTHS.contains(&digits.len()) && sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::{holds_card_number, holds_issued_number, is_card_number, may_hold_card_number};
    use crate::testing::repeatable;

    #[test]
    fn published_test_numbers_are_card_numbers() {
        let rows = [
            ("4242424242424242", true),
            ("4242 4242 4242 4242", true),
            ("4242-4242-4242-4242", true),
            ("4242.4242/4242_4242", true),
            (" 4000000000000002 ", true),
            ("４２４２４２４２４２４２４２４２", true),
            ("4000000000009995", true),
            ("378282246310005", true),
            ("30569309025904", true),
            ("4242424242424241", false),
            ("4242424242424242a", false),
            ("4242 4242    4242 4242", false),
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
            ("número\u{a0}4242\u{a0}4242\u{a0}4242\u{a0}4242", true),
            ("cartão nº4242424242424242", true),
            ("4242  4242  4242  4242", true),
            ("4242 - 4242 - 4242 - 4242", true),
            ("4242.4242.4242.4242", true),
            ("4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2", true),
            ("(4242)(4242)(4242)(4242)", true),
            ("4242\r\n4242\r\n4242\r\n4242", true),
            ("4242\u{200b}4242\u{2013}4242\u{2003}4242", true),
            ("\u{664}\u{662}\u{664}\u{662} 4242 \u{96a}\u{968}\u{96a}\u{968} 4242", true),
            ("④②④② ⁴²⁴² 𝟜𝟚𝟜𝟚 𝟒𝟐𝟒𝟐", true),
            ("4\u{fe0f}\u{20e3}2\u{fe0f}\u{20e3}42 4242 4242 4242", true),
            ("x4242424242424242y", false),
            ("4242424242424242y", false),
            ("x4242424242424242", false),
            ("4242 4242 4242 4242é", false),
            ("4242....4242....4242....4242", false),
            ("00191165600000150000000003128557000000004217", false),
            ("142424242424242424242", false),
            // Their joined digits pass the check, but do not start with an issuer's prefix.
            ("2026-11-21 12:30:40", false),
            ("10, 20, 30, 40, 50, 60, 71", false),
            ("11.222.363/0001-98", false),
            ("Fulano de Tal", false),
            ("", false),
        ];
        for (text, holds) in rows {
            assert_eq!(holds_card_number(text), holds, "{text}");
            assert!(may_hold_card_number(text) || !holds, "{text}");
        }
    }

    #[test]
    fn numbers_that_no_issuer_gives_are_nothing_special_to_a_machine() {
        let rows = [
            ("t=1732345678905", false),
            ("n=4242424242424242", true),
            ("n=5555 5555 5555 4444", true),
            ("n=378282246310005", true),
        ];
        for (text, holds) in rows {
            assert_eq!(holds_issued_number(text), holds, "{text}");
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
            body in "[0-9]{12,18}", before in "|[a-z ]{0,5}[ :]", after in "|[ .,;][a-z ]{0,5}",
        ) {
            let number = (0..10).map(|last| format!("{body}{last}")).find(|n| is_card_number(n));
            let text = format!("{before}{}{after}", number.unwrap());
            prop_assert!(holds_card_number(&text), "{}", text);
        }

        #[test]
        fn an_issued_number_is_found_however_it_is_grouped(
            body in "4[0-9]{14}", gaps in vec("|[^a-zA-Z0-9]{1}|[ .]{1,3}", 15),
        ) {
            let number = (0..10).map(|last| format!("{body}{last}")).find(|n| is_card_number(n));
            let number = number.unwrap();
            let mut text = number[..1].to_owned();
            for (digit, gap) in number.chars().skip(1).zip(gaps) {
                if !gap.contains(char::is_alphanumeric) && !gap.contains(['º', 'ª']) {
                    text.push_str(&gap);
                }
                text.push(digit);
            }
            prop_assert!(holds_card_number(&text), "{:?}", text);
        }

        #[test]
        fn a_number_beside_a_letter_is_part_of_a_word(
            body in "[0-9]{12,18}", before in "[a-z]", after in "[a-z]",
        ) {
            for text in [format!("{before}{body}"), format!("{body}{after}")] {
                prop_assert!(!holds_card_number(&text), "{}", text);
            }
        }

        #[test]
        fn no_text_makes_the_search_panic(text in ".{0,80}") {
            let found = holds_card_number(&text) || is_card_number(&text);
            prop_assert!(!found || may_hold_card_number(&text), "{:?}", text);
        }
    }
}
