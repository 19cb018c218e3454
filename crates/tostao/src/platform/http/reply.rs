//! Answers: a status in the type, a body that can be stored and given again.

use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use schemars::JsonSchema;
use serde::Serialize;

use crate::platform::error::Error;
use crate::platform::openapi::describe::DescribeReply;
use crate::platform::openapi::operation::Operation;

/// Something was made.
#[derive(Debug)]
pub struct Created<T>(pub T);

/// Something was done, or looked up.
#[derive(Debug)]
pub struct Done<T>(pub T);

/// An answer whose body holds a secret.
#[derive(Debug)]
pub struct ShownOnce<A>(pub A);

/// Something was made, or had been there before.
#[derive(Debug)]
pub enum Made<T> {
    Now(T),
    Before(T),
}

/// A response with a message only.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MessageResponse")]
pub struct Message {
    pub message: &'static str,
}

/// An answer whose status and body can be kept beside an idempotency key.
pub trait Answer {
    /// What the body is made of.
    type Body: Serialize + JsonSchema;

    /// The HTTP status; where there are several, that of an effect.
    const STATUS: u16;
    /// Whether the body holds a secret, so that it is sealed where it is kept.
    const SECRET: bool = false;
    /// Every status that there may be.
    const STATUSES: &'static [u16] = &[Self::STATUS];

    /// The body.
    fn body(&self) -> &Self::Body;

    /// The status of this very answer.
    fn status(&self) -> u16 {
        Self::STATUS
    }
}

impl<T: Serialize + JsonSchema> Answer for Created<T> {
    type Body = T;

    const STATUS: u16 = 201;

    fn body(&self) -> &T {
        &self.0
    }
}

impl<T: Serialize + JsonSchema> Answer for Done<T> {
    type Body = T;

    const STATUS: u16 = 200;

    fn body(&self) -> &T {
        &self.0
    }
}

impl<A: Answer> Answer for ShownOnce<A> {
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

impl<T: Serialize + JsonSchema> Answer for Made<T> {
    type Body = T;

    const STATUS: u16 = 201;
    const STATUSES: &'static [u16] = &[201, 200];

    fn body(&self) -> &T {
        match self {
            Self::Now(body) | Self::Before(body) => body,
        }
    }

    fn status(&self) -> u16 {
        match self {
            Self::Now(_) => 201,
            Self::Before(_) => 200,
        }
    }
}

impl<T: Serialize + JsonSchema> IntoResponse for Created<T> {
    fn into_response(self) -> Response {
        respond(&self)
    }
}

impl<T: Serialize + JsonSchema> IntoResponse for Done<T> {
    fn into_response(self) -> Response {
        respond(&self)
    }
}

impl<T: Serialize + JsonSchema> DescribeReply for Created<T> {
    fn describe_reply(operation: &mut Operation) {
        operation.reply::<T>(Self::STATUS);
    }
}

impl<T: Serialize + JsonSchema> DescribeReply for Done<T> {
    fn describe_reply(operation: &mut Operation) {
        operation.reply::<T>(Self::STATUS);
    }
}

/// A JSON answer from bytes.
pub fn json(status: u16, body: Vec<u8>) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
    let kind = HeaderValue::from_static("application/json");
    (status, [(header::CONTENT_TYPE, kind)], body).into_response()
}

fn respond<A: Answer>(answer: &A) -> Response {
    match serde_json::to_vec(answer.body()) {
        Ok(body) => json(answer.status(), body),
        Err(error) => Error::from(error).into_response(),
    }
}
