//! Sums over the tables of commissions.

use db::tx::Tx;

use crate::platform::error::Result;
use crate::platform::ids::Scope;
use crate::store::{Sums, add_up, summing};

/// Sums for affiliates: what is pending, what refunds and disputes hold of it, and what is pending
/// and was released, as their links count it; then what sales earned less what was returned.
pub async fn of_commissions(tx: &Tx, of: Option<Scope>) -> Result<Sums<5>> {
    let sums = summing!(
        "affiliate_id",
        "cast(coalesce(sum(amount_cents - held_cents - unfunded_cents)
                       filter (where status = 'PENDING'), 0) as bigint),
         cast(coalesce(sum(held_cents), 0) as bigint),
         cast(coalesce(sum(amount_cents)
                       filter (where status = 'PENDING'), 0) as bigint),
         cast(coalesce(sum(amount_cents) filter (where status = 'PAID'), 0) as bigint),
         cast(coalesce(sum(earned_cents - returned_cents), 0) as bigint)",
        "affiliate_commissions",
        "true"
    );
    add_up(tx, of, sums).await
}

/// Sums of what refunds and disputes hold of affiliates' commissions.
pub async fn of_holds(tx: &Tx, of: Option<Scope>) -> Result<Sums<1>> {
    let sums = summing!(
        "affiliate_id",
        "cast(coalesce(sum(amount_cents), 0) as bigint)",
        "affiliate_takes",
        "true"
    );
    add_up(tx, of, sums).await
}
