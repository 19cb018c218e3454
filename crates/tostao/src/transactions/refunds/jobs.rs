//! Sends a refund to its provider, and queries it until the provider reports the result.

use db::tx::Tx;
use queue::job::{Claimed, Job};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::jobs::{RunJob, end_or_retry};
use crate::merchants;
use crate::platform::error::Result;
use crate::platform::ids::{MerchantId, Mode, RefundId, Scope, TransactionId};
use crate::platform::lanes::PAYOUTS;
use crate::platform::telemetry;
use crate::providers::Providers;
use crate::providers::orders::{PaymentOrder, ProviderStatus, send_once};
use crate::transactions::refunds::method::RefundMethod;
use crate::transactions::refunds::settle::settle;
use crate::transactions::refunds::{Refund, Status, store};
use crate::transactions::terms::PaymentTerms;
use crate::transactions::{charge, find, lock};

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
    let lane = refund.method.lane(&refund.provider);
    Ok(queue::job::push_in(tx, &lane, refund.id.0, scope.due(scope.now(tx)), &job).await?)
}

impl RunJob for SendRefund {
    const ABOUT: &'static [&'static str] = &["Transaction", "Refund"];

    /// Sends the order, or asks about it if it may have been sent before.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let Self { merchant, mode, of, id } = self;
        let turn = app.transact(async move |tx| {
            let scope = merchants::scope(tx, merchant, mode).await?;
            take_turn(tx, scope, of, id).await
        });
        if !turn.await? {
            return end_or_retry(app, job, false).await;
        }
        let (rails, terms) = (app.clone(), PaymentTerms::of(app));
        let begin = async move |tx: &Tx| {
            let scope = merchants::scope(tx, merchant, mode).await?;
            begin(tx, &rails.providers, scope, of, id).await
        };
        let apply = async move |tx: &Tx, status: &ProviderStatus| {
            let scope = merchants::scope(tx, merchant, mode).await?;
            settle(tx, scope, &terms, of, id, status).await
        };
        send_once(app, job, begin, apply, telemetry::refund_ended).await
    }
}

/// Gives a refund of a card's charge its turn: an acquirer may know no more than a total, which
/// shows one refund's arrival only while no other is under way. Returns whether it has it; every
/// other refund always has.
async fn take_turn(tx: &Tx, scope: Scope, of: TransactionId, id: RefundId) -> Result<bool> {
    let refund = store::find(tx, scope, of, id).await?;
    if refund.method != RefundMethod::Card || refund.status != Status::Pending {
        return Ok(true);
    }
    lock(tx, scope, of).await?;
    let transaction = find(tx, scope, of).await?;
    store::take_turn(tx, scope, &refund, transaction.refunded).await
}

async fn begin(
    tx: &Tx,
    providers: &Providers,
    scope: Scope,
    of: TransactionId,
    id: RefundId,
) -> Result<Option<PaymentOrder>> {
    let refund = store::find(tx, scope, of, id).await?;
    let transaction = find(tx, scope, of).await?;
    if refund.status != Status::Pending {
        return Ok(None);
    }
    let first = store::mark_sent(tx, scope, &refund).await?;
    let refunded = refund.refunded_before.unwrap_or(transaction.refunded);
    let payment = match &refund.method {
        RefundMethod::Pix => transaction.pix.and_then(|pix| pix.end_to_end_id),
        RefundMethod::Card => Some(charge::reference(transaction.id)),
        RefundMethod::Payout(_) => None,
    };
    Ok(Some(PaymentOrder {
        scope,
        reference: Refund::reference(id),
        target: refund.method.target(providers, &refund.provider, (payment, refunded))?,
        amount: refund.amount,
        description: Some(refund.reason),
        first,
        sent_at: refund.sent_at,
    }))
}
