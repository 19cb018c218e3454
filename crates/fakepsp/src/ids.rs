//! Ids that look random and are not: the same seed gives the same ids.

use jiff::Timestamp;

const HEX: &[u8] = b"0123456789abcdef";
const ALPHANUMERIC: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0123456789";
const DIGITS: &[u8] = b"0123456789";

/// A generator that is `SplitMix64`: one word of state, and no two equal values in a row.
#[derive(Debug, Clone)]
pub struct Ids {
    state: u64,
}

impl Ids {
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    pub fn hex(&mut self, length: usize) -> String {
        self.text(HEX, length)
    }

    pub fn alphanumeric(&mut self, length: usize) -> String {
        self.text(ALPHANUMERIC, length)
    }

    pub fn digits(&mut self, length: usize) -> String {
        self.text(DIGITS, length)
    }

    /// A UUID of version 4, in lower case with hyphens.
    pub fn uuid(&mut self) -> String {
        let hex = self.hex(30);
        let variant = self.text(b"89ab", 1);
        let parts = [&hex[..8], &hex[8..12], &hex[12..15], &hex[15..18], &hex[18..]];
        let [first, second, third, fourth, fifth] = parts;
        format!("{first}-{second}-4{third}-{variant}{fourth}-{fifth}")
    }

    /// `E` or `D`, the bank, the minute in UTC and eleven characters: 32 in all.
    pub fn end_to_end(&mut self, letter: char, ispb: &str, now: Timestamp) -> String {
        let minute = now.strftime("%Y%m%d%H%M");
        format!("{letter}{ispb}{minute}{}", self.alphanumeric(11))
    }

    fn text(&mut self, alphabet: &[u8], length: usize) -> String {
        let count = u64::try_from(alphabet.len()).unwrap_or(1);
        let mut one = || {
            let at = usize::try_from(self.next() % count).unwrap_or_default();
            char::from(alphabet[at])
        };
        (0..length).map(|_| one()).collect()
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::Ids;

    #[test]
    fn an_end_to_end_id_has_32_characters_and_names_the_bank_and_the_minute() {
        let id = Ids::new(7).end_to_end('E', "12345678", "2026-11-22T23:59:30Z".parse().unwrap());

        assert_eq!(id.len(), 32);
        assert!(id.starts_with("E12345678202611222359"), "{id}");
    }

    #[test]
    fn a_uuid_has_36_characters_and_names_its_version() {
        let id = Ids::new(7).uuid();

        assert_eq!((id.len(), id.as_bytes()[14], id.matches('-').count()), (36, b'4', 4), "{id}");
    }

    #[test]
    fn the_same_seed_gives_the_same_ids_and_another_seed_others() {
        assert_eq!(Ids::new(1).hex(32), Ids::new(1).hex(32));
        assert_ne!(Ids::new(1).hex(32), Ids::new(2).hex(32));
    }
}
