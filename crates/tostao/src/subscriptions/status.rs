//! The states of a subscription, as data.
//!
//! ```text
//! INCOMPLETE ──paid──▶ ACTIVE ◀──paid── TRIALING
//!     │                │  ▲  ▲             │ │
//!   a day              │  │  └─resume─ PAUSED ◀─pause── ACTIVE, TRIALING
//!     ▼             fails paid             │ │
//!  EXPIRED             ▼  │                │ │
//!                    PAST_DUE ◀───fails────┘ │
//!                      └──▶ CANCELLED ◀──────┘ also from ACTIVE and TRIALING
//! ```
//!
//! A paused trial that resumes before its end is a trial again.

use db::text_enum;

text_enum! {
    /// The status of a subscription.
    pub enum Status as "SubscriptionStatus" {
        /// The first payment is pending.
        Incomplete = "INCOMPLETE",
        Trialing = "TRIALING",
        Active = "ACTIVE",
        /// A payment failed and is being retried.
        PastDue = "PAST_DUE",
        Paused = "PAUSED",
        Cancelled = "CANCELLED",
        /// The first payment was never made.
        Expired = "EXPIRED",
    }
}

impl Status {
    /// Decides every pair of statuses.
    pub const fn may_become(self, next: Self) -> bool {
        matches!(
            (self, next),
            (Self::Incomplete, Self::Active | Self::Expired)
                | (Self::Trialing, Self::Active | Self::PastDue | Self::Paused | Self::Cancelled)
                | (Self::Active, Self::PastDue | Self::Paused | Self::Cancelled)
                | (Self::PastDue, Self::Active | Self::Cancelled)
                | (Self::Paused, Self::Active | Self::Trialing | Self::Cancelled)
        )
    }

    /// Whether the status is final.
    pub const fn has_ended(self) -> bool {
        matches!(self, Self::Cancelled | Self::Expired)
    }

    /// Whether its price counts as recurring.
    pub const fn is_paying(self) -> bool {
        matches!(self, Self::Active | Self::PastDue)
    }
}

#[cfg(test)]
mod tests {
    use crate::platform::transitions::transitions;

    use super::Status;

    #[test]
    fn every_pair_of_statuses_is_decided() {
        let matrix = transitions(Status::ALL, Status::may_become);
        let decided = [
            "INCOMPLETE: ACTIVE EXPIRED",
            "TRIALING: ACTIVE PAST_DUE PAUSED CANCELLED",
            "ACTIVE: PAST_DUE PAUSED CANCELLED",
            "PAST_DUE: ACTIVE CANCELLED",
            "PAUSED: TRIALING ACTIVE CANCELLED",
            "CANCELLED: ",
            "EXPIRED: ",
        ];
        assert_eq!(matrix, decided);
    }
}
