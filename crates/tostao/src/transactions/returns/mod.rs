//! Returns: money that no payment accounts for, on its way back to its payer.
//!
//! ```text
//! PENDING ──the provider has paid it back──▶ COMPLETED   refunding → outside
//!    └────the provider refuses────────────▶ FAILED     refunding → suspense
//! ```
//!
//! A return sends back either money set aside beside a payment, or an unknown payment of the
//! platform. The owner requests a return, learns its result in the unit that stores it, and can
//! request another one if it failed.

use brazil::pix_key::PixKey;
use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;
use rails::payout::PayoutReport;

use crate::books;
use crate::books::movements::Movement;
use crate::platform::error::{Error, Result};
use crate::platform::ids::{MerchantId, Mode, ReturnId, Scope, TransactionId, UnmatchedId};
use crate::providers::orders::{ProviderStatus, Reconciled, StoredOrder};
use crate::store::{PendingOrders, Sums};
use crate::transactions::incoming_payment::Rail;
use crate::transactions::refunds::method::{PAYOUT, PIX, RefundMethod};
use crate::transactions::refunds::{Status, WINDOW};
use crate::transactions::store as payments;
use crate::transactions::terms::PaymentTerms;
use crate::transactions::{unknown, unmatched};

pub mod api;
pub mod jobs;

mod store;

/// Money on its way back.
#[derive(Debug, Clone)]
pub struct Return {
    pub id: ReturnId,
    /// The scope whose account holds it: the merchant's, or the platform's.
    pub scope: Scope,
    /// The payment beside which it was set aside; none for an unknown payment.
    pub transaction: Option<TransactionId>,
    /// The unmatched receipt, or the unknown payment.
    pub of: UnmatchedId,
    pub status: Status,
    pub method: RefundMethod,
    /// The provider that pays it back.
    pub provider: String,
    /// Its identifier on the rail by which it came.
    pub payment_id: String,
    pub amount: Cents,
    /// The return's own identifier on its rail, once it is done.
    pub rail_id: Option<String>,
    pub created_at: Timestamp,
    pub sent_at: Option<Timestamp>,
    pub acknowledged_at: Option<Timestamp>,
}

/// A request to return money.
#[derive(Debug, Clone, Copy)]
pub struct ReturnRequest<'a> {
    pub of: UnmatchedId,
    pub transaction: Option<TransactionId>,
    /// The provider that received it.
    pub provider: &'a str,
    pub payment_id: &'a str,
    pub rail: Rail,
    pub amount: Cents,
    pub arrived_at: Timestamp,
}

/// A return's result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReturnOutcome {
    Completed,
    Failed { reason: String },
}

/// Holds money to be returned; the provider is called after the commit, `payouts` if it is paid out
/// to a key.
pub async fn begin(
    tx: &Tx,
    scope: Scope,
    request: ReturnRequest<'_>,
    key: Option<&PixKey>,
    payouts: impl FnOnce() -> Result<String>,
) -> Result<ReturnId> {
    let (method, provider) = match refund_method(scope.now(tx), &request, key)? {
        method @ RefundMethod::Payout(_) => (method, payouts()?),
        method => (method, request.provider.to_owned()),
    };
    let new = Return::pending(tx, scope, &request, (method, provider));
    store::insert(tx, &new).await?;
    let (of, amount) = (new.id, new.amount);
    books::record(tx, Movement::return_requested(of, scope, amount, false)).await?;
    jobs::push(tx, &new).await?;
    Ok(new.id)
}

/// Holds money that its bank sent back to its payer by itself, even if the merchant accepted it
/// and no longer has it; nothing is ordered, and [`complete_taken`] follows.
pub async fn begin_taken(
    tx: &Tx,
    scope: Scope,
    request: ReturnRequest<'_>,
    is_accepted: bool,
) -> Result<ReturnId> {
    let through = (RefundMethod::Pix, request.provider.to_owned());
    let new = Return::pending(tx, scope, &request, through);
    store::insert(tx, &new).await?;
    let held = Movement::return_requested(new.id, scope, new.amount, is_accepted);
    books::record(tx, held).await?;
    Ok(new.id)
}

/// Completes the return of money that its bank sent back by itself, by the bank's id of it.
pub async fn complete_taken(
    tx: &Tx,
    terms: &PaymentTerms,
    id: ReturnId,
    return_id: &str,
) -> Result<()> {
    let done = ProviderStatus::Done { rail_id: return_id.to_owned() };
    match settle(tx, terms, id, &done).await? {
        Reconciled::Completed { .. } => Ok(()),
        other => {
            let why = anyhow::anyhow!("what was taken back is not booked: {other:?}");
            Err(Error::Internal(why))
        }
    }
}

/// Applies a bank's own report about a payout; `None` if no return that it was asked for has this
/// reference.
pub async fn receive(
    tx: &Tx,
    terms: &PaymentTerms,
    provider: &str,
    report: &PayoutReport,
) -> Result<Option<Reconciled>> {
    let Some(reference) = &report.reference else { return Ok(None) };
    let found = store::find_ordered(tx, provider, PAYOUT, reference).await?;
    let Some(id) = found else { return Ok(None) };
    let ordered = store::find(tx, id).await?.amount;
    if report.amount.is_some_and(|amount| amount != ordered) {
        return Ok(None);
    }
    settle(tx, terms, id, &ProviderStatus::from(&report.state)).await.map(Some)
}

