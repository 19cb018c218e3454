//! A request on its way: whether any of it can have left this machine.
//!
//! Whether a payment may be sent again depends on that alone, so it is observed and not guessed
//! from the kind of an error.

#[cfg(test)]
mod tests;

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Extensions, Request};
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::{CaptureConnection, capture_connection};
use tokio::time::{Instant, timeout_at};

use crate::causes::in_words;
use crate::connector::{Answered, Connector};
use crate::outcome::{Ending, Stage, Unread};

/// The connections of a client.
pub(crate) type Pool = Client<Connector, Sent>;

/// A request body that notices when a connection takes the request.
///
/// A connection looks at the body before it writes the head, and gives back a request that it has
/// not looked at.
pub(crate) struct Sent {
    body: Full<Bytes>,
    taken: Arc<AtomicBool>,
}

/// Observes a request from outside.
struct Watch {
    taken: Arc<AtomicBool>,
    connection: CaptureConnection,
}

/// Sends a request once and reads its response.
pub(crate) async fn perform(
    pool: &Pool,
    request: Request<()>,
    body: Bytes,
    body_limit: usize,
    deadline: Instant,
) -> Ending {
    let (request, watch) = Sent::with(request, body);
    let response = match timeout_at(deadline, pool.request(request)).await {
        Err(_) => return Ending::Late { handed_over: watch.is_handed_over() },
        Ok(Err(error)) => return Ending::Broken { error: Box::new(error), stage: watch.stage() },
        Ok(Ok(response)) => response,
    };
    let (head, body) = response.into_parts();
    if let Some(answered) = head.extensions.get::<Answered>() {
        answered.set();
    }
    let body = timeout_at(deadline, read_whole(body, body_limit)).await;
    let body = body.unwrap_or(Err(Unread::Late));
    Ending::Answered { status: head.status, headers: head.headers, body }
}

impl Sent {
    fn with(request: Request<()>, body: Bytes) -> (Request<Self>, Watch) {
        let mut request = request;
        let connection = capture_connection(&mut request);
        let taken = Arc::new(AtomicBool::new(false));
        let watch = Watch { taken: Arc::clone(&taken), connection };
        (request.map(|()| Self { body: Full::new(body), taken }), watch)
    }
}

impl Watch {
    /// Whether the request was handed to a connection, which may be writing it at this moment.
    fn is_handed_over(&self) -> bool {
        self.connection.connection_metadata().is_some()
    }

    /// Where the request was when its exchange ended with an error. The connection has let go of
    /// it then, so what it noticed is final.
    fn stage(&self) -> Stage {
        if !self.taken.load(Ordering::SeqCst) {
            return Stage::Unwritten;
        }
        let mut extras = Extensions::new();
        if let Some(connected) = self.connection.connection_metadata().as_ref() {
            connected.get_extras(&mut extras);
        }
        match extras.get::<Answered>() {
            Some(answered) if !answered.get() => Stage::WrittenFirst,
            _ => Stage::Written,
        }
    }
}

impl Body for Sent {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        self.taken.store(true, Ordering::SeqCst);
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.taken.store(true, Ordering::SeqCst);
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Reads a whole body, if it is not longer than the limit.
async fn read_whole(mut body: Incoming, limit: usize) -> Result<Bytes, Unread> {
    let announced = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    if announced > limit {
        return Err(Unread::TooLarge);
    }
    let mut whole = Vec::with_capacity(announced);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| Unread::Cut(in_words(&error)))?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        if whole.len() + data.len() > limit {
            return Err(Unread::TooLarge);
        }
        whole.extend_from_slice(&data);
    }
    Ok(Bytes::from(whole))
}
