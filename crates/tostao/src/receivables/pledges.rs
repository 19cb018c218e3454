//! Pledges: cents of unsettled parts that go to an advance at settlement.
//!
//! A pledge is a condition of the statement that makes it: a part is never pledged beyond its
//! value, even if something is taken from it concurrently.

use db::tx::Tx;
use ledger::cents::Cents;

use crate::platform::error::Result;
use crate::platform::ids::{AdvanceId, Scope};
use crate::receivables::{Receivable, store};

/// Lists the parts with something to pledge, soonest due first: card installments that are not due,
/// of payments that are neither disputed nor fully refunded.
pub async fn free(tx: &Tx, scope: Scope) -> Result<Vec<Receivable>> {
    let mut parts = store::list_pledgeable(tx, scope).await?;
    parts.retain(|part| !part.free().is_zero());
    Ok(parts)
}

/// Pledges some of a part, if it is unchanged since it was read.
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
    Err(tx.collision("the receivable changed while it was being pledged").into())
}
