//! What the middleware observes of a request and its response.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use axum::body::{Body, HttpBody, to_bytes};
use axum::extract::Request;
use axum::response::Response;
use bytes::Bytes;
use db::time::Timestamp;
use http::{HeaderValue, Method, Uri, header};
use serde_json::Value;
use uuid::Uuid;

use crate::idempotency::accepted_key;
use crate::platform::config::RequestLogLevel;
use crate::platform::http::context::{KnownCaller, KnownKey, RequestContext};
use crate::platform::ids::{MerchantId, Mode};
use crate::requests::redaction::{self, Redaction};
use crate::requests::{Refusal, RequestRecord, UsedKey};

/// Larger bodies are not kept: what is shown of one is a fraction of that.
const KEPT_BYTES_MAX: usize = 16 * 1024;
/// The longest address that is looked at.
const ADDRESS_CHARS_MAX: usize = 2_048;
/// Reading the log is not logged, or a reader would find their own looks.
const OWN_ROUTES: &str = "/api/requests";
/// What somebody pastes there to have it checked is not stored.
const UNSTORED_ROUTE: &str = "/api/webhooks/verify";
const REPLAYED: &str = "idempotency-replayed";

/// What is known of a request before it is handled.
#[derive(Debug)]
pub struct Arrival<'a> {
    method: Method,
    route: &'a str,
    address: Uri,
    idempotency_key: Option<HeaderValue>,
    is_dry_run: bool,
    at: Timestamp,
}

/// A request and its response, as they were.
pub struct Observed {
    caller: KnownCaller,
    request_id: String,
    client: IpAddr,
    method: String,
    route: String,
    path: String,
    query: Option<String>,
    idempotency_key: Option<String>,
    at: Timestamp,
    status: u16,
    duration: Duration,
    is_replayed: bool,
    is_dry_run: bool,
    request_bytes: usize,
    response_bytes: usize,
    sent: Bytes,
    answered: Bytes,
    keeps_bodies: bool,
}

impl std::fmt::Debug for Observed {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Observed").field("request_id", &self.request_id).finish_non_exhaustive()
    }
}

impl<'a> Arrival<'a> {
    /// Notes a request to a route's pattern, and whether it asks for a dry run.
    pub fn of(request: &Request, route: &'a str, is_dry_run: bool, at: Timestamp) -> Self {
        Self {
            is_dry_run,
            method: request.method().clone(),
            route,
            address: request.uri().clone(),
            idempotency_key: request.headers().get("idempotency-key").cloned(),
            at,
        }
    }

    /// Joins a request with its response; `None` if it is not to be logged. The response is given
    /// back as it was.
    pub async fn answered(
        self,
        level: RequestLogLevel,
        context: &RequestContext,
        response: Response,
        duration: Duration,
    ) -> (Response, Option<Observed>) {
        let status = response.status().as_u16();
        let Some(caller) = context.noted().caller else { return (response, None) };
        if !self.is_wanted(level, caller.mode, status) {
            return (response, None);
        }
        let sent = context.body();
        let is_replayed = response.headers().contains_key(REPLAYED);
        let size = response.body().size_hint().exact().and_then(|size| usize::try_from(size).ok());
        let (response, answered) = with_body(response).await;
        let keeps_bodies =
            self.route != UNSTORED_ROUTE && (caller.mode == Mode::Development || status >= 400);
        let kept = |body: Bytes| if body.len() > KEPT_BYTES_MAX { Bytes::new() } else { body };
        let Self { method, route, address, idempotency_key, is_dry_run, at } = self;
        let short = |text: &str| text.chars().take(ADDRESS_CHARS_MAX).collect::<String>();
        let observed = Observed {
            caller,
            request_id: context.request_id.clone(),
            client: context.client_ip,
            // Copies: parts of the request would keep all of it in memory.
            method: method.as_str().to_owned(),
            route: route.to_owned(),
            path: short(address.path()),
            query: address.query().filter(|query| !query.is_empty()).map(short),
            idempotency_key: idempotency_key.and_then(|key| accepted_key(key.to_str().ok()?)),
            at,
            status,
            duration,
            is_replayed,
            is_dry_run,
            request_bytes: sent.len(),
            response_bytes: size.unwrap_or_default(),
            sent: kept(sent),
            answered: kept(answered),
            keeps_bodies,
        };
        (response, Some(observed))
    }

    fn is_wanted(&self, level: RequestLogLevel, mode: Mode, status: u16) -> bool {
        if self.route.starts_with(OWN_ROUTES) {
            return false;
        }
        match level {
            RequestLogLevel::Off => false,
            RequestLogLevel::All => true,
            _ if mode == Mode::Development => true,
            RequestLogLevel::Errors => status >= 400,
            RequestLogLevel::Writes => status >= 400 || self.method != Method::GET,
        }
    }
}

