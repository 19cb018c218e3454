//! Sends a return to its provider, and queries it until the provider reports the result.

use db::tx::Tx;
use queue::job::{Claimed, Job, again, backoff, finish};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::jobs::{Work, end};
use crate::platform::error::Result;
use crate::platform::ids::ReturnId;
use crate::platform::lanes::PAYOUTS;
use crate::transactions::orders::{Learnt, Order, carry_out, rail};
use crate::transactions::refunds::Status;
use crate::transactions::returns::{Return, learn, store};
use crate::transactions::terms::Terms;

/// Sends a return to its provider.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SendReturn {
    pub id: ReturnId,
}

impl Job for SendReturn {
    const KIND: &'static str = "send_return";
    const LANE: &'static str = PAYOUTS;
}

/// Schedules the call to the provider, once the unit is committed.
pub async fn push(tx: &Tx, new: &Return) -> Result<()> {
    let due = new.scope.due(new.created_at);
    Ok(queue::job::push(tx, new.id.0, due, &SendReturn { id: new.id }).await?)
}

impl Work for SendReturn {
    const ABOUT: &'static [&'static str] = &["Return"];

    /// Sends the order, or asks about it if it may have been sent before.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let Self { id } = self;
        let found = app.read(async move |tx| store::find(tx, id).await).await?;
        // Nothing is marked as sent before there is a provider to take it.
        let rail = rail(app, &found.provider, &found.way)?;
        let begun = app.transact(async move |tx| begin(tx, id).await).await?;
        let Some(order) = begun else { return end(app, job).await };
        let heard = carry_out(app, &rail, &order).await?;
        let terms = Terms::of(app);
        let kept = app.transact(async move |tx| {
            let learnt = match &heard {
                Some(heard) => learn(tx, &terms, id, heard).await?,
                None => Learnt::Waits,
            };
            if learnt == Learnt::Waits {
                again(tx, &job, tx.now().plus(backoff(job.attempt))).await?;
            } else {
                finish(tx, &job).await?;
            }
            Ok(learnt)
        });
        kept.await?.count();
        Ok(())
    }
}

/// Stores that the order is about to be sent; a second attempt asks instead.
async fn begin(tx: &Tx, id: ReturnId) -> Result<Option<Order>> {
    let found = store::take(tx, id).await?;
    if found.status != Status::Pending {
        return Ok(None);
    }
    let first = store::mark_sent(tx, &found).await?;
    Ok(Some(Order {
        scope: found.scope,
        reference: Return::reference(id),
        charge: Some(found.payment_id),
        amount: found.amount,
        description: None,
        first,
        sent_at: found.sent_at,
    }))
}

impl Return {
    /// The reference at the provider; derived from the id, so that a retry never makes another
    /// return.
    fn reference(id: ReturnId) -> String {
        id.0.simple().to_string()
    }
}
