//! Where the money of a paid payment came to.

use db::tx::Tx;

use crate::books::api::AccountName;
use crate::platform::error::Result;
use crate::platform::ids::{Scope, TransactionId};
use crate::receivables;

/// Where the money of a paid payment came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Captured {
    /// The account that it was captured in.
    pub account: AccountName,
    /// Whether some of it has come to the available balance, at once or later.
    pub has_settled: bool,
}

/// Where a paid payment was captured. Its receivables decide and not its method: a boleto waits for
/// the next business day, and one that was paid by PIX does not.
pub async fn captured(tx: &Tx, scope: Scope, of: TransactionId) -> Result<Captured> {
    let parts = receivables::of(tx, scope, of).await?;
    if parts.is_empty() {
        return Ok(Captured { account: AccountName::Available, has_settled: true });
    }
    let has_settled = parts.iter().any(|part| part.settled_at.is_some());
    Ok(Captured { account: AccountName::Pending, has_settled })
}
