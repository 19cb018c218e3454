//! The secret part of a link that is given to one person: an invitation, or a new password.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use db::tx::Tx;

use crate::platform::secrets::sha256;

/// How a link reaches its person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// Only a mail has its token, so its use proves the address.
    Mailed,
    /// Its token was shown to somebody, who hands it over.
    Shown,
}

/// The secret of a link; only its hash is stored.
pub struct LinkToken([u8; 32]);

impl LinkToken {
    /// Makes a new one.
    pub fn new(tx: &Tx) -> Self {
        Self(tx.random())
    }

    /// Parses a token; `None` if it cannot be one.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text.trim()).ok()?;
        Some(Self(bytes.try_into().ok()?))
    }

    /// The token, to be shown once.
    pub fn expose(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0)
    }

    /// What is stored of it.
    pub fn hash(&self) -> Vec<u8> {
        sha256(&self.0).to_vec()
    }
}
