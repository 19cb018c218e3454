//! Background jobs of payments: expiry, late sandbox confirmations, and unresolved charges.

use std::time::Duration;

use db::time::Timestamp;
use ledger::cents::Cents;
use queue::job::{Claimed, Job, finish};
use rails::card::ChargeResult;
use rails::provider::ARRIVES_WITHIN;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::jobs::{RunJob, carry_out, end};
use crate::merchants;
use crate::platform::error::Result;
use crate::platform::ids::{MerchantId, Mode, Scope, TransactionId};
use crate::platform::lanes::WORK;
use crate::transactions::charge::{push_job, reference, settle};
use crate::transactions::close::{expire_if_overdue, fail};
use crate::transactions::find;
use crate::transactions::simulate::call;
use crate::transactions::status::Status;
use crate::transactions::terms::PaymentTerms;

const ASKED_AGAIN_AFTER: Duration = Duration::from_mins(1);
/// Failure reason of a charge that the acquirer does not know.
pub const NEVER_ARRIVED: &str = "never_arrived";

/// Expires an overdue payment.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Expire {
    pub merchant: MerchantId,
    pub mode: Mode,
    pub id: TransactionId,
}

/// Delivers the sandbox bank's confirmation of a simulated payment.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DeliverSandboxConfirmation {
    pub payment: SimulatedPayment,
}

/// A simulated payment.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum SimulatedPayment {
    Pix {
        txid: String,
        end_to_end_id: String,
        amount: Cents,
        paid_at: Timestamp,
    },
    // Jobs of earlier releases have its former name.
    #[serde(alias = "Slip")]
    Boleto {
        our_number: String,
        payment_id: String,
        amount: Cents,
        paid_at: Timestamp,
    },
}

/// Asks the acquirer for the outcome of a card charge.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ResolveCharge {
    pub merchant: MerchantId,
    pub mode: Mode,
    pub id: TransactionId,
    /// When the charge was about to be sent, by the machine's clock; absent in a job pushed by an
    /// older version.
    #[serde(default)]
    pub sent_at: Option<Timestamp>,
}

/// The reconciled outcome of a charge.
enum Reconciled {
    Verdict(ChargeResult),
    NeverArrived,
}

impl Job for ResolveCharge {
    const KIND: &'static str = "resolve_charge";
    const LANE: &'static str = WORK;
}

impl Job for Expire {
    const KIND: &'static str = "expire_transaction";
    const LANE: &'static str = WORK;
}

impl Job for DeliverSandboxConfirmation {
    const KIND: &'static str = "sandbox_bank_calls";
    const LANE: &'static str = WORK;
}

impl RunJob for Expire {
    const ABOUT: &'static [&'static str] = &["Transaction"];

    /// Expires an unpaid payment.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let Self { merchant, mode, id } = self;
        let terms = PaymentTerms::of(app);
        carry_out(app, job, merchant, mode, async move |tx, scope| {
            let transaction = find(tx, scope, id).await?;
            expire_if_overdue(tx, scope, &terms, transaction).await?;
            Ok(())
        })
        .await
    }
}

impl RunJob for DeliverSandboxConfirmation {
    /// Delivers the sandbox bank's callback, through the endpoint that every bank uses.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let Self { payment } = self;
        call(app, &payment).await?;
        end(app, job).await
    }
}

impl RunJob for ResolveCharge {
    const ABOUT: &'static [&'static str] = &["Transaction"];

    /// Asks the acquirer for the outcome of a charge, and asks again while it is undecided.
    ///
    /// A charge that the acquirer does not know is given up only when it can no longer arrive.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let mut wanted = self;
        let sent_at = *wanted.sent_at.get_or_insert(app.now());
        let ResolveCharge { merchant, mode, id, .. } = wanted;
        let found = app.read(async move |tx| {
            let scope = merchants::scope(tx, merchant, mode).await?;
            Ok((scope, find(tx, scope, id).await?))
        });
        let (scope, transaction) = found.await?;
        let verdict = match transaction.status {
            Status::Processing => ask(app, scope, id, sent_at).await,
            _ => None,
        };
        let (terms, waits) = (PaymentTerms::of(app), transaction.status == Status::Processing);
        app.transact(async move |tx| {
            match &verdict {
                Some(Reconciled::Verdict(verdict)) => {
                    settle(tx, scope, &terms, id, verdict).await?;
                }
                Some(Reconciled::NeverArrived) => {
                    let before = find(tx, scope, id).await?;
                    fail(tx, scope, &terms, before, None, NEVER_ARRIVED).await?;
                }
                None if waits => push_job(tx, scope, &wanted, ASKED_AGAIN_AFTER).await?,
                None => {}
            }
            finish(tx, &job).await?;
            Ok(())
        })
        .await
    }
}

/// The acquirer's state of a charge; `None` while nothing is certain.
async fn ask(app: &App, scope: Scope, id: TransactionId, sent_at: Timestamp) -> Option<Reconciled> {
    let provider = app.providers.card(scope.mode).ok()?;
    match provider.find(&reference(id)).await {
        Ok(Some(ChargeResult::Processing)) => None,
        Ok(Some(verdict)) => Some(Reconciled::Verdict(verdict)),
        Ok(None) => {
            (app.now().since(sent_at) >= ARRIVES_WITHIN).then_some(Reconciled::NeverArrived)
        }
        Err(error) => {
            tracing::warn!(transaction = %id, "{error}");
            None
        }
    }
}
