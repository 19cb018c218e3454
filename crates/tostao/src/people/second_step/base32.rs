//! Base32 as RFC 4648 has it, without padding: what people type of secrets.

const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// Encodes bytes; a rest of less than five bits is filled with zeros.
pub fn encode(bytes: &[u8]) -> String {
    let (mut text, mut held, mut bits) = (String::new(), 0_u32, 0);
    for byte in bytes {
        held = held << 8 | u32::from(*byte);
        bits += 8;
        while bits >= 5 {
            bits -= 5;
            text.push(letter(held >> bits));
        }
    }
    if bits > 0 {
        text.push(letter(held << (5 - bits)));
    }
    text
}

/// Whether the text consists of letters of the alphabet.
pub fn is_base32(text: &str) -> bool {
    text.bytes().all(|byte| ALPHABET.contains(&byte))
}

fn letter(bits: u32) -> char {
    char::from(ALPHABET[usize::try_from(bits & 31).unwrap_or(0)])
}

#[cfg(test)]
mod tests {
    use super::encode;

    #[test]
    fn texts_are_those_of_the_standard() {
        let table = [
            ("", ""),
            ("f", "MY"),
            ("fo", "MZXQ"),
            ("foo", "MZXW6"),
            ("foob", "MZXW6YQ"),
            ("fooba", "MZXW6YTB"),
            ("foobar", "MZXW6YTBOI"),
        ];
        for (plain, expected) in table {
            assert_eq!(encode(plain.as_bytes()), expected, "{plain}");
        }
    }
}
