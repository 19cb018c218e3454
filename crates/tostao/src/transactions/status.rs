//! The states of a payment, as data.
//!
//! ```text
//! PENDING ──pay──▶ PAID ──refund──▶ REFUNDED
//!   ├──expire──▶ EXPIRED ──pay (late)──▶ PAID
//!   └──cancel──▶ CANCELLED ──pay (late)──▶ PAID
//! PENDING ──fail──▶ FAILED, PROCESSING ──pay──▶ PAID, ──fail──▶ FAILED
//! PAID ──dispute──▶ DISPUTED ──win──▶ PAID, ──lose──▶ CHARGED_BACK
//! ```

use db::text_enum;

text_enum! {
    /// The status of a transaction.
    pub enum Status as "TransactionStatus" {
        /// Awaiting payment.
        Pending = "PENDING",
        /// Being processed by the acquirer.
        Processing = "PROCESSING",
        /// Paid in full.
        Paid = "PAID",
        /// Declined, or the bank did not make what it is paid by.
        Failed = "FAILED",
        /// Expired before it was paid.
        Expired = "EXPIRED",
        /// Cancelled by the merchant before it was paid.
        Cancelled = "CANCELLED",
        /// Refunded in full.
        Refunded = "REFUNDED",
        /// Disputed by the buyer.
        Disputed = "DISPUTED",
        /// Charged back after a lost dispute.
        ChargedBack = "CHARGED_BACK",
    }
}

/// An event in a payment's life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trigger {
    Pay,
    Fail,
    Expire,
    Cancel,
    RefundInFull,
    Dispute,
    WinDispute,
    LoseDispute,
}

/// The effect of a trigger on a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transition {
    /// The status changes.
    Becomes(Status),
    /// A repetition; nothing happens.
    Already,
    /// The transition is not allowed.
    Refused,
}

impl Status {
    /// Decides every pair of status and trigger.
    pub const fn after(self, trigger: Trigger) -> Transition {
        use Status::{
            Cancelled, ChargedBack, Disputed, Expired, Failed, Paid, Pending, Processing, Refunded,
        };
        match (self, trigger) {
            (Pending | Processing | Expired | Cancelled, Trigger::Pay)
            | (Disputed, Trigger::WinDispute) => Transition::Becomes(Paid),
            (Pending | Processing, Trigger::Fail) => Transition::Becomes(Failed),
            (Pending, Trigger::Expire) => Transition::Becomes(Expired),
            (Pending, Trigger::Cancel) => Transition::Becomes(Cancelled),
            (Paid, Trigger::RefundInFull) => Transition::Becomes(Refunded),
            (Paid, Trigger::Dispute) => Transition::Becomes(Disputed),
            (Disputed, Trigger::LoseDispute) => Transition::Becomes(ChargedBack),
            (Paid, Trigger::Pay | Trigger::WinDispute)
            | (Failed, Trigger::Fail)
            | (Expired, Trigger::Expire)
            | (Cancelled, Trigger::Cancel)
            | (Refunded, Trigger::RefundInFull)
            | (Disputed, Trigger::Dispute)
            | (ChargedBack, Trigger::LoseDispute) => Transition::Already,
            _ => Transition::Refused,
        }
    }
}

impl Trigger {
    /// Every trigger.
    pub const ALL: &'static [Self] = &[
        Self::Pay,
        Self::Fail,
        Self::Expire,
        Self::Cancel,
        Self::RefundInFull,
        Self::Dispute,
        Self::WinDispute,
        Self::LoseDispute,
    ];
}

#[cfg(test)]
mod tests {
    use super::{Status, Transition, Trigger};

    #[test]
    fn every_pair_of_status_and_trigger_is_decided() {
        let row = |status: &Status| {
            let cell = |trigger: &Trigger| match status.after(*trigger) {
                Transition::Becomes(next) => next.name(),
                Transition::Already => "=",
                Transition::Refused => "-",
            };
            let cells: Vec<_> = Trigger::ALL.iter().map(cell).collect();
            format!("{status}: {}", cells.join(" "))
        };
        let matrix: Vec<_> = Status::ALL.iter().map(row).collect();
        // Pay, Fail, Expire, Cancel, RefundInFull, Dispute, WinDispute, LoseDispute
        let decided = [
            "PENDING: PAID FAILED EXPIRED CANCELLED - - - -",
            "PROCESSING: PAID FAILED - - - - - -",
            "PAID: = - - - REFUNDED DISPUTED = -",
            "FAILED: - = - - - - - -",
            "EXPIRED: PAID - = - - - - -",
            "CANCELLED: PAID - - = - - - -",
            "REFUNDED: - - - - = - - -",
            "DISPUTED: - - - - - = PAID CHARGED_BACK",
            "CHARGED_BACK: - - - - - - - =",
        ];
        assert_eq!(matrix, decided);
    }
}
