//! Erasing the payer's personal data from payments.

use db::time::Timestamp;
use db::tx::Tx;

use crate::coupons;
use crate::mail::{self, Kind};
use crate::platform::error::Result;
use crate::platform::ids::{ClientId, Scope};

mod store;

/// A client's payments that still contain personal data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PersonalData {
    /// When the last and the first of the closed ones were paid or, if they never were, changed.
    pub newest: Option<Timestamp>,
    pub oldest: Option<Timestamp>,
    /// Whether one of them can still be paid.
    pub open: bool,
}

/// Summarizes a client's payments that still contain personal data.
pub async fn personal_data(tx: &Tx, scope: Scope, client: ClientId) -> Result<PersonalData> {
    store::personal_data(tx, scope, client).await
}

/// When the scope's last payment was received, whatever its payer; all payments are searched.
pub async fn last_paid_at(tx: &Tx, scope: Scope) -> Result<Option<Timestamp>> {
    store::last_paid_at(tx, scope).await
}

/// Deletes the mails with receipts of a client's payments.
pub async fn forget_receipts(tx: &Tx, scope: Scope, client: ClientId) -> Result<()> {
    for address in store::addresses(tx, scope, client).await? {
        mail::forget_recipient(tx, scope, Kind::Receipt, &address).await?;
    }
    Ok(())
}

/// Erases the payer from payments that ended without money, and from those that brought money
/// before a given time; returns how many.
pub async fn erase(
    tx: &Tx,
    scope: Scope,
    client: ClientId,
    before: Timestamp,
    most: i64,
) -> Result<u64> {
    let erased = store::erase(tx, scope, client, before, most).await?;
    for id in &erased {
        coupons::uses::blank(tx, scope, *id).await?;
    }
    Ok(erased.len().try_into().unwrap_or(u64::MAX))
}
