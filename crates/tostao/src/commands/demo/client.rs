//! A client of the server on this machine, which knows what to expect.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, ensure};
use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderName};
use hyper::{Method, Request, StatusCode};
use serde_json::Value;

use crate::commands::http_client::HttpClient;

/// Password hashing on a slow machine is what takes longest.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(20);

/// How many characters of a response a failure shows.
const SHOWN_MAX: usize = 500;

/// A client of one server.
pub struct Client {
    address: SocketAddr,
    http: HttpClient,
}

impl Client {
    /// Talks to the server at an address.
    pub fn new(address: SocketAddr) -> Self {
        Self { address, http: HttpClient::new() }
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
        let uri = format!("http://{}{path}", self.address);
        let request = Request::builder().method(method).uri(uri).header(kind, value);
        let request = match bearer {
            Some(bearer) => request.header(AUTHORIZATION, format!("Bearer {bearer}")),
            None => request,
        };
        Ok(request.body(Full::new(body))?)
    }

    async fn send(&self, request: Request<Full<Bytes>>) -> anyhow::Result<(StatusCode, Bytes)> {
        let what = format!("{} {}", request.method(), request.uri().path());
        let answer = self.http.exchange(request, ANSWER_TIME_MAX).await;
        let answer = answer.with_context(|| format!("{what} got no response"))?;
        Ok((answer.status, answer.body))
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
