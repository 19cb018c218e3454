//! The table of proven positions.

use std::collections::BTreeMap;

use db::args;
use db::error::Result;
use db::tx::Tx;
use db::value::Row;

use crate::verify::account::Position;
use crate::verify::onward::Owned;
use crate::verify::store::Key;

/// Reads the positions of an owner's accounts in one book, by their numbers.
pub async fn positions(tx: &Tx, (owner, book): Owned) -> Result<BTreeMap<i64, Position>> {
    let rows = tx
        .all(
            "select code, floor_cents, chained_after, sequence, balance_cents, chain_head,
                    transfers, transfers_before_chain
               from ledger_positions
              where owner_id = $1 and book = $2",
            args![owner, book],
        )
        .await?;
    rows.into_iter().map(read).collect()
}

/// Stores an account's position in place of an earlier one.
pub async fn keep(tx: &Tx, (owner, book, code): Key, position: &Position) -> Result<()> {
    tx.exec(
        "insert into ledger_positions
                (owner_id, book, code, floor_cents, chained_after, sequence, balance_cents,
                 chain_head, transfers, transfers_before_chain, proven_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
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

fn read(mut row: Row) -> Result<(i64, Position)> {
    let code = row.take()?;
    let position = Position {
        floor_cents: row.take()?,
        chained_after: row.take()?,
        sequence: row.take()?,
        balance: row.take()?,
        head: row.take()?,
        transfers: row.take()?,
        transfers_before_chain: row.take()?,
    };
    Ok((code, position))
}
