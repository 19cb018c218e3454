//! CPF and CNPJ: the tax IDs of people and companies.
//!
//! A CNPJ may contain letters, so a document is always text: it is never parsed to an integer and
//! never padded with zeros. Its `Debug` is masked, because documents are personal data and debug
//! output ends up in logs.

use std::fmt;

use crate::check_digit;

/// A CPF or CNPJ with valid check digits, without punctuation and in upper case.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Document(String);

/// The text is neither a CPF nor a CNPJ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a valid CPF or CNPJ")]
pub struct InvalidDocument;

impl Document {
    /// Parses a document with or without its usual punctuation.
    pub fn parse(text: &str) -> Result<Self, InvalidDocument> {
        let normalized: String = text
            .trim()
            .chars()
            .filter(|c| !matches!(c, '.' | '-' | '/' | ' '))
            .map(|c| c.to_ascii_uppercase())
            .collect();
        if is_cpf(&normalized) || is_cnpj(&normalized) {
            Ok(Self(normalized))
        } else {
            Err(InvalidDocument)
        }
    }

    /// Returns the 11 or 14 characters without punctuation.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is a CPF, and not a CNPJ.
    pub fn is_cpf(&self) -> bool {
        self.0.len() == CPF_LENGTH
    }

    /// Returns the formatted document: `123.456.789-09` or `12.345.678/0001-95`.
    pub fn formatted(&self) -> String {
        let all = &self.0;
        if self.is_cpf() {
            format!("{}.{}.{}-{}", &all[..3], &all[3..6], &all[6..9], &all[9..])
        } else {
            let (root, rest) = all.split_at(8);
            let (branch, check) = rest.split_at(4);
            format!("{}.{}.{}/{branch}-{check}", &root[..2], &root[2..5], &root[5..])
        }
    }

    /// Returns the masked document: `123.***.***-**` or `12.***.***/****-**`.
    pub fn masked(&self) -> String {
        let shown = if self.is_cpf() { 3 } else { 2 };
        let hide = |(place, c): (usize, char)| {
            if place >= shown && c.is_ascii_alphanumeric() { '*' } else { c }
        };
        self.formatted().chars().enumerate().map(hide).collect()
    }
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Document({})", self.masked())
    }
}

const CPF_LENGTH: usize = 11;
const CNPJ_LENGTH: usize = 14;

fn is_cpf(text: &str) -> bool {
    text.len() == CPF_LENGTH
        && text.bytes().all(|b| b.is_ascii_digit())
        && !is_one_character_repeated(text)
        && ends_in_its_check_digits(text, 11)
}

fn is_cnpj(text: &str) -> bool {
    text.len() == CNPJ_LENGTH
        && text.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase())
        && text.bytes().skip(CNPJ_LENGTH - 2).all(|b| b.is_ascii_digit())
        && !is_one_character_repeated(text)
        && ends_in_its_check_digits(text, 9)
}

/// `11111111111` has valid check digits and is never assigned.
fn is_one_character_repeated(text: &str) -> bool {
    let first = text.as_bytes()[0];
    text.bytes().all(|b| b == first)
}

fn ends_in_its_check_digits(text: &str, highest_weight: u32) -> bool {
    let values: Vec<u32> = text.bytes().map(value_of).collect();
    let body = values.len() - 2;
    values[body] == check_digit::of_document(&values[..body], highest_weight)
        && values[body + 1] == check_digit::of_document(&values[..=body], highest_weight)
}

/// A character counts as its ASCII code less 48: digits as themselves, `A` as 17, `Z` as 42.
fn value_of(character: u8) -> u32 {
    u32::from(character - b'0')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::{Document, InvalidDocument};
    use crate::testing::repeatable;

    #[test]
    fn documents_with_right_check_digits_are_read_and_normalized() {
        let rows = [
            ("529.982.247-25", "52998224725"),
            ("111.444.777-35", "11144477735"),
            ("123.456.789-09", "12345678909"),
            (" 12345678909 ", "12345678909"),
            ("11.222.333/0001-81", "11222333000181"),
            ("11444777000161", "11444777000161"),
            ("00000000000191", "00000000000191"),
            ("12.ABC.345/01DE-35", "12ABC34501DE35"),
            ("12abc34501de35", "12ABC34501DE35"),
            ("12ABC345000188", "12ABC345000188"),
            ("A1B2C3D4E5F668", "A1B2C3D4E5F668"),
            ("ZZZZZZZZ000191", "ZZZZZZZZ000191"),
            ("B7Q9XW2K000148", "B7Q9XW2K000148"),
        ];
        for (text, normalized) in rows {
            assert_eq!(Document::parse(text).unwrap().as_str(), normalized, "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        let rows = [
            "",
            "-",
            "529.982.247-26",
            "111.111.111-11",
            "00000000000",
            "5299822472",
            "052998224725",
            "529982247 2A",
            "12ABC34501DE34",
            "12ABC34501DE3A",
            "00000000000000",
            "99999999999999",
            "1222333000181",
            "11222333000181x",
            "11,222,333,0001,81",
            "５２９９８２２４７２５",
            "ÁBC34501DE35",
        ];
        for text in rows {
            assert_eq!(Document::parse(text), Err(InvalidDocument), "{text}");
        }
    }

    #[test]
    fn a_document_is_shown_whole_or_by_its_leading_digits_only() {
        let rows = [
            ("12345678909", true, "123.456.789-09", "123.***.***-**"),
            ("11222333000181", false, "11.222.333/0001-81", "11.***.***/****-**"),
            ("12abc34501de35", false, "12.ABC.345/01DE-35", "12.***.***/****-**"),
        ];
        for (text, is_cpf, formatted, masked) in rows {
            let document = Document::parse(text).unwrap();
            assert_eq!(document.is_cpf(), is_cpf, "{text}");
            assert_eq!(document.formatted(), formatted, "{text}");
            assert_eq!(document.masked(), masked, "{text}");
            assert_eq!(format!("{document:?}"), format!("Document({masked})"), "{text}");
        }
    }

    proptest! {
        #![proptest_config(repeatable())]

        #[test]
        fn of_the_hundred_endings_of_a_cnpj_exactly_one_is_right(body in "[0-9A-Z]{11}[A-Z]") {
            let accepted: Vec<String> = (0..100)
                .map(|ending| format!("{body}{ending:02}"))
                .filter(|text| Document::parse(text).is_ok())
                .collect();
            prop_assert_eq!(accepted.len(), 1);
            let document = Document::parse(&accepted[0]).unwrap();
            prop_assert_eq!(Document::parse(&document.formatted()), Ok(document));
        }

        #[test]
        fn of_the_hundred_endings_of_a_cpf_exactly_one_is_right(body in "[0-8]{8}9") {
            let accepted: Vec<String> = (0..100)
                .map(|ending| format!("{body}{ending:02}"))
                .filter(|text| Document::parse(text).is_ok())
                .collect();
            prop_assert_eq!(accepted.len(), 1);
            let document = Document::parse(&accepted[0]).unwrap();
            prop_assert!(document.is_cpf());
            prop_assert_eq!(Document::parse(&document.formatted()), Ok(document));
        }

        #[test]
        fn no_text_makes_the_reader_panic(text in ".{0,40}") {
            let _ = Document::parse(&text);
        }
    }
}
