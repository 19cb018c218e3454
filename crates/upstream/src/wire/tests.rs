//! What is known of a request whose connection failed, with the client's own connections.
#![expect(clippy::disallowed_methods, reason = "a server that blocks needs a thread")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::{JoinHandle, spawn};
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::{ClientConfig, RootCertStore};
use tokio::time::Instant;

use super::{Pool, perform};
use crate::connector::{Complaints, Connector};
use crate::outcome::{Ending, Stage};

/// Answers so many requests of one connection and closes it, the last time when it is asked to.
struct Server {
    address: SocketAddr,
    close: Sender<()>,
    thread: JoinHandle<()>,
}

impl Server {
    fn start(answers: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (close, closed) = channel();
        let thread = spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            for _ in 0..answers {
                read_request(&mut stream);
                stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").unwrap();
            }
            if answers == 0 {
                read_request(&mut stream);
            }
            closed.recv().unwrap();
        });
        Self { address, close, thread }
    }

    /// Closes the connection, and returns when the system has done so.
    fn close(self) {
        self.close.send(()).unwrap();
        self.thread.join().unwrap();
    }
}

/// The requests of these tests have no body.
fn read_request(stream: &mut TcpStream) {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        bytes.push(byte[0]);
    }
}

fn pool() -> Pool {
    let tls = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth();
    let connector = Connector::new(tls, Duration::from_secs(5), Complaints::default());
    Client::builder(TokioExecutor::new()).retry_canceled_requests(false).build(connector)
}

/// Sends a request and returns the status of its response, or where the request was.
async fn exchange(pool: &Pool, address: SocketAddr) -> Result<u16, Stage> {
    let mut request = Request::new(());
    *request.uri_mut() = format!("http://{address}/").parse().unwrap();
    let deadline = Instant::now() + Duration::from_secs(10);
    match perform(pool, request, Bytes::new(), 0, deadline).await {
        Ending::Answered { status, .. } => Ok(status.as_u16()),
        Ending::Broken { stage, .. } => Err(stage),
        Ending::Late { .. } => panic!("there are ten seconds"),
    }
}

#[tokio::test]
async fn a_request_without_a_connection_is_unwritten() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    assert_eq!(exchange(&pool(), address).await, Err(Stage::Unwritten));
}

#[tokio::test]
async fn a_request_that_was_written_first_differs_from_one_after_a_response() {
    for (answers, expected) in [(0, Stage::WrittenFirst), (1, Stage::Written)] {
        let (pool, server) = (pool(), Server::start(answers));
        for _ in 0..answers {
            assert_eq!(exchange(&pool, server.address).await, Ok(204));
        }
        let (address, close, thread) = (server.address, server.close, server.thread);
        let closing = async { close.send(()).unwrap() };
        let (result, ()) = tokio::join!(exchange(&pool, address), closing);
        assert_eq!(result, Err(expected), "{answers}");
        thread.join().unwrap();
    }
}

#[tokio::test]
async fn a_request_on_a_connection_that_closes_unnoticed_may_have_been_written() {
    let (pool, server) = (pool(), Server::start(1));
    let address = server.address;
    assert_eq!(exchange(&pool, address).await, Ok(204));
    // Nothing of the client runs here, so that it writes before it reads the end of the stream.
    server.close();
    assert_eq!(exchange(&pool, address).await, Err(Stage::Written));
}

#[tokio::test]
async fn a_request_that_a_closed_connection_gives_back_is_unwritten() {
    let (pool, server) = (pool(), Server::start(1));
    let address = server.address;
    assert_eq!(exchange(&pool, address).await, Ok(204));
    // The runtime learns of both ends at once and polls this test first: the request is queued on
    // the connection before the connection reads its end.
    let (signal, other) = signal();
    server.close();
    drop(other);
    signal.readable().await.unwrap();
    assert_eq!(exchange(&pool, address).await, Err(Stage::Unwritten));
}

/// A stream of this test's own, and its other end.
fn signal() -> (tokio::net::TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    stream.set_nonblocking(true).unwrap();
    (tokio::net::TcpStream::from_std(stream).unwrap(), listener.accept().unwrap().0)
}
