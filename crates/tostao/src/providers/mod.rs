//! The providers of this server, and what all features do with them.
//!
//! Development money has the sandbox bank. Real money needs configured providers; without one a
//! charge is refused, never simulated.

use std::iter;
use std::sync::Arc;

use db::database::Database;
use rails::boleto::BoletoProvider;
use rails::card::CardProvider;
use rails::payout::PayoutProvider;
use rails::pix::PixProvider;
use rails::provider::Provider;

use crate::platform::config::Switch;
use crate::platform::error::{Error, Result};
use crate::platform::ids::Mode;
use crate::platform::secrets::Secrets;
use crate::providers::sandbox::SandboxBank;
use crate::providers::sandbox_payouts::SandboxPayouts;

pub mod callback;
pub mod callback_parser;
pub mod orders;
pub mod sandbox;
pub mod sandbox_payouts;

/// The providers of this server.
pub struct Providers {
    simulates: bool,
    sandbox: Arc<SandboxBank>,
    sandbox_payouts: Arc<SandboxPayouts>,
    pix: Rail<dyn PixProvider>,
    boleto: Rail<dyn BoletoProvider>,
    card: Rail<dyn CardProvider>,
    payouts: Rail<dyn PayoutProvider>,
}

/// The providers of one rail.
struct Rail<P: ?Sized> {
    sandbox: Arc<P>,
    /// For real money, where one is configured.
    production: Option<Arc<P>>,
}

impl<P: Provider + ?Sized> Rail<P> {
    fn named(&self, name: &str) -> Option<Arc<P>> {
        let mut known = iter::once(&self.sandbox).chain(&self.production);
        known.find(|provider| provider.name() == name).cloned()
    }
}

impl Providers {
    /// Builds the providers; none for real money exists yet, so production charges are refused.
    ///
    /// With the sandbox disabled there is no simulated money either; existing orders are still
    /// queried and refunded.
    pub fn new(database: Database, secrets: Arc<Secrets>, sandbox: Switch) -> Self {
        let bank = Arc::new(SandboxBank::new(database.clone(), secrets.clone()));
        let payouts = Arc::new(SandboxPayouts::new(secrets, database));
        Self {
            simulates: sandbox == Switch::On,
            pix: Rail { sandbox: bank.clone(), production: None },
            boleto: Rail { sandbox: bank.clone(), production: None },
            card: Rail { sandbox: bank.clone(), production: None },
            payouts: Rail { sandbox: payouts.clone(), production: None },
            sandbox: bank,
            sandbox_payouts: payouts,
        }
    }

    /// The bank for a mode's PIX charges.
    pub fn pix(&self, mode: Mode) -> Result<Arc<dyn PixProvider>> {
        self.of(&self.pix, mode, "PIX")
    }

    /// The bank for a mode's boletos.
    pub fn boleto(&self, mode: Mode) -> Result<Arc<dyn BoletoProvider>> {
        self.of(&self.boleto, mode, "boleto")
    }

    /// The acquirer for a mode's cards.
    pub fn card(&self, mode: Mode) -> Result<Arc<dyn CardProvider>> {
        self.of(&self.card, mode, "card")
    }

    /// The name of a mode's payout bank, which an order keeps.
    pub fn payout_bank(&self, mode: Mode) -> Result<String> {
        Ok(self.payouts(mode)?.name().to_owned())
    }

    /// The payout bank of a mode.
    pub fn payouts(&self, mode: Mode) -> Result<Arc<dyn PayoutProvider>> {
        self.of(&self.payouts, mode, "payout")
    }

    /// The bank for PIX, by its name.
    pub fn pix_named(&self, name: &str) -> Option<Arc<dyn PixProvider>> {
        self.pix.named(name)
    }

    /// The bank for boletos, by its name.
    pub fn boleto_named(&self, name: &str) -> Option<Arc<dyn BoletoProvider>> {
        self.boleto.named(name)
    }

    /// The acquirer, by its name.
    pub fn card_named(&self, name: &str) -> Option<Arc<dyn CardProvider>> {
        self.card.named(name)
    }

    /// The payout bank, by its name.
    pub fn payouts_named(&self, name: &str) -> Option<Arc<dyn PayoutProvider>> {
        self.payouts.named(name)
    }

    /// Whether any provider takes payments in a mode.
    pub fn takes_payments(&self, mode: Mode) -> bool {
        self.pix(mode).is_ok() || self.boleto(mode).is_ok() || self.card(mode).is_ok()
    }

    /// The mode that a provider works in.
    pub fn mode_of(&self, name: &str) -> Mode {
        let is_sandbox = self.sandbox.name() == name;
        if is_sandbox { Mode::Development } else { Mode::Production }
    }

    /// Whether any rail has a provider of this name.
    pub fn knows(&self, name: &str) -> bool {
        self.pix.named(name).is_some()
            || self.boleto.named(name).is_some()
            || self.payouts.named(name).is_some()
    }

    /// The sandbox bank, if that is the name of a callback's sender.
    pub fn sandbox_named(&self, name: &str) -> Option<Arc<SandboxBank>> {
        (self.sandbox.name() == name).then(|| self.sandbox.clone())
    }

    /// The sandbox bank's payouts, if that is the name of a callback's sender.
    pub fn sandbox_payouts_named(&self, name: &str) -> Option<Arc<SandboxPayouts>> {
        (self.sandbox_payouts.name() == name).then(|| self.sandbox_payouts.clone())
    }

    /// The sandbox bank's payouts, which its own callbacks settle.
    pub fn sandbox_payouts(&self) -> &SandboxPayouts {
        &self.sandbox_payouts
    }

    /// The sandbox bank, whose behavior can be controlled.
    pub fn sandbox(&self) -> &SandboxBank {
        &self.sandbox
    }

    /// The providers, or an error if the sandbox is disabled.
    pub fn simulating(&self) -> Result<&Self> {
        let off = || Error::NotConfigured("The sandbox is switched off on this server.".into());
        self.simulates.then_some(self).ok_or_else(off)
    }

    fn of<P: ?Sized>(&self, rail: &Rail<P>, mode: Mode, name: &str) -> Result<Arc<P>> {
        let configured = match mode {
            Mode::Development => self.simulating().map(|_| Some(&rail.sandbox))?,
            Mode::Production => rail.production.as_ref(),
        };
        configured.cloned().ok_or_else(|| {
            let message = "provider is connected for production; use a development key.";
            Error::NotConfigured(format!("No {name} {message}"))
        })
    }
}
