//! Verification: every balance matches its transfers, all balances sum to zero, and no transfer was
//! changed, added or deleted after it was posted.
//!
//! A single pass over all accounts and their legs in order finds everything; it keeps one page of
//! each in memory, however many there are. On the way it compares each account with the position
//! that an earlier proof stored. A quicker pass over the whole ledger, [`at_once`], goes before it
//! and finds only that all is well.

use std::collections::BTreeMap;

use db::error::Result;
use db::tx::Tx;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::cents::Cents;
use crate::verify::account::AccountCheck;
use crate::verify::at_once::Bounds;
use crate::verify::pages::{Accounts, FIRST, Listed, Pages};
use crate::verify::store::Key;

mod account;
pub mod at_once;
pub mod onward;
mod pages;
mod store;

/// After how many legs a verification reports its progress.
const LEGS_PER_REPORT: u64 = 10_000;

/// What a proof of the accounts and their transfers found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The number of accounts checked.
    pub accounts: i64,
    /// The number of transfers checked.
    pub transfers: i64,
    /// The number of transfers from before their account's hash chain, verified by totals only.
    pub transfers_before_chain: i64,
    /// The sum of all balances in cents; must be zero. Always zero for one merchant, whose accounts
    /// may have counterparts elsewhere.
    pub imbalance_cents: i64,
    /// The number of accounts whose balance or entry count differs from their transfers.
    pub wrong_accounts: i64,
    /// The number of entries whose balance or sequence does not follow from the previous entry.
    pub broken_legs: i64,
    /// The number of accounts below their minimum balance without a forced movement.
    pub overdrawn_accounts: i64,
    /// The number of hash mismatches in account chains: a transfer was changed, added or deleted.
    pub broken_hashes: i64,
}

impl Report {
    /// Whether the ledger is consistent.
    pub fn is_sound(&self) -> bool {
        let faults = [
            self.imbalance_cents,
            self.wrong_accounts,
            self.broken_legs,
            self.overdrawn_accounts,
            self.broken_hashes,
        ];
        faults.iter().all(|count| *count == 0)
    }

    /// Adds the findings of one account.
    fn take(&mut self, walk: &AccountCheck) {
        self.take_part(walk);
        add(&mut self.wrong_accounts, i64::from(walk.is_inconsistent()));
        add(&mut self.overdrawn_accounts, i64::from(walk.is_overdrawn() && !walk.was_overdrawn()));
        add(&mut self.broken_hashes, walk.broken_hashes().saturating_sub(walk.broken_links()));
    }

    /// Adds the findings of an account whose last legs were not read.
    fn take_part(&mut self, walk: &AccountCheck) {
        add(&mut self.accounts, 1);
        add(&mut self.broken_legs, walk.state.broken_legs);
        add(&mut self.overdrawn_accounts, i64::from(walk.was_overdrawn()));
        add(&mut self.broken_hashes, walk.broken_links());
        add(&mut self.transfers, walk.state.at.transfers);
        add(&mut self.transfers_before_chain, walk.state.at.transfers_before_chain);
    }

    /// Takes the greater count of each fault: two proofs of the same legs find the same ones.
    pub fn merge_faults(&mut self, other: &Self) {
        let merge = |to: &mut i64, count: i64| *to = count.max(*to);
        merge(&mut self.wrong_accounts, other.wrong_accounts);
        merge(&mut self.broken_legs, other.broken_legs);
        merge(&mut self.overdrawn_accounts, other.overdrawn_accounts);
        merge(&mut self.broken_hashes, other.broken_hashes);
    }
}

fn add(to: &mut i64, count: i64) {
    *to = to.saturating_add(count);
}

/// Verifies the whole ledger, or one owner's accounts in one book.
pub async fn verify(tx: &Tx, of: Option<(Uuid, i64)>) -> Result<Report> {
    verify_watched(tx, of, &|_| ()).await
}

/// Counts the legs of all accounts, by their stored sequences.
pub async fn count_legs(tx: &Tx) -> Result<i64> {
    store::count_legs(tx).await
}

/// The same as [`verify`]; `watch` gets the number of legs checked so far, now and then.
pub async fn verify_watched(
    tx: &Tx,
    of: Option<(Uuid, i64)>,
    watch: &(impl Fn(u64) + ?Sized),
) -> Result<Report> {
    if of.is_none()
        && let Some(report) = at_once::verify(tx, Bounds::USUAL, watch).await?
    {
        return Ok(report);
    }
    verify_by_account(tx, of, watch).await
}

