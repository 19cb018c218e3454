//! The `merchants` and `sessions` tables.

use std::time::Duration;

use brazil::document::Document;
use db::args;
use db::time::Timestamp;
use db::tx::Tx;
use db::value::Row;

use crate::merchants::{Merchant, Session, SessionRecord, SignInAccount, SignInSource};
use crate::platform::error::Result;
use crate::platform::fields::spellings;
use crate::platform::ids::{MerchantId, Mode, Scope, SessionId};
use crate::platform::role::Role;
use crate::store::document;

/// The columns of an account, in the order in which `read` takes them.
macro_rules! columns {
    () => {
        "id, name, email, password_hash, document, phone, role, device_hash, created_at, closed_at"
    };
}

/// Inserts an account; false if the email address already has one.
pub async fn insert(tx: &Tx, merchant: &Merchant) -> Result<bool> {
    let inserted = tx
        .exec(
            "insert into merchants
                    (id, name, email, password_hash, document, phone, role, device_hash,
                     dev_ahead_micros, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, 0, $9, $9)
                 on conflict (email) do nothing",
            args![
                merchant.id,
                merchant.name,
                merchant.email,
                merchant.password_hash,
                merchant.document.as_ref().map(Document::as_str),
                merchant.phone,
                merchant.role.name(),
                merchant.device_hash,
                merchant.created_at,
            ],
        )
        .await?;
    Ok(inserted == 1)
}

pub async fn find(tx: &Tx, id: MerchantId) -> Result<Option<Merchant>> {
    let row =
        tx.opt(concat!("select ", columns!(), " from merchants where id = $1"), args![id]).await?;
    row.map(|mut row| read(&mut row)).transpose()
}

pub async fn find_to_sign_in(
    tx: &Tx,
    email: &str,
    from: &SignInSource,
) -> Result<Option<SignInAccount>> {
    let [typed, spelled] = spellings(email);
    let row = tx
        .opt(
            concat!(
                "select ",
                columns!(),
                ", coalesce(device_hash = $4, false)
                   or exists (select 1
                                from sessions
                               where sessions.merchant_id = merchants.id
                                 and sessions.device_hash = $4),
                   exists (select 1
                             from sessions
                            where sessions.merchant_id = merchants.id
                              and sessions.network = $3)
                  from merchants
                 where email in ($1, $2) and closed_at is null
                 order by email = $1 desc
                 limit 1"
            ),
            args![typed, spelled, from.network, from.device_hash],
        )
        .await?;
    let read = |mut row: Row| {
        let merchant = read(&mut row)?;
        Ok(SignInAccount { merchant, knows_device: row.take()?, knows_network: row.take()? })
    };
    row.map(read).transpose()
}

pub async fn find_by_email(tx: &Tx, email: &str) -> Result<Option<Merchant>> {
    let [typed, spelled] = spellings(email);
    let row = tx
        .opt(
            concat!(
                "select ",
                columns!(),
                " from merchants
                 where email in ($1, $2) and closed_at is null
                 order by email = $1 desc
                 limit 1"
            ),
            args![typed, spelled],
        )
        .await?;
    row.map(|mut row| read(&mut row)).transpose()
}

/// Locks an account's row if its password is still the one that was verified; false if it is not.
pub async fn lock_password(tx: &Tx, merchant: &Merchant) -> Result<bool> {
    let held = tx
        .exec(
            "update merchants
                set updated_at = updated_at
              where id = $1 and password_hash = $2",
            args![merchant.id, merchant.password_hash],
        )
        .await?;
    Ok(held == 1)
}

pub async fn set_password(tx: &Tx, id: MerchantId, hash: &str) -> Result<()> {
    tx.exec(
        "update merchants set password_hash = $1, updated_at = $2 where id = $3",
        args![hash, tx.now(), id],
    )
    .await?;
    Ok(())
}

/// Closes an account. Its id takes the place of its email, which is unique and not null.
pub async fn close(tx: &Tx, id: MerchantId) -> Result<()> {
    tx.exec(
        "update merchants
            set closed_at = $1, email = $2, password_hash = '', phone = null, device_hash = null,
                updated_at = $1
          where id = $3",
        args![tx.now(), id.to_string(), id],
    )
    .await?;
    Ok(())
}

pub async fn blank(tx: &Tx, id: MerchantId) -> Result<()> {
    tx.exec(
        "update merchants set name = '', document = null where id = $1 and closed_at is not null",
        args![id],
    )
    .await?;
    Ok(())
}

pub async fn is_open(tx: &Tx, id: MerchantId) -> Result<bool> {
    let row = tx
        .opt(
            "select id from merchants where id = $1 and closed_at is null /*+ share merchants */",
            args![id],
        )
        .await?;
    Ok(row.is_some())
}

pub async fn set_role(tx: &Tx, id: MerchantId, role: Role) -> Result<()> {
    tx.exec(
        "update merchants set role = $1, updated_at = $2 where id = $3",
        args![role.name(), tx.now(), id],
    )
    .await?;
    Ok(())
}

