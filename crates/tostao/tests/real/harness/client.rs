//! Somebody who calls a server over the network, one connection for each request.

use std::net::SocketAddr;

use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, header};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1::handshake;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::harness::PATIENCE;
use crate::harness::reply::Reply;

/// Somebody who calls a server, with a key or token or without.
#[derive(Clone)]
pub struct Client {
    pub address: SocketAddr,
    headers: HeaderMap,
}

/// No response came, so the request's result is unknown.
#[derive(Debug)]
pub struct Unknown;

impl Client {
    /// Calls without credentials.
    pub fn new(address: SocketAddr) -> Self {
        Self { address, headers: HeaderMap::new() }
    }

    /// The same, with one more header on every request.
    pub fn with(&self, name: &str, value: &str) -> Self {
        let mut client = self.clone();
        let name: HeaderName = name.parse().expect("is a header's name");
        client.headers.insert(name, HeaderValue::from_str(value).expect("is a header's value"));
        client
    }

    /// The same at another server.
    pub fn at(&self, address: SocketAddr) -> Self {
        Self { address, headers: self.headers.clone() }
    }

    pub async fn get(&self, path: &str) -> Reply {
        self.try_get(path).await.expect("the server answers")
    }

    pub async fn post(&self, path: &str, body: Value) -> Reply {
        self.try_post(path, &body).await.expect("the server answers")
    }

    pub async fn patch(&self, path: &str, body: Value) -> Reply {
        let client = self.with("content-type", "application/json");
        let answer = client.send(Method::PATCH, path, body.to_string().into()).await;
        answer.expect("the server answers")
    }

    pub async fn delete(&self, path: &str) -> Reply {
        let answer = self.send(Method::DELETE, path, Bytes::new()).await;
        answer.expect("the server answers")
    }

    pub async fn try_get(&self, path: &str) -> Result<Reply, Unknown> {
        self.send(Method::GET, path, Bytes::new()).await
    }

    pub async fn try_post(&self, path: &str, body: &Value) -> Result<Reply, Unknown> {
        let client = self.with("content-type", "application/json");
        client.send(Method::POST, path, body.to_string().into()).await
    }

    /// Sends a body as it is.
    pub async fn send(&self, method: Method, path: &str, body: Bytes) -> Result<Reply, Unknown> {
        let answer = timeout(PATIENCE, self.exchange(method, path, body)).await;
        answer.expect("a server answers or ends").map_err(|_| Unknown)
    }

    async fn exchange(
        &self,
        method: Method,
        path: &str,
        body: Bytes,
    ) -> Result<Reply, Box<dyn std::error::Error + Send + Sync>> {
        let stream = TcpStream::connect(self.address).await?;
        let (mut sender, connection) = handshake(TokioIo::new(stream)).await?;
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = method;
        *request.uri_mut() = path.parse()?;
        *request.headers_mut() = self.headers.clone();
        let host = HeaderValue::from_str(&self.address.to_string())?;
        request.headers_mut().insert(header::HOST, host);
        request.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        let exchange = async move {
            let (head, body) = sender.send_request(request).await?.into_parts();
            let body = body.collect().await?.to_bytes();
            let text = String::from_utf8_lossy(&body).into_owned();
            Ok(Reply { status: head.status.as_u16(), headers: head.headers, text })
        };
        // What the connection says at its end, the exchange has said before.
        let (answer, _) = tokio::join!(exchange, connection);
        answer
    }
}
