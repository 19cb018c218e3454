//! Notices that are signed, and the key that their receiver checks them with.

use std::sync::OnceLock;

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::{KeyPair, KeySize};
use aws_lc_rs::signature::{KeyPair as _, RSA_PKCS1_SHA256};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

pub const HEADER: &str = "x-webhook-asymmetric-signature";

pub const KEYS_PATH: &str = "/.well-known/jwks.json";

const KEY_ID: &str = "fakepsp-1";

/// The key that signs notices, made when it is first needed; the fakes of a process share it,
/// because making one takes longer than most of what is done with them.
fn key() -> &'static KeyPair {
    static KEY: OnceLock<KeyPair> = OnceLock::new();
    KEY.get_or_init(|| {
        KeyPair::generate(KeySize::Rsa2048).expect("the library makes keys of 2048 bits")
    })
}

/// RS256 over the raw body.
///
/// # Panics
///
/// If the library cannot make keys of 2048 bits.
pub fn header(body: &[u8]) -> String {
    let key = key();
    let mut signature = vec![0; key.public_modulus_len()];
    key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), body, &mut signature)
        .expect("the buffer has the length of the modulus");
    let signature = URL_SAFE_NO_PAD.encode(signature);
    format!("alg=RS256; kid={KEY_ID}; signature={signature}")
}

/// The layout of a PKCS #1 public key of 2048 bits: a sequence, the modulus behind a zero byte,
/// and 65537.
const MODULUS: std::ops::Range<usize> = 9..265;
const EXPONENT: &str = "AQAB";

/// The key that verifies signed notices, as a JSON Web Key Set.
///
/// # Panics
///
/// If the library cannot make keys of 2048 bits.
pub fn keys() -> Value {
    let modulus = key().public_key().as_ref().get(MODULUS).unwrap_or_default();
    json!({
        "keys": [{
            "kty": "RSA",
            "use": "sig",
            "alg": "RS256",
            "kid": KEY_ID,
            "n": URL_SAFE_NO_PAD.encode(modulus),
            "e": EXPONENT,
        }],
    })
}

#[cfg(test)]
mod tests {
    use aws_lc_rs::rsa::PublicKeyComponents;
    use aws_lc_rs::signature::RSA_PKCS1_2048_8192_SHA256;
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;

    use super::{header, keys};

    #[test]
    fn the_published_key_verifies_the_header_over_the_raw_body() {
        let header = header(b"{}");
        let signature = header.rsplit_once("signature=").unwrap().1;
        let decoded = |text: &str| URL_SAFE_NO_PAD.decode(text).unwrap();
        let published = keys();
        let part = |name: &str| decoded(published["keys"][0][name].as_str().unwrap());
        let public = PublicKeyComponents { n: part("n"), e: part("e") };

        let verify =
            |body: &[u8]| public.verify(&RSA_PKCS1_2048_8192_SHA256, body, &decoded(signature));
        assert!(verify(b"{}").is_ok());
        assert!(verify(b"{ }").is_err());
    }
}
