//! What the middleware knows about a request, for extractors, logs and the error body.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use bytes::Bytes;

use crate::platform::error::Error;
use crate::platform::ids::{CredentialId, MerchantId, Mode};
use crate::platform::openapi::describe::Describe;
use crate::platform::openapi::operation::Operation;

/// One request, as the middleware sees it.
#[derive(Debug)]
pub struct RequestContext {
    pub request_id: String,
    /// The path without its query, which may hold secrets.
    pub path: String,
    /// The query of a request that changes nothing, for [`Self::retry_url`] alone.
    query: Option<String>,
    pub client_ip: IpAddr,
    noted: Mutex<RequestNotes>,
    /// The body of an authenticated request, as it was read.
    body: Mutex<Bytes>,
    /// The page that a refused form of another site leads back to.
    form_page: Mutex<String>,
}

/// What extractors recorded.
#[derive(Debug, Default, Clone, Copy)]
pub struct RequestNotes {
    pub rate: Option<RateState>,
    pub caller: Option<KnownCaller>,
}

/// Who sent the request, once that is proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownCaller {
    pub merchant: MerchantId,
    pub mode: Mode,
    /// `None` for a person who is signed in.
    pub key: Option<KnownKey>,
    /// Whether the route is about data of the mode; other routes are about the account itself.
    pub is_of_mode: bool,
    /// Whether the caller may read balances.
    pub reads_balances: bool,
    /// Whether the caller may read customers.
    pub reads_customers: bool,
}

/// The API key of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownKey {
    pub id: CredentialId,
    /// The last characters of the key.
    pub last4: [u8; 4],
}

/// A caller's state under a rate limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateState {
    pub limit: u64,
    pub remaining: u64,
    pub reset_seconds: u64,
}

/// The context as an extractor.
#[derive(Debug, Clone)]
pub struct Context(pub Arc<RequestContext>);

impl RequestContext {
    pub fn new(request_id: String, path: String, client_ip: IpAddr) -> Self {
        let (noted, body, form_page) = (Mutex::default(), Mutex::default(), Mutex::default());
        Self { request_id, path, query: None, client_ip, noted, body, form_page }
    }

    /// The same of a request that changes nothing, and that may be repeated with its query.
    #[must_use]
    pub fn with_query(self, query: Option<&str>) -> Self {
        Self { query: query.map(ToOwned::to_owned), ..self }
    }

    /// Where the reader of a page about a refusal tries again: the same address, where that changes
    /// nothing. Its query may hold secrets, so it stands on no other page and in no log.
    pub fn retry_url(&self) -> String {
        // A browser would look for another host at such a path.
        if self.path.starts_with("//") || self.path.starts_with("/\\") {
            return "/".to_owned();
        }
        match &self.query {
            Some(query) => format!("{}?{query}", self.path),
            None => self.path.clone(),
        }
    }

    /// Records a rate limit; the response shows the one with the least remaining.
    pub fn note_rate(&self, rate: RateState) {
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        let tighter = noted.rate.is_none_or(|known| rate.remaining < known.remaining);
        if tighter {
            noted.rate = Some(rate);
        }
    }

    /// Records the rate limit that refuses the request, if one does.
    pub fn note_refusal(&self, error: &Error) {
        if let Error::TooMany { retry_after_seconds, limit: Some(limit) } = *error {
            self.note_rate(RateState { limit, remaining: 0, reset_seconds: retry_after_seconds });
        }
    }

    /// Records the authenticated caller.
    pub fn note_caller(&self, caller: KnownCaller) {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner).caller = Some(caller);
    }

    /// Records the body of a request whose caller is known.
    pub fn note_body(&self, body: &Bytes) {
        if self.noted().caller.is_some() {
            body.clone_into(&mut self.body.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// The body of a request whose caller is known; empty if there is none.
    pub fn body(&self) -> Bytes {
        self.body.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Records the page that a refused form of another site leads back to.
    pub fn note_form_page(&self, address: String) {
        *self.form_page.lock().unwrap_or_else(PoisonError::into_inner) = address;
    }

    /// The page that a refused form of another site leads back to; empty without such a form.
    pub fn form_page(&self) -> String {
        self.form_page.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What extractors recorded so far.
    pub fn noted(&self) -> RequestNotes {
        *self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Context {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Error> {
        let context = parts.extensions.get::<Arc<RequestContext>>().cloned();
        let missing = || Error::Internal(anyhow::anyhow!("the middleware made no request context"));
        context.map(Self).ok_or_else(missing)
    }
}

impl Describe for Context {
    fn describe(_: &mut Operation) {}
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::RequestContext;

    #[test]
    fn a_reader_tries_again_at_the_same_address_of_this_server() {
        let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let at = |path: &str| RequestContext::new("a-request".to_owned(), path.to_owned(), address);
        let table = [
            ("/pay/a/t/1", None, "/pay/a/t/1"),
            ("/pay/a/t/1", Some("token=x&lang=en"), "/pay/a/t/1?token=x&lang=en"),
            ("//example.com", Some("a=b"), "/"),
            ("/\\example.com", None, "/"),
        ];
        for (path, query, expected) in table {
            assert_eq!(at(path).with_query(query).retry_url(), expected);
        }
    }
}
