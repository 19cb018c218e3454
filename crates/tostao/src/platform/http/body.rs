//! The request's JSON body: its type, size, depth and shape are checked in that order.
//!
//! Card data is refused before the shape is checked, so no route can let it in.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body as Incoming, HttpBody as _};
use axum::extract::{FromRequest, Request};
use bytes::{Bytes, BytesMut};
use http::{HeaderMap, header};
use http_body_util::{BodyExt, Limited};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;
use strict_json::StructsFromMaps;
use tokio::time::{Instant, timeout_at};

use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::card_data;
use crate::platform::http::context::RequestContext;
use crate::platform::http::decode_error::decode_error;
use crate::platform::openapi::describe::Describe;
use crate::platform::openapi::operation::Operation;

/// The largest body that an authenticated route reads.
pub const BODY_BYTES_MAX: usize = 64 * 1024;
/// The largest body that a public route reads.
pub const PUBLIC_BODY_BYTES_MAX: usize = 16 * 1024;
/// How much is read and discarded of a body that is refused for its size.
const DISCARDED_BYTES_MAX: usize = 16 * 1024 * 1024;
const DEPTH_MAX: usize = 16;
const BODY_TIME_MAX: Duration = Duration::from_secs(10);

/// The body of an authenticated route.
#[derive(Debug)]
pub struct Body<T> {
    pub value: T,
    pub raw: Bytes,
}

/// The body of a public route, which may be smaller.
#[derive(Debug)]
pub struct PublicBody<T> {
    pub value: T,
    pub raw: Bytes,
}

/// The only kind of body that may hold a card: a public tokenizer's. It is never stored.
#[derive(Debug)]
pub struct CardBody<T>(pub T);

/// A body that may be omitted.
#[derive(Debug)]
pub struct OptionalBody<T> {
    pub value: T,
    pub raw: Bytes,
}

