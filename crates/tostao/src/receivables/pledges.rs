//! Pledges: cents of unsettled parts that are an advance's when their day comes.
//!
//! A pledge is a condition of the statement that makes it: a part never promises more than it is
//! worth, whoever takes from it at the same time.

use db::tx::Tx;
use ledger::cents::Cents;

use crate::platform::error::Result;
use crate::platform::ids::{AdvanceId, Scope};
use crate::receivables::{Receivable, store};

/// Lists the parts with something to pledge, soonest due first: instalments of cards that are not
/// due, of payments that nobody contests and that have not gone back whole.
pub async fn free(tx: &Tx, scope: Scope) -> Result<Vec<Receivable>> {
    let mut parts = store::list_pledgeable(tx, scope).await?;
    parts.retain(|part| !part.free().is_zero());
    Ok(parts)
}

/// Pledges some of a part as it was read.
pub async fn make(
    tx: &Tx,
    scope: Scope,
    to: AdvanceId,
    part: &Receivable,
    amount: Cents,
) -> Result<()> {
    if store::pledge(tx, scope, to, part, amount).await? {
        return Ok(());
    }
    Err(tx.collision("the part changed while it was being pledged").into())
}
