//! One connection, from its first byte to its last.

use std::convert::Infallible;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use http::{HeaderValue, Request, Response, header};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tower::ServiceExt;

use crate::platform::http::server::response_body::ResponseBody;
use crate::platform::http::server::timeout_stream::{InFlight, TimeoutStream};
use crate::platform::http::server::{Peer, ServerLimits};

const HEADERS_MAX: usize = 64;
const BUFFER_BYTES_MAX: usize = 32 * 1024;

/// What a connection needs to serve its requests.
pub struct Connection {
    pub router: Router,
    pub limits: ServerLimits,
    pub peer: Peer,
    /// Becomes true when the server stops.
    pub stopped: watch::Receiver<bool>,
}

impl Connection {
    /// Serves requests until the client leaves, a limit ends the connection, or the server stops.
    pub async fn run(mut self, stream: TcpStream) {
        // Responses are sent without waiting to fill a packet. On a closed connection this fails,
        // and so will the first read.
        let _ = stream.set_nodelay(true);
        let (closing, closed) = watch::channel(false);
        let in_flight = InFlight::default();
        let guarded =
            TimeoutStream::new(stream, in_flight.clone(), self.limits.head, self.limits.stall);
        let (router, peer, stopped) = (self.router, self.peer, self.stopped.clone());
        // Requests borrow them: each clone of `stopped` writes a count that connections share.
        let (stopped, closed) = (&stopped, &closed);
        let service = service_fn(move |request| {
            let turn = in_flight.begin();
            let response = respond(router.clone(), peer, request);
            async move {
                let mut response = response.await?;
                if *stopped.borrow() {
                    // The client learns it before it sends its next request here.
                    let headers = response.headers_mut();
                    headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
                }
                Ok::<_, Infallible>(ResponseBody::wrap(response, turn, closed))
            }
        });
        let builder = builder(self.limits.idle);
        let mut connection = pin!(builder.serve_connection(TokioIo::new(guarded), service));
        tokio::select! {
            ended = &mut connection => return report(ended),
            () = stopped_within(self.limits.age, &mut self.stopped) => {}
        }
        closing.send_replace(true);
        connection.as_mut().graceful_shutdown();
        let ended = tokio::time::timeout(self.limits.drain, connection).await;
        ended.map_or_else(|_| tracing::warn!("a request did not finish and was cut off"), report);
    }
}

async fn respond(
    router: Router,
    peer: Peer,
    request: Request<Incoming>,
) -> Result<Response<Body>, Infallible> {
    let mut request = request.map(Body::new);
    request.extensions_mut().insert(peer);
    router.oneshot(request).await
}

fn builder(idle: Duration) -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        // It runs from one request to the end of the next head, so it is the longer of the two
        // limits; the guarded stream enforces the shorter one, for the head alone.
        .header_read_timeout(idle)
        .max_headers(HEADERS_MAX)
        .max_buf_size(BUFFER_BYTES_MAX);
    builder
}

/// Waits for the stop, up to the maximum age of a connection.
async fn stopped_within(age: Duration, stopped: &mut watch::Receiver<bool>) {
    // A stop, the age limit and a server that is gone are handled alike.
    let _ = tokio::time::timeout(age, stopped.wait_for(|stopped| *stopped)).await;
}

/// Clients disconnect in many ways, none of which is worth more than a debug line.
fn report(ended: hyper::Result<()>) {
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection closed early");
    }
}
