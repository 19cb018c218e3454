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

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::platform::words::words;

/// The status of a subscription.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schemars(rename = "SubscriptionStatus")]
pub enum Status {
    /// The first payment is pending.
    Incomplete,
    Trialing,
    Active,
    /// A payment failed and is being retried.
    PastDue,
    Paused,
    Cancelled,
    /// The first payment was never made.
    Expired,
}

words!(Status {
    Incomplete = "INCOMPLETE",
    Trialing = "TRIALING",
    Active = "ACTIVE",
    PastDue = "PAST_DUE",
    Paused = "PAUSED",
    Cancelled = "CANCELLED",
    Expired = "EXPIRED",
});

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
            let next: Vec<_> = next.map(|next| next.name()).collect();
            format!("{from}: {}", next.join(" "))
        };
        let matrix: Vec<_> = Status::ALL.iter().map(row).collect();
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

    #[test]
    fn a_status_is_read_by_its_word() {
        for status in Status::ALL {
            assert_eq!(Status::parse(status.name()), Some(*status));
        }
    }
}
