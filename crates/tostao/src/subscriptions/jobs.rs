//! The one job of a subscription: to look at it when its agenda says so.

use queue::job::Job;
use serde::{Deserialize, Serialize};

use crate::platform::ids::{MerchantId, Mode, SubscriptionId};
use crate::platform::lanes::WORK;

/// Something may be due; the row alone says what.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Wake {
    pub merchant: MerchantId,
    pub mode: Mode,
    pub id: SubscriptionId,
}

impl Job for Wake {
    const KIND: &'static str = "wake_subscription";
    const LANE: &'static str = WORK;
}
