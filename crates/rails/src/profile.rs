//! A profile: how connections with one kind of provider are made from what an operator enters.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use db::text_enum;
// `text_enum!` derives schemas with it.
use db::time::Timestamp;
use schemars as _;
use thiserror::Error;

use crate::boleto::BoletoProvider;
use crate::card::CardProvider;
use crate::connection::Connection;
use crate::payout::PayoutProvider;
use crate::pix::PixProvider;

text_enum! {
    /// Which of a provider's systems a connection uses.
    pub enum Environment as "ConnectionEnvironment" {
        /// Real money.
        Production = "production",
        /// The provider's own test system, whose money is not real.
        Sandbox = "sandbox",
    }
}

text_enum! {
    /// What charges and orders can be routed to.
    pub enum RailKind as "Rail" {
        /// PIX charges and their refunds.
        Pix = "pix",
        /// Boletos, and the PIX codes on them.
        Boleto = "boleto",
        /// Card charges and their refunds.
        Card = "card",
        /// PIX payouts: withdrawals, and refunds of boletos.
        Payout = "payout",
    }
}

/// A kind of provider.
pub trait Profile: Send + Sync {
    /// The name that operators choose it by.
    fn name(&self) -> &'static str;

    /// What an operator enters for a connection.
    fn fields(&self) -> &'static [Field];

    /// Makes a connection; opens no socket.
    fn connect(&self, given: &Given) -> Result<Connected, SetupError>;
}

/// A value that an operator enters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    pub name: &'static str,
    pub kind: FieldKind,
    /// What it is and where it is found, for the operator.
    pub about: &'static str,
}

/// How a value is kept, and whether it may be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    Required,
    Optional,
    /// Required, sealed in the database, and never shown again.
    Secret,
}

/// What an operator entered.
#[derive(Clone)]
pub struct Given {
    /// The connection's name, which charges and orders keep.
    pub name: String,
    pub environment: Environment,
    /// The address that the provider may send notices to.
    pub door: String,
    pub values: BTreeMap<String, String>,
}

/// A value that a connection cannot be made with.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{field} {problem}")]
pub struct SetupError {
    pub field: String,
    /// What is wrong with it, as the rest of a sentence that begins with the field.
    pub problem: String,
}

/// A connection, and the rails that it serves.
#[derive(Clone)]
pub struct Connected {
    pub connection: Arc<dyn Connection>,
    pub pix: Option<Arc<dyn PixProvider>>,
    pub boleto: Option<Arc<dyn BoletoProvider>>,
    pub card: Option<Arc<dyn CardProvider>>,
    pub payout: Option<Arc<dyn PayoutProvider>>,
    /// Our client certificate, if the provider requires one.
    pub certificate: Option<Certificate>,
}

/// What operators are shown of a client certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certificate {
    pub subject: String,
    /// The SHA-256 of the certificate, in hexadecimal digits.
    pub fingerprint: String,
    pub not_after: Timestamp,
}

impl Given {
    /// A value that the profile requires.
    pub fn required(&self, field: &str) -> Result<&str, SetupError> {
        self.optional(field).ok_or_else(|| SetupError::new(field, "is required"))
    }

    /// A value that may be left out.
    pub fn optional(&self, field: &str) -> Option<&str> {
        self.values.get(field).map(|value| value.trim()).filter(|value| !value.is_empty())
    }
}

impl fmt::Debug for Given {
    /// Some of the values are secrets.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.values.keys().collect();
        out.debug_struct("Given")
            .field("name", &self.name)
            .field("environment", &self.environment)
            .field("fields", &names)
            .finish_non_exhaustive()
    }
}

impl SetupError {
    pub fn new(field: &str, problem: impl Into<String>) -> Self {
        Self { field: field.to_owned(), problem: problem.into() }
    }
}

impl Connected {
    /// Whether its provider kept failing on any rail.
    pub fn is_left_alone(&self) -> bool {
        let is_failing = |rail| self.serves(rail) && self.connection.is_left_alone(rail);
        RailKind::ALL.iter().copied().any(is_failing)
    }

    /// Whether it serves a rail.
    pub fn serves(&self, rail: RailKind) -> bool {
        match rail {
            RailKind::Pix => self.pix.is_some(),
            RailKind::Boleto => self.boleto.is_some(),
            RailKind::Card => self.card.is_some(),
            RailKind::Payout => self.payout.is_some(),
        }
    }
}
