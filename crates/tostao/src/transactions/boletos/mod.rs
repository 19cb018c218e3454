//! Boletos by banks of real money: orders that no payment has, and how reports are matched.
//!
//! ```text
//! job stored ──▶ bank asked ─┬▶ registered, or to be made later ──▶ payment stored: the job is
//!                            │  taken back; see `making` for a boleto that is made later
//!                            ├▶ refused ──▶ the job is taken back
//!                            └▶ no answer, or no payment ──▶ the job closes it at the bank
//! ```
//!
//! A boleto whose answer was lost is registered all the same: its payer's bank shows it, and it can
//! be paid. So its order is stored before the call, as a job that closes it. The unit that stores
//! the payment takes the job back, or fails: a boleto that is being closed is given to no payment.

use std::time::Duration;

use db::time::Timestamp;
use db::tx::Tx;
use jiff::civil::Date;
use ledger::cents::Cents;
use queue::job::{Claimed, Due, Job, push_in, take_back};
use rails::boleto::{BoletoOrder, BoletoRequest, Covers, IssuedBoleto, PaidBy, Registration};
use rails::error::ProviderError;
use rails::provider::ARRIVES_WITHIN;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::app::App;
use crate::jobs::{RunJob, end_or_retry};
use crate::platform::error::{Error, Result};
use crate::platform::ids::{MerchantId, Scope, TransactionId};
use crate::platform::lanes::{CONNECTIONS, of_connection};
use crate::transactions::Transaction;
use crate::transactions::issue::short_reference;
use crate::transactions::receive::ChargeReference;

pub mod making;
mod store;
pub mod totals;

/// How long a boleto is looked for that its bank does not know, or cannot be asked about.
const LOOKED_FOR: Duration = Duration::from_hours(24);

/// Within this time of each other a bank reports a payment as a boleto's and as a PIX.
const REPORTED_WITHIN: Duration = Duration::from_hours(24);
/// By then a bank has closed a boleto that expired.
const PAYABLE_AFTER_EXPIRY: Duration = Duration::from_hours(7 * 24);

/// Closes a boleto at its bank that no payment has.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CloseLostBoleto {
    provider: String,
    reference: String,
    amount: Cents,
    due_on: Date,
    issued_on: Date,
    ordered_at: Timestamp,
}

/// The stored order of a boleto, which a payment takes.
#[derive(Debug, Clone)]
pub struct StoredOrder {
    lane: String,
    job: Uuid,
    due: Timestamp,
}

/// The boletos that a PIX may have paid.
#[derive(Debug, Clone, Default)]
pub struct Candidates {
    /// Those that were booked as paid at about that time, with their merchants.
    pub paid: Vec<(MerchantId, TransactionId)>,
    /// The merchants of those whose payment the bank may not have reported yet.
    pub unpaid: Vec<MerchantId>,
}

impl Job for CloseLostBoleto {
    const KIND: &'static str = "close_lost_boleto";
    const LANE: &'static str = CONNECTIONS;
}

impl RunJob for CloseLostBoleto {
    /// Finds the boleto and has it closed, again and again until the bank says that it is.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let is_closed = match self.close(app).await {
            Ok(is_closed) => is_closed,
            Err(error) => {
                let (provider, reference) = (&self.provider, &self.reference);
                tracing::warn!(provider, reference, %error, "a lost boleto cannot be closed");
                matches!(error, ProviderError::Refused { .. })
            }
        };
        let gives_up = !is_closed && app.now().since(self.ordered_at) >= LOOKED_FOR;
        end_or_retry(app, job, is_closed || gives_up).await
    }
}

