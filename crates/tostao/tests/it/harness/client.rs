//! Somebody who sends requests.

use std::io::{self, Read};
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use flate2::read::GzDecoder;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, header};
use http_body_util::BodyExt;
use serde_json::Value;
use tostao::platform::http::server::Peer;
use tower::ServiceExt;

use crate::harness::refusals::expect_listed;
use crate::harness::reply::Reply;
use crate::harness::{TestApp, logs};

/// Longer than a status change takes to arrive.
const NEWS_TIME_MAX: Duration = Duration::from_secs(10);

/// Somebody who sends requests, with a key or token or without.
#[derive(Clone)]
pub struct Client {
    router: Router,
    headers: HeaderMap,
    peer: IpAddr,
}

/// An answer that goes on.
pub struct Stream {
    pub headers: HeaderMap,
    body: Body,
}

impl Reply {
    /// A replay of the first answer to the same request, which has this status.
    #[track_caller]
    pub fn expect_replay_of(&self, first: &Self, status: u16) {
        assert_eq!((self.status, &self.text), (status, &first.text));
        assert_eq!(self.header("idempotency-replayed"), Some("true"), "{}", self.text);
    }
}

impl Client {
    pub fn new(router: Router, bearer: Option<&str>) -> Self {
        let headers = HeaderMap::from_iter([(header::HOST, HeaderValue::from_static("localhost"))]);
        let client = Self { router, headers, peer: IpAddr::V4(Ipv4Addr::LOCALHOST) };
        match bearer {
            None => client,
            Some(bearer) => client.with("authorization", &format!("Bearer {bearer}")),
        }
    }

    /// The same, calling another node.
    pub fn at(&self, node: &TestApp) -> Self {
        Self { router: node.router.clone(), ..self.clone() }
    }

    /// The same, with one more header on every request.
    pub fn with(&self, name: &str, value: &str) -> Self {
        let mut client = self.clone();
        let name: HeaderName = name.parse().expect("is a header's name");
        let value = HeaderValue::from_bytes(value.as_bytes()).expect("is a header's value");
        client.headers.insert(name, value);
        client
    }

    /// The same, with one more line of a header that may be there already.
    pub fn also(&self, name: &str, value: &str) -> Self {
        let mut client = self.clone();
        let name: HeaderName = name.parse().expect("is a header's name");
        let value = HeaderValue::from_bytes(value.as_bytes()).expect("is a header's value");
        client.headers.append(name, value);
        client
    }

    /// The same without a header.
    pub fn without(&self, name: &str) -> Self {
        let mut client = self.clone();
        client.headers.remove(name);
        client
    }

    /// The first line of a header that every request has.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The same, calling from another address.
    pub fn from(&self, address: &str) -> Self {
        Self { peer: address.parse().expect("is an address"), ..self.clone() }
    }

    pub async fn get(&self, path: &str) -> Reply {
        self.send(Method::GET, path, None, String::new()).await
    }

    /// The rows that a list shows.
    pub async fn list(&self, path: &str) -> Vec<Value> {
        let list = self.get(path).await.expect(200);
        list["data"].as_array().expect("is a list").clone()
    }

    /// How many rows a list has on all its pages.
    pub async fn total(&self, path: &str) -> Value {
        self.get(path).await.expect(200)["pagination"]["total"].clone()
    }

