//! The `second_steps` and `backup_codes` tables.

use db::args;
use db::time::Timestamp;
use db::tx::Tx;
use db::value::Row;

use crate::people::second_step::{SecondStep, SecondStepState};
use crate::platform::error::Result;
use crate::platform::ids::{PersonId, SessionId};

/// Stores the secret of a person who has no second step yet, in place of one that they have not
/// confirmed, for a session; false if they have one.
pub async fn begin(
    tx: &Tx,
    (person, session): (PersonId, SessionId),
    sealed: &[u8],
) -> Result<bool> {
    let stored = tx
        .exec(
            "insert into second_steps
                    (person_id, secret, last_time_step, wrong_codes, created_at, session_id)
             values ($1, $2, 0, 0, $3, $4)
                 on conflict (person_id) do update
                set secret = excluded.secret, created_at = excluded.created_at,
                    session_id = excluded.session_id
              where second_steps.confirmed_at is null",
            args![person, sealed, tx.now(), session],
        )
        .await?;
    Ok(stored == 1)
}

/// The sealed secret of a person that waits for its first code in a session.
pub async fn waiting(tx: &Tx, (person, session): (PersonId, SessionId)) -> Result<Option<Vec<u8>>> {
    let sql = "select secret
                 from second_steps
                where person_id = $1 and session_id = $2 and confirmed_at is null";
    Ok(tx.opt(sql, args![person, session]).await?.map(|mut row| row.take()).transpose()?)
}

/// Locks a person's row by writing its current value, and reads it.
pub async fn lock(tx: &Tx, person: PersonId) -> Result<Option<SecondStep>> {
    let row = tx
        .opt(
            "update second_steps
                set wrong_codes = wrong_codes
              where person_id = $1
             returning secret, last_time_step, wrong_codes, wrong_since, confirmed_at,
                       session_id",
            args![person],
        )
        .await?;
    let read = |mut row: Row| {
        Ok(SecondStep {
            secret: row.take()?,
            last_time_step: row.take()?,
            wrong_codes: row.take()?,
            wrong_since: row.take()?,
            confirmed_at: row.take()?,
            session: row.take()?,
        })
    };
    row.map(read).transpose()
}

/// Turns the second step on; its first code is used up.
pub async fn confirm(tx: &Tx, person: PersonId, time_step: i64) -> Result<()> {
    tx.exec(
        "update second_steps
            set confirmed_at = $1, last_time_step = $2
          where person_id = $3 and confirmed_at is null",
        args![tx.now(), time_step, person],
    )
    .await?;
    Ok(())
}

/// Uses up the code of a time step; false if it, or a later one, was used already.
pub async fn accept(tx: &Tx, person: PersonId, time_step: i64) -> Result<bool> {
    let accepted = tx
        .exec(
            "update second_steps
                set last_time_step = $1
              where person_id = $2 and last_time_step < $1",
            args![time_step, person],
        )
        .await?;
    Ok(accepted == 1)
}

/// Counts a wrong code; returns how many there are since an instant.
pub async fn count_wrong(tx: &Tx, person: PersonId, since: Timestamp) -> Result<i64> {
    let mut row = tx
        .one(
            "update second_steps
                set wrong_codes = case when wrong_since > $1 then wrong_codes + 1 else 1 end,
                    wrong_since = case when wrong_since > $1 then wrong_since else $2 end
              where person_id = $3
             returning wrong_codes",
            args![since, tx.now(), person],
        )
        .await?;
    Ok(row.take()?)
}

pub async fn state(tx: &Tx, person: PersonId) -> Result<Option<SecondStepState>> {
    let row = tx
        .opt(
            "select confirmed_at,
                    (select count(*)
                       from backup_codes
                      where backup_codes.person_id = second_steps.person_id and used_at is null)
               from second_steps
              where person_id = $1",
            args![person],
        )
        .await?;
    let read = |mut row: Row| {
        Ok(SecondStepState { enabled_at: row.take()?, backup_codes_left: row.take()? })
    };
    row.map(read).transpose()
}

pub async fn insert_backup_code(tx: &Tx, person: PersonId, hash: &[u8]) -> Result<()> {
    tx.exec("insert into backup_codes (person_id, code_hash) values ($1, $2)", args![person, hash])
        .await?;
    Ok(())
}

/// Uses a backup code up; false if it is none of the person's, or was used.
pub async fn use_backup_code(tx: &Tx, person: PersonId, hash: &[u8]) -> Result<bool> {
    let used = tx
        .exec(
            "update backup_codes
                set used_at = $1
              where person_id = $2 and code_hash = $3 and used_at is null",
            args![tx.now(), person, hash],
        )
        .await?;
    Ok(used == 1)
}

pub async fn delete_backup_codes(tx: &Tx, person: PersonId) -> Result<()> {
    tx.exec("delete from backup_codes where person_id = $1", args![person]).await?;
    Ok(())
}

/// Deletes a person's second step; false if they have none.
pub async fn delete(tx: &Tx, person: PersonId) -> Result<bool> {
    let deleted = tx.exec("delete from second_steps where person_id = $1", args![person]).await?;
    Ok(deleted == 1)
}

/// Deletes the second steps and codes of people who are gone.
pub async fn delete_without_person(tx: &Tx) -> Result<()> {
    tx.exec(
        "delete from second_steps
          where not exists (select 1 from people where people.id = second_steps.person_id)",
        args![],
    )
    .await?;
    tx.exec(
        "delete from backup_codes
          where not exists (select 1 from people where people.id = backup_codes.person_id)",
        args![],
    )
    .await?;
    Ok(())
}

/// The sealed secrets of the people after one, in the order of their ids.
pub async fn secrets_after(
    tx: &Tx,
    after: PersonId,
    most: usize,
) -> Result<Vec<(PersonId, Vec<u8>)>> {
    let rows = tx
        .all(
            "select person_id, secret
               from second_steps
              where person_id > $1
              order by person_id
              limit $2",
            args![after, i64::try_from(most).unwrap_or(i64::MAX)],
        )
        .await?;
    rows.into_iter().map(|mut row| Ok((row.take()?, row.take()?))).collect()
}

/// Replaces a sealed secret; one that has changed meanwhile stays.
pub async fn rewrite(tx: &Tx, person: PersonId, before: &[u8], after: &[u8]) -> Result<()> {
    tx.exec(
        "update second_steps set secret = $1 where person_id = $2 and secret = $3",
        args![after, person, before],
    )
    .await?;
    Ok(())
}
