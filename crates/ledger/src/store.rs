//! The ledger's tables.

use std::collections::BTreeMap;
use std::ops::Range;

use db::args;
use db::error::Result;
use db::time::Timestamp;
use db::tx::Tx;
use db::value::Row;
use uuid::Uuid;

use crate::account::Account;
use crate::cents::Cents;
use crate::chain::{Entry, Hash, Origin};
use crate::posting::Balance;
use crate::statement::Leg;
use crate::turnover;

/// How many accounts one statement updates.
const ACCOUNTS: usize = 4;
/// How many subjects one statement looks for.
pub const SUBJECTS: usize = 8;

/// An account as it is stored.
#[derive(Debug, Clone, Copy)]
pub struct State {
    pub code: i64,
    pub balance: Balance,
    /// The minimum balance, in cents.
    pub floor: i64,
    /// The predecessor of the next leg's hash.
    pub head: Hash,
}

/// Reads every account of an owner and locks it until the unit ends, in the order in which every
/// unit locks them.
pub async fn lock(tx: &Tx, book: i64, owner: Uuid) -> Result<Vec<State>> {
    let rows = tx
        .all(
            "select code, balance_cents, sequence, floor_cents, chained_after, chain_head
               from ledger_accounts
              where owner_id = $1 and book = $2
              order by code /*+ lock ledger_accounts */",
            args![owner, book],
        )
        .await?;
    rows.into_iter().map(|row| read_state(row, owner, book)).collect()
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

pub async fn insert_transfer(tx: &Tx, entry: &Entry<'_>, hashes: &[Hash; 2]) -> Result<()> {
    let [debit_hash, credit_hash] = hashes;
    tx.insert_row(
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

/// Stores an owner's accounts, which the unit has locked.
pub async fn keep(tx: &Tx, book: i64, owner: Uuid, states: &[State]) -> Result<()> {
    for few in states.chunks(ACCOUNTS) {
        keep_few(tx, book, owner, few).await?;
    }
    Ok(())
}

/// One statement for any number of accounts: unused places repeat the last one.
async fn keep_few(tx: &Tx, book: i64, owner: Uuid, states: &[State]) -> Result<()> {
    let Some(last) = states.last() else { return Ok(()) };
    let at = |place: usize| states.get(place).unwrap_or(last);
    tx.defer_with_rows(
        "update ledger_accounts
            set balance_cents = case code when $3 then $4 when $7 then $8 when $11 then $12
                                          when $15 then $16 else balance_cents end,
                sequence = case code when $3 then $5 when $7 then $9 when $11 then $13
                                     when $15 then $17 else sequence end,
                chain_head = case code when $3 then $6 when $7 then $10 when $11 then $14
                                       when $15 then $18 else chain_head end
          where owner_id = $1 and book = $2 and code in ($3, $7, $11, $15)",
        args![
            owner,
            book,
            at(0).code,
            at(0).balance.amount,
            at(0).balance.sequence,
            at(0).head,
            at(1).code,
            at(1).balance.amount,
            at(1).balance.sequence,
            at(1).head,
            at(2).code,
            at(2).balance.amount,
            at(2).balance.sequence,
            at(2).head,
            at(3).code,
            at(3).balance.amount,
            at(3).balance.sequence,
            at(3).head,
        ],
    )
    .await
}

pub async fn legs(
    tx: &Tx,
    book: i64,
    account: &Account,
    within: Range<i64>,
    kind: Option<&str>,
    limit: i64,
) -> Result<Vec<Leg>> {
    let rows = tx
        .all(
            "select sequence, amount_cents, balance_cents, kind, subject_id, booked_at
               from ledger_legs
              where owner_id = $1 and book = $2 and code = $3
                and sequence >= $4 and sequence < $5
                and (cast($6 as text) is null or kind = $6)
              order by sequence desc
              limit $7",
            args![account.owner, book, account.code, within.start, within.end, kind, limit],
        )
        .await?;
    rows.into_iter().map(read_leg).collect()
}

/// One statement for any number of subjects: unused places repeat the last one.
///
/// What the account is stands in an expression, or SQLite would read all entries of the account.
pub async fn legs_about(
    tx: &Tx,
    book: i64,
    account: &Account,
    within: &Range<i64>,
    kind: Option<&str>,
    (subjects, limit): (&[Uuid], i64),
) -> Result<Vec<Leg>> {
    let Some(last) = subjects.last() else { return Ok(Vec::new()) };
    let at = |place: usize| *subjects.get(place).unwrap_or(last);
    let rows = tx
        .all(
            "select sequence, amount_cents, balance_cents, kind, subject_id, booked_at
               from ledger_legs
              where subject_id in ($1, $2, $3, $4, $5, $6, $7, $8)
                and case when owner_id = $9 and book = $10 and code = $11 then sequence end >= $12
                and sequence < $13
                and (cast($14 as text) is null or kind = $14)
              order by sequence desc
              limit $15",
            args![
                at(0),
                at(1),
                at(2),
                at(3),
                at(4),
                at(5),
                at(6),
                at(7),
                account.owner,
                book,
                account.code,
                within.start,
                within.end,
                kind,
                limit,
            ],
        )
        .await?;
    rows.into_iter().map(read_leg).collect()
}

pub async fn posted_at(
    tx: &Tx,
    book: i64,
    account: &Account,
    sequence: i64,
) -> Result<Option<Timestamp>> {
    let row = tx
        .opt(
            "select booked_at
               from ledger_legs
              where owner_id = $1 and book = $2 and code = $3 and sequence = $4",
            args![account.owner, book, account.code, sequence],
        )
        .await?;
    row.map(|mut row| row.take()).transpose()
}

/// The first leg in a range that was posted at an instant or later; reads the whole range.
pub async fn first_between(
    tx: &Tx,
    book: i64,
    account: &Account,
    within: Range<i64>,
    at: Timestamp,
) -> Result<Option<i64>> {
    let mut row = tx
        .one(
            "select min(sequence)
               from ledger_legs
              where owner_id = $1 and book = $2 and code = $3
                and sequence >= $4 and sequence < $5 and booked_at >= $6",
            args![account.owner, book, account.code, within.start, within.end, at],
        )
        .await?;
    row.take()
}

pub async fn turnover(
    tx: &Tx,
    book: i64,
    account: &Account,
    within: Range<i64>,
) -> Result<BTreeMap<String, Cents>> {
    let rows = tx
        .all(
            "select kind, cast(sum(amount_cents) as bigint)
               from ledger_legs
              where owner_id = $1 and book = $2 and code = $3
                and sequence >= $4 and sequence < $5
              group by kind",
            args![account.owner, book, account.code, within.start, within.end],
        )
        .await?;
    rows.into_iter().map(|mut row| Ok((row.take()?, row.take()?))).collect()
}

/// Sums what the facts that debited an account credited to another; a fact is found by its key.
pub async fn credited_with(
    tx: &Tx,
    book: i64,
    (debited, within): (&Account, Range<i64>),
    kind: &str,
    credited: &Account,
) -> Result<Cents> {
    let mut row = tx
        .one(
            "select cast(coalesce(sum(others.amount_cents), 0) as bigint)
               from ledger_transfers as debits
               join ledger_transfers as others
                 on others.subject_id = debits.subject_id and others.kind = debits.kind
              where debits.debit_owner_id = $1 and debits.book = $2 and debits.debit_code = $3
                and debits.debit_sequence >= $4 and debits.debit_sequence < $5
                and debits.kind = $6
                and others.credit_owner_id = $7 and others.credit_code = $8",
            args![
                debited.owner,
                book,
                debited.code,
                within.start,
                within.end,
                kind,
                credited.owner,
                credited.code,
            ],
        )
        .await?;
    row.take()
}

pub async fn debits(
    tx: &Tx,
    book: i64,
    account: &Account,
    within: Range<i64>,
    kind: &str,
    limit: i64,
) -> Result<Vec<turnover::Entry>> {
    let rows = tx
        .all(
            "select debit_sequence, amount_cents, subject_id, booked_at
               from ledger_transfers
              where debit_owner_id = $1 and book = $2 and debit_code = $3
                and debit_sequence >= $4 and debit_sequence < $5 and kind = $6
              order by debit_sequence desc
              limit $7",
            args![account.owner, book, account.code, within.start, within.end, kind, limit],
        )
        .await?;
    rows.into_iter().map(read_entry).collect()
}

pub async fn credits(
    tx: &Tx,
    book: i64,
    account: &Account,
    within: Range<i64>,
    kind: &str,
    limit: i64,
) -> Result<Vec<turnover::Entry>> {
    let rows = tx
        .all(
            "select credit_sequence, amount_cents, subject_id, booked_at
               from ledger_transfers
              where credit_owner_id = $1 and book = $2 and credit_code = $3
                and credit_sequence >= $4 and credit_sequence < $5 and kind = $6
              order by credit_sequence desc
              limit $7",
            args![account.owner, book, account.code, within.start, within.end, kind, limit],
        )
        .await?;
    rows.into_iter().map(read_entry).collect()
}

pub async fn entries_with(
    tx: &Tx,
    book: i64,
    (debited, within): (&Account, Range<i64>),
    kind: &str,
    credited: &Account,
    limit: i64,
) -> Result<Vec<turnover::Entry>> {
    let rows = tx
        .all(
            "select debits.debit_sequence, others.amount_cents, debits.subject_id, debits.booked_at
               from ledger_transfers as debits
               join ledger_transfers as others
                 on others.subject_id = debits.subject_id and others.kind = debits.kind
              where debits.debit_owner_id = $1 and debits.book = $2 and debits.debit_code = $3
                and debits.debit_sequence >= $4 and debits.debit_sequence < $5
                and debits.kind = $6
                and others.credit_owner_id = $7 and others.credit_code = $8
              order by debits.debit_sequence desc
              limit $9",
            args![
                debited.owner,
                book,
                debited.code,
                within.start,
                within.end,
                kind,
                credited.owner,
                credited.code,
                limit,
            ],
        )
        .await?;
    rows.into_iter().map(read_entry).collect()
}

fn read_leg(mut row: Row) -> Result<Leg> {
    Ok(Leg {
        sequence: row.take()?,
        amount: row.take()?,
        balance: row.take()?,
        kind: row.take()?,
        subject: row.take()?,
        at: row.take()?,
    })
}

fn read_entry(mut row: Row) -> Result<turnover::Entry> {
    Ok(turnover::Entry {
        sequence: row.take()?,
        amount: row.take()?,
        subject: row.take()?,
        at: row.take()?,
    })
}

fn read_state(mut row: Row, owner: Uuid, book: i64) -> Result<State> {
    let code = row.take()?;
    let balance = Balance { amount: row.take()?, sequence: row.take()? };
    let floor = row.take()?;
    let origin = Origin { owner, book, code, floor_cents: floor, after: row.take()? };
    let head = row.take::<Option<Hash>>()?.unwrap_or_else(|| origin.hash());
    Ok(State { code, balance, floor, head })
}
