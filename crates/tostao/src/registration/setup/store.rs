//! The `setup_links` and `setup_turns` tables.

use db::args;
use db::time::Timestamp;
use db::tx::Tx;

use crate::platform::error::Result;
use crate::platform::ids::MerchantId;

pub async fn insert(
    tx: &Tx,
    token_hash: &[u8],
    account: Option<MerchantId>,
    expires_at: Timestamp,
) -> Result<()> {
    tx.exec(
        "insert into setup_links (token_hash, merchant_id, created_at, expires_at)
         values ($1, $2, $3, $4)",
        args![token_hash, account, tx.now(), expires_at],
    )
    .await?;
    Ok(())
}

/// The account of an address that still works, if it has one.
pub async fn find(tx: &Tx, token_hash: &[u8]) -> Result<Option<Option<MerchantId>>> {
    let sql = "select merchant_id from setup_links where token_hash = $1 and expires_at > $2";
    let row = tx.opt(sql, args![token_hash, tx.now()]).await?;
    Ok(row.map(|mut row| row.take()).transpose()?)
}

/// Uses an address up; false if it does not work any more.
pub async fn take(tx: &Tx, token_hash: &[u8]) -> Result<bool> {
    let taken = tx
        .exec(
            "delete from setup_links where token_hash = $1 and expires_at > $2",
            args![token_hash, tx.now()],
        )
        .await?;
    Ok(taken == 1)
}

/// Locks the opening of the first account until the unit ends.
pub async fn take_turn(tx: &Tx) -> Result<()> {
    tx.exec(
        "insert into setup_turns (name)
         values ('first account')
             on conflict (name) do update set name = excluded.name",
        args![],
    )
    .await?;
    Ok(())
}

/// Deletes the addresses that open the first account.
pub async fn delete_of_first(tx: &Tx) -> Result<()> {
    tx.exec("delete from setup_links where merchant_id is null", args![]).await?;
    Ok(())
}

pub async fn delete_expired(tx: &Tx) -> Result<u64> {
    Ok(tx.exec("delete from setup_links where expires_at <= $1", args![tx.now()]).await?)
}
