//! Opens connections: name, TCP and TLS within one time limit.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use hyper_util::client::legacy::connect::{Connected, Connection, HttpConnector};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};
use tower::Service;

use crate::causes::complaint_about_our_certificate;

type BoxError = Box<dyn std::error::Error + Send + Sync>;

#[derive(Clone)]
pub(crate) struct Connector {
    https: HttpsConnector<HttpConnector>,
    within: Duration,
    complaints: Complaints,
}

/// What the service last said about our certificate, on any connection.
///
/// A connection that the service closes before it is given a request ends without its error.
#[derive(Clone, Default)]
pub(crate) struct Complaints(Arc<Mutex<Option<(Instant, &'static str)>>>);

/// A connection that knows whether it has carried a response.
///
/// A service of TLS 1.3 refuses our certificate after the handshake, when the first request may
/// already be on its way, and then has not read it. On a connection that has carried a response the
/// same alert would prove nothing.
pub(crate) struct Line {
    stream: MaybeHttpsStream<TokioIo<TcpStream>>,
    answered: Answered,
    complaints: Complaints,
}

/// Whether a connection has carried a response.
#[derive(Clone, Default)]
pub(crate) struct Answered(Arc<AtomicBool>);

impl Answered {
    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    pub(crate) fn get(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

impl Complaints {
    /// The last one, if it is not older than an instant.
    pub(crate) fn since(&self, instant: Instant) -> Option<&'static str> {
        let last = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.filter(|(at, _)| *at >= instant).map(|(_, complaint)| complaint)
    }

    fn note(&self, error: &io::Error) {
        if let Some(complaint) = complaint_about_our_certificate(error) {
            let last = Some((Instant::now(), complaint));
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = last;
        }
    }
}

impl Connector {
    pub(crate) fn new(tls: ClientConfig, within: Duration, complaints: Complaints) -> Self {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        // Divided among the addresses of a name, so that a dead one leaves time for the others.
        tcp.set_connect_timeout(Some(within));
        Self { https: HttpsConnector::from((tcp, tls)), within, complaints }
    }
}

impl Service<Uri> for Connector {
    type Response = Line;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Line, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.https.poll_ready(context)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let connecting = timeout(self.within, self.https.call(uri));
        let complaints = self.complaints.clone();
        Box::pin(async move {
            match connecting.await {
                Ok(connected) => {
                    Ok(Line { stream: connected?, answered: Answered::default(), complaints })
                }
                Err(_) => Err(io::Error::from(io::ErrorKind::TimedOut).into()),
            }
        })
    }
}

impl Connection for Line {
    fn connected(&self) -> Connected {
        self.stream.connected().extra(self.answered.clone())
    }
}

impl Read for Line {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if let Poll::Ready(Err(error)) = &read {
            self.complaints.note(error);
        }
        read
    }
}

impl Write for Line {
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
