//! PIX: codes that a payer copies or scans, and refunds by the same rail.

use db::time::Timestamp;
use ledger::cents::Cents;

use crate::provider::{Call, CallbackParser};
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
pub trait PixProvider: CallbackParser<PixConfirmation> {
    /// Issues the code of a charge: what the payer copies and pastes.
    ///
    /// The same `txid` again returns the same charge. A code that was issued and never shown to a
    /// buyer costs nothing, so a failed call needs no repair.
    fn issue<'a>(&'a self, order: &'a PixChargeRequest) -> Call<'a, String>;

    /// Refunds a payment; the same reference again returns the state of that refund.
    fn refund<'a>(&'a self, order: &'a PixReturnRequest) -> Call<'a, RefundState>;

    /// Returns the state of a refund; `None` if it never arrived.
    fn find_refund<'a>(&'a self, reference: &'a str) -> Call<'a, Option<RefundState>>;
}
