//! The job that expires coupons.

use queue::job::{Claimed, Job, WORK};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::coupons::expire_if_due;
use crate::jobs::{RunJob, carry_out};
use crate::platform::error::Result;
use crate::platform::ids::{CouponId, MerchantId, Mode};

/// A coupon may have expired; the row decides whether it has.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Expire {
    pub merchant: MerchantId,
    pub mode: Mode,
    pub id: CouponId,
}

impl Job for Expire {
    const KIND: &'static str = "expire_coupon";
    const LANE: &'static str = WORK;
}

impl RunJob for Expire {
    /// Publishes a coupon's expiry, unless its date was moved or it was deleted meanwhile.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let Self { merchant, mode, id } = self;
        carry_out(app, job, merchant, mode, async move |tx, scope| {
            expire_if_due(tx, scope, id).await
        })
        .await
    }
}
