//! Whose sale an affiliate has a commission of.

use db::tx::Tx;

use crate::merchants;
use crate::platform::error::Result;
use crate::platform::ids::{Scope, TransactionId};

mod store;

/// The seller of a payment of which an affiliate has or had a commission.
pub async fn of(tx: &Tx, affiliate: Scope, of: TransactionId) -> Result<Option<Scope>> {
    match store::find(tx, affiliate, of).await? {
        Some(seller) => merchants::scope(tx, seller, affiliate.mode).await.map(Some),
        None => Ok(None),
    }
}
