//! Background jobs of payments: expiry, late sandbox confirmations, and unresolved charges.

use std::sync::Arc;
use std::time::Duration;

use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;
use queue::job::{Claimed, Job, WORK, finish, push_in};
use rails::card::ChargeResult;
use rails::error::ProviderError;
use rails::provider::ARRIVES_WITHIN;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::jobs::{RunJob, Try, carry_out, end, end_or_retry};
use crate::merchants;
use crate::platform::error::Result;
use crate::platform::ids::{MerchantId, Mode, Scope, TransactionId};
use crate::platform::lanes::{CONNECTIONS, of_connection};
use crate::transactions::boletos;
use crate::transactions::callback_api::receive_payment;
use crate::transactions::charge::{push_job, reference, settle};
use crate::transactions::close::{expire, expire_if_overdue, fail};
use crate::transactions::failure::FailureReason;
use crate::transactions::incoming_payment::IncomingPayment;
use crate::transactions::receive::ChargeReference;
use crate::transactions::simulate::call;
use crate::transactions::status::Status;
use crate::transactions::terms::PaymentTerms;
use crate::transactions::{Transaction, find};

const ASKED_AGAIN_AFTER: Duration = Duration::from_mins(1);
/// How soon a charge that an administrator decides on is asked about again.
const ASKED_DAILY_AFTER: Duration = Duration::from_hours(24);
/// How long after its deadline a payment's bank is asked whether it was paid.
const ASKED_BEFORE_EXPIRY_FOR: Duration = Duration::from_hours(24);
/// After so many tries a charge is left open at its bank, where it expires by itself.
const CLOSING_TRIES_MAX: i64 = 24;
/// Failure reason of a charge that the acquirer does not know.
pub const NEVER_ARRIVED: &str = FailureReason::NeverArrived.name();

/// Expires an overdue payment.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Expire {
    pub merchant: MerchantId,
    pub mode: Mode,
    pub id: TransactionId,
}

/// Asks the bank of an overdue payment of real money whether it was paid, and expires it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AskAndExpire {
    pub merchant: MerchantId,
    pub id: TransactionId,
}

/// Has a bank close a charge that will not be paid.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CloseAtBank {
    pub merchant: MerchantId,
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
    /// An administrator decides, or the acquirer changes it.
    CapturedOtherwise,
}

impl Job for ResolveCharge {
    const KIND: &'static str = "resolve_charge";
    const LANE: &'static str = WORK;
}

impl Job for AskAndExpire {
    const KIND: &'static str = "ask_and_expire_transaction";
    const LANE: &'static str = CONNECTIONS;
}

impl Job for CloseAtBank {
    const KIND: &'static str = "close_charge_at_bank";
    const LANE: &'static str = CONNECTIONS;
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

    /// Expires an unpaid payment; the bank of real money is asked first, in its own lane.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let Self { merchant, mode, id } = self;
        let terms = PaymentTerms::of(app);
        carry_out(app, job, merchant, mode, async move |tx, scope| {
            let transaction = find(tx, scope, id).await?;
            if mode.is_development() {
                expire_if_overdue(tx, scope, &terms, transaction).await?;
                return Ok(());
            }
            let (lane, due) = (of_connection(&transaction.provider), scope.due(scope.now(tx)));
            Ok(push_in(tx, &lane, id.0, due, &AskAndExpire { merchant, id }).await?)
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
            Status::Processing => ask(app, &transaction, sent_at).await,
            _ => None,
        };
        let (terms, waits) = (PaymentTerms::of(app), transaction.status == Status::Processing);
        let provider = transaction.provider;
        app.transact(async move |tx| {
            match &verdict {
                Some(Reconciled::Verdict(verdict)) => {
                    settle(tx, scope, &terms, id, verdict).await?;
                }
                Some(Reconciled::NeverArrived) => {
                    let before = find(tx, scope, id).await?;
                    fail(tx, scope, &terms, before, None, NEVER_ARRIVED).await?;
                }
                Some(Reconciled::CapturedOtherwise) => {
                    push_job(tx, scope, &provider, &wanted, ASKED_DAILY_AFTER).await?;
                }
                None if waits => {
                    push_job(tx, scope, &provider, &wanted, ASKED_AGAIN_AFTER).await?;
                }
                None => {}
            }
            finish(tx, &job).await?;
            Ok(())
        })
        .await
    }
}

impl RunJob for AskAndExpire {
    const ABOUT: &'static [&'static str] = &["Transaction"];

    /// While the bank cannot say whether it was paid, the payment stays open; after a day the rest
    /// is left to reconciliation.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let Self { merchant, id } = self;
        let found = app.read(async move |tx| {
            let scope = merchants::scope(tx, merchant, Mode::Production).await?;
            Ok((scope, find(tx, scope, id).await?))
        });
        let (scope, transaction) = found.await?;
        let deadline = transaction.expires_at;
        let is_certain =
            transaction.status != Status::Pending || ask_bank(app, scope, &transaction).await?;
        if !is_certain && deadline.is_none_or(|at| app.now().since(at) < ASKED_BEFORE_EXPIRY_FOR) {
            return end_or_retry(app, job, Try::Failed).await;
        }
        let terms = PaymentTerms::of(app);
        app.transact(async move |tx| {
            let now = find(tx, scope, id).await?;
            if now.is_past_deadline(scope.now(tx)) {
                expire(tx, scope, &terms, id).await?;
            }
            finish(tx, &job).await?;
            Ok(())
        })
        .await
    }
}

