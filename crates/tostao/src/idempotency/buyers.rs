//! Idempotency keys of buyers, who have no account that separates their keys from others'.
//!
//! Any client may send any key to a public checkout. So a key counts for one buyer on one page
//! only: no other buyer can use it up, or get the response stored under it.

use bytes::Bytes;
use db::hex::hex;
use uuid::Uuid;

use crate::idempotency::{IdempotencyHeader, IdempotencyKey};
use crate::platform::ids::Scope;
use crate::platform::secrets::sha256;

/// Half of the hash, because every charge stores one in an index; a collision in 128 bits cannot be
/// found.
const KEY_HASH_BYTES: usize = 16;

/// The buyer, as far as an unauthenticated request identifies them.
///
/// The IP address is not part of it: it may change between a request and its retry.
#[derive(Debug, Clone, Copy)]
pub struct Buyer<'a> {
    /// The name of the device, if it has one; then nothing else counts.
    pub device: Option<&'a str>,
    pub email: &'a str,
    pub document: Option<&'a str>,
}

impl<const DAYS: u32> IdempotencyHeader<DAYS> {
    /// Joins the key with the buyer, the page and the request body; `None` without a key.
    pub fn key_of_buyer(
        &self,
        scope: Scope,
        page: &str,
        buyer: Buyer<'_>,
        body: &Bytes,
    ) -> Option<IdempotencyKey> {
        self.key_of(scope, &format!("{page}\n{}", buyer.known_by()), body)
    }

    /// Joins the key with the one object that the buyer has proved to be theirs, so that it counts
    /// neither for another buyer nor for the merchant.
    pub fn key_of_holder(&self, scope: Scope, thing: Uuid, body: &Bytes) -> Option<IdempotencyKey> {
        self.key_of(scope, &format!("holder\n{thing}"), body)
    }

    fn key_of(&self, scope: Scope, whose: &str, body: &Bytes) -> Option<IdempotencyKey> {
        let hash = sha256(format!("{whose}\n{}", self.sent()?).as_bytes());
        Some(self.stored_under(hex(&hash[..KEY_HASH_BYTES]), scope, body))
    }
}

impl Buyer<'_> {
    /// The identity that is the same in every retry of a request, however it is spelled.
    fn known_by(self) -> String {
        if let Some(device) = self.device {
            return format!("device\n{}", hex(&sha256(device.as_bytes())));
        }
        let kept = self.document.unwrap_or_default().chars().filter(char::is_ascii_alphanumeric);
        let document: String = kept.map(|c| c.to_ascii_uppercase()).collect();
        let email = hex(&sha256(self.email.trim().to_lowercase().as_bytes()));
        format!("customer\n{email}\n{document}")
    }
}

#[cfg(test)]
mod tests {
    use super::Buyer;

    #[test]
    fn a_buyer_is_known_by_the_device_or_else_by_email_and_document() {
        let buyer = |device, email, document| Buyer { device, email, document }.known_by();
        let ana = buyer(None, "ana@example.com", Some("529.982.247-25"));
        assert_eq!(ana, buyer(None, " Ana@Example.com", Some("52998224725")));
        let others = [
            buyer(None, "bia@example.com", Some("529.982.247-25")),
            buyer(None, "ana@example.com", None),
            buyer(None, "ana@example.com", Some("168.995.350-09")),
            buyer(Some("a"), "ana@example.com", Some("529.982.247-25")),
        ];
        for other in &others {
            assert_ne!(&ana, other);
        }
        assert_eq!(others[3], buyer(Some("a"), "bia@example.com", None));
        assert_ne!(others[3], buyer(Some("b"), "ana@example.com", Some("529.982.247-25")));
    }
}
