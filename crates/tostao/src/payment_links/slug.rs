//! The part of a public URL that names a link.

/// Digits and letters, without those that look alike.
const ALPHABET: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const LENGTH: usize = 12;

/// Generates a slug that cannot be guessed; every character is equally likely.
pub fn make(random: impl Fn() -> [u8; 32]) -> String {
    let mut slug = String::with_capacity(LENGTH);
    while slug.len() < LENGTH {
        let bytes = random().into_iter().map(usize::from);
        // Four times the alphabet fits into a byte; higher values would favor its first
        // characters.
        let fair = bytes.filter(|byte| *byte < 4 * ALPHABET.len());
        let letters = fair.map(|byte| char::from(ALPHABET[byte % ALPHABET.len()]));
        slug.extend(letters.take(LENGTH - slug.len()));
    }
    slug
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::make;

    #[test]
    fn a_slug_has_twelve_characters_of_the_alphabet() {
        let next = Cell::new(0_u8);
        let random = || {
            std::array::from_fn(|_| {
                next.set(next.get().wrapping_add(37));
                next.get()
            })
        };
        let slug = make(random);
        assert_eq!(slug.len(), 12);
        assert!(slug.chars().all(|c| c.is_ascii_alphanumeric() && !"0OIl".contains(c)), "{slug}");
    }

    #[test]
    fn bytes_that_would_favor_some_characters_are_passed_over() {
        let rounds = Cell::new(0_u8);
        let random = || {
            rounds.set(rounds.get() + 1);
            if rounds.get() == 1 { [255; 32] } else { [0; 32] }
        };
        assert_eq!(make(random), "111111111111");
        assert_eq!(rounds.get(), 2);
    }
}
