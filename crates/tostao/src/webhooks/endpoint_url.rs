//! A webhook's URL as stored: its query is sealed, because merchants put secrets there.

use std::fmt::{Debug, Formatter};

use aws_lc_rs::aead::NONCE_LEN;
use url::Url;

use crate::platform::ids::WebhookId;
use crate::platform::secrets::Secrets;

/// Replaces a query that is not shown.
pub const HIDDEN_QUERY: &str = "?…";

/// A URL whose query can only be opened for its own subscription's row.
#[derive(Clone)]
pub struct EndpointUrl {
    /// The part before the query; the whole URL if there is none.
    pub rest: String,
    pub sealed_query: Option<Vec<u8>>,
}

impl EndpointUrl {
    /// Seals the part after the question mark.
    pub fn seal(
        secrets: &Secrets,
        webhook: WebhookId,
        nonce: impl FnOnce() -> [u8; NONCE_LEN],
        url: &str,
    ) -> Self {
        let (rest, query) = url.split_once('?').map_or((url, None), |(rest, q)| (rest, Some(q)));
        let seal = |query: &str| secrets.seal(nonce(), &aad(webhook), query.as_bytes());
        Self { rest: rest.to_owned(), sealed_query: query.map(seal) }
    }

    /// The exact URL, for its owner and for calling it; `None` if another secret sealed its query.
    pub fn open(&self, secrets: &Secrets, webhook: WebhookId) -> Option<String> {
        let Some(sealed) = &self.sealed_query else { return Some(self.rest.clone()) };
        let query = String::from_utf8(secrets.open(&aad(webhook), sealed)?).ok()?;
        Some(format!("{}?{query}", self.rest))
    }

    /// The host alone, which is no secret.
    pub fn host(&self) -> Option<String> {
        Url::parse(&self.rest).ok()?.host_str().map(str::to_owned)
    }

    /// The URL for callers who may not see its query, or if the query cannot be opened.
    pub fn without_query(&self) -> String {
        match (&self.sealed_query, self.rest.split_once('?')) {
            (Some(_), _) => format!("{}{HIDDEN_QUERY}", self.rest),
            // Older versions stored it whole.
            (None, Some((rest, _))) => format!("{rest}{HIDDEN_QUERY}"),
            (None, None) => self.rest.clone(),
        }
    }
}

impl Debug for EndpointUrl {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        out.write_str("EndpointUrl(***)")
    }
}

/// Differs from that of the secret, so that neither opens as the other.
pub fn aad(webhook: WebhookId) -> Vec<u8> {
    [webhook.0.as_bytes(), &b"query"[..]].concat()
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::EndpointUrl;
    use crate::platform::ids::WebhookId;
    use crate::platform::secrets::Secrets;

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
            let stored = EndpointUrl::seal(&secrets, own, || [7; 12], url);
            assert_eq!((stored.rest.as_str(), &*stored.open(&secrets, own).unwrap()), (rest, url));
            assert_eq!(stored.open(&secrets, other).is_none(), url.contains('?'), "{url}");
            assert_eq!(format!("{stored:?}"), "EndpointUrl(***)");
        }
    }
}
