//! The only job of a subscription: to run what its schedule says is due.

use db::time::Timestamp;
use db::tx::Tx;
use queue::job::{Job, WORK, hasten_all};
use serde::{Deserialize, Serialize};

use crate::platform::error::Result;
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
    const UNIQUE: bool = true;
}

/// Has what was tried and waits in a lane run at an instant: its provider is in use again then.
pub async fn wake_waiting(tx: &Tx, lane: &str, at: Timestamp) -> Result<()> {
    Ok(hasten_all::<RunDueAction>(tx, lane, at).await?)
}
