//! Money that arrived for a payment, whatever way it came.

use db::time::Timestamp;
use ledger::cents::Cents;

use crate::providers::boleto::BoletoReceipt;
use crate::providers::pix::PixReceipt;

/// The way that money came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rail {
    Pix,
    /// Somebody paid a slip by its barcode.
    Slip,
    Card,
    /// Nothing came, because nothing was asked.
    Free,
}

impl Rail {
    const ALL: &'static [Self] = &[Self::Pix, Self::Slip, Self::Card, Self::Free];

    /// The word under which it is stored.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pix => "PIX",
            Self::Slip => "SLIP",
            Self::Card => "CARD",
            Self::Free => "FREE",
        }
    }

    /// Reads the word.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|rail| rail.name() == text)
    }
}

/// Money that arrived.
#[derive(Debug, Clone)]
pub struct Arrival {
    pub rail: Rail,
    /// Its name where it came from; no two payments share one.
    pub name: String,
    pub amount: Cents,
    /// When the payer paid.
    pub paid_at: Timestamp,
}

impl From<&PixReceipt> for Arrival {
    fn from(receipt: &PixReceipt) -> Self {
        Self {
            rail: Rail::Pix,
            name: receipt.end_to_end_id.clone(),
            amount: receipt.amount,
            paid_at: receipt.paid_at,
        }
    }
}

impl From<&BoletoReceipt> for Arrival {
    fn from(receipt: &BoletoReceipt) -> Self {
        Self {
            rail: Rail::Slip,
            name: receipt.payment_id.clone(),
            amount: receipt.amount,
            paid_at: receipt.paid_at,
        }
    }
}
