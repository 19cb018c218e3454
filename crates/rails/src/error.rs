//! Why a call to a provider failed, by what the caller may conclude.

use std::time::Duration;

use crate::trouble::Trouble;

/// A failed call; each variant says what is known about its effects.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// The provider refused, and did nothing; that is final for this reference.
    #[error("the provider refused [{code}]")]
    Refused {
        /// The provider's own code; empty if it gives none.
        code: String,
        /// May name people, so it is no part of the message, which is logged.
        text: String,
    },
    /// The card's token is unknown, used or expired; nothing was done.
    #[error("the card's token is unknown, used or expired")]
    UnusableToken,
    /// It was certainly not processed; the same request may be sent again.
    #[error("nothing was done at the provider: {cause}")]
    NotSent {
        trouble: Trouble,
        cause: String,
        /// How long the provider asks to be left alone.
        retry_after: Option<Duration>,
    },
    /// Whether it was processed is unknown: the provider is asked, and nothing is assumed.
    #[error("the provider did not answer: {0}")]
    Unknown(String),
    /// The connection is not set up as the provider requires, so that nothing was done and an
    /// operator has to act.
    #[error("the connection to the provider is not set up: {0}")]
    Misconfigured(Misconfiguration),
    /// The sender of a message is not the provider.
    #[error("the message is not the provider's")]
    NotAuthentic,
}

/// What is not set up as a provider requires.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{cause}")]
pub struct Misconfiguration {
    pub trouble: Trouble,
    pub cause: String,
}

impl ProviderError {
    /// A refusal without a code of the provider's.
    pub fn refused(text: impl Into<String>) -> Self {
        Self::Refused { code: String::new(), text: text.into() }
    }

    /// Something that is not set up, of which only the cause is known.
    pub fn misconfigured(cause: impl Into<String>) -> Self {
        Self::Misconfigured(Misconfiguration { trouble: Trouble::Setup, cause: cause.into() })
    }

    /// What the failure says to be wrong with the connection.
    pub const fn trouble(&self) -> Trouble {
        match self {
            Self::Refused { .. } => Trouble::Refused,
            Self::NotSent { trouble, .. } => *trouble,
            Self::Misconfigured(found) => found.trouble,
            Self::UnusableToken | Self::Unknown(_) | Self::NotAuthentic => Trouble::Unanswered,
        }
    }

    /// How long the provider asks to be left alone, if it does.
    pub const fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::NotSent { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// Whether nothing was done, for certain, and the same request may be sent again.
    pub const fn is_certainly_not_sent(&self) -> bool {
        matches!(self, Self::NotSent { .. } | Self::Misconfigured(_))
    }
}