impl CloseLostBoleto {
    /// Whether it is closed; one that the bank does not know yet may still arrive.
    async fn close(&self, app: &App) -> Result<bool, ProviderError> {
        let Self { provider, reference, amount, due_on, issued_on, .. } = self;
        let gone = || ProviderError::Misconfigured(format!("{provider} is not connected"));
        let bank = app.providers.boleto_named(provider).ok_or_else(gone)?;
        let order = BoletoOrder {
            reference: reference.clone(),
            short_reference: short_reference(reference),
            amount: *amount,
            due_on: *due_on,
            issued_on: *issued_on,
        };
        let Some(found) = bank.find(&order, None).await? else { return Ok(false) };
        let (Registration::Issued(IssuedBoleto { bank_code, .. })
        | Registration::Later { bank_code }) = found;
        bank.cancel(&bank_code).await.map(|()| true)
    }
}

/// Stores an order before its bank is asked.
pub async fn store_order(app: &App, provider: &str, order: &BoletoRequest) -> Result<StoredOrder> {
    let (provider, lane) = (provider.to_owned(), of_connection(provider));
    let BoletoOrder { reference, amount, due_on, issued_on, .. } = order.order();
    app.transact(async move |tx| {
        let ordered_at = tx.now();
        let job = CloseLostBoleto {
            provider: provider.clone(),
            reference: reference.clone(),
            amount,
            due_on,
            issued_on,
            ordered_at,
        };
        // By then nothing of the call is in flight.
        let (id, at) = (tx.new_id(), ordered_at.plus(ARRIVES_WITHIN));
        push_in(tx, &lane, id, Due { at, clock: None }, &job).await?;
        Ok(StoredOrder { lane: lane.clone(), job: id, due: at })
    })
    .await
}

/// Has a payment take its boleto, in the unit that stores the payment.
pub async fn take(tx: &Tx, order: Option<&StoredOrder>) -> Result<()> {
    let Some(order) = order else { return Ok(()) };
    if take_back(tx, &order.lane, order.job, order.due).await? {
        return Ok(());
    }
    Err(Error::Unavailable("the boleto is being closed at its bank".to_owned()))
}

/// Forgets an order whose boleto was certainly not registered.
pub async fn forget(app: &App, order: StoredOrder) -> Result<()> {
    let unit = async move |tx: &Tx| {
        take_back(tx, &order.lane, order.job, order.due).await?;
        Ok(())
    };
    app.transact(unit).await
}

/// The order of a payment's boleto, by which its bank is asked; `None` if its reference is
/// unknown.
pub fn order_of(scope: Scope, of: &Transaction) -> Option<BoletoOrder> {
    let boleto = of.boleto.as_ref()?;
    let reference = boleto.reference.clone()?;
    Some(BoletoOrder {
        short_reference: short_reference(&reference),
        reference,
        amount: of.amount,
        due_on: boleto.due_on,
        issued_on: scope.today(of.created_at),
    })
}

/// How a report of a boleto's payment is matched. A total may be of a PIX unless its bank says
/// otherwise.
pub fn charge_reference(covers: Covers) -> fn(&str) -> ChargeReference<'_> {
    match covers {
        Covers::Payment => |code| ChargeReference::Boleto(code),
        Covers::Total(Some(PaidBy::Barcode)) => {
            |code| ChargeReference::TotalOfBoleto(code, PaidBy::Barcode)
        }
        Covers::Total(Some(PaidBy::Pix) | None) => {
            |code| ChargeReference::TotalOfBoleto(code, PaidBy::Pix)
        }
    }
}

/// The boletos that a PIX which came at an instant and names no charge may have paid: of its amount
/// and at its bank, without a PIX that is known.
pub async fn perhaps_paid_by(
    tx: &Tx,
    provider: &str,
    amount: Cents,
    at: Timestamp,
) -> Result<Candidates> {
    let around = [at.minus(REPORTED_WITHIN), at.plus(REPORTED_WITHIN)];
    let paid = store::paid_between(tx, provider, amount, around).await?;
    let unpaid = if tx.now() < at.plus(REPORTED_WITHIN) {
        let payable = [at, at.minus(PAYABLE_AFTER_EXPIRY)];
        store::unpaid_at(tx, provider, amount, payable).await?
    } else {
        Vec::new()
    };
    Ok(Candidates { paid, unpaid })
}
