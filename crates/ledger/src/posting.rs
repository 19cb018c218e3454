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
use crate::store::{self, State};

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

/// The accounts of a posting's owners, locked and changed in memory. An account that another unit
/// opened while this one waited for the lock may be missing.
#[derive(Debug, Default)]
struct Accounts(BTreeMap<Uuid, BTreeMap<i64, State>>);

/// An owner's accounts, locked ahead of their posting, with their balances.
#[derive(Debug)]
pub struct LockedAccounts {
    owner: Uuid,
    accounts: Accounts,
    balances: BTreeMap<i64, Balance>,
}

/// Locks every account of an owner, for a posting that moves no one else's.
///
/// No other posting may come in between: what is locked is written back as it was read, plus this
/// posting.
pub async fn lock_ahead(tx: &Tx, book: i64, owner: Uuid) -> Result<LockedAccounts, DbError> {
    // Sent together. On a connection that has prepared neither, the read may come first; what is
    // locked overrides what was read.
    let locked = Accounts::read(tx, book, std::slice::from_ref(&owner));
    let (accounts, balances) = try_join(locked, balances(tx, book, owner)).await?;
    Ok(LockedAccounts { owner, accounts, balances })
}

/// Writes a posting.
pub async fn post(tx: &Tx, posting: &Posting) -> Result<(), Error> {
    write(tx, posting, Accounts::default()).await.map(drop)
}

/// Writes a posting; returns all of an owner's balances after it, by the code of the account.
pub async fn post_then_balances(
    tx: &Tx,
    posting: &Posting,
    owner: Uuid,
) -> Result<BTreeMap<i64, Balance>, Error> {
    // Sent together. On a connection that has prepared neither, the read may come first; what is
    // locked overrides what was read.
    let read = async { Ok(balances(tx, posting.book, owner).await?) };
    let written = write(tx, posting, Accounts::default());
    let (accounts, before) = try_join(written, read).await?;
    Ok(accounts.balances(owner, before))
}

/// Writes a posting that moves only accounts that were locked ahead of it; returns all of their
/// owner's balances after it.
pub async fn post_locked(
    tx: &Tx,
    posting: &Posting,
    locked: LockedAccounts,
) -> Result<BTreeMap<i64, Balance>, Error> {
    let accounts = write(tx, posting, locked.accounts).await?;
    Ok(accounts.balances(locked.owner, locked.balances))
}

/// Writes a posting; locks its accounts unless all of them are locked already.
async fn write(tx: &Tx, posting: &Posting, locked: Accounts) -> Result<Accounts, Error> {
    let transfers: Vec<_> =
        posting.transfers.iter().filter(|transfer| !transfer.amount.is_zero()).collect();
    let moved: BTreeMap<_, _> = transfers
        .iter()
        .flat_map(|transfer| [transfer.debit, transfer.credit])
        .map(keyed)
        .collect();
    let also: &[Account] = if tx.writes_alone() { &[] } else { &posting.held };
    let wanted: BTreeMap<_, _> = also.iter().copied().map(keyed).chain(moved.clone()).collect();
    let mut accounts = if wanted.values().all(|account| locked.of(account).is_some()) {
        locked
    } else {
        Accounts::lock(tx, posting.book, &wanted).await?
    };
    for (line, transfer) in (0_i64..).zip(transfers) {
        let (entry, hashes) = accounts.enter(posting, line, transfer)?;
        store::insert_transfer(tx, &entry, &hashes).await?;
    }
    accounts.keep(tx, posting.book, &moved).await?;
    Ok(accounts)
}

/// Reads an account; one that was never used has a balance of zero.
pub async fn balance(tx: &Tx, book: i64, account: &Account) -> Result<Balance, DbError> {
    let found = store::balance(tx, book, account).await?;
    Ok(found.unwrap_or(Balance { amount: Cents::ZERO, sequence: 0 }))
}

/// Locks every account of an owner until the unit ends, so that what it reads of them stays true.
pub async fn lock(tx: &Tx, book: i64, owner: Uuid) -> Result<(), DbError> {
    store::lock(tx, book, owner).await.map(drop)
}

/// Reads every account of an owner, by its code.
pub async fn balances(tx: &Tx, book: i64, owner: Uuid) -> Result<BTreeMap<i64, Balance>, DbError> {
    store::balances(tx, book, owner).await
}

