//! The only job of a subscription: to run what its schedule says is due.

use queue::job::{Job, WORK};
use serde::{Deserialize, Serialize};

use crate::platform::ids::{MerchantId, Mode, SubscriptionId};

/// An action may be due; the row alone says which.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunDueAction {
    pub merchant: MerchantId,
    pub mode: Mode,
    pub id: SubscriptionId,
}

impl Job for RunDueAction {
    const KIND: &'static str = "wake_subscription";
    const LANE: &'static str = WORK;
}
