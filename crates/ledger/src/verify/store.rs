//! What a proof reads, page by page in the order of accounts and their legs.
//!
//! Each statement is there twice: one that leaves the owner open is planned for everybody, and
//! reads all transfers to prove one merchant's.

use db::args;
use db::error::Result;
use db::time::Timestamp;
use db::tx::Tx;
use db::value::Row;
use uuid::Uuid;

use crate::cents::Cents;
use crate::chain::{End, Entry, Hash, Side};
use crate::store::read_hash;

/// How many rows are read at once.
pub const PAGE: i64 = 1_000;

/// Whose books, and which: an owner's in one book, or everything.
pub type Scope = Option<(Uuid, i64)>;

/// An account's place in the order of a proof: owner, book and code.
pub type Key = (Uuid, i64, i64);

/// An account as it is stored.
#[derive(Debug, Clone)]
pub struct Account {
    pub key: Key,
    pub floor_cents: i64,
    pub balance: Cents,
    pub sequence: i64,
    pub chained_after: i64,
    pub head: Option<Hash>,
}

/// One leg of a transfer as it is stored.
#[derive(Debug, Clone)]
pub struct Leg {
    pub side: Side,
    pub subject: Uuid,
    pub kind: String,
    pub line: i64,
    pub book: i64,
    pub amount: Cents,
    pub booked_at: Timestamp,
    pub debit: End,
    pub credit: End,
    pub forced: bool,
    pub hash: Option<Hash>,
}

/// The columns of a transfer in the order in which `read_leg` takes them; the hash of one side
/// follows.
macro_rules! transfer {
    () => {
        "subject_id, kind, line, book, amount_cents, booked_at,
         debit_owner_id, debit_code, debit_sequence, debit_balance_cents,
         credit_owner_id, credit_code, credit_sequence, credit_balance_cents, forced"
    };
}

macro_rules! account {
    () => {
        "owner_id, book, code, floor_cents, balance_cents, sequence, chained_after, chain_head"
    };
}

/// Reads a page of accounts after a place.
pub async fn accounts(tx: &Tx, of: Scope, after: Key) -> Result<Vec<Account>> {
    let (owner, book, code) = after;
    let rows = match of {
        None => {
            let sql = concat!(
                "select ",
                account!(),
                " from ledger_accounts
                 where (owner_id, book, code) > ($1, $2, $3)
                 order by owner_id, book, code
                 limit $4"
            );
            tx.all(sql, args![owner, book, code, PAGE]).await?
        }
        Some((owner, book)) => {
            let sql = concat!(
                "select ",
                account!(),
                " from ledger_accounts
                 where owner_id = $1 and book = $2 and code > $3
                 order by code
                 limit $4"
            );
            tx.all(sql, args![owner, book, code, PAGE]).await?
        }
    };
    rows.into_iter().map(read_account).collect()
}

/// Reads a page of debits after a place and a sequence.
pub async fn debits(tx: &Tx, of: Scope, (after, sequence): (Key, i64)) -> Result<Vec<Leg>> {
    let (owner, book, code) = after;
    let rows = match of {
        None => {
            let sql = concat!(
                "select ",
                transfer!(),
                ", debit_hash
                   from ledger_transfers
                  where (debit_owner_id, book, debit_code, debit_sequence) > ($1, $2, $3, $4)
                  order by debit_owner_id, book, debit_code, debit_sequence
                  limit $5"
            );
            tx.all(sql, args![owner, book, code, sequence, PAGE]).await?
        }
        Some((owner, book)) => {
            let sql = concat!(
                "select ",
                transfer!(),
                ", debit_hash
                   from ledger_transfers
                  where debit_owner_id = $1 and book = $2
                    and (debit_code, debit_sequence) > ($3, $4)
                  order by debit_code, debit_sequence
                  limit $5"
            );
            tx.all(sql, args![owner, book, code, sequence, PAGE]).await?
        }
    };
    rows.into_iter().map(|row| read_leg(row, Side::Debit)).collect()
}

/// Reads a page of credits after a place and a sequence.
pub async fn credits(tx: &Tx, of: Scope, (after, sequence): (Key, i64)) -> Result<Vec<Leg>> {
    let (owner, book, code) = after;
    let rows = match of {
        None => {
            let sql = concat!(
                "select ",
                transfer!(),
                ", credit_hash
                   from ledger_transfers
                  where (credit_owner_id, book, credit_code, credit_sequence) > ($1, $2, $3, $4)
                  order by credit_owner_id, book, credit_code, credit_sequence
                  limit $5"
            );
            tx.all(sql, args![owner, book, code, sequence, PAGE]).await?
        }
        Some((owner, book)) => {
            let sql = concat!(
                "select ",
                transfer!(),
                ", credit_hash
                   from ledger_transfers
                  where credit_owner_id = $1 and book = $2
                    and (credit_code, credit_sequence) > ($3, $4)
                  order by credit_code, credit_sequence
                  limit $5"
            );
            tx.all(sql, args![owner, book, code, sequence, PAGE]).await?
        }
    };
    rows.into_iter().map(|row| read_leg(row, Side::Credit)).collect()
}