impl Accounts {
    /// Locks the accounts of each owner of the wanted ones, in the order in which every unit locks
    /// them, and opens those that are missing.
    async fn lock(
        tx: &Tx,
        book: i64,
        wanted: &BTreeMap<(Uuid, i64), Account>,
    ) -> Result<Self, Error> {
        let mut owners: Vec<_> = wanted.keys().map(|(owner, _)| *owner).collect();
        owners.dedup();
        let mut accounts = Self::read(tx, book, &owners).await?;
        let missing: Vec<_> =
            wanted.values().filter(|account| accounts.of(account).is_none()).collect();
        if !missing.is_empty() {
            for account in missing {
                store::open(tx, book, account).await?;
            }
            accounts = Self::read(tx, book, &owners).await?;
        }
        Ok(accounts)
    }

    /// In one trip to a database server.
    async fn read(tx: &Tx, book: i64, owners: &[Uuid]) -> Result<Self, DbError> {
        let locked = owners.iter().map(|owner| async {
            let states = store::lock(tx, book, *owner).await?.into_iter();
            Ok::<_, DbError>((*owner, states.map(|state| (state.code, state)).collect()))
        });
        Ok(Self(try_join_all(locked).await?.into_iter().collect()))
    }

    /// All of an owner's balances, from those before what was entered here.
    fn balances(
        &self,
        owner: Uuid,
        mut balances: BTreeMap<i64, Balance>,
    ) -> BTreeMap<i64, Balance> {
        let own = self.0.get(&owner).into_iter().flatten();
        balances.extend(own.map(|(code, state)| (*code, state.balance)));
        balances
    }

    fn of(&self, account: &Account) -> Option<&State> {
        self.0.get(&account.owner)?.get(&account.code)
    }

    /// Applies a transfer; refuses an overdraft.
    fn enter<'a>(
        &mut self,
        posting: &'a Posting,
        line: i64,
        transfer: &Transfer,
    ) -> Result<(Entry<'a>, [Hash; 2]), Error> {
        let Transfer { amount, forced, .. } = *transfer;
        if amount < Cents::ZERO {
            return Err(Error::Overflow);
        }
        let less = Cents::ZERO.minus(amount).ok_or(Error::Overflow)?;
        let debit = self.add(&transfer.debit, less)?;
        // A credit in the same posting does not cover a debit.
        if !forced && debit.balance.get() < self.state(&transfer.debit)?.floor {
            return Err(Error::Insufficient(transfer.debit));
        }
        let credit = self.add(&transfer.credit, amount)?;
        let Posting { subject, kind, book, booked_at, .. } = *posting;
        let entry = Entry { subject, kind, line, book, amount, booked_at, debit, credit, forced };
        let encoded = entry.encode();
        let debit_hash = self.chain(&transfer.debit, Side::Debit, &encoded)?;
        let credit_hash = self.chain(&transfer.credit, Side::Credit, &encoded)?;
        Ok((entry, [debit_hash, credit_hash]))
    }

    /// Adds an entry to an account's balance.
    fn add(&mut self, account: &Account, amount: Cents) -> Result<End, Error> {
        let balance = &mut self.state(account)?.balance;
        balance.amount = balance.amount.plus(amount).ok_or(Error::Overflow)?;
        balance.sequence = balance.sequence.checked_add(1).ok_or(Error::Overflow)?;
        let Account { owner, code, .. } = *account;
        Ok(End { owner, code, sequence: balance.sequence, balance: balance.amount })
    }

    /// Adds an entry to an account's chain.
    fn chain(&mut self, account: &Account, side: Side, encoded: &[u8]) -> Result<Hash, Error> {
        let head = &mut self.state(account)?.head;
        *head = link(head, side, encoded);
        Ok(*head)
    }

    fn state(&mut self, account: &Account) -> Result<&mut State, Error> {
        let state = self.0.get_mut(&account.owner).and_then(|own| own.get_mut(&account.code));
        state.ok_or_else(|| Error::Database(DbError::Row("an account was not opened".into())))
    }

    /// Stores the accounts that were moved.
    async fn keep(
        &self,
        tx: &Tx,
        book: i64,
        moved: &BTreeMap<(Uuid, i64), Account>,
    ) -> Result<(), DbError> {
        for (owner, states) in &self.0 {
            let is_moved = |state: &&State| moved.contains_key(&(*owner, state.code));
            let states: Vec<_> = states.values().filter(is_moved).copied().collect();
            store::keep(tx, book, *owner, &states).await?;
        }
        Ok(())
    }
}

fn keyed(account: Account) -> ((Uuid, i64), Account) {
    (account.key(), account)
}
