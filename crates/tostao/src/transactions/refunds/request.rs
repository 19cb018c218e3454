//! Requesting a refund: the rules, and the money that is held for it.

use brazil::pix_key::PixKey;
use db::tx::Tx;
use ledger::cents::Cents;

use crate::advances::lost_collateral::{Shortfall, debit};
use crate::books;
use crate::books::movements::{Movement, SettlementSplit};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::ids::{RefundId, Scope, TransactionId};
use crate::providers::orders::{ProviderStatus, Reconciled};
use crate::transactions::refunds::jobs::push;
use crate::transactions::refunds::method::RefundMethod;
use crate::transactions::refunds::settle::settle;
use crate::transactions::refunds::{Refund, Status, refundable_amount, store, window};
use crate::transactions::status::{Status as PaymentStatus, Transition, Trigger};
use crate::transactions::terms::PaymentTerms;
use crate::transactions::{Method, Transaction, find, holds};

/// The reason of the balance change in `balance.updated`.
const REQUESTED: &str = "refund.requested";
/// The reason of a refund that the bank made by itself.
const TAKEN_BACK: &str = "Devolvido pelo banco ao pagador (MED).";
/// The reason of a refund by which a part of a card's charge was lost in a dispute.
const CHARGED_BACK: &str = "Devolvido ao comprador pelo emissor do cartão (chargeback).";

/// A refund request, validated as far as possible without the payment.
#[derive(Debug, Clone)]
pub struct NewRefund {
    /// All that is left, if not given.
    pub amount: Option<Cents>,
    pub reason: String,
    pub key: Option<PixKey>,
    pub restock: bool,
    pub external_id: Option<String>,
}

/// Who decided on the refund.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RequestedBy {
    /// The merchant, who can refund no more than they have.
    Merchant,
    /// The platform, because the buyer cannot get what they paid for; the merchant may then owe it.
    Platform,
}

/// Holds the money now; the provider is called after the commit, `payouts` if it is paid out.
///
/// Rows are locked in the order of every unit: the payment, its receivables, the accounts last.
pub async fn request(
    tx: &Tx,
    scope: Scope,
    of: TransactionId,
    new: &NewRefund,
    payouts: impl FnOnce() -> Result<String>,
) -> Result<(Transaction, Refund)> {
    let before = find(tx, scope, of).await?;
    expect_refundable(tx, scope, &before)?;
    let through = match refund_method(&before, new.key.as_ref())? {
        method @ RefundMethod::Payout(_) => (method, payouts()?),
        method => (method, before.provider.clone()),
    };
    begin(tx, scope, &before, through, new, RequestedBy::Merchant).await
}

/// Refunds all of a payment that came when what it pays for was gone.
///
/// A boleto paid by its barcode waits for the merchant, the only one who can learn where to send
/// it.
pub async fn refund_oversold(
    tx: &Tx,
    scope: Scope,
    paid: Transaction,
    why: &str,
) -> Result<Transaction> {
    let Ok(method) = refund_method(&paid, None) else { return Ok(paid) };
    let new = NewRefund {
        amount: None,
        reason: why.to_owned(),
        key: None,
        restock: false,
        external_id: None,
    };
    let through = (method, paid.provider.clone());
    let (changed, _) = begin(tx, scope, &paid, through, &new, RequestedBy::Platform).await?;
    Ok(changed)
}

/// Books that the bank or the acquirer took a part of a payment back and paid it to its payer: a
/// refund that the merchant is not asked about, and that is done.
pub async fn take_back(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    paid: &Transaction,
    amount: Cents,
    return_id: &str,
) -> Result<RefundId> {
    let (method, reason) = match paid.card {
        Some(_) => (RefundMethod::Card, CHARGED_BACK),
        None => (RefundMethod::Pix, TAKEN_BACK),
    };
    let new = NewRefund {
        amount: Some(amount),
        reason: reason.to_owned(),
        key: None,
        restock: false,
        external_id: None,
    };
    let through = (method, paid.provider.clone());
    let (_, refund) = hold(tx, scope, paid, through, &new, RequestedBy::Platform).await?;
    let done = ProviderStatus::Done { rail_id: return_id.to_owned() };
    match settle(tx, scope, terms, paid.id, refund.id, &done).await? {
        Reconciled::Completed { .. } => Ok(refund.id),
        other => {
            let why = anyhow::anyhow!("what was taken back of a payment is not booked: {other:?}");
            Err(Error::Internal(why))
        }
    }
}

/// Holds the money of a refund, and has it sent.
async fn begin(
    tx: &Tx,
    scope: Scope,
    before: &Transaction,
    through: (RefundMethod, String),
    new: &NewRefund,
    by: RequestedBy,
) -> Result<(Transaction, Refund)> {
    let (changed, refund) = hold(tx, scope, before, through, new, by).await?;
    push(tx, scope, &refund).await?;
    Ok((changed, refund))
}

