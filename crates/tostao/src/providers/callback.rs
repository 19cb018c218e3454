//! The endpoint that every bank calls, whatever its rail.

use std::sync::Arc;

use axum::body::HttpBody;
use axum::extract::{FromRequest, FromRequestParts, Request};
use bytes::Bytes;
use http::HeaderMap;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::platform::error::{Error, Refusal, Result};
use crate::platform::http::body::{BODY_BYTES_MAX, read};
use crate::platform::http::path::PathParam;
use crate::providers::entries::Entry;
use crate::providers::{ProviderError, Reports};

/// How the path of every bank's callback begins.
pub const CALLBACKS: &str = "/providers/";
/// The largest body of a callback, which may hold thousands of entries.
pub const CALLBACK_BYTES_MAX: usize = 1024 * 1024;
/// The sender is known only once the body is read, so few larger than other bodies are in memory.
const LARGE_AT_ONCE: usize = 16;

static LARGE: Semaphore = Semaphore::const_new(LARGE_AT_ONCE);

/// A call of a bank, or of the sandbox in its place.
#[derive(Debug)]
pub struct Callback {
    /// As the URL names it.
    pub provider: String,
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// A large body, which counts as one until it is dropped.
struct Large {
    bytes: Bytes,
    _permit: SemaphorePermit<'static>,
}

impl AsRef<[u8]> for Large {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl<S: Send + Sync> FromRequest<S> for Callback {
    type Rejection = Error;

    async fn from_request(request: Request, state: &S) -> Result<Self> {
        let (mut parts, body) = request.into_parts();
        let PathParam(provider) = PathParam::from_request_parts(&mut parts, state).await?;
        let headers = parts.headers.clone();
        let bytes = body.size_hint().upper().and_then(|bytes| usize::try_from(bytes).ok());
        let request = Request::from_parts(parts, body);
        let body = if bytes.is_some_and(|bytes| bytes <= BODY_BYTES_MAX) {
            read(request, BODY_BYTES_MAX).await?
        } else {
            let busy = |_| Error::Unavailable("too many large callbacks at once".into());
            let permit = LARGE.try_acquire().map_err(busy)?;
            let bytes = read(request, CALLBACK_BYTES_MAX).await?;
            Bytes::from_owner(Large { bytes, _permit: permit })
        };
        Ok(Self { provider, headers, body })
    }
}

impl Callback {
    /// Applies each of the message's entries in a unit of its own, so that one failure does not
    /// block the others.
    pub async fn apply_each<P, T, F>(
        &self,
        provider: Option<Arc<P>>,
        apply: impl Fn(&'static str, Entry<T>) -> F,
    ) -> Result<()>
    where
        P: Reports<T> + ?Sized,
        F: Future<Output = Result<()>>,
    {
        let provider = provider.ok_or(Error::NotFound("Provider"))?;
        let entries = provider.read_callback(&self.headers, &self.body).await;
        let mut failed = None;
        for entry in entries.map_err(ProviderError::unreadable)? {
            if let Err(error) = apply(provider.name(), entry).await {
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
