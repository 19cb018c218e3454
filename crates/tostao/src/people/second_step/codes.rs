//! What a person types as their second step: a code of their app, or a backup code.

use crate::people::second_step::base32::{encode, is_base32};
use crate::people::second_step::totp::DIGITS;
use crate::platform::secrets::sha256;

/// How many letters a backup code has: 80 bits, so a plain hash of it cannot be guessed.
const BACKUP_LETTERS: usize = 16;
/// How many letters stand together.
const GROUP: usize = 4;

/// A code as it was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypedCode {
    /// The digits that an app shows.
    App(String),
    /// The hash of a backup code.
    Backup([u8; 32]),
}

/// A backup code, to be shown once.
pub struct BackupCode(String);

impl TypedCode {
    /// Reads a code, with or without spaces and hyphens; `None` if it cannot be one.
    pub fn parse(text: &str) -> Option<Self> {
        let mut plain = text.replace(|letter: char| letter.is_whitespace() || letter == '-', "");
        plain.make_ascii_uppercase();
        if plain.len() == DIGITS && plain.bytes().all(|byte| byte.is_ascii_digit()) {
            return Some(Self::App(plain));
        }
        let is_backup = plain.len() == BACKUP_LETTERS && is_base32(&plain);
        is_backup.then(|| Self::Backup(sha256(plain.as_bytes())))
    }
}

impl BackupCode {
    /// Makes one of random bytes.
    pub fn new(bytes: [u8; 10]) -> Self {
        Self(encode(&bytes))
    }

    /// The code as it is shown: `abcd-efgh-ijkl-mnop`.
    pub fn expose(&self) -> String {
        let lower = self.0.to_ascii_lowercase();
        let groups = lower.as_bytes().chunks(GROUP).map(String::from_utf8_lossy);
        groups.collect::<Vec<_>>().join("-")
    }

    /// The stored hash.
    pub fn hash(&self) -> [u8; 32] {
        sha256(self.0.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::{BackupCode, TypedCode};

    #[test]
    fn a_code_is_read_however_it_was_copied() {
        for typed in ["123456", " 123 456 ", "123-456"] {
            assert_eq!(TypedCode::parse(typed), Some(TypedCode::App("123456".into())), "{typed}");
        }
        let code = BackupCode::new([7; 10]);
        let shown = code.expose();
        assert_eq!((shown.len(), shown.matches('-').count()), (19, 3), "{shown}");
        for typed in [shown.clone(), shown.to_uppercase(), shown.replace('-', " ")] {
            assert_eq!(TypedCode::parse(&typed), Some(TypedCode::Backup(code.hash())), "{typed}");
        }
        for typed in ["", "12345", "1234567", "12345é", &shown[1..], &shown.replace('a', "0")] {
            assert_eq!(TypedCode::parse(typed), None, "{typed}");
        }
    }
}
