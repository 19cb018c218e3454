//! An account's legs, newest first, each with the balance it left.

use db::error::Result;
use db::time::Timestamp;
use db::tx::Tx;
use uuid::Uuid;

use crate::account::Account;
use crate::cents::Cents;
use crate::store;

/// One side of a transfer, as the account's owner sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leg {
    /// Its place in the account, from 1, without gaps.
    pub sequence: i64,
    /// Positive if it entered the account.
    pub amount: Cents,
    /// What the account held afterwards.
    pub balance: Cents,
    /// The fact it was booked for.
    pub kind: String,
    /// What the fact is about.
    pub subject: Uuid,
    /// When it was booked.
    pub at: Timestamp,
}

/// Lists at most `limit` legs older than `before`, or the newest.
pub async fn legs(
    tx: &Tx,
    book: i64,
    account: &Account,
    before: Option<i64>,
    limit: i64,
) -> Result<Vec<Leg>> {
    store::legs(tx, book, account, before.unwrap_or(i64::MAX), limit).await
}
