//! Sends a refund to its provider, and queries it until the provider reports the result.

use db::tx::Tx;
use queue::job::{Claimed, Job, again, backoff, finish};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::jobs::{Work, end};
use crate::merchants;
use crate::platform::error::Result;
use crate::platform::ids::{MerchantId, Mode, RefundId, Scope, TransactionId};
use crate::platform::lanes::PAYOUTS;
use crate::transactions::orders::{Learnt, Order, Way, carry_out, rail};
use crate::transactions::refunds::settle::learn;
use crate::transactions::refunds::{Refund, Status, store};
use crate::transactions::terms::Terms;
use crate::transactions::{charge, find};

/// Sends a refund to its provider.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SendRefund {
    pub merchant: MerchantId,
    pub mode: Mode,
    pub of: TransactionId,
    pub id: RefundId,
}

impl Job for SendRefund {
    const KIND: &'static str = "send_refund";
    const LANE: &'static str = PAYOUTS;
}

/// Schedules the call to the provider, once the unit is committed.
pub async fn push(tx: &Tx, scope: Scope, refund: &Refund) -> Result<()> {
    let (merchant, mode) = (scope.merchant, scope.mode);
    let job = SendRefund { merchant, mode, of: refund.transaction, id: refund.id };
    Ok(queue::job::push(tx, refund.id.0, scope.due(scope.now(tx)), &job).await?)
}

impl Work for SendRefund {
    const ABOUT: &'static [&'static str] = &["Transaction", "Refund"];

    /// Sends the order, or asks about it if it may have been sent before.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let wanted = self;
        let named = wanted.clone();
        let refund = app.read(async move |tx| Ok(look(tx, &named).await?.1)).await?;
        // Nothing is marked as sent before there is a provider to take it.
        let rail = rail(app, &refund.provider, &refund.way)?;
        let begun = app.transact(async move |tx| begin(tx, &wanted).await).await?;
        let Some(order) = begun else { return end(app, job).await };
        let heard = carry_out(app, &rail, &order).await?;
        let (scope, terms) = (order.scope, Terms::of(app));
        let kept = app.transact(async move |tx| {
            let learnt = match &heard {
                Some(heard) => {
                    learn(tx, scope, &terms, refund.transaction, refund.id, heard).await?
                }
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

async fn look(tx: &Tx, wanted: &SendRefund) -> Result<(Scope, Refund)> {
    let scope = merchants::scope(tx, wanted.merchant, wanted.mode).await?;
    Ok((scope, store::find(tx, scope, wanted.of, wanted.id).await?))
}

/// Stores that the order is about to be sent; a second attempt asks instead.
async fn begin(tx: &Tx, wanted: &SendRefund) -> Result<Option<Order>> {
    let (scope, refund) = look(tx, wanted).await?;
    let transaction = find(tx, scope, wanted.of).await?;
    if refund.status != Status::Pending {
        return Ok(None);
    }
    let first = store::mark_sent(tx, scope, &refund).await?;
    let charge = match &refund.way {
        Way::Pix => transaction.pix.and_then(|pix| pix.end_to_end_id),
        Way::Card => Some(charge::reference(transaction.id)),
        Way::Payout(_) => None,
    };
    Ok(Some(Order {
        scope,
        reference: Refund::reference(refund.id),
        charge,
        amount: refund.amount,
        description: Some(refund.reason),
        first,
        sent_at: refund.sent_at,
    }))
}
