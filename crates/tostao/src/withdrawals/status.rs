//! The states of a withdrawal, as data.
//!
//! ```text
//!            claim (by `processed_at`)
//! PENDING ─────────────▶ PENDING, in flight ──paid──▶ COMPLETED
//!    └──reject, cancel──▶ FAILED ◀──refused, lost──┘
//! ```

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::platform::words::words;

/// The status of a withdrawal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schemars(rename = "WithdrawalStatus")]
pub enum Status {
    /// Requested, or being paid out once approved.
    Pending,
    /// Paid.
    Completed,
    /// Failed; the money is back on the balance.
    Failed,
}

/// Why a withdrawal failed without being sent to a bank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureReason {
    RejectedByAdmin,
    CancelledByMerchant,
}

words!(Status {
    Pending = "PENDING",
    Completed = "COMPLETED",
    Failed = "FAILED",
});

impl Status {
    /// Decides every pair of statuses.
    pub const fn may_become(self, next: Self) -> bool {
        matches!((self, next), (Self::Pending, Self::Completed | Self::Failed))
    }
}

impl FailureReason {
    /// The value in the API.
    pub const fn code(self) -> &'static str {
        match self {
            Self::RejectedByAdmin => "REJECTED_BY_ADMIN",
            Self::CancelledByMerchant => "CANCELLED_BY_MERCHANT",
        }
    }
}

impl std::fmt::Display for Status {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::Status;

    #[test]
    fn every_pair_of_statuses_is_decided() {
        let row = |from: &Status| {
            let next = Status::ALL.iter().filter(|next| from.may_become(**next));
            let names: Vec<_> = next.map(|next| next.name()).collect();
            format!("{from}: {}", names.join(" "))
        };
        let matrix: Vec<_> = Status::ALL.iter().map(row).collect();
        assert_eq!(matrix, ["PENDING: COMPLETED FAILED", "COMPLETED: ", "FAILED: "]);
    }
}
