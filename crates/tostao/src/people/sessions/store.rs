//! The `sessions` table.

use db::args;
use db::time::Timestamp;
use db::tx::Tx;
use db::value::Row;

use crate::people::sessions::{Session, SessionKind, SessionRecord, SignInSource};
use crate::platform::error::Result;
use crate::platform::ids::{MerchantId, PersonId, SessionId};

pub async fn insert(
    tx: &Tx,
    session: &Session,
    from: &SignInSource,
    elevated_until: Timestamp,
) -> Result<()> {
    tx.exec(
        "insert into sessions
                (id, merchant_id, person_id, refresh_hash, network, created_at, used_at,
                 expires_at, ends_at, device_hash, elevated_until)
         values ($1, $2, $3, $4, $5, $6, $6, $7, $8, $9, $10)",
        args![
            session.id,
            session.merchant,
            session.person,
            session.refresh_hash,
            from.network,
            tx.now(),
            session.expires_at,
            session.ends_at,
            from.device_hash,
            elevated_until,
        ],
    )
    .await?;
    Ok(())
}

/// Whether a person is known, since before an instant, and neither a session of theirs nor the
/// opening of their account was from this network or device.
pub async fn is_from_elsewhere(
    tx: &Tx,
    person: PersonId,
    from: &SignInSource,
    before: Timestamp,
) -> Result<bool> {
    let row = tx
        .opt(
            "select people.id
               from people
              where people.id = $1 and people.created_at < $2
                and not exists (
                    select 1
                      from sessions
                     where (sessions.person_id = people.id
                            or sessions.person_id is null and sessions.merchant_id = people.id)
                       and (sessions.network = $3 or sessions.device_hash = $4))
                and not exists (
                    select 1
                      from merchants
                     where merchants.id = people.id and merchants.device_hash = $4)",
            args![person, before, from.network, from.device_hash],
        )
        .await?;
    Ok(row.is_some())
}

pub async fn find(tx: &Tx, id: SessionId) -> Result<Option<Session>> {
    let row = tx
        .opt(
            "select id, merchant_id, coalesce(person_id, merchant_id), refresh_hash, expires_at,
                    ends_at, revoked_at
               from sessions
              where id = $1 and kind is null",
            args![id],
        )
        .await?;
    let read = |mut row: Row| {
        Ok(Session {
            id: row.take()?,
            merchant: row.take()?,
            person: row.take()?,
            refresh_hash: row.take()?,
            expires_at: row.take()?,
            ends_at: row.take()?,
            revoked_at: row.take()?,
        })
    };
    row.map(read).transpose()
}

/// Replaces the only valid refresh token with the next; false if it is no longer valid.
pub async fn rotate(
    tx: &Tx,
    session: &Session,
    hash: &[u8],
    expires_at: Timestamp,
) -> Result<bool> {
    let rotated = tx
        .exec(
            "update sessions
                set refresh_hash = $1, expires_at = $2, used_at = $3
              where id = $4 and refresh_hash = $5 and revoked_at is null",
            args![hash, expires_at, tx.now(), session.id, session.refresh_hash],
        )
        .await?;
    Ok(rotated == 1)
}

/// Replaces the current refresh token, whatever it is; a browser's session has none.
pub async fn renew(tx: &Tx, id: SessionId, hash: &[u8]) -> Result<()> {
    tx.exec(
        "update sessions
            set refresh_hash = $1
          where id = $2 and revoked_at is null and kind is null",
        args![hash, id],
    )
    .await?;
    Ok(())
}

/// Elevates a session of a person; false if they have no such session that has not ended.
pub async fn elevate(
    tx: &Tx,
    person: PersonId,
    id: SessionId,
    (until, token_hash): (Timestamp, &[u8]),
    (earlier_hash, earlier_good_until): (Option<&[u8]>, Timestamp),
) -> Result<Option<SessionKind>> {
    let row = tx
        .opt(
            "update sessions
                set elevated_until = $1, wrong_codes = null,
                    earlier_token_hash = $6, earlier_good_until = $7,
                    token_hash = case kind when 'BROWSER' then $5 else token_hash end
              where id = $2 and coalesce(person_id, merchant_id) = $3 and revoked_at is null
                and expires_at > $4
             returning coalesce(kind, 'API')",
            args![until, id, person, tx.now(), token_hash, earlier_hash, earlier_good_until,],
        )
        .await?;
    row.map(|mut row| Ok(row.take()?)).transpose()
}

pub async fn has_ended(tx: &Tx, id: SessionId) -> Result<bool> {
    let sql = "select id from sessions where id = $1 and revoked_at is null";
    Ok(tx.opt(sql, args![id]).await?.is_none())
}

/// Counts a wrong code that was typed in a session; returns how many there are.
pub async fn count_wrong_code(tx: &Tx, id: SessionId) -> Result<i64> {
    let mut row = tx
        .one(
            "update sessions
                set wrong_codes = coalesce(wrong_codes, 0) + 1
              where id = $1
             returning wrong_codes",
            args![id],
        )
        .await?;
    Ok(row.take()?)
}

