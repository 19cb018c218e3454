//! Sums of affiliates' commissions, for the reconciliation.

use db::tx::Tx;

use crate::platform::error::Result;
use crate::platform::ids::Scope;
use crate::store::Sums;

mod store;

/// Sums, by affiliate and mode: what is pending, what refunds and disputes hold of it, what is
/// pending and was released as links count it, and what sales earned less what was returned.
pub async fn of_commissions(tx: &Tx, of: Option<Scope>) -> Result<Sums<5>> {
    store::of_commissions(tx, of).await
}

/// Sums of what refunds and disputes hold of affiliates' commissions.
pub async fn of_holds(tx: &Tx, of: Option<Scope>) -> Result<Sums<1>> {
    store::of_holds(tx, of).await
}
