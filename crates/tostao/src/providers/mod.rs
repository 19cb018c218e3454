//! The providers of this server, and what all features do with them.
//!
//! Development money has the sandbox bank. Real money goes by connections with banks and acquirers;
//! without one for its rail a charge is refused, never simulated.

use std::sync::Arc;

use db::database::Database;
use rails::boleto::BoletoProvider;
use rails::card::CardProvider;
use rails::payout::PayoutProvider;
use rails::pix::PixProvider;
use rails::profile::{Connected, RailKind};
use rails::provider::Provider;
use sandbox::bank::SandboxBank;
use sandbox::keys::{KeyUse, Keys};
use sandbox::payouts::SandboxPayouts;
use tokio::sync::{Mutex, watch};

use crate::platform::config::Switch;
use crate::platform::error::{Error, Result};
use crate::platform::ids::Mode;
use crate::platform::secrets::{Purpose, Secrets};
use crate::providers::connections::registry::{LiveConnection, Registry};

pub mod callback;
pub mod card_tokens;
pub mod connections;
pub mod mail;
pub mod names;
pub mod orders;

/// How the path of every provider's callback begins.
pub const CALLBACKS: &str = "/providers/";

/// The providers of this server.
pub struct Providers {
    simulates: bool,
    secrets: Arc<Secrets>,
    sandbox: Arc<SandboxBank>,
    sandbox_payouts: Arc<SandboxPayouts>,
    /// For real money; replaced as a whole when a connection or a route changes.
    registry: watch::Sender<Arc<Registry>>,
    /// Held while they are read again.
    pub reloading: Mutex<()>,
    pix: Rail<dyn PixProvider>,
    boleto: Rail<dyn BoletoProvider>,
    card: Rail<dyn CardProvider>,
    payouts: Rail<dyn PayoutProvider>,
}

/// Whether charges by a rail can be made now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Service {
    Available,
    /// Its provider kept failing, and is left alone for the moment.
    OutOfService,
    /// It has no provider.
    NotConnected,
}

/// What new orders of a rail go to.
enum Serving {
    Sandbox,
    Connection(Arc<LiveConnection>),
}

/// The providers of one rail.
struct Rail<P: ?Sized> {
    kind: RailKind,
    /// In messages.
    name: &'static str,
    sandbox: Arc<P>,
    /// How a connection serves it.
    of: fn(&Connected) -> Option<&Arc<P>>,
}

impl Keys for Secrets {
    fn sign(&self, key_use: KeyUse, message: &[u8]) -> Vec<u8> {
        Self::sign(self, purpose(key_use), message)
    }

    fn verify(&self, key_use: KeyUse, message: &[u8], signature: &[u8]) -> bool {
        Self::verify(self, purpose(key_use), message, signature)
    }
}

/// What a key of the sandbox's is for.
const fn purpose(key_use: KeyUse) -> Purpose {
    match key_use {
        KeyUse::Payments => Purpose::SandboxBank,
        KeyUse::Payouts => Purpose::SandboxPayouts,
        KeyUse::CardFingerprints => Purpose::CardFingerprint,
    }
}

impl Providers {
    /// Builds the providers; connections are read from the database afterwards.
    ///
    /// With the sandbox disabled there is no simulated money either; existing orders are still
    /// queried and refunded.
    pub fn new(database: Database, secrets: Arc<Secrets>, sandbox: Switch) -> Self {
        let bank = Arc::new(SandboxBank::new(database.clone(), secrets.clone()));
        let payouts = Arc::new(SandboxPayouts::new(secrets.clone(), database));
        Self {
            simulates: sandbox == Switch::On,
            secrets,
            registry: watch::Sender::default(),
            reloading: Mutex::default(),
            pix: Rail {
                kind: RailKind::Pix,
                name: "PIX",
                sandbox: bank.clone(),
                of: |connected| connected.pix.as_ref(),
            },
            boleto: Rail {
                kind: RailKind::Boleto,
                name: "boleto",
                sandbox: bank.clone(),
                of: |connected| connected.boleto.as_ref(),
            },
            card: Rail {
                kind: RailKind::Card,
                name: "card",
                sandbox: bank.clone(),
                of: |connected| connected.card.as_ref(),
            },
            payouts: Rail {
                kind: RailKind::Payout,
                name: "payout",
                sandbox: payouts.clone(),
                of: |connected| connected.payout.as_ref(),
            },
            sandbox: bank,
            sandbox_payouts: payouts,
        }
    }

    /// The connections and routes as they were last read.
    pub fn registry(&self) -> Arc<Registry> {
        self.registry.borrow().clone()
    }

    /// The same, and a notice of each replacement.
    pub fn registry_changes(&self) -> watch::Receiver<Arc<Registry>> {
        self.registry.subscribe()
    }

    /// Replaces the connections and routes.
    pub fn replace_registry(&self, registry: Registry) {
        self.registry.send_replace(Arc::new(registry));
    }

    /// The connection that notices to this address are for.
    pub fn behind(&self, door: &str) -> Option<Arc<LiveConnection>> {
        self.registry().behind(&self.secrets, door).cloned()
    }

