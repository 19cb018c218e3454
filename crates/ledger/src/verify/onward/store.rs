//! The table of proven positions.

use std::collections::BTreeMap;

use db::args;
use db::error::Result;
use db::tx::Tx;
use db::value::Row;

use crate::verify::account::Position;
use crate::verify::onward::Owned;
use crate::verify::store::{Key, PAGE, Scope};

/// The columns of a position in the order of `read`.
macro_rules! position {
    () => {
        "owner_id, book, code, floor_cents, chained_after, sequence, balance_cents, chain_head,
         transfers, transfers_before_chain"
    };
}

/// Reads the positions of an owner's accounts in one book, by their numbers.
pub async fn positions(tx: &Tx, (owner, book): Owned) -> Result<BTreeMap<i64, Position>> {
    let sql =
        concat!("select ", position!(), " from ledger_positions where owner_id = $1 and book = $2");
    let rows = tx.all(sql, args![owner, book]).await?;
    let by_code = |row| read(row).map(|((_, _, code), position)| (code, position));
    rows.into_iter().map(by_code).collect()
}

/// Reads a page of positions after an account's, in the order of accounts.
pub async fn positions_after(tx: &Tx, of: Scope, after: Key) -> Result<Vec<(Key, Position)>> {
    let (owner, book, code) = after;
    let rows = match of {
        None => {
            let sql = concat!(
                "select ",
                position!(),
                " from ledger_positions
                 where (owner_id, book, code) > ($1, $2, $3)
                 order by owner_id, book, code
                 limit $4"
            );
            tx.all(sql, args![owner, book, code, PAGE]).await?
        }
        Some((owner, book)) => {
            let sql = concat!(
                "select ",
                position!(),
                " from ledger_positions
                 where owner_id = $1 and book = $2 and code > $3
                 order by code
                 limit $4"
            );
            tx.all(sql, args![owner, book, code, PAGE]).await?
        }
    };
    rows.into_iter().map(read).collect()
}

/// Stores an account's position in place of an earlier one, unless the account can have no such
/// prefix any more: its chain was restarted after the proof had read it. A restart waits for the
/// lock, and then deletes what was stored.
pub async fn keep(tx: &Tx, (owner, book, code): Key, position: &Position) -> Result<()> {
    tx.exec(
        "insert into ledger_positions
                (owner_id, book, code, floor_cents, chained_after, sequence, balance_cents,
                 chain_head, transfers, transfers_before_chain, proven_at)
         select owner_id, book, code, floor_cents, chained_after, $6, $7, $8, $9, $10, $11
           from ledger_accounts
          where owner_id = $1 and book = $2 and code = $3
            and floor_cents = $4 and chained_after = $5 and sequence >= $6
            /*+ lock ledger_accounts */
             on conflict (owner_id, book, code) do update
            set floor_cents = excluded.floor_cents,
                chained_after = excluded.chained_after,
                sequence = excluded.sequence,
                balance_cents = excluded.balance_cents,
                chain_head = excluded.chain_head,
                transfers = excluded.transfers,
                transfers_before_chain = excluded.transfers_before_chain,
                proven_at = excluded.proven_at",
        args![
            owner,
            book,
            code,
            position.floor_cents,
            position.chained_after,
            position.sequence,
            position.balance,
            position.head,
            position.transfers,
            position.transfers_before_chain,
            tx.now(),
        ],
    )
    .await?;
    Ok(())
}

/// Deletes an account's position.
pub async fn forget(tx: &Tx, (owner, book, code): Key) -> Result<()> {
    tx.exec(
        "delete from ledger_positions
          where owner_id = $1 and book = $2 and code = $3",
        args![owner, book, code],
    )
    .await?;
    Ok(())
}

fn read(mut row: Row) -> Result<(Key, Position)> {
    let key = (row.take()?, row.take()?, row.take()?);
    let position = Position {
        floor_cents: row.take()?,
        chained_after: row.take()?,
        sequence: row.take()?,
        balance: row.take()?,
        head: row.take()?,
        transfers: row.take()?,
        transfers_before_chain: row.take()?,
    };
    Ok((key, position))
}
