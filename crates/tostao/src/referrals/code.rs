//! Invite codes: eight characters that are easily read aloud.

/// Digits and letters without look-alikes (Crockford's base 32).
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const LENGTH: usize = 8;

/// Makes a code; every character is equally likely.
pub fn make(random: [u8; LENGTH]) -> String {
    let letters = random.into_iter().map(|byte| ALPHABET[usize::from(byte) % ALPHABET.len()]);
    letters.map(char::from).collect()
}

/// Normalizes a typed code to the stored form.
pub fn normal(typed: &str) -> String {
    let letters = typed.trim().chars().filter(|c| *c != '-' && *c != ' ').take(LENGTH + 1);
    letters
        .map(|c| match c.to_ascii_uppercase() {
            'O' => '0',
            'I' | 'L' => '1',
            c => c,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{make, normal};

    #[test]
    fn a_code_has_eight_characters_of_the_alphabet() {
        assert_eq!(make([0, 1, 10, 31, 32, 63, 255, 128]), "01AZ0ZZ0");
    }

    #[test]
    fn what_is_typed_is_read_as_it_looks() {
        let table = [
            (" 01az-0zz0 ", "01AZ0ZZ0"),
            ("oIlZ0ZZ0", "011Z0ZZ0"),
            ("01AZ0ZZ0X", "01AZ0ZZ0X"),
            ("", ""),
        ];
        for (typed, kept) in table {
            assert_eq!(normal(typed), kept);
        }
    }
}