async fn hold(
    tx: &Tx,
    scope: Scope,
    before: &Transaction,
    through: (RefundMethod, String),
    new: &NewRefund,
    by: RequestedBy,
) -> Result<(Transaction, Refund)> {
    let most = refundable_amount(before);
    let amount = new.amount.unwrap_or(most);
    if amount > most || amount.is_zero() {
        let message = format!("At most {} cents can still be given back.", most.get());
        return Err(Error::refused(ErrorCode::AmountExceedsRefundable, message));
    }
    let Some(left) = store::reserve(tx, scope, before.id, amount).await? else {
        return Err(tx.collision("the payment changed while a refund was asked for").into());
    };
    let refund = Refund::pending(tx, scope, before.id, through, amount, new);
    if !store::insert(tx, scope, &refund).await? {
        let message = "This payment has a refund with this externalId already.";
        return Err(Error::refused(ErrorCode::AlreadyExists, message));
    }
    let (commission, own) =
        holds::hold_commission(tx, scope, before, refund.id.0, (amount, left)).await?;
    let (from, debt) = source(tx, scope, before, &refund, own, by).await?;
    let (of, forced) = (refund.id, by == RequestedBy::Platform);
    let requested = Movement::refund_requested(of, scope, from, forced, commission);
    books::record_as_seen(tx, requested).await?;
    debit(tx, scope, debt, of.0).await?;
    holds::emit_balance_updated(tx, scope, commission, REQUESTED).await?;
    Ok((find(tx, scope, before.id).await?, refund))
}

/// Takes from the available balance and, where that is not enough, from the same sale's unsettled
/// receivables. A merchant's refund is refused while the balance is negative, or when advanced
/// receivables cannot be replaced: otherwise the refund would be the platform's money.
async fn source(
    tx: &Tx,
    scope: Scope,
    before: &Transaction,
    refund: &Refund,
    own: Cents,
    by: RequestedBy,
) -> Result<(SettlementSplit, Option<Shortfall>)> {
    let held = books::holdings(tx, scope).await?.available;
    if by == RequestedBy::Merchant && held < Cents::ZERO {
        return Err(insufficient());
    }
    let available = held.max(Cents::ZERO).min(own);
    let (from, debt) = holds::hold(tx, scope, before, refund.id.0, (own, available)).await?;
    let is_covered = from.available == available && debt.is_none();
    if by == RequestedBy::Merchant && !is_covered {
        return Err(insufficient());
    }
    Ok((from, debt))
}

fn expect_refundable(tx: &Tx, scope: Scope, before: &Transaction) -> Result<()> {
    if !matches!(before.status.after(Trigger::RefundInFull), Transition::Becomes(_)) {
        return Err(Error::conflict(before.status, PaymentStatus::Refunded));
    }
    if before.method == Method::Free {
        return Err(state(before, "It was free; there is nothing to give back.".to_owned()));
    }
    let window = window(before.method);
    let paid_at = before.paid_at.unwrap_or(before.updated_at);
    if scope.now(tx).since(paid_at) > window {
        let days = window.as_secs() / (24 * 3_600);
        let message = format!("It was paid more than {days} days ago and cannot go back any more.");
        return Err(state(before, message));
    }
    Ok(())
}

fn refund_method(paid: &Transaction, key: Option<&PixKey>) -> Result<RefundMethod> {
    if paid.card.is_some() {
        return Ok(RefundMethod::Card);
    }
    if paid.pix.as_ref().is_some_and(|pix| pix.end_to_end_id.is_some()) {
        return Ok(RefundMethod::Pix);
    }
    let message = "is required, because a boleto says nothing of who paid it";
    let missing = || Error::field("refundPixKey", "REQUIRED", message);
    key.cloned().map(RefundMethod::Payout).ok_or_else(missing)
}

fn state(before: &Transaction, message: String) -> Error {
    Error::State { current: before.status.to_string(), message }
}

fn insufficient() -> Error {
    let message = "The balance and what this sale will bring do not hold enough for this.";
    Error::refused(ErrorCode::InsufficientBalance, message)
}

impl Refund {
    fn pending(
        tx: &Tx,
        scope: Scope,
        of: TransactionId,
        (method, provider): (RefundMethod, String),
        amount: Cents,
        new: &NewRefund,
    ) -> Self {
        Self {
            id: RefundId::new(tx),
            transaction: of,
            status: Status::Pending,
            method,
            provider,
            amount,
            reason: new.reason.clone(),
            external_id: new.external_id.clone(),
            restock: new.restock,
            rail_id: None,
            failure_reason: None,
            created_at: scope.now(tx),
            refunded_before: None,
            sent_at: None,
            acknowledged_at: None,
            completed_at: None,
            failed_at: None,
        }
    }
}
