//! A webhook's address as it is kept: its query sealed, because merchants put secrets there.

use std::fmt::{Debug, Formatter};

use anyhow::anyhow;
use aws_lc_rs::aead::NONCE_LEN;

use crate::error::{Error, Result};
use crate::ids::WebhookId;
use crate::secrets::Secrets;

/// An address whose query only its own subscription's row opens.
#[derive(Clone)]
pub struct Address {
    /// What stands before the query; all of it where there is none.
    pub rest: String,
    pub sealed_query: Option<Vec<u8>>,
}

impl Address {
    /// Seals what follows the question mark.
    pub fn seal(
        secrets: &Secrets,
        webhook: WebhookId,
        nonce: impl FnOnce() -> [u8; NONCE_LEN],
        url: &str,
    ) -> Self {
        let (rest, query) = url.split_once('?').map_or((url, None), |(rest, q)| (rest, Some(q)));
        let seal = |query: &str| secrets.seal(nonce(), &place(webhook), query.as_bytes());
        Self { rest: rest.to_owned(), sealed_query: query.map(seal) }
    }

    /// Gives the address to the letter, for its owner and for calling it.
    pub fn open(&self, secrets: &Secrets, webhook: WebhookId) -> Result<String> {
        let Some(sealed) = &self.sealed_query else { return Ok(self.rest.clone()) };
        let plain = secrets.open(&place(webhook), sealed);
        let query = plain.and_then(|plain| String::from_utf8(plain).ok());
        let unreadable = || Error::Internal(anyhow!("the address of webhook {webhook} is sealed"));
        Ok(format!("{}?{}", self.rest, query.ok_or_else(unreadable)?))
    }
}

impl Debug for Address {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        out.write_str("Address(***)")
    }
}

/// Another place than that of the secret, so that neither opens as the other.
fn place(webhook: WebhookId) -> Vec<u8> {
    [webhook.0.as_bytes(), &b"query"[..]].concat()
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::Address;
    use crate::ids::WebhookId;
    use crate::secrets::Secrets;

    #[test]
    fn an_address_opens_to_the_letter_and_only_in_its_own_row() {
        let secrets = Secrets::derive("a secret of more than 32 characters");
        let (own, other) = (WebhookId(Uuid::from_u128(1)), WebhookId(Uuid::from_u128(2)));
        let rows = [
            ("https://example.com", "https://example.com"),
            ("https://example.com/a?", "https://example.com/a"),
            ("https://example.com/a?secret=abc&b=%20?c", "https://example.com/a"),
        ];
        for (url, rest) in rows {
            let address = Address::seal(&secrets, own, || [7; 12], url);
            assert_eq!(
                (address.rest.as_str(), &*address.open(&secrets, own).unwrap()),
                (rest, url)
            );
            assert_eq!(address.open(&secrets, other).is_err(), url.contains('?'), "{url}");
            assert_eq!(format!("{address:?}"), "Address(***)");
        }
    }
}