/// The body of a request that takes no fields.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(rename = "EmptyRequest")]
pub struct Empty {}

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = Error;

    async fn from_request(request: Request, _: &S) -> Result<Self> {
        expect_json(request.headers())?;
        let context = request.extensions().get::<Arc<RequestContext>>().cloned();
        let raw = read(request, BODY_BYTES_MAX).await?;
        note(context.as_deref(), &raw);
        Ok(Self { value: parse(&raw)?, raw })
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for PublicBody<T> {
    type Rejection = Error;

    async fn from_request(request: Request, _: &S) -> Result<Self> {
        expect_json(request.headers())?;
        let raw = read(request, PUBLIC_BODY_BYTES_MAX).await?;
        Ok(Self { value: parse(&raw)?, raw })
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for CardBody<T> {
    type Rejection = Error;

    async fn from_request(request: Request, _: &S) -> Result<Self> {
        expect_json(request.headers())?;
        Ok(Self(decode(&read(request, PUBLIC_BODY_BYTES_MAX).await?)?))
    }
}

impl<S: Send + Sync, T: DeserializeOwned + Default> FromRequest<S> for OptionalBody<T> {
    type Rejection = Error;

    async fn from_request(request: Request, _: &S) -> Result<Self> {
        let headers = request.headers().clone();
        let context = request.extensions().get::<Arc<RequestContext>>().cloned();
        let raw = read(request, BODY_BYTES_MAX).await?;
        note(context.as_deref(), &raw);
        if raw.is_empty() {
            return Ok(Self { value: T::default(), raw });
        }
        expect_json(&headers)?;
        Ok(Self { value: parse(&raw)?, raw })
    }
}

impl<T: JsonSchema> Describe for Body<T> {
    fn describe(operation: &mut Operation) {
        operation.body::<T>(true);
    }
}

impl<T: JsonSchema> Describe for PublicBody<T> {
    fn describe(operation: &mut Operation) {
        operation.body::<T>(true);
    }
}

impl<T: JsonSchema> Describe for CardBody<T> {
    fn describe(operation: &mut Operation) {
        operation.body::<T>(true);
    }
}

impl<T: JsonSchema> Describe for OptionalBody<T> {
    fn describe(operation: &mut Operation) {
        operation.body::<T>(false);
    }
}

/// Records the body for the request log.
fn note(context: Option<&RequestContext>, raw: &Bytes) {
    if let Some(context) = context {
        context.note_body(raw);
    }
}

/// Refuses a body that declares too large a size.
pub async fn expect_size(request: &mut Request, bytes_max: usize) -> Result<()> {
    let length = request.headers().get(header::CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if length.is_none_or(|length| length <= bytes_max) {
        return Ok(());
    }
    // A client that sent `Expect` has not started to send the body.
    if !request.headers().contains_key(header::EXPECT) {
        discard(request.body_mut(), Instant::now() + BODY_TIME_MAX).await;
    }
    Err(too_large(bytes_max))
}

/// Reads a body within a size and a time limit.
pub async fn read(request: Request, bytes_max: usize) -> Result<Bytes> {
    let mut body = Arriving::new(request);
    if body.read_up_to(bytes_max).await? {
        Ok(body.bytes())
    } else {
        Err(body.refuse(bytes_max).await)
    }
}

/// A body that is read in steps, all within one time limit.
pub struct Arriving {
    body: Incoming,
    read: BytesMut,
    due: Instant,
}

impl Arriving {
    pub fn new(request: Request) -> Self {
        let (read, due) = (BytesMut::new(), Instant::now() + BODY_TIME_MAX);
        Self { body: request.into_body(), read, due }
    }

    /// When the body has to be complete.
    pub const fn due(&self) -> Instant {
        self.due
    }

    /// Reads on to the body's end; false if more than so many bytes have arrived.
    pub async fn read_up_to(&mut self, bytes_max: usize) -> Result<bool> {
        while self.read.len() <= bytes_max {
            let Ok(frame) = timeout_at(self.due, self.body.frame()).await else {
                return Err(invalid("The body did not arrive in time."));
            };
            let Some(frame) = frame else { return Ok(true) };
            let frame = frame.map_err(|_| invalid("The body is incomplete."))?;
            if let Ok(data) = frame.into_data() {
                if self.read.is_empty() {
                    // Once for the whole body: growing leaves blocks of every size behind.
                    let rest = usize::try_from(self.body.size_hint().lower()).unwrap_or(bytes_max);
                    self.read.reserve(data.len() + rest.min(bytes_max));
                }
                self.read.extend_from_slice(&data);
            }
        }
        Ok(false)
    }

    /// What was read.
    pub fn bytes(self) -> Bytes {
        self.read.freeze()
    }

    /// Refuses a body for its size.
    pub async fn refuse(mut self, bytes_max: usize) -> Error {
        discard(&mut self.body, self.due).await;
        too_large(bytes_max)
    }
}

/// Reads the rest of a refused body: closing a connection while its client still sends resets it,
/// and the client never sees the response.
async fn discard(body: &mut Incoming, due: Instant) {
    let mut rest = Limited::new(body, DISCARDED_BYTES_MAX);
    let taken = async { while let Some(Ok(_)) = rest.frame().await {} };
    // A client that sends more, or slower, is cut off.
    let _ = timeout_at(due, taken).await;
}

fn too_large(bytes_max: usize) -> Error {
    let message = format!("The body is larger than {} KiB.", bytes_max / 1024);
    Error::refused(ErrorCode::PayloadTooLarge, message)
}

/// Parses JSON; a value of the wrong type is refused by its field's name.
pub fn parse<T: DeserializeOwned>(raw: &[u8]) -> Result<T> {
    check_depth(raw)?;
    let whole = serde_json::from_slice::<Value>(raw);
    if let Ok(body) = &whole {
        card_data::refuse(body)?;
    }
    let parsed = decode(raw)?;
    // The deserializer skips unknown fields, so it accepts numbers and texts there that no value
    // can hold. Such a body was not checked for card data, and equals every other such body for
    // idempotency.
    whole.map_err(|_| invalid("The body is not valid JSON."))?;
    Ok(parsed)
}

/// Parses JSON that may hold card data.
fn decode<T: DeserializeOwned>(raw: &[u8]) -> Result<T> {
    if raw.trim_ascii_start().first().is_some_and(|first| *first != b'{') {
        return Err(invalid("The body must be a JSON object."));
    }
    check_depth(raw)?;
    let mut json = serde_json::Deserializer::from_slice(raw);
    let parsed = serde_path_to_error::deserialize(StructsFromMaps(&mut json)).map_err(|error| {
        if error.inner().is_data() || serde_json::from_slice::<IgnoredAny>(raw).is_ok() {
            decode_error(&error)
        } else {
            invalid("The body is not valid JSON.")
        }
    })?;
    json.end().map_err(|_| invalid("Something follows the JSON value."))?;
    Ok(parsed)
}

/// Refuses a body whose content type is not JSON.
pub fn expect_json(headers: &HeaderMap) -> Result<()> {
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let kind = given.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    if kind.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    let message = "The body must be JSON, sent as Content-Type: application/json.";
    Err(Error::refused(ErrorCode::UnsupportedMediaType, message))
}

/// Counts brackets outside strings, so that no parser recurses deeper than allowed.
fn check_depth(raw: &[u8]) -> Result<()> {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for byte in raw {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => depth += 1,
            b'}' | b']' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEPTH_MAX {
            return Err(invalid("The body is nested too deeply."));
        }
    }
    Ok(())
}

fn invalid(message: &str) -> Error {
    Error::refused(ErrorCode::InvalidJson, message)
}