/// Ends the elevation of all of a person's sessions but one.
pub async fn lower_others(tx: &Tx, person: PersonId, kept: SessionId) -> Result<()> {
    tx.exec(
        "update sessions
            set elevated_until = null
          where (person_id = $1 or person_id is null and merchant_id = $1)
            and id <> $2 and revoked_at is null",
        args![person, kept],
    )
    .await?;
    Ok(())
}

pub async fn end(tx: &Tx, id: SessionId) -> Result<()> {
    tx.exec(
        "update sessions set revoked_at = $1 where id = $2 and revoked_at is null",
        args![tx.now(), id],
    )
    .await?;
    Ok(())
}

/// Ends a session of a person; false if they have no such session that has not ended.
pub async fn end_of(tx: &Tx, person: PersonId, id: SessionId) -> Result<bool> {
    let ended = tx
        .exec(
            "update sessions
                set revoked_at = $1
              where id = $2 and coalesce(person_id, merchant_id) = $3 and revoked_at is null
                and expires_at > $1",
            args![tx.now(), id, person],
        )
        .await?;
    Ok(ended == 1)
}

/// Ends a person's sessions, all of them or all but one; returns how many.
pub async fn end_all_of(tx: &Tx, person: PersonId, kept: Option<SessionId>) -> Result<u64> {
    let ended = tx
        .exec(
            "update sessions
                set revoked_at = $1
              where (person_id = $2 or person_id is null and merchant_id = $2)
                and revoked_at is null and id is distinct from $3",
            args![tx.now(), person, kept],
        )
        .await?;
    Ok(ended)
}

/// Ends a person's sessions in one account; returns how many.
pub async fn end_in(tx: &Tx, merchant: MerchantId, person: PersonId) -> Result<u64> {
    let ended = tx
        .exec(
            "update sessions
                set revoked_at = $1
              where merchant_id = $2 and coalesce(person_id, merchant_id) = $3
                and revoked_at is null",
            args![tx.now(), merchant, person],
        )
        .await?;
    Ok(ended)
}

/// Ends every session in an account, and erases where they came from; returns how many ended.
pub async fn end_all_in(tx: &Tx, merchant: MerchantId) -> Result<u64> {
    let ended = tx
        .exec(
            "update sessions set revoked_at = $1 where merchant_id = $2 and revoked_at is null",
            args![tx.now(), merchant],
        )
        .await?;
    tx.exec(
        "update sessions
            set network = null, device_hash = null, agent = null, address = null
          where merchant_id = $1",
        args![merchant],
    )
    .await?;
    Ok(ended)
}

/// Erases where a person's sessions came from, of all of them or all but one.
pub async fn blank(tx: &Tx, person: PersonId, kept: Option<SessionId>) -> Result<()> {
    tx.exec(
        "update sessions
            set network = null, device_hash = null, agent = null, address = null
          where (person_id = $1 or person_id is null and merchant_id = $1)
            and id is distinct from $2",
        args![person, kept],
    )
    .await?;
    Ok(())
}

/// The newest sessions of a person that have not ended.
pub async fn list(tx: &Tx, person: PersonId) -> Result<Vec<SessionRecord>> {
    let rows = tx
        .all(
            "select id, coalesce(kind, 'API'), merchant_id, network, agent, address, created_at,
                    coalesce(used_at, created_at), expires_at
               from sessions
              where (person_id = $1 or person_id is null and merchant_id = $1)
                and revoked_at is null and expires_at > $2
              order by id desc
              limit 100",
            args![person, tx.now()],
        )
        .await?;
    let read = |mut row: Row| {
        Ok(SessionRecord {
            id: row.take()?,
            kind: row.take()?,
            merchant: row.take()?,
            network: row.take()?,
            agent: row.take()?,
            address: row.take()?,
            created_at: row.take()?,
            used_at: row.take()?,
            expires_at: row.take()?,
        })
    };
    rows.into_iter().map(read).collect()
}

/// Deletes the sessions of a person; one that an older version began is its account's owner's.
pub async fn delete_of(tx: &Tx, person: PersonId) -> Result<()> {
    tx.exec(
        "delete from sessions where person_id = $1 or person_id is null and merchant_id = $1",
        args![person],
    )
    .await?;
    Ok(())
}

/// Deletes sessions of the API that have expired, and all that ended before an instant.
pub async fn delete_expired(tx: &Tx, ended: Timestamp, most: i64) -> Result<u64> {
    let deleted = tx
        .exec(
            "delete from sessions
              where id in (
                    select id
                      from sessions
                     where kind is null and (expires_at <= $1 or ends_at <= $1)
                        or expires_at <= $2 or revoked_at <= $2
                     limit $3)",
            args![tx.now(), ended, most],
        )
        .await?;
    Ok(deleted)
}
