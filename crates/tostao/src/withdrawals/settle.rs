//! Applies a bank's report about a withdrawal, by the rules of every order in `providers::orders`.
//!
//! A report that contradicts an ended withdrawal, or another order, is also stored, for
//! administrators.

use db::tx::Tx;
use rails::payout::PayoutReport;

use crate::books;
use crate::books::movements::Movement;
use crate::events::names::Name;
use crate::mail;
use crate::mail::content::Content;
use crate::platform::error::Result;
use crate::platform::ids::{Scope, WithdrawalId};
use crate::platform::masked;
use crate::providers::orders::{ProviderStatus, Reconciled, StoredOrder};
use crate::withdrawals::status::{Reported, Status};
use crate::withdrawals::terms::WithdrawalTerms;
use crate::withdrawals::{Withdrawal, missing, publish_change, store};

/// Applies a bank's own report; `None` if no withdrawal that it was given has this reference and
/// amount. Safe to repeat.
pub async fn receive(
    tx: &Tx,
    terms: &WithdrawalTerms,
    provider: &str,
    report: &PayoutReport,
) -> Result<Option<Reconciled>> {
    let Some(reference) = &report.reference else { return Ok(None) };
    let found = store::lock_by_reference(tx, reference).await?;
    let ours = found.filter(|(_, withdrawal)| withdrawal.is_ordered_from(provider));
    let Some((scope, withdrawal)) = ours else { return Ok(None) };
    if report.amount.is_some_and(|amount| amount != withdrawal.net()) {
        return Ok(None);
    }
    let status = ProviderStatus::from(&report.state);
    settle(tx, scope, terms, &withdrawal, &status).await.map(Some)
}

/// Finds an approved withdrawal by its id alone.
pub async fn find_sent(tx: &Tx, id: WithdrawalId) -> Result<Option<(Scope, Withdrawal)>> {
    store::find_by_reference(tx, &Withdrawal::reference(id)).await
}

/// The same, and locks it until the unit ends.
pub async fn lock_sent(tx: &Tx, id: WithdrawalId) -> Result<(Scope, Withdrawal)> {
    store::lock_by_reference(tx, &Withdrawal::reference(id)).await?.ok_or_else(missing)
}

/// Applies an order's status at its bank; the caller holds the withdrawal's lock.
pub async fn settle(
    tx: &Tx,
    scope: Scope,
    terms: &WithdrawalTerms,
    withdrawal: &Withdrawal,
    status: &ProviderStatus,
) -> Result<Reconciled> {
    let reconciled = withdrawal.stored_order(scope).reconcile(tx, status).await?;
    match &reconciled {
        Reconciled::Acknowledged => store::acknowledge(tx, scope, withdrawal.id).await?,
        Reconciled::Completed { rail_id } => {
            complete(tx, scope, terms, withdrawal, rail_id).await?;
        }
        Reconciled::Failed { reason } => {
            let failed = store::fail_claimed(tx, scope, withdrawal, reason).await?;
            let failed =
                failed.ok_or_else(|| tx.collision("the withdrawal changed while it failed"))?;
            end_unpaid(tx, scope, terms, failed).await?;
        }
        Reconciled::StatusMismatch => {
            store::note_status_mismatch(tx, scope, withdrawal.id, &text(status)).await?;
        }
        Reconciled::PaymentTaken => {
            store::acknowledge(tx, scope, withdrawal.id).await?;
            store::note_status_mismatch(tx, scope, withdrawal.id, &text(status)).await?;
        }
        Reconciled::NotSent => store::unmark_sent(tx, scope, withdrawal.id).await?,
        Reconciled::Pending | Reconciled::AlreadyEnded => {}
    }
    Ok(reconciled)
}

/// Returns the money of a failed withdrawal and emits its event.
pub async fn end(
    tx: &Tx,
    scope: Scope,
    terms: &WithdrawalTerms,
    failed: Withdrawal,
) -> Result<Withdrawal> {
    let (of, amount) = (failed.id, failed.amount);
    books::record(tx, Movement::withdrawal_failed(of, scope, amount)).await?;
    publish_change(tx, scope, terms, Name::WithdrawalFailed, &failed).await?;
    Ok(failed)
}

/// The same for one that its merchant did not end; they get a mail about it.
pub async fn end_unpaid(
    tx: &Tx,
    scope: Scope,
    terms: &WithdrawalTerms,
    failed: Withdrawal,
) -> Result<Withdrawal> {
    let failed = end(tx, scope, terms, failed).await?;
    let content = Content::WithdrawalFailed {
        amount_cents: failed.amount.get(),
        pix_key: masked::pix_key(&failed.key),
    };
    mail::write_to_owner(tx, scope, failed.id.0, content).await?;
    Ok(failed)
}

async fn complete(
    tx: &Tx,
    scope: Scope,
    terms: &WithdrawalTerms,
    withdrawal: &Withdrawal,
    end_to_end_id: &str,
) -> Result<()> {
    let paid = store::complete(tx, scope, withdrawal.id, end_to_end_id).await?;
    let paid = paid.ok_or_else(|| tx.collision("the withdrawal ended while it was completed"))?;
    let (of, net, fee) = (paid.id, paid.net(), paid.fee);
    books::record(tx, Movement::withdrawal_completed(of, scope, net, fee)).await?;
    publish_change(tx, scope, terms, Name::WithdrawalCompleted, &paid).await?;
    let content = Content::WithdrawalCompleted {
        amount_cents: paid.amount.get(),
        net_cents: net.get(),
        pix_key: masked::pix_key(&paid.key),
    };
    mail::write_to_owner(tx, scope, of.0, content).await
}

/// A report as it is stored for administrators.
fn text(status: &ProviderStatus) -> String {
    match status {
        ProviderStatus::Processing => Reported::Processing.name().to_owned(),
        ProviderStatus::NotFound | ProviderStatus::NotSent => Reported::NotFound.name().to_owned(),
        ProviderStatus::Done { rail_id } => format!("{} {rail_id}", Reported::Paid),
        ProviderStatus::Refused { reason } => reason.clone(),
    }
}

impl Withdrawal {
    /// Whether a bank has its order.
    pub fn is_ordered_from(&self, provider: &str) -> bool {
        self.order.as_ref().is_some_and(|order| order.provider == provider)
    }

    /// The withdrawal's order, as far as its bank's reports are about it.
    pub fn stored_order(&self, owner: Scope) -> StoredOrder<'_> {
        StoredOrder {
            kind: "withdrawal",
            id: self.id.0,
            owner,
            is_pending: self.status == Status::Pending,
            pix_bank: self.order.as_ref().map(|order| order.provider.as_str()),
            rail_id: self.end_to_end_id.as_deref(),
            sent_at: self.sent_at,
            acknowledged_at: self.acknowledged_at,
        }
    }
}
