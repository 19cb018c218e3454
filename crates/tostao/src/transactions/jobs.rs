//! What happens to payments by themselves: they expire, and the sandbox bank calls late.

use db::time::Timestamp;
use ledger::cents::Cents;
use queue::job::{Claimed, Job, finish};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::error::Result;
use crate::ids::{MerchantId, Mode, TransactionId};
use crate::jobs::WORK;
use crate::merchants;
use crate::providers::pix::PixReceipt;
use crate::transactions::callback_api::deliver;
use crate::transactions::close::expire_if_overdue;
use crate::transactions::find;

/// A payment's time is over.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Expire {
    pub merchant: MerchantId,
    pub mode: Mode,
    pub id: TransactionId,
}

/// The sandbox bank confirms a simulated payment.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BankCalls {
    pub txid: String,
    pub end_to_end_id: String,
    pub amount: Cents,
    pub paid_at: Timestamp,
}

impl Job for Expire {
    const KIND: &'static str = "expire_transaction";
    const LANE: &'static str = WORK;
}

impl Job for BankCalls {
    const KIND: &'static str = "sandbox_bank_calls";
    const LANE: &'static str = WORK;
}

/// Expires a payment that nobody paid.
pub async fn expire(app: &App, job: Claimed) -> Result<()> {
    let Expire { merchant, mode, id } = job.read()?;
    let terms = app.terms.clone();
    app.transact_later(async move |tx| {
        let scope = merchants::scope(tx, merchant, mode).await?;
        let transaction = find(tx, scope, id).await?;
        expire_if_overdue(tx, scope, &terms, transaction).await?;
        finish(tx, &job).await?;
        Ok(())
    })
    .await
}

/// Lets the sandbox bank call, through the door that every bank uses.
pub async fn bank_calls(app: &App, job: Claimed) -> Result<()> {
    let BankCalls { txid, end_to_end_id, amount, paid_at } = job.read()?;
    let receipt = PixReceipt { txid, end_to_end_id, amount, paid_at };
    let (headers, body) = app.providers.sandbox().confirmation(&[receipt]);
    deliver(app, "sandbox", &headers, &body).await?;
    app.transact_later(async move |tx| Ok(finish(tx, &job).await?)).await.map(|_| ())
}
