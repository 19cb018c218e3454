//! Background jobs of commissions: release on the due date, and retry for merchants who owed.

use queue::job::{Claimed, Job, WORK, again, finish};
use serde::{Deserialize, Serialize};

use crate::affiliates::commissions::release::{payable, release, retry_tomorrow};
use crate::app::App;
use crate::jobs::{RunJob, carry_out};
use crate::merchants;
use crate::platform::error::Result;
use crate::platform::ids::{CommissionId, MerchantId, Mode};

/// Releases a commission to its affiliate, unless part of it is held.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Release {
    /// The merchant, by whose clock it is due.
    pub merchant: MerchantId,
    pub mode: Mode,
    pub id: CommissionId,
}

impl Job for Release {
    const KIND: &'static str = "release_commission";
    const LANE: &'static str = WORK;
}

/// Retries the release of all commissions that wait for a merchant in debt.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ReleaseWaiting {
    pub merchant: MerchantId,
    pub mode: Mode,
}

impl Job for ReleaseWaiting {
    const KIND: &'static str = "release_waiting_commissions";
    const LANE: &'static str = WORK;
}

impl RunJob for Release {
    /// Releases a due commission; the row alone says whether it may be.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let Self { merchant, mode, id } = self;
        carry_out(app, job, merchant, mode, async move |tx, scope| release(tx, scope, id).await)
            .await
    }
}

impl RunJob for ReleaseWaiting {
    /// Releases what the merchant can pay now, each commission in a unit of its own, and continues
    /// while there is more; the rest waits for the next day.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let Self { merchant, mode } = self;
        let found = app.read(async move |tx| {
            let scope = merchants::scope(tx, merchant, mode).await?;
            Ok((scope, payable(tx, scope).await?))
        });
        let (scope, found) = found.await?;
        let more = !found.is_empty();
        for id in found {
            app.transact(async move |tx| release(tx, scope, id).await).await?;
        }
        app.transact(async move |tx| {
            if more {
                again(tx, &job, tx.now()).await?;
            } else {
                retry_tomorrow(tx, scope).await?;
                finish(tx, &job).await?;
            }
            Ok(())
        })
        .await
    }
}
