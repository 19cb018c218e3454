//! An account's legs, newest first, each with the balance after it.

use std::ops::Range;

use db::error::Result;
use db::time::Timestamp;
use db::tx::Tx;
use uuid::Uuid;

use crate::account::Account;
use crate::cents::Cents;
use crate::store;

/// One side of a transfer, from the account's point of view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leg {
    /// Its sequence number in the account, from 1, without gaps.
    pub sequence: i64,
    /// Positive for a credit.
    pub amount: Cents,
    /// The balance after it.
    pub balance: Cents,
    /// The kind of fact that it was posted for.
    pub kind: String,
    /// The subject of the fact.
    pub subject: Uuid,
    /// When it was posted.
    pub at: Timestamp,
}

/// Lists at most `limit` legs about some subjects in a range of sequences, of one kind of fact or
/// of all, the newest first. They are found by their subjects, which are few, and not by the
/// account.
pub async fn about(
    tx: &Tx,
    book: i64,
    account: &Account,
    within: Range<i64>,
    kind: Option<&str>,
    (subjects, limit): (&[Uuid], i64),
) -> Result<Vec<Leg>> {
    let mut legs = Vec::new();
    for few in subjects.chunks(store::SUBJECTS) {
        legs.extend(store::legs_about(tx, book, account, &within, kind, (few, limit)).await?);
    }
    legs.sort_unstable_by_key(|leg| std::cmp::Reverse(leg.sequence));
    legs.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(legs)
}

/// Lists at most `limit` legs in a range of sequences, of one kind of fact or of all, the newest
/// first.
pub async fn legs(
    tx: &Tx,
    book: i64,
    account: &Account,
    within: Range<i64>,
    kind: Option<&str>,
    limit: i64,
) -> Result<Vec<Leg>> {
    store::legs(tx, book, account, within, kind, limit).await
}
