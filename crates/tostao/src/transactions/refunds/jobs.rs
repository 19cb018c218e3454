//! Sends a refund to its provider, and queries it until the provider reports the result.
//!
//! An acquirer may know no more of a charge's refunds than their total. It shows one refund's
//! arrival only while no other is under way, so the refunds of a charge take turns, and each begins
//! with the total that the acquirer then has: a refund in the acquirer's own dashboard moves it,
//! too. A refund that certainly was not sent gives its turn back.

use db::tx::Tx;
use ledger::cents::Cents;
use queue::job::{Claimed, Job};
use rails::error::ProviderError;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::jobs::{RunJob, retry};
use crate::merchants;
use crate::platform::error::Result;
use crate::platform::ids::{MerchantId, Mode, RefundId, Scope, TransactionId};
use crate::platform::lanes::PAYOUTS;
use crate::platform::telemetry;
use crate::providers::Providers;
use crate::providers::orders::{NextStep, PaymentOrder, ProviderStatus, of_order, send_once};
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
    /// Whether it is of a card, whose acquirer may have to be asked for a total first; a job of an
    /// older version does not say so.
    #[serde(default = "perhaps")]
    pub of_card: bool,
}

/// What an acquirer has refunded of a charge.
#[derive(Debug, Clone, Copy)]
struct Total {
    theirs: Cents,
    /// What was refunded here when it was asked: with another amount, theirs is out of date.
    ours: Cents,
}

const fn perhaps() -> bool {
    true
}

impl Job for SendRefund {
    const KIND: &'static str = "send_refund";
    const LANE: &'static str = PAYOUTS;
}

/// Schedules the call to the provider, once the unit is committed.
pub async fn push(tx: &Tx, scope: Scope, refund: &Refund) -> Result<()> {
    let (merchant, mode) = (scope.merchant, scope.mode);
    let of_card = refund.method == RefundMethod::Card;
    let job = SendRefund { merchant, mode, of: refund.transaction, id: refund.id, of_card };
    let lane = refund.method.lane(&refund.provider);
    Ok(queue::job::push_in(tx, &lane, refund.id.0, scope.due(scope.now(tx)), &job).await?)
}

impl RunJob for SendRefund {
    const ABOUT: &'static [&'static str] = &["Transaction", "Refund"];

    /// Sends the order, or asks about it if it may have been sent before.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let total = match self.total(app).await? {
            Ok(total) => total,
            Err(error) => {
                tracing::warn!(refund = %self.id, %error, "a charge's total cannot be asked for");
                return retry(app, job, error.retry_after().unwrap_or_default()).await;
            }
        };
        let Self { merchant, mode, of, id, .. } = self;
        let (rails, terms) = (app.clone(), PaymentTerms::of(app));
        let begin = async move |tx: &Tx| {
            let scope = merchants::scope(tx, merchant, mode).await?;
            begin(tx, &rails.providers, scope, (of, id), total).await
        };
        let apply = async move |tx: &Tx, status: &ProviderStatus| {
            let scope = merchants::scope(tx, merchant, mode).await?;
            settle(tx, scope, &terms, of, id, status).await
        };
        send_once(app, job, begin, apply, telemetry::refund_ended).await
    }
}

impl SendRefund {
    /// The total of the charge, where the refund has no turn yet and its acquirer knows totals
    /// only.
    async fn total(&self, app: &App) -> Result<Result<Option<Total>, ProviderError>> {
        if !self.of_card {
            return Ok(Ok(None));
        }
        let Self { merchant, mode, of, id, .. } = *self;
        let found = app.read(async move |tx| {
            let scope = merchants::scope(tx, merchant, mode).await?;
            Ok((store::find(tx, scope, of, id).await?, find(tx, scope, of).await?.refunded))
        });
        let (refund, ours) = found.await?;
        let is_card = refund.method == RefundMethod::Card;
        if !is_card || refund.status != Status::Pending || refund.refunded_before.is_some() {
            return Ok(Ok(None));
        }
        let acquirer = of_order(app.providers.card_named(&refund.provider), &refund.provider)?;
        let theirs = acquirer.refunded_total(&charge::reference(of)).await;
        Ok(theirs.map(|total| total.map(|theirs| Total { theirs, ours })))
    }
}

async fn begin(
    tx: &Tx,
    providers: &Providers,
    scope: Scope,
    (of, id): (TransactionId, RefundId),
    total: Option<Total>,
) -> Result<NextStep> {
    let refund = store::find(tx, scope, of, id).await?;
    if refund.status != Status::Pending {
        return Ok(NextStep::End);
    }
    let refunded_before = match refund.method {
        RefundMethod::Card => match take_turn(tx, scope, &refund, total).await? {
            Some(before) => before,
            None => return Ok(NextStep::Wait),
        },
        RefundMethod::Pix | RefundMethod::Payout(_) => Cents::ZERO,
    };
    let first = store::mark_sent(tx, scope, &refund).await?;
    // An administrator may have resolved it since it was read.
    if !first
        && refund.sent_at.is_none()
        && store::find(tx, scope, of, id).await?.status != Status::Pending
    {
        return Ok(NextStep::End);
    }
    let payment = match &refund.method {
        RefundMethod::Pix => find(tx, scope, of).await?.pix.and_then(|pix| pix.end_to_end_id),
        RefundMethod::Card => Some(charge::reference(of)),
        RefundMethod::Payout(_) => None,
    };
    let reference = Refund::reference(id);
    // A refund that was given back its turn is sent at another time.
    let began_at = refund.sent_at.unwrap_or_else(|| scope.now(tx));
    let attempt = format!("{reference}-{}", began_at.micros());
    let provider = &refund.provider;
    Ok(NextStep::Send(Box::new(PaymentOrder {
        scope,
        reference,
        target: refund.method.target(providers, provider, payment, (refunded_before, attempt))?,
        amount: refund.amount,
        description: Some(refund.reason),
        first,
        sent_at: refund.sent_at,
    })))
}

/// Gives a refund of a card its turn, unless it has it; returns what was refunded of the charge
/// before, or `None` while it is not its turn.
async fn take_turn(
    tx: &Tx,
    scope: Scope,
    refund: &Refund,
    total: Option<Total>,
) -> Result<Option<Cents>> {
    if refund.refunded_before.is_some() {
        return Ok(refund.refunded_before);
    }
    let ours = find(tx, scope, refund.transaction).await?.refunded;
    // An acquirer that knows each refund by its reference needs no turns.
    let Some(total) = total else { return Ok(Some(ours)) };
    lock(tx, scope, refund.transaction).await?;
    if find(tx, scope, refund.transaction).await?.refunded != total.ours {
        return Ok(None);
    }
    let is_its_turn = store::take_turn(tx, scope, refund, total.theirs).await?;
    Ok(is_its_turn.then_some(total.theirs))
}
