//! A called server on loopback, as well or badly behaved as a test needs.
#![expect(clippy::disallowed_methods, reason = "the peer is a task that ends with the test")]

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use outbound::client::{Client, Limits};
use outbound::failure::Failure;
use outbound::response::Response;
use outbound::target::{Policy, Target};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::interval;

pub const LOCAL: Policy = Policy { allow_local: true };
pub const PUBLIC: Policy = Policy { allow_local: false };

/// What the peer does after it has read a request.
#[derive(Clone)]
pub enum Manner {
    /// Responds with these bytes and waits for the next request.
    Answer(Vec<u8>),
    /// Writes these bytes and closes.
    Close(Vec<u8>),
    /// Writes these bytes and then nothing.
    Hang(Vec<u8>),
    /// Writes these bytes and then one more `x` every millisecond.
    Drip(Vec<u8>),
    /// Writes the first bytes once and the others repeatedly, forever.
    Flood(Vec<u8>, Vec<u8>),
    /// Responds to the first request with the first bytes, and floods the second with the others.
    Turn(Vec<u8>, Vec<u8>),
}

#[derive(Clone)]
pub struct Peer {
    pub address: SocketAddr,
    connections: Arc<AtomicUsize>,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Peer {
    pub async fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let peer = Self {
            address: listener.local_addr().unwrap(),
            connections: Arc::default(),
            requests: Arc::default(),
        };
        tokio::spawn(peer.clone().accept(listener, manner));
        peer
    }

    pub fn target(&self, path: &str) -> Target {
        Target::parse(&format!("http://{}{path}", self.address), LOCAL).unwrap()
    }

    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    async fn accept(self, listener: TcpListener, manner: Manner) {
        while let Ok((stream, _)) = listener.accept().await {
            self.connections.fetch_add(1, Ordering::SeqCst);
            tokio::spawn(self.clone().serve(stream, manner.clone()));
        }
    }

    async fn serve(self, mut stream: TcpStream, manner: Manner) -> io::Result<()> {
        let mut first = true;
        while let Some(request) = read_request(&mut stream).await? {
            let first = std::mem::take(&mut first);
            self.requests.lock().unwrap().push(request);
            match &manner {
                Manner::Answer(bytes) | Manner::Hang(bytes) => stream.write_all(bytes).await?,
                Manner::Close(bytes) => return stream.write_all(bytes).await,
                Manner::Drip(bytes) => {
                    stream.write_all(bytes).await?;
                    let mut tick = interval(Duration::from_millis(1));
                    loop {
                        tick.tick().await;
                        stream.write_all(b"x").await?;
                    }
                }
                Manner::Turn(answer, _) if first => stream.write_all(answer).await?,
                Manner::Flood(start, again) | Manner::Turn(start, again) => {
                    if matches!(manner, Manner::Flood(..)) {
                        stream.write_all(start).await?;
                    }
                    let again = again.repeat(4_096 / again.len() + 1);
                    loop {
                        stream.write_all(&again).await?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// A complete response with this status line, these header lines and this body.
pub fn reply(status: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\n\r\n{body}").into_bytes()
}

/// Limits short enough for a test that waits for one of them.
pub fn short() -> Limits {
    Limits {
        connect: Duration::from_millis(150),
        total: Duration::from_millis(150),
        ..Limits::default()
    }
}

pub async fn post(client: &Client, target: &Target) -> Result<Response, Failure> {
    client.post(target, HeaderMap::new(), Bytes::from_static(b"{}")).await
}

/// Reads up to the end of a request whose body is as long as its `content-length`.
async fn read_request(stream: &mut TcpStream) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    loop {
        if stream.read_buf(&mut bytes).await? == 0 {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
            return Ok(Some(text.into_owned()));
        }
    }
}
