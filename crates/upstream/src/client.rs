//! The client: a token, a place, one exchange, and what it came to.
//!
//! It follows no redirect, uses no proxy, stores no cookie and decompresses nothing: a payment goes
//! to the service that the operator named, and once.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use http::header::AUTHORIZATION;
use http::{HeaderMap, Request};
use hyper_util::client::legacy;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::ClientConfig;
use serde::Deserialize;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};

use crate::address::Address;
use crate::breaker::{Breaker, Kind};
use crate::call::{Answer, Call, Report, WITHIN};
use crate::connector::{Complaints, Connector};
use crate::failure::{ErrorObject, Failure, Fault, Meaning, ReadError, Unsent};
use crate::outcome::{Ending, judge};
use crate::pauses::Pauses;
use crate::roots::trusting;
use crate::settings::{Limits, Settings, SetupError};
use crate::token::Token;
use crate::token_cache::TokenCache;
use crate::wire::{Pool, perform};

/// The largest head of a response that is read.
const HEADER_BYTES: usize = 64 * 1_024;

/// The most calls at the same time, whatever the settings say.
const IN_FLIGHT_MAX: usize = 1_024;

/// A client of one service; clones share its connections, its token, its breaker and its places.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

struct Inner {
    name: String,
    address: Address,
    pool: Pool,
    limits: Limits,
    read_error: ReadError,
    places: Semaphore,
    breaker: Breaker,
    tokens: TokenCache,
    pauses: Pauses,
    complaints: Complaints,
}

/// What was seen of the last response.
#[derive(Default)]
struct Seen {
    status: Option<u16>,
    headers: HeaderMap,
}

impl Client {
    pub fn new(settings: &Settings) -> Result<Self, SetupError> {
        let limits = settings.limits;
        let address = Address::parse(&settings.address)?;
        let complaints = Complaints::default();
        let connector = Connector::new(tls_config(settings)?, limits.connect, complaints.clone());
        let pool = legacy::Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(limits.idle)
            .pool_max_idle_per_host(limits.idle_per_host)
            .http1_max_buf_size(HEADER_BYTES)
            .retry_canceled_requests(false)
            .build(connector);
        Ok(Self(Arc::new(Inner {
            name: settings.name.clone(),
            address,
            pool,
            limits,
            read_error: settings.read_error,
            places: Semaphore::new(limits.in_flight.clamp(1, IN_FLIGHT_MAX)),
            breaker: Breaker::new(limits.breaker_failures, limits.breaker_pause),
            tokens: TokenCache::new(limits.token_margin, limits.token_pause),
            pauses: Pauses::default(),
            complaints,
        })))
    }

    /// Sends a call with the connection's token, which `fetch_token` asks the service for when it
    /// is needed.
    ///
    /// A token that the service refuses is replaced, and the call sent once more: the refusal says
    /// that nothing was done.
    pub async fn send<F, Fut>(&self, call: Call, fetch_token: F) -> Report
    where
        F: Fn() -> Fut,
        Fut: Future<Output = Result<Token, Failure>> + Send + 'static,
    {
        let began = Instant::now();
        let mut seen = Seen::default();
        let result = self.0.authorized(&call, began + call.within, fetch_token, &mut seen).await;
        seen.report(&call, began, result)
    }

    /// Sends a call without a token, with whatever credentials its headers have.
    pub async fn call(&self, call: Call) -> Report {
        let began = Instant::now();
        let mut seen = Seen::default();
        let read_error = self.0.read_error;
        let exchange = self.0.exchange(&call, None, began + call.within, read_error, &mut seen);
        let result = exchange.await;
        seen.report(&call, began, result)
    }

    /// The connection's token, which `fetch_token` asks the service for when it is needed.
    pub async fn token<F, Fut>(&self, fetch_token: F) -> Result<Token, Failure>
    where
        F: FnOnce() -> Fut,
        Fut: Future<Output = Result<Token, Failure>> + Send + 'static,
    {
        self.0.tokens.get(Instant::now() + WITHIN, fetch_token).await
    }

    /// Replaces a token that permits too little, unless another caller has; later calls use the new
    /// one. Where none is granted, they use this one.
    pub async fn replace_token<F, Fut>(
        &self,
        token: &Token,
        fetch_token: F,
    ) -> Result<Token, Failure>
    where
        F: FnOnce() -> Fut,
        Fut: Future<Output = Result<Token, Failure>> + Send + 'static,
    {
        self.0.tokens.renew(token, Instant::now() + WITHIN, fetch_token).await
    }

    /// Sends a token request and reads the token, or the error as OAuth 2.0 defines it.
    pub async fn ask_for_token(&self, call: Call) -> Result<Token, Failure> {
        let call = Call { kind: Kind::Question, ..call };
        let deadline = Instant::now() + call.within;
        let read_error = |status, body: &[u8]| {
            read_token_error(body).or_else(|| (self.0.read_error)(status, body))
        };
        let mut seen = Seen::default();
        let answer = self.0.exchange(&call, None, deadline, read_error, &mut seen).await?;
        let token = Token::read(&answer.body);
        token.map_err(|error| Failure::Unknown { cause: error.to_string() })
    }

    /// What it is called in log lines and metrics.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Whether the service is left alone because it kept failing.
    pub fn is_left_alone(&self) -> bool {
        self.0.breaker.is_open()
    }
}

