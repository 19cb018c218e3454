//! The `email_changes` table.

use db::args;
use db::tx::Tx;
use db::value::Row;

use crate::people::email_changes::EmailChange;
use crate::platform::error::Result;
use crate::platform::ids::PersonId;

/// The columns of a change, in the order in which `read` takes them.
macro_rules! columns {
    () => {
        "person_id, session_id, email, created_at, possible_at, expires_at"
    };
}

/// What is true of a change that is open at `$2`: the session that asked for it was not ended.
macro_rules! open {
    () => {
        " and expires_at > $2
          and not exists (
              select 1
                from sessions
               where sessions.id = email_changes.session_id and sessions.revoked_at is not null)"
    };
}

/// Records a person's change in place of the one that they have.
pub async fn replace(
    tx: &Tx,
    change: &EmailChange,
    (confirm_hash, stop_hash): (&[u8], &[u8]),
) -> Result<()> {
    tx.exec(
        "insert into email_changes
                (person_id, session_id, email, confirm_hash, stop_hash, created_at, possible_at,
                 expires_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8)
             on conflict (person_id) do update
            set session_id = $2, email = $3, confirm_hash = $4, stop_hash = $5, created_at = $6,
                possible_at = $7, expires_at = $8",
        args![
            change.person,
            change.session,
            change.email,
            confirm_hash,
            stop_hash,
            change.created_at,
            change.possible_at,
            change.expires_at,
        ],
    )
    .await?;
    Ok(())
}

/// The open change of a person.
pub async fn of_person(tx: &Tx, person: PersonId) -> Result<Option<EmailChange>> {
    let row = tx
        .opt(
            concat!("select ", columns!(), " from email_changes where person_id = $1", open!()),
            args![person, tx.now()],
        )
        .await?;
    row.map(read).transpose()
}

/// The open change that a link at the new address confirms.
pub async fn find_to_confirm(tx: &Tx, token_hash: &[u8]) -> Result<Option<EmailChange>> {
    let row = tx
        .opt(
            concat!("select ", columns!(), " from email_changes where confirm_hash = $1", open!()),
            args![token_hash, tx.now()],
        )
        .await?;
    row.map(read).transpose()
}

/// The change that a link at the old address stops.
pub async fn find_to_stop(tx: &Tx, token_hash: &[u8]) -> Result<Option<EmailChange>> {
    let row = tx
        .opt(
            concat!(
                "select ",
                columns!(),
                " from email_changes where stop_hash = $1 and expires_at > $2"
            ),
            args![token_hash, tx.now()],
        )
        .await?;
    row.map(read).transpose()
}

/// Uses the link at the new address up; false if it is not open any more.
pub async fn take(tx: &Tx, person: PersonId, token_hash: &[u8]) -> Result<bool> {
    let taken = tx
        .exec(
            concat!(
                "delete from email_changes where confirm_hash = $1",
                open!(),
                " and person_id = $3"
            ),
            args![token_hash, tx.now(), person],
        )
        .await?;
    Ok(taken == 1)
}

/// Uses the link at the old address up; false if it is not open any more.
pub async fn take_to_stop(tx: &Tx, person: PersonId, token_hash: &[u8]) -> Result<bool> {
    let taken = tx
        .exec(
            "delete from email_changes
              where stop_hash = $1 and expires_at > $2 and person_id = $3",
            args![token_hash, tx.now(), person],
        )
        .await?;
    Ok(taken == 1)
}

/// Deletes the change of a person; false if they have none.
pub async fn delete(tx: &Tx, person: PersonId) -> Result<bool> {
    let deleted = tx.exec("delete from email_changes where person_id = $1", args![person]).await?;
    Ok(deleted == 1)
}

pub async fn delete_expired(tx: &Tx, most: i64) -> Result<u64> {
    let deleted = tx
        .exec(
            "delete from email_changes
              where person_id in (
                    select person_id from email_changes where expires_at <= $1 limit $2)",
            args![tx.now(), most],
        )
        .await?;
    Ok(deleted)
}

fn read(mut row: Row) -> Result<EmailChange> {
    Ok(EmailChange {
        person: row.take()?,
        session: row.take()?,
        email: row.take()?,
        created_at: row.take()?,
        possible_at: row.take()?,
        expires_at: row.take()?,
    })
}
