//! The job that carries a recovery on, a part at a time.

use std::time::Duration;

use db::database::in_background;
use db::tx::Tx;
use queue::job::{Claimed, Job, WORK, again, finish};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::jobs::RunJob;
use crate::merchants;
use crate::platform::error::Result;
use crate::platform::ids::{MerchantId, Mode, RecoveryId, WebhookId};
use crate::webhooks::recovery::{Turn, stop, turn};

/// When a recovery looks again whether its last part was attempted.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// A recovery goes on.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Recover {
    pub merchant: MerchantId,
    pub mode: Mode,
    pub webhook: WebhookId,
    pub recovery: RecoveryId,
}

impl Job for Recover {
    const KIND: &'static str = "recover_webhook";
    const LANE: &'static str = WORK;
}

impl RunJob for Recover {
    /// Sends the next part again.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let due = self;
        let look = async move |tx: &Tx| {
            let scope = merchants::scope(tx, due.merchant, due.mode).await?;
            Ok((scope, turn(tx, scope, &due).await?))
        };
        let (scope, turn) = app.scan_for(due.merchant, look).await?;
        let unit = app.transact(async move |tx| {
            let is_held = match &turn {
                Turn::Part(part) if !part.is_last() => again(tx, &job, tx.now()).await?,
                Turn::Wait => again(tx, &job, tx.now().plus(LOOK_AGAIN)).await?,
                _ => finish(tx, &job).await?,
            };
            match &turn {
                Turn::Part(part) if is_held => part.send(tx, scope).await,
                Turn::Stop(recovery) if is_held => stop(tx, scope, recovery).await,
                _ => Ok(()),
            }
        });
        in_background(unit).await
    }
}
