//! The `password_resets` table.

use db::args;
use db::time::Timestamp;
use db::tx::Tx;

use crate::people::link_token::Delivery;
use crate::platform::error::Result;
use crate::platform::ids::PersonId;

/// Records a person's link in place of the one that they have.
pub async fn replace(
    tx: &Tx,
    person: PersonId,
    (token_hash, delivery): (&[u8], Delivery),
    expires_at: Timestamp,
) -> Result<()> {
    tx.exec(
        "insert into password_resets (person_id, token_hash, created_at, expires_at, is_mailed)
         values ($1, $2, $3, $4, $5)
             on conflict (person_id) do update
            set token_hash = $2, created_at = $3, expires_at = $4, is_mailed = $5",
        args![person, token_hash, tx.now(), expires_at, delivery == Delivery::Mailed],
    )
    .await?;
    Ok(())
}

/// Whether a person has an open link that was mailed after an instant.
pub async fn is_open_since(tx: &Tx, person: PersonId, instant: Timestamp) -> Result<bool> {
    let sql = "select 1 from password_resets
                where person_id = $1 and created_at > $2 and expires_at > $3
                  and coalesce(is_mailed, false)";
    Ok(tx.opt(sql, args![person, instant, tx.now()]).await?.is_some())
}

/// Whose password the open link of a token sets, and whether only a mail has the token.
pub async fn find(tx: &Tx, token_hash: &[u8]) -> Result<Option<(PersonId, bool)>> {
    let row = tx
        .opt(
            "select person_id, coalesce(is_mailed, false)
               from password_resets
              where token_hash = $1 and expires_at > $2",
            args![token_hash, tx.now()],
        )
        .await?;
    row.map(|mut row| Ok((row.take()?, row.take()?))).transpose()
}

/// Uses a link up; false if it is not open any more.
pub async fn take(tx: &Tx, token_hash: &[u8]) -> Result<bool> {
    let taken = tx
        .exec(
            "delete from password_resets where token_hash = $1 and expires_at > $2",
            args![token_hash, tx.now()],
        )
        .await?;
    Ok(taken == 1)
}

pub async fn delete(tx: &Tx, person: PersonId) -> Result<()> {
    tx.exec("delete from password_resets where person_id = $1", args![person]).await?;
    Ok(())
}

pub async fn delete_expired(tx: &Tx, most: i64) -> Result<u64> {
    let deleted = tx
        .exec(
            "delete from password_resets
              where person_id in (
                    select person_id from password_resets where expires_at <= $1 limit $2)",
            args![tx.now(), most],
        )
        .await?;
    Ok(deleted)
}
