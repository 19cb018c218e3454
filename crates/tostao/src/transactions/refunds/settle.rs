//! Applies a provider's report about a refund.

use db::tx::Tx;
use ledger::cents::Cents;
use rails::payout::PayoutReport;

use crate::affiliates::commissions::clawbacks::ClawbackReason;
use crate::books;
use crate::books::movements::Movement;
use crate::coupons;
use crate::events::names::Name;
use crate::payment_links;
use crate::platform::error::{Result, overflow};
use crate::platform::ids::{RefundId, Scope, TransactionId};
use crate::products;
use crate::providers::orders::{ProviderStatus, Reconciled, StoredOrder};
use crate::transactions::disputes::infractions;
use crate::transactions::events::TransactionRefunded;
use crate::transactions::refunds::method::{PAYOUT, PIX};
use crate::transactions::refunds::view::RefundView;
use crate::transactions::refunds::{Refund, Status, store};
use crate::transactions::status::{Status as PaymentStatus, Transition, Trigger};
use crate::transactions::store as payments;
use crate::transactions::terms::PaymentTerms;
use crate::transactions::view::TransactionView;
use crate::transactions::{CHANGED, Transaction, find, holds, publish_change};
use crate::webhooks;

/// The reason of the balance change in `balance.updated`.
const FAILED: &str = "refund.failed";

/// Applies a bank's own report about a payout; `None` if no refund that it was asked for has this
/// reference.
pub async fn receive(
    tx: &Tx,
    terms: &PaymentTerms,
    provider: &str,
    report: &PayoutReport,
) -> Result<Option<Reconciled>> {
    let Some(reference) = &report.reference else { return Ok(None) };
    let status = ProviderStatus::from(&report.state);
    let order = (PAYOUT, reference.as_str(), report.amount);
    receive_by(tx, terms, provider, order, &status).await
}

/// Applies a bank's own report about the return of a PIX; `None` if no refund that it was asked
/// for has this reference and amount.
pub async fn receive_pix(
    tx: &Tx,
    terms: &PaymentTerms,
    provider: &str,
    (reference, amount): (&str, Cents),
    status: &ProviderStatus,
) -> Result<Option<Reconciled>> {
    receive_by(tx, terms, provider, (PIX, reference, Some(amount)), status).await
}

async fn receive_by(
    tx: &Tx,
    terms: &PaymentTerms,
    provider: &str,
    (method, reference, amount): (&str, &str, Option<Cents>),
    status: &ProviderStatus,
) -> Result<Option<Reconciled>> {
    let found = store::find_ordered(tx, provider, method, reference).await?;
    let same = |refund: &Refund| amount.is_none_or(|amount| amount == refund.amount);
    let Some((scope, refund)) = found.filter(|(_, refund)| same(refund)) else { return Ok(None) };
    settle(tx, scope, terms, refund.transaction, refund.id, status).await.map(Some)
}

/// Applies a refund's status at its provider; a repeated report is not an error.
pub async fn settle(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    of: TransactionId,
    id: RefundId,
    status: &ProviderStatus,
) -> Result<Reconciled> {
    payments::lock(tx, scope, of).await?;
    let before = find(tx, scope, of).await?;
    let refund = store::find(tx, scope, of, id).await?;
    let reconciled = refund.order(scope).reconcile(tx, status).await?;
    match &reconciled {
        Reconciled::Acknowledged | Reconciled::PaymentTaken => {
            store::acknowledge(tx, scope, &refund).await?;
        }
        Reconciled::Completed { rail_id } => {
            complete(tx, scope, terms, &before, refund, rail_id).await?;
        }
        Reconciled::Failed { reason } => fail(tx, scope, terms, &before, refund, reason).await?,
        Reconciled::NotSent => store::unmark_sent(tx, scope, &refund).await?,
        Reconciled::Pending | Reconciled::AlreadyEnded | Reconciled::StatusMismatch => {}
    }
    Ok(reconciled)
}

