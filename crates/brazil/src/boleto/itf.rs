//! Interleaved 2 of 5: encodes digits as bars and spaces.
//!
//! Each pair of digits is interleaved, the first in five bars and the second in the five spaces
//! between them; two of every five are wide.

/// Modules in a narrow and in a wide element; banks require one to three.
const NARROW: u8 = 1;
const WIDE: u8 = 3;

const START: [u8; 4] = [NARROW; 4];
const STOP: [u8; 3] = [WIDE, NARROW, NARROW];

const PATTERNS: [[u8; 5]; 10] = [
    [NARROW, NARROW, WIDE, WIDE, NARROW],
    [WIDE, NARROW, NARROW, NARROW, WIDE],
    [NARROW, WIDE, NARROW, NARROW, WIDE],
    [WIDE, WIDE, NARROW, NARROW, NARROW],
    [NARROW, NARROW, WIDE, NARROW, WIDE],
    [WIDE, NARROW, WIDE, NARROW, NARROW],
    [NARROW, WIDE, WIDE, NARROW, NARROW],
    [NARROW, NARROW, NARROW, WIDE, WIDE],
    [WIDE, NARROW, NARROW, WIDE, NARROW],
    [NARROW, WIDE, NARROW, WIDE, NARROW],
];

/// Returns the widths of alternating bars and spaces, starting with a bar.
pub(super) fn widths(digits: &str) -> Vec<u8> {
    let patterns: Vec<[u8; 5]> =
        digits.bytes().map(|digit| PATTERNS[usize::from(digit - b'0')]).collect();
    let mut widths = START.to_vec();
    for pair in patterns.chunks_exact(2) {
        widths.extend(pair[0].iter().zip(pair[1]).flat_map(|(bar, space)| [*bar, space]));
    }
    widths.extend(STOP);
    widths
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::{NARROW, PATTERNS, START, STOP, WIDE, widths};
    use crate::testing::repeatable;

    #[test]
    fn two_digits_are_drawn_one_inside_the_other() {
        let start = [1, 1, 1, 1];
        let stop = [3, 1, 1];
        let rows = [
            // 1 in the bars is wide at both ends, 2 in the spaces is wide at places two and five.
            ("12", [3, 1, 1, 3, 1, 1, 1, 1, 3, 3]),
            ("00", [1, 1, 1, 1, 3, 3, 3, 3, 1, 1]),
            ("90", [1, 1, 3, 1, 1, 3, 3, 3, 1, 1]),
        ];
        for (digits, middle) in rows {
            assert_eq!(widths(digits), [&start[..], &middle, &stop].concat(), "{digits}");
        }
    }

    #[test]
    fn each_digit_has_two_wide_elements_and_a_pattern_of_its_own() {
        for (digit, pattern) in PATTERNS.iter().enumerate() {
            let modules: u8 = pattern.iter().sum();
            assert_eq!(modules, 2 * WIDE + 3 * NARROW, "{digit}");
            assert_eq!(PATTERNS.iter().position(|other| other == pattern), Some(digit));
        }
    }

    proptest! {
        #![proptest_config(repeatable())]

        #[test]
        fn the_digits_can_be_read_from_the_widths(digits in "([0-9]{2}){1,22}") {
            let drawn = widths(&digits);
            let inner = &drawn[START.len()..drawn.len() - STOP.len()];
            let digit = |pattern: Vec<u8>| PATTERNS.iter().position(|p| pattern == p).unwrap();
            let read: String = inner
                .chunks_exact(10)
                .flat_map(|pair| {
                    let bars = pair.iter().step_by(2).copied().collect();
                    let spaces = pair.iter().skip(1).step_by(2).copied().collect();
                    [digit(bars), digit(spaces)]
                })
                .map(|digit| digit.to_string())
                .collect();
            prop_assert_eq!(read, digits);
        }
    }
}
