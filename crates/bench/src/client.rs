//! An HTTP/1.1 client with minimal overhead: the server is to be the bottleneck.
//!
//! It keeps its connection, sends prepared bytes, and reads responses with a content length, the
//! only kind that the servers here send.

use std::fmt::Debug;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio_rustls::TlsConnector;

const END_OF_HEAD: &[u8] = b"\r\n\r\n";
const BUFFER_BYTES: usize = 16 * 1024;

/// A persistent connection.
#[derive(Debug)]
pub struct Connection {
    stream: Box<dyn Stream>,
    buffer: Vec<u8>,
}

/// A connection's bytes, with TLS or without.
trait Stream: AsyncRead + AsyncWrite + Unpin + Debug {}

impl<S: AsyncRead + AsyncWrite + Unpin + Debug> Stream for S {}

/// A request, ready to be sent any number of times.
#[derive(Debug, Clone)]
pub struct Request(Vec<u8>);

/// Takes requests and returns responses.
pub trait Transport {
    /// Sends a request and waits for the complete response.
    fn send(&mut self, request: &Request) -> impl Future<Output = Result<Response<'_>>>;
}

/// A response, valid until the next request.
#[derive(Debug, Clone, Copy)]
pub struct Response<'a> {
    pub status: u16,
    /// Its first line and its headers, where it came over a connection.
    pub head: &'a [u8],
    pub body: &'a [u8],
}

impl Request {
    /// A GET request.
    pub fn get(path: &str, headers: &[(&str, &str)]) -> Self {
        Self((head("GET", path, headers) + "\r\n").into_bytes())
    }

    /// A POST request with JSON.
    pub fn post(path: &str, headers: &[(&str, &str)], body: &[u8]) -> Self {
        Self::with_body("POST", path, headers, ("application/json", body))
    }

    /// A POST request with the fields of a form.
    pub fn form(path: &str, headers: &[(&str, &str)], body: &[u8]) -> Self {
        Self::with_body("POST", path, headers, ("application/x-www-form-urlencoded", body))
    }

    /// A PUT request with JSON.
    pub fn put(path: &str, headers: &[(&str, &str)], body: &[u8]) -> Self {
        Self::with_body("PUT", path, headers, ("application/json", body))
    }

    fn with_body(
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        (kind, body): (&str, &[u8]),
    ) -> Self {
        let mut bytes = head(method, path, headers).into_bytes();
        let rest = format!("content-type: {kind}\r\ncontent-length: {}\r\n\r\n", body.len());
        bytes.extend_from_slice(rest.as_bytes());
        bytes.extend_from_slice(body);
        Self(bytes)
    }

    /// The same as the router's request type.
    pub fn unpacked(&self) -> Result<hyper::Request<axum::body::Body>> {
        let end = self.0.windows(END_OF_HEAD.len()).position(|window| window == END_OF_HEAD);
        let (head, body) = self.0.split_at(end.context("a request without an end of its head")?);
        let mut lines = std::str::from_utf8(head)?.split("\r\n");
        let mut first = lines.next().unwrap_or_default().split(' ');
        let mut request = hyper::Request::builder();
        request = request.method(first.next().unwrap_or_default());
        request = request.uri(first.next().unwrap_or_default());
        for (name, value) in lines.filter_map(|line| line.split_once(": ")) {
            request = request.header(name, value);
        }
        Ok(request.body(body[END_OF_HEAD.len()..].to_vec().into())?)
    }
}

impl Connection {
    /// Connects.
    pub async fn open(address: SocketAddr) -> Result<Self> {
        let connected = TcpStream::connect(address).await;
        Self::of(connected.with_context(|| format!("cannot connect to {address}"))?)
    }

