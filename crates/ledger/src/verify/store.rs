//! What a proof counts: of all books, or of one owner's accounts in one book.
//!
//! The two are statements of their own: one that leaves the owner open is planned for everybody,
//! and reads all transfers to prove one merchant's.

use db::args;
use db::error::Result;
use db::tx::Tx;
use db::value::Row;
use uuid::Uuid;

/// What is summed over accounts.
pub struct Totals {
    pub accounts: i64,
    /// Those further below their floor than was taken from them by force.
    pub overdrawn: i64,
    pub balance_cents: i64,
}

/// The statement that sums accounts; `whose` says of whom, if not of everybody.
macro_rules! totalling {
    ($whose:literal) => {
        concat!(
            "select count(*),
                    count(case when balance_cents + (
                                select cast(coalesce(sum(amount_cents), 0) as bigint)
                                  from ledger_transfers as taken
                                 where forced and taken.book = accounts.book
                                   and debit_owner_id = owner_id and debit_code = code)
                                < floor_cents then 1 end),
                    cast(coalesce(sum(balance_cents), 0) as bigint)
               from ledger_accounts as accounts",
            $whose
        )
    };
}

pub async fn totals(tx: &Tx) -> Result<Totals> {
    let row = tx.one(totalling!(""), &[]).await?;
    read_totals(row)
}

pub async fn totals_of(tx: &Tx, owner: Uuid, book: i64) -> Result<Totals> {
    let row = tx.one(totalling!(" where owner_id = $1 and book = $2"), args![owner, book]).await?;
    read_totals(row)
}

pub async fn transfers(tx: &Tx) -> Result<i64> {
    tx.one("select count(*) from ledger_transfers", &[]).await?.take()
}

/// Counts a transfer between two accounts of the owner once.
pub async fn transfers_of(tx: &Tx, owner: Uuid, book: i64) -> Result<i64> {
    tx.one(
        "select count(*)
           from (select subject_id, kind, line
                   from ledger_transfers
                  where debit_owner_id = $1 and book = $2
                  union
                 select subject_id, kind, line
                   from ledger_transfers
                  where credit_owner_id = $1 and book = $2) as transfers",
        args![owner, book],
    )
    .await?
    .take()
}

/// Counts accounts that differ from their legs in sum or number.
pub async fn wrong_accounts(tx: &Tx) -> Result<i64> {
    tx.one(
        "select count(*)
           from (select owner_id, book, code,
                        sum(amount_cents) as amount_cents, sum(legs) as legs
                   from (select owner_id, book, code, amount_cents, 1 as legs
                           from ledger_legs
                          union all
                         select owner_id, book, code, -balance_cents, -sequence
                           from ledger_accounts) as sides
                  group by owner_id, book, code) as sums
          where amount_cents <> 0 or legs <> 0",
        &[],
    )
    .await?
    .take()
}

pub async fn wrong_accounts_of(tx: &Tx, owner: Uuid, book: i64) -> Result<i64> {
    tx.one(
        "select count(*)
           from (select code, sum(amount_cents) as amount_cents, sum(legs) as legs
                   from (select code, amount_cents, 1 as legs
                           from ledger_legs
                          where owner_id = $1 and book = $2
                          union all
                         select code, -balance_cents, -sequence
                           from ledger_accounts
                          where owner_id = $1 and book = $2) as sides
                  group by code) as sums
          where amount_cents <> 0 or legs <> 0",
        args![owner, book],
    )
    .await?
    .take()
}

/// Counts legs whose running balance or number does not follow from the leg before.
pub async fn broken_legs(tx: &Tx) -> Result<i64> {
    tx.one(
        "select count(*)
           from (select balance_cents - amount_cents as opened_cents, sequence,
                        lag(balance_cents) over account as closed_cents,
                        row_number() over account as place
                   from ledger_legs
                 window account as
                        (partition by owner_id, book, code order by sequence)) as legs
          where opened_cents <> coalesce(closed_cents, 0) or sequence <> place",
        &[],
    )
    .await?
    .take()
}

pub async fn broken_legs_of(tx: &Tx, owner: Uuid, book: i64) -> Result<i64> {
    tx.one(
        "select count(*)
           from (select balance_cents - amount_cents as opened_cents, sequence,
                        lag(balance_cents) over account as closed_cents,
                        row_number() over account as place
                   from ledger_legs
                  where owner_id = $1 and book = $2
                 window account as (partition by code order by sequence)) as legs
          where opened_cents <> coalesce(closed_cents, 0) or sequence <> place",
        args![owner, book],
    )
    .await?
    .take()
}

fn read_totals(mut row: Row) -> Result<Totals> {
    Ok(Totals { accounts: row.take()?, overdrawn: row.take()?, balance_cents: row.take()? })
}
