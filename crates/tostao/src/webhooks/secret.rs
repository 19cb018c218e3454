//! The secret of one subscription: how it is written, stored and used.
//!
//! It signs in two ways. The API's own header uses the whole text as the key and only the body as
//! the message. The Standard Webhooks header uses the bytes after the prefix and also signs the
//! event's id and the time of sending, so that an old message cannot be replayed.

use aws_lc_rs::aead::NONCE_LEN;
use aws_lc_rs::hmac;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::platform::ids::WebhookId;
use crate::platform::secrets::Secrets;

const PREFIX: &str = "whsec_";

/// A secret with which a receiver verifies our signatures.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Encodes 32 random bytes as a secret.
    pub fn generate(random: [u8; 32]) -> Self {
        Self(format!("{PREFIX}{}", STANDARD.encode(random)))
    }

    /// A secret whose text its owner has.
    pub fn of(text: String) -> Self {
        Self(text)
    }

    /// The whole text, for its owner.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Encrypts it for the row of one subscription.
    pub fn seal(&self, secrets: &Secrets, webhook: WebhookId, nonce: [u8; NONCE_LEN]) -> Vec<u8> {
        secrets.seal(nonce, aad(&webhook), self.0.as_bytes())
    }

    /// Decrypts what was sealed for that subscription; `None` if another secret sealed it.
    pub fn open(secrets: &Secrets, webhook: WebhookId, sealed: &[u8]) -> Option<Self> {
        let plain = secrets.open(aad(&webhook), sealed)?;
        String::from_utf8(plain).ok().map(Self)
    }

    /// The signature of the body only.
    pub fn sign_body(&self, body: &str) -> String {
        sign(self.0.as_bytes(), body.as_bytes())
    }

    /// The Standard Webhooks signature of one attempt.
    pub fn sign_message(&self, id: &str, seconds: i64, body: &str) -> String {
        let encoded = self.0.strip_prefix(PREFIX).unwrap_or_default();
        let key = STANDARD.decode(encoded).unwrap_or_default();
        format!("v1,{}", sign(&key, format!("{id}.{seconds}.{body}").as_bytes()))
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Secret(***)")
    }
}

/// The associated data that a sealed secret is bound to.
pub fn aad(webhook: &WebhookId) -> &[u8] {
    webhook.0.as_bytes()
}

fn sign(key: &[u8], message: &[u8]) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, key);
    STANDARD.encode(hmac::sign(&key, message))
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::Secret;
    use crate::platform::ids::WebhookId;
    use crate::platform::secrets::Secrets;

    const BODY: &str = r#"{"id":"evt","data":{"price":1}}"#;

    fn secret() -> Secret {
        Secret::generate(std::array::from_fn(|i| u8::try_from(i).unwrap()))
    }

    /// Computed with Python's `hmac`; the second agrees with the reference library.
    #[test]
    fn signatures_are_those_that_receivers_compute() {
        let secret = secret();
        assert_eq!(secret.expose(), "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
        assert_eq!(secret.sign_body(BODY), "S5ZYueAfK9bmDYl5NUp9Lk5O+2CQCo2dWXhSXj9ZpMk=");
        let id = "0190a000-0000-7000-8000-000000000001";
        assert_eq!(
            secret.sign_message(id, 1_795_276_800, BODY),
            "v1,kkpfHCucRX/niHxnvt4oG6Htp+2wY67ShlNUlbILsyY=",
        );
    }

    #[test]
    fn a_secret_is_read_only_in_its_own_row() {
        let secrets = Secrets::derive("a secret of more than 32 characters");
        let (own, other) = (WebhookId(Uuid::from_u128(1)), WebhookId(Uuid::from_u128(2)));
        let sealed = secret().seal(&secrets, own, [7; 12]);
        assert_eq!(Secret::open(&secrets, own, &sealed).unwrap(), secret());
        assert!(Secret::open(&secrets, other, &sealed).is_none());
    }

    #[test]
    fn a_secret_is_not_printed() {
        assert_eq!(format!("{:?}", secret()), "Secret(***)");
    }
}
