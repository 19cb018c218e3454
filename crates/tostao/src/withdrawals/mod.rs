//! Withdrawals: a merchant pays available balance out to a PIX key.
//!
//! `status` is the state machine, `validation` validates requests, `limits` limits the amounts. The
//! money is held from the request on. `approval` approves: only the unit that claims a withdrawal
//! sends it (`jobs`). `settle` applies the bank's result, whether it was queried or reported by a
//! callback.

use brazil::money::format_brl;
use brazil::pix_key::PixKey;
use db::hex::hex;
use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;
use uuid::Uuid;

use crate::affiliates::commissions;
use crate::audit::ActorContext;
use crate::audit::decision::Decision;
use crate::books;
use crate::books::chart::AccountKind;
use crate::books::movements::Movement;
use crate::events::names::Name;
use crate::merchants;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::ids::{MerchantId, Mode, Scope, WithdrawalId};
use crate::store::{PendingOrders, Sums};
use crate::webhooks;
use crate::withdrawals::events::{WithdrawalEnded, WithdrawalPayload};
use crate::withdrawals::status::Status;
use crate::withdrawals::terms::{ApprovalPolicy, WithdrawalTerms};
use crate::withdrawals::validation::NewWithdrawal;

pub mod admin_api;
pub mod api;
pub mod approval;
pub mod callback_api;
pub mod events;
pub mod export;
pub mod export_api;
pub mod jobs;
pub mod limits;
pub mod list;
pub mod pages;
pub mod payout_keys;
pub mod returns;
pub mod risk;
pub mod risk_api;
pub mod settle;
pub mod status;
mod store;
pub mod terms;
pub mod validation;
pub mod view;

/// The only payout method.
pub const METHOD: &str = "PIX";
/// The only currency.
pub const CURRENCY: &str = "BRL";

/// A withdrawal.
#[derive(Debug, Clone)]
pub struct Withdrawal {
    pub id: WithdrawalId,
    pub merchant: MerchantId,
    /// Incremented by every change; orders the withdrawal's events.
    pub version: i64,
    pub status: Status,
    /// The amount taken from the balance, the fee included.
    pub amount: Cents,
    pub fee: Cents,
    pub key: PixKey,
    pub description: Option<String>,
    pub idempotency_key: Option<Uuid>,
    /// The provider and the reference of the order, once it was claimed.
    pub order: Option<PaymentOrderReference>,
    pub end_to_end_id: Option<String>,
    pub failure_reason: Option<String>,
    pub failure_message: Option<String>,
    /// A report by the bank that contradicts the final result, or another order.
    pub contradiction: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// When it was claimed.
    pub processed_at: Option<Timestamp>,
    /// When its order may have been sent.
    pub sent_at: Option<Timestamp>,
    /// When its order last certainly did not reach the bank, or was held back here.
    pub not_sent_at: Option<Timestamp>,
    /// What the bank sent back of it after it was paid.
    pub returned: Cents,
    /// When the bank first reported that it knows the order.
    pub acknowledged_at: Option<Timestamp>,
    pub completed_at: Option<Timestamp>,
    pub failed_at: Option<Timestamp>,
    /// The administrator who approved or rejected it.
    pub decided: Option<Decision>,
}

/// What identifies an order at a bank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaymentOrderReference {
    pub provider: String,
    pub reference: String,
}

/// The result of a request.
#[derive(Debug)]
pub enum Requested {
    New(Withdrawal),
    /// The same request had been made before, under the same key.
    Known(Withdrawal),
}

/// Holds the money now; with automatic approval, the order is sent after the commit.
///
/// Requests of one merchant run one after the other, so that the limits count correctly. A request
/// that was made before needs no provider.
pub async fn request(
    tx: &Tx,
    scope: Scope,
    terms: &WithdrawalTerms,
    provider: impl FnOnce() -> Result<String>,
    new: &NewWithdrawal,
) -> Result<Requested> {
    merchants::lock(tx, scope.merchant).await?;
    if let Some(known) = known(tx, scope, new).await? {
        return Ok(Requested::Known(known));
    }
    let provider = provider()?;
    limits::check_limits(tx, scope, terms, new.amount).await?;
    leave_commissions(tx, scope, new.amount).await?;
    let withdrawal = Withdrawal::pending(tx, scope, terms.fee, new);
    let (of, amount) = (withdrawal.id, withdrawal.amount);
    store::insert(tx, scope, &withdrawal).await?;
    books::record(tx, Movement::withdrawal_requested(of, scope, amount)).await?;
    books::emit_balance_updated(tx, scope, "withdrawal.requested").await?;
    match terms.approval {
        ApprovalPolicy::ByAdministrator => Ok(Requested::New(withdrawal)),
        ApprovalPolicy::Automatic => {
            let approved =
                approval::approve(tx, scope, &ActorContext::system(), &provider, of).await;
            approved.map(Requested::New)
        }
    }
}

/// Finds a withdrawal.
pub async fn find(tx: &Tx, scope: Scope, id: WithdrawalId) -> Result<Withdrawal> {
    store::find(tx, scope, id).await?.ok_or_else(missing)
}

