//! The queries of the verification, page by page in the order of accounts and their legs.
//!
//! Each is two statements: the plan of one with an open owner would read all transfers to verify a
//! single merchant's.

use db::args;
use db::error::Result;
use db::time::Timestamp;
use db::tx::Tx;
use db::value::Row;
use uuid::Uuid;

use crate::cents::Cents;
use crate::chain::{End, Entry, Hash, Side};

/// How many rows are read at once.
pub const PAGE: i64 = 1_000;

/// One owner's accounts in one book, or everything.
pub type Scope = Option<(Uuid, i64)>;

/// An account's position in the order of the verification: owner, book and code.
pub type Key = (Uuid, i64, i64);

/// A stored account.
#[derive(Debug, Clone)]
pub struct Account {
    pub key: Key,
    pub floor_cents: i64,
    pub balance: Cents,
    pub sequence: i64,
    pub chained_after: i64,
    pub head: Option<Hash>,
}

/// One stored leg of a transfer.
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

/// A stored transfer.
pub struct Stored {
    pub debit: Leg,
    /// The hash of its other leg, which has the same fields besides.
    pub credit_hash: Option<Hash>,
}

/// The columns of a transfer in the order of `read_leg`, without its hashes.
macro_rules! transfer {
    () => {
        "subject_id, kind, line, book, amount_cents, booked_at,
         debit_owner_id, debit_code, debit_sequence, debit_balance_cents,
         credit_owner_id, credit_code, credit_sequence, credit_balance_cents, forced"
    };
}

/// The two statements that read a page of one side's legs: of all owners, and of one owner in one
/// book.
macro_rules! legs {
    ($hash:literal, $owner:literal, $place:literal) => {
        [
            concat!(
                "select ",
                $hash,
                ", ",
                transfer!(),
                " from ledger_transfers where (",
                $owner,
                ", book, ",
                $place,
                ") > ($1, $2, $3, $4) order by ",
                $owner,
                ", book, ",
                $place,
                " limit $5"
            ),
            concat!(
                "select ",
                $hash,
                ", ",
                transfer!(),
                " from ledger_transfers where ",
                $owner,
                " = $1 and book = $2 and (",
                $place,
                ") > ($3, $4) order by ",
                $place,
                " limit $5"
            ),
        ]
    };
}

/// The statement that sums what transfers of one kind credited to accounts with one code; `$whose`
/// restricts the accounts.
macro_rules! entered {
    ($whose:literal) => {
        concat!(
            "select credit_owner_id, book, cast(sum(amount_cents) as bigint)
               from ledger_transfers
              where kind = $1 and credit_code = $2",
            $whose,
            " group by credit_owner_id, book"
        )
    };
}

