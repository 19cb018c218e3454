//! The merchants' webhook receiver: accepts everything with 200 and notifies its waiters.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Context, Result};
use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, spawn_local};

const OBJECT_ID_PREFIX: &[u8] = br#""objectId":""#;
const ID_LENGTH: usize = 36;
/// The product retries after a second at the earliest; no run waits that long for one delivery.
const PATIENCE: Duration = Duration::from_secs(60);

/// A receiver on this machine.
pub struct Sink {
    address: SocketAddr,
    inbox: Rc<Inbox>,
    accepting: JoinHandle<()>,
}

#[derive(Default)]
struct Inbox {
    received: Cell<u64>,
    last_bytes: Cell<usize>,
    arrivals: RefCell<HashMap<Box<[u8]>, Arrival>>,
}

/// The deliveries about one object, and their waiter.
#[derive(Default)]
struct Arrival {
    count: u32,
    waiting: Option<(u32, oneshot::Sender<()>)>,
}

impl Sink {
    /// Starts listening on a free port.
    pub async fn open() -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let (address, inbox) = (listener.local_addr()?, Rc::<Inbox>::default());
        let accepting = spawn_local(accept(listener, inbox.clone()));
        Ok(Self { address, inbox, accepting })
    }

    /// Its address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// A URL to subscribe; each number is a separate one.
    pub fn url(&self, number: usize) -> String {
        format!("http://{}/hooks/{number}", self.address)
    }

    /// The number of deliveries.
    pub fn received(&self) -> u64 {
        self.inbox.received.get()
    }

    /// The size of the last delivery's body.
    pub fn last_bytes(&self) -> usize {
        self.inbox.last_bytes.get()
    }

    /// Waits until that many deliveries about an object have arrived.
    pub async fn wait_for(&self, object: &str, count: u32) -> Result<()> {
        let Some(arrived) = self.inbox.expect(object.as_bytes(), count) else { return Ok(()) };
        let late = || format!("the webhook about {object} did not arrive");
        Ok(tokio::time::timeout(PATIENCE, arrived).await.with_context(late)??)
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Inbox {
    fn take(&self, body: &[u8]) {
        self.received.set(self.received.get() + 1);
        self.last_bytes.set(body.len());
        let Some(object) = object(body) else { return };
        let mut arrivals = self.arrivals.borrow_mut();
        let arrival = arrivals.entry(object.into()).or_default();
        arrival.count += 1;
        if arrival.waiting.as_ref().is_some_and(|(wanted, _)| arrival.count >= *wanted)
            && let Some(Arrival { waiting: Some((_, sender)), .. }) = arrivals.remove(object)
        {
            // The waiter may have given up.
            let _ = sender.send(());
        }
    }

    /// Returns a future for the rest, unless everything has arrived.
    fn expect(&self, object: &[u8], count: u32) -> Option<oneshot::Receiver<()>> {
        let mut arrivals = self.arrivals.borrow_mut();
        let arrival = arrivals.entry(object.into()).or_default();
        if arrival.count >= count {
            arrivals.remove(object);
            return None;
        }
        let (sender, arrived) = oneshot::channel();
        arrival.waiting = Some((count, sender));
        Some(arrived)
    }
}

async fn accept(listener: TcpListener, inbox: Rc<Inbox>) {
    while let Ok((stream, _)) = listener.accept().await {
        // Without it the responses wait for the requests' acknowledgements.
        let _ = stream.set_nodelay(true);
        let inbox = inbox.clone();
        let service = service_fn(move |request| answer(request, inbox.clone()));
        let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
        spawn_local(connection);
    }
}

async fn answer(
    request: Request<Incoming>,
    inbox: Rc<Inbox>,
) -> Result<Response<Empty<Bytes>>, Infallible> {
    if let Ok(body) = request.into_body().collect().await {
        inbox.take(&body.to_bytes());
    }
    Ok(Response::new(Empty::new()))
}

/// The event's object; it is near the end of every body.
fn object(body: &[u8]) -> Option<&[u8]> {
    let at = body.windows(OBJECT_ID_PREFIX.len()).rposition(|window| window == OBJECT_ID_PREFIX)?
        + OBJECT_ID_PREFIX.len();
    body.get(at..at + ID_LENGTH)
}

#[cfg(test)]
mod tests {
    use super::{Inbox, object};

    const ID: &str = "01a1ffb1-ba7b-774b-bfff-ffffffffffff";

    #[test]
    fn the_object_is_found_at_the_end_of_a_body() {
        let body = format!(r#"{{"data":{{"objectId":1}},"objectId":"{ID}","sequence":2}}"#);
        assert_eq!(object(body.as_bytes()), Some(ID.as_bytes()));
        assert_eq!(object(br#"{"objectId":"short"}"#), None);
        assert_eq!(object(b"{}"), None);
    }

    #[test]
    fn a_delivery_counts_whether_it_comes_before_or_after_it_is_waited_for() {
        let inbox = Inbox::default();
        let body = format!(r#"{{"objectId":"{ID}","sequence":2}}"#);
        inbox.take(body.as_bytes());
        assert!(inbox.expect(ID.as_bytes(), 1).is_none());

        let mut arrived = inbox.expect(ID.as_bytes(), 2).unwrap();
        inbox.take(body.as_bytes());
        assert!(arrived.try_recv().is_err());
        inbox.take(body.as_bytes());
        assert!(arrived.try_recv().is_ok());
        assert_eq!((inbox.received.get(), inbox.arrivals.borrow().len()), (3, 0));
    }
}
