//! The tables that a reset empties, and what is due in them.

use db::args;
use db::tx::Tx;
use ledger::cents::Cents;

use crate::platform::error::Result;
use crate::platform::ids::Scope;
use crate::store::{delete_scope, delete_scope_as_affiliate, remaining};

/// Deletes at most so many rows of a scope, table by table; returns how many more it might have.
///
/// Affiliates' rows go with the merchant's and with the affiliate's own reset.
pub async fn delete_all(tx: &Tx, scope: Scope, most: i64) -> Result<i64> {
    let mut left = most;
    let emptying = delete_scope!("advance_slices", "advance_id, transaction_id, installment");
    left = delete(tx, scope, left, emptying).await?;
    left = delete(tx, scope, left, delete_scope!("advances", "id")).await?;
    left = delete(tx, scope, left, delete_scope!("affiliate_attributions", "of_id")).await?;
    let emptying = delete_scope_as_affiliate!("affiliate_attributions", "merchant_id, of_id");
    left = delete(tx, scope, left, emptying).await?;
    left = delete(tx, scope, left, delete_scope!("affiliate_clicks", "link_id, visitor")).await?;
    left = delete(tx, scope, left, delete_scope!("affiliate_links", "id")).await?;
    left = delete(tx, scope, left, delete_scope_as_affiliate!("affiliate_links", "id")).await?;
    left = delete(tx, scope, left, delete_scope!("affiliate_programs", "id")).await?;
    let emptying = delete_scope!("receivable_takes", "transaction_id, by_id, installment");
    left = delete(tx, scope, left, emptying).await?;
    left = delete(tx, scope, left, delete_scope!("receivables", "transaction_id, installment"))
        .await?;
    left = delete(tx, scope, left, delete_scope!("unmatched_receipts", "provider, payment_id"))
        .await?;
    left = delete(tx, scope, left, delete_scope!("payment_returns", "id")).await?;
    left = delete(tx, scope, left, delete_scope!("refunds", "transaction_id, id")).await?;
    left = delete(tx, scope, left, delete_scope!("disputes", "transaction_id, id")).await?;
    left = delete(tx, scope, left, delete_scope!("transactions", "id")).await?;
    let emptying = delete_scope!("subscription_changes", "kind, changed_at, id");
    left = delete(tx, scope, left, emptying).await?;
    let emptying = delete_scope!("subscription_periods", "subscription_id, starts_at");
    left = delete(tx, scope, left, emptying).await?;
    left = delete(tx, scope, left, delete_scope!("subscriptions", "id")).await?;
    left = delete(tx, scope, left, delete_scope!("plans", "id")).await?;
    left = delete(tx, scope, left, delete_scope!("withdrawal_returns", "id")).await?;
    left = delete(tx, scope, left, delete_scope!("withdrawals", "id")).await?;
    left = delete(tx, scope, left, delete_scope!("payout_keys", "id")).await?;
    left = delete(tx, scope, left, delete_scope!("coupon_uses", "transaction_id")).await?;
    left = delete(tx, scope, left, delete_scope!("coupons", "id")).await?;
    left = delete(tx, scope, left, delete_scope!("cart_visits", "visit_hash")).await?;
    left = delete(tx, scope, left, delete_scope!("carts", "id")).await?;
    left = delete(tx, scope, left, delete_scope!("referral_rewards", "id")).await?;
    left = delete(tx, scope, left, delete_scope!("referral_withdrawals", "id")).await?;
    left = delete(tx, scope, left, delete_scope!("referrals", "id")).await?;
    left = delete(tx, scope, left, delete_scope!("daily_figures", "day")).await?;
    left = delete(tx, scope, left, delete_scope!("daily_payments", "day")).await?;
    left = delete(tx, scope, left, delete_scope!("clients", "id")).await?;
    left = delete(tx, scope, left, delete_scope!("payment_links", "id")).await?;
    left = delete(tx, scope, left, delete_scope!("products", "id")).await?;
    Ok(left)
}

/// The sum of the unpaid payments that have expired.
pub async fn expired_amount(tx: &Tx, scope: Scope) -> Result<Cents> {
    let mut row = tx
        .one(
            "select cast(coalesce(sum(amount_cents), 0) as bigint)
               from transactions
              where merchant_id = $1 and mode = $2 and status = 'PENDING' and expires_at <= $3",
            args![scope.merchant, scope.mode, scope.now(tx)],
        )
        .await?;
    Ok(row.take()?)
}

/// The sum of the subscriptions that are to be charged, at their present price.
pub async fn billed_amount(tx: &Tx, scope: Scope) -> Result<Cents> {
    let mut row = tx
        .one(
            "select cast(coalesce(sum(amount_cents), 0) as bigint)
               from subscriptions
              where merchant_id = $1 and mode = $2 and status in ('ACTIVE', 'TRIALING')
                and not cancel_at_period_end and next_billing_at <= $3",
            args![scope.merchant, scope.mode, scope.now(tx)],
        )
        .await?;
    Ok(row.take()?)
}

/// The sum of the receivables that are to be settled.
pub async fn settled_amount(tx: &Tx, scope: Scope) -> Result<Cents> {
    let mut row = tx
        .one(
            "select cast(coalesce(
                        sum(amount_cents - fee_cents - commission_cents - taken_cents), 0)
                    as bigint)
               from receivables
              where merchant_id = $1 and mode = $2 and status = 'PENDING' and due_at <= $3",
            args![scope.merchant, scope.mode, scope.now(tx)],
        )
        .await?;
    Ok(row.take()?)
}

async fn delete(tx: &Tx, scope: Scope, most: i64, emptying: &'static str) -> Result<i64> {
    if most <= 0 {
        return Ok(0);
    }
    let deleted = tx.exec(emptying, args![scope.merchant, scope.mode, most]).await?;
    Ok(remaining(most, deleted))
}
