//! PIX: codes that a payer copies or scans, and refunds by the same rail.

use db::time::Timestamp;
use ledger::cents::Cents;

use crate::provider::{Call, Provider};
use crate::refund::RefundState;

/// A request to a bank.
#[derive(Debug, Clone)]
pub struct PixChargeRequest {
    /// Our reference for the charge, unique for ever.
    pub txid: String,
    pub amount: Cents,
    pub merchant_name: String,
    pub seconds_to_pay: i64,
}

/// A code that a bank has issued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssuedPix {
    /// What the payer copies and pastes.
    pub code: String,
    /// When the bank stops accepting payments, if it says so.
    pub expires_at: Option<Timestamp>,
}

/// A charge as its bank knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PixChargeState {
    /// Whether it can still be paid.
    pub is_open: bool,
    pub amount: Cents,
    /// The payments that arrived for it.
    pub payments: Vec<PixConfirmation>,
}

/// A bank's report that money arrived for a charge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PixConfirmation {
    pub txid: String,
    /// The payment's identifier in the whole PIX system; unique per payment.
    pub end_to_end_id: String,
    pub amount: Cents,
    /// When the payer paid.
    pub paid_at: Timestamp,
}

/// A refund request, full or partial.
#[derive(Debug, Clone)]
pub struct PixReturnRequest {
    /// Our reference for the refund, unique for ever: 1 to 35 letters and digits.
    pub reference: String,
    /// The payment to refund.
    pub end_to_end_id: String,
    pub amount: Cents,
}

/// A bank that can take PIX payments.
pub trait PixProvider: Provider {
    /// Issues the code of a charge.
    ///
    /// The same `txid` again returns the same charge. A code that was issued and never shown to a
    /// buyer costs nothing, so a failed call needs no repair.
    fn issue<'a>(&'a self, order: &'a PixChargeRequest) -> Call<'a, IssuedPix>;

    /// Returns a charge with the payments that arrived for it; `None` if the bank does not know it.
    fn find<'a>(&'a self, txid: &'a str) -> Call<'a, Option<PixChargeState>>;

    /// Closes a charge, so that nothing more can be paid to it; a closed one stays closed.
    fn cancel<'a>(&'a self, txid: &'a str) -> Call<'a, ()>;

    /// Refunds a payment; the same reference again returns the state of that refund.
    fn refund<'a>(&'a self, order: &'a PixReturnRequest) -> Call<'a, RefundState>;

    /// Returns the state of a refund; `None` if it never arrived.
    fn find_refund<'a>(&'a self, order: &'a PixReturnRequest) -> Call<'a, Option<RefundState>>;
}
