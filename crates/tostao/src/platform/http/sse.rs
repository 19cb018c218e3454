//! Server-sent events.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::response::sse::KeepAlive;
use axum::response::{IntoResponse, Response};
use http::{HeaderName, HeaderValue};
use serde_json::json;

use crate::platform::http::headers::only;
use crate::platform::openapi::describe::Describe;
use crate::platform::openapi::operation::Operation;

const LAST_EVENT_ID: &str = "last-event-id";
const NO_BUFFER: HeaderName = HeaderName::from_static("x-accel-buffering");
/// Shorter than proxies wait for a connection that says nothing.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// The id of the last event that the caller has received, after which a stream resumes.
#[derive(Debug, Clone)]
pub struct LastEventId(pub Option<String>);

impl<S: Send + Sync> FromRequestParts<S> for LastEventId {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let sent = only(&parts.headers, LAST_EVENT_ID).ok().flatten();
        Ok(Self(sent.map(str::to_owned)))
    }
}

impl Describe for LastEventId {
    fn describe(operation: &mut Operation) {
        let description = "The id of the last event that was received, to resume after it.";
        let schema = json!({ "type": "string", "format": "uuid" });
        operation.header("Last-Event-ID", description, &schema);
    }
}

/// A stream that a proxy in front passes on event by event, instead of collecting it.
pub fn unbuffered(events: impl IntoResponse) -> Response {
    ([(NO_BUFFER, HeaderValue::from_static("no"))], events).into_response()
}

/// Comments between events, by which either side notices that the other one is gone.
pub fn heartbeat() -> KeepAlive {
    KeepAlive::new().interval(HEARTBEAT)
}
