//! Every key of the server, derived from one secret, each for one purpose.

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::hkdf::{HKDF_SHA256, Salt};
use aws_lc_rs::{digest, hmac};
use db::hex::hex;

const ACCESS_TOKEN_ID_BYTES: usize = 8;

/// What a derived key is for; two purposes never share one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Tokens in the URLs of a buyer's pages.
    StatusToken,
    /// The name of the attempt to pay after a decline.
    AttemptAfter,
    /// Payment confirmations that the sandbox bank sends.
    SandboxBank,
    /// Card fingerprints, which identify equal cards without storing their numbers.
    CardFingerprint,
    /// Payout callbacks of the sandbox bank.
    SandboxPayouts,
    /// Tokens in the URLs of withdrawal receipts.
    WithdrawalReceipt,
    /// Tokens in the URLs of carts.
    CartAddress,
    /// Keys that recognize a repeated capture of a form without identifying the caller.
    CartVisit,
    /// Tokens with which buyers manage their subscriptions.
    ManageToken,
    /// Cookies that record visitors' clicks on affiliate links.
    AffiliateClicks,
    /// The secret part of the addresses that banks send notices to.
    NoticesAddress,
    /// The fields of requests with an idempotency key, which are compared without storing them.
    RequestFields,
    /// The name of one filling-in of a form of the dashboard.
    FormAttempt,
}

/// The current keys, and those of the previous secret, which only decrypt and verify.
pub struct Secrets {
    keys: Keys,
    previous: Option<Keys>,
}

/// Which secret something was sealed with, from the best to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SealedWith {
    Current,
    /// The previous secret, which has to stay configured until this is sealed again.
    Previous,
    /// Neither, so it cannot be read here.
    Unknown,
}

/// How many values each secret has sealed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SealCount {
    pub current: u64,
    pub previous: u64,
    pub unknown: u64,
}

/// The keys derived from one secret.
struct Keys {
    access_token: AccessTokenKey,
    status_token: hmac::Key,
    attempt_after: hmac::Key,
    sandbox_bank: hmac::Key,
    card_fingerprint: hmac::Key,
    sandbox_payouts: hmac::Key,
    withdrawal_receipt: hmac::Key,
    cart_address: hmac::Key,
    cart_visit: hmac::Key,
    manage_token: hmac::Key,
    affiliate_clicks: hmac::Key,
    notices_address: hmac::Key,
    request_fields: hmac::Key,
    form_attempt: hmac::Key,
    seal: LessSafeKey,
}

/// Signs messages that begin alike.
pub struct Signer(hmac::Context);

/// A key that signs access tokens, and the key id that the tokens carry.
pub struct AccessTokenKey {
    pub id: String,
    pub bytes: [u8; 32],
}

impl Secrets {
    /// Derives all keys.
    pub fn derive(secret: &str) -> Self {
        Self { keys: Keys::derive(secret), previous: None }
    }

    /// Also reads what the previous secret sealed or signed.
    #[must_use]
    pub fn after(self, previous: &str) -> Self {
        Self { previous: Some(Keys::derive(previous)), ..self }
    }

    /// The key that signs access tokens.
    pub fn access_token(&self) -> &AccessTokenKey {
        &self.keys.access_token
    }

    /// The key with this id, if it is one of ours.
    pub fn access_token_named(&self, id: &str) -> Option<&AccessTokenKey> {
        self.all().map(|keys| &keys.access_token).find(|key| key.id == id)
    }

    /// Signs for one purpose.
    pub fn sign(&self, purpose: Purpose, message: &[u8]) -> Vec<u8> {
        self.keys.sign(purpose, message)
    }

    /// Signs for one purpose messages that begin with `start`.
    pub fn signer(&self, purpose: Purpose, start: &[u8]) -> Signer {
        let mut context = hmac::Context::with_key(self.keys.key(purpose));
        context.update(start);
        Signer(context)
    }

    /// Checks a signature in constant time.
    pub fn verify(&self, purpose: Purpose, message: &[u8], signature: &[u8]) -> bool {
        self.all().any(|keys| hmac::verify(keys.key(purpose), message, signature).is_ok())
    }

