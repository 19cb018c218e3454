//! Identifies the calling device by the name that its program sends, or by a cookie that we set.
//!
//! It is weak evidence. Per-device limits on guessing only ever tighten a limit: a client that
//! sends no name, or another one each time, is still limited by its address. At sign-in, a name
//! that cannot be guessed distinguishes a device that has signed in before from an unknown one.
//! A card page opens only on the device that was redirected there.

use std::convert::Infallible;

use axum::extract::{FromRef, FromRequestParts};
use axum::http::request::Parts;
use db::hex::hex;
use http::{HeaderName, HeaderValue, header};
use serde_json::json;

use crate::platform::http::headers::{cookies, only};
use crate::platform::http::hosts::PublicUrls;
use crate::platform::openapi::describe::Describe;
use crate::platform::openapi::operation::Operation;
use crate::platform::secrets::sha256;

const DEVICE_ID: HeaderName = HeaderName::from_static("x-device-id");
/// A shorter name may be a model's or a program's.
const GUESSED_LENGTH: usize = 16;
const COOKIE: &str = "device=";
/// The same where the address is https: no other host of the domain can set it, and no connection
/// without encryption. There the other one counts for nothing.
const HOST_COOKIE: &str = "__Host-device=";

/// The name of the calling device, if it has one.
#[derive(Debug, Clone)]
pub struct Device(pub Option<String>);

impl Device {
    /// A hash of the name, if the name is too long to be guessed.
    pub fn hash(&self) -> Option<Vec<u8>> {
        let name = self.0.as_deref().filter(|name| name.len() >= GUESSED_LENGTH)?;
        Some(sha256(name.as_bytes()).to_vec())
    }

    /// The device with its name, or with a new one and the cookie that holds it.
    pub fn named(&self, fresh: [u8; 16], url: &str) -> (Self, Option<(HeaderName, HeaderValue)>) {
        let name = self.0.clone().unwrap_or_else(|| hex(&fresh));
        (Self(Some(name)), self.remember(fresh, url))
    }

    /// The session cookie that names a device without a name; `url` is the public address of the
    /// page.
    pub fn remember(&self, fresh: [u8; 16], url: &str) -> Option<(HeaderName, HeaderValue)> {
        if self.0.is_some() {
            return None;
        }
        let (name, secure) = if url.starts_with("https:") {
            (HOST_COOKIE, "; Secure")
        } else {
            // Not every browser keeps such a cookie over http, even from the machine itself.
            (COOKIE, "")
        };
        let cookie = format!("{name}{}; Path=/; SameSite=Lax; HttpOnly{secure}", hex(&fresh));
        Some((header::SET_COOKIE, HeaderValue::from_str(&cookie).ok()?))
    }
}

impl<S> FromRequestParts<S> for Device
where
    S: Send + Sync,
    PublicUrls: FromRef<S>,
{
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        // A name that is sent twice is none, so that a proxy cannot read another one.
        let own = only(&parts.headers, DEVICE_ID.as_str()).ok().flatten().map(str::trim);
        let is_https = PublicUrls::from_ref(state).is_https(&parts.headers);
        let cookie = if is_https { HOST_COOKIE } else { COOKIE };
        let mut named = own.into_iter().chain(cookies(&parts.headers, cookie));
        Ok(Self(named.find(|name| !name.is_empty()).map(str::to_owned)))
    }
}

impl Describe for Device {
    fn describe(operation: &mut Operation) {
        let description = "Identifies the device for rate limits; a cookie does so otherwise.";
        operation.header("X-Device-Id", description, &json!({ "type": "string" }));
    }
}
