//! Renders every error as the API's error body, or as a page for a browser.

use std::sync::Arc;

use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, StatusCode, header};

use crate::platform::error::{Error, ErrorCode};
use crate::platform::http::context::RequestContext;
use crate::platform::http::error_body::ErrorBody;

/// Where the pages of error codes are, each by its code.
const ERROR_PAGES: &str = "/docs/errors/";

/// An error on its way to the middleware, which knows the path and the request id.
#[derive(Clone)]
pub struct UnrenderedError(pub Arc<Error>);

/// The page about an error, where the pages around it have one of their own.
#[derive(Clone)]
pub struct RenderedError(pub Arc<str>);

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let status = status(&self);
        let mut response = status.into_response();
        response.extensions_mut().insert(UnrenderedError(Arc::new(self)));
        response
    }
}

/// The HTTP status of an error.
pub fn status(error: &Error) -> StatusCode {
    StatusCode::from_u16(error.code().status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// The body of an error, at the server's public URL.
pub fn body(
    error: &Error,
    context: &RequestContext,
    now: db::time::Timestamp,
    base_url: &str,
) -> ErrorBody {
    let code = error.code().name();
    ErrorBody {
        message: error.message(),
        code,
        doc_url: doc_url(base_url, code),
        timestamp: now,
        path: context.path.clone(),
        errors: match error {
            Error::Invalid(fields) => fields.clone(),
            _ => Vec::new(),
        },
        request_id: context.request_id.clone(),
        required_permission: match error {
            Error::Forbidden(permission) => Some(permission.name()),
            Error::RoleForbidden(permission) => Some(permission),
            _ => None,
        },
        current_status: match error {
            Error::State { current, .. } | Error::Processed { current, .. } => {
                Some(current.clone())
            }
            _ => None,
        },
        differing_fields: match error {
            Error::KeyReused { fields, .. } if !fields.is_empty() => Some(fields.clone()),
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

/// The page about an error code, at the server's public URL.
pub fn doc_url(base_url: &str, code: &str) -> String {
    format!("{base_url}{ERROR_PAGES}{code}")
}

/// The headers for when to retry and how to authenticate.
pub fn headers(error: &Error) -> HeaderMap {
    let mut headers = HeaderMap::new();
    if error.code().status() == 401 {
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    match error {
        Error::TooMany { retry_after_seconds, .. } => {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(*retry_after_seconds));
        }
        Error::Unavailable(_)
        | Error::NotAnswered(_)
        | Error::Partial(_)
        | Error::Unknown(_)
        | Error::Refused(ErrorCode::IdempotencyKeyInProgress | ErrorCode::ConcurrentUpdate, _) => {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        // A provider is probed that often.
        Error::OutOfService(_) => {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("10"));
        }
        Error::NotConfigured(_) => {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("60"));
        }
        _ => {}
    }
    headers
}
