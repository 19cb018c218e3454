//! The states of a withdrawal, as data.
//!
//! ```text
//!            claim (by `processed_at`)
//! PENDING ─────────────▶ PENDING, in flight ──paid──▶ COMPLETED
//!    └──reject, cancel──▶ FAILED ◀──refused, lost──┘
//! ```

use db::text_enum;

text_enum! {
    /// The status of a withdrawal.
    pub enum Status as "WithdrawalStatus" {
        /// Requested, or being paid out once approved.
        Pending = "PENDING",
        /// Paid.
        Completed = "COMPLETED",
        /// Failed; the money is back on the balance.
        Failed = "FAILED",
    }
}

text_enum! {
    /// Why a withdrawal failed by a decision, not by its bank.
    pub enum FailureReason {
        RejectedByAdmin = "REJECTED_BY_ADMIN",
        CancelledByMerchant = "CANCELLED_BY_MERCHANT",
    }
}

text_enum! {
    /// What a bank reports that contradicts a withdrawal; a refusal is stored as its code.
    pub enum Reported {
        Processing = "PROCESSING",
        NotFound = "NOT_FOUND",
        /// Followed by the end-to-end id.
        Paid = "PAID",
    }
}

impl Status {
    /// Decides every pair of statuses.
    pub const fn may_become(self, next: Self) -> bool {
        matches!((self, next), (Self::Pending, Self::Completed | Self::Failed))
    }
}

#[cfg(test)]
mod tests {
    use crate::platform::transitions::transitions;

    use super::Status;

    #[test]
    fn every_pair_of_statuses_is_decided() {
        let matrix = transitions(Status::ALL, Status::may_become);
        assert_eq!(matrix, ["PENDING: COMPLETED FAILED", "COMPLETED: ", "FAILED: "]);
    }
}
