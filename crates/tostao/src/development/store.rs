//! The tables that a reset empties.

use db::args;
use db::tx::Tx;

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
    left = delete(tx, scope, left, delete_scope!("coupon_uses", "transaction_id")).await?;
    left = delete(tx, scope, left, delete_scope!("coupons", "id")).await?;
    left = delete(tx, scope, left, delete_scope!("cart_visits", "visit_hash")).await?;
    left = delete(tx, scope, left, delete_scope!("carts", "id")).await?;
    left = delete(tx, scope, left, delete_scope!("referral_rewards", "id")).await?;
    left = delete(tx, scope, left, delete_scope!("referral_withdrawals", "id")).await?;
    left = delete(tx, scope, left, delete_scope!("referrals", "id")).await?;
    left = delete(tx, scope, left, delete_scope!("clients", "id")).await?;
    left = delete(tx, scope, left, delete_scope!("payment_links", "id")).await?;
    left = delete(tx, scope, left, delete_scope!("products", "id")).await?;
    Ok(left)
}

async fn delete(tx: &Tx, scope: Scope, most: i64, emptying: &'static str) -> Result<i64> {
    if most <= 0 {
        return Ok(0);
    }
    let deleted = tx.exec(emptying, args![scope.merchant, scope.mode, most]).await?;
    Ok(remaining(most, deleted))
}
