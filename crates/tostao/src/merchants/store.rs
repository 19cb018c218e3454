//! The `merchants` table.

use std::time::Duration;

use brazil::document::Document;
use db::args;
use db::time::Timestamp;
use db::tx::Tx;
use db::value::Row;

use crate::merchants::Merchant;
use crate::merchants::look::Look;
use crate::platform::error::Result;
use crate::platform::fields::spellings;
use crate::platform::ids::{MerchantId, Mode, Scope};
use crate::platform::role::Role;
use crate::store::document;

/// The columns of an account, in the order in which `read` takes them.
macro_rules! columns {
    () => {
        "id, name, email, document, phone, role, device_hash, created_at, closed_at,
         accent_color, logo_hash, logo_width, logo_height"
    };
}

/// Inserts an account; false if the email address already has one.
///
/// The version before this one reads the owner's password here.
pub async fn insert(tx: &Tx, merchant: &Merchant, password_hash: &str) -> Result<bool> {
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
                password_hash,
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

/// Closes an account. Its id takes the place of its email, which is unique and not null.
pub async fn close(tx: &Tx, id: MerchantId) -> Result<()> {
    tx.exec(
        "update merchants
            set closed_at = $1, email = $2, password_hash = '', phone = null, device_hash = null,
                accent_color = null, logo_hash = null, logo_width = null, logo_height = null,
                payment_mails = null, updated_at = $1
          where id = $3",
        args![tx.now(), id.to_string(), id],
    )
    .await?;
    Ok(())
}

/// Writes an account's name, telephone, document and accent colour.
pub async fn change(tx: &Tx, merchant: &Merchant) -> Result<()> {
    tx.exec(
        "update merchants
            set name = $1, phone = $2, document = $3, accent_color = $4, updated_at = $5
          where id = $6",
        args![
            merchant.name,
            merchant.phone,
            merchant.document.as_ref().map(Document::as_str),
            merchant.look.accent.map(|accent| accent.to_string()),
            tx.now(),
            merchant.id,
        ],
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

pub async fn note_payment_mails(tx: &Tx, id: MerchantId, wanted: bool) -> Result<()> {
    tx.exec("update merchants set payment_mails = $1 where id = $2", args![wanted, id]).await?;
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

pub async fn open_after(tx: &Tx, after: MerchantId, most: i64) -> Result<Vec<MerchantId>> {
    let rows = tx
        .all(
            "select id
               from merchants
              where closed_at is null and id > $1
              order by id
              limit $2",
            args![after, most],
        )
        .await?;
    rows.into_iter().map(|mut row| Ok(row.take()?)).collect()
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
        document: document(row)?,
        phone: row.take()?,
        role: row.take()?,
        device_hash: row.take()?,
        created_at: row.take()?,
        closed_at: row.take()?,
        look: Look::read(row)?,
    })
}
