//! Limits how much a server may send for one request, counted on the socket.
//!
//! hyper limits the head of a response and we limit its body, but interim responses, chunk sizes,
//! trailers and TLS overhead are read without a limit. So every read is deducted from an allowance,
//! below TLS, where every byte is counted.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Extensions, Request};
use http_body_util::Full;
use hyper::body::{Body, Frame, SizeHint};
use hyper::ext::on_informational;
use hyper_util::client::legacy::connect::{
    CaptureConnection, Connected, Connection, capture_connection,
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::failure::Failure;

/// The allowance for a TLS handshake, including certificates.
const HANDSHAKE_BYTES: usize = 64 * 1_024;

/// The minimum cost of a read, because a single byte wakes as many components as a full buffer.
const READ_COSTS: usize = 64;

/// The maximum size of one read: it is parsed completely before the next read can be rejected.
const READ_BYTES_MAX: usize = 1_024;

/// The cost of an interim response besides its bytes, because each is parsed like a head. Honest
/// servers send a few.
const INTERIM_COSTS: usize = 1_024;

/// The remaining allowance of a connection.
#[derive(Clone)]
pub(crate) struct Allowance {
    left: Arc<AtomicUsize>,
    exchange_bytes: usize,
}

/// A connection that deducts its reads from the allowance.
pub(crate) struct Metered {
    stream: TcpStream,
    allowance: Allowance,
}

/// A request body that renews the allowance of the connection it is sent on.
///
/// A connection polls a request's body before it writes the head, and so before any response to it
/// can be read. No other moment is certain to lie between two exchanges.
pub(crate) struct Sent {
    body: Full<Bytes>,
    connection: CaptureConnection,
}

impl Allowance {
    fn renew(&self) {
        self.left.store(self.exchange_bytes, Ordering::Relaxed);
    }

    fn is_spent(&self) -> bool {
        self.left.load(Ordering::Relaxed) == 0
    }

    fn pay(&self, bytes: usize) {
        let left = self.left.load(Ordering::Relaxed);
        self.left.store(left.saturating_sub(bytes.max(READ_COSTS)), Ordering::Relaxed);
    }
}

impl Metered {
    /// Allows a handshake now, and `exchange_bytes` for each request.
    pub(crate) fn new(stream: TcpStream, exchange_bytes: usize) -> Self {
        let left = Arc::new(AtomicUsize::new(HANDSHAKE_BYTES));
        Self { stream, allowance: Allowance { left, exchange_bytes } }
    }
}

impl Connection for Metered {
    fn connected(&self) -> Connected {
        self.stream.connected().extra(self.allowance.clone())
    }
}

impl AsyncRead for Metered {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.allowance.is_spent() {
            return Poll::Ready(Err(io::Error::other(Failure::TooLarge)));
        }
        let most = buffer.remaining().min(READ_BYTES_MAX);
        let mut piece = ReadBuf::new(buffer.initialize_unfilled_to(most));
        let polled = Pin::new(&mut self.stream).poll_read(context, &mut piece);
        let bytes = piece.filled().len();
        buffer.advance(bytes);
        if polled.is_ready() {
            self.allowance.pay(bytes);
        }
        polled
    }
}

impl AsyncWrite for Metered {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }
}

impl Sent {
    /// Wraps the request's body so that it learns which connection sends it.
    pub(crate) fn with(request: Request<()>, body: Bytes) -> Request<Self> {
        let mut request = request;
        let connection = capture_connection(&mut request);
        let captured = connection.clone();
        on_informational(&mut request, move |_| {
            if let Some(allowance) = allowance(&captured) {
                allowance.pay(INTERIM_COSTS);
            }
        });
        request.map(|()| Self { body: Full::new(body), connection })
    }
}

/// The allowance of the connection that sends the request, if one does.
fn allowance(connection: &CaptureConnection) -> Option<Allowance> {
    let mut extras = Extensions::new();
    if let Some(connected) = connection.connection_metadata().as_ref() {
        connected.get_extras(&mut extras);
    }
    extras.remove()
}

impl Body for Sent {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        if let Some(allowance) = allowance(&self.connection) {
            allowance.renew();
        }
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
