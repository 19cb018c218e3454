//! Sending a return to its provider, and asking about it until the provider has said how it ended.

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

/// A return is on its way to its provider.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SendReturn {
    pub id: ReturnId,
}

impl Job for SendReturn {
    const KIND: &'static str = "send_return";
    const LANE: &'static str = PAYOUTS;
}

/// Has the provider asked, once the unit is kept.
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
        // Nothing has left before somebody is there to take it.
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

/// Keeps that the order is about to leave; who comes second asks.
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
    /// The name by which a provider will know it; it follows from the id, so that asking again
    /// never makes another one.
    fn reference(id: ReturnId) -> String {
        id.0.simple().to_string()
    }
}
