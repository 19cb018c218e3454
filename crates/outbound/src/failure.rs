//! Why a call brought no answer: few reasons, with codes that stay and sentences for a merchant.
//!
//! The reasons carry no detail on purpose. Whoever chose the URL reads them, and the difference
//! between two errors of an inner network is what a scan of that network is made of.

use std::error::Error as StdError;

use thiserror::Error;

/// Why a call brought no answer.
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
    #[error("The server did not answer in time.")]
    Timeout,
    #[error("The server closed the connection before it answered.")]
    Closed,
    #[error("The headers of the answer were too large.")]
    TooLarge,
    #[error("The answer was not valid HTTP.")]
    Malformed,
}

impl Failure {
    /// Returns the word under which the failure is stored and counted.
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

    /// Finds the reason in a chain of errors: our connector's own word, or else hyper's.
    pub(crate) fn of(error: &(dyn StdError + 'static)) -> Self {
        let mut next = Some(error);
        while let Some(error) = next {
            if let Some(failure) = error.downcast_ref::<Self>() {
                return *failure;
            }
            if let Some(error) = error.downcast_ref::<hyper::Error>() {
                return Self::of_exchange(error);
            }
            next = error.source();
        }
        Self::Closed
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
