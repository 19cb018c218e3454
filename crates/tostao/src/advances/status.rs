//! The states of an advance, as data.
//!
//! ```text
//! PENDING ──approve──▶ APPROVED ──all of it is repaid──▶ SETTLED
//!    ├──reject──▶ REJECTED
//!    └──cancel──▶ CANCELLED
//! ```

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::platform::words::words;

/// The status of an advance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schemars(rename = "AdvanceStatus")]
pub enum Status {
    /// Under review.
    Pending,
    /// Paid out and not yet fully repaid.
    Approved,
    /// Rejected by an administrator.
    Rejected,
    /// Cancelled by the merchant.
    Cancelled,
    /// Fully repaid.
    Settled,
}

words!(Status {
    Pending = "PENDING",
    Approved = "APPROVED",
    Rejected = "REJECTED",
    Cancelled = "CANCELLED",
    Settled = "SETTLED",
});

impl Status {
    /// Decides every pair of statuses.
    pub const fn may_become(self, next: Self) -> bool {
        matches!(
            (self, next),
            (Self::Pending, Self::Approved | Self::Rejected | Self::Cancelled)
                | (Self::Approved, Self::Settled)
        )
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
        let expected = [
            "PENDING: APPROVED REJECTED CANCELLED",
            "APPROVED: SETTLED",
            "REJECTED: ",
            "CANCELLED: ",
            "SETTLED: ",
        ];
        assert_eq!(matrix, expected);
    }
}
