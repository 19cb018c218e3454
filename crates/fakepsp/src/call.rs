//! One request, read whole: what the dialects see of HTTP.

use bytes::Bytes;
use http::HeaderMap;
use serde_json::Value;

use crate::reply::Reply;

/// Where a request came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listener {
    /// HTTP, for the core behind Prism and for the admin operations.
    Plain,
    /// HTTPS that demands a client certificate.
    TlsClient,
    /// HTTPS without one.
    Tls,
}

impl Listener {
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::TlsClient => "tls-client",
            Self::Tls => "tls",
        }
    }
}

/// What the bank found out when it tried an address that it shall send notices to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Probe {
    Accepted,
    /// The bank's text for the refusal.
    Refused(String),
}

#[derive(Debug, Clone)]
pub struct Call {
    pub listener: Listener,
    pub method: String,
    pub path: String,
    pub raw_query: String,
    pub segments: Vec<String>,
    pub query: Vec<(String, String)>,
    pub headers: HeaderMap,
    pub body: Bytes,
    pub json: Option<Value>,
    pub probe: Option<Probe>,
}

impl Call {
    pub fn new(
        listener: Listener,
        method: &str,
        uri: &http::Uri,
        headers: HeaderMap,
        body: Bytes,
    ) -> Self {
        let path = uri.path().to_owned();
        let raw_query = uri.query().unwrap_or_default().to_owned();
        let query = serde_urlencoded::from_str(&raw_query).unwrap_or_default();
        let segments = path.split('/').filter(|part| !part.is_empty()).map(decoded).collect();
        let json = serde_json::from_slice(&body).ok();
        let method = method.to_owned();
        let probe = None;
        Self { listener, method, path, raw_query, segments, query, headers, body, json, probe }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// A part of the path; the route says that it is there.
    pub fn segment(&self, index: usize) -> &str {
        self.segments.get(index).map_or("", String::as_str)
    }

    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The value that a JSON pointer names in the body.
    pub fn at(&self, pointer: &str) -> Option<&Value> {
        self.json.as_ref()?.pointer(pointer)
    }

    pub fn text_at(&self, pointer: &str) -> Option<&str> {
        self.at(pointer)?.as_str()
    }

    /// The fields of a form.
    pub fn form(&self) -> Vec<(String, String)> {
        serde_urlencoded::from_bytes(&self.body).unwrap_or_default()
    }

    /// User and password of HTTP Basic.
    pub fn basic(&self) -> Option<(String, String)> {
        use base64::Engine as _;
        use base64::engine::general_purpose::STANDARD;
        let encoded = self.header("authorization")?.strip_prefix("Basic ")?;
        let text = String::from_utf8(STANDARD.decode(encoded.trim()).ok()?).ok()?;
        let (user, password) = text.split_once(':')?;
        Some((user.to_owned(), password.to_owned()))
    }

    pub fn bearer(&self) -> Option<&str> {
        self.header("authorization")?.strip_prefix("Bearer ")
    }

    pub fn is_json(&self) -> bool {
        self.header("content-type").is_some_and(|kind| kind.starts_with("application/json"))
    }

    pub fn is_form(&self) -> bool {
        let kind = self.header("content-type");
        kind.is_some_and(|kind| kind.starts_with("application/x-www-form-urlencoded"))
    }
}

/// What a handler comes to: both are answers, and `?` leaves with the second.
pub type Answer = Result<Reply, Reply>;

fn decoded(part: &str) -> String {
    let pair = format!("k={}", part.replace('+', "%2B"));
    let pairs: Vec<(String, String)> = serde_urlencoded::from_str(&pair).unwrap_or_default();
    pairs.into_iter().next().map_or_else(|| part.to_owned(), |(_, value)| value)
}
