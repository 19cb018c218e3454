//! What a subscription owes: one row for each period, so that none is charged twice.
//!
//! ```text
//! DUE ──paid──▶ PAID
//!  └──no longer charged──▶ VOID
//! ```

use db::tx::Tx;

use crate::platform::error::Result;
use crate::platform::ids::{Scope, SubscriptionId, TransactionId};
use crate::subscriptions::Period;

mod store;

/// Marks a period as being charged; refuses one that owes nothing any more.
pub async fn charge(
    tx: &Tx,
    scope: Scope,
    id: SubscriptionId,
    period: Period,
    transaction: TransactionId,
) -> Result<()> {
    if store::charge(tx, scope, id, period, transaction).await? {
        return Ok(());
    }
    Err(tx.collision("the period was paid concurrently").into())
}

/// Marks a period as paid; false if it owed nothing.
pub async fn mark_paid(
    tx: &Tx,
    scope: Scope,
    id: SubscriptionId,
    period: Period,
    transaction: TransactionId,
) -> Result<bool> {
    store::mark_paid(tx, scope, id, period, transaction).await
}

/// Voids what a subscription still owes.
pub async fn void(tx: &Tx, scope: Scope, id: SubscriptionId) -> Result<()> {
    store::void(tx, scope, id).await
}

/// The payments for the periods that were charged last, newest first.
pub async fn last(
    tx: &Tx,
    scope: Scope,
    id: SubscriptionId,
    most: i64,
) -> Result<Vec<TransactionId>> {
    store::last(tx, scope, id, most).await
}
