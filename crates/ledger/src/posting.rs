//! Posting a fact: transfers, running balances, and the floor of each account.

use std::collections::BTreeMap;

use db::error::Error as DbError;
use db::time::Timestamp;
use db::tx::Tx;
use futures_util::future::{try_join, try_join_all};
use uuid::Uuid;

use crate::account::Account;
use crate::cents::Cents;
use crate::chain::{End, Entry, Hash, Side, link};
use crate::store::{self, UpdatedAccount};

/// An amount debited from one account and credited to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// The debited account.
    pub debit: Account,
    /// The credited account.
    pub credit: Account,
    /// The amount; never negative.
    pub amount: Cents,
    /// Whether the debited account may fall below its floor, because its owner has no say.
    /// Transfers that are not forced are checked one by one, in their order.
    pub forced: bool,
}

/// All transfers of one fact.
#[derive(Debug, Clone)]
pub struct Posting {
    /// The subject of the fact, such as a payment.
    pub subject: Uuid,
    /// The kind of fact; a subject has each kind at most once.
    pub kind: &'static str,
    /// The book it belongs to; books are separate.
    pub book: i64,
    /// When it happened, by the clock of the merchant whose action caused it.
    pub booked_at: Timestamp,
    /// The transfers; those of zero are omitted.
    pub transfers: Vec<Transfer>,
    /// Accounts that are locked in the same order even if they have no transfer: units that lock
    /// the same account are serialized, and the later one reads what the earlier one has written.
    pub held: Vec<Account>,
}

/// Why a posting was rejected; the unit must then not be committed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The account would fall below its floor.
    #[error("account {} of {} does not hold enough", .0.code, .0.owner)]
    Insufficient(Account),
    /// An amount is negative or the arithmetic would overflow.
    #[error("the amounts do not fit the ledger")]
    Overflow,
    /// The database failed.
    #[error(transparent)]
    Database(#[from] DbError),
}

/// An account after a posting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Balance {
    /// Credits less debits.
    pub amount: Cents,
    /// How many legs the account has, including this posting's.
    pub sequence: i64,
}

/// A posting's changes of one account.
struct Change {
    account: Account,
    net: Cents,
    legs: i64,
    forced: bool,
}

/// By account, in the order in which accounts are locked.
type Changes = BTreeMap<(Uuid, i64), Change>;

/// An account's state while its legs are written in order.
struct Cursor {
    balance: Cents,
    sequence: i64,
    head: Hash,
}

/// An account's chain head after a posting.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Head {
    pub account: Account,
    pub hash: Hash,
}

/// Writes a posting.
pub async fn post(tx: &Tx, posting: &Posting) -> Result<(), Error> {
    let transfers = moved(posting);
    let changes = changes(&transfers, held(tx, posting))?;
    let settled = settle_all(tx, posting.book, &changes).await?;
    write(tx, posting, &transfers, changes, settled).await
}

/// Writes a posting; returns an owner's balances after it, read together with the updates.
pub async fn post_then_balances(
    tx: &Tx,
    posting: &Posting,
    owner: Uuid,
) -> Result<BTreeMap<i64, Balance>, Error> {
    let (transfers, book) = (moved(posting), posting.book);
    let changes = changes(&transfers, held(tx, posting))?;
    let read = async { Ok(balances(tx, book, owner).await?) };
    let (settled, mut after) = try_join(settle_all(tx, book, &changes), read).await?;
    // The read may have come before an update.
    for (change, settled) in changes.values().zip(&settled) {
        if change.account.owner == owner {
            after.insert(change.account.code, settled.balance);
        }
    }
    write(tx, posting, &transfers, changes, settled).await?;
    Ok(after)
}

fn moved(posting: &Posting) -> Vec<&Transfer> {
    posting.transfers.iter().filter(|transfer| !transfer.amount.is_zero()).collect()
}

fn held<'a>(tx: &Tx, posting: &'a Posting) -> &'a [Account] {
    if tx.writes_alone() { &[] } else { &posting.held }
}

/// Updates the balances, in the order in which accounts are locked.
async fn settle_all(tx: &Tx, book: i64, changes: &Changes) -> Result<Vec<UpdatedAccount>, Error> {
    try_join_all(changes.values().map(|change| settle(tx, book, change))).await
}

/// Writes the transfers, and the hashes that they lead to.
async fn write(
    tx: &Tx,
    posting: &Posting,
    transfers: &[&Transfer],
    changes: Changes,
    settled: Vec<UpdatedAccount>,
) -> Result<(), Error> {
    let mut cursors = BTreeMap::new();
    for (change, after) in changes.values().zip(settled) {
        cursors.insert(change.account.key(), before(change, &after)?);
    }
    for (line, transfer) in (0_i64..).zip(transfers) {
        let less = Cents::ZERO.minus(transfer.amount).ok_or(Error::Overflow)?;
        let debit = advance(&mut cursors, &transfer.debit, less)?;
        // A credit in the same posting does not cover a debit.
        if !transfer.forced && debit.amount.get() < transfer.debit.floor.minimum() {
            return Err(Error::Insufficient(transfer.debit));
        }
        let credit = advance(&mut cursors, &transfer.credit, transfer.amount)?;
        let entry = entry(posting, line, transfer, debit, credit);
        let hashes = chain(&mut cursors, transfer, &entry)?;
        store::insert_transfer(tx, &entry, &hashes).await?;
    }
    let moved = changes.into_values().filter(|change| change.legs > 0);
    let heads = moved.filter_map(|change| {
        let hash = cursors.get(&change.account.key())?.head;
        Some(Head { account: change.account, hash })
    });
    store::keep_heads(tx, posting.book, &heads.collect::<Vec<_>>()).await?;
    Ok(())
}

