//! What a failed call says about its effects, in the words of the rails.

use rails::error::ProviderError;
use upstream::failure::Failure;

/// Translates a failure. `Duplicate` and `NotFound` are decided by the caller who expects them;
/// elsewhere they leave the outcome unknown.
pub fn provider_error(failure: Failure) -> ProviderError {
    match failure {
        Failure::NotSent { cause, retry_after, .. } => {
            ProviderError::NotSent { cause, retry_after }
        }
        Failure::Misconfigured { cause, .. } => ProviderError::Misconfigured(cause),
        Failure::Refused { code, text, .. } => ProviderError::Refused { code, text },
        failure @ (Failure::Unknown { .. }
        | Failure::Duplicate { .. }
        | Failure::NotFound { .. }) => ProviderError::Unknown(failure.to_string()),
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