/// Refuses to pay out what the merchant still has to add to affiliates' commissions.
async fn leave_commissions(tx: &Tx, scope: Scope, amount: Cents) -> Result<()> {
    let unfunded = commissions::unfunded(tx, scope).await?;
    if unfunded.is_zero() {
        return Ok(());
    }
    let available = books::held(tx, scope, AccountKind::Available).await?;
    if available.minus(unfunded).is_some_and(|free| amount <= free) {
        return Ok(());
    }
    let owed = format_brl(unfunded.get());
    let message = format!("{owed} of the balance is owed to affiliates as commissions.");
    Err(Error::refused(ErrorCode::InsufficientBalance, message))
}

/// The merchant of a withdrawal, by its reference at its bank.
pub async fn owner(tx: &Tx, reference: &str) -> Result<Option<MerchantId>> {
    let found = store::find_by_reference(tx, reference).await?;
    Ok(found.map(|(scope, _)| scope.merchant))
}

/// The withdrawals that were sent and whose outcome is unknown.
pub async fn unresolved(tx: &Tx, mode: Mode) -> Result<PendingOrders> {
    store::unresolved(tx, mode).await
}

/// The withdrawal that a merchant's idempotency key already stands for.
pub async fn known(tx: &Tx, scope: Scope, new: &NewWithdrawal) -> Result<Option<Withdrawal>> {
    let Some(key) = new.idempotency_key else { return Ok(None) };
    let Some(known) = store::find_by_key(tx, scope, key).await? else { return Ok(None) };
    let fields = [
        ("amountCents", known.amount != new.amount),
        ("description", known.description != new.description),
        ("pixKey", known.key.as_str() != new.key.as_str()),
        ("pixKeyType", known.key.key_type() != new.key.key_type()),
    ];
    let differing = fields.into_iter().filter(|(_, differs)| *differs);
    let fields: Vec<_> = differing.map(|(name, _)| name.to_owned()).collect();
    if fields.is_empty() {
        return Ok(Some(known));
    }
    let names = fields.join(", ");
    let message =
        format!("This idempotencyKey stands for another withdrawal; these fields differ: {names}.");
    Err(Error::KeyReused { fields, message })
}

/// Sums of withdrawals for the reconciliation: what is pending, net amounts and fees of what was
/// paid, and what came back of it.
pub async fn sums(tx: &Tx, of: Option<Scope>) -> Result<Sums<4>> {
    store::sums(tx, of).await
}

impl Withdrawal {
    /// The amount that arrives: the amount less the fee.
    pub fn net(&self) -> Cents {
        self.amount.minus(self.fee).unwrap_or(Cents::ZERO)
    }

    /// The reference at the bank; derived from the id, so that sending the withdrawal again never
    /// makes another order.
    pub fn reference(id: WithdrawalId) -> String {
        hex(id.0.as_bytes())
    }

    /// The withdrawal as receivers of events see it.
    pub fn payload(&self, terms: &WithdrawalTerms) -> WithdrawalPayload {
        WithdrawalPayload {
            id: self.id,
            amount: self.amount,
            fee_cents: self.fee,
            net_amount: self.net(),
            currency: CURRENCY,
            status: self.status.name(),
            method: METHOD,
            pix_key_type: self.key.key_type().as_str(),
            pix_key: self.key.as_str().to_owned(),
            description: self.description.clone(),
            external_id: self.order.as_ref().map(|order| order.reference.clone()),
            end_to_end_id: self.end_to_end_id.clone(),
            receipt_url: self.completed_at.map(|_| terms.receipt_url(self.id)),
            failure_reason: self.failure_reason.clone(),
            failure_message: self.failure_message.clone(),
            created_at: self.created_at,
            updated_at: self.updated_at,
            processed_at: self.processed_at,
            completed_at: self.completed_at,
            failed_at: self.failed_at,
        }
    }

    fn pending(tx: &Tx, scope: Scope, fee: Cents, new: &NewWithdrawal) -> Self {
        Self {
            id: WithdrawalId::new(tx),
            merchant: scope.merchant,
            version: 1,
            status: Status::Pending,
            amount: new.amount,
            fee,
            key: new.key.clone(),
            description: new.description.clone(),
            idempotency_key: new.idempotency_key,
            order: None,
            end_to_end_id: None,
            failure_reason: None,
            failure_message: None,
            contradiction: None,
            created_at: scope.now(tx),
            updated_at: scope.now(tx),
            processed_at: None,
            sent_at: None,
            not_sent_at: None,
            returned: Cents::ZERO,
            acknowledged_at: None,
            completed_at: None,
            failed_at: None,
            decided: None,
        }
    }
}

async fn publish_change(
    tx: &Tx,
    scope: Scope,
    terms: &WithdrawalTerms,
    name: Name,
    withdrawal: &Withdrawal,
) -> Result<()> {
    let view = Box::new(withdrawal.payload(terms));
    let event = WithdrawalEnded { name, withdrawal: view };
    webhooks::publish(tx, scope, withdrawal.version, &event).await?;
    books::emit_balance_updated(tx, scope, name.text()).await
}

fn missing() -> Error {
    Error::NotFound("Withdrawal")
}
