//! Refunds, on whatever rail the payment came.

use std::fmt;

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
    Refused {
        /// A code for the reason, in lower case with underscores.
        reason: String,
    },
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
