//! What a receiver does to know who sent something, written from the published rules alone.

use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use db::hex::hex;
use serde_json::Value;

use crate::harness::receiver::Delivery;

const BLOCK: usize = 64;

/// Checks the signature of the body alone: keyed with the whole text of the secret.
pub fn signs_body(secret: &str, delivery: &Delivery) -> bool {
    let expected = STANDARD.encode(hmac_sha256(secret.as_bytes(), &delivery.body));
    let sent = ["x-webhook-signature", "x-service-signature"].map(|name| delivery.header(name));
    sent == [&expected, &expected]
}

/// Checks the Standard Webhooks signatures: any of them may be this secret's.
pub fn signs_message(secret: &str, delivery: &Delivery) -> bool {
    let key = secret.strip_prefix("whsec_").expect("has its prefix");
    let key = STANDARD.decode(key).expect("is base64");
    let (id, seconds) = (delivery.header("webhook-id"), delivery.header("webhook-timestamp"));
    let message = [id.as_bytes(), seconds.as_bytes(), &delivery.body].join(&b'.');
    let expected = format!("v1,{}", STANDARD.encode(hmac_sha256(&key, &message)));
    signatures(delivery).contains(&expected.as_str())
}

/// The Standard Webhooks signatures that were sent.
pub fn signatures(delivery: &Delivery) -> Vec<&str> {
    delivery.header("webhook-signature").split(' ').collect()
}

/// The secret of a subscription that was just made.
pub fn secret(hook: &Value) -> &str {
    hook["secret"].as_str().expect("is shown once")
}

/// RFC 2104: `H(K ^ opad, H(K ^ ipad, text))`.
fn hmac_sha256(key: &[u8], text: &[u8]) -> Vec<u8> {
    let mut block = [0; BLOCK];
    let hashed = digest(&SHA256, key);
    let key = if key.len() > BLOCK { hashed.as_ref() } else { key };
    block[..key.len()].copy_from_slice(key);
    let inner = digest(&SHA256, &[&block.map(|byte| byte ^ 0x36), text].concat());
    let outer = digest(&SHA256, &[&block.map(|byte| byte ^ 0x5c), inner.as_ref()].concat());
    outer.as_ref().to_vec()
}

#[test]
fn the_check_itself_agrees_with_the_vectors_of_rfc_4231() {
    let table: [(&[u8], &[u8], &str); 2] = [
        (
            b"Jefe",
            b"what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        ),
        (
            &[0xaa; 131],
            b"Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
        ),
    ];
    for (key, text, expected) in table {
        assert_eq!(hex(&hmac_sha256(key, text)), expected);
    }
}
