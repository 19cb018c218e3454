//! What a check finds to be wrong with a connection: a reason, which each language has words for,
//! and the English text of the API.

use rails::connection::{Health, Lack};
use rails::error::ProviderError;
use rails::trouble::Trouble;

/// What is wrong with a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// None where a release that stored no reasons has found it.
    pub reason: Option<Trouble>,
    /// What the reason is about: the permissions that are missing, or the provider's own code.
    pub subject: Option<String>,
    /// In English, for the operator.
    pub text: String,
}

impl Problem {
    /// What a check has found; `door` is the address that notices belong to.
    pub fn of(checked: &Result<Health, ProviderError>, door: &str) -> Option<Self> {
        let health = match checked {
            Ok(health) => health,
            Err(error) => return Some(Self::of_failure(error)),
        };
        if !health.missing.is_empty() {
            return Some(Self::of_lacks(&health.missing));
        }
        let (reason, text) = match &health.notices_to {
            None => (Trouble::NoNotices, "no address for notices is registered"),
            Some(other) if other != door => {
                (Trouble::NoticesElsewhere, "notices go to an address of another server")
            }
            Some(_) => return None,
        };
        Some(Self { reason: Some(reason), subject: None, text: text.to_owned() })
    }

    fn of_failure(error: &ProviderError) -> Self {
        let subject = match error {
            ProviderError::Refused { code, .. } => {
                Some(code.clone()).filter(|code| !code.is_empty())
            }
            _ => None,
        };
        Self { reason: Some(error.trouble()), subject, text: error.to_string() }
    }

    fn of_lacks(lacks: &[Lack]) -> Self {
        let permission = |lack: &Lack| match lack {
            Lack::Permission(name) => Some(name.clone()),
            Lack::PublicKey => None,
        };
        let names: Vec<_> = lacks.iter().filter_map(permission).collect();
        let text = in_words(lacks);
        if names.is_empty() {
            return Self { reason: Some(Trouble::PublicKey), subject: None, text };
        }
        let (reason, subject) = (Some(Trouble::MissingPermissions), Some(names.join(", ")));
        Self { reason, subject, text }
    }

    /// Whether the reason is about one of several lacks of different kinds, which the text has all
    /// of.
    pub fn is_of_two_kinds(&self) -> bool {
        let public_key = Lack::PublicKey.to_string();
        self.reason == Some(Trouble::MissingPermissions) && self.text.contains(&public_key)
    }
}

/// What is missing, in English, for the operator.
pub fn in_words(lacks: &[Lack]) -> String {
    let texts: Vec<_> = lacks.iter().map(ToString::to_string).collect();
    texts.join("; ")
}
