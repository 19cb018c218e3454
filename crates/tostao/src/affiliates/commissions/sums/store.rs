//! What the commissions' tables add up to.

use db::tx::Tx;

use crate::error::Result;
use crate::ids::Scope;
use crate::store::{Sums, add_up, summing, total};

/// Adds up what affiliates have: what is held for them, what refunds and disputes hold of it, and
/// what waits and was released, as their links count it; then what sales brought less what of that
/// went back.
pub async fn of_commissions(tx: &Tx, of: Option<Scope>) -> Result<Sums<5>> {
    let sums = summing!(
        "affiliate_id",
        [
            total!("amount_cents - held_cents - unfunded_cents", if "status = 'PENDING'"),
            total!("held_cents"),
            total!("amount_cents", if "status = 'PENDING'"),
            total!("amount_cents", if "status = 'PAID'"),
            total!("earned_cents - returned_cents"),
        ],
        "affiliate_commissions"
    );
    add_up(tx, of, sums).await
}

/// Adds up what refunds and disputes hold of affiliates' commissions.
pub async fn of_takes(tx: &Tx, of: Option<Scope>) -> Result<Sums<1>> {
    let sums = summing!("affiliate_id", [total!("amount_cents"),], "affiliate_takes");
    add_up(tx, of, sums).await
}
