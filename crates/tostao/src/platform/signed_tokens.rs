//! The tokens that we give out and recognize later: in URLs, in cookies, between two pages.
//!
//! | Token | Its bytes, in URL-safe base64 |
//! |---|---|
//! | signed | version, content, the first half of a signature by the purpose's key |
//! | sealed | version, what AES-256-GCM makes of an expiry and the content, with associated data |
//!
//! The holder of a signed token can read it; that of a sealed one cannot.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use db::time::Timestamp;
use uuid::Uuid;

use crate::platform::ids::{MerchantId, Mode, Scope};
use crate::platform::secrets::{Purpose, Secrets};

const VERSION: u8 = 1;
/// Half of a signature; 128 bits cannot be guessed.
const SIGNATURE_BYTES: usize = 16;

/// The object that a token names. The sandbox clock is not part of it, so the reader has to
/// complete the scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenSubject<I> {
    pub merchant: MerchantId,
    pub mode: Mode,
    pub id: I,
}

/// Signs a content for one purpose.
pub fn sign(secrets: &Secrets, purpose: Purpose, content: &[u8]) -> String {
    let mut bytes = [&[VERSION], content].concat();
    let signature = secrets.sign(purpose, &bytes);
    bytes.extend_from_slice(&signature[..SIGNATURE_BYTES]);
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The content of a token; `None` if we did not sign it for this purpose.
pub fn verify(secrets: &Secrets, purpose: Purpose, token: &str) -> Option<Vec<u8>> {
    let bytes = decode(token)?;
    let (signed, signature) = bytes.split_at_checked(bytes.len().checked_sub(SIGNATURE_BYTES)?)?;
    let is_ours = secrets.verify_start(purpose, signed, signature, SIGNATURE_BYTES);
    is_ours.then(|| signed[1..].to_vec())
}

/// Signs the name of one object of a merchant.
pub fn sign_name(secrets: &Secrets, purpose: Purpose, scope: Scope, id: Uuid) -> String {
    let mode = [u8::from(!scope.mode.is_development())];
    let named = [&scope.merchant.0.as_bytes()[..], &mode, id.as_bytes()].concat();
    sign(secrets, purpose, &named)
}

/// The object that a token names; `None` if we did not sign it for this purpose.
pub fn verify_name<I>(
    secrets: &Secrets,
    purpose: Purpose,
    token: &str,
    id_of: impl FnOnce(Uuid) -> I,
) -> Option<TokenSubject<I>> {
    let content = verify(secrets, purpose, token)?;
    let (merchant, rest) = content.split_at_checked(16)?;
    let (mode, id) = rest.split_first()?;
    let mode = if *mode == 0 { Mode::Development } else { Mode::Production };
    let merchant = MerchantId(Uuid::from_slice(merchant).ok()?);
    Some(TokenSubject { merchant, mode, id: id_of(Uuid::from_slice(id).ok()?) })
}

/// Encrypts a content until it expires; it opens only with the same associated data.
pub fn seal(
    secrets: &Secrets,
    nonce: [u8; 12],
    aad: &str,
    content: &[u8],
    expires_at: Timestamp,
) -> String {
    let plain = [&expires_at.micros().to_be_bytes()[..], content].concat();
    let sealed = secrets.seal(nonce, aad.as_bytes(), &plain);
    URL_SAFE_NO_PAD.encode([&[VERSION], &sealed[..]].concat())
}

/// The content that was sealed with this associated data; `None` if we did not seal it, or it has
/// expired.
pub fn open(secrets: &Secrets, now: Timestamp, aad: &str, token: &str) -> Option<Vec<u8>> {
    let plain = secrets.open(aad.as_bytes(), &decode(token)?[1..])?;
    let (expires_at, content) = plain.split_first_chunk()?;
    (now.micros() < i64::from_be_bytes(*expires_at)).then(|| content.to_vec())
}

/// The bytes of a token of this version.
fn decode(token: &str) -> Option<Vec<u8>> {
    let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
    (bytes.first() == Some(&VERSION)).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use db::time::Timestamp;
    use uuid::Uuid;

    use super::{TokenSubject, open, seal, sign, sign_name, verify, verify_name};
    use crate::platform::ids::{MerchantId, Mode, Scope};
    use crate::platform::secrets::{Purpose, Secrets};

    fn secrets() -> Secrets {
        Secrets::derive("a secret of more than 32 characters")
    }

    /// The token with each of its characters changed, without each of its ends, and none.
    fn forged(token: &str) -> Vec<String> {
        let changed = (0..token.len()).map(|index| {
            let mut wrong = token.as_bytes().to_vec();
            wrong[index] = if wrong[index] == b'A' { b'B' } else { b'A' };
            String::from_utf8(wrong).expect("ASCII stays ASCII")
        });
        let cut = [&token[1..], &token[..token.len() - 1], ""].map(str::to_owned);
        changed.chain(cut).collect()
    }

    #[test]
    fn only_what_we_signed_for_a_purpose_is_read() {
        let secrets = secrets();
        let merchant = MerchantId(Uuid::from_u128(7));
        for mode in [Mode::Production, Mode::Development] {
            let scope = Scope { merchant, mode, ahead: Duration::ZERO };
            let id = Uuid::from_u128(9);
            let token = sign_name(&secrets, Purpose::StatusToken, scope, id);
            let read = |secrets: &Secrets, purpose| verify_name(secrets, purpose, &token, |id| id);
            assert_eq!(
                read(&secrets, Purpose::StatusToken),
                Some(TokenSubject { merchant, mode, id })
            );
            assert_eq!(read(&secrets, Purpose::ManageToken), None);
            assert_eq!(read(&Secrets::derive("another"), Purpose::StatusToken), None);
            for wrong in forged(&token) {
                let read = verify_name(&secrets, Purpose::StatusToken, &wrong, |id| id);
                assert_eq!(read, None, "{wrong}");
            }
        }
        let empty = sign(&secrets, Purpose::StatusToken, b"");
        assert_eq!(verify(&secrets, Purpose::StatusToken, &empty), Some(Vec::new()));
        assert_eq!(verify_name(&secrets, Purpose::StatusToken, &empty, |id| id), None);
    }

    #[test]
    fn what_is_sealed_opens_with_its_associated_data_until_it_expires() {
        let (secrets, at) = (secrets(), Timestamp::from_micros);
        let token = seal(&secrets, [7; 12], "here", b"content", at(10));
        assert_eq!(open(&secrets, at(9), "here", &token).as_deref(), Some(&b"content"[..]));
        assert_eq!(open(&secrets, at(10), "here", &token), None);
        assert_eq!(open(&secrets, at(9), "there", &token), None);
        for wrong in forged(&token) {
            assert_eq!(open(&secrets, at(9), "here", &wrong), None, "{wrong}");
        }
    }
}
