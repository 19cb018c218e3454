//! The `mails` table, traversed across all accounts.

use db::args;
use db::tx::Tx;
use db::value::Row;

use crate::platform::error::Result;
use crate::platform::ids::MailId;

pub async fn after(tx: &Tx, after: MailId, most: usize) -> Result<Vec<(MailId, Vec<u8>)>> {
    let rows = tx
        .all(
            "select id, token
               from mails
              where status = 'WAITING' and token is not null and id > $1
              order by id
              limit $2",
            args![after, i64::try_from(most).unwrap_or(i64::MAX)],
        )
        .await?;
    let read = |mut row: Row| Ok((row.take()?, row.take()?));
    rows.into_iter().map(read).collect()
}

/// Replaces a sealed token; one that has changed meanwhile stays.
pub async fn rewrite(tx: &Tx, id: MailId, before: &[u8], after: &[u8]) -> Result<()> {
    tx.exec("update mails set token = $1 where id = $2 and token = $3", args![after, id, before])
        .await?;
    Ok(())
}
