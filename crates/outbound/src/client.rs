//! The client: one POST, one response, within limits.
//!
//! It follows no redirect, uses no proxy, stores no cookie and decompresses nothing: each of these
//! would let the called server control what happens next.

use std::net::IpAddr;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use bytes::Bytes;
use http::header::{
    CONNECTION, CONTENT_LENGTH, EXPECT, HOST, HeaderMap, HeaderName, TRANSFER_ENCODING, UPGRADE,
};
use http::{Method, Request};
use hyper_util::client::legacy::Client as Pool;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::crypto::aws_lc_rs;
use rustls::{ClientConfig, RootCertStore};
use tokio::time::{Instant, timeout};

use crate::connector::{Connector, Dialer, Guard};
use crate::examination::{Examination, Examiner};
use crate::failure::Failure;
use crate::meter::Sent;
use crate::resolver::{Resolve, SystemResolver};
use crate::response::{self, Response};
use crate::target::{Policy, Target};

/// hyper's smallest buffer for a response's head.
const LEAST_HEADER_BYTES: usize = 8_192;

/// The allowance for one request besides head and body: interim responses, chunk sizes, trailers,
/// TLS records, and read-ahead.
const FRAMING_BYTES: usize = 32 * 1_024;

/// Headers that frame or route the message, which only the client sets.
const OURS: [HeaderName; 5] = [CONNECTION, CONTENT_LENGTH, EXPECT, TRANSFER_ENCODING, UPGRADE];

/// The certificate authorities of this machine, read once.
static NATIVE_ROOTS: LazyLock<Arc<RootCertStore>> = LazyLock::new(|| {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    Arc::new(roots)
});

/// The limits of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// From the lookup of the name to the end of the TLS handshake.
    pub connect: Duration,
    /// From the call to the last byte read.
    pub total: Duration,
    /// The size of the response's head; at least 8 KiB.
    pub header_bytes: usize,
    /// How much of the body is read; the rest is left unread.
    pub body_bytes: usize,
    /// Idle connections per host.
    pub idle_per_host: usize,
    /// How long idle connections are kept.
    pub idle: Duration,
}

/// The replaceable parts of a client.
pub struct Options {
    pub policy: Policy,
    pub limits: Limits,
    pub resolver: Arc<dyn Resolve>,
    /// Public addresses of our own, blocked like private ones.
    pub own_addresses: Vec<IpAddr>,
    /// The trusted certificate authorities.
    pub roots: Arc<RootCertStore>,
}

/// An HTTP client for user-supplied targets; clones share its connections.
#[derive(Clone)]
pub struct Client {
    pool: Pool<Connector, Sent>,
    limits: Limits,
    examiner: Examiner,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(3),
            total: Duration::from_secs(10),
            header_bytes: 16 * 1_024,
            body_bytes: 16 * 1_024,
            idle_per_host: 4,
            idle: Duration::from_secs(30),
        }
    }
}

impl Limits {
    /// The total that a server may send for one request, on the socket.
    pub(crate) fn exchange_bytes(&self) -> usize {
        self.header_bytes.max(LEAST_HEADER_BYTES) + self.body_bytes + FRAMING_BYTES
    }
}

impl Options {
    /// Uses the name service and the certificate authorities of this machine.
    ///
    /// Works on a machine without authorities; its TLS handshakes fail.
    pub fn new(policy: Policy, limits: Limits) -> Self {
        Self {
            policy,
            limits,
            resolver: Arc::new(SystemResolver::default()),
            own_addresses: Vec::new(),
            roots: NATIVE_ROOTS.clone(),
        }
    }
}

impl Client {
    /// Builds a client with the defaults of this machine.
    pub fn new(policy: Policy, limits: Limits) -> Self {
        Self::with(Options::new(policy, limits))
    }

    /// Builds a client from the given parts.
    pub fn with(options: Options) -> Self {
        let limits = options.limits;
        let guard = Guard::new(options.policy, &options.own_addresses);
        let dialer = Arc::new(Dialer::new(guard, options.resolver, limits));
        let tls = Arc::new(tls_config(options.roots.clone()));
        let connector = Connector::new(dialer.clone(), tls, limits);
        let pool = Pool::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(limits.idle)
            .pool_max_idle_per_host(limits.idle_per_host)
            .http1_max_buf_size(limits.header_bytes.max(LEAST_HEADER_BYTES))
            .set_host(false)
            .build(connector);
        Self { pool, limits, examiner: Examiner { dialer, roots: options.roots } }
    }

    /// Looks at a target's server step by step, for its owner.
    pub async fn examine(&self, target: &Target) -> Result<Examination, Failure> {
        self.examiner.examine(target).await
    }

    /// Whether a target's name has addresses, all of which may be called.
    pub async fn has_addresses(&self, target: &Target) -> bool {
        self.examiner.has_addresses(target).await
    }

    /// Sends one POST and waits for the response, of any status.
    pub async fn post(
        &self,
        target: &Target,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<Response, Failure> {
        let exchange = self.exchange(request(target, headers, body));
        timeout(self.limits.total, exchange).await.unwrap_or(Err(Failure::Timeout))
    }

    async fn exchange(&self, request: Request<Sent>) -> Result<Response, Failure> {
        let began = Instant::now();
        let sent = self.pool.request(request).await;
        let (head, body) = sent.map_err(|error| Failure::of(&error))?.into_parts();
        let excerpt = response::read_excerpt(body, self.limits.body_bytes).await?;
        Ok(Response {
            status: head.status.as_u16(),
            retry_after_seconds: response::retry_after_seconds(&head.headers),
            location: response::location(&head.headers),
            excerpt,
            duration: began.elapsed(),
        })
    }
}

fn request(target: &Target, mut headers: HeaderMap, body: Bytes) -> Request<Sent> {
    for name in &OURS {
        headers.remove(name);
    }
    headers.insert(HOST, target.host_header().clone());
    let mut request = Request::new(());
    *request.method_mut() = Method::POST;
    *request.uri_mut() = target.uri().clone();
    *request.headers_mut() = headers;
    Sent::with(request, body)
}

fn tls_config(roots: Arc<RootCertStore>) -> ClientConfig {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("the provider has the cipher suites of the default versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    config
}
