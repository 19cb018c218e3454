//! What the texts of mails are made of.

use db::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::mail::Kind;

/// What the text of a mail is made of; its kind follows from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Content {
    PasswordReset {
        link_ends_at: Timestamp,
    },
    PasswordChanged,
    NewDevice {
        network: String,
    },
    TwoFactorEnabled,
    TwoFactorDisabled,
    BackupCodesReplaced,
    TwoFactorRefused {
        codes: i64,
    },
    Invitation {
        account: String,
        inviter: String,
        link_ends_at: Timestamp,
    },
    WithdrawalCompleted {
        amount_cents: i64,
        net_cents: i64,
        pix_key: String,
    },
    WithdrawalFailed {
        amount_cents: i64,
        pix_key: String,
    },
    PayoutKeyAdded {
        pix_key: String,
        usable_from: Timestamp,
    },
    PayeeNamed {
        amount_cents: i64,
        pix_key: String,
    },
    WebhookDisabled {
        host: String,
        failure: WebhookFailure,
    },
    ApiKeyCreated(KeyNotice),
    ApiKeyRotated(KeyNotice),
    /// The link works at once if it need not wait until an instant.
    EmailChange {
        possible_at: Option<Timestamp>,
        link_ends_at: Timestamp,
    },
    EmailChangeAsked {
        email: String,
        possible_at: Option<Timestamp>,
        link_ends_at: Timestamp,
    },
    EmailChanged {
        email: String,
    },
    Receipt(Receipt),
    WebhookFailing {
        host: String,
    },
    WebhookRecovered {
        host: String,
    },
    LateMoney {
        amount_cents: i64,
    },
    PaymentReceived {
        amount_cents: i64,
    },
}

/// What a mail says of an API key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyNotice {
    pub name: String,
    pub last4: String,
    /// The name of the person who made or rotated it.
    pub by: String,
    /// How many permissions it has.
    pub permissions: usize,
}

/// What a buyer paid, and where they read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    pub seller: String,
    /// What was sold, if anything says so.
    pub sold: Option<String>,
    pub amount_cents: i64,
    pub paid_at: Timestamp,
    pub url: String,
}

/// Why a webhook was disabled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WebhookFailure {
    Gone,
    Failing,
}

impl Content {
    /// What it is about.
    pub fn kind(&self) -> Kind {
        match self {
            Self::PasswordReset { .. } => Kind::PasswordReset,
            Self::PasswordChanged => Kind::PasswordChanged,
            Self::NewDevice { .. } => Kind::NewDevice,
            Self::TwoFactorEnabled => Kind::TwoFactorEnabled,
            Self::TwoFactorDisabled => Kind::TwoFactorDisabled,
            Self::BackupCodesReplaced => Kind::BackupCodesReplaced,
            Self::TwoFactorRefused { .. } => Kind::TwoFactorRefused,
            Self::Invitation { .. } => Kind::Invitation,
            Self::WithdrawalCompleted { .. } => Kind::WithdrawalCompleted,
            Self::WithdrawalFailed { .. } => Kind::WithdrawalFailed,
            Self::PayoutKeyAdded { .. } => Kind::PayoutKeyAdded,
            Self::PayeeNamed { .. } => Kind::PayeeNamed,
            Self::WebhookDisabled { .. } => Kind::WebhookDisabled,
            Self::ApiKeyCreated(_) => Kind::ApiKeyCreated,
            Self::ApiKeyRotated(_) => Kind::ApiKeyRotated,
            Self::EmailChange { .. } => Kind::EmailChange,
            Self::EmailChangeAsked { .. } => Kind::EmailChangeAsked,
            Self::EmailChanged { .. } => Kind::EmailChanged,
            Self::Receipt(_) => Kind::Receipt,
            Self::WebhookFailing { .. } => Kind::WebhookFailing,
            Self::WebhookRecovered { .. } => Kind::WebhookRecovered,
            Self::LateMoney { .. } => Kind::LateMoney,
            Self::PaymentReceived { .. } => Kind::PaymentReceived,
        }
    }

    /// Until when the mail's link works; a mail without a link has no end.
    pub fn link_ends_at(&self) -> Option<Timestamp> {
        match self {
            Self::PasswordReset { link_ends_at }
            | Self::Invitation { link_ends_at, .. }
            | Self::EmailChange { link_ends_at, .. }
            | Self::EmailChangeAsked { link_ends_at, .. } => Some(*link_ends_at),
            _ => None,
        }
    }
}
