//! Why a request got no response: few reasons, with stable codes and sentences for a merchant.
//!
//! The reasons deliberately have no detail. The person who chose the URL reads them, and the
//! difference between two errors of an internal network is what a scan of that network needs.

use std::error::Error as StdError;
use std::io;

use thiserror::Error;

/// Why a request got no response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Failure {
    #[error("The host name could not be resolved.")]
    Dns,
    #[error("The host name leads to an address that is not on the public internet.")]
    Blocked,
    #[error("The server could not be reached.")]
    Connect,
    #[error("The server's certificate or TLS handshake was not acceptable.")]
    Tls,
    #[error("The server did not respond in time.")]
    Timeout,
    #[error("The server closed the connection before it responded.")]
    Closed,
    #[error("The headers or the framing of the response were too large.")]
    TooLarge,
    #[error("The response was not valid HTTP.")]
    Malformed,
}

impl Failure {
    /// Returns the code under which the failure is stored and counted.
    pub fn code(self) -> &'static str {
        match self {
            Self::Dns => "dns",
            Self::Blocked => "blocked",
            Self::Connect => "connect",
            Self::Tls => "tls",
            Self::Timeout => "timeout",
            Self::Closed => "closed",
            Self::TooLarge => "too_large",
            Self::Malformed => "malformed",
        }
    }

    /// Finds the reason in a chain of errors: our own, otherwise hyper's.
    pub(crate) fn of(error: &(dyn StdError + 'static)) -> Self {
        let mut hypers = None;
        let mut next = Some(error);
        while let Some(error) = next {
            if let Some(failure) = Self::failure_in(error) {
                return failure;
            }
            hypers = hypers.or(error.downcast_ref::<hyper::Error>());
            next = error.source();
        }
        hypers.map_or(Self::Closed, Self::of_exchange)
    }

    /// An I/O error hides its source from the chain, and is also how hyper rejects chunks that it
    /// cannot parse or that never end.
    fn failure_in(error: &(dyn StdError + 'static)) -> Option<Self> {
        if let Some(failure) = error.downcast_ref() {
            return Some(*failure);
        }
        let error = error.downcast_ref::<io::Error>()?;
        let own = error.get_ref().and_then(|inner| inner.downcast_ref()).copied();
        own.or(match error.kind() {
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => Some(Self::Malformed),
            _ => None,
        })
    }

    fn of_exchange(error: &hyper::Error) -> Self {
        if error.is_parse_too_large() {
            Self::TooLarge
        } else if error.is_parse() {
            Self::Malformed
        } else {
            Self::Closed
        }
    }
}