/// The statement that reads the balance after the last leg of one kind on accounts with one code;
/// `$whose` restricts the accounts.
macro_rules! left {
    ($whose:literal) => {
        concat!(
            "select owner_id, book, balance_cents
               from (select owner_id, book, balance_cents,
                            row_number() over (partition by owner_id, book
                                               order by sequence desc) as place
                       from ledger_legs
                      where kind = $1 and code = $2",
            $whose,
            ") as legs where place = 1"
        )
    };
}

/// The statement that sums what transfers credited to accounts by their kinds; `$whose` restricts
/// the accounts.
///
/// The owner is an expression, because SQLite would find the transfers one by one through an index
/// of the column that it groups by.
macro_rules! by_kind {
    ($whose:literal) => {
        concat!(
            "select coalesce(credit_owner_id, credit_owner_id) as owner_id, book, kind,
                    cast(sum(amount_cents) as bigint)
               from ledger_transfers",
            $whose,
            " group by owner_id, book, kind"
        )
    };
}

/// The statement that reads a page of one side's legs of one account.
macro_rules! legs_of_account {
    ($side:literal) => {
        concat!(
            "select ",
            $side,
            "_hash, ",
            transfer!(),
            " from ledger_transfers where ",
            $side,
            "_owner_id = $1 and book = $2 and ",
            $side,
            "_code = $3 and ",
            $side,
            "_sequence > $4 order by ",
            $side,
            "_sequence limit $5"
        )
    };
}

macro_rules! account {
    () => {
        "owner_id, book, code, floor_cents, balance_cents, sequence, chained_after, chain_head"
    };
}

/// Reads a page of accounts after a position.
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

/// Reads a page of debits after a position and a sequence.
pub async fn debits(tx: &Tx, of: Scope, after: (Key, i64)) -> Result<Vec<Leg>> {
    let sql = legs!("debit_hash", "debit_owner_id", "debit_code, debit_sequence");
    page(tx, of, Side::Debit, sql, after).await
}

/// Reads a page of credits after a position and a sequence.
pub async fn credits(tx: &Tx, of: Scope, after: (Key, i64)) -> Result<Vec<Leg>> {
    let sql = legs!("credit_hash", "credit_owner_id", "credit_code, credit_sequence");
    page(tx, of, Side::Credit, sql, after).await
}

/// Reads a page of transfers in the order in which they are stored.
pub async fn transfers(tx: &Tx, after: Option<(Uuid, String, i64)>) -> Result<Vec<Stored>> {
    let (subject, kind, line) = after.unwrap_or((Uuid::nil(), String::new(), i64::MIN));
    let sql = concat!(
        "select credit_hash, debit_hash, ",
        transfer!(),
        " from ledger_transfers where (subject_id, kind, line) > ($1, $2, $3)
          order by subject_id, kind, line
          limit $4"
    );
    let read = |row: &mut Row| {
        let credit_hash = row.take()?;
        Ok(Stored { debit: read_leg(row, Side::Debit)?, credit_hash })
    };
    tx.all_as(sql, args![subject, &*kind, line, PAGE], read).await
}

/// Reads a page of one account's debits or credits after a sequence.
pub async fn legs_of(
    tx: &Tx,
    side: Side,
    (owner, book, code): Key,
    after: i64,
    limit: i64,
) -> Result<Vec<Leg>> {
    let (args, read) =
        (args![owner, book, code, after, limit], |row: &mut Row| read_leg(row, side));
    match side {
        Side::Debit => tx.all_as(legs_of_account!("debit"), args, read).await,
        Side::Credit => tx.all_as(legs_of_account!("credit"), args, read).await,
    }
}

/// Reads one account.
pub async fn account(tx: &Tx, (owner, book, code): Key) -> Result<Option<Account>> {
    let sql = concat!(
        "select ",
        account!(),
        " from ledger_accounts where owner_id = $1 and book = $2 and code = $3"
    );
    tx.opt(sql, args![owner, book, code]).await?.map(read_account).transpose()
}

/// Reads the next number, after another one, with which an owner has an account or legs.
pub async fn code_after(tx: &Tx, (owner, book): (Uuid, i64), code: i64) -> Result<Option<i64>> {
    let mut row = tx
        .one(
            "select (select code
                       from ledger_accounts
                      where owner_id = $1 and book = $2 and code > $3
                      order by code
                      limit 1),
                    (select debit_code
                       from ledger_transfers
                      where debit_owner_id = $1 and book = $2 and debit_code > $3
                      order by debit_code
                      limit 1),
                    (select credit_code
                       from ledger_transfers
                      where credit_owner_id = $1 and book = $2 and credit_code > $3
                      order by credit_code
                      limit 1)",
            args![owner, book, code],
        )
        .await?;
    let codes: [Option<i64>; 3] = [row.take()?, row.take()?, row.take()?];
    Ok(codes.into_iter().flatten().min())
}

