//! An incoming payment, by whatever rail it came.

use db::text_enum;
use db::time::Timestamp;
use ledger::cents::Cents;
use rails::boleto::BoletoConfirmation;
use rails::pix::PixConfirmation;

use crate::platform::ids::UnmatchedId;

/// What follows the identifier of a payment in that of a part of it which is kept by itself.
const PART: &str = " taken back ";

text_enum! {
    /// The rail that a payment came by.
    pub enum Rail {
        Pix = "PIX",
        /// A boleto paid by its barcode. Rows hold its former name.
        Boleto = "SLIP",
        Card = "CARD",
        /// Nothing came in, because nothing was due.
        Free = "FREE",
    }
}

/// An incoming payment.
#[derive(Debug, Clone)]
pub struct IncomingPayment {
    pub rail: Rail,
    /// Its identifier at its origin; unique per payment.
    pub payment_id: String,
    pub amount: Cents,
    /// When the payer paid.
    pub paid_at: Timestamp,
}

/// The identifier under which a part of a payment is stored, because its bank took that part back.
pub fn id_of_part(payment_id: &str, part: UnmatchedId) -> String {
    format!("{payment_id}{PART}{part}")
}

/// A payment's own identifier, from the one under which it or a part of it is stored.
pub fn own_id(stored: String) -> String {
    match stored.split_once(PART) {
        Some((own, _)) => own.to_owned(),
        None => stored,
    }
}

impl From<&PixConfirmation> for IncomingPayment {
    fn from(receipt: &PixConfirmation) -> Self {
        Self {
            rail: Rail::Pix,
            payment_id: receipt.end_to_end_id.clone(),
            amount: receipt.amount,
            paid_at: receipt.paid_at,
        }
    }
}

impl From<&BoletoConfirmation> for IncomingPayment {
    fn from(receipt: &BoletoConfirmation) -> Self {
        Self {
            rail: Rail::Boleto,
            payment_id: receipt.payment_id.clone(),
            amount: receipt.amount,
            paid_at: receipt.paid_at,
        }
    }
}
