//! Clients of every kind, over real sockets.
//!
//! No test sleeps: each waits for the server to close, to answer, or to drop something. `PATIENCE`
//! only bounds how long a broken server may delay a test.

use std::convert::Infallible;
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::mpsc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::Extension;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures_util::stream;
use http::header;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::{Peer, ServerLimits, serve};
use crate::platform::http::client_ip::TrustedProxies;

const PATIENCE: Duration = Duration::from_secs(30);
/// Long enough for a client on a busy machine to send a request.
const SHORT: Duration = Duration::from_millis(500);

/// Every deadline too far away to be met, so that a test sees only the one it shortens.
const PATIENT: ServerLimits = ServerLimits {
    connections: 100,
    connections_per_address: 100,
    head: Duration::from_mins(10),
    idle: Duration::from_mins(10),
    stall: Duration::from_mins(10),
    age: Duration::from_mins(10),
    drain: Duration::from_mins(10),
};

/// A server on a runtime of its own.
struct Served {
    address: SocketAddr,
    runtime: Runtime,
    stop: Option<oneshot::Sender<()>>,
    ended: JoinHandle<()>,
}

impl Served {
    fn start(limits: ServerLimits, router: Router, proxies: &[&str]) -> Self {
        let proxies: Vec<String> = proxies.iter().map(|text| (*text).to_owned()).collect();
        let proxies = TrustedProxies::parse(&proxies).unwrap();
        let runtime = Runtime::new().unwrap();
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let ended = runtime.spawn(serve(listener, router, limits, proxies, async {
            let _ = stopped.await;
        }));
        Self { address, runtime, stop: Some(stop), ended }
    }

    fn client(&self) -> Client {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        Client(stream)
    }

    fn stop(&mut self) {
        self.stop.take().unwrap().send(()).unwrap();
    }

    /// Waits until the server has returned.
    fn end(self) {
        let ended = async { tokio::time::timeout(PATIENCE, self.ended).await };
        self.runtime.block_on(ended).expect("the server returns").unwrap();
    }
}

struct Client(TcpStream);

impl Client {
    fn send(&mut self, text: &str) {
        self.0.write_all(text.as_bytes()).unwrap();
    }

    fn ask(&mut self, path: &str) -> String {
        self.send(&format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n"));
        self.answer()
    }

    /// Asks over a connection that may be closed at any moment.
    fn try_ask(&mut self) -> bool {
        let sent = self.0.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n");
        sent.is_ok() && self.answer().ends_with("hello")
    }

    /// Reads one answer that has a length; empty if the server closes instead.
    fn answer(&mut self) -> String {
        let mut text = Vec::new();
        let mut byte = [0];
        while !complete(&text) {
            match self.0.read(&mut byte) {
                Ok(1) => text.push(byte[0]),
                Ok(_) => break,
                Err(error) if error.kind() == ErrorKind::ConnectionReset => break,
                Err(error) => panic!("{error}"),
            }
        }
        String::from_utf8(text).unwrap()
    }

    /// Reads until the server closes; fails if it does not.
    fn rest(&mut self) -> String {
        let mut text = Vec::new();
        match self.0.read_to_end(&mut text) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
            Err(error) => panic!("{error}"),
        }
        String::from_utf8(text).unwrap()
    }
}

fn complete(answer: &[u8]) -> bool {
    let text = String::from_utf8_lossy(answer).to_ascii_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else {
        return false;
    };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    length.is_none_or(|length| body.len() >= length.parse().unwrap())
}

fn hello() -> Router {
    let peer = async |Extension(Peer(address)): Extension<Peer>| address.to_string();
    Router::new().route("/", get(async || "hello")).route("/peer", get(peer))
}

/// A route that signals when a request has arrived, and answers when released.
fn held() -> (Router, mpsc::Receiver<()>, tokio::sync::watch::Sender<bool>) {
    let (arrive, arrived) = mpsc::channel();
    let (release, released) = tokio::sync::watch::channel(false);
    let handler = async move || {
        arrive.send(()).unwrap();
        let _ = released.clone().wait_for(|released| *released).await;
        "done"
    };
    (hello().route("/held", get(handler)), arrived, release)
}

