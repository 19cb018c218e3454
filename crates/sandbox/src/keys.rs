//! The keys of the sandbox, which the server derives from its own secret.

use aws_lc_rs::digest;

/// What a key is for; two uses never share one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyUse {
    /// Confirmations of payments.
    Payments,
    /// Reports of payouts.
    Payouts,
    /// Fingerprints, which identify equal cards without storing their numbers.
    CardFingerprints,
}

/// Keys for messages.
pub trait Keys: Send + Sync {
    /// Signs a message.
    fn sign(&self, key_use: KeyUse, message: &[u8]) -> Vec<u8>;

    /// Checks a signature in constant time.
    fn verify(&self, key_use: KeyUse, message: &[u8], signature: &[u8]) -> bool;
}

/// The hash under which a token is stored.
pub(crate) fn token_hash(token: &str) -> [u8; 32] {
    let mut hash = [0; 32];
    hash.copy_from_slice(digest::digest(&digest::SHA256, token.as_bytes()).as_ref());
    hash
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::Arc;

    use aws_lc_rs::hmac;

    use super::{KeyUse, Keys};

    /// Keys that stand for a server's.
    struct TestKeys(&'static str);

    impl TestKeys {
        fn key(&self, key_use: KeyUse) -> hmac::Key {
            hmac::Key::new(hmac::HMAC_SHA256, format!("{} {key_use:?}", self.0).as_bytes())
        }
    }

    impl Keys for TestKeys {
        fn sign(&self, key_use: KeyUse, message: &[u8]) -> Vec<u8> {
            hmac::sign(&self.key(key_use), message).as_ref().to_vec()
        }

        fn verify(&self, key_use: KeyUse, message: &[u8], signature: &[u8]) -> bool {
            hmac::verify(&self.key(key_use), message, signature).is_ok()
        }
    }

    pub fn keys(secret: &'static str) -> Arc<dyn Keys> {
        Arc::new(TestKeys(secret))
    }
}
