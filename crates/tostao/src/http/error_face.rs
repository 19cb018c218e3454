//! Every error as the contract's body, or as a page where a browser asked for one.

use std::sync::Arc;

use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::{Error, FieldError, Obstacle, Refusal};
use crate::http::context::RequestContext;

/// The body of every error response.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Error")]
pub struct ErrorBody {
    /// A human-readable message.
    pub message: String,
    /// A stable error code.
    pub code: &'static str,
    /// The time of the error.
    pub timestamp: db::time::Timestamp,
    /// The path of the request, without the query.
    pub path: String,
    /// The invalid fields.
    pub errors: Vec<FieldError>,
    /// The request ID, for support and the server's log.
    pub request_id: String,
    /// The missing permission; only with `INSUFFICIENT_PERMISSION`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required_permission: Option<&'static str>,
    /// The current status of the object; only with `INVALID_STATE_TRANSITION` and
    /// `WITHDRAWAL_ALREADY_PROCESSED`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_status: Option<String>,
    /// What prevents the account from being closed; only with `ACCOUNT_IN_USE`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub obstacles: Option<Vec<Obstacle>>,
    /// Why the acquirer declined the card; only with `CARD_DECLINED`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decline_code: Option<String>,
    /// Seconds to wait before retrying; only with `RATE_LIMITED`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
}

/// An error on its way to the edge, which knows the path and the request's id.
#[derive(Clone)]
pub struct Faceless(pub Arc<Error>);

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let status = status(&self);
        let mut response = status.into_response();
        response.extensions_mut().insert(Faceless(Arc::new(self)));
        response
    }
}

/// The HTTP status of an error.
pub fn status(error: &Error) -> StatusCode {
    StatusCode::from_u16(error.refusal().status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// The body of an error.
pub fn body(error: &Error, context: &RequestContext, now: db::time::Timestamp) -> ErrorBody {
    ErrorBody {
        message: error.message(),
        code: error.refusal().code(),
        timestamp: now,
        path: context.path.clone(),
        errors: match error {
            Error::Invalid(fields) => fields.clone(),
            _ => Vec::new(),
        },
        request_id: context.request_id.clone(),
        required_permission: match error {
            Error::Forbidden(permission) => Some(permission.name()),
            _ => None,
        },
        current_status: match error {
            Error::State { current, .. } | Error::Processed { current, .. } => {
                Some(current.clone())
            }
            _ => None,
        },
        obstacles: match error {
            Error::InUse(obstacles) => Some(obstacles.clone()),
            _ => None,
        },
        decline_code: match error {
            Error::Declined(code) => Some(code.clone()),
            _ => None,
        },
        retry_after: match error {
            Error::TooMany { retry_after_seconds, .. } => Some(*retry_after_seconds),
            _ => None,
        },
    }
}

/// The headers that tell a client when to come back, or how to sign in.
pub fn headers(error: &Error) -> HeaderMap {
    let mut headers = HeaderMap::new();
    if error.refusal().status() == 401 {
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    match error {
        Error::TooMany { retry_after_seconds, .. } => {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(*retry_after_seconds));
        }
        Error::Unavailable(_)
        | Error::Unknown(_)
        | Error::Refused(Refusal::IdempotencyKeyInProgress | Refusal::ConcurrentUpdate, _) => {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        Error::NotConfigured(_) => {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("60"));
        }
        _ => {}
    }
    headers
}
