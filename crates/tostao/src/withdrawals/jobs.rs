//! Sends a claimed withdrawal to its bank, and queries it until the bank reports the result.

use db::tx::Tx;
use queue::job::{Claimed, Job};
use sandbox::SANDBOX;
use sandbox::payouts::DeliverSandboxPayoutCallback;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::books;
use crate::jobs::{RunJob, end};
use crate::merchants;
use crate::platform::error::Result;
use crate::platform::ids::{MerchantId, Mode, Scope, WithdrawalId};
use crate::platform::lanes::PAYOUTS;
use crate::platform::telemetry;
use crate::providers::Providers;
use crate::providers::callback::Callback;
use crate::providers::orders::{
    NextStep, OrderTarget, PaymentOrder, ProviderStatus, of_order, send_once,
};
use crate::withdrawals::callback_api::deliver;
use crate::withdrawals::settle::{lock_sent, settle};
use crate::withdrawals::status::Status;
use crate::withdrawals::terms::WithdrawalTerms;
use crate::withdrawals::{find, store};

/// Sends a withdrawal to its bank.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SendPayout {
    pub merchant: MerchantId,
    pub mode: Mode,
    pub id: WithdrawalId,
}

impl Job for SendPayout {
    const KIND: &'static str = "send_payout";
    const LANE: &'static str = PAYOUTS;
}

impl RunJob for SendPayout {
    const ABOUT: &'static [&'static str] = &["Withdrawal"];

    /// Sends the order, or asks about it if it may have been sent before.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let Self { merchant, mode, id } = self;
        let (rails, terms) = (app.clone(), WithdrawalTerms::of(app));
        let begin = async move |tx: &Tx| {
            let scope = merchants::scope(tx, merchant, mode).await?;
            begin(tx, &rails.providers, scope, id).await
        };
        let apply = async move |tx: &Tx, status: &ProviderStatus| {
            let (scope, withdrawal) = lock_sent(tx, id).await?;
            settle(tx, scope, &terms, &withdrawal, status).await
        };
        send_once(app, job, begin, apply, telemetry::withdrawal_ended).await
    }
}

impl RunJob for DeliverSandboxPayoutCallback {
    /// Delivers the sandbox bank's callback, through the endpoint that every bank uses.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let Self { reference } = self;
        // Development data may have been reset since.
        if let Some((headers, body)) = app.providers.sandbox_payouts().decide(&reference).await? {
            deliver(app, &Callback { provider: SANDBOX.into(), headers, body }).await?;
        }
        end(app, job).await
    }
}

async fn begin(tx: &Tx, providers: &Providers, scope: Scope, id: WithdrawalId) -> Result<NextStep> {
    if is_held_back(tx, scope, id).await? {
        // Until it is sent, an administrator may reject it.
        store::note_held_back(tx, scope, id).await?;
        return Ok(NextStep::Wait);
    }
    let first = store::mark_sent(tx, scope, id).await?;
    let withdrawal = find(tx, scope, id).await?;
    if withdrawal.status != Status::Pending {
        return Ok(NextStep::End);
    }
    let amount = withdrawal.net();
    let Some(order) = withdrawal.order else { return Ok(NextStep::End) };
    let bank = of_order(providers.payouts_named(&order.provider), &order.provider)?;
    Ok(NextStep::Send(Box::new(PaymentOrder {
        scope,
        reference: order.reference,
        target: OrderTarget::Payout(bank, withdrawal.key),
        amount,
        description: withdrawal.description,
        first,
        sent_at: withdrawal.sent_at,
    })))
}

/// Whether the account is in debt and the order was never sent; one that may have been sent is
/// asked about in any case.
async fn is_held_back(tx: &Tx, scope: Scope, id: WithdrawalId) -> Result<bool> {
    let withdrawal = find(tx, scope, id).await?;
    if withdrawal.status != Status::Pending || withdrawal.sent_at.is_some() {
        return Ok(false);
    }
    books::is_in_debt(tx, scope).await
}