/// Signals when it is dropped.
struct Notify(mpsc::Sender<()>);

impl Drop for Notify {
    fn drop(&mut self) {
        let _ = self.0.send(());
    }
}

#[test]
fn a_request_knows_its_peer_and_the_next_one_uses_the_same_connection() {
    let server = Served::start(PATIENT, hello(), &[]);
    let mut client = server.client();
    assert!(client.ask("/").ends_with("\r\n\r\nhello"));
    assert!(client.ask("/peer").ends_with("\r\n\r\n127.0.0.1"));
}

#[test]
fn a_silent_connection_is_closed() {
    let server = Served::start(ServerLimits { head: SHORT, ..PATIENT }, hello(), &[]);
    assert_eq!(server.client().rest(), "");
}

#[test]
fn a_head_that_drips_is_cut_off() {
    let server = Served::start(ServerLimits { head: SHORT, ..PATIENT }, hello(), &[]);
    for requests_before in [0, 2] {
        let mut client = server.client();
        for _ in 0..requests_before {
            assert!(client.ask("/").ends_with("hello"));
        }
        client.0.set_read_timeout(Some(Duration::from_millis(5))).unwrap();
        client.send("GET / HTTP/1.1\r\nx: ");
        let mut drops = 0;
        loop {
            match client.0.read(&mut [0; 64]) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => drops += 1,
                // Unread bytes make the server's system reset the connection.
                Err(error) => break assert_eq!(error.kind(), ErrorKind::ConnectionReset),
                Ok(read) => break assert_eq!(read, 0),
            }
            // A closed connection refuses the byte; the next read shows it.
            let _ = client.0.write(b"x");
            assert!(drops < 6_000, "it may drip for half a minute");
        }
    }
}

#[test]
fn a_quiet_connection_outlives_the_deadline_of_a_head_and_serves_on() {
    let server = Served::start(ServerLimits { head: SHORT, ..PATIENT }, hello(), &[]);
    let mut client = server.client();
    assert!(client.ask("/").ends_with("hello"));
    client.0.set_read_timeout(Some(2 * SHORT)).unwrap();
    let quiet = client.0.read(&mut [0]).unwrap_err();
    assert_eq!(quiet.kind(), ErrorKind::WouldBlock);
    client.0.set_read_timeout(Some(PATIENCE)).unwrap();
    assert!(client.ask("/").ends_with("hello"));
}

#[test]
fn a_request_at_work_may_take_longer_than_its_head() {
    let (router, arrived, release) = held();
    let server = Served::start(ServerLimits { head: SHORT, ..PATIENT }, router, &[]);
    let mut client = server.client();
    client.send("GET /held HTTP/1.1\r\nhost: x\r\n\r\n");
    arrived.recv_timeout(PATIENCE).unwrap();
    client.0.set_read_timeout(Some(2 * SHORT)).unwrap();
    assert_eq!(client.0.read(&mut [0]).unwrap_err().kind(), ErrorKind::WouldBlock);
    release.send_replace(true);
    client.0.set_read_timeout(Some(PATIENCE)).unwrap();
    assert!(client.answer().ends_with("done"));
}

#[test]
fn a_body_may_take_longer_than_its_head() {
    let router = hello().route("/echo", post(async |body: String| body));
    let server = Served::start(ServerLimits { head: SHORT, ..PATIENT }, router, &[]);
    let mut client = server.client();
    client.send("POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\n");
    for part in ["sl", "ow"] {
        client.0.set_read_timeout(Some(2 * SHORT)).unwrap();
        assert_eq!(client.0.read(&mut [0]).unwrap_err().kind(), ErrorKind::WouldBlock);
        client.send(part);
    }
    client.0.set_read_timeout(Some(PATIENCE)).unwrap();
    assert!(client.answer().ends_with("slow"));
}