/// Erases the device on which an account was opened.
pub async fn blank_device(tx: &Tx, id: MerchantId) -> Result<()> {
    tx.exec("update merchants set device_hash = null where id = $1", args![id]).await?;
    Ok(())
}

pub async fn administrators(tx: &Tx) -> Result<Vec<Merchant>> {
    let rows = tx
        .all(
            concat!("select ", columns!(), " from merchants where role = $1 order by email"),
            args![Role::Admin.name()],
        )
        .await?;
    rows.into_iter().map(|mut row| read(&mut row)).collect()
}

/// Locks the rows of all administrators; returns how many there are.
pub async fn lock_administrators(tx: &Tx) -> Result<u64> {
    let held = tx
        .exec(
            "update merchants set updated_at = updated_at where role = $1",
            args![Role::Admin.name()],
        )
        .await?;
    Ok(held)
}

pub async fn record_invited(tx: &Tx, id: MerchantId) -> Result<()> {
    tx.exec("update merchants set invited = true where id = $1", args![id]).await?;
    Ok(())
}

pub async fn verify(tx: &Tx, id: MerchantId) -> Result<Option<Timestamp>> {
    let row = tx
        .opt(
            "update merchants
                set verified_at = coalesce(verified_at, $1)
              where id = $2
             returning verified_at",
            args![tx.now(), id],
        )
        .await?;
    Ok(row.map(|mut row| row.take()).transpose()?)
}

pub async fn unverify(tx: &Tx, id: MerchantId) -> Result<bool> {
    let changed =
        tx.exec("update merchants set verified_at = null where id = $1", args![id]).await?;
    Ok(changed == 1)
}

pub async fn is_verified(tx: &Tx, id: MerchantId) -> Result<bool> {
    let row = tx
        .opt("select id from merchants where id = $1 and verified_at is not null", args![id])
        .await?;
    Ok(row.is_some())
}

pub async fn insert_session(tx: &Tx, session: &Session, from: &SignInSource) -> Result<()> {
    tx.exec(
        "insert into sessions
                (id, merchant_id, refresh_hash, network, created_at, used_at, expires_at, ends_at,
                 device_hash)
         values ($1, $2, $3, $4, $5, $5, $6, $7, $8)",
        args![
            session.id,
            session.merchant,
            session.refresh_hash,
            from.network,
            tx.now(),
            session.expires_at,
            session.ends_at,
            from.device_hash,
        ],
    )
    .await?;
    Ok(())
}

pub async fn find_session(tx: &Tx, id: SessionId) -> Result<Option<Session>> {
    let row = tx
        .opt(
            "select id, merchant_id, refresh_hash, expires_at, ends_at, revoked_at
               from sessions
              where id = $1",
            args![id],
        )
        .await?;
    let read = |mut row: Row| {
        Ok(Session {
            id: row.take()?,
            merchant: row.take()?,
            refresh_hash: row.take()?,
            expires_at: row.take()?,
            ends_at: row.take()?,
            revoked_at: row.take()?,
        })
    };
    row.map(read).transpose()
}

