//! Approve, reject or cancel a pending withdrawal. Each is a compare-and-set; one wins. A
//! withdrawal that its bank reported under another order's payment is resolved by an administrator.

use db::tx::Tx;

use crate::audit::decision::Decision;
use crate::audit::{self, APPROVED_BY, Action, ActorContext, Entry};
use crate::books;
use crate::platform::error::{Error, Result};
use crate::platform::ids::{Mode, Scope, WithdrawalId};
use crate::providers::orders::{MAY_ARRIVE_FOR, ProviderStatus, lane};
use crate::withdrawals::jobs::SendPayout;
use crate::withdrawals::settle::{end, end_unpaid, settle};
use crate::withdrawals::status::{FailureReason, Status};
use crate::withdrawals::store::WithdrawalFailure;
use crate::withdrawals::terms::WithdrawalTerms;
use crate::withdrawals::{PaymentOrderReference, Withdrawal, find, missing, store};

/// How a payout ended, by the statement of its bank.
#[derive(Debug, Clone)]
pub enum StatementOutcome {
    Paid {
        end_to_end_id: String,
    },
    /// The message is for the merchant.
    NotPaid {
        message: Option<String>,
    },
}

impl StatementOutcome {
    const fn name(&self) -> &'static str {
        match self {
            Self::Paid { .. } => "paid",
            Self::NotPaid { .. } => "not_paid",
        }
    }

    fn end_to_end_id(&self) -> Option<&str> {
        match self {
            Self::Paid { end_to_end_id } => Some(end_to_end_id),
            Self::NotPaid { .. } => None,
        }
    }
}

/// Claims a withdrawal, unless its account is in debt; the order is sent after the commit.
pub async fn approve(
    tx: &Tx,
    scope: Scope,
    by: &ActorContext,
    provider: &str,
    id: WithdrawalId,
) -> Result<Withdrawal> {
    let decided = Decision::about(scope.merchant, by, scope.now(tx))?;
    let order = PaymentOrderReference {
        provider: provider.to_owned(),
        reference: Withdrawal::reference(id),
    };
    let Some(claimed) = store::claim(tx, scope, id, &order, decided.as_ref()).await? else {
        return Err(taken(tx, scope, id).await);
    };
    expect_no_debt(tx, scope, &claimed).await?;
    audit::record(tx, by, entry(Action::WithdrawalApproved, scope, id)).await?;
    let job = SendPayout { merchant: scope.merchant, mode: scope.mode, id };
    let lane = lane(provider, true);
    queue::job::push_in(tx, &lane, id.0, scope.due(scope.now(tx)), &job).await?;
    Ok(claimed)
}

/// Refuses to pay out of an account that owes; the unit that claimed the withdrawal is undone.
///
/// No dispute comes in between, as the accounts are locked.
async fn expect_no_debt(tx: &Tx, scope: Scope, claimed: &Withdrawal) -> Result<()> {
    books::lock(tx, scope).await?;
    if !books::is_in_debt(tx, scope).await? {
        return Ok(());
    }
    let current = claimed.status.to_string();
    let message = "The account's balance is negative. Approve when sales have covered it, or \
                   reject the withdrawal."
        .to_owned();
    Err(Error::State { current, message })
}

/// Returns the money instead of sending it; an approved order that certainly did not reach its bank
/// is withdrawn, also one that waits while its account is in debt. The sender marks the same row
/// before it sends the order, so one of both wins.
pub async fn reject(
    tx: &Tx,
    scope: Scope,
    by: &ActorContext,
    terms: &WithdrawalTerms,
    id: WithdrawalId,
    message: Option<&str>,
) -> Result<Withdrawal> {
    let decided = Decision::about(scope.merchant, by, scope.now(tx))?;
    let why = WithdrawalFailure { reason: FailureReason::RejectedByAdmin, message, decided };
    let Some(failed) = store::fail_unclaimed(tx, scope, id, &why).await? else {
        return Err(taken(tx, scope, id).await);
    };
    audit::record(tx, by, entry(Action::WithdrawalRejected, scope, id)).await?;
    end_unpaid(tx, scope, terms, failed).await
}

/// Cancels a withdrawal before it was approved; repeating it is not an error.
pub async fn cancel(
    tx: &Tx,
    scope: Scope,
    by: &ActorContext,
    terms: &WithdrawalTerms,
    id: WithdrawalId,
) -> Result<Withdrawal> {
    let reason = FailureReason::CancelledByMerchant;
    let why = WithdrawalFailure { reason, message: None, decided: None };
    if let Some(failed) = store::fail_unclaimed(tx, scope, id, &why).await? {
        audit::record(tx, by, entry(Action::WithdrawalCancelled, scope, id)).await?;
        return end(tx, scope, terms, failed).await;
    }
    let found = store::find(tx, scope, id).await?.ok_or_else(missing)?;
    if found.failure_reason.as_deref() == Some(reason.name()) {
        return Ok(found);
    }
    Err(already_processed(&found))
}

