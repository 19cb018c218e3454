//! Refunds: money on its way back to its payer.
//!
//! ```text
//! PENDING ──the provider has paid it back──▶ COMPLETED
//!    └────the provider refuses────────────▶ FAILED    the money is the merchant's again
//! ```
//!
//! `request` holds the money in the unit that creates the refund, `jobs` calls the provider outside
//! of any unit, `settle` stores the result, `resolve` that of an administrator. All refunds of a
//! payment together never exceed what was paid: the payment's row counts what is pending and what
//! is done, and refuses the rest.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use db::text_enum;
use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;

use crate::platform::error::Result;
use crate::platform::ids::{MerchantId, Mode, RefundId, Scope, TransactionId};
use crate::store::{PendingOrders, Sums};
use crate::transactions::refunds::method::RefundMethod;
use crate::transactions::{Method, Transaction};

pub mod admin_api;
pub mod api;
pub mod jobs;
pub mod method;
pub mod request;
pub mod resolve;
pub mod settle;
pub mod view;

mod store;

/// How long after a payment it can be refunded.
pub const WINDOW: Duration = Duration::from_hours(90 * 24);
const CARD_WINDOW: Duration = Duration::from_hours(180 * 24);

text_enum! {
    /// The status of a refund.
    pub enum Status as "RefundStatus" {
        /// Requested from the provider.
        Pending = "PENDING",
        /// Paid back to the payer.
        Completed = "COMPLETED",
        /// Failed; the money was not refunded.
        Failed = "FAILED",
    }
}

/// Money on its way back.
#[derive(Debug, Clone)]
pub struct Refund {
    pub id: RefundId,
    pub transaction: TransactionId,
    pub status: Status,
    pub method: RefundMethod,
    /// Who pays the money back: the provider that received it or, for a payout, the payout provider
    /// at the time of the request.
    pub provider: String,
    pub amount: Cents,
    pub reason: String,
    /// The merchant's own reference, which stands for one refund of a payment.
    pub external_id: Option<String>,
    /// Whether to restock what was sold, once all of it is refunded.
    pub restock: bool,
    /// The refund's identifier on its rail, once it is done.
    pub rail_id: Option<String>,
    pub failure_reason: Option<String>,
    pub created_at: Timestamp,
    /// What was refunded of a card's charge before this refund, once it is its turn.
    pub refunded_before: Option<Cents>,
    /// When its order may have been sent.
    pub sent_at: Option<Timestamp>,
    /// When the provider first reported that it knows the order.
    pub acknowledged_at: Option<Timestamp>,
    pub completed_at: Option<Timestamp>,
    pub failed_at: Option<Timestamp>,
}

/// Lists the refunds of a payment, oldest first.
pub async fn of(tx: &Tx, scope: Scope, of: TransactionId) -> Result<Vec<Refund>> {
    store::list(tx, scope, of).await
}

/// The newest refunds of a payment.
pub async fn newest_of(
    tx: &Tx,
    scope: Scope,
    of: TransactionId,
    most: i64,
) -> Result<Vec<RefundId>> {
    store::newest_of(tx, scope, of, most).await
}

/// The payments of a scope's refunds; those of others are left out.
pub async fn payments(
    tx: &Tx,
    scope: Scope,
    refunds: BTreeSet<RefundId>,
) -> Result<HashMap<RefundId, TransactionId>> {
    crate::store::find_all(refunds, |id| store::payment_of(tx, scope, id)).await
}

/// The merchant of a refund of real money.
pub async fn owner(tx: &Tx, id: RefundId) -> Result<Option<MerchantId>> {
    Ok(sale_of(tx, id).await?.map(|(scope, _)| scope.merchant))
}

/// The payment that a refund of real money is of.
pub async fn sale_of(tx: &Tx, id: RefundId) -> Result<Option<(Scope, TransactionId)>> {
    store::find_by_id(tx, Mode::Production, id).await
}

/// The refunds that were sent and whose outcome is unknown.
pub async fn unresolved(tx: &Tx, mode: Mode) -> Result<PendingOrders> {
    store::unresolved(tx, mode).await
}

/// Sums of refunds for the reconciliation: what is pending, and what was done.
pub async fn sums(tx: &Tx, of: Option<Scope>) -> Result<Sums<2>> {
    store::sums(tx, of).await
}

impl Refund {
    /// The reference at the provider; derived from the id, so that a retry never makes another
    /// refund.
    pub fn reference(id: RefundId) -> String {
        id.0.simple().to_string()
    }
}

/// How long payments of a method can be refunded.
pub const fn window(method: Method) -> Duration {
    match method {
        Method::CreditCard => CARD_WINDOW,
        Method::Pix | Method::Boleto | Method::Free => WINDOW,
    }
}

/// The part of a payment that is neither refunded nor being refunded.
pub fn refundable_amount(transaction: &Transaction) -> Cents {
    let left = transaction.paid.and_then(|paid| paid.minus(transaction.refunding));
    left.and_then(|left| left.minus(transaction.refunded)).unwrap_or(Cents::ZERO)
}