impl Inner {
    async fn authorized<F, Fut>(
        &self,
        call: &Call,
        deadline: Instant,
        fetch_token: F,
        seen: &mut Seen,
    ) -> Result<Answer, Failure>
    where
        F: Fn() -> Fut,
        Fut: Future<Output = Result<Token, Failure>> + Send + 'static,
    {
        let token = self.tokens.get(deadline, &fetch_token).await?;
        let first = self.exchange(call, Some(&token), deadline, self.read_error, seen).await;
        if seen.status != Some(401) {
            return first;
        }
        self.tokens.invalidate(&token);
        let token = self.tokens.get(deadline, &fetch_token).await?;
        let second = self.exchange(call, Some(&token), deadline, self.read_error, seen).await;
        if let (Some(401), Err(failure)) = (seen.status, &second) {
            self.tokens.refuse(&token, failure);
        }
        second
    }

    /// Waits for a place and sends the request once.
    ///
    /// A call that waits for a token has no place: the token request needs one.
    async fn exchange(
        &self,
        call: &Call,
        token: Option<&Token>,
        deadline: Instant,
        read_error: impl Fn(u16, &[u8]) -> Option<ErrorObject>,
        seen: &mut Seen,
    ) -> Result<Answer, Failure> {
        *seen = Seen::default();
        let request = self.request(call, token)?;
        if let Some(wait) = self.breaker.closed_for(call.kind, Instant::now()) {
            return Err(left_alone(wait));
        }
        if let Some(wait) = self.pauses.left(call.operation, Instant::now()) {
            return Err(Failure::NotSent {
                reason: Unsent::RateLimited,
                cause: "the service asked for no more requests for a while".to_owned(),
                retry_after: Some(wait),
            });
        }
        let place = timeout_at(deadline, self.places.acquire()).await;
        let now = Instant::now();
        // A request without time left would be written, and its answer not waited for.
        let (Ok(Ok(_place)), true) = (place, now < deadline) else {
            return Err(Failure::NotSent {
                reason: Unsent::Busy,
                cause: "the deadline passed before the request had its turn".to_owned(),
                retry_after: None,
            });
        };
        self.breaker.admit(call.kind, now).map_err(left_alone)?;
        let (body, limit) = (call.body.clone(), self.limits.body_bytes);
        let ending = perform(&self.pool, request, body, limit, deadline).await;
        if let Ending::Answered { status, headers, .. } = &ending {
            *seen = Seen { status: Some(status.as_u16()), headers: headers.clone() };
        }
        let result = judge(call, ending, read_error);
        let complaint = self.complaints.since(now);
        let result = match (result, complaint) {
            (Err(Failure::NotSent { reason: Unsent::Unreachable, .. }), Some(complaint)) => {
                let cause = format!("the service {complaint}");
                Err(Failure::Misconfigured { fault: Fault::Certificate, cause })
            }
            (result, _) => result,
        };
        if let Err(Failure::NotSent { retry_after: Some(wait), .. }) = &result {
            self.pauses.begin(call.operation, Instant::now(), *wait);
        }
        match &result {
            Err(failure) if failure.is_outage() => self.breaker.failed(call.kind, Instant::now()),
            _ => self.breaker.succeeded(call.kind),
        }
        result
    }

    fn request(&self, call: &Call, token: Option<&Token>) -> Result<Request<()>, Failure> {
        let flawed = |cause| Failure::Misconfigured { fault: Fault::Request, cause };
        if let Some(flaw) = &call.flaw {
            return Err(flawed(flaw.clone()));
        }
        let uri = self.address.join(&call.path);
        let mut request = Request::new(());
        *request.method_mut() = call.method.clone();
        *request.uri_mut() = uri.ok_or_else(|| flawed("the path is not valid".to_owned()))?;
        *request.headers_mut() = call.headers.clone();
        if let Some(token) = token {
            request.headers_mut().insert(AUTHORIZATION, token.header().clone());
        }
        Ok(request)
    }
}

impl Seen {
    fn report(self, call: &Call, began: Instant, result: Result<Answer, Failure>) -> Report {
        Report {
            operation: call.operation,
            result,
            status: self.status,
            headers: self.headers,
            elapsed: began.elapsed(),
        }
    }
}

fn left_alone(wait: Duration) -> Failure {
    Failure::NotSent {
        reason: Unsent::BreakerOpen,
        cause: "the service kept failing and is left alone for a while".to_owned(),
        retry_after: Some(wait),
    }
}

/// The form of errors that OAuth 2.0 defines for token requests.
fn read_token_error(body: &[u8]) -> Option<ErrorObject> {
    #[derive(Deserialize)]
    struct TokenError {
        error: String,
        #[serde(default)]
        error_description: String,
    }
    let error: TokenError = serde_json::from_slice(body).ok()?;
    let (code, text) = (error.error, error.error_description);
    Some(ErrorObject { code, text, meaning: Meaning::Refused })
}

fn tls_config(settings: &Settings) -> Result<ClientConfig, SetupError> {
    let config = trusting(settings.roots.clone());
    let mut config = match &settings.identity {
        None => config.with_no_client_auth(),
        Some(identity) => config
            .with_client_auth_cert(identity.chain.clone(), identity.key.clone_key())
            .map_err(|error| SetupError::Identity(error.to_string()))?,
    };
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}
