//! Approve, reject or cancel a pending withdrawal. Each is a compare-and-set; one wins.

use db::tx::Tx;

use crate::audit::decision::Decision;
use crate::audit::{self, Action, ActorContext, Entry};
use crate::platform::error::{Error, Result};
use crate::platform::ids::{Mode, Scope, WithdrawalId};
use crate::withdrawals::jobs::SendPayout;
use crate::withdrawals::settle::end;
use crate::withdrawals::status::FailureReason;
use crate::withdrawals::store::WithdrawalFailure;
use crate::withdrawals::terms::WithdrawalTerms;
use crate::withdrawals::{PaymentOrderReference, Withdrawal, missing, store};

/// Claims a withdrawal; the order is sent after the commit.
pub async fn approve(
    tx: &Tx,
    scope: Scope,
    by: &ActorContext,
    provider: &'static str,
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
    audit::record(tx, by, entry(Action::WithdrawalApproved, scope, id)).await?;
    let job = SendPayout { merchant: scope.merchant, mode: scope.mode, id };
    queue::job::push(tx, id.0, scope.due(scope.now(tx)), &job).await?;
    Ok(claimed)
}

/// Returns the money instead of sending it.
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
    end(tx, scope, terms, failed).await
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
