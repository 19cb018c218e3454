//! Responses: a status in the type, and a body that can be stored and replayed.

use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use schemars::JsonSchema;
use serde::Serialize;

use crate::platform::error::Error;
use crate::platform::openapi::describe::DescribeReply;
use crate::platform::openapi::operation::Operation;

/// 201: something was created.
#[derive(Debug)]
pub struct Created<T>(pub T);

/// 200: something was done or looked up.
#[derive(Debug)]
pub struct Ok200<T>(pub T);

/// A response whose body holds a secret.
#[derive(Debug)]
pub struct SecretReply<A>(pub A);

/// Something was created, or existed already.
#[derive(Debug)]
pub enum CreatedOrExisting<T> {
    Created(T),
    Existing(T),
}

/// A response with a message only.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MessageResponse")]
pub struct Message {
    pub message: &'static str,
}

/// A response whose status and body can be stored with an idempotency key.
pub trait StorableReply {
    /// The type of the body.
    type Body: Serialize + JsonSchema;

    /// The HTTP status; where there are several, the one of a request that took effect.
    const STATUS: u16;
    /// Whether the body holds a secret, and is therefore sealed in the table.
    const SECRET: bool = false;
    /// Every possible status.
    const STATUSES: &'static [u16] = &[Self::STATUS];

    /// The body.
    fn body(&self) -> &Self::Body;

    /// The status of this response.
    fn status(&self) -> u16 {
        Self::STATUS
    }
}

impl<T: Serialize + JsonSchema> StorableReply for Created<T> {
    type Body = T;

    const STATUS: u16 = 201;

    fn body(&self) -> &T {
        &self.0
    }
}

impl<T: Serialize + JsonSchema> StorableReply for Ok200<T> {
    type Body = T;

    const STATUS: u16 = 200;

    fn body(&self) -> &T {
        &self.0
    }
}

impl<A: StorableReply> StorableReply for SecretReply<A> {
    type Body = A::Body;

    const STATUS: u16 = A::STATUS;
    const STATUSES: &'static [u16] = A::STATUSES;
    const SECRET: bool = true;

    fn body(&self) -> &A::Body {
        self.0.body()
    }

    fn status(&self) -> u16 {
        self.0.status()
    }
}

impl<T: Serialize + JsonSchema> StorableReply for CreatedOrExisting<T> {
    type Body = T;

    const STATUS: u16 = 201;
    const STATUSES: &'static [u16] = &[201, 200];

    fn body(&self) -> &T {
        match self {
            Self::Created(body) | Self::Existing(body) => body,
        }
    }

    fn status(&self) -> u16 {
        match self {
            Self::Created(_) => 201,
            Self::Existing(_) => 200,
        }
    }
}

impl<T: Serialize + JsonSchema> IntoResponse for Created<T> {
    fn into_response(self) -> Response {
        respond(&self)
    }
}

impl<T: Serialize + JsonSchema> IntoResponse for Ok200<T> {
    fn into_response(self) -> Response {
        respond(&self)
    }
}

impl<T: Serialize + JsonSchema> DescribeReply for Created<T> {
    fn describe_reply(operation: &mut Operation) {
        operation.reply::<T>(Self::STATUS);
    }
}

impl<T: Serialize + JsonSchema> DescribeReply for Ok200<T> {
    fn describe_reply(operation: &mut Operation) {
        operation.reply::<T>(Self::STATUS);
    }
}

/// A JSON response from bytes.
pub fn json(status: u16, body: Vec<u8>) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
    let kind = HeaderValue::from_static("application/json");
    (status, [(header::CONTENT_TYPE, kind)], body).into_response()
}

fn respond<A: StorableReply>(reply: &A) -> Response {
    match serde_json::to_vec(reply.body()) {
        Ok(body) => json(reply.status(), body),
        Err(error) => Error::from(error).into_response(),
    }
}
