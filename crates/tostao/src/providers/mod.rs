//! Payment providers: they issue PIX codes and boletos, charge cards, pay out, refund, and report
//! payments.
//!
//! Development money has the sandbox bank. Real money needs configured providers; without one a
//! charge is refused, never simulated. Every order carries our own reference, and the same
//! reference again is the same order, so that a lost reply can be queried and never does harm.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use db::database::Database;
use db::time::Timestamp;

use crate::platform::config::Switch;
use crate::platform::error::{Error, Refusal, Result};
use crate::platform::ids::Mode;
use crate::platform::secrets::Secrets;
use crate::providers::boleto::BoletoProvider;
use crate::providers::card::CardProvider;
use crate::providers::payout::PayoutProvider;
use crate::providers::pix::PixProvider;
use crate::providers::sandbox::SandboxBank;
use crate::providers::sandbox_payouts::SandboxPayouts;

pub mod boleto;
pub mod card;
pub mod payout;
pub mod pix;
pub mod sandbox;
pub mod sandbox_payouts;

/// Why a call to a provider failed.
#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    /// It refused, and did nothing.
    #[error("the bank refused: {0}")]
    Refused(String),
    /// The card's token is unknown, used or expired; it did nothing.
    #[error("the card's token is unknown, used or expired")]
    UnusableToken,
    /// It did not answer; whether it did the work is unknown.
    #[error("the bank did not answer: {0}")]
    Unknown(String),
    /// The sender is not the provider.
    #[error("the confirmation is not the bank's")]
    NotAuthentic,
}

/// The future of a call to a provider.
pub type Call<'a, T> = Pin<Box<dyn Future<Output = Result<T, ProviderError>> + Send + 'a>>;

/// The state of a refund at its provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefundState {
    /// Accepted; it will become one of the others.
    Processing,
    /// The money is back with the payer.
    Done {
        /// The refund's identifier on its rail: a PIX return id, an acquirer's number.
        rail_id: String,
        done_at: Timestamp,
    },
    /// The money stays, and will not be refunded under this reference.
    Refused {
        /// A code for the reason, in lower case with underscores.
        reason: String,
    },
}

impl ProviderError {
    /// The response to a message that cannot be read.
    ///
    /// An authentic one is requested again: after a refusal the bank would never resend it, not
    /// even to a version that can read it.
    pub fn unreadable(self) -> Error {
        match self {
            Self::NotAuthentic => Error::Unauthenticated(Refusal::Unauthorized),
            Self::UnusableToken => Error::Unavailable(self.to_string()),
            Self::Refused(message) => {
                tracing::error!(message, "a bank's own message cannot be read");
                Error::Unavailable(message)
            }
            Self::Unknown(message) => Error::Unavailable(message),
        }
    }
}

/// The response to a bank's authentic message that was not applied: it asks to resend it, and never
/// says that the message was wrong.
pub fn undecided(error: Error) -> Error {
    if !(400..500).contains(&error.refusal().status()) {
        return error;
    }
    if error.refusal() == Refusal::ConcurrentUpdate {
        tracing::warn!(%error, "a bank's message waited too long for other work");
    } else {
        tracing::error!(%error, "a bank's message was not taken in");
    }
    Error::Unavailable(error.to_string())
}

/// The providers of this server.
pub struct Providers {
    simulates: bool,
    sandbox: Arc<SandboxBank>,
    sandbox_payouts: Arc<SandboxPayouts>,
    production: Production,
}

/// The providers for real money, each where one is configured.
#[derive(Default)]
struct Production {
    pix: Option<Arc<dyn PixProvider>>,
    boleto: Option<Arc<dyn BoletoProvider>>,
    card: Option<Arc<dyn CardProvider>>,
    payouts: Option<Arc<dyn PayoutProvider>>,
}

impl Providers {
    /// Builds the providers; none for real money exists yet, so production charges are refused.
    ///
    /// With the sandbox disabled there is no simulated money either; existing orders are still
    /// queried and refunded.
    pub fn new(database: Database, secrets: Arc<Secrets>, sandbox: Switch) -> Self {
        Self {
            simulates: sandbox == Switch::On,
            sandbox: Arc::new(SandboxBank::new(database.clone(), secrets.clone())),
            sandbox_payouts: Arc::new(SandboxPayouts::new(secrets, database)),
            production: Production::default(),
        }
    }