/// Records that the money is back with its payer.
///
/// Rows are locked in the order of every unit: the payment, its link, products and coupon, the
/// commission, the referral, the accounts last.
async fn complete(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    before: &Transaction,
    refund: Refund,
    rail_id: &str,
) -> Result<()> {
    let now = scope.now(tx);
    let refunded = before.refunded.plus(refund.amount).ok_or_else(overflow)?;
    let next = match before.status.after(Trigger::RefundInFull) {
        Transition::Becomes(next) if before.paid == Some(refunded) => next,
        _ => before.status,
    };
    let in_full = next == PaymentStatus::Refunded;
    let after = Transaction {
        version: before.version + 1,
        status: next,
        refunding: before.refunding.minus(refund.amount).ok_or_else(overflow)?,
        refunded,
        refunded_at: in_full.then_some(now),
        updated_at: now,
        ..before.clone()
    };
    change(tx, scope, before, &after).await?;
    let refund = Refund {
        status: Status::Completed,
        rail_id: Some(rail_id.to_owned()),
        completed_at: Some(now),
        ..refund
    };
    end(tx, scope, &refund).await?;
    if in_full {
        revert_sale(tx, scope, &after).await?;
    }
    let (of, amount) = (refund.id, refund.amount);
    holds::claw_back(tx, scope, &after, of.0, amount, ClawbackReason::Refunded).await?;
    books::record(tx, Movement::refund_completed(of, scope, amount)).await?;
    publish_refunded(tx, scope, terms, &after, &refund).await?;
    books::emit_balance_updated(tx, scope, Name::TransactionRefunded.text()).await
}

/// Records that the refund failed; the money returns to the accounts it was taken from, and is held
/// where a report of fraud about the payment is not decided.
async fn fail(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    before: &Transaction,
    refund: Refund,
    reason: &str,
) -> Result<()> {
    let now = scope.now(tx);
    let after = Transaction {
        version: before.version + 1,
        refunding: before.refunding.minus(refund.amount).ok_or_else(overflow)?,
        updated_at: now,
        ..before.clone()
    };
    change(tx, scope, before, &after).await?;
    let refund = Refund {
        status: Status::Failed,
        failure_reason: Some(refund.method.failure_reason(reason)),
        failed_at: Some(now),
        ..refund
    };
    end(tx, scope, &refund).await?;
    let of = refund.id;
    let (to, commission) = holds::release(tx, scope, before, of.0, refund.amount).await?;
    books::record(tx, Movement::refund_failed(of, scope, to, commission)).await?;
    publish_change(tx, scope, terms, Name::TransactionUpdated, &after).await?;
    holds::emit_balance_updated(tx, scope, commission, FAILED).await?;
    // On the heap, because few refunds fail.
    Box::pin(infractions::hold_left(tx, scope, terms, &after)).await
}

/// Reverts a payment that is refunded in full: restores its coupon's use and, if a refund said so,
/// restocks what was sold.
async fn revert_sale(tx: &Tx, scope: Scope, after: &Transaction) -> Result<()> {
    if !after.oversold && store::wants_restock(tx, scope, after.id).await? {
        if let Some(link) = &after.link {
            payment_links::restock(tx, scope, link.id).await?;
        }
        products::restock(tx, scope, &after.items).await?;
    }
    coupons::uses::free_slot(tx, scope, after.id).await
}

async fn publish_refunded(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    after: &Transaction,
    refund: &Refund,
) -> Result<()> {
    let transaction = Box::new(TransactionView::new(terms, scope, after));
    let event = TransactionRefunded {
        customer: transaction.customer.clone(),
        transaction,
        reason: refund.reason.clone(),
        refund: Box::new(RefundView::new(refund)),
        partial: after.paid != Some(after.refunded),
    };
    tx.notify(CHANGED, after.id.0);
    webhooks::publish(tx, scope, after.version, &event).await
}

async fn change(tx: &Tx, scope: Scope, before: &Transaction, after: &Transaction) -> Result<()> {
    if store::change(tx, scope, before, after).await? {
        return Ok(());
    }
    Err(tx.collision("the payment changed while its refund ended").into())
}

async fn end(tx: &Tx, scope: Scope, ended: &Refund) -> Result<()> {
    if store::end(tx, scope, ended).await? {
        return Ok(());
    }
    Err(tx.collision("the refund changed while it ended").into())
}

impl Refund {
    fn order(&self, owner: Scope) -> StoredOrder<'_> {
        StoredOrder {
            kind: "refund",
            id: self.id.0,
            owner,
            is_pending: self.status == Status::Pending,
            pix_bank: self.method.is_pix().then_some(self.provider.as_str()),
            rail_id: self.rail_id.as_deref(),
            sent_at: self.sent_at,
            acknowledged_at: self.acknowledged_at,
        }
    }
}
