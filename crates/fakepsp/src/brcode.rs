//! The text of a dynamic PIX QR code, read from the EMV manual and the central bank's.

/// A dynamic code: the location has no scheme, the amount stays at the bank.
pub fn dynamic(location: &str, merchant: &str, city: &str) -> String {
    let account = format!("{}{}", field("00", "BR.GOV.BCB.PIX"), field("25", location));
    let parts = [
        field("00", "01"),
        field("01", "12"),
        field("26", &account),
        field("52", "0000"),
        field("53", "986"),
        field("58", "BR"),
        field("59", merchant),
        field("60", city),
        field("62", &field("05", "***")),
    ];
    let text = format!("{}6304", parts.concat());
    format!("{text}{:04X}", crc16(text.as_bytes()))
}

fn field(id: &str, value: &str) -> String {
    format!("{id}{:02}{value}", value.chars().count())
}

/// CRC-16/CCITT-FALSE.
fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0xffff, |crc, byte| {
        (0..8).fold(crc ^ (u16::from(*byte) << 8), |crc, _| {
            if crc & 0x8000 == 0 { crc << 1 } else { (crc << 1) ^ 0x1021 }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{crc16, dynamic};

    #[test]
    fn the_checksum_of_the_nine_digits_is_the_published_one() {
        assert_eq!(crc16(b"123456789"), 0x29b1);
    }

    #[test]
    fn the_manuals_example_differs_only_in_the_case_of_the_domain() {
        let location = "pix.example.com/8b3da2f39a4140d1a91abd93113bd441";
        let made = dynamic(location, "Fulano de Tal", "BRASILIA");
        let manual = "00020101021226700014br.gov.bcb.pix2548pix.example.com/\
                      8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal\
                      6008BRASILIA62070503***6304";

        assert_eq!(made[..made.len() - 4].to_lowercase(), manual.to_lowercase());
        assert_eq!(format!("{:04X}", crc16(manual.as_bytes())), "64E4");
    }
}