/// Reads an account; one that was never used has a balance of zero.
pub async fn balance(tx: &Tx, book: i64, account: &Account) -> Result<Balance, DbError> {
    let found = store::balance(tx, book, account).await?;
    Ok(found.unwrap_or(Balance { amount: Cents::ZERO, sequence: 0 }))
}

/// Locks every account of an owner until the unit ends, so that what it reads of them stays true.
pub async fn lock(tx: &Tx, book: i64, owner: Uuid) -> Result<(), DbError> {
    store::lock(tx, book, owner).await
}

/// Reads every account of an owner, by its code.
pub async fn balances(tx: &Tx, book: i64, owner: Uuid) -> Result<BTreeMap<i64, Balance>, DbError> {
    store::balances(tx, book, owner).await
}

/// Sums the changes of each account.
fn changes(transfers: &[&Transfer], held: &[Account]) -> Result<Changes, Error> {
    let untouched = |account: Account| Change { account, net: Cents::ZERO, legs: 0, forced: false };
    let mut changes: BTreeMap<_, _> =
        held.iter().map(|account| (account.key(), untouched(*account))).collect();
    for transfer in transfers {
        if transfer.amount < Cents::ZERO {
            return Err(Error::Overflow);
        }
        let less = Cents::ZERO.minus(transfer.amount).ok_or(Error::Overflow)?;
        let debit = (transfer.debit, less, transfer.forced);
        for (account, amount, forced) in [debit, (transfer.credit, transfer.amount, false)] {
            let change = changes.entry(account.key()).or_insert_with(|| untouched(account));
            change.forced |= forced;
            change.net = change.net.plus(amount).ok_or(Error::Overflow)?;
            change.legs = change.legs.checked_add(1).ok_or(Error::Overflow)?;
        }
    }
    Ok(changes)
}

/// Updates one balance; a missing account is opened and the update retried once.
async fn settle(tx: &Tx, book: i64, change: &Change) -> Result<UpdatedAccount, Error> {
    let Change { account, net, legs, forced } = change;
    if let Some(settled) = store::add(tx, book, account, *net, *legs, *forced).await? {
        return Ok(settled);
    }
    store::open(tx, book, account).await?;
    let opened = store::add(tx, book, account, *net, *legs, *forced).await?;
    opened.ok_or(Error::Insufficient(*account))
}

fn before(change: &Change, after: &UpdatedAccount) -> Result<Cursor, Error> {
    let balance = after.balance.amount.minus(change.net).ok_or(Error::Overflow)?;
    let sequence = after.balance.sequence.checked_sub(change.legs).ok_or(Error::Overflow)?;
    Ok(Cursor { balance, sequence, head: after.head })
}

fn entry<'a>(
    posting: &'a Posting,
    line: i64,
    transfer: &Transfer,
    debit: Balance,
    credit: Balance,
) -> Entry<'a> {
    let end = |account: Account, after: Balance| End {
        owner: account.owner,
        code: account.code,
        sequence: after.sequence,
        balance: after.amount,
    };
    Entry {
        subject: posting.subject,
        kind: posting.kind,
        line,
        book: posting.book,
        amount: transfer.amount,
        booked_at: posting.booked_at,
        debit: end(transfer.debit, debit),
        credit: end(transfer.credit, credit),
        forced: transfer.forced,
    }
}

/// Appends a transfer's legs to the chains of its accounts; returns their hashes.
fn chain(
    cursors: &mut BTreeMap<(Uuid, i64), Cursor>,
    transfer: &Transfer,
    entry: &Entry<'_>,
) -> Result<[Hash; 2], Error> {
    let encoded = entry.encode();
    let mut append = |account: &Account, side| -> Result<Hash, Error> {
        let cursor = cursors.get_mut(&account.key()).ok_or(Error::Overflow)?;
        cursor.head = link(&cursor.head, side, &encoded);
        Ok(cursor.head)
    };
    Ok([append(&transfer.debit, Side::Debit)?, append(&transfer.credit, Side::Credit)?])
}

fn advance(
    cursors: &mut BTreeMap<(Uuid, i64), Cursor>,
    account: &Account,
    amount: Cents,
) -> Result<Balance, Error> {
    let cursor = cursors.get_mut(&account.key()).ok_or(Error::Overflow)?;
    cursor.balance = cursor.balance.plus(amount).ok_or(Error::Overflow)?;
    cursor.sequence = cursor.sequence.checked_add(1).ok_or(Error::Overflow)?;
    Ok(Balance { amount: cursor.balance, sequence: cursor.sequence })
}
