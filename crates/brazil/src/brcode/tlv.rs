//! The fields of a BR Code (EMV TLV): two digits of ID, two of length in characters, then the
//! value.

/// The longest value whose length fits into two digits.
const LONGEST: usize = 99;

/// The fields of a code, or of a template inside it, in order.
pub(super) struct Fields<'a>(Vec<(u8, &'a str)>);

impl<'a> Fields<'a> {
    /// Parses a text that consists of fields only, each ID at most once.
    pub(super) fn read(text: &'a str) -> Option<Self> {
        let mut fields: Vec<(u8, &str)> = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let (id, after_id) = split_two_digits(rest)?;
            let (length, after_length) = split_two_digits(after_id)?;
            let (value, after_value) = split_characters(after_length, usize::from(length))?;
            if fields.iter().any(|(known, _)| *known == id) {
                return None;
            }
            fields.push((id, value));
            rest = after_value;
        }
        Some(Self(fields))
    }

    /// Returns the value of the field with that ID.
    pub(super) fn get(&self, id: u8) -> Option<&'a str> {
        self.iter().find(|(known, _)| *known == id).map(|(_, value)| value)
    }

    /// Returns the fields in order.
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = (u8, &'a str)> {
        self.0.iter().copied()
    }
}

/// Encodes fields in order; the caller ensures that no value is longer than 99.
pub(super) fn write(fields: &[(u8, &str)]) -> String {
    fields.iter().map(|(id, value)| field(*id, value)).collect()
}

fn field(id: u8, value: &str) -> String {
    let length = value.chars().count();
    debug_assert!(length <= LONGEST, "field {id} has {length} characters");
    format!("{id:02}{length:02}{value}")
}

fn split_two_digits(text: &str) -> Option<(u8, &str)> {
    let (digits, rest) = text.split_at_checked(2)?;
    digits.bytes().all(|b| b.is_ascii_digit()).then_some((digits.parse().ok()?, rest))
}

fn split_characters(text: &str, count: usize) -> Option<(&str, &str)> {
    let mut boundaries = text.char_indices().map(|(place, _)| place).chain([text.len()]);
    boundaries.nth(count).map(|place| text.split_at(place))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::{Fields, write};
    use crate::testing::repeatable;

    #[test]
    fn fields_are_read_in_their_order() {
        let fields = Fields::read("000201").unwrap();
        assert_eq!(fields.iter().collect::<Vec<_>>(), [(0, "01")]);
        let fields = Fields::read("5906Feira!6002SP6200").unwrap();
        assert_eq!(fields.iter().collect::<Vec<_>>(), [(59, "Feira!"), (60, "SP"), (62, "")]);
        assert_eq!(fields.get(60), Some("SP"));
        assert_eq!(fields.get(61), None);
    }

    #[test]
    fn a_length_counts_characters_and_not_bytes() {
        let fields = Fields::read("5904João6003São").unwrap();
        assert_eq!(fields.iter().collect::<Vec<_>>(), [(59, "João"), (60, "São")]);
    }

    #[test]
    fn a_text_that_is_not_all_fields_is_refused() {
        let rows =
            ["0", "00", "0002", "00020", "0002011", "a00201", "00+201", "0002010003abc", "éé"];
        for text in rows {
            assert!(Fields::read(text).is_none(), "{text}");
        }
    }

    proptest! {
        #![proptest_config(repeatable())]

        #[test]
        fn what_is_written_is_read_back(first in ".{0,99}", second in "[0-9]{0,99}") {
            let text = write(&[(7, &first), (80, &second)]);
            let fields: Vec<(u8, String)> = Fields::read(&text)
                .unwrap()
                .iter()
                .map(|(id, value)| (id, value.to_owned()))
                .collect();
            prop_assert_eq!(fields, [(7, first), (80, second)]);
        }
    }
}
