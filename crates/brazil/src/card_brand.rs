//! The brand of a card, by the first digits of its number.
//!
//! The ranges of Elo and Hipercard are inside those of other brands, so they are checked first.
//! Ranges change: once an acquirer has returned the brand, it takes precedence over this.

use std::fmt;

/// A card scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CardBrand {
    Elo,
    Hiper,
    Hipercard,
    Visa,
    Mastercard,
    Amex,
    Diners,
    Discover,
    Jcb,
}

impl CardBrand {
    /// Every brand.
    pub const ALL: &'static [Self] = &[
        Self::Elo,
        Self::Hiper,
        Self::Hipercard,
        Self::Visa,
        Self::Mastercard,
        Self::Amex,
        Self::Diners,
        Self::Discover,
        Self::Jcb,
    ];

    /// Returns the brand of a possibly incomplete number, if its prefix determines it.
    ///
    /// Anything but digits determines nothing.
    pub fn of(digits: &str) -> Option<Self> {
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let known = &digits[..digits.len().min(PREFIX_DIGITS)];
        // The range of numbers with this prefix.
        let (first, last) = (prefix_bound(known, '0')?, prefix_bound(known, '9')?);
        let touched = RANGES.iter().find(|(_, from, to)| first <= *to && last >= *from);
        touched.filter(|(_, from, to)| first >= *from && last <= *to).map(|(brand, _, _)| *brand)
    }

    /// Finds a brand by its name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|brand| brand.name() == name)
    }

    /// Returns the name in lower case: `visa`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Elo => "elo",
            Self::Hiper => "hiper",
            Self::Hipercard => "hipercard",
            Self::Visa => "visa",
            Self::Mastercard => "mastercard",
            Self::Amex => "amex",
            Self::Diners => "diners",
            Self::Discover => "discover",
            Self::Jcb => "jcb",
        }
    }

    /// Returns the name as the brand writes it: `Visa`.
    pub const fn shown(self) -> &'static str {
        match self {
            Self::Elo => "Elo",
            Self::Hiper => "Hiper",
            Self::Hipercard => "Hipercard",
            Self::Visa => "Visa",
            Self::Mastercard => "Mastercard",
            Self::Amex => "American Express",
            Self::Diners => "Diners Club",
            Self::Discover => "Discover",
            Self::Jcb => "JCB",
        }
    }

    /// Returns how many digits its security code has.
    pub const fn cvv_length(self) -> usize {
        if matches!(self, Self::Amex) { 4 } else { 3 }
    }
}

impl fmt::Display for CardBrand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The number of leading digits that the narrowest range needs.
const PREFIX_DIGITS: usize = 8;

/// Each brand's first and last prefix; the first matching range wins.
const RANGES: &[(CardBrand, u32, u32)] = &[
    six(CardBrand::Elo, 401_178, 401_179),
    six(CardBrand::Elo, 431_274, 431_274),
    six(CardBrand::Elo, 438_935, 438_935),
    six(CardBrand::Elo, 451_416, 451_416),
    six(CardBrand::Elo, 457_393, 457_393),
    six(CardBrand::Elo, 457_631, 457_632),
    six(CardBrand::Elo, 504_175, 504_175),
    six(CardBrand::Elo, 506_699, 506_778),
    six(CardBrand::Elo, 509_000, 509_999),
    six(CardBrand::Elo, 627_780, 627_780),
    six(CardBrand::Elo, 636_297, 636_297),
    six(CardBrand::Elo, 636_368, 636_368),
    six(CardBrand::Elo, 650_031, 650_033),
    six(CardBrand::Elo, 650_035, 650_051),
    six(CardBrand::Elo, 650_405, 650_439),
    six(CardBrand::Elo, 650_485, 650_538),
    six(CardBrand::Elo, 650_541, 650_598),
    six(CardBrand::Elo, 650_700, 650_718),
    six(CardBrand::Elo, 650_720, 650_727),
    six(CardBrand::Elo, 650_901, 650_978),
    six(CardBrand::Elo, 651_652, 651_679),
    six(CardBrand::Elo, 655_000, 655_019),
    six(CardBrand::Elo, 655_021, 655_058),
    six(CardBrand::Hiper, 637_095, 637_095),
    six(CardBrand::Hiper, 637_568, 637_568),
    six(CardBrand::Hiper, 637_599, 637_599),
    six(CardBrand::Hiper, 637_609, 637_609),
    six(CardBrand::Hiper, 637_612, 637_612),
    (CardBrand::Hiper, 63_737_423, 63_737_423),
    (CardBrand::Hiper, 63_743_358, 63_743_358),
    six(CardBrand::Hipercard, 606_282, 606_282),
    six(CardBrand::Visa, 400_000, 499_999),
    six(CardBrand::Mastercard, 510_000, 559_999),
    six(CardBrand::Mastercard, 222_100, 272_099),
    six(CardBrand::Amex, 340_000, 349_999),
    six(CardBrand::Amex, 370_000, 379_999),
    six(CardBrand::Diners, 300_000, 305_999),
    six(CardBrand::Diners, 360_000, 369_999),
    six(CardBrand::Diners, 380_000, 399_999),
    six(CardBrand::Discover, 601_100, 601_199),
    six(CardBrand::Discover, 644_000, 659_999),
    six(CardBrand::Jcb, 352_800, 358_999),
];

