//! What happens to coupons by themselves: they expire.

use queue::job::{Claimed, Job};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::coupons::expire_if_due;
use crate::error::Result;
use crate::ids::{CouponId, MerchantId, Mode};
use crate::jobs::{WORK, carry_out};

/// A coupon's time may be over; the row alone says whether it is.
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

/// Tells of a coupon's end, unless its date was moved or the coupon was deleted meanwhile.
pub async fn expire(app: &App, job: Claimed) -> Result<()> {
    let Expire { merchant, mode, id } = job.read()?;
    carry_out(app, job, merchant, mode, async move |tx, scope| expire_if_due(tx, scope, id).await)
        .await
}
