//! Ending what was not paid: by the merchant, or by the clock.

use db::tx::Tx;

use crate::error::{Error, Result};
use crate::events::names::Name;
use crate::ids::{Scope, TransactionId};
use crate::payment_links;
use crate::products;
use crate::transactions::jobs::Expire;
use crate::transactions::status::{Status, Trigger, Verdict};
use crate::transactions::terms::Terms;
use crate::transactions::{Transaction, announce, find, store};

/// Withdraws a payment that was not paid yet; doing it twice is not an error.
pub async fn cancel(
    tx: &Tx,
    scope: Scope,
    terms: &Terms,
    id: TransactionId,
) -> Result<Transaction> {
    let transaction = find(tx, scope, id).await?;
    let transaction = expire_if_overdue(tx, scope, terms, transaction).await?;
    close(tx, scope, terms, transaction, Trigger::Cancel).await
}

/// Expires a payment now, whatever its clock says; for simulations.
pub async fn expire(
    tx: &Tx,
    scope: Scope,
    terms: &Terms,
    id: TransactionId,
) -> Result<Transaction> {
    let transaction = find(tx, scope, id).await?;
    close(tx, scope, terms, transaction, Trigger::Expire).await
}

/// Expires a payment whose time is over; leaves every other one as it is.
pub async fn expire_if_overdue(
    tx: &Tx,
    scope: Scope,
    terms: &Terms,
    transaction: Transaction,
) -> Result<Transaction> {
    if !transaction.is_overdue(scope.now(tx)) {
        return Ok(transaction);
    }
    close(tx, scope, terms, transaction, Trigger::Expire).await
}

async fn close(
    tx: &Tx,
    scope: Scope,
    terms: &Terms,
    before: Transaction,
    trigger: Trigger,
) -> Result<Transaction> {
    let next = match before.status.after(trigger) {
        Verdict::Becomes(next) => next,
        Verdict::Already => return Ok(before),
        Verdict::Refused => {
            let wanted =
                if trigger == Trigger::Cancel { Status::Cancelled } else { Status::Expired };
            return Err(Error::conflict(before.status, wanted));
        }
    };
    let now = scope.now(tx);
    let closed = Transaction {
        version: before.version + 1,
        status: next,
        updated_at: now,
        cancelled_at: (next == Status::Cancelled).then_some(now),
        // Whoever notices first, it ended when its time was over; only a simulation ends it sooner.
        expired_at: (next == Status::Expired)
            .then(|| before.expires_at.map_or(now, |at| at.min(now))),
        ..before.clone()
    };
    if !store::close(tx, scope, &before, &closed).await? {
        return Err(tx.collision("the payment changed while it was being closed").into());
    }
    if let Some(at) = before.expires_at {
        queue::job::cancel::<Expire>(tx, before.id.0, scope.due(at).at).await?;
    }
    if let Some(link) = &closed.link {
        payment_links::release(tx, scope, link.id).await?;
    }
    products::release(tx, scope, &closed.items).await?;
    let name = if next == Status::Cancelled {
        Name::TransactionCancelled
    } else {
        Name::TransactionExpired
    };
    announce(tx, scope, terms, name, &closed).await?;
    Ok(closed)
}
