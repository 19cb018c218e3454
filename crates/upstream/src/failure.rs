//! How a call fails: few outcomes, each with what may follow it.

use std::time::Duration;

use thiserror::Error;

/// How a call failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Failure {
    /// Certainly not processed: the same request may be sent again.
    #[error("The request was not processed: {cause}.")]
    NotSent { reason: Unsent, cause: String, retry_after: Option<Duration> },
    /// It is unknown whether the service processed the request: ask, and never send it again
    /// without an id under which the service does a thing once.
    #[error("It is unknown whether the request was processed: {cause}.")]
    Unknown { cause: String },
    /// Something is not set up as the service requires, and nothing was done: a person must act.
    #[error("The connection is misconfigured: {cause}.")]
    Misconfigured { fault: Fault, cause: String },
    /// The service refused. Its text is no part of the message: it may name people.
    #[error("The service refused with {status} {code}.")]
    Refused { status: u16, code: String, text: String },
    /// The service already knows the id of the request: look that id up.
    #[error("The service already knows this id: {code}.")]
    Duplicate { code: String, text: String },
    /// The service says that what was asked about does not exist.
    #[error("The service does not know what was asked about: {code}.")]
    NotFound { code: String },
}

/// Why a request was not processed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsent {
    /// The name, the connection or the TLS handshake failed.
    Unreachable,
    /// The service's certificate is not acceptable.
    ServerCertificate,
    /// The service received too many requests and refused to process this one.
    RateLimited,
    /// Too many calls of ours were in flight until the deadline.
    Busy,
    /// The service failed so often that it is left alone for a while.
    BreakerOpen,
    /// There was no token to send it with.
    NoToken,
}

/// What is not set up as the service requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Our client certificate is missing, expired, revoked or unknown to the service.
    Certificate,
    /// The service does not accept our credentials or the token that it gave for them.
    Credentials,
    /// Our credentials lack a permission.
    Permission,
    /// A proxy in front of the service answered in its place.
    Proxy,
    /// The request cannot be sent as it is.
    Request,
}

/// An error in a service's own form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorObject {
    /// Short, and never about a person: it is logged.
    pub code: String,
    /// May name people, so it is never logged.
    pub text: String,
    pub meaning: Meaning,
}

/// What a service's own error means for the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    Refused,
    /// The id of the request is already known.
    Duplicate,
    /// What the request names does not exist; some services say so with another status than 404.
    NotFound,
    RateLimited,
    /// The operator's account or setup is at fault, not the request.
    Misconfigured(Fault),
}

/// Reads the body of a status from 400 to 499 as the service's own error, or as none of its own.
pub type ReadError = fn(status: u16, body: &[u8]) -> Option<ErrorObject>;

impl Failure {
    /// Returns the name under which the failure is counted.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotSent { .. } => "not_sent",
            Self::Unknown { .. } => "unknown",
            Self::Misconfigured { .. } => "misconfigured",
            Self::Refused { .. } => "refused",
            Self::Duplicate { .. } => "duplicate",
            Self::NotFound { .. } => "not_found",
        }
    }

    /// Translates the failure of a token request for the call that needed the token.
    ///
    /// Nothing of that call was sent, however the token request ended. A refused token must not
    /// look like a refused payment, nor a lost answer with a token like a payment of unknown state.
    #[must_use]
    pub fn of_token_request(self) -> Self {
        let fault = Fault::Credentials;
        match self {
            Self::NotSent { .. } | Self::Misconfigured { .. } => self,
            Self::Unknown { cause } => Self::NotSent {
                reason: Unsent::NoToken,
                cause: format!("there is no token: {cause}"),
                retry_after: None,
            },
            Self::Refused { code, .. } | Self::Duplicate { code, .. } => {
                Self::Misconfigured { fault, cause: format!("no token is granted: {code}") }
            }
            Self::NotFound { .. } => Self::Misconfigured {
                fault: Fault::Proxy,
                cause: "the address for tokens does not exist".to_owned(),
            },
        }
    }

    /// Whether the failure says that the service, or the way to it, is in trouble.
    pub(crate) fn is_outage(&self) -> bool {
        matches!(self, Self::NotSent { .. } | Self::Unknown { .. })
    }
}
