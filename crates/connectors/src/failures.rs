//! What a failed call says about its effects, in the words of the rails.

use rails::error::{Misconfiguration, ProviderError};
use rails::trouble::Trouble;
use upstream::failure::{Failure, Fault, Unsent};

/// Translates a failure. `Duplicate` and `NotFound` are decided by the caller who expects them;
/// elsewhere they leave the outcome unknown.
pub fn provider_error(failure: Failure) -> ProviderError {
    match failure {
        Failure::NotSent { reason, cause, retry_after } => {
            ProviderError::NotSent { trouble: of_unsent(reason), cause, retry_after }
        }
        Failure::Misconfigured { fault, cause } => {
            ProviderError::Misconfigured(Misconfiguration { trouble: of_fault(fault), cause })
        }
        Failure::Refused { code, text, .. } => ProviderError::Refused { code, text },
        failure @ (Failure::Unknown { .. }
        | Failure::Duplicate { .. }
        | Failure::NotFound { .. }) => ProviderError::Unknown(failure.to_string()),
    }
}

const fn of_unsent(reason: Unsent) -> Trouble {
    match reason {
        Unsent::Unreachable => Trouble::Unreachable,
        Unsent::ServerCertificate => Trouble::ServerCertificate,
        Unsent::RateLimited => Trouble::RateLimited,
        Unsent::Busy => Trouble::Busy,
        Unsent::BreakerOpen => Trouble::LeftAlone,
        Unsent::NoToken => Trouble::NoToken,
    }
}

const fn of_fault(fault: Fault) -> Trouble {
    match fault {
        Fault::Certificate => Trouble::Certificate,
        Fault::Credentials => Trouble::Credentials,
        Fault::Permission => Trouble::Permission,
        Fault::Proxy => Trouble::Proxy,
        Fault::Request => Trouble::Setup,
    }
}

/// The failure of a question: one that is refused, or about what does not exist, says nothing of
/// what was asked about.
pub fn unanswered(failure: Failure) -> ProviderError {
    match failure {
        failure @ (Failure::Refused { .. } | Failure::NotFound { .. }) => {
            ProviderError::Unknown(failure.to_string())
        }
        failure => provider_error(failure),
    }
}

/// An answer that does not fit what was asked, so that nothing may be concluded from it.
pub fn contradiction(what: &str) -> ProviderError {
    ProviderError::Unknown(format!("the answer does not fit the request: {what}"))
}