    /// The bank for a mode's PIX charges.
    pub fn pix(&self, mode: Mode) -> Result<Arc<dyn PixProvider>> {
        match mode {
            Mode::Development => Ok(self.simulating()?.sandbox.clone()),
            Mode::Production => configured(self.production.pix.as_ref(), "PIX"),
        }
    }

    /// The bank for a mode's boletos.
    pub fn boleto(&self, mode: Mode) -> Result<Arc<dyn BoletoProvider>> {
        match mode {
            Mode::Development => Ok(self.simulating()?.sandbox.clone()),
            Mode::Production => configured(self.production.boleto.as_ref(), "boleto"),
        }
    }

    /// The acquirer for a mode's cards.
    pub fn card(&self, mode: Mode) -> Result<Arc<dyn CardProvider>> {
        match mode {
            Mode::Development => Ok(self.simulating()?.sandbox.clone()),
            Mode::Production => configured(self.production.card.as_ref(), "card"),
        }
    }

    /// The bank for PIX, by its name.
    pub fn pix_named(&self, name: &str) -> Option<Arc<dyn PixProvider>> {
        let sandbox: Arc<dyn PixProvider> = self.sandbox.clone();
        let known = [Some(sandbox), self.production.pix.clone()];
        known.into_iter().flatten().find(|provider| provider.name() == name)
    }

    /// The bank for boletos, by its name.
    pub fn boleto_named(&self, name: &str) -> Option<Arc<dyn BoletoProvider>> {
        let sandbox: Arc<dyn BoletoProvider> = self.sandbox.clone();
        let known = [Some(sandbox), self.production.boleto.clone()];
        known.into_iter().flatten().find(|provider| provider.name() == name)
    }

    /// The acquirer, by its name.
    pub fn card_named(&self, name: &str) -> Option<Arc<dyn CardProvider>> {
        let sandbox: Arc<dyn CardProvider> = self.sandbox.clone();
        let known = [Some(sandbox), self.production.card.clone()];
        known.into_iter().flatten().find(|provider| provider.name() == name)
    }

    /// The payout bank of a mode.
    pub fn payouts(&self, mode: Mode) -> Result<Arc<dyn PayoutProvider>> {
        match mode {
            Mode::Development => Ok(self.simulating()?.sandbox_payouts.clone()),
            Mode::Production => configured(self.production.payouts.as_ref(), "payout"),
        }
    }

    /// Whether any provider takes payments in a mode.
    pub fn takes_payments(&self, mode: Mode) -> bool {
        self.pix(mode).is_ok() || self.boleto(mode).is_ok() || self.card(mode).is_ok()
    }

    /// The payout bank, by its name.
    pub fn payouts_named(&self, name: &str) -> Option<Arc<dyn PayoutProvider>> {
        let sandbox: Arc<dyn PayoutProvider> = self.sandbox_payouts.clone();
        [Some(sandbox), self.production.payouts.clone()]
            .into_iter()
            .flatten()
            .find(|provider| provider.name() == name)
    }

    /// The mode that a provider works in.
    pub fn mode_of(&self, name: &str) -> Mode {
        let is_sandbox = PixProvider::name(self.sandbox.as_ref()) == name;
        if is_sandbox { Mode::Development } else { Mode::Production }
    }

    /// The sandbox bank's payouts, which its own callbacks settle.
    pub fn sandbox_payouts(&self) -> &SandboxPayouts {
        &self.sandbox_payouts
    }

    /// The sandbox bank, whose behaviour can be controlled.
    pub fn sandbox(&self) -> &SandboxBank {
        &self.sandbox
    }

    /// The providers, or an error if the sandbox is disabled.
    pub fn simulating(&self) -> Result<&Self> {
        let off = || Error::NotConfigured("The sandbox is switched off on this server.".into());
        self.simulates.then_some(self).ok_or_else(off)
    }
}

fn configured<P: ?Sized>(provider: Option<&Arc<P>>, rail: &str) -> Result<Arc<P>> {
    provider.cloned().ok_or_else(|| {
        let message = "provider is connected for production; use a development key.";
        Error::NotConfigured(format!("No {rail} {message}"))
    })
}
