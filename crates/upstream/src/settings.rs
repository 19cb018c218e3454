//! What a client is built from.

use std::time::Duration;

use rustls::RootCertStore;
use thiserror::Error;

use crate::failure::ReadError;
use crate::identity::Identity;

/// The parts of a client. A new identity is a new client, which is cheap when the authorities of
/// this machine are loaded once.
pub struct Settings {
    /// What the client is called in log lines and metrics.
    pub name: String,
    /// The address that the paths of calls are appended to.
    pub address: String,
    /// The authorities that are trusted to identify the service.
    pub roots: RootCertStore,
    /// The certificate that identifies us to the service.
    pub identity: Option<Identity>,
    pub limits: Limits,
    pub read_error: ReadError,
}

/// The limits of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// From the lookup of the name to the end of the TLS handshake.
    pub connect: Duration,
    /// The largest body of a response that is read.
    pub body_bytes: usize,
    /// Calls at the same time.
    pub in_flight: usize,
    /// Idle connections per host.
    pub idle_per_host: usize,
    /// How long idle connections are kept: less than services keep them, because a request on a
    /// connection that the service is closing has an unknown outcome.
    pub idle: Duration,
    /// Outages in a row after which the service is left alone.
    pub breaker_failures: u32,
    /// The time between two probes of a service that is left alone.
    pub breaker_pause: Duration,
    /// How long before its end a token is renewed.
    pub token_margin: Duration,
    /// The least time between a refused token request and the next one.
    pub token_pause: Duration,
}

/// Why a client cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SetupError {
    #[error("The address must be an https URL without a user, a query or a fragment.")]
    Address,
    #[error("The address must be https: plain http is allowed to this machine only.")]
    PlainHttp,
    #[error("The client certificate cannot be used: {0}.")]
    Identity(String),
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            body_bytes: 1_024 * 1_024,
            in_flight: 32,
            idle_per_host: 8,
            idle: Duration::from_secs(20),
            breaker_failures: 10,
            breaker_pause: Duration::from_secs(5),
            token_margin: Duration::from_secs(60),
            token_pause: Duration::from_secs(12),
        }
    }
}
