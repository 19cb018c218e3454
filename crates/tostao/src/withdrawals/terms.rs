//! The server settings that units about withdrawals need: fee, limits, approval, URLs.

use std::sync::Arc;

use ledger::cents::Cents;

use crate::app::App;
use crate::platform::config::Switch;
use crate::platform::ids::{Mode, WithdrawalId};
use crate::platform::secrets::{Purpose, Secrets};
use crate::platform::signed_tokens::{sign, verify};

/// The server's terms for withdrawals.
pub struct WithdrawalTerms {
    pub fee: Cents,
    pub daily_cap: Cents,
    pub night_cap: Cents,
    /// Who approves.
    pub approval: ApprovalPolicy,
    caps_in_development: bool,
    base_url: String,
    secrets: Arc<Secrets>,
}

/// Who approves the sending of a withdrawal to the bank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalPolicy {
    ByAdministrator,
    Automatic,
}

impl WithdrawalTerms {
    /// Reads the terms from the settings.
    pub fn of(app: &App) -> Self {
        let (settings, secrets) = (&app.settings, app.secrets.clone());
        Self {
            fee: Cents::new(settings.withdrawal_fee_cents),
            daily_cap: Cents::new(settings.withdrawal_daily_cap_cents),
            night_cap: Cents::new(settings.withdrawal_night_cap_cents),
            approval: match settings.auto_payouts {
                Switch::On => ApprovalPolicy::Automatic,
                Switch::Off => ApprovalPolicy::ByAdministrator,
            },
            caps_in_development: settings.withdrawal_caps_in_development == Switch::On,
            base_url: settings.base_url(),
            secrets,
        }
    }

    /// Whether the limits apply to a mode's withdrawals.
    pub fn has_limits(&self, mode: Mode) -> bool {
        self.caps_in_development || !mode.is_development()
    }

    /// The URL of a withdrawal's receipt.
    pub fn receipt_url(&self, id: WithdrawalId) -> String {
        let token = sign(&self.secrets, Purpose::WithdrawalReceipt, id.0.as_bytes());
        format!("{}/receipts/withdrawals/{id}?token={token}", self.base_url)
    }

    /// Whether we issued the URL with this token.
    pub fn opens(&self, id: WithdrawalId, token: &str) -> bool {
        let named = verify(&self.secrets, Purpose::WithdrawalReceipt, token);
        named.is_some_and(|named| named == id.0.as_bytes())
    }
}