    pub async fn delete(&self, path: &str) -> Reply {
        self.send(Method::DELETE, path, None, String::new()).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Reply {
        self.send(Method::POST, path, Some("application/json"), body.to_string()).await
    }

    pub async fn patch(&self, path: &str, body: Value) -> Reply {
        self.send(Method::PATCH, path, Some("application/json"), body.to_string()).await
    }

    pub async fn put(&self, path: &str, body: Value) -> Reply {
        self.send(Method::PUT, path, Some("application/json"), body.to_string()).await
    }

    /// Posts a form as a browser does.
    pub async fn submit(&self, path: &str, fields: &[(&str, &str)]) -> Reply {
        let mut form = url::form_urlencoded::Serializer::new(String::new());
        form.extend_pairs(fields);
        let kind = Some("application/x-www-form-urlencoded");
        self.send(Method::POST, path, kind, form.finish()).await
    }

    /// Posts what may not even be text, as JSON.
    pub async fn post_bytes(&self, path: &str, body: Vec<u8>) -> Reply {
        self.ask(Method::POST, path, Some("application/json"), body.into()).await
    }

    /// Posts what arrives bit by bit, as JSON.
    pub async fn post_stream(
        &self,
        path: &str,
        body: impl futures_util::Stream<Item = io::Result<Vec<u8>>> + Send + 'static,
    ) -> Reply {
        self.ask(Method::POST, path, Some("application/json"), Body::from_stream(body)).await
    }

    /// Sends any bytes as any kind of body; it names their number, as browsers do.
    pub async fn send_bytes(&self, method: Method, path: &str, kind: &str, body: Vec<u8>) -> Reply {
        let client = self.with("content-length", &body.len().to_string());
        client.ask(method, path, Some(kind), body.into()).await
    }

    /// Sends any text as any kind of body.
    pub async fn send(
        &self,
        method: Method,
        path: &str,
        kind: Option<&str>,
        body: String,
    ) -> Reply {
        self.ask(method, path, kind, body.into()).await
    }

    async fn ask(&self, method: Method, path: &str, kind: Option<&str>, body: Body) -> Reply {
        let reply = read(self.respond(method.clone(), path, kind, body).await).await;
        expect_listed(&method, path, &reply);
        reply
    }

    /// Opens a stream of events.
    pub async fn listen(&self, path: &str) -> Stream {
        let response = self.respond(Method::GET, path, None, Body::empty()).await;
        let (parts, body) = response.into_parts();
        assert_eq!(parts.status, 200);
        Stream { headers: parts.headers, body }
    }

    async fn respond(
        &self,
        method: Method,
        path: &str,
        kind: Option<&str>,
        body: Body,
    ) -> Response<Body> {
        let mut request = Request::new(body);
        *request.method_mut() = method;
        *request.uri_mut() = path.parse().expect("is a path");
        request.headers_mut().extend(self.headers.clone());
        if let Some(kind) = kind {
            let kind = HeaderValue::from_str(kind).expect("is a kind");
            request.headers_mut().insert(header::CONTENT_TYPE, kind);
        }
        request.extensions_mut().insert(Peer(self.peer));
        self.router.clone().oneshot(request).await.expect("the router answers")
    }
}

impl Stream {
    /// The next event, as its name and its data; `None` when the stream has ended.
    pub async fn next(&mut self) -> Option<(String, Value)> {
        let frame = tokio::time::timeout(NEWS_TIME_MAX, self.body.frame()).await;
        let frame = frame.expect("an event arrives in time")?;
        let bytes = frame.expect("it arrives").into_data().expect("is data");
        let text = String::from_utf8(bytes.to_vec()).expect("is text");
        let line = |name: &str| {
            let mut lines = text.lines();
            lines.find_map(|line| line.strip_prefix(name)).unwrap_or_default().trim().to_owned()
        };
        let data = serde_json::from_str(&line("data:")).expect("is JSON");
        Some((line("event:"), data))
    }
}

#[expect(clippy::print_stderr, reason = "the output of a failed test is where one looks")]
async fn read(response: Response<Body>) -> Reply {
    let (parts, body) = response.into_parts();
    let bytes = body.collect().await.expect("the body arrives").to_bytes();
    let text = match parts.headers.get(header::CONTENT_ENCODING) {
        Some(encoding) if encoding == "gzip" => opened(&bytes),
        _ => String::from_utf8_lossy(&bytes).into_owned(),
    };
    let reply = Reply { status: parts.status.as_u16(), headers: parts.headers, text };
    if reply.status == 500
        && let Some(id) = reply.header("x-request-id")
    {
        // No answer shows what happened, and a failed test should.
        eprintln!("{}", logs::lines_with(id).concat());
    }
    reply
}

fn opened(gzip: &[u8]) -> String {
    let mut text = String::new();
    GzDecoder::new(gzip).read_to_string(&mut text).expect("is sound gzip");
    text
}
