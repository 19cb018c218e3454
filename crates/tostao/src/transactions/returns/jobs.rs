//! Sends a return to its provider, and queries it until the provider reports the result.

use db::tx::Tx;
use ledger::cents::Cents;
use queue::job::{Claimed, Job};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::jobs::RunJob;
use crate::platform::error::Result;
use crate::platform::ids::ReturnId;
use crate::platform::lanes::PAYOUTS;
use crate::platform::telemetry;
use crate::providers::Providers;
use crate::providers::orders::{NextStep, PaymentOrder, ProviderStatus, send_once};
use crate::transactions::refunds::Status;
use crate::transactions::returns::{Return, settle, store};
use crate::transactions::terms::PaymentTerms;

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
    let lane = new.method.lane(&new.provider);
    Ok(queue::job::push_in(tx, &lane, new.id.0, due, &SendReturn { id: new.id }).await?)
}

impl RunJob for SendReturn {
    const ABOUT: &'static [&'static str] = &["Return"];

    /// Sends the order, or asks about it if it may have been sent before.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let Self { id } = self;
        let (rails, terms) = (app.clone(), PaymentTerms::of(app));
        let begin = async move |tx: &Tx| begin(tx, &rails.providers, id).await;
        let apply =
            async move |tx: &Tx, status: &ProviderStatus| settle(tx, &terms, id, status).await;
        send_once(app, job, begin, apply, telemetry::refund_ended).await
    }
}

async fn begin(tx: &Tx, providers: &Providers, id: ReturnId) -> Result<NextStep> {
    let found = store::lock(tx, id).await?;
    if found.status != Status::Pending {
        return Ok(NextStep::End);
    }
    let first = store::mark_sent(tx, &found).await?;
    Ok(NextStep::Send(Box::new(PaymentOrder {
        scope: found.scope,
        reference: Return::reference(id),
        target: found.method.target(
            providers,
            &found.provider,
            Some(found.payment_id),
            // No card's money is returned.
            (Cents::ZERO, String::new()),
        )?,
        amount: found.amount,
        description: None,
        first,
        sent_at: found.sent_at,
    })))
}

impl Return {
    /// The reference at the provider; derived from the id, so that a retry never makes another
    /// return.
    fn reference(id: ReturnId) -> String {
        id.0.simple().to_string()
    }
}
