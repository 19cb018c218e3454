//! The ledger's tables.

use std::collections::BTreeMap;

use db::args;
use db::error::Result;
use db::tx::Tx;
use db::value::Row;
use uuid::Uuid;

use crate::account::Account;
use crate::cents::Cents;
use crate::chain::{Entry, Hash, Origin};
use crate::posting::{Balance, Head};
use crate::statement::Leg;

/// How many chain heads one statement updates.
const HEADS: usize = 4;

/// An account after an update.
pub struct UpdatedAccount {
    pub balance: Balance,
    /// The predecessor of the next leg's hash.
    pub head: Hash,
}

/// Adds to a balance unless it would fall below the floor; `None` if it would, or if the account
/// does not exist.
///
/// A forced amount is added regardless.
pub async fn add(
    tx: &Tx,
    book: i64,
    account: &Account,
    net: Cents,
    legs: i64,
    forced: bool,
) -> Result<Option<UpdatedAccount>> {
    let row = tx
        .opt(
            "update ledger_accounts
                set balance_cents = balance_cents + $1, sequence = sequence + $2
              where owner_id = $3 and book = $4 and code = $5
                and (balance_cents + $1 >= floor_cents or $1 >= 0 or $6)
             returning balance_cents, sequence, floor_cents, chained_after, chain_head",
            args![net, legs, account.owner, book, account.code, forced],
        )
        .await?;
    row.map(|row| read_settled(row, book, account)).transpose()
}

pub async fn open(tx: &Tx, book: i64, account: &Account) -> Result<u64> {
    tx.exec(
        "insert into ledger_accounts
                (owner_id, book, code, floor_cents, balance_cents, sequence)
         values ($1, $2, $3, $4, 0, 0)
             on conflict (owner_id, book, code) do nothing",
        args![account.owner, book, account.code, account.floor.minimum()],
    )
    .await
}

pub async fn balance(tx: &Tx, book: i64, account: &Account) -> Result<Option<Balance>> {
    let row = tx
        .opt(
            "select balance_cents, sequence
               from ledger_accounts
              where owner_id = $1 and book = $2 and code = $3",
            args![account.owner, book, account.code],
        )
        .await?;
    row.map(|mut row| Ok(Balance { amount: row.take()?, sequence: row.take()? })).transpose()
}

pub async fn balances(tx: &Tx, book: i64, owner: Uuid) -> Result<BTreeMap<i64, Balance>> {
    let rows = tx
        .all(
            "select code, balance_cents, sequence
               from ledger_accounts
              where owner_id = $1 and book = $2",
            args![owner, book],
        )
        .await?;
    let read =
        |mut row: Row| Ok((row.take()?, Balance { amount: row.take()?, sequence: row.take()? }));
    rows.into_iter().map(read).collect()
}

/// Locks every account of an owner until the unit ends, in the order in which postings lock them.
pub async fn lock(tx: &Tx, book: i64, owner: Uuid) -> Result<()> {
    tx.all(
        "select code
           from ledger_accounts
          where owner_id = $1 and book = $2
          order by code /*+ lock ledger_accounts */",
        args![owner, book],
    )
    .await?;
    Ok(())
}

pub async fn insert_transfer(tx: &Tx, entry: &Entry<'_>, hashes: &[Hash; 2]) -> Result<()> {
    let [debit_hash, credit_hash] = hashes;
    tx.defer(
        "insert into ledger_transfers
                (subject_id, kind, line, book, amount_cents, booked_at,
                 debit_owner_id, debit_code, debit_sequence, debit_balance_cents,
                 credit_owner_id, credit_code, credit_sequence, credit_balance_cents, forced,
                 debit_hash, credit_hash)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)",
        args![
            entry.subject,
            entry.kind,
            entry.line,
            entry.book,
            entry.amount,
            entry.booked_at,
            entry.debit.owner,
            entry.debit.code,
            entry.debit.sequence,
            entry.debit.balance,
            entry.credit.owner,
            entry.credit.code,
            entry.credit.sequence,
            entry.credit.balance,
            entry.forced,
            debit_hash,
            credit_hash,
        ],
    )
    .await
}

/// Stores the chain heads of accounts; the unit has updated their balances, so no other unit can
/// change them meanwhile. Heads of one owner are adjacent.
pub async fn keep_heads(tx: &Tx, book: i64, heads: &[Head]) -> Result<()> {
    for own in heads.chunk_by(|one, next| one.account.owner == next.account.owner) {
        for few in own.chunks(HEADS) {
            keep_few(tx, book, few).await?;
        }
    }
    Ok(())
}

/// One statement for any number of heads: unused places repeat the last one.
async fn keep_few(tx: &Tx, book: i64, heads: &[Head]) -> Result<()> {
    let Some(last) = heads.last() else { return Ok(()) };
    let at = |place: usize| heads.get(place).unwrap_or(last);
    tx.defer(
        "update ledger_accounts
            set chain_head = case code when $3 then $4 when $5 then $6 when $7 then $8
                                       when $9 then $10 else chain_head end
          where owner_id = $1 and book = $2 and code in ($3, $5, $7, $9)",
        args![
            last.account.owner,
            book,
            at(0).account.code,
            at(0).hash,
            at(1).account.code,
            at(1).hash,
            at(2).account.code,
            at(2).hash,
            at(3).account.code,
            at(3).hash,
        ],
    )
    .await
}

pub async fn legs(
    tx: &Tx,
    book: i64,
    account: &Account,
    before: i64,
    limit: i64,
) -> Result<Vec<Leg>> {
    let rows = tx
        .all(
            "select sequence, amount_cents, balance_cents, kind, subject_id, booked_at
               from ledger_legs
              where owner_id = $1 and book = $2 and code = $3 and sequence < $4
              order by sequence desc
              limit $5",
            args![account.owner, book, account.code, before, limit],
        )
        .await?;
    let read = |mut row: Row| {
        Ok(Leg {
            sequence: row.take()?,
            amount: row.take()?,
            balance: row.take()?,
            kind: row.take()?,
            subject: row.take()?,
            at: row.take()?,
        })
    };
    rows.into_iter().map(read).collect()
}

fn read_settled(mut row: Row, book: i64, account: &Account) -> Result<UpdatedAccount> {
    let balance = Balance { amount: row.take()?, sequence: row.take()? };
    let Account { owner, code, .. } = *account;
    let origin = Origin { owner, book, code, floor_cents: row.take()?, after: row.take()? };
    let head = row.take::<Option<Hash>>()?.unwrap_or_else(|| origin.hash());
    Ok(UpdatedAccount { balance, head })
}