#[test]
fn a_connection_that_stays_quiet_is_closed() {
    let server = Served::start(ServerLimits { idle: SHORT, ..PATIENT }, hello(), &[]);
    let mut client = server.client();
    assert!(client.ask("/").ends_with("hello"));
    assert_eq!(client.rest(), "");
}

#[test]
fn an_old_connection_is_closed() {
    let server = Served::start(ServerLimits { age: SHORT, ..PATIENT }, hello(), &[]);
    assert_eq!(server.client().rest(), "");
}

#[test]
fn heads_beyond_the_limits_and_broken_ones_are_refused() {
    let server = Served::start(PATIENT, hello(), &[]);
    let many = |headers: usize| {
        (0..headers).fold(String::new(), |text, number| text + &format!("x-{number}: 1\r\n"))
    };
    let rows = [
        (format!("GET / HTTP/1.1\r\n{}\r\n", many(64)), "200"),
        (format!("GET / HTTP/1.1\r\n{}\r\n", many(65)), "431"),
        (format!("GET / HTTP/1.1\r\nx: {}\r\n\r\n", "x".repeat(30_000)), "200"),
        (format!("GET / HTTP/1.1\r\nx: {}", "x".repeat(33_000)), "431"),
        (format!("GET /{} HTTP/1.1\r\n", "x".repeat(33_000)), "431"),
        ("GET / HTTP/1.1\r\nno colon\r\n\r\n".to_owned(), "400"),
        ("GET / HTTP/1.1\r\ncontent-length: x\r\n\r\n".to_owned(), "400"),
        ("nonsense\r\n\r\n".to_owned(), "400"),
    ];
    for (request, status) in rows {
        let mut client = server.client();
        client.send(&request);
        let answer = client.answer();
        let begin = request.chars().take(40).collect::<String>();
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{begin:?}: {answer:?}");
    }
}

#[test]
fn an_address_has_so_many_connections_and_gets_a_new_one_for_an_old_one() {
    let limits = ServerLimits { connections_per_address: 2, ..PATIENT };
    let server = Served::start(limits, hello(), &[]);
    let (mut first, mut second) = (server.client(), server.client());
    assert!(first.ask("/").ends_with("hello"));
    assert!(second.ask("/").ends_with("hello"));
    assert_eq!(server.client().rest(), "");
    assert!(first.ask("/").ends_with("hello"), "the others are not touched");

    first.0.shutdown(Shutdown::Write).unwrap();
    // The server closes its side, and frees the slot right after.
    assert_eq!(first.rest(), "");
    let mut tries = (0..10_000).map(|_| server.client());
    assert!(tries.any(|mut client| client.try_ask()), "the place is free again");
}

#[test]
fn a_trusted_proxy_has_as_many_connections_as_it_wants() {
    let limits = ServerLimits { connections_per_address: 1, ..PATIENT };
    let server = Served::start(limits, hello(), &["127.0.0.0/8"]);
    let mut clients: Vec<_> = (0..5).map(|_| server.client()).collect();
    for client in &mut clients {
        assert!(client.ask("/").ends_with("hello"));
    }
}

