//! The table of subscription periods.

use db::args;
use db::tx::Tx;

use crate::platform::error::Result;
use crate::platform::ids::{Scope, SubscriptionId, TransactionId};
use crate::subscriptions::Period;

/// Marks a period as being charged; false if it owes nothing any more.
pub async fn charge(
    tx: &Tx,
    scope: Scope,
    id: SubscriptionId,
    period: Period,
    transaction: TransactionId,
) -> Result<bool> {
    let charged = tx
        .exec(
            "insert into subscription_periods
                    (merchant_id, mode, subscription_id, starts_at, ends_at, status, attempts,
                     transaction_id, created_at)
             values ($1, $2, $3, $4, $5, 'DUE', 1, $6, $7)
                 on conflict (merchant_id, mode, subscription_id, starts_at) do update
                set attempts = subscription_periods.attempts + 1,
                    transaction_id = excluded.transaction_id
              where subscription_periods.status = 'DUE'",
            args![
                scope.merchant,
                scope.mode,
                id,
                period.start,
                period.end,
                transaction,
                scope.now(tx),
            ],
        )
        .await?;
    Ok(charged == 1)
}

/// Marks a period as paid; false if it owed nothing.
pub async fn mark_paid(
    tx: &Tx,
    scope: Scope,
    id: SubscriptionId,
    period: Period,
    transaction: TransactionId,
) -> Result<bool> {
    let paid = tx
        .exec(
            "update subscription_periods
                set status = 'PAID', paid_at = $1, transaction_id = $2
              where merchant_id = $3 and mode = $4 and subscription_id = $5 and starts_at = $6
                and status = 'DUE'",
            args![scope.now(tx), transaction, scope.merchant, scope.mode, id, period.start],
        )
        .await?;
    Ok(paid == 1)
}

/// Voids what a subscription still owed.
pub async fn void(tx: &Tx, scope: Scope, id: SubscriptionId) -> Result<()> {
    tx.defer(
        "update subscription_periods
            set status = 'VOID'
          where merchant_id = $1 and mode = $2 and subscription_id = $3 and status = 'DUE'",
        args![scope.merchant, scope.mode, id],
    )
    .await?;
    Ok(())
}

pub async fn last(
    tx: &Tx,
    scope: Scope,
    id: SubscriptionId,
    most: i64,
) -> Result<Vec<TransactionId>> {
    let rows = tx
        .all(
            "select transaction_id
               from subscription_periods
              where merchant_id = $1 and mode = $2 and subscription_id = $3
              order by starts_at desc
              limit $4",
            args![scope.merchant, scope.mode, id, most],
        )
        .await?;
    rows.into_iter().map(|mut row| Ok(row.take()?)).collect()
}