const fn six(brand: CardBrand, from: u32, to: u32) -> (CardBrand, u32, u32) {
    (brand, from * 100, to * 100 + 99)
}

fn prefix_bound(digits: &str, with: char) -> Option<u32> {
    let missing = PREFIX_DIGITS - digits.len();
    let padding = std::iter::repeat_n(with, missing);
    digits.chars().chain(padding).collect::<String>().parse().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, proptest};

    use super::CardBrand;
    use crate::testing::repeatable;

    #[test]
    fn the_first_digits_determine_the_brand() {
        let rows = [
            ("4242424242424242", Some(CardBrand::Visa)),
            ("4011781234567890", Some(CardBrand::Elo)),
            ("4011801234567890", Some(CardBrand::Visa)),
            ("4389351234567890", Some(CardBrand::Elo)),
            ("5066991111111118", Some(CardBrand::Elo)),
            ("5066981111111118", None),
            ("5067781111111118", Some(CardBrand::Elo)),
            ("5067791111111118", None),
            ("5090000000000000", Some(CardBrand::Elo)),
            ("6362970000000000", Some(CardBrand::Elo)),
            ("6500310000000000", Some(CardBrand::Elo)),
            ("6500340000000000", Some(CardBrand::Discover)),
            ("6550200000000000", Some(CardBrand::Discover)),
            ("6550580000000000", Some(CardBrand::Elo)),
            ("6062828888666688", Some(CardBrand::Hipercard)),
            ("6370950000000005", Some(CardBrand::Hiper)),
            ("6373742300000000", Some(CardBrand::Hiper)),
            ("6373742400000000", None),
            ("5555555555554444", Some(CardBrand::Mastercard)),
            ("2223003122003222", Some(CardBrand::Mastercard)),
            ("2220990000000000", None),
            ("2720990000000000", Some(CardBrand::Mastercard)),
            ("2721000000000000", None),
            ("378282246310005", Some(CardBrand::Amex)),
            ("341111111111111", Some(CardBrand::Amex)),
            ("30569309025904", Some(CardBrand::Diners)),
            ("30600000000000", None),
            ("38520000023237", Some(CardBrand::Diners)),
            ("6011111111111117", Some(CardBrand::Discover)),
            ("6440000000000000", Some(CardBrand::Discover)),
            ("3530111333300000", Some(CardBrand::Jcb)),
            ("9999999999999995", None),
            ("4242 4242", None),
            ("４２４２", None),
            ("", None),
        ];
        for (digits, brand) in rows {
            assert_eq!(CardBrand::of(digits), brand, "{digits}");
        }
    }

    #[test]
    fn a_number_still_being_typed_has_a_brand_once_no_other_is_possible() {
        let rows = [
            ("4", None),
            ("42", Some(CardBrand::Visa)),
            ("40117", None),
            ("401178", Some(CardBrand::Elo)),
            ("5", None),
            ("51", Some(CardBrand::Mastercard)),
            ("506", None),
            ("5067", None),
            ("50670", Some(CardBrand::Elo)),
            ("37", Some(CardBrand::Amex)),
            ("606282", Some(CardBrand::Hipercard)),
        ];
        for (digits, brand) in rows {
            assert_eq!(CardBrand::of(digits), brand, "{digits}");
        }
    }

    #[test]
    fn a_brand_is_found_by_its_name_and_has_a_security_code_of_a_length() {
        for brand in CardBrand::ALL {
            assert_eq!(CardBrand::parse(brand.name()), Some(*brand));
            let length = if *brand == CardBrand::Amex { 4 } else { 3 };
            assert_eq!(brand.cvv_length(), length, "{brand}");
        }
        assert_eq!(CardBrand::parse("VISA"), None);
    }

    proptest! {
        #![proptest_config(repeatable())]

        #[test]
        fn more_digits_never_change_a_brand(digits in "[2-6][0-9]{15}", shown in 1_usize..16) {
            if let Some(brand) = CardBrand::of(&digits[..shown]) {
                prop_assert!(CardBrand::of(&digits) == Some(brand), "{} then {}", brand, digits);
            }
        }
    }
}