    /// Checks a signature truncated to its first `length` bytes, in constant time.
    pub fn verify_start(
        &self,
        purpose: Purpose,
        message: &[u8],
        start: &[u8],
        length: usize,
    ) -> bool {
        let expected = |keys: &Keys| keys.sign(purpose, message);
        self.all().any(|keys| expected(keys).get(..length).is_some_and(|own| same(own, start)))
    }

    /// Encrypts a value that must be read back; `aad` binds it to its row.
    ///
    /// # Panics
    ///
    /// Never with a text that fits in memory.
    pub fn seal(&self, nonce: [u8; NONCE_LEN], aad: &[u8], plain: &[u8]) -> Vec<u8> {
        let mut sealed = plain.to_vec();
        let nonce_of_it = Nonce::assume_unique_for_key(nonce);
        self.keys
            .seal
            .seal_in_place_append_tag(nonce_of_it, Aad::from(aad), &mut sealed)
            .expect("a few bytes are within what AES-GCM seals");
        [&nonce[..], &sealed].concat()
    }

    /// Decrypts; `None` if it was sealed for other data, or with another secret.
    pub fn open(&self, aad: &[u8], sealed: &[u8]) -> Option<Vec<u8>> {
        self.all().find_map(|keys| keys.open(aad, sealed))
    }

    /// Which secret a value was sealed with.
    pub fn sealed_with(&self, aad: &[u8], sealed: &[u8]) -> SealedWith {
        if self.keys.open(aad, sealed).is_some() {
            SealedWith::Current
        } else if self.open(aad, sealed).is_some() {
            SealedWith::Previous
        } else {
            SealedWith::Unknown
        }
    }

    /// Seals with the current secret what the previous one sealed; `None` for everything else.
    pub fn reseal(&self, nonce: [u8; NONCE_LEN], aad: &[u8], sealed: &[u8]) -> Option<Vec<u8>> {
        let plain = self.previous.as_ref()?.open(aad, sealed)?;
        Some(self.seal(nonce, aad, &plain))
    }

    fn all(&self) -> impl Iterator<Item = &Keys> {
        std::iter::once(&self.keys).chain(&self.previous)
    }
}

impl Signer {
    /// Signs the message that ends with these parts.
    pub fn sign(&self, parts: &[&[u8]]) -> [u8; 32] {
        let mut context = self.0.clone();
        for part in parts {
            context.update(part);
        }
        let mut signature = [0; 32];
        signature.copy_from_slice(context.sign().as_ref());
        signature
    }
}

impl SealCount {
    /// Adds the counts of another place.
    pub fn add(&mut self, other: Self) {
        self.current += other.current;
        self.previous += other.previous;
        self.unknown += other.unknown;
    }
}

impl FromIterator<SealedWith> for SealCount {
    fn from_iter<I: IntoIterator<Item = SealedWith>>(all: I) -> Self {
        let mut found = Self::default();
        for with in all {
            match with {
                SealedWith::Current => found.current += 1,
                SealedWith::Previous => found.previous += 1,
                SealedWith::Unknown => found.unknown += 1,
            }
        }
        found
    }
}

impl Keys {
    fn derive(secret: &str) -> Self {
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
        let id = hex(&key("access token id")[..ACCESS_TOKEN_ID_BYTES]);
        Self {
            access_token: AccessTokenKey { id, bytes: key("access token") },
            status_token: hmac::Key::new(hmac::HMAC_SHA256, &key("status token")),
            attempt_after: hmac::Key::new(hmac::HMAC_SHA256, &key("attempt after")),
            sandbox_bank: hmac::Key::new(hmac::HMAC_SHA256, &key("sandbox bank")),
            card_fingerprint: hmac::Key::new(hmac::HMAC_SHA256, &key("card fingerprint")),
            sandbox_payouts: hmac::Key::new(hmac::HMAC_SHA256, &key("sandbox payouts")),
            withdrawal_receipt: hmac::Key::new(hmac::HMAC_SHA256, &key("withdrawal receipt")),
            cart_address: hmac::Key::new(hmac::HMAC_SHA256, &key("cart address")),
            cart_visit: hmac::Key::new(hmac::HMAC_SHA256, &key("cart visit")),
            manage_token: hmac::Key::new(hmac::HMAC_SHA256, &key("manage token")),
            affiliate_clicks: hmac::Key::new(hmac::HMAC_SHA256, &key("affiliate clicks")),
            notices_address: hmac::Key::new(hmac::HMAC_SHA256, &key("notices address")),
            request_fields: hmac::Key::new(hmac::HMAC_SHA256, &key("request fields")),
            form_attempt: hmac::Key::new(hmac::HMAC_SHA256, &key("form attempt")),
            seal: LessSafeKey::new(sealing),
        }
    }

