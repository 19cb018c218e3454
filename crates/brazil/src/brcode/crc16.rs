//! The checksum at the end of every BR Code.

const POLYNOMIAL: u16 = 0x1021;

/// Returns the CRC-16 with polynomial 0x1021, initial value 0xFFFF and no reflection.
pub(super) fn of(text: &str) -> u16 {
    text.bytes().fold(0xFFFF, |crc, byte| {
        (0..8).fold(crc ^ (u16::from(byte) << 8), |crc, _| {
            let shifted = crc << 1;
            if crc & 0x8000 == 0 { shifted } else { shifted ^ POLYNOMIAL }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn the_published_check_value_comes_out() {
        assert_eq!(of("123456789"), 0x29B1);
        assert_eq!(of(""), 0xFFFF);
    }
}