/// The same, account by account.
pub async fn verify_by_account(
    tx: &Tx,
    of: Option<(Uuid, i64)>,
    watch: &(impl Fn(u64) + ?Sized),
) -> Result<Report> {
    let (mut report, mut legs) = (Report::default(), 0_u64);
    if of.is_none() {
        report.imbalance_cents = imbalance(tx).await?;
    }
    let mut pages = Pages::open(tx, of).await?;
    while let Some(Listed { key, account, known }) = pages.next_account().await? {
        let mut walk = AccountCheck::new(key, account, of).expecting(known);
        while let Some(leg) = pages.next_leg(key).await? {
            walk.take(leg);
            legs = legs.saturating_add(1);
            if legs.is_multiple_of(LEGS_PER_REPORT) {
                watch(legs);
            }
        }
        report.take(&walk);
    }
    watch(legs);
    Ok(report)
}

/// Sums every balance, in cents, without reading the transfers.
pub async fn imbalance(tx: &Tx) -> Result<i64> {
    store::imbalance(tx).await
}

/// The progress of `rechain`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rechained {
    /// How many chains were restarted.
    pub chains: u64,
    /// Whether no account is left.
    pub is_over: bool,
    /// The last completed account, and how many legs of the next one are checked.
    done: Key,
    legs: i64,
}

impl Rechained {
    /// The start.
    pub const NOTHING: Self = Self { chains: 0, is_over: false, done: FIRST, legs: 0 };
}

/// Restarts the chains of accounts on which a program without chains has posted since they started.
/// Earlier legs are then verified by sums only.
///
/// Continues from an earlier call's progress, and checks at most `most` legs. An account is
/// restarted in one unit, so a new pass from the start finds it done.
pub async fn rechain(tx: &Tx, from: Rechained, most: i64) -> Result<Rechained> {
    let mut at = from;
    let mut left = most;
    while left > 0 {
        let Some(account) = store::account_after(tx, at.done).await? else {
            return Ok(Rechained { is_over: true, ..at });
        };
        let from = at.legs.max(account.chained_after);
        let until = account.sequence.min(from.saturating_add(left));
        left = left.saturating_sub(until.saturating_sub(from).max(1));
        let broken = store::has_unhashed(tx, account.key, from, until).await?;
        if broken {
            store::restart_chain(tx, account.key).await?;
            onward::forget(tx, account.key).await?;
            at.chains = at.chains.saturating_add(1);
        }
        if broken || until >= account.sequence {
            (at.done, at.legs) = (account.key, 0);
        } else {
            at.legs = until;
        }
    }
    Ok(at)
}

/// Reads every balance by owner and book, then by code: of the whole database, or of one owner in
/// one book.
pub async fn balances(
    tx: &Tx,
    of: Option<(Uuid, i64)>,
) -> Result<BTreeMap<(Uuid, i64), BTreeMap<i64, Cents>>> {
    let mut found: BTreeMap<_, BTreeMap<_, _>> = BTreeMap::new();
    let mut pages = Accounts::open(tx, of).await?;
    while let Some(account) = pages.next().await? {
        let (owner, book, code) = account.key;
        found.entry((owner, book)).or_default().insert(code, account.balance);
    }
    Ok(found)
}

/// Sums what transfers of one kind have credited to accounts with one code, by owner and book.
pub async fn entered(
    tx: &Tx,
    kind: &str,
    code: i64,
    of: Option<(Uuid, i64)>,
) -> Result<BTreeMap<(Uuid, i64), Cents>> {
    Ok(by_owner(store::entered(tx, kind, code, of).await?))
}

/// Reads the balances of accounts with one code right after their last transfer of one kind, by
/// owner and book.
pub async fn left_by(
    tx: &Tx,
    kind: &str,
    code: i64,
    of: Option<(Uuid, i64)>,
) -> Result<BTreeMap<(Uuid, i64), Cents>> {
    Ok(by_owner(store::left_by(tx, kind, code, of).await?))
}

/// Sums what transfers have credited to accounts, by owner and book, then by the transfers' kind.
pub async fn by_kind(
    tx: &Tx,
    of: Option<(Uuid, i64)>,
) -> Result<BTreeMap<(Uuid, i64), BTreeMap<String, Cents>>> {
    let mut found: BTreeMap<_, BTreeMap<_, _>> = BTreeMap::new();
    for (owner, book, kind, cents) in store::by_kind(tx, of).await? {
        found.entry((owner, book)).or_default().insert(kind, Cents::new(cents));
    }
    Ok(found)
}

fn by_owner(rows: Vec<(Uuid, i64, i64)>) -> BTreeMap<(Uuid, i64), Cents> {
    rows.into_iter().map(|(owner, book, cents)| ((owner, book), Cents::new(cents))).collect()
}
