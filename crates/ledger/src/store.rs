//! The ledger's tables.

use std::collections::BTreeMap;

use db::args;
use db::error::Result;
use db::tx::Tx;
use db::value::Row;
use uuid::Uuid;

use crate::account::Account;
use crate::cents::Cents;
use crate::posting::{Balance, Posting, Transfer};
use crate::statement::Leg;

/// Adds to a balance unless it would fall below the floor; `None` if it would, or is not there.
///
/// What is forced is added all the same.
pub async fn add(
    tx: &Tx,
    book: i64,
    account: &Account,
    net: Cents,
    legs: i64,
    forced: bool,
) -> Result<Option<Balance>> {
    let row = tx
        .opt(
            "update ledger_accounts
                set balance_cents = balance_cents + $1, sequence = sequence + $2
              where owner_id = $3 and book = $4 and code = $5
                and (balance_cents + $1 >= floor_cents or $1 >= 0 or $6)
             returning balance_cents, sequence",
            args![net, legs, account.owner, book, account.code, forced],
        )
        .await?;
    row.map(|mut row| Ok(Balance { amount: row.take()?, sequence: row.take()? })).transpose()
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

pub async fn insert_transfer(
    tx: &Tx,
    posting: &Posting,
    line: i64,
    transfer: &Transfer,
    debit: Balance,
    credit: Balance,
) -> Result<()> {
    tx.defer(
        "insert into ledger_transfers
                (subject_id, kind, line, book, amount_cents, booked_at,
                 debit_owner_id, debit_code, debit_sequence, debit_balance_cents,
                 credit_owner_id, credit_code, credit_sequence, credit_balance_cents, forced)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)",
        args![
            posting.subject,
            posting.kind,
            line,
            posting.book,
            transfer.amount,
            posting.booked_at,
            transfer.debit.owner,
            transfer.debit.code,
            debit.sequence,
            debit.amount,
            transfer.credit.owner,
            transfer.credit.code,
            credit.sequence,
            credit.amount,
            transfer.forced,
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
