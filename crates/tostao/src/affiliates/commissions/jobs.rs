//! What happens to commissions by themselves: their day comes.

use queue::job::{Claimed, Job};
use serde::{Deserialize, Serialize};

use crate::affiliates::commissions::release::release;
use crate::app::App;
use crate::error::Result;
use crate::ids::{CommissionId, MerchantId, Mode};
use crate::jobs::{WORK, carry_out};

/// A commission becomes its affiliate's to withdraw, unless something of it is held.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Release {
    /// The seller, by whose clock it is due.
    pub merchant: MerchantId,
    pub mode: Mode,
    pub id: CommissionId,
}

impl Job for Release {
    const KIND: &'static str = "release_commission";
    const LANE: &'static str = WORK;
}

/// Releases a commission whose day has come; the row alone says whether it may be.
pub async fn release_due(app: &App, job: Claimed) -> Result<()> {
    let Release { merchant, mode, id } = job.read()?;
    carry_out(app, job, merchant, mode, async move |tx, scope| release(tx, scope, id).await).await
}
