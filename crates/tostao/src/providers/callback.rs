//! The endpoint that every bank calls, whatever its rail.

use std::sync::Arc;

use axum::extract::{FromRequest, FromRequestParts, Request};
use bytes::Bytes;
use http::HeaderMap;

use crate::platform::error::{Error, Refusal, Result};
use crate::platform::http::body::{BODY_BYTES_MAX, read};
use crate::platform::http::path::At;
use crate::providers::{ProviderError, Reports};

/// A call of a bank, or of the sandbox in its place.
#[derive(Debug)]
pub struct Callback {
    /// As the URL names it.
    pub provider: String,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl<S: Send + Sync> FromRequest<S> for Callback {
    type Rejection = Error;

    async fn from_request(request: Request, state: &S) -> Result<Self> {
        let (mut parts, body) = request.into_parts();
        let At(provider) = At::from_request_parts(&mut parts, state).await?;
        let headers = parts.headers.clone();
        let body = read(Request::from_parts(parts, body), BODY_BYTES_MAX).await?;
        Ok(Self { provider, headers, body })
    }
}

impl Callback {
    /// Applies each of the provider's reports in a unit of its own, so that one failure does not
    /// block the others.
    pub async fn apply_each<P, T, F>(
        &self,
        provider: Option<Arc<P>>,
        apply: impl Fn(&'static str, T) -> F,
    ) -> Result<()>
    where
        P: Reports<T> + ?Sized,
        F: Future<Output = Result<()>>,
    {
        let provider = provider.ok_or(Error::NotFound("Provider"))?;
        let reports = provider.read_callback(&self.headers, &self.body).await;
        let mut failed = None;
        for report in reports.map_err(ProviderError::unreadable)? {
            if let Err(error) = apply(provider.name(), report).await {
                failed = Some(error);
            }
        }
        failed.map_or(Ok(()), |error| Err(undecided(error)))
    }
}

/// The response to a bank's authentic message that was not applied: it asks to resend it, and never
/// says that the message was wrong.
fn undecided(error: Error) -> Error {
    if !(400..500).contains(&error.refusal().status()) {
        return error;
    }
    if error.refusal() == Refusal::ConcurrentUpdate {
        tracing::warn!(%error, "a bank's message waited too long for other work");
    } else {
        tracing::error!(%error, "a bank's message was not taken in");
    }
    Error::Unavailable(error.to_string())
}
