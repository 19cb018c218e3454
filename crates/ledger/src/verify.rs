//! Proof of the books: every balance is what its transfers say, and nothing appears from nowhere.

use db::error::Result;
use db::tx::Tx;
use uuid::Uuid;

mod store;

/// What a proof found.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Accounts looked at.
    pub accounts: i64,
    /// Transfers looked at.
    pub transfers: i64,
    /// The sum of all balances; anything but zero is a fault.
    pub imbalance_cents: i64,
    /// Accounts whose balance or count of legs differs from their transfers'.
    pub wrong_accounts: i64,
    /// Legs that do not follow from the leg before them.
    pub broken_legs: i64,
    /// Accounts further below their floor than was taken from them by force.
    pub overdrawn_accounts: i64,
}

impl Report {
    /// Whether the books agree.
    pub fn is_sound(&self) -> bool {
        let faults =
            [self.imbalance_cents, self.wrong_accounts, self.broken_legs, self.overdrawn_accounts];
        faults.iter().all(|count| *count == 0)
    }
}

/// Proves all books of the database, or one owner's in one book.
pub async fn verify(tx: &Tx, of: Option<(Uuid, i64)>) -> Result<Report> {
    match of {
        None => everything(tx).await,
        Some((owner, book)) => accounts_of(tx, owner, book).await,
    }
}

/// Sums every balance, in cents, without looking at the transfers.
pub async fn imbalance(tx: &Tx) -> Result<i64> {
    Ok(store::totals(tx).await?.balance_cents)
}

async fn everything(tx: &Tx) -> Result<Report> {
    let totals = store::totals(tx).await?;
    Ok(Report {
        accounts: totals.accounts,
        transfers: store::transfers(tx).await?,
        imbalance_cents: totals.balance_cents,
        wrong_accounts: store::wrong_accounts(tx).await?,
        broken_legs: store::broken_legs(tx).await?,
        overdrawn_accounts: totals.overdrawn,
    })
}

async fn accounts_of(tx: &Tx, owner: Uuid, book: i64) -> Result<Report> {
    let totals = store::totals_of(tx, owner, book).await?;
    Ok(Report {
        accounts: totals.accounts,
        transfers: store::transfers_of(tx, owner, book).await?,
        // One owner's accounts may owe another's; only the whole sums to zero.
        imbalance_cents: 0,
        wrong_accounts: store::wrong_accounts_of(tx, owner, book).await?,
        broken_legs: store::broken_legs_of(tx, owner, book).await?,
        overdrawn_accounts: totals.overdrawn,
    })
}