    /// The bank for a mode's PIX charges.
    pub fn pix(&self, mode: Mode) -> Result<Arc<dyn PixProvider>> {
        self.of(&self.pix, mode)
    }

    /// The bank for a mode's boletos.
    pub fn boleto(&self, mode: Mode) -> Result<Arc<dyn BoletoProvider>> {
        self.of(&self.boleto, mode)
    }

    /// Whether the bank for a mode's boletos registers none without its payer's address.
    pub fn boleto_needs_address(&self, mode: Mode) -> bool {
        self.boleto(mode).is_ok_and(|bank| bank.needs_address())
    }

    /// The acquirer for a mode's cards.
    pub fn card(&self, mode: Mode) -> Result<Arc<dyn CardProvider>> {
        self.of(&self.card, mode)
    }

    /// The name of a mode's payout bank, which an order keeps.
    pub fn payout_bank(&self, mode: Mode) -> Result<String> {
        Ok(self.payouts(mode)?.name().to_owned())
    }

    /// The payout bank of a mode.
    pub fn payouts(&self, mode: Mode) -> Result<Arc<dyn PayoutProvider>> {
        self.of(&self.payouts, mode)
    }

    /// The bank for PIX, by its name.
    pub fn pix_named(&self, name: &str) -> Option<Arc<dyn PixProvider>> {
        self.named(&self.pix, name)
    }

    /// The bank for boletos, by its name.
    pub fn boleto_named(&self, name: &str) -> Option<Arc<dyn BoletoProvider>> {
        self.named(&self.boleto, name)
    }

    /// The acquirer, by its name.
    pub fn card_named(&self, name: &str) -> Option<Arc<dyn CardProvider>> {
        self.named(&self.card, name)
    }

    /// The acquirer for new charges of the cards that it keeps; an error says why it takes none.
    pub fn card_keeper(&self, name: &str) -> Result<Arc<dyn CardProvider>> {
        let is_disabled = self.registry().named(name).is_some_and(|live| live.is_disabled);
        let usable = self.card_named(name).filter(|_| !is_disabled);
        usable.ok_or_else(|| {
            let message = "The acquirer that keeps this card takes no new charges at present; \
                           another card can be entered.";
            Error::NotConfigured(message.to_owned())
        })
    }

    /// The payout bank, by its name.
    pub fn payouts_named(&self, name: &str) -> Option<Arc<dyn PayoutProvider>> {
        self.named(&self.payouts, name)
    }

    /// Whether any provider takes payments in a mode.
    pub fn takes_payments(&self, mode: Mode) -> bool {
        let rails = [RailKind::Pix, RailKind::Boleto, RailKind::Card];
        rails.iter().any(|rail| self.service(*rail, mode) != Service::NotConnected)
    }

    /// Whether a mode's charges by a rail can be made now.
    pub fn service(&self, rail: RailKind, mode: Mode) -> Service {
        match self.serving(rail, mode) {
            Ok(Some(Serving::Connection(live)))
                if live.connected.connection.is_left_alone(rail) =>
            {
                Service::OutOfService
            }
            Ok(Some(_)) => Service::Available,
            Ok(None) | Err(_) => Service::NotConnected,
        }
    }

    /// The mode that a provider works in.
    pub fn mode_of(&self, name: &str) -> Mode {
        let is_sandbox = self.sandbox.name() == name;
        if is_sandbox { Mode::Development } else { Mode::Production }
    }

    /// Whether callbacks to an address with this name are taken: the sandbox's, or one whose secret
    /// part we gave to a connection's provider.
    pub fn has_door(&self, name: &str) -> bool {
        self.sandbox.name() == name
            || self.sandbox_payouts.name() == name
            || self.behind(name).is_some()
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

    fn of<P: ?Sized>(&self, rail: &Rail<P>, mode: Mode) -> Result<Arc<P>> {
        let provider = match self.serving(rail.kind, mode)? {
            Some(Serving::Sandbox) => Some(rail.sandbox.clone()),
            Some(Serving::Connection(live)) => (rail.of)(&live.connected).cloned(),
            None => None,
        };
        provider.ok_or_else(|| {
            // A server with connections is a live one, where simulated money is no advice.
            let is_live = self.registry().names().next().is_some();
            let advice = if is_live { "" } else { "; use a development key" };
            Error::NotConfigured(format!(
                "No {} provider is connected for production{advice}.",
                rail.name
            ))
        })
    }

    /// What a mode's new orders of a rail go to; `None` without a route to a connection that serves
    /// the rail, and an error if the sandbox is disabled.
    fn serving(&self, rail: RailKind, mode: Mode) -> Result<Option<Serving>> {
        if mode == Mode::Development {
            return self.simulating().map(|_| Some(Serving::Sandbox));
        }
        let registry = self.registry();
        let routed = registry.routed(rail).filter(|live| live.connected.serves(rail));
        Ok(routed.cloned().map(Serving::Connection))
    }

    fn named<P: Provider + ?Sized>(&self, rail: &Rail<P>, name: &str) -> Option<Arc<P>> {
        if rail.sandbox.name() == name {
            return Some(rail.sandbox.clone());
        }
        let registry = self.registry();
        registry.named(name).and_then(|live| (rail.of)(&live.connected)).cloned()
    }
}
