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

use brazil::calendar::{add_business_days, sao_paulo_date, sao_paulo_start_of_day};
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
use crate::jobs::{RunJob, Try, end_or_retry};
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

/// How much earlier than a PIX a boleto may be booked that it paid.
const BOOKED_BEFORE: Duration = Duration::from_hours(24);
/// Efí reports what is paid on a Friday evening on the next business day; the others are for days
/// on which it is late.
const REPORTED_WITHIN_BUSINESS_DAYS: u32 = 3;
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

/// A PIX that names no charge.
#[derive(Debug, Clone, Copy)]
pub struct NamelessPix<'a> {
    pub provider: &'a str,
    pub amount: Cents,
    /// When it was paid, as its bank says.
    pub paid_at: Timestamp,
    pub received_at: Timestamp,
}

/// The boletos that a PIX may have paid: of its amount and at its bank, without a PIX that is
/// known.
#[derive(Debug, Clone, Copy, Default)]
pub struct Candidates {
    /// The first that was booked as paid at about that time.
    pub paid: Option<TransactionId>,
    /// The day before which the payment of another one may yet be reported.
    pub awaited_until: Option<Date>,
    /// Whether a boleto of one merchant is among them, however long ago the PIX came.
    pub is_own: bool,
}

impl Job for CloseLostBoleto {
    const KIND: &'static str = "close_lost_boleto";
    const LANE: &'static str = CONNECTIONS;
}

impl RunJob for CloseLostBoleto {
    /// Finds the boleto and has it closed, again and again until the bank says that it is.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let tried = match self.close(app).await {
            Ok(true) => Try::Done,
            Ok(false) => Try::NotYet,
            Err(error) => {
                let (provider, reference) = (&self.provider, &self.reference);
                tracing::warn!(provider, reference, %error, "a lost boleto cannot be closed");
                let is_refused = matches!(error, ProviderError::Refused { .. });
                if is_refused { Try::Done } else { Try::Failed }
            }
        };
        let gives_up = app.now().since(self.ordered_at) >= LOOKED_FOR;
        end_or_retry(app, job, if gives_up { Try::Done } else { tried }).await
    }
}

impl CloseLostBoleto {
    /// Whether it is closed; one that the bank does not know yet may still arrive.
    async fn close(&self, app: &App) -> Result<bool, ProviderError> {
        let Self { provider, reference, amount, due_on, issued_on, .. } = self;
        let gone = || ProviderError::misconfigured(format!("{provider} is not connected"));
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

/// The boletos that a PIX may have paid, where one merchant's come first. Those that were booked
/// until `decided_at` were compared with it and are other money.
pub async fn perhaps_paid_by(
    tx: &Tx,
    pix: NamelessPix<'_>,
    own: Option<MerchantId>,
    decided_at: Option<Timestamp>,
) -> Result<Candidates> {
    let NamelessPix { provider, amount, paid_at, .. } = pix;
    let payable = [paid_at, paid_at.minus(PAYABLE_AFTER_EXPIRY)];
    // A boleto becomes paid and never unpaid again: in this order, each is in one of the answers.
    let unpaid = store::unpaid_at(tx, (provider, amount), payable, own).await?;
    let [from, to] = pix.booked_between();
    let paid = store::paid_between(tx, (provider, amount), [from, to], own).await?;
    let own_of = |is_own: Option<bool>| is_own.unwrap_or_default();
    let is_own = own_of(unpaid) || own_of(paid.map(|(_, is_own)| is_own));
    let paid = match decided_at {
        None => paid,
        Some(at) => {
            let since = at.plus(Duration::from_micros(1)).max(from);
            store::paid_between(tx, (provider, amount), [since, to], own).await?
        }
    };
    let is_awaited = unpaid.is_some() && decided_at.is_none() && tx.now() < to;
    let awaited_until = is_awaited.then(|| pix.reported_until());
    Ok(Candidates { paid: paid.map(|(id, _)| id), awaited_until, is_own })
}

/// Whether a boleto was booked as paid at about the time of a PIX of its amount, so that the PIX
/// may have paid it.
pub async fn is_perhaps_paid_by(tx: &Tx, pix: NamelessPix<'_>, of: TransactionId) -> Result<bool> {
    store::is_paid_between(tx, (pix.provider, pix.amount), pix.booked_between(), of).await
}

impl NamelessPix<'_> {
    /// The day before which its bank reports the boleto that it paid. After an outage a PIX is old
    /// when it arrives, and so is that report.
    fn reported_until(&self) -> Date {
        let arrived = sao_paulo_date(self.paid_at.max(self.received_at).micros());
        add_business_days(arrived, REPORTED_WITHIN_BUSINESS_DAYS)
    }

    /// When the boleto that it paid is booked here, which is no time that its bank says.
    fn booked_between(&self) -> [Timestamp; 2] {
        let until = sao_paulo_start_of_day(self.reported_until());
        [self.paid_at.minus(BOOKED_BEFORE), Timestamp::from_micros(until)]
    }
}
