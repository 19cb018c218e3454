//! What an account's legs between two sequences sum to, and where an instant lies among them.
//!
//! A range of sequences is final: legs are only added at its end. So what was summed once stays
//! true, which a range of times does not promise while units are under way.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use db::error::Result;
use db::time::Timestamp;
use db::tx::Tx;
use uuid::Uuid;

use crate::account::Account;
use crate::cents::Cents;
use crate::store;

/// A unit posts at the instant at which it began, and nodes have clocks of their own: legs are in
/// the order of their times but for this much.
const DISORDER: Duration = Duration::from_secs(5 * 60);

/// The side of a transfer on which an account is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Debit,
    Credit,
}

/// A transfer, from one of its accounts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its sequence number in the account.
    pub sequence: i64,
    /// The amount of the transfer, never negative.
    pub amount: Cents,
    /// The subject of the fact that it was posted for.
    pub subject: Uuid,
    /// When it was posted.
    pub at: Timestamp,
}

/// When a leg of an account was posted; `None` if the account has no such leg.
pub async fn posted_at(
    tx: &Tx,
    book: i64,
    account: &Account,
    sequence: i64,
) -> Result<Option<Timestamp>> {
    store::posted_at(tx, book, account, sequence).await
}

/// The first of an account's legs that was posted at an instant or later, within a range of
/// sequences that has no gap; the end of the range if there is none.
pub async fn first_at(
    tx: &Tx,
    book: i64,
    account: &Account,
    within: Range<i64>,
    at: Timestamp,
) -> Result<i64> {
    let found = search(tx, book, account, within.clone(), at).await?;
    // Around the instant the order of the legs is not that of their times.
    let near = search(tx, book, account, within.start..found, at.minus(DISORDER)).await?;
    Ok(store::first_between(tx, book, account, near..found, at).await?.unwrap_or(found))
}

/// Sums an account's legs in a range of sequences, by the kind of fact; credits are positive.
pub async fn by_kind(
    tx: &Tx,
    book: i64,
    account: &Account,
    within: Range<i64>,
) -> Result<BTreeMap<String, Cents>> {
    store::turnover(tx, book, account, within).await
}

/// Sums what the facts of a kind, which debited an account in a range of sequences, credited to
/// another account.
pub async fn credited_with(
    tx: &Tx,
    book: i64,
    debited: (&Account, Range<i64>),
    kind: &str,
    credited: &Account,
) -> Result<Cents> {
    store::credited_with(tx, book, debited, kind, credited).await
}

/// Lists the transfers of a kind on one side of an account in a range of sequences, the last ones
/// first, at most `limit`.
pub async fn entries(
    tx: &Tx,
    book: i64,
    (account, side): (&Account, Side),
    within: Range<i64>,
    kind: &str,
    limit: i64,
) -> Result<Vec<Entry>> {
    match side {
        Side::Debit => store::debits(tx, book, account, within, kind, limit).await,
        Side::Credit => store::credits(tx, book, account, within, kind, limit).await,
    }
}

/// Lists what [`credited_with`] sums, by the sequences of the debited account, the last ones first.
pub async fn entries_with(
    tx: &Tx,
    book: i64,
    debited: (&Account, Range<i64>),
    kind: &str,
    credited: &Account,
    limit: i64,
) -> Result<Vec<Entry>> {
    store::entries_with(tx, book, debited, kind, credited, limit).await
}

/// Halves the range until it ends at a leg that was posted at the instant or later, whose
/// predecessor was posted before it.
async fn search(
    tx: &Tx,
    book: i64,
    account: &Account,
    within: Range<i64>,
    at: Timestamp,
) -> Result<i64> {
    let Range { mut start, mut end } = within;
    while start < end {
        let middle = start.midpoint(end);
        let posted = store::posted_at(tx, book, account, middle).await?;
        if posted.is_some_and(|posted| posted < at) {
            start = middle.saturating_add(1);
        } else {
            end = middle;
        }
    }
    Ok(start)
}
