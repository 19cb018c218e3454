//! The endpoint that every bank calls, whatever its rail.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::{Arc, LazyLock};

use axum::extract::{FromRequest, FromRequestParts, Request};
use bytes::Bytes;
use http::HeaderMap;
use rails::entries::{Entry, Unreadable};
use rails::error::ProviderError;
use sandbox::callback_parser::CallbackParser;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};
use tokio::time::timeout_at;

use crate::app::App;
use crate::platform::caller_limit::CallerLimit;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::body::{Arriving, BODY_BYTES_MAX};
use crate::platform::http::client_ip::network;
use crate::platform::http::context::Context;
use crate::platform::http::path::PathParam;

/// The largest body of a callback, which may hold thousands of entries.
pub const CALLBACK_BYTES_MAX: usize = 1024 * 1024;
/// The sender is known only once the body is read, so few larger than other bodies are in memory.
const LARGE_AT_ONCE: usize = 16;
/// How many of them one client may send at once.
const LARGE_PER_CLIENT: usize = 2;

/// How many entries of a message that cannot be read are kept at once; more are kept when the bank
/// sends it again after these were decided on.
const UNREADABLE_MAX: usize = 100;

static LARGE: Semaphore = Semaphore::const_new(LARGE_AT_ONCE);
static LARGE_OF: LazyLock<CallerLimit<IpAddr>> =
    LazyLock::new(|| CallerLimit::new(LARGE_PER_CLIENT));

/// A call of a provider.
#[derive(Debug)]
pub struct Callback {
    /// As the URL names it.
    pub provider: Arc<str>,
    pub headers: HeaderMap,
    pub body: Bytes,
}

type Permits = (OwnedSemaphorePermit, SemaphorePermit<'static>);

/// A large body, which counts as one until it is dropped.
struct Large {
    bytes: Bytes,
    _permits: Permits,
}

impl AsRef<[u8]> for Large {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl FromRequest<App> for Callback {
    type Rejection = Error;

    /// Refuses an unknown provider before its body is read.
    async fn from_request(request: Request, app: &App) -> Result<Self> {
        let (mut parts, body) = request.into_parts();
        let PathParam(provider): PathParam<String> =
            PathParam::from_request_parts(&mut parts, app).await?;
        if !app.providers.has_door(&provider) {
            return Err(Error::NotFound("Provider"));
        }
        let Context(context) = Context::from_request_parts(&mut parts, app).await?;
        let headers = parts.headers.clone();
        let body = Arriving::new(Request::from_parts(parts, body));
        let body = read(body, network(context.client_ip)).await?;
        Ok(Self { provider: provider.into(), headers, body })
    }
}

/// Reads a body; what is larger than other bodies waits until few others are in memory.
async fn read(mut body: Arriving, client: IpAddr) -> Result<Bytes> {
    if body.read_up_to(BODY_BYTES_MAX).await.map_err(undecided)? {
        return Ok(body.bytes());
    }
    let busy = |_| Error::Unavailable("too many large callbacks at once".into());
    let permits = timeout_at(body.due(), permits(client)).await.map_err(busy)??;
    if body.read_up_to(CALLBACK_BYTES_MAX).await.map_err(undecided)? {
        return Ok(Bytes::from_owner(Large { bytes: body.bytes(), _permits: permits }));
    }
    Err(body.refuse(CALLBACK_BYTES_MAX).await)
}

async fn permits(client: IpAddr) -> Result<Permits> {
    let own = LARGE_OF.acquire(client).await?;
    let closed = |_| Error::Unavailable("the server stops".into());
    Ok((own, LARGE.acquire().await.map_err(closed)?))
}

impl Callback {
    /// Applies each of the message's entries in a unit of its own, so that one failure does not
    /// block the others; once all are applied, `accept` gets the entries that cannot be read.
    pub async fn apply_each<P, T, F, A>(
        &self,
        provider: Option<Arc<P>>,
        apply: impl Fn(Entry<T>) -> F,
        accept: impl FnOnce(BTreeSet<String>) -> A,
    ) -> Result<()>
    where
        P: CallbackParser<T> + ?Sized,
        F: Future<Output = Result<()>>,
        A: Future<Output = Result<()>>,
    {
        let provider = provider.ok_or(Error::NotFound("Provider"))?;
        let entries = provider.read_callback(&self.headers, &self.body);
        let (mut failed, mut seen, mut unreadable_kept) = (None::<Error>, BTreeSet::new(), 0);
        for entry in entries.map_err(unreadable)? {
            let is_readable = entry.is_ok();
            if let Err(Unreadable { text, .. }) = &entry
                && (unreadable_kept == UNREADABLE_MAX || !seen.insert(text.clone()))
            {
                continue;
            }
            if let Err(error) = apply(entry).await {
                unreadable_kept += usize::from(!is_readable);
                // A fault of the server must not hide behind an entry that cannot be read yet.
                failed = Some(failed.filter(|first| first.code().status() == 500).unwrap_or(error));
            }
        }
        if failed.is_none() && !seen.is_empty() {
            failed = accept(seen).await.err();
        }
        match failed.map(undecided) {
            Some(Error::Unavailable(cause)) => Err(Error::Partial(cause)),
            other => other.map_or(Ok(()), Err),
        }
    }
}

/// The response to a message that cannot be read.
///
/// An authentic one is requested again: after a refusal the bank would never resend it, not even to
/// a version that can read it.
fn unreadable(error: ProviderError) -> Error {
    match error {
        ProviderError::NotAuthentic => Error::Unauthenticated(ErrorCode::Unauthorized),
        ProviderError::Refused { text, .. } => {
            tracing::error!(text, "a bank's own message cannot be read");
            Error::Unavailable(text)
        }
        other => Error::Unavailable(other.to_string()),
    }
}

/// Banks send no idempotency key; they send the same message again.
pub fn for_bank(error: Arc<Error>) -> Arc<Error> {
    match &*error {
        Error::Unknown(cause) => Arc::new(Error::Partial(cause.clone())),
        _ => error,
    }
}

/// The response to a bank's authentic message that was not applied: it asks to resend it, and never
/// says that the message was wrong.
fn undecided(error: Error) -> Error {
    if !(400..500).contains(&error.code().status()) {
        return error;
    }
    if error.code() == ErrorCode::InvalidJson {
        tracing::warn!(%error, "a callback's body did not arrive");
    } else if error.code() == ErrorCode::ConcurrentUpdate {
        tracing::warn!(%error, "a bank's message waited too long for other work");
    } else {
        tracing::error!(%error, "a bank's message was not taken in");
    }
    Error::Unavailable(error.to_string())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::for_bank;
    use crate::platform::error::Error;

    #[test]
    fn a_bank_whose_call_takes_too_long_is_asked_for_the_message_and_not_for_a_key() {
        let overdue = Error::Unknown("the request took too long".into());
        let refused = Error::NotFound("Provider");
        let table = [
            (overdue, 503, "Some of this request may not have been processed. Send it again."),
            (refused, 404, "Provider not found."),
        ];
        for (error, status, message) in table {
            let said = for_bank(Arc::new(error));
            assert_eq!((said.code().status(), said.message().as_str()), (status, message));
        }
    }
}
