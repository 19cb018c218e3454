//! HTTP as the commands speak it: to a server of this product, or to a program on this machine.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::{HeaderMap, Request, Response, StatusCode};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use thiserror::Error;
use tokio::time::timeout;
use upstream::roots::{of_this_machine, trusting};

/// More than any response of the product.
const BODY_BYTES_MAX: usize = 64 * 1024 * 1024;

/// A client of any server.
#[derive(Clone)]
pub struct HttpClient(Client<HttpsConnector<HttpConnector>, Full<Bytes>>);

/// A response that has arrived whole.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// Why there is no response.
#[derive(Debug, Error)]
pub enum NoAnswer {
    #[error("no connection: {0}")]
    NotReached(String),
    #[error("no response within {} s", .0.as_secs())]
    Late(Duration),
    #[error("the connection was lost: {0}")]
    Lost(String),
}

impl HttpClient {
    /// Trusts the certificate authorities of this machine.
    pub fn new() -> Self {
        let tls = trusting(of_this_machine()).with_no_client_auth();
        let connector = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http();
        Self(Client::builder(TokioExecutor::new()).build(connector.enable_http1().build()))
    }

    /// Sends a request and reads its response, all within a time.
    pub async fn exchange(
        &self,
        request: Request<Full<Bytes>>,
        within: Duration,
    ) -> Result<Answer, NoAnswer> {
        let exchange = async { whole(self.send(request).await?).await };
        timeout(within, exchange).await.unwrap_or(Err(NoAnswer::Late(within)))
    }

    /// Reads the rest of a response within a time.
    pub async fn read(
        &self,
        response: Response<Incoming>,
        within: Duration,
    ) -> Result<Answer, NoAnswer> {
        timeout(within, whole(response)).await.unwrap_or(Err(NoAnswer::Late(within)))
    }

    /// Sends a request whose response, which begins within a time, may go on for ever.
    pub async fn open(
        &self,
        request: Request<Full<Bytes>>,
        within: Duration,
    ) -> Result<Response<Incoming>, NoAnswer> {
        timeout(within, self.send(request)).await.unwrap_or(Err(NoAnswer::Late(within)))
    }

    async fn send(&self, request: Request<Full<Bytes>>) -> Result<Response<Incoming>, NoAnswer> {
        self.0.request(request).await.map_err(|error| {
            let mut cause: &dyn std::error::Error = &error;
            while let Some(deeper) = cause.source() {
                cause = deeper;
            }
            let cause = cause.to_string();
            if error.is_connect() { NoAnswer::NotReached(cause) } else { NoAnswer::Lost(cause) }
        })
    }
}

async fn whole(response: Response<Incoming>) -> Result<Answer, NoAnswer> {
    let (head, body) = response.into_parts();
    let body = Limited::new(body, BODY_BYTES_MAX).collect().await;
    let body = body.map_err(|error| NoAnswer::Lost(error.to_string()))?.to_bytes();
    Ok(Answer { status: head.status, headers: head.headers, body })
}