    /// Connects from an address of this machine.
    pub async fn open_from(own: IpAddr, address: SocketAddr) -> Result<Self> {
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::new(own, 0))?;
        let connected = socket.connect(address).await;
        Self::of(connected.with_context(|| format!("cannot connect to {address}"))?)
    }

    /// Connects to a server of this machine by TLS.
    pub async fn open_tls(address: SocketAddr, config: Arc<ClientConfig>) -> Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let name = ServerName::try_from("localhost")?;
        let stream = TlsConnector::from(config).connect(name, stream).await;
        Ok(Self::over(stream.with_context(|| format!("no TLS with {address}"))?))
    }

    fn of(stream: TcpStream) -> Result<Self> {
        stream.set_nodelay(true)?;
        Ok(Self::over(stream))
    }

    fn over(stream: impl Stream + 'static) -> Self {
        Self { stream: Box::new(stream), buffer: Vec::with_capacity(BUFFER_BYTES) }
    }

    async fn read_head(&mut self) -> Result<usize> {
        let mut looked_at = 0;
        loop {
            self.read_more().await?;
            let from = looked_at;
            let found = self.buffer[from..].windows(4).position(|window| window == END_OF_HEAD);
            if let Some(at) = found {
                return Ok(from + at + END_OF_HEAD.len());
            }
            looked_at = self.buffer.len().saturating_sub(3);
        }
    }

    async fn read_more(&mut self) -> Result<()> {
        let count = self.stream.read_buf(&mut self.buffer).await?;
        ensure!(count > 0, "the server closed the connection");
        Ok(())
    }
}

impl Transport for Connection {
    async fn send(&mut self, request: &Request) -> Result<Response<'_>> {
        self.stream.write_all(&request.0).await?;
        self.buffer.clear();
        let body_at = self.read_head().await?;
        let head = std::str::from_utf8(&self.buffer[..body_at])?;
        let status = head.get(9..12).context("an answer without a status")?.parse()?;
        let end = body_at + length(head, status)?;
        while self.buffer.len() < end {
            self.read_more().await?;
        }
        let (head, rest) = self.buffer.split_at(body_at);
        Ok(Response { status, head, body: &rest[..end - body_at] })
    }
}

impl Response<'_> {
    /// Checks the status.
    pub fn expect(self, status: u16) -> Result<Self> {
        if self.status == status {
            return Ok(self);
        }
        let output = String::from_utf8_lossy(self.body);
        bail!("status {} instead of {status}: {output:.500}", self.status)
    }

    /// What a browser sends as `Cookie` after this response.
    pub fn cookies(&self) -> String {
        let head = String::from_utf8_lossy(self.head);
        let set = head.lines().filter_map(|line| {
            let (name, value) = line.split_once(':')?;
            let cookie = value.split(';').next()?.trim();
            name.eq_ignore_ascii_case("set-cookie").then_some(cookie)
        });
        set.collect::<Vec<_>>().join("; ")
    }

    /// Reads the body.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T> {
        serde_json::from_slice(self.body)
            .with_context(|| format!("unexpected: {:.500}", String::from_utf8_lossy(self.body)))
    }
}

fn head(method: &str, path: &str, headers: &[(&str, &str)]) -> String {
    let first = format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\n");
    headers.iter().fold(first, |head, (name, value)| head + &format!("{name}: {value}\r\n"))
}

fn length(head: &str, status: u16) -> Result<usize> {
    if status == 204 || status == 304 {
        return Ok(0);
    }
    let field = |line: &str| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    };
    head.lines().find_map(field).context("a response without a length")
}

#[cfg(test)]
mod tests {
    use super::{Request, Response, length};

    #[test]
    fn a_request_states_its_length_and_ends_its_head() {
        let request = Request::post("/a", &[("api-key", "k")], b"{}");
        let expected = "POST /a HTTP/1.1\r\nhost: localhost\r\napi-key: k\r\n\
                        content-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
        assert_eq!(String::from_utf8(request.0).unwrap(), expected);
        let request = Request::get("/a", &[]);
        assert_eq!(request.0, b"GET /a HTTP/1.1\r\nhost: localhost\r\n\r\n");
    }

    #[test]
    fn a_browser_sends_back_the_cookies_that_a_response_sets() {
        let head = b"HTTP/1.1 303 See Other\r\nset-cookie: a=b; Path=/\r\nSet-Cookie: c=d\r\n\r\n";
        let response = Response { status: 303, head, body: b"" };
        assert_eq!(response.cookies(), "a=b; c=d");
    }

    #[test]
    fn an_answer_has_a_length_or_is_refused() {
        for (head, status, expected) in [
            ("HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n", 200, Some(12)),
            ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", 200, None),
            ("HTTP/1.1 204 No Content\r\n\r\n", 204, Some(0)),
        ] {
            assert_eq!(length(head, status).ok(), expected, "{head}");
        }
    }
}
