//! How money is paid back.

use brazil::pix_key::PixKey;
use db::error::Error as DbError;
use db::value::Row;
use ledger::cents::Cents;

use crate::platform::error::{Error, Result};
use crate::providers::Providers;
use crate::providers::orders::{CardRefund, OrderTarget, lane, of_order};
use crate::store::pix_key;

/// The stored value of a PIX return.
pub const PIX: &str = "PIX";
/// The stored value of a payout to a PIX key.
pub const PAYOUT: &str = "PAYOUT";
const CARD: &str = "CARD";

/// How money is paid back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefundMethod {
    /// As a PIX return.
    Pix,
    /// To the charged card.
    Card,
    /// To a PIX key, because a boleto's barcode does not identify its payer.
    Payout(PixKey),
}

impl RefundMethod {
    /// The stored value.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Pix => PIX,
            Self::Card => CARD,
            Self::Payout(_) => PAYOUT,
        }
    }

    /// Whether it is paid back in the PIX system: as a return, or as a payout to a key.
    pub const fn is_pix(&self) -> bool {
        !matches!(self, Self::Card)
    }

    /// The lane of an order with its provider.
    pub fn lane(&self, provider: &str) -> String {
        lane(provider, matches!(self, Self::Payout(_)))
    }

    /// The PIX key of a payout.
    pub const fn key(&self) -> Option<&PixKey> {
        match self {
            Self::Pix | Self::Card => None,
            Self::Payout(key) => Some(key),
        }
    }

    /// The reason of a refusal as merchants see it; the codes of payouts are those of withdrawals.
    pub fn failure_reason(&self, reason: &str) -> String {
        match self {
            Self::Pix | Self::Card => reason.to_owned(),
            Self::Payout(_) => reason.to_ascii_lowercase(),
        }
    }

    /// Reads the stored value, the key's type and the key, in this order.
    pub fn read(row: &mut Row) -> Result<Self> {
        let method: String = row.take()?;
        let key = pix_key(row)?;
        let method = match method.as_str() {
            PIX => Some(Self::Pix),
            CARD => Some(Self::Card),
            _ => key.map(Self::Payout),
        };
        method.ok_or_else(|| DbError::Row("an order without a method".into()).into())
    }

    /// The rail of an order with its stored provider, whichever would be used for a new one;
    /// `payment` is the payment's own id on that rail. An acquirer also has to know what was
    /// refunded of it before, and the attempt's name.
    pub fn target(
        self,
        providers: &Providers,
        provider: &str,
        payment: Option<String>,
        (refunded_before, attempt): (Cents, String),
    ) -> Result<OrderTarget> {
        let unnamed =
            || Error::Internal(anyhow::anyhow!("a refunded payment has no id on its rail"));
        match self {
            Self::Pix => {
                let bank = of_order(providers.pix_named(provider), provider)?;
                Ok(OrderTarget::Pix(bank, payment.ok_or_else(unnamed)?))
            }
            Self::Card => {
                let acquirer = of_order(providers.card_named(provider), provider)?;
                let charge_reference = payment.ok_or_else(unnamed)?;
                let refund = CardRefund { charge_reference, refunded_before, attempt };
                Ok(OrderTarget::Card(acquirer, refund))
            }
            Self::Payout(key) => {
                Ok(OrderTarget::Payout(of_order(providers.payouts_named(provider), provider)?, key))
            }
        }
    }
}
