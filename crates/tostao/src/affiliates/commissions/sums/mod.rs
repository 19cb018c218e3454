//! What affiliates' commissions add up to, for the proof of the books.

use db::tx::Tx;

use crate::platform::error::Result;
use crate::platform::ids::Scope;
use crate::store::Sums;

mod store;

/// Adds up, by affiliate and mode, what is held for them, what refunds and disputes hold of it, and
/// what waits and was released, and what sales brought less what of that went back.
pub async fn of_commissions(tx: &Tx, of: Option<Scope>) -> Result<Sums<5>> {
    store::of_commissions(tx, of).await
}

/// Adds up what refunds and disputes hold of affiliates' commissions.
pub async fn of_takes(tx: &Tx, of: Option<Scope>) -> Result<Sums<1>> {
    store::of_takes(tx, of).await
}