/// Applies a bank's own report about the return of a PIX; `None` if none that it was asked for has
/// this reference.
pub async fn receive_pix(
    tx: &Tx,
    terms: &PaymentTerms,
    provider: &str,
    (reference, amount): (&str, Cents),
    status: &ProviderStatus,
) -> Result<Option<Reconciled>> {
    let found = store::find_ordered(tx, provider, PIX, reference).await?;
    let Some(id) = found else { return Ok(None) };
    if store::find(tx, id).await?.amount != amount {
        return Ok(None);
    }
    settle(tx, terms, id, status).await.map(Some)
}

/// Applies a return's status at its provider; a repeated report is not an error.
///
/// Rows are locked in the order of every unit: the payment, the return, the accounts last.
pub async fn settle(
    tx: &Tx,
    terms: &PaymentTerms,
    id: ReturnId,
    status: &ProviderStatus,
) -> Result<Reconciled> {
    let found = store::find(tx, id).await?;
    if let Some(of) = found.transaction {
        payments::lock(tx, found.scope, of).await?;
    }
    let found = store::lock(tx, id).await?;
    let reconciled = found.order().reconcile(tx, status).await?;
    let (of, scope, amount) = (id, found.scope, found.amount);
    match &reconciled {
        Reconciled::Acknowledged | Reconciled::PaymentTaken => {
            store::acknowledge(tx, &found).await?;
        }
        Reconciled::Completed { rail_id } => {
            end(tx, &found, Status::Completed, Some(rail_id), None).await?;
            publish(tx, terms, &found, &ReturnOutcome::Completed).await?;
            books::record(tx, Movement::return_completed(of, scope, amount)).await?;
        }
        Reconciled::Failed { reason } => {
            let reason = found.method.failure_reason(reason);
            end(tx, &found, Status::Failed, None, Some(&reason)).await?;
            publish(tx, terms, &found, &ReturnOutcome::Failed { reason }).await?;
            books::record(tx, Movement::return_failed(of, scope, amount)).await?;
        }
        Reconciled::NotSent => store::unmark_sent(tx, &found).await?,
        Reconciled::Pending | Reconciled::AlreadyEnded | Reconciled::StatusMismatch => {}
    }
    Ok(reconciled)
}

/// Whose account holds the money of a return: a merchant's, or the platform's.
pub async fn owner(tx: &Tx, id: ReturnId) -> Result<Option<MerchantId>> {
    store::owner(tx, id).await
}

/// Whether a return has not ended yet.
pub async fn is_pending(tx: &Tx, id: ReturnId) -> Result<bool> {
    store::is_pending(tx, id).await
}

/// The newest returns of what was set aside beside a payment.
pub async fn newest_of(
    tx: &Tx,
    scope: Scope,
    of: TransactionId,
    most: i64,
) -> Result<Vec<ReturnId>> {
    store::newest_of(tx, scope, of, most).await
}

/// The returns that were sent and whose outcome is unknown.
pub async fn unresolved(tx: &Tx, mode: Mode) -> Result<PendingOrders> {
    store::unresolved(tx, mode).await
}

/// Sums of returns for the reconciliation: those pending, and those that are done.
pub async fn sums(tx: &Tx, of: Option<Scope>) -> Result<Sums<2>> {
    store::sums(tx, of).await
}

async fn end(
    tx: &Tx,
    found: &Return,
    status: Status,
    rail_id: Option<&str>,
    reason: Option<&str>,
) -> Result<()> {
    if store::end(tx, found, status, rail_id, reason).await? {
        return Ok(());
    }
    Err(tx.collision("the return changed while it ended").into())
}

/// Reports the result to the owner of the return.
async fn publish(
    tx: &Tx,
    terms: &PaymentTerms,
    ended: &Return,
    outcome: &ReturnOutcome,
) -> Result<()> {
    match ended.transaction {
        Some(of) => {
            unmatched::apply_return_outcome(tx, ended.scope, terms, of, ended.of, outcome).await
        }
        None => unknown::apply_return_outcome(tx, ended.scope.mode, ended.of, outcome).await,
    }
}

impl Return {
    fn pending(
        tx: &Tx,
        scope: Scope,
        request: &ReturnRequest<'_>,
        (method, provider): (RefundMethod, String),
    ) -> Self {
        Self {
            id: ReturnId::new(tx),
            scope,
            transaction: request.transaction,
            of: request.of,
            status: Status::Pending,
            method,
            provider,
            payment_id: request.payment_id.to_owned(),
            amount: request.amount,
            rail_id: None,
            created_at: scope.now(tx),
            sent_at: None,
            acknowledged_at: None,
        }
    }

    fn order(&self) -> StoredOrder<'_> {
        StoredOrder {
            kind: "return",
            id: self.id.0,
            owner: self.scope,
            is_pending: self.status == Status::Pending,
            pix_bank: self.method.is_pix().then_some(self.provider.as_str()),
            rail_id: self.rail_id.as_deref(),
            sent_at: self.sent_at,
            acknowledged_at: self.acknowledged_at,
        }
    }
}

/// Whether its rail supports a return: PIX does, within the allowed time.
pub fn supports_return(now: Timestamp, request: &ReturnRequest<'_>) -> bool {
    request.rail == Rail::Pix && now.since(request.arrived_at) <= WINDOW
}

/// Money that its rail cannot return needs a key.
fn refund_method(
    now: Timestamp,
    request: &ReturnRequest<'_>,
    key: Option<&PixKey>,
) -> Result<RefundMethod> {
    if supports_return(now, request) {
        return Ok(RefundMethod::Pix);
    }
    let message = "is required, because the payment's rail cannot send this back to its payer";
    let missing = || Error::field("refundPixKey", "REQUIRED", message);
    key.cloned().map(RefundMethod::Payout).ok_or_else(missing)
}