/// Sums every balance, in cents.
pub async fn imbalance(tx: &Tx) -> Result<i64> {
    let sql = "select cast(coalesce(sum(balance_cents), 0) as bigint) from ledger_accounts";
    tx.one(sql, &[]).await?.take()
}

/// Begins chains anew after what is booked now, where something was booked without a hash after
/// they had begun; answers how many.
pub async fn rechain(tx: &Tx) -> Result<u64> {
    tx.exec(
        "update ledger_accounts
            set chained_after = sequence, chain_head = null
          where exists (
                select 1
                  from ledger_transfers
                 where debit_owner_id = ledger_accounts.owner_id
                   and ledger_transfers.book = ledger_accounts.book
                   and debit_code = ledger_accounts.code
                   and debit_sequence > ledger_accounts.chained_after
                   and debit_hash is null)
             or exists (
                select 1
                  from ledger_transfers
                 where credit_owner_id = ledger_accounts.owner_id
                   and ledger_transfers.book = ledger_accounts.book
                   and credit_code = ledger_accounts.code
                   and credit_sequence > ledger_accounts.chained_after
                   and credit_hash is null)",
        &[],
    )
    .await
}

/// Sums what transfers of one kind put into accounts with one code: owner, book and cents.
pub async fn entered(tx: &Tx, kind: &str, code: i64, of: Scope) -> Result<Vec<(Uuid, i64, i64)>> {
    let rows = match of {
        None => {
            let sql = "select credit_owner_id, book, cast(sum(amount_cents) as bigint)
                         from ledger_transfers
                        where kind = $1 and credit_code = $2
                        group by credit_owner_id, book";
            tx.all(sql, args![kind, code]).await?
        }
        Some((owner, book)) => {
            let sql = "select credit_owner_id, book, cast(sum(amount_cents) as bigint)
                         from ledger_transfers
                        where credit_owner_id = $3 and book = $4
                          and kind = $1 and credit_code = $2
                        group by credit_owner_id, book";
            tx.all(sql, args![kind, code, owner, book]).await?
        }
    };
    rows.into_iter().map(|mut row| Ok((row.take()?, row.take()?, row.take()?))).collect()
}

/// Reads what the last leg of one kind left on accounts with one code: owner, book and cents.
pub async fn left_by(tx: &Tx, kind: &str, code: i64, of: Scope) -> Result<Vec<(Uuid, i64, i64)>> {
    let rows = match of {
        None => {
            let sql = "select owner_id, book, balance_cents
                         from (select owner_id, book, balance_cents,
                                      row_number() over (partition by owner_id, book
                                                         order by sequence desc) as place
                                 from ledger_legs
                                where kind = $1 and code = $2) as legs
                        where place = 1";
            tx.all(sql, args![kind, code]).await?
        }
        Some((owner, book)) => {
            let sql = "select owner_id, book, balance_cents
                         from ledger_legs
                        where owner_id = $3 and book = $4 and kind = $1 and code = $2
                        order by sequence desc
                        limit 1";
            tx.all(sql, args![kind, code, owner, book]).await?
        }
    };
    rows.into_iter().map(|mut row| Ok((row.take()?, row.take()?, row.take()?))).collect()
}

impl Leg {
    /// The account that it belongs to.
    pub fn key(&self) -> Key {
        let end = self.end();
        (end.owner, self.book, end.code)
    }

    /// Its own side.
    pub fn end(&self) -> End {
        match self.side {
            Side::Debit => self.debit,
            Side::Credit => self.credit,
        }
    }

    /// Its transfer as the chain encodes it.
    pub fn entry(&self) -> Entry<'_> {
        Entry {
            subject: self.subject,
            kind: &self.kind,
            line: self.line,
            book: self.book,
            amount: self.amount,
            booked_at: self.booked_at,
            debit: self.debit,
            credit: self.credit,
            forced: self.forced,
        }
    }
}

fn read_account(mut row: Row) -> Result<Account> {
    Ok(Account {
        key: (row.take()?, row.take()?, row.take()?),
        floor_cents: row.take()?,
        balance: row.take()?,
        sequence: row.take()?,
        chained_after: row.take()?,
        head: read_hash(&mut row)?,
    })
}

fn read_leg(mut row: Row, side: Side) -> Result<Leg> {
    Ok(Leg {
        side,
        subject: row.take()?,
        kind: row.take()?,
        line: row.take()?,
        book: row.take()?,
        amount: row.take()?,
        booked_at: row.take()?,
        debit: read_end(&mut row)?,
        credit: read_end(&mut row)?,
        forced: row.take()?,
        hash: read_hash(&mut row)?,
    })
}

fn read_end(row: &mut Row) -> Result<End> {
    Ok(End { owner: row.take()?, code: row.take()?, sequence: row.take()?, balance: row.take()? })
}
