//! Taking out of payments who their payer was.

use db::time::Timestamp;
use db::tx::Tx;

use crate::coupons;
use crate::platform::error::Result;
use crate::platform::ids::{ClientId, Scope};

mod store;

/// What payments of a client still say who paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept {
    /// When the last and the first of those brought money that have ended.
    pub newest: Option<Timestamp>,
    pub oldest: Option<Timestamp>,
    /// Whether another can still be paid.
    pub open: bool,
}

/// Looks at what payments of a client still say who paid.
pub async fn kept(tx: &Tx, scope: Scope, client: ClientId) -> Result<Kept> {
    store::kept(tx, scope, client).await
}

/// When a scope's last payment brought money, whoever paid it; it is looked for in all of them.
pub async fn newest(tx: &Tx, scope: Scope) -> Result<Option<Timestamp>> {
    store::newest(tx, scope).await
}

/// Blanks the payer in payments that ended without money, and in those that brought it before an
/// instant; answers how many.
pub async fn blank(
    tx: &Tx,
    scope: Scope,
    client: ClientId,
    before: Timestamp,
    most: i64,
) -> Result<u64> {
    let blanked = store::blank(tx, scope, client, before, most).await?;
    for id in &blanked {
        coupons::uses::blank(tx, scope, *id).await?;
    }
    Ok(blanked.len().try_into().unwrap_or(u64::MAX))
}
