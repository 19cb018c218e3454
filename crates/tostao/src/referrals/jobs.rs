//! Background jobs of referrals: expiry, and the release of rewards.

use queue::job::{Claimed, Job, WORK};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::jobs::{RunJob, carry_out};
use crate::platform::error::Result;
use crate::platform::ids::{MerchantId, Mode, ReferralId, RewardId};
use crate::referrals::{self, rewards};

/// A referral may have expired; the row alone says whether it has.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Expire {
    pub merchant: MerchantId,
    pub mode: Mode,
    pub id: ReferralId,
}

/// A reward's holding period ended.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Release {
    pub merchant: MerchantId,
    pub mode: Mode,
    pub id: RewardId,
}

impl Job for Expire {
    const KIND: &'static str = "expire_referral";
    const LANE: &'static str = WORK;
}

impl Job for Release {
    const KIND: &'static str = "release_reward";
    const LANE: &'static str = WORK;
}

impl RunJob for Expire {
    /// Expires a referral whose goal was not reached in time.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let Self { merchant, mode, id } = self;
        carry_out(app, job, merchant, mode, async move |tx, scope| {
            referrals::expire(tx, scope, id).await
        })
        .await
    }
}

impl RunJob for Release {
    /// Releases a reward to its referrer, unless it was taken back.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let Self { merchant, mode, id } = self;
        carry_out(app, job, merchant, mode, async move |tx, scope| {
            rewards::release(tx, scope, id).await
        })
        .await
    }
}