impl Observed {
    /// Whose log it is in, and whether it was refused.
    pub fn log(&self) -> (MerchantId, Mode, bool) {
        (self.caller.merchant, self.caller.mode, self.status >= 400)
    }

    /// How much memory its bodies take.
    pub fn body_bytes(&self) -> usize {
        self.sent.len() + self.answered.len()
    }

    /// Forgets its bodies.
    pub fn drop_bodies(&mut self) {
        (self.sent, self.answered) = (Bytes::new(), Bytes::new());
        self.keeps_bodies = false;
    }

    /// What is stored of it.
    pub fn into_record(self) -> RequestRecord {
        let KnownCaller { merchant, mode, key, is_of_mode, .. } = self.caller;
        // What is about the account itself is real in either mode.
        let redaction = Redaction::of(if is_of_mode { mode } else { Mode::Production });
        let answered = serde_json::from_slice::<Value>(&self.answered).ok();
        let refusal = answered.as_ref().filter(|_| self.status >= 400).and_then(refusal);
        let object = created(answered.as_ref()).or_else(|| named(&self.path, &self.route));
        let keeps = self.keeps_bodies;
        let request_body = keeps.then(|| redaction.body(&self.sent)).flatten();
        let response_body = answered.filter(|_| keeps).and_then(|body| redaction.value(body));
        RequestRecord {
            merchant,
            mode,
            request_id: self.request_id,
            created_at: self.at,
            method: self.method,
            path: redaction.path(&self.path, &self.route),
            query: self.query.map(|query| redaction.query(&query)),
            route: self.route,
            status: self.status,
            refusal,
            duration: self.duration,
            key: key.map(used),
            client_network: network(self.client),
            idempotency_key: self.idempotency_key,
            is_replayed: self.is_replayed,
            is_dry_run: self.is_dry_run,
            request_bytes: count(self.request_bytes),
            response_bytes: count(self.response_bytes),
            // What a dry run has created exists nowhere.
            object: object.filter(|_| !self.is_dry_run),
            request_body,
            response_body,
        }
    }
}

/// Takes a copy of a JSON body that is in memory already.
async fn with_body(response: Response) -> (Response, Bytes) {
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let is_json = kind.is_some_and(|kind| kind.starts_with("application/json"));
    let size = response.body().size_hint().exact();
    if !is_json || size.is_none_or(|size| size > KEPT_BYTES_MAX as u64) {
        return (response, Bytes::new());
    }
    let (parts, body) = response.into_parts();
    // It is in memory as a whole, so it cannot fail half-way.
    let bytes = to_bytes(body, usize::MAX).await.unwrap_or_default();
    (Response::from_parts(parts, Body::from(bytes.clone())), bytes)
}

/// The code and the first invalid field of an error's body.
fn refusal(body: &Value) -> Option<Refusal> {
    let code = body["code"].as_str()?.to_owned();
    let fault = &body["errors"][0];
    let field = fault["field"].as_str().zip(fault["code"].as_str());
    let field = field.map(|(field, code)| (redaction::field_path(field), code.to_owned()));
    Some(Refusal { code, field })
}

/// The id of the object in a response: at its top, or one level below.
fn created(body: Option<&Value>) -> Option<Uuid> {
    let id = |object: &Value| object["id"].as_str().and_then(|id| Uuid::try_parse(id).ok());
    let body = body?;
    id(body).or_else(|| body.as_object()?.values().filter(|value| value.is_object()).find_map(id))
}

/// The last id that a path names.
fn named(path: &str, route: &str) -> Option<Uuid> {
    let segments = path.split('/').zip(route.split('/'));
    let ids = segments.filter(|(_, pattern)| pattern.starts_with('{'));
    ids.filter_map(|(text, _)| Uuid::try_parse(text).ok()).last()
}

fn used(key: KnownKey) -> UsedKey {
    UsedKey { id: key.id, last4: String::from_utf8_lossy(&key.last4).into_owned() }
}

/// An address without its last part.
fn network(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => {
            let [a, b, c, _] = address.octets();
            format!("{}/24", Ipv4Addr::new(a, b, c, 0))
        }
        IpAddr::V6(address) => {
            let [a, b, c, ..] = address.segments();
            format!("{}/48", Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0))
        }
    }
}

fn count(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::network;

    #[test]
    fn an_address_loses_its_last_part() {
        let table = [
            ("203.0.113.77", "203.0.113.0/24"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1::/48"),
            ("::1", "::/48"),
        ];
        for (address, shown) in table {
            assert_eq!(network(address.parse().unwrap()), shown, "{address}");
        }
    }
}
