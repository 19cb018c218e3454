//! Hexadecimal text.

const DIGITS: [u8; 16] = *b"0123456789abcdef";

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from(DIGITS[usize::from(value)]);
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        text.push(digit(byte >> 4));
        text.push(digit(byte & 0xf));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::hex;

    #[test]
    fn every_byte_has_two_digits() {
        assert_eq!(hex(&[0x00, 0x09, 0x0a, 0x90, 0xa0, 0xff]), "00090a90a0ff");
        assert_eq!(hex(&[]), "");
    }
}