async fn page(
    tx: &Tx,
    of: Scope,
    side: Side,
    [all_owners, own]: [&'static str; 2],
    ((owner, book, code), sequence): (Key, i64),
) -> Result<Vec<Leg>> {
    let read = |row: &mut Row| read_leg(row, side);
    match of {
        None => tx.all_as(all_owners, args![owner, book, code, sequence, PAGE], read).await,
        Some((owner, book)) => tx.all_as(own, args![owner, book, code, sequence, PAGE], read).await,
    }
}

/// Sums every balance, in cents.
pub async fn imbalance(tx: &Tx) -> Result<i64> {
    let sql = "select cast(coalesce(sum(balance_cents), 0) as bigint) from ledger_accounts";
    tx.one(sql, &[]).await?.take()
}

/// Counts the legs of all accounts, by their stored sequences.
pub async fn count_legs(tx: &Tx) -> Result<i64> {
    let sql = "select cast(coalesce(sum(sequence), 0) as bigint) from ledger_accounts";
    tx.one(sql, &[]).await?.take()
}

/// Reads the account after a position.
pub async fn account_after(tx: &Tx, (owner, book, code): Key) -> Result<Option<Account>> {
    let sql = concat!(
        "select ",
        account!(),
        " from ledger_accounts
         where (owner_id, book, code) > ($1, $2, $3)
         order by owner_id, book, code
         limit 1"
    );
    tx.opt(sql, args![owner, book, code]).await?.map(read_account).transpose()
}

/// Whether any of an account's legs between two sequences was posted without a hash.
pub async fn has_unhashed(
    tx: &Tx,
    (owner, book, code): Key,
    after: i64,
    until: i64,
) -> Result<bool> {
    let found = tx
        .opt(
            "select debit_sequence
               from ledger_transfers
              where debit_owner_id = $1 and book = $2 and debit_code = $3
                and debit_sequence > $4 and debit_sequence <= $5 and debit_hash is null
              union all
             select credit_sequence
               from ledger_transfers
              where credit_owner_id = $1 and book = $2 and credit_code = $3
                and credit_sequence > $4 and credit_sequence <= $5 and credit_hash is null
              limit 1",
            args![owner, book, code, after, until],
        )
        .await?;
    Ok(found.is_some())
}

/// Restarts an account's chain after its last leg.
pub async fn restart_chain(tx: &Tx, (owner, book, code): Key) -> Result<()> {
    tx.exec(
        "update ledger_accounts
            set chained_after = sequence, chain_head = null
          where owner_id = $1 and book = $2 and code = $3",
        args![owner, book, code],
    )
    .await?;
    Ok(())
}

/// Sums what transfers of one kind credited to accounts with one code: owner, book and cents.
pub async fn entered(tx: &Tx, kind: &str, code: i64, of: Scope) -> Result<Vec<(Uuid, i64, i64)>> {
    let rows = match of {
        None => tx.all(entered!(""), args![kind, code]).await?,
        Some((owner, book)) => {
            let sql = entered!(" and credit_owner_id = $3 and book = $4");
            tx.all(sql, args![kind, code, owner, book]).await?
        }
    };
    rows.into_iter().map(read_cents).collect()
}

/// Reads the balance after the last leg of one kind on accounts with one code: owner, book and
/// cents.
pub async fn left_by(tx: &Tx, kind: &str, code: i64, of: Scope) -> Result<Vec<(Uuid, i64, i64)>> {
    let rows = match of {
        None => tx.all(left!(""), args![kind, code]).await?,
        Some((owner, book)) => {
            let sql = left!(" and owner_id = $3 and book = $4");
            tx.all(sql, args![kind, code, owner, book]).await?
        }
    };
    rows.into_iter().map(read_cents).collect()
}

/// Sums what transfers credited to accounts: owner, book, kind and cents.
pub async fn by_kind(tx: &Tx, of: Scope) -> Result<Vec<(Uuid, i64, String, i64)>> {
    let rows = match of {
        None => tx.all(by_kind!(""), &[]).await?,
        Some((owner, book)) => {
            let sql = by_kind!(" where credit_owner_id = $1 and book = $2");
            tx.all(sql, args![owner, book]).await?
        }
    };
    let read = |mut row: Row| Ok((row.take()?, row.take()?, row.take()?, row.take()?));
    rows.into_iter().map(read).collect()
}

impl Stored {
    /// Its place among the others.
    pub fn place(&self) -> (Uuid, String, i64) {
        (self.debit.subject, self.debit.kind.clone(), self.debit.line)
    }
}

impl Leg {
    /// Its account.
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

    /// Its transfer, with its kind, as the chain encodes it.
    pub fn entry<'a>(&self, kind: &'a str) -> Entry<'a> {
        Entry {
            subject: self.subject,
            kind,
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
        head: row.take()?,
    })
}

fn read_leg(row: &mut Row, side: Side) -> Result<Leg> {
    Ok(Leg {
        side,
        hash: row.take()?,
        subject: row.take()?,
        kind: row.take()?,
        line: row.take()?,
        book: row.take()?,
        amount: row.take()?,
        booked_at: row.take()?,
        debit: read_end(row)?,
        credit: read_end(row)?,
        forced: row.take()?,
    })
}

fn read_cents(mut row: Row) -> Result<(Uuid, i64, i64)> {
    Ok((row.take()?, row.take()?, row.take()?))
}

fn read_end(row: &mut Row) -> Result<End> {
    Ok(End { owner: row.take()?, code: row.take()?, sequence: row.take()?, balance: row.take()? })
}
