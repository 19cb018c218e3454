//! Administrators and merchants.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The role of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schemars(rename = "AccountRole")]
pub enum Role {
    Merchant,
    Admin,
}

impl Role {
    /// The value in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Merchant => "MERCHANT",
            Self::Admin => "ADMIN",
        }
    }

    /// Parses a role.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Merchant, Self::Admin].into_iter().find(|role| role.name() == text)
    }
}
