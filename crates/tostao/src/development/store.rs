//! The tables that a reset empties.

use db::args;
use db::tx::Tx;

use crate::platform::error::Result;
use crate::platform::ids::Scope;
use crate::store::{clearing, clearing_had, room};

/// Deletes at most so many rows of a scope, table by table; returns how many more it might have.
///
/// Affiliates' rows go with the merchant's and with the affiliate's own reset.
pub async fn delete_all(tx: &Tx, scope: Scope, most: i64) -> Result<i64> {
    let mut left = most;
    let emptying = clearing!("advance_slices", "advance_id, transaction_id, installment");
    left = delete(tx, scope, left, emptying).await?;
    left = delete(tx, scope, left, clearing!("advances", "id")).await?;
    left = delete(tx, scope, left, clearing!("affiliate_attributions", "of_id")).await?;
    let emptying = clearing_had!("affiliate_attributions", "merchant_id, of_id");
    left = delete(tx, scope, left, emptying).await?;
    left = delete(tx, scope, left, clearing!("affiliate_clicks", "link_id, visitor")).await?;
    left = delete(tx, scope, left, clearing!("affiliate_links", "id")).await?;
    left = delete(tx, scope, left, clearing_had!("affiliate_links", "id")).await?;
    left = delete(tx, scope, left, clearing!("affiliate_programs", "id")).await?;
    let emptying = clearing!("receivable_takes", "transaction_id, by_id, installment");
    left = delete(tx, scope, left, emptying).await?;
    left = delete(tx, scope, left, clearing!("receivables", "transaction_id, installment")).await?;
    left = delete(tx, scope, left, clearing!("unmatched_receipts", "provider, payment_id")).await?;
    left = delete(tx, scope, left, clearing!("payment_returns", "id")).await?;
    left = delete(tx, scope, left, clearing!("refunds", "transaction_id, id")).await?;
    left = delete(tx, scope, left, clearing!("disputes", "transaction_id, id")).await?;
    left = delete(tx, scope, left, clearing!("transactions", "id")).await?;
    let emptying = clearing!("subscription_changes", "kind, changed_at, id");
    left = delete(tx, scope, left, emptying).await?;
    let emptying = clearing!("subscription_periods", "subscription_id, starts_at");
    left = delete(tx, scope, left, emptying).await?;
    left = delete(tx, scope, left, clearing!("subscriptions", "id")).await?;
    left = delete(tx, scope, left, clearing!("plans", "id")).await?;
    left = delete(tx, scope, left, clearing!("withdrawals", "id")).await?;
    left = delete(tx, scope, left, clearing!("coupon_uses", "transaction_id")).await?;
    left = delete(tx, scope, left, clearing!("coupons", "id")).await?;
    left = delete(tx, scope, left, clearing!("cart_visits", "visit_hash")).await?;
    left = delete(tx, scope, left, clearing!("carts", "id")).await?;
    left = delete(tx, scope, left, clearing!("referral_rewards", "id")).await?;
    left = delete(tx, scope, left, clearing!("referral_withdrawals", "id")).await?;
    left = delete(tx, scope, left, clearing!("referrals", "id")).await?;
    left = delete(tx, scope, left, clearing!("clients", "id")).await?;
    left = delete(tx, scope, left, clearing!("payment_links", "id")).await?;
    left = delete(tx, scope, left, clearing!("products", "id")).await?;
    Ok(left)
}

async fn delete(tx: &Tx, scope: Scope, most: i64, emptying: &'static str) -> Result<i64> {
    if most <= 0 {
        return Ok(0);
    }
    let deleted = tx.exec(emptying, args![scope.merchant, scope.mode, most]).await?;
    Ok(room(most, deleted))
}
