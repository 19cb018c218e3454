//! A sentence for the next page of the same browser: what a form that redirects there has done.
//!
//! It is sealed in a cookie, so no other site can write one, and shown once.

use std::time::Duration;

use db::time::Timestamp;
use http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::platform::http::headers::cookies;
use crate::platform::secrets::Secrets;
use crate::platform::signed_tokens::{open, seal};

const COOKIE: &str = "__Host-flash=";
const ATTRIBUTES: &str = "Secure; HttpOnly; SameSite=Lax";
const SEALED_FOR: &str = "flash";
/// Longer than a redirect takes.
const SHOWN_WITHIN: Duration = Duration::from_secs(60);

/// A sentence to show once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flash(pub String);

impl Flash {
    /// The sentence that a browser brings, if it is one of ours and fresh.
    pub fn read(secrets: &Secrets, now: Timestamp, headers: &HeaderMap) -> Option<Self> {
        let sealed = cookies(headers, COOKIE).next()?;
        let text = open(secrets, now, SEALED_FOR, sealed)?;
        String::from_utf8(text).ok().map(Self)
    }

    /// The cookie that brings the sentence to the next page.
    pub fn remember(
        &self,
        secrets: &Secrets,
        nonce: [u8; 12],
        now: Timestamp,
    ) -> Option<(HeaderName, HeaderValue)> {
        let sealed = seal(secrets, nonce, SEALED_FOR, self.0.as_bytes(), now.plus(SHOWN_WITHIN));
        let seconds = SHOWN_WITHIN.as_secs();
        let cookie = format!("{COOKIE}{sealed}; Path=/; Max-Age={seconds}; {ATTRIBUTES}");
        Some((header::SET_COOKIE, HeaderValue::try_from(cookie).ok()?))
    }

    /// The cookie that forgets a sentence once it was shown.
    pub fn forget() -> (HeaderName, HeaderValue) {
        const FORGOTTEN: HeaderValue = HeaderValue::from_static(
            "__Host-flash=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax",
        );
        (header::SET_COOKIE, FORGOTTEN)
    }
}
