//! Signed tokens that name one object of one merchant.
//!
//! The sandbox clock is not part of a token, so the reader has to complete the scope.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use uuid::Uuid;

use crate::platform::ids::{MerchantId, Mode, Scope};
use crate::platform::secrets::{Purpose, Secrets};

const NAMED: usize = 16 + 1 + 16;
/// Half of the signature; 128 bits cannot be guessed.
const SIGNED: usize = 16;

/// The object that a token names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Named {
    pub merchant: MerchantId,
    pub mode: Mode,
    pub id: Uuid,
}

/// Writes the token of an object, for one purpose.
pub fn write(secrets: &Secrets, purpose: Purpose, scope: Scope, id: Uuid) -> String {
    let mut bytes = Vec::with_capacity(NAMED + SIGNED);
    bytes.extend_from_slice(scope.merchant.0.as_bytes());
    bytes.push(u8::from(!scope.mode.is_development()));
    bytes.extend_from_slice(id.as_bytes());
    let signature = secrets.sign(purpose, &bytes);
    bytes.extend_from_slice(&signature[..SIGNED]);
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Reads a token; `None` if we did not sign it for this purpose.
pub fn read(secrets: &Secrets, purpose: Purpose, token: &str) -> Option<Named> {
    let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
    let (named, signature) = bytes.split_at_checked(NAMED)?;
    if !secrets.verify_start(purpose, named, signature, SIGNED) {
        return None;
    }
    let mode = if named[16] == 0 { Mode::Development } else { Mode::Production };
    let merchant = MerchantId(Uuid::from_slice(&named[..16]).ok()?);
    Some(Named { merchant, mode, id: Uuid::from_slice(&named[17..]).ok()? })
}
