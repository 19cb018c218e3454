//! A small HTTP client for the server on this machine: one connection for each request.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, ensure};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::handshake;
use hyper::header::{ACCEPT, AUTHORIZATION, CONNECTION, CONTENT_TYPE, HOST, HeaderName};
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Password hashing on a slow machine is what takes longest.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(20);

/// How many characters of a response a failure shows.
const SHOWN_MAX: usize = 500;

/// A client of one server.
pub struct Client {
    address: SocketAddr,
}

impl Client {
    /// Talks to the server at an address.
    pub fn new(address: SocketAddr) -> Self {
        Self { address }
    }

    /// Sends JSON and reads JSON; any status but the expected one is a failure.
    pub async fn post(
        &self,
        path: &str,
        bearer: Option<&str>,
        body: &Value,
        expected: StatusCode,
    ) -> anyhow::Result<Value> {
        let answer = self.exchange(Method::POST, path, bearer, body).await?;
        read_json(path, answer, expected)
    }

    /// Sends JSON as a replacement and reads JSON, whatever the status.
    pub async fn put(
        &self,
        path: &str,
        bearer: &str,
        body: &Value,
    ) -> anyhow::Result<(StatusCode, Value)> {
        let (status, answer) = self.exchange(Method::PUT, path, Some(bearer), body).await?;
        Ok((status, read_json(path, (status, answer), status)?))
    }

    /// Reads JSON.
    pub async fn get(&self, path: &str, bearer: Option<&str>) -> anyhow::Result<Value> {
        let kind = (ACCEPT, "application/json");
        let request = self.request(Method::GET, path, bearer, kind, Bytes::new())?;
        read_json(path, self.send(request).await?, StatusCode::OK)
    }

    /// Reads a page, as a browser would.
    pub async fn page(&self, path: &str) -> anyhow::Result<String> {
        let request = self.request(Method::GET, path, None, (ACCEPT, "text/html"), Bytes::new())?;
        let (status, body) = self.send(request).await?;
        ensure!(status == StatusCode::OK, "GET {path} returned {status}");
        Ok(String::from_utf8_lossy(&body).into_owned())
    }

    async fn exchange(
        &self,
        method: Method,
        path: &str,
        bearer: Option<&str>,
        body: &Value,
    ) -> anyhow::Result<(StatusCode, Bytes)> {
        let kind = (CONTENT_TYPE, "application/json");
        self.send(self.request(method, path, bearer, kind, body.to_string().into())?).await
    }

    fn request(
        &self,
        method: Method,
        path: &str,
        bearer: Option<&str>,
        (kind, value): (HeaderName, &str),
        body: Bytes,
    ) -> anyhow::Result<Request<Full<Bytes>>> {
        let request = Request::builder().method(method).uri(path).header(kind, value);
        let request = request.header(HOST, self.address.to_string()).header(CONNECTION, "close");
        let request = match bearer {
            Some(bearer) => request.header(AUTHORIZATION, format!("Bearer {bearer}")),
            None => request,
        };
        Ok(request.body(Full::new(body))?)
    }

    async fn send(&self, request: Request<Full<Bytes>>) -> anyhow::Result<(StatusCode, Bytes)> {
        let what = format!("{} {}", request.method(), request.uri());
        let stream = TcpStream::connect(self.address).await;
        let stream = stream.with_context(|| format!("cannot connect for {what}"))?;
        let (mut sender, connection) = handshake(TokioIo::new(stream)).await?;
        let exchange = async move {
            let (head, body) = sender.send_request(request).await?.into_parts();
            anyhow::Ok((head.status, body.collect().await?.to_bytes()))
        };
        // The connection ends with the exchange; what it says then, the exchange has said before.
        let (answer, _) = tokio::join!(timeout(ANSWER_TIME_MAX, exchange), connection);
        answer.ok().and_then(Result::ok).with_context(|| format!("{what} got no response"))
    }
}

fn read_json(
    path: &str,
    (status, body): (StatusCode, Bytes),
    expected: StatusCode,
) -> anyhow::Result<Value> {
    let text = String::from_utf8_lossy(&body);
    let shown = match text.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], body.len()),
        None => text.into_owned(),
    };
    ensure!(status == expected, "{path} returned {status}: {shown}");
    serde_json::from_slice(&body).with_context(|| format!("{path} did not return JSON: {shown}"))
}
