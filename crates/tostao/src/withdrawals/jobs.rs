//! Sends a claimed withdrawal to its bank, and queries it until the bank reports the result.
//!
//! That an order is about to be sent is stored first, in a unit of its own; a later attempt that
//! finds this (a second worker, or the first one after a crash) cannot know whether the order
//! arrived, so it asks. An order is sent again only if the bank does not know it, and only to a
//! bank that treats the same reference as the same order. The bank is called outside of units, and
//! its reply is stored in one.

use std::time::Duration;

use db::time::Timestamp;
use db::tx::Tx;
use queue::job::{Claimed, Job, again, backoff, finish};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::jobs::{Work, end};
use crate::merchants;
use crate::platform::error::{Error, Result};
use crate::platform::ids::{MerchantId, Mode, Scope, WithdrawalId};
use crate::platform::lanes::PAYOUTS;
use crate::providers::ProviderError;
use crate::providers::payout::{PayoutOrder, PayoutProvider, PayoutState, find_or_send};
use crate::providers::sandbox_payouts::BankCalls;
use crate::withdrawals::callback_api::deliver;
use crate::withdrawals::settle::{Learnt, learn, learn_of_nothing};
use crate::withdrawals::status::Status;
use crate::withdrawals::terms::Terms;
use crate::withdrawals::{OrderName, find, store};

/// Sends a withdrawal to its bank.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SendPayout {
    pub merchant: MerchantId,
    pub mode: Mode,
    pub id: WithdrawalId,
}

/// The next step of a withdrawal.
enum Step {
    Send(Box<PayoutOrder>),
    /// It may have been sent before, this long ago.
    Ask(Box<PayoutOrder>, Duration),
    /// It has ended.
    Nothing,
}

/// The bank's reply; `None` means that it does not know the order.
type Said = std::result::Result<Option<PayoutState>, ProviderError>;

impl Job for SendPayout {
    const KIND: &'static str = "send_payout";
    const LANE: &'static str = PAYOUTS;
}

impl Work for SendPayout {
    const ABOUT: &'static [&'static str] = &["Withdrawal"];

    /// Sends the order, or asks about it if it may have been sent before.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let Self { merchant, mode, id } = self;
        let order = app.read(async move |tx| order_name(tx, merchant, mode, id).await).await?;
        let Some(order) = order else { return end(app, job).await };
        let provider = app.providers.payouts_named(&order.provider).ok_or_else(|| {
            Error::Unavailable(format!("the payout provider {} is not configured", order.provider))
        })?;
        let step = app.transact(async move |tx| begin(tx, merchant, mode, id).await).await?;
        let Some(said) = call(provider.as_ref(), step).await else { return end(app, job).await };
        let terms = Terms::of(app);
        let kept = app.transact(async move |tx| {
            let scope = merchants::scope(tx, merchant, mode).await?;
            let learnt = record(tx, scope, &terms, id, &said).await?;
            match learnt {
                Learnt::Waits => again(tx, &job, next_question(tx, &job)).await?,
                _ => finish(tx, &job).await?,
            };
            Ok(learnt)
        });
        kept.await?.count();
        Ok(())
    }
}

impl Work for BankCalls {
    const ABOUT: &'static [&'static str] = &["Payout"];

    /// Delivers the sandbox bank's callback, through the endpoint that every bank uses.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let Self { reference } = self;
        let (headers, body) = app.providers.sandbox_payouts().decide(&reference).await?;
        deliver(app, "sandbox", &headers, &body).await?;
        end(app, job).await
    }
}

async fn order_name(
    tx: &Tx,
    merchant: MerchantId,
    mode: Mode,
    id: WithdrawalId,
) -> Result<Option<OrderName>> {
    let scope = merchants::scope(tx, merchant, mode).await?;
    let withdrawal = find(tx, scope, id).await?;
    Ok(withdrawal.order.filter(|_| withdrawal.status == Status::Pending))
}

/// Stores that the order is about to be sent; a second attempt asks instead.
async fn begin(tx: &Tx, merchant: MerchantId, mode: Mode, id: WithdrawalId) -> Result<Step> {
    let scope = merchants::scope(tx, merchant, mode).await?;
    let first = store::mark_sent(tx, scope, id).await?;
    let withdrawal = find(tx, scope, id).await?;
    let Some(order) = withdrawal.order.clone() else { return Ok(Step::Nothing) };
    if withdrawal.status != Status::Pending {
        return Ok(Step::Nothing);
    }
    let age = withdrawal.sent_at.map(|sent_at| scope.now(tx).since(sent_at));
    let order = Box::new(PayoutOrder {
        scope,
        reference: order.reference,
        amount: withdrawal.net(),
        key: withdrawal.key,
        description: withdrawal.description,
    });
    Ok(if first { Step::Send(order) } else { Step::Ask(order, age.unwrap_or_default()) })
}

async fn call(provider: &dyn PayoutProvider, step: Step) -> Option<Said> {
    match step {
        Step::Send(order) => Some(provider.send(&order).await.map(Some)),
        Step::Ask(order, age) => Some(find_or_send(provider, &order, age).await),
        Step::Nothing => None,
    }
}

async fn record(
    tx: &Tx,
    scope: Scope,
    terms: &Terms,
    id: WithdrawalId,
    said: &Said,
) -> Result<Learnt> {
    match said {
        Ok(Some(state)) => learn(tx, scope, terms, find(tx, scope, id).await?, state).await,
        Ok(None) => learn_of_nothing(tx, scope, terms, find(tx, scope, id).await?).await,
        Err(error) => {
            tracing::warn!(withdrawal = %id, %error, "nobody knows how a payout stands; asking on");
            Ok(Learnt::Waits)
        }
    }
}

fn next_question(tx: &Tx, job: &Claimed) -> Timestamp {
    tx.now().plus(backoff(job.attempt))
}
