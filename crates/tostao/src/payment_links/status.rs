//! The state machine of a payment link, as data.
//!
//! ```text
//! ACTIVE ◀──switch──▶ INACTIVE
//!   ├──clock──▶ EXPIRED ◀──clock──┤
//!   └◀──new date── EXPIRED
//! ```

use db::text_enum;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::platform::error::{Error, Result};
use crate::platform::http::listing::Listable;

text_enum! {
    /// The status of a payment link.
    pub enum Status as "PaymentLinkStatus" {
        /// Accepts payments.
        Active = "ACTIVE",
        /// Deactivated by the merchant.
        Inactive = "INACTIVE",
        /// Expired.
        Expired = "EXPIRED",
    }
}

/// A payment link status that merchants can set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum SettablePaymentLinkStatus {
    Active,
    Inactive,
}

impl Status {
    /// Whether a transition is allowed, for every pair of statuses.
    pub const fn may_become(self, next: Self) -> bool {
        matches!(
            (self, next),
            (Self::Active, Self::Inactive | Self::Expired)
                | (Self::Inactive, Self::Active | Self::Expired)
                | (Self::Expired, Self::Active)
        )
    }

    /// The status after a change: a new date reactivates an expired link, `chosen` alone does not.
    pub fn changed(self, dated: bool, chosen: Option<SettablePaymentLinkStatus>) -> Result<Self> {
        let revived = self == Self::Expired && dated;
        let present = if revived { Self::Active } else { self };
        let wanted = match chosen {
            None => return Ok(present),
            Some(SettablePaymentLinkStatus::Active) => Self::Active,
            Some(SettablePaymentLinkStatus::Inactive) => Self::Inactive,
        };
        if wanted == present || present != Self::Expired && present.may_become(wanted) {
            return Ok(wanted);
        }
        let message = "The link has expired. Also send an expiresAt in the future, or null.";
        Err(Error::State { current: present.name().to_owned(), message: message.to_owned() })
    }
}

impl Listable for Status {
    const SEARCHED: &'static str = "Search in title, description and slug.";
}

#[cfg(test)]
mod tests {
    use crate::platform::transitions::transitions;

    use super::{SettablePaymentLinkStatus, Status};

    #[test]
    fn every_pair_of_statuses_is_decided() {
        let matrix = transitions(Status::ALL, Status::may_become);
        let decided = ["ACTIVE: INACTIVE EXPIRED", "INACTIVE: ACTIVE EXPIRED", "EXPIRED: ACTIVE"];
        assert_eq!(matrix, decided);
    }

    #[test]
    fn only_a_new_date_revives_an_expired_link() {
        use Status::{Active, Expired, Inactive};
        let table = [
            (Active, false, None, Some(Active)),
            (Active, true, None, Some(Active)),
            (Active, false, Some(SettablePaymentLinkStatus::Active), Some(Active)),
            (Active, false, Some(SettablePaymentLinkStatus::Inactive), Some(Inactive)),
            (Inactive, true, None, Some(Inactive)),
            (Inactive, false, Some(SettablePaymentLinkStatus::Active), Some(Active)),
            (Expired, false, None, Some(Expired)),
            (Expired, false, Some(SettablePaymentLinkStatus::Active), None),
            (Expired, false, Some(SettablePaymentLinkStatus::Inactive), None),
            (Expired, true, None, Some(Active)),
            (Expired, true, Some(SettablePaymentLinkStatus::Active), Some(Active)),
            (Expired, true, Some(SettablePaymentLinkStatus::Inactive), Some(Inactive)),
        ];
        for (from, dated, chosen, next) in table {
            assert_eq!(from.changed(dated, chosen).ok(), next, "{from} {dated} {chosen:?}");
        }
    }
}
