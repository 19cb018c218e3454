//! The job that settles a receivable. It concerns advances too, so it runs there.

use queue::job::{Job, WORK};
use serde::{Deserialize, Serialize};

use crate::platform::ids::{MerchantId, Mode, TransactionId};

/// A part of a payment becomes available to the merchant.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Settle {
    pub merchant: MerchantId,
    pub mode: Mode,
    pub of: TransactionId,
    pub installment: i64,
}

impl Job for Settle {
    const KIND: &'static str = "settle_receivable";
    const LANE: &'static str = WORK;
}
