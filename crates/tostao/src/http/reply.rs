//! Answers: a status in the type, a body that can be stored and given again.

use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::Error;
use crate::openapi::describe::DescribeReply;
use crate::openapi::operation::Operation;

/// Something was made.
#[derive(Debug)]
pub struct Created<T>(pub T);

/// Something was done, or looked up.
#[derive(Debug)]
pub struct Done<T>(pub T);

/// Something was made, or the same thing had been made before.
#[derive(Debug)]
pub enum Made<T> {
    Now(T),
    Before(T),
}

/// Only a sentence.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Message {
    pub message: &'static str,
}

/// An answer whose status and body can be kept beside an idempotency key.
pub trait Answer {
    /// What the body is made of.
    type Body: Serialize + JsonSchema;

    /// The HTTP status, unless the answer itself tells another.
    const STATUS: u16;
    /// Every status that such an answer may have.
    const STATUSES: &'static [u16] = &[Self::STATUS];

    /// The HTTP status of this answer.
    fn status(&self) -> u16 {
        Self::STATUS
    }

    /// The body.
    fn body(&self) -> &Self::Body;
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

impl<T: Serialize + JsonSchema> Answer for Made<T> {
    type Body = T;

    const STATUS: u16 = 201;
    const STATUSES: &'static [u16] = &[201, 200];

    fn status(&self) -> u16 {
        match self {
            Self::Now(_) => 201,
            Self::Before(_) => 200,
        }
    }

    fn body(&self) -> &T {
        match self {
            Self::Now(body) | Self::Before(body) => body,
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
        Ok(body) => json(A::STATUS, body),
        Err(error) => Error::from(error).into_response(),
    }
}
