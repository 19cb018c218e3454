//! Closes unpaid payments: cancelled by the merchant, expired, or failed.

use db::tx::Tx;
use rails::card::DeclineCode;

use crate::coupons;
use crate::events::names::Name;
use crate::payment_links;
use crate::platform::error::{Error, Result};
use crate::platform::ids::{Scope, TransactionId};
use crate::products;
use crate::transactions::failure::FailureReason;
use crate::transactions::jobs::{self, Expire};
use crate::transactions::status::{Status, Transition, Trigger};
use crate::transactions::terms::PaymentTerms;
use crate::transactions::{Transaction, find, publish_change, store, subscriber};

/// Why a payment was cancelled in favor of the one that its buyer pays instead.
const REPLACED: &str = FailureReason::Replaced.name();

/// Cancels an unpaid payment; repeating it is not an error.
pub async fn cancel(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    id: TransactionId,
) -> Result<Transaction> {
    let transaction = find(tx, scope, id).await?;
    let transaction = expire_if_overdue(tx, scope, terms, transaction).await?;
    close(tx, scope, terms, transaction, Trigger::Cancel, None).await
}

/// Cancels a payment because another one is issued in its place.
///
/// One that has already ended is left unchanged; a paid one cannot be replaced.
pub async fn replace(tx: &Tx, scope: Scope, terms: &PaymentTerms, id: TransactionId) -> Result<()> {
    let transaction = find(tx, scope, id).await?;
    let transaction = expire_if_overdue(tx, scope, terms, transaction).await?;
    if matches!(transaction.status, Status::Expired | Status::Cancelled | Status::Failed) {
        return Ok(());
    }
    close(tx, scope, terms, transaction, Trigger::Cancel, Some(REPLACED)).await?;
    Ok(())
}

/// Cancels a payment that is no longer needed, unless it is too late: a charge that an acquirer is
/// processing is refunded if it succeeds.
pub async fn cancel_if_pending(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    id: TransactionId,
) -> Result<()> {
    if find(tx, scope, id).await?.status == Status::Pending {
        replace(tx, scope, terms, id).await?;
    }
    Ok(())
}

/// Expires a payment now, whatever its deadline.
pub async fn expire(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    id: TransactionId,
) -> Result<Transaction> {
    let transaction = find(tx, scope, id).await?;
    close(tx, scope, terms, transaction, Trigger::Expire, None).await
}

/// Expires an overdue payment of simulated money; leaves every other one unchanged.
///
/// A payment of real money is expired by its job alone, which asks the bank first.
pub async fn expire_if_overdue(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    transaction: Transaction,
) -> Result<Transaction> {
    if !scope.mode.is_development() || !transaction.is_past_deadline(scope.now(tx)) {
        return Ok(transaction);
    }
    close(tx, scope, terms, transaction, Trigger::Expire, None).await
}

/// Records a final decline, or a boleto that its bank did not make; a repeated report is not an
/// error.
pub async fn fail(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    before: Transaction,
    decline: Option<DeclineCode>,
    reason: &str,
) -> Result<Transaction> {
    match before.status.after(Trigger::Fail) {
        Transition::Becomes(_) => {}
        Transition::Already => return Ok(before),
        Transition::Refused => return Err(Error::conflict(before.status, Status::Failed)),
    }
    let now = scope.now(tx);
    let failed = Transaction {
        version: before.version + 1,
        status: Status::Failed,
        decline_code: decline,
        failure_reason: Some(reason.to_owned()),
        failed_at: Some(now),
        updated_at: now,
        ..before.clone()
    };
    if !store::fail(tx, scope, &before, &failed).await? {
        return Err(tx.collision("the payment changed while it was being refused").into());
    }
    release_reservations(tx, scope, &failed).await?;
    publish_change(tx, scope, terms, Name::TransactionFailed, &failed).await?;
    subscriber::report_unpaid(tx, scope, terms, &failed).await?;
    Ok(failed)
}

async fn close(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    before: Transaction,
    trigger: Trigger,
    reason: Option<&str>,
) -> Result<Transaction> {
    let next = match before.status.after(trigger) {
        Transition::Becomes(next) => next,
        Transition::Already => return Ok(before),
        Transition::Refused => {
            let wanted =
                if trigger == Trigger::Cancel { Status::Cancelled } else { Status::Expired };
            return Err(Error::conflict(before.status, wanted));
        }
    };
    let now = scope.now(tx);
    let closed = Transaction {
        version: before.version + 1,
        status: next,
        failure_reason: reason.map(str::to_owned),
        updated_at: now,
        cancelled_at: (next == Status::Cancelled).then_some(now),
        // The expiry time is the deadline, whenever it is noticed; only a simulation expires a
        // payment sooner.
        expired_at: (next == Status::Expired)
            .then(|| before.expires_at.map_or(now, |at| at.min(now))),
        ..before.clone()
    };
    if !store::close(tx, scope, &before, &closed).await? {
        return Err(tx.collision("the payment changed while it was being closed").into());
    }
    release_reservations(tx, scope, &closed).await?;
    jobs::close_at_bank(tx, scope, &closed).await?;
    let name = if next == Status::Cancelled {
        Name::TransactionCancelled
    } else {
        Name::TransactionExpired
    };
    publish_change(tx, scope, terms, name, &closed).await?;
    subscriber::report_unpaid(tx, scope, terms, &closed).await?;
    Ok(closed)
}

/// Releases what a payment had reserved, because it will not be paid.
///
/// The link is locked before the products and the coupon, here as everywhere, to avoid deadlocks.
async fn release_reservations(tx: &Tx, scope: Scope, closed: &Transaction) -> Result<()> {
    if let Some(at) = closed.expires_at {
        queue::job::cancel::<Expire>(tx, closed.id.0, scope.due(at).at).await?;
    }
    if let Some(link) = &closed.link {
        payment_links::release(tx, scope, link.id).await?;
    }
    products::release(tx, scope, &closed.items).await?;
    coupons::uses::release(tx, scope, closed.id).await
}
