//! The banks: who issues PIX codes and tells that they were paid, and who pays out.
//!
//! Development money has the sandbox bank. Real money needs a configured provider; without one a
//! charge or a withdrawal is refused, never simulated.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use db::database::Database;
use db::time::Timestamp;
use http::HeaderMap;
use ledger::cents::Cents;

use crate::error::{Error, Result};
use crate::ids::Mode;
use crate::providers::payout::PayoutProvider;
use crate::providers::sandbox::SandboxBank;
use crate::providers::sandbox_payouts::SandboxPayouts;
use crate::secrets::Secrets;

pub mod payout;
pub mod sandbox;
pub mod sandbox_payouts;

/// What a bank is asked for.
#[derive(Debug, Clone)]
pub struct PixOrder {
    /// Our name for the charge, unique for ever.
    pub txid: String,
    pub amount: Cents,
    pub merchant_name: String,
    pub seconds_to_pay: i64,
}

/// What a bank tells: money arrived for a charge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PixReceipt {
    pub txid: String,
    /// The payment's name in the whole PIX system; two payments never share one.
    pub end_to_end_id: String,
    pub amount: Cents,
    /// When the payer paid.
    pub paid_at: Timestamp,
}

/// Why a bank did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    /// It said no.
    #[error("the bank refused: {0}")]
    Refused(String),
    /// It did not answer; whether it did the work is unknown.
    #[error("the bank did not answer: {0}")]
    Unknown(String),
    /// Somebody else pretends to be it.
    #[error("the confirmation is not the bank's")]
    NotAuthentic,
}

type Call<'a, T> = Pin<Box<dyn Future<Output = Result<T, ProviderError>> + Send + 'a>>;

/// A bank that can take PIX payments.
pub trait PixProvider: Send + Sync {
    /// Its name in the address of the callback door and in the charges it issued.
    fn name(&self) -> &'static str;

    /// Issues the code of a charge: what the payer copies and pastes.
    ///
    /// The same `txid` again gives the same charge. A code that was issued and never shown to
    /// anybody costs nothing, so a failed answer needs no repair.
    fn issue<'a>(&'a self, order: &'a PixOrder) -> Call<'a, String>;

    /// Reads a confirmation that arrived at the callback door, and makes sure that it is true.
    fn read_confirmation<'a>(
        &'a self,
        headers: &'a HeaderMap,
        body: &'a Bytes,
    ) -> Call<'a, Vec<PixReceipt>>;
}

/// The banks of this server.
pub struct Providers {
    sandbox: Arc<SandboxBank>,
    production: Option<Arc<dyn PixProvider>>,
    sandbox_payouts: Arc<SandboxPayouts>,
    production_payouts: Option<Arc<dyn PayoutProvider>>,
}

impl Providers {
    /// Builds them; no bank for real money exists yet, so production charges are refused.
    pub fn new(secrets: Arc<Secrets>, database: Database) -> Self {
        Self {
            sandbox: Arc::new(SandboxBank::new(secrets.clone())),
            production: None,
            sandbox_payouts: Arc::new(SandboxPayouts::new(secrets, database)),
            production_payouts: None,
        }
    }

    /// The bank for a mode's money.
    pub fn pix(&self, mode: Mode) -> Result<Arc<dyn PixProvider>> {
        match mode {
            Mode::Development => Ok(self.sandbox.clone()),
            Mode::Production => self.production.clone().ok_or_else(|| {
                Error::Unavailable("no PIX provider is configured for production".into())
            }),
        }
    }

    /// The bank whose confirmations arrive under a name.
    pub fn named(&self, name: &str) -> Option<Arc<dyn PixProvider>> {
        let sandbox: Arc<dyn PixProvider> = self.sandbox.clone();
        [Some(sandbox), self.production.clone()]
            .into_iter()
            .flatten()
            .find(|provider| provider.name() == name)
    }

    /// The bank that pays a mode's money out.
    pub fn payouts(&self, mode: Mode) -> Result<Arc<dyn PayoutProvider>> {
        match mode {
            Mode::Development => Ok(self.sandbox_payouts.clone()),
            Mode::Production => self.production_payouts.clone().ok_or_else(|| {
                Error::Unavailable("no payout provider is configured for production".into())
            }),
        }
    }

    /// The bank that pays out under a name.
    pub fn payouts_named(&self, name: &str) -> Option<Arc<dyn PayoutProvider>> {
        let sandbox: Arc<dyn PayoutProvider> = self.sandbox_payouts.clone();
        [Some(sandbox), self.production_payouts.clone()]
            .into_iter()
            .flatten()
            .find(|provider| provider.name() == name)
    }

    /// The sandbox bank's payouts, which its own callbacks settle.
    pub fn sandbox_payouts(&self) -> &SandboxPayouts {
        &self.sandbox_payouts
    }

    /// The sandbox bank, which can be told what to do.
    pub fn sandbox(&self) -> &SandboxBank {
        &self.sandbox
    }
}