#[test]
fn when_all_places_are_taken_a_client_waits_for_one() {
    let server = Served::start(ServerLimits { connections: 1, ..PATIENT }, hello(), &[]);
    let mut first = server.client();
    assert!(first.ask("/").ends_with("hello"));
    let mut second = server.client();
    second.send("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
    drop(first);
    assert!(second.answer().ends_with("hello"));
}

#[test]
fn a_client_that_takes_nothing_of_its_answer_is_dropped() {
    let (notice, noticed) = mpsc::channel();
    let endless = move || {
        let (noticed, chunk) = (Notify(notice.clone()), Bytes::from(vec![b'x'; 64 * 1024]));
        let chunks = stream::repeat_with(move || {
            let _ = &noticed;
            Ok::<_, Infallible>(chunk.clone())
        });
        std::future::ready(Body::from_stream(chunks))
    };
    let router = hello().route("/endless", get(endless));
    let server = Served::start(ServerLimits { stall: SHORT, ..PATIENT }, router, &[]);
    let mut client = server.client();
    client.send("GET /endless HTTP/1.1\r\nhost: x\r\n\r\n");
    noticed.recv_timeout(PATIENCE).expect("the answer is given up");
}

#[test]
fn a_stop_lets_the_request_at_work_finish_and_takes_no_new_one() {
    let (router, arrived, release) = held();
    let mut server = Served::start(PATIENT, router, &[]);
    let (mut busy, mut quiet) = (server.client(), server.client());
    assert!(quiet.ask("/").ends_with("hello"));
    busy.send("GET /held HTTP/1.1\r\nhost: x\r\n\r\n");
    arrived.recv_timeout(PATIENCE).unwrap();
    server.stop();
    assert_eq!(quiet.rest(), "", "a quiet connection is closed at once");
    let refused = TcpStream::connect(server.address).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::ConnectionRefused);
    release.send_replace(true);
    let answer = busy.rest();
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    assert!(answer.contains("\r\nconnection: close\r\n"), "{answer}");
    assert!(answer.ends_with("done"), "{answer}");
    server.end();
}

#[test]
fn a_stop_cuts_a_request_off_that_does_not_finish() {
    let (router, arrived, _release) = held();
    let mut server = Served::start(ServerLimits { drain: SHORT, ..PATIENT }, router, &[]);
    let mut client = server.client();
    client.send("GET /held HTTP/1.1\r\nhost: x\r\n\r\n");
    arrived.recv_timeout(PATIENCE).unwrap();
    server.stop();
    assert_eq!(client.rest(), "");
    server.end();
}

#[test]
fn a_stop_ends_event_streams_between_two_events() {
    let mut server = Served::start(PATIENT, hello().route("/events", get(events)), &[]);
    let mut client = server.client();
    client.send("GET /events HTTP/1.1\r\nhost: x\r\n\r\n");
    // The first event has arrived, so the stream is in flight.
    let mut head = [0; 16];
    client.0.read_exact(&mut head).unwrap();
    server.stop();
    let rest = client.rest();
    assert!(rest.ends_with("data: 1\n\n\r\n0\r\n\r\n"), "{rest:?}");
    server.end();
}

#[test]
fn age_ends_event_streams_too() {
    let limits = ServerLimits { age: SHORT, ..PATIENT };
    let server = Served::start(limits, hello().route("/events", get(events)), &[]);
    let mut client = server.client();
    client.send("GET /events HTTP/1.1\r\nhost: x\r\n\r\n");
    let rest = client.rest();
    assert!(rest.ends_with("data: 1\n\n\r\n0\r\n\r\n"), "{rest:?}");
}

/// One event, and then none ever.
async fn events() -> Response {
    let first = stream::once(async { Ok::<_, Infallible>("data: 1\n\n") });
    let body = Body::from_stream(stream::StreamExt::chain(first, stream::pending()));
    ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response()
}

#[test]
fn a_handler_that_breaks_down_takes_only_its_own_connection_with_it() {
    let broken = async || -> &'static str { panic!("a broken handler") };
    let limits = ServerLimits { connections: 1, connections_per_address: 1, ..PATIENT };
    let mut server = Served::start(limits, hello().route("/broken", get(broken)), &[]);
    assert_eq!(server.client().ask("/broken"), "");
    let mut tries = (0..10_000).map(|_| server.client());
    assert!(tries.any(|mut client| client.try_ask()), "its place is free again");
    server.stop();
    server.end();
}

#[test]
fn a_process_takes_no_more_connections_than_it_may_have_open_files() {
    let table = [
        (None, 10_000),
        (Some(65_536), 10_000),
        (Some(11_024), 10_000),
        (Some(4_096), 3_072),
        (Some(1_024), 512),
        (Some(0), 1),
    ];
    for (files, connections) in table {
        assert_eq!(ServerLimits::within(files).connections, connections, "{files:?}");
    }
}
