//! Refunds, on whatever rail the payment came.

use std::fmt;

use db::text_enum;

/// The state of a refund at its provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefundState {
    /// Accepted; it will become one of the others.
    Processing,
    /// The money is back with the payer.
    Done {
        /// The refund's identifier on its rail: a PIX return id, an acquirer's number.
        rail_id: String,
    },
    /// The money stays, and will not be refunded under this reference.
    Refused { reason: RefundFailureCode },
}

text_enum! {
    /// Why a provider did not refund, as a value of the API.
    pub enum RefundFailureCode {
        RefusedByBank = "refused_by_bank",
        RefusedByIssuer = "refused_by_issuer",
        /// The provider did not accept the order; the log has its own code.
        RefusedByProvider = "refused_by_provider",
        ChargeNotFound = "charge_not_found",
        ChargeNotApproved = "charge_not_approved",
        ExceedsCharge = "exceeds_charge",
    }
}

impl fmt::Display for RefundState {
    /// As administrators read it.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Processing => out.write_str("PROCESSING"),
            Self::Done { rail_id } => write!(out, "DONE {rail_id}"),
            Self::Refused { reason } => write!(out, "REFUSED {reason}"),
        }
    }
}
