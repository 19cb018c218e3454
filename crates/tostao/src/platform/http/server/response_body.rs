//! A response body that marks its request as finished once sent, and ends an event stream at
//! shutdown.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use bytes::Bytes;
use http::{HeaderMap, Response, header};
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::sync::watch;

use crate::platform::http::server::timeout_stream::RequestInFlight;

type Closed = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The body of a response on its connection. Its request is in flight until this is dropped.
pub struct ResponseBody {
    body: Body,
    /// For a stream without an end: resolves when the connection is to close.
    closed: Option<Closed>,
    _turn: RequestInFlight,
}

impl ResponseBody {
    /// Wraps the router's response.
    pub fn wrap(
        response: Response<Body>,
        turn: RequestInFlight,
        closed: &watch::Receiver<bool>,
    ) -> Response<Self> {
        let endless = is_event_stream(response.headers());
        let closed = endless.then(|| Box::pin(wait(closed.clone())) as Closed);
        response.map(|body| Self { body, closed, _turn: turn })
    }
}

impl HttpBody for ResponseBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if let Some(closed) = &mut self.closed
            && closed.as_mut().poll(context).is_ready()
        {
            // The stream ends between two events, as if it were complete; the client reconnects.
            self.closed = None;
            self.body = Body::empty();
        }
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

fn is_event_stream(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("text/event-stream"))
}

async fn wait(mut closed: watch::Receiver<bool>) {
    // A closed channel means that the connection is gone, which ends the stream as well.
    let _ = closed.wait_for(|closed| *closed).await;
}
