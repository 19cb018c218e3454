//! The states of an advance, as data.
//!
//! ```text
//! PENDING ──approve──▶ APPROVED ──all of it is repaid──▶ SETTLED
//!    ├──reject──▶ REJECTED
//!    └──cancel──▶ CANCELLED
//! ```

use db::text_enum;

text_enum! {
    /// The status of an advance.
    pub enum Status as "AdvanceStatus" {
        /// Under review.
        Pending = "PENDING",
        /// Paid out and not yet fully repaid.
        Approved = "APPROVED",
        /// Rejected by an administrator.
        Rejected = "REJECTED",
        /// Cancelled by the merchant.
        Cancelled = "CANCELLED",
        /// Fully repaid.
        Settled = "SETTLED",
    }
}

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

#[cfg(test)]
mod tests {
    use crate::platform::transitions::transitions;

    use super::Status;

    #[test]
    fn every_pair_of_statuses_is_decided() {
        let matrix = transitions(Status::ALL, Status::may_become);
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
