//! API keys: `tos_dev_` or `tos_prod_`, a public part to find the key by, a secret part, and a
//! checksum that rejects typos without a query to the database.

use crate::platform::ids::Mode;
use crate::platform::secrets::sha256;

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const PUBLIC_LENGTH: usize = 12;
const SECRET_LENGTH: usize = 32;
const CHECKSUM_LENGTH: usize = 6;
/// Bytes from here up would make the first letters of the alphabet more likely.
const FAIR_BYTES: u8 = 248;

/// A key as its owner sees it once.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey {
    mode: Mode,
    text: String,
}

impl ApiKey {
    /// Generates a key from random bytes; `fill` is called until there are enough.
    pub fn generate(mode: Mode, fill: impl Fn() -> [u8; 64]) -> Self {
        let mut letters = String::new();
        while letters.len() < PUBLIC_LENGTH + SECRET_LENGTH {
            let fair = fill().into_iter().filter(|byte| *byte < FAIR_BYTES);
            letters.extend(fair.map(|byte| char::from(ALPHABET[usize::from(byte % 62)])));
        }
        letters.truncate(PUBLIC_LENGTH + SECRET_LENGTH);
        let (public, secret) = letters.split_at(PUBLIC_LENGTH);
        let body = format!("{}{public}_{secret}", prefix(mode));
        let text = format!("{body}{}", checksum(&body));
        Self { mode, text }
    }

    /// Parses a key; `None` if it cannot be one.
    pub fn parse(text: &str) -> Option<Self> {
        let mode = [Mode::Development, Mode::Production]
            .into_iter()
            .find(|mode| text.starts_with(prefix(*mode)))?;
        let (public, rest) = text[prefix(mode).len()..].split_once('_')?;
        let right_length =
            public.len() == PUBLIC_LENGTH && rest.len() == SECRET_LENGTH + CHECKSUM_LENGTH;
        let plain = |part: &str| part.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !right_length || !plain(public) || !plain(rest) {
            return None;
        }
        let (body, sum) = text.split_at(text.len() - CHECKSUM_LENGTH);
        (checksum(body) == sum).then(|| Self { mode, text: text.to_owned() })
    }

    /// Whether the text looks like an API key, valid or not.
    pub fn is_meant(text: &str) -> bool {
        text.starts_with("tos_")
    }

    /// The whole key, to be shown once.
    pub fn expose(&self) -> &str {
        &self.text
    }

    /// The mode of the key's data.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The part by which the key is looked up.
    pub fn public_id(&self) -> &str {
        let start = prefix(self.mode).len();
        &self.text[start..start + PUBLIC_LENGTH]
    }

    /// The prefix shown in lists, without anything secret.
    pub fn shown_prefix(mode: Mode, public_id: &str) -> String {
        format!("{}{public_id}", prefix(mode))
    }

    /// The last four characters, to recognize the key by.
    pub fn last4(&self) -> &str {
        &self.text[self.text.len() - 4..]
    }

    /// The stored hash; the key has enough randomness that a plain hash cannot be guessed.
    pub fn hash(&self) -> [u8; 32] {
        sha256(self.text.as_bytes())
    }
}

impl std::fmt::Debug for ApiKey {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "ApiKey({}…)", &self.text[..prefix(self.mode).len() + PUBLIC_LENGTH])
    }
}

fn prefix(mode: Mode) -> &'static str {
    match mode {
        Mode::Development => "tos_dev_",
        Mode::Production => "tos_prod_",
    }
}

/// The CRC-32 of the rest, in six base-62 digits.
fn checksum(body: &str) -> String {
    let mut rest = crc32fast::hash(body.as_bytes());
    let mut digits = [b'0'; CHECKSUM_LENGTH];
    for digit in digits.iter_mut().rev() {
        *digit = ALPHABET[usize::try_from(rest % 62).unwrap_or(0)];
        rest /= 62;
    }
    digits.iter().map(|digit| char::from(*digit)).collect()
}

#[cfg(test)]
mod tests {
    use super::ApiKey;
    use crate::platform::ids::Mode;

    fn key() -> ApiKey {
        ApiKey::generate(Mode::Development, || {
            std::array::from_fn(|i| u8::try_from(i * 3).expect("is below 192"))
        })
    }

    #[test]
    fn a_key_reads_back_and_hides_its_secret() {
        let key = key();
        assert_eq!(key.expose().len(), "tos_dev_".len() + 12 + 1 + 32 + 6);
        assert_eq!(ApiKey::parse(key.expose()), Some(key.clone()));
        let secret = &key.expose()[21..53];
        assert!(!format!("{key:?}").contains(secret));
    }

    #[test]
    fn any_changed_character_is_refused_without_a_look_up() {
        let text = key().expose().to_owned();
        for index in 0..text.len() {
            let mut wrong = text.clone().into_bytes();
            wrong[index] = if wrong[index] == b'x' { b'y' } else { b'x' };
            let wrong = String::from_utf8(wrong).expect("ASCII stays ASCII");
            assert_eq!(ApiKey::parse(&wrong), None, "{wrong}");
        }
        assert_eq!(ApiKey::parse(&text[..text.len() - 1]), None);
        assert_eq!(ApiKey::parse("tos_dev_é"), None);
    }
}
