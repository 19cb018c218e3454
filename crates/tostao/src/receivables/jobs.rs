//! A receivable's day comes.

use queue::job::{Claimed, Job, finish};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::books;
use crate::books::movements::Movement;
use crate::error::Result;
use crate::ids::{MerchantId, Mode, TransactionId};
use crate::jobs::WORK;
use crate::merchants;
use crate::receivables::store;

/// Why the balance changed, as `balance.updated` says it.
const SETTLED: &str = "receivable.settled";

/// A part of a payment becomes the merchant's to withdraw.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Settle {
    pub merchant: MerchantId,
    pub mode: Mode,
    pub of: TransactionId,
    pub installment: i64,
}

impl Job for Settle {
    const KIND: &'static str = "settle_receivable";
    const LANE: &'static str = WORK;
}

/// Settles a part whose day has come; a part that was taken whole brings nothing.
pub async fn settle(app: &App, job: Claimed) -> Result<()> {
    let Settle { merchant, mode, of, installment } = job.read()?;
    app.transact_later(async move |tx| {
        let scope = merchants::scope(tx, merchant, mode).await?;
        if let Some(settled) = store::settle(tx, scope, of, installment).await? {
            let (of, net) = (settled.id, settled.net());
            books::record(tx, Movement::ReceivableSettled { of, scope, net }).await?;
            if !net.is_zero() {
                books::tell(tx, scope, SETTLED).await?;
            }
        }
        finish(tx, &job).await?;
        Ok(())
    })
    .await
}
