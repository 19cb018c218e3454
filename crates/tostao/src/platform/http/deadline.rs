//! A request's deadline: the client gets an error before its own time-out.
//!
//! It applies until a response begins. A stream afterwards has its own limits, and a client that
//! does not read its response is handled by the connection.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;

use crate::platform::error::Error;

/// From the end of a request's head to the start of its response.
pub const REQUEST_TIME_MAX: Duration = Duration::from_secs(15);
/// Routes that simulate months of work in one request; for developers only.
const WITHOUT: [&str; 1] = ["/api/dev/clock/advance"];

/// Runs the rest of the server within the limit; a panic becomes an internal error.
pub async fn enforce(limit: Duration, request: Request, next: Next) -> Response {
    let reads = request.method().is_safe();
    let limit = if WITHOUT.contains(&request.uri().path()) { Duration::MAX } else { limit };
    let work = AssertUnwindSafe(next.run(request)).catch_unwind();
    let panicked = || Error::Internal(anyhow::anyhow!("a handler panicked"));
    match tokio::time::timeout(limit, work).await {
        Ok(response) => response.unwrap_or_else(|_| panicked().into_response()),
        Err(_) => overdue(reads).into_response(),
    }
}

/// A read can be repeated; a write may have been committed.
fn overdue(reads: bool) -> Error {
    let cause = "the request took too long".to_owned();
    if reads { Error::Unavailable(cause) } else { Error::Unknown(cause) }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};
    use std::time::Duration;

    use axum::Router;
    use axum::body::Body;
    use axum::extract::Request;
    use axum::middleware::{Next, from_fn};
    use axum::routing::{get, post};
    use tower::ServiceExt;

    use super::enforce;
    use crate::platform::error::Error;
    use crate::platform::http::error_response::UnrenderedError;

    #[tokio::test]
    async fn a_request_that_takes_too_long_is_given_up_and_one_that_wrote_may_have_worked() {
        let at_once = |request: Request, next: Next| enforce(Duration::ZERO, request, next);
        let router = Router::new()
            .route("/quick", get(|| ready("done")))
            .route("/slow", get(pending::<&str>).merge(post(pending::<&str>)))
            .layer(from_fn(at_once));
        let table = [
            ("GET", "/quick", 200, None),
            ("GET", "/slow", 503, Some(false)),
            ("POST", "/slow", 503, Some(true)),
        ];
        for (method, path, status, unknown) in table {
            let request = Request::builder().method(method).uri(path);
            let request = request.body(Body::empty()).expect("is a request");
            let response = router.clone().oneshot(request).await.expect("answers");
            assert_eq!(response.status(), status, "{method} {path}");
            let error = response.extensions().get::<UnrenderedError>();
            let is_unknown =
                error.map(|UnrenderedError(error)| matches!(**error, Error::Unknown(_)));
            assert_eq!(is_unknown, unknown, "{method} {path}");
        }
    }
}