    fn sign(&self, purpose: Purpose, message: &[u8]) -> Vec<u8> {
        hmac::sign(self.key(purpose), message).as_ref().to_vec()
    }

    fn open(&self, aad: &[u8], sealed: &[u8]) -> Option<Vec<u8>> {
        let (nonce, body) = sealed.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut plain = body.to_vec();
        let length = self.seal.open_in_place(nonce, Aad::from(aad), &mut plain).ok()?.len();
        plain.truncate(length);
        Some(plain)
    }

    fn key(&self, purpose: Purpose) -> &hmac::Key {
        match purpose {
            Purpose::StatusToken => &self.status_token,
            Purpose::AttemptAfter => &self.attempt_after,
            Purpose::SandboxBank => &self.sandbox_bank,
            Purpose::CardFingerprint => &self.card_fingerprint,
            Purpose::SandboxPayouts => &self.sandbox_payouts,
            Purpose::WithdrawalReceipt => &self.withdrawal_receipt,
            Purpose::CartAddress => &self.cart_address,
            Purpose::CartVisit => &self.cart_visit,
            Purpose::ManageToken => &self.manage_token,
            Purpose::AffiliateClicks => &self.affiliate_clicks,
            Purpose::NoticesAddress => &self.notices_address,
            Purpose::RequestFields => &self.request_fields,
            Purpose::FormAttempt => &self.form_attempt,
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
    use super::{Purpose, SealedWith, Secrets};

    #[test]
    fn what_is_sealed_opens_only_with_its_associated_data() {
        let secrets = Secrets::derive("a secret of more than 32 characters");
        let sealed = secrets.seal([7; 12], b"webhook 1", b"whsec");
        assert_eq!(secrets.open(b"webhook 1", &sealed).as_deref(), Some(&b"whsec"[..]));
        assert_eq!(secrets.open(b"webhook 2", &sealed), None);
        assert_eq!(Secrets::derive("another").open(b"webhook 1", &sealed), None);
        assert_eq!(secrets.open(b"webhook 1", b"short"), None);
    }

    #[test]
    fn what_the_secret_before_sealed_and_signed_is_read_and_nothing_new_is_made_with_it() {
        let (old, new) = ("the secret before", "the secret in force");
        let (before, rotated) = (Secrets::derive(old), Secrets::derive(new).after(old));
        let sealed = before.seal([7; 12], b"data", b"whsec");
        assert_eq!(rotated.open(b"data", &sealed).as_deref(), Some(&b"whsec"[..]));
        assert_eq!(Secrets::derive(new).open(b"data", &sealed), None);
        let signature = before.sign(Purpose::ManageToken, b"message");
        assert!(rotated.verify(Purpose::ManageToken, b"message", &signature));
        assert!(rotated.verify_start(Purpose::ManageToken, b"message", &signature[..16], 16));
        for start in [&signature[..15], &signature[..17], &[]] {
            assert!(!rotated.verify_start(Purpose::ManageToken, b"message", start, 16));
        }
        assert!(!Secrets::derive(new).verify(Purpose::ManageToken, b"message", &signature));
        let resealed = rotated.reseal([9; 12], b"data", &sealed).expect("was sealed before");
        assert_eq!(Secrets::derive(new).open(b"data", &resealed).as_deref(), Some(&b"whsec"[..]));
        assert_eq!(rotated.reseal([9; 12], b"data", &resealed), None);
        let with = |secrets: &Secrets| {
            [&sealed, &resealed].map(|sealed| secrets.sealed_with(b"data", sealed))
        };
        assert_eq!(with(&rotated), [SealedWith::Previous, SealedWith::Current]);
        assert_eq!(with(&before), [SealedWith::Current, SealedWith::Unknown]);
        let sealed = rotated.seal([8; 12], b"data", b"whsec");
        assert_eq!(before.open(b"data", &sealed), None);
        assert!(Secrets::derive(new).open(b"data", &sealed).is_some());
        let id = &rotated.access_token().id;
        assert_eq!(*id, Secrets::derive(new).access_token().id);
        assert_ne!(*id, before.access_token().id);
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