/// Ends a withdrawal that its bank reported under another order's payment, and that would be
/// pending until the bank reports otherwise.
pub async fn resolve(
    tx: &Tx,
    scope: Scope,
    by: &ActorContext,
    terms: &WithdrawalTerms,
    id: WithdrawalId,
    outcome: &StatementOutcome,
) -> Result<Withdrawal> {
    let decided = Decision::about(scope.merchant, by, scope.now(tx))?;
    let sent = store::lock_by_reference(tx, &Withdrawal::reference(id)).await?;
    let waiting = sent.map(|(_, sent)| sent).filter(Withdrawal::can_be_resolved);
    let Some(before) = waiting else {
        let current = find(tx, scope, id).await?.status.to_string();
        let message = "It is not pending, or its bank has not contradicted it.".to_owned();
        return Err(Error::State { current, message });
    };
    let order = before.stored_order(scope);
    if outcome.end_to_end_id().is_none() && order.may_still_arrive(scope.now(tx)) {
        let current = before.status.to_string();
        let minutes = MAY_ARRIVE_FOR.as_secs() / 60;
        let message = format!(
            "Its order may still reach the bank. Decide when {minutes} minutes have passed since \
             it was sent."
        );
        return Err(Error::State { current, message });
    }
    let (status, message) = match outcome {
        StatementOutcome::Paid { end_to_end_id } => {
            if !order.claim(tx, end_to_end_id).await? {
                let message = "belongs to another withdrawal, refund or return";
                return Err(Error::field("endToEndId", "INVALID_VALUE", message));
            }
            (ProviderStatus::Done { rail_id: end_to_end_id.clone() }, None)
        }
        StatementOutcome::NotPaid { message } => {
            let reason = FailureReason::RejectedByAdmin.name().to_owned();
            (ProviderStatus::Refused { reason }, message.as_deref())
        }
    };
    store::resolve(tx, scope, id, message, decided.as_ref()).await?;
    let entry = entry(Action::WithdrawalResolved, scope, id)
        .with("outcome", outcome.name())
        .with("endToEndId", outcome.end_to_end_id())
        .with("contradiction", before.contradiction.as_deref())
        .with(APPROVED_BY, before.decided.as_ref().map(|decided| decided.by.to_string()));
    audit::record(tx, by, entry).await?;
    settle(tx, scope, terms, &before, &status).await?;
    find(tx, scope, id).await
}

impl Withdrawal {
    /// Whether [`approve`] takes it.
    pub fn can_be_approved(&self) -> bool {
        self.status == Status::Pending && self.processed_at.is_none()
    }

    /// Whether [`reject`] takes it: no order of it is at a bank, for certain.
    pub fn can_be_rejected(&self) -> bool {
        let is_withdrawn = self.sent_at.is_none() && self.not_sent_at.is_some();
        self.status == Status::Pending && (self.processed_at.is_none() || is_withdrawn)
    }

    /// Whether [`resolve`] takes it: its bank has contradicted it.
    pub fn can_be_resolved(&self) -> bool {
        self.status == Status::Pending && self.contradiction.is_some()
    }
}

/// The scope that owns a withdrawal, for an administrator.
pub async fn scope_of(tx: &Tx, mode: Mode, id: WithdrawalId) -> Result<Scope> {
    store::scope_of(tx, mode, id).await?.ok_or_else(missing)
}

fn entry(action: Action, scope: Scope, id: WithdrawalId) -> Entry {
    Entry::new(action, scope.merchant).in_mode(scope.mode).on(id.0)
}

async fn taken(tx: &Tx, scope: Scope, id: WithdrawalId) -> Error {
    match store::find(tx, scope, id).await {
        Ok(Some(found)) => already_processed(&found),
        Ok(None) => missing(),
        Err(error) => error,
    }
}

fn already_processed(found: &Withdrawal) -> Error {
    let state = match (&found.failure_reason, found.processed_at) {
        (Some(reason), _) => format!("has failed: {reason}"),
        (None, Some(_)) if found.completed_at.is_none() => "was approved already".to_owned(),
        _ => "was paid already".to_owned(),
    };
    let (current, message) = (found.status.to_string(), format!("The withdrawal {state}."));
    Error::Processed { current, message }
}