/// Replaces the only valid refresh token with the next; false if it is no longer valid.
pub async fn rotate_session(
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

/// Replaces the current refresh token, whatever it is.
pub async fn renew_session(tx: &Tx, id: SessionId, hash: &[u8]) -> Result<()> {
    tx.exec(
        "update sessions set refresh_hash = $1 where id = $2 and revoked_at is null",
        args![hash, id],
    )
    .await?;
    Ok(())
}

pub async fn end_session(tx: &Tx, id: SessionId) -> Result<()> {
    tx.exec(
        "update sessions set revoked_at = $1 where id = $2 and revoked_at is null",
        args![tx.now(), id],
    )
    .await?;
    Ok(())
}

/// Ends a session of an account; false if it has no such session that has not ended.
pub async fn end_session_of(tx: &Tx, merchant: MerchantId, id: SessionId) -> Result<bool> {
    let ended = tx
        .exec(
            "update sessions
                set revoked_at = $1
              where id = $2 and merchant_id = $3 and revoked_at is null and expires_at > $1",
            args![tx.now(), id, merchant],
        )
        .await?;
    Ok(ended == 1)
}

/// Ends an account's sessions, all of them or all but one; returns how many.
pub async fn end_sessions(tx: &Tx, merchant: MerchantId, kept: Option<SessionId>) -> Result<u64> {
    let ended = tx
        .exec(
            "update sessions
            set revoked_at = $1
          where merchant_id = $2 and revoked_at is null
            and id is distinct from $3",
            args![tx.now(), merchant, kept],
        )
        .await?;
    Ok(ended)
}

/// Erases the networks and devices of an account's sessions, of all of them or all but one.
pub async fn blank_sessions(tx: &Tx, merchant: MerchantId, kept: Option<SessionId>) -> Result<()> {
    tx.exec(
        "update sessions
            set network = null, device_hash = null
          where merchant_id = $1 and id is distinct from $2",
        args![merchant, kept],
    )
    .await?;
    Ok(())
}

/// The newest sessions of an account that have not ended.
pub async fn sessions(tx: &Tx, merchant: MerchantId) -> Result<Vec<SessionRecord>> {
    let rows = tx
        .all(
            "select id, network, created_at, coalesce(used_at, created_at), expires_at
               from sessions
              where merchant_id = $1 and revoked_at is null and expires_at > $2
              order by id desc
              limit 100",
            args![merchant, tx.now()],
        )
        .await?;
    let read = |mut row: Row| {
        Ok(SessionRecord {
            id: row.take()?,
            network: row.take()?,
            created_at: row.take()?,
            used_at: row.take()?,
            expires_at: row.take()?,
        })
    };
    rows.into_iter().map(read).collect()
}

pub async fn signed_in(tx: &Tx, id: SessionId, mode: Mode) -> Result<Option<(Scope, Role)>> {
    let row = tx
        .opt(
            "select merchants.id, merchants.dev_ahead_micros, merchants.role
               from sessions
               join merchants on merchants.id = sessions.merchant_id
              where sessions.id = $1 and sessions.revoked_at is null
                and sessions.expires_at > $2",
            args![id, tx.now()],
        )
        .await?;
    let Some(mut row) = row else { return Ok(None) };
    let scope = scope_of(&mut row, mode)?;
    Ok(Some((scope, row.take()?)))
}

pub async fn scope(tx: &Tx, merchant: MerchantId, mode: Mode) -> Result<Option<Scope>> {
    let row =
        tx.opt("select id, dev_ahead_micros from merchants where id = $1", args![merchant]).await?;
    row.map(|mut row| scope_of(&mut row, mode)).transpose()
}

/// Advances the sandbox clock; returns how far ahead it then is.
pub async fn advance(tx: &Tx, merchant: MerchantId, by: Duration) -> Result<Duration> {
    let micros = i64::try_from(by.as_micros()).unwrap_or(i64::MAX);
    let mut row = tx
        .one(
            "update merchants
                set dev_ahead_micros = dev_ahead_micros + $1
              where id = $2
             returning dev_ahead_micros",
            args![micros, merchant],
        )
        .await?;
    let ahead: i64 = row.take()?;
    Ok(Duration::from_micros(u64::try_from(ahead).unwrap_or(0)))
}

pub async fn begin_clearing(tx: &Tx, merchant: MerchantId) -> Result<()> {
    tx.exec("update merchants set dev_clearing = true where id = $1", args![merchant]).await?;
    Ok(())
}

pub async fn end_clearing(tx: &Tx, merchant: MerchantId) -> Result<()> {
    tx.exec(
        "update merchants set dev_clearing = false where id = $1 and dev_clearing",
        args![merchant],
    )
    .await?;
    Ok(())
}

pub async fn being_cleared(tx: &Tx) -> Result<Vec<MerchantId>> {
    let rows = tx.all("select id from merchants where dev_clearing", &[]).await?;
    rows.into_iter().map(|mut row| Ok(row.take()?)).collect()
}

/// Resets the sandbox clock to the system clock.
pub async fn put_clock_back(tx: &Tx, merchant: MerchantId) -> Result<()> {
    tx.exec("update merchants set dev_ahead_micros = 0 where id = $1", args![merchant]).await?;
    Ok(())
}

/// Locks the row by writing its current value; false if the account is closed.
pub async fn lock(tx: &Tx, merchant: MerchantId) -> Result<bool> {
    let held = tx
        .exec(
            "update merchants
                set updated_at = updated_at
              where id = $1 and closed_at is null",
            args![merchant],
        )
        .await?;
    Ok(held == 1)
}

pub async fn all(tx: &Tx) -> Result<Vec<MerchantId>> {
    let rows = tx.all("select id from merchants", args![]).await?;
    rows.into_iter().map(|mut row| Ok(row.take()?)).collect()
}

pub async fn delete_expired_sessions(tx: &Tx, most: i64) -> Result<u64> {
    let deleted = tx
        .exec(
            "delete from sessions
              where id in (
                    select id from sessions where expires_at <= $1 or ends_at <= $1 limit $2)",
            args![tx.now(), most],
        )
        .await?;
    Ok(deleted)
}

/// Reads a merchant's id and clock, in this order, from a row.
pub fn scope_of(row: &mut Row, mode: Mode) -> Result<Scope> {
    let merchant = row.take()?;
    let ahead: i64 = row.take()?;
    let ahead = match mode {
        Mode::Development => Duration::from_micros(u64::try_from(ahead).unwrap_or(0)),
        Mode::Production => Duration::ZERO,
    };
    Ok(Scope { merchant, mode, ahead })
}

fn read(row: &mut Row) -> Result<Merchant> {
    Ok(Merchant {
        id: row.take()?,
        name: row.take()?,
        email: row.take()?,
        password_hash: row.take()?,
        document: document(row)?,
        phone: row.take()?,
        role: row.take()?,
        device_hash: row.take()?,
        created_at: row.take()?,
        closed_at: row.take()?,
    })
}
