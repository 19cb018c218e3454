//! Every key the server uses, derived from one secret, each for one purpose.

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::hkdf::{HKDF_SHA256, Salt};
use aws_lc_rs::{digest, hmac};

/// What a derived key is for; two purposes never share one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Tokens in the addresses of a buyer's own pages.
    StatusToken,
    /// Confirmations that the sandbox bank sends.
    SandboxBank,
    /// What tells whether two cards are the same one, without their numbers.
    CardFingerprint,
    /// What the sandbox bank tells of payouts.
    SandboxPayouts,
    /// Tokens in the addresses of withdrawals' receipts.
    WithdrawalReceipt,
    /// Tokens in the addresses of carts.
    CartAddress,
    /// What tells whether a caller captured a form before, without saying who he is.
    CartVisit,
    /// Tokens with which buyers manage their subscriptions.
    ManageToken,
    /// What visitors keep of their clicks on affiliates' addresses.
    AffiliateClicks,
}

/// The keys.
pub struct Secrets {
    access_token: [u8; 32],
    status_token: hmac::Key,
    sandbox_bank: hmac::Key,
    card_fingerprint: hmac::Key,
    sandbox_payouts: hmac::Key,
    withdrawal_receipt: hmac::Key,
    cart_address: hmac::Key,
    cart_visit: hmac::Key,
    manage_token: hmac::Key,
    affiliate_clicks: hmac::Key,
    seal: LessSafeKey,
}

impl Secrets {
    /// Derives all of them.
    ///
    /// # Panics
    ///
    /// Never: every key has a length that its algorithm takes.
    pub fn derive(secret: &str) -> Self {
        let salt = Salt::new(HKDF_SHA256, b"tostao");
        let root = salt.extract(secret.as_bytes());
        let key = |purpose: &str| -> [u8; 32] {
            let mut bytes = [0; 32];
            root.expand(&[purpose.as_bytes()], HKDF_SHA256)
                .and_then(|material| material.fill(&mut bytes))
                .expect("a key of 32 bytes is within what HKDF-SHA256 gives");
            bytes
        };
        let sealing = UnboundKey::new(&AES_256_GCM, &key("seal"))
            .expect("a key of 32 bytes is what AES-256 takes");
        Self {
            access_token: key("access token"),
            status_token: hmac::Key::new(hmac::HMAC_SHA256, &key("status token")),
            sandbox_bank: hmac::Key::new(hmac::HMAC_SHA256, &key("sandbox bank")),
            card_fingerprint: hmac::Key::new(hmac::HMAC_SHA256, &key("card fingerprint")),
            sandbox_payouts: hmac::Key::new(hmac::HMAC_SHA256, &key("sandbox payouts")),
            withdrawal_receipt: hmac::Key::new(hmac::HMAC_SHA256, &key("withdrawal receipt")),
            cart_address: hmac::Key::new(hmac::HMAC_SHA256, &key("cart address")),
            cart_visit: hmac::Key::new(hmac::HMAC_SHA256, &key("cart visit")),
            manage_token: hmac::Key::new(hmac::HMAC_SHA256, &key("manage token")),
            affiliate_clicks: hmac::Key::new(hmac::HMAC_SHA256, &key("affiliate clicks")),
            seal: LessSafeKey::new(sealing),
        }
    }

    /// The key that signs access tokens.
    pub fn access_token(&self) -> &[u8] {
        &self.access_token
    }

    /// Signs for one purpose.
    pub fn sign(&self, purpose: Purpose, message: &[u8]) -> Vec<u8> {
        hmac::sign(self.key(purpose), message).as_ref().to_vec()
    }

    /// Checks a signature in constant time.
    pub fn verify(&self, purpose: Purpose, message: &[u8], signature: &[u8]) -> bool {
        hmac::verify(self.key(purpose), message, signature).is_ok()
    }

    /// Encrypts what must be read again; `place` ties it to its row.
    ///
    /// # Panics
    ///
    /// Never with a text that fits in memory.
    pub fn seal(&self, nonce: [u8; NONCE_LEN], place: &[u8], plain: &[u8]) -> Vec<u8> {
        let mut sealed = plain.to_vec();
        self.seal
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(place),
                &mut sealed,
            )
            .expect("a few bytes are within what AES-GCM seals");
        [&nonce[..], &sealed].concat()
    }

    /// Decrypts; `None` if it was sealed for another place, or with another secret.
    pub fn open(&self, place: &[u8], sealed: &[u8]) -> Option<Vec<u8>> {
        let (nonce, body) = sealed.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut plain = body.to_vec();
        let length = self.seal.open_in_place(nonce, Aad::from(place), &mut plain).ok()?.len();
        plain.truncate(length);
        Some(plain)
    }

    fn key(&self, purpose: Purpose) -> &hmac::Key {
        match purpose {
            Purpose::StatusToken => &self.status_token,
            Purpose::SandboxBank => &self.sandbox_bank,
            Purpose::CardFingerprint => &self.card_fingerprint,
            Purpose::SandboxPayouts => &self.sandbox_payouts,
            Purpose::WithdrawalReceipt => &self.withdrawal_receipt,
            Purpose::CartAddress => &self.cart_address,
            Purpose::CartVisit => &self.cart_visit,
            Purpose::ManageToken => &self.manage_token,
            Purpose::AffiliateClicks => &self.affiliate_clicks,
        }
    }
}

/// The SHA-256 of `bytes`.
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    let mut out = [0; 32];
    out.copy_from_slice(digest::digest(&digest::SHA256, bytes).as_ref());
    out
}

/// Compares in constant time.
pub fn same(a: &[u8], b: &[u8]) -> bool {
    verify_slices_are_equal(a, b).is_ok()
}

#[cfg(test)]
mod tests {
    use super::{Purpose, Secrets};

    #[test]
    fn what_is_sealed_opens_only_in_its_place() {
        let secrets = Secrets::derive("a secret of more than 32 characters");
        let sealed = secrets.seal([7; 12], b"webhook 1", b"whsec");
        assert_eq!(secrets.open(b"webhook 1", &sealed).as_deref(), Some(&b"whsec"[..]));
        assert_eq!(secrets.open(b"webhook 2", &sealed), None);
        assert_eq!(Secrets::derive("another").open(b"webhook 1", &sealed), None);
        assert_eq!(secrets.open(b"webhook 1", b"short"), None);
    }

    #[test]
    fn a_signature_holds_for_one_purpose() {
        let secrets = Secrets::derive("a secret of more than 32 characters");
        let signature = secrets.sign(Purpose::StatusToken, b"message");
        assert!(secrets.verify(Purpose::StatusToken, b"message", &signature));
        assert!(!secrets.verify(Purpose::SandboxBank, b"message", &signature));
        assert!(!secrets.verify(Purpose::StatusToken, b"massage", &signature));
    }
}
