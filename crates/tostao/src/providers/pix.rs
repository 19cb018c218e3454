//! PIX: codes that a payer copies or scans, and money given back the same way.

use bytes::Bytes;
use db::time::Timestamp;
use http::HeaderMap;
use ledger::cents::Cents;

use crate::providers::{Call, RefundState};

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

/// Money to be given back, whole or in part.
#[derive(Debug, Clone)]
pub struct PixRefundOrder {
    /// Our name for the refund, unique for ever: 1 to 35 letters and digits.
    pub reference: String,
    /// The payment that is given back.
    pub end_to_end_id: String,
    pub amount: Cents,
}

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

    /// Gives money back; the same reference again tells how that refund stands.
    fn refund<'a>(&'a self, order: &'a PixRefundOrder) -> Call<'a, RefundState>;

    /// Tells how a refund stands; `None` if it never arrived.
    fn find_refund<'a>(&'a self, reference: &'a str) -> Call<'a, Option<RefundState>>;
}