/// Books what a bank has received for a charge; false if it does not answer.
async fn ask_bank(app: &App, scope: Scope, transaction: &Transaction) -> Result<bool> {
    if transaction.boleto.is_some() {
        return ask_about_boleto(app, scope, transaction).await;
    }
    let Transaction { provider, pix: Some(pix), .. } = transaction else { return Ok(true) };
    let Some(bank) = app.providers.pix_named(provider) else { return Ok(false) };
    let state = match bank.find(&pix.txid).await {
        Ok(state) => state,
        Err(error) => {
            tracing::warn!(transaction = %transaction.id, %error, "a charge cannot be asked about");
            return Ok(false);
        }
    };
    let provider: Arc<str> = provider.as_str().into();
    for payment in state.into_iter().flat_map(|state| state.payments) {
        let incoming = IncomingPayment::from(&payment);
        receive_payment(app, &provider, incoming, payment.txid, |txid| ChargeReference::Txid(txid))
            .await?;
    }
    Ok(true)
}

/// Books what was paid to a boleto; false if its bank does not answer.
async fn ask_about_boleto(app: &App, scope: Scope, transaction: &Transaction) -> Result<bool> {
    let Transaction { id, provider, boleto: Some(boleto), .. } = transaction else {
        return Ok(true);
    };
    let Some(order) = boletos::order_of(scope, transaction) else { return Ok(true) };
    let Some(bank) = app.providers.boleto_named(provider) else { return Ok(false) };
    match bank.find_payments(&order, &boleto.bank_code).await {
        Ok(payments) => {
            let provider: Arc<str> = provider.as_str().into();
            for paid in payments {
                let charge = boletos::charge_reference(paid.covers);
                let (incoming, code) = (IncomingPayment::from(&paid), boleto.bank_code.clone());
                receive_payment(app, &provider, incoming, code, charge).await?;
            }
            Ok(true)
        }
        Err(error) => {
            tracing::warn!(transaction = %id, %error, "a boleto cannot be asked about");
            Ok(false)
        }
    }
}

/// Has the bank close what a cancelled or expired payment could still be paid by.
pub async fn close_at_bank(tx: &Tx, scope: Scope, closed: &Transaction) -> Result<()> {
    let is_real = !scope.mode.is_development();
    if !is_real || closed.pix.is_none() && closed.boleto.is_none() {
        return Ok(());
    }
    let job = CloseAtBank { merchant: scope.merchant, id: closed.id };
    let lane = of_connection(&closed.provider);
    Ok(push_in(tx, &lane, closed.id.0, scope.due(scope.now(tx)), &job).await?)
}

impl RunJob for CloseAtBank {
    const ABOUT: &'static [&'static str] = &["Transaction"];

    /// Asks the bank to close it, and again until it answers; a refusal is final, because the
    /// charge is closed or paid there.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let Self { merchant, id } = self;
        let found = app.read(async move |tx| {
            let scope = merchants::scope(tx, merchant, Mode::Production).await?;
            find(tx, scope, id).await
        });
        let transaction = found.await?;
        let tried = match close_there(app, &transaction).await {
            Ok(()) => Try::Done,
            Err(error) => {
                tracing::warn!(transaction = %id, %error, "a charge cannot be closed at its bank");
                let is_refused = matches!(error, ProviderError::Refused { .. });
                let is_over = is_refused || job.attempt >= CLOSING_TRIES_MAX;
                if is_over { Try::Done } else { Try::Failed }
            }
        };
        end_or_retry(app, job, tried).await
    }
}

async fn close_there(app: &App, transaction: &Transaction) -> Result<(), ProviderError> {
    let Transaction { provider, pix, boleto, .. } = transaction;
    let gone = || ProviderError::misconfigured(format!("{provider} is not connected"));
    if let Some(boleto) = boleto {
        let bank = app.providers.boleto_named(provider).ok_or_else(gone)?;
        return bank.cancel(&boleto.bank_code).await;
    }
    if let Some(pix) = pix {
        let bank = app.providers.pix_named(provider).ok_or_else(gone)?;
        return bank.cancel(&pix.txid).await;
    }
    Ok(())
}

/// The state of a charge at its own acquirer, whichever takes new ones; `None` while nothing is
/// certain.
async fn ask(app: &App, charge: &Transaction, sent_at: Timestamp) -> Option<Reconciled> {
    let Transaction { id, provider, amount, .. } = charge;
    let Some(acquirer) = app.providers.card_named(provider) else {
        tracing::error!(transaction = %id, provider, "the acquirer of a charge is not connected");
        return None;
    };
    match acquirer.find(&reference(*id), *amount).await {
        Ok(Some(ChargeResult::Processing)) => None,
        Ok(Some(ChargeResult::CapturedOtherwise { amount })) => {
            let cents = amount.get();
            tracing::error!(transaction = %id, cents, "another amount was captured");
            Some(Reconciled::CapturedOtherwise)
        }
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
