//! The `mail_recipients` and `proved_addresses` tables.

use db::args;
use db::time::Timestamp;
use db::tx::Tx;

use crate::mail::recipients::Share;
use crate::platform::error::Result;
use crate::platform::ids::PersonId;

/// Counts a mail, from one again if the first was before an instant; false if the mailbox got
/// `most`.
pub async fn count(
    tx: &Tx,
    (mailbox, share): (&[u8], Share),
    most: i64,
    before: Timestamp,
) -> Result<bool> {
    let counted = tx
        .exec(
            "insert into mail_recipients (recipient_hash, share, since, mails)
             values ($1, $2, $3, 1)
                 on conflict (recipient_hash, share) do update
                set mails = case when mail_recipients.since <= $4 then 1
                                 else mail_recipients.mails + 1 end,
                    since = case when mail_recipients.since <= $4 then excluded.since
                                 else mail_recipients.since end
              where mail_recipients.since <= $4 or mail_recipients.mails < $5",
            args![mailbox, share, tx.now(), before, most],
        )
        .await?;
    Ok(counted == 1)
}

/// Counts a mail less; the last one stays.
pub async fn count_less(tx: &Tx, (mailbox, share): (&[u8], Share)) -> Result<()> {
    tx.exec(
        "update mail_recipients
            set mails = mails - 1
          where recipient_hash = $1 and share = $2 and mails > 1",
        args![mailbox, share],
    )
    .await?;
    Ok(())
}

/// When a mailbox got the first mail that counts.
pub async fn since(tx: &Tx, (mailbox, share): (&[u8], Share)) -> Result<Option<Timestamp>> {
    let row = tx
        .opt(
            "select since from mail_recipients where recipient_hash = $1 and share = $2",
            args![mailbox, share],
        )
        .await?;
    Ok(row.map(|mut row| row.take()).transpose()?)
}

pub async fn delete_before(tx: &Tx, before: Timestamp, most: i64) -> Result<u64> {
    let deleted = tx
        .exec(
            "delete from mail_recipients
              where (recipient_hash, share) in (
                    select recipient_hash, share from mail_recipients where since <= $1 limit $2)",
            args![before, most],
        )
        .await?;
    Ok(deleted)
}

pub async fn prove(tx: &Tx, person: PersonId) -> Result<()> {
    tx.exec(
        "insert into proved_addresses (person_id, proved_at) values ($1, $2)
             on conflict (person_id) do nothing",
        args![person, tx.now()],
    )
    .await?;
    Ok(())
}

pub async fn is_proved(tx: &Tx, person: PersonId) -> Result<bool> {
    let sql = "select proved_at from proved_addresses where person_id = $1";
    Ok(tx.opt(sql, args![person]).await?.is_some())
}

pub async fn forget(tx: &Tx, person: PersonId) -> Result<()> {
    tx.exec("delete from proved_addresses where person_id = $1", args![person]).await?;
    Ok(())
}
