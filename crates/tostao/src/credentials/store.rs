//! The `credentials` and `credential_keys` tables.

use db::args;
use db::time::Timestamp;
use db::tx::Tx;
use db::value::Row;

use crate::auth::api_key::ApiKey;
use crate::credentials::{AuthenticatedKey, Credential, PreviousKey};
use crate::merchants::scope_of;
use crate::platform::error::Result;
use crate::platform::ids::{CredentialId, MerchantId, Mode};
use crate::store::json;

/// A merchant's credentials, each with its current key, in the order in which `read` takes them.
macro_rules! living {
    () => {
        "credentials.id, mode, name, permissions, ip_allowlist, credentials.created_at,
         credentials.expires_at, last_used_at, public_id, last4
           from credentials
           join credential_keys
             on credential_keys.merchant_id = credentials.merchant_id
            and credential_keys.credential_id = credentials.id
            and credential_keys.expires_at is null
          where credentials.merchant_id = $1 and revoked_at is null"
    };
}

pub async fn count(tx: &Tx, merchant: MerchantId) -> Result<i64> {
    let mut row = tx
        .one(
            "select count(*) from credentials where merchant_id = $1 and revoked_at is null",
            args![merchant],
        )
        .await?;
    Ok(row.take()?)
}

pub async fn insert(tx: &Tx, merchant: MerchantId, credential: &Credential) -> Result<()> {
    let allowlist = credential.ip_allowlist.as_ref().map(serde_json::to_string).transpose()?;
    tx.exec(
        "insert into credentials
                (merchant_id, id, mode, name, permissions, ip_allowlist, created_at, expires_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8)",
        args![
            merchant,
            credential.id,
            credential.mode,
            credential.name,
            serde_json::to_string(&credential.permissions)?,
            allowlist,
            credential.created_at,
            credential.expires_at,
        ],
    )
    .await?;
    Ok(())
}

pub async fn insert_key(
    tx: &Tx,
    merchant: MerchantId,
    credential: CredentialId,
    key: &ApiKey,
) -> Result<()> {
    tx.exec(
        "insert into credential_keys
                (public_id, merchant_id, credential_id, key_hash, last4, created_at)
         values ($1, $2, $3, $4, $5, $6)",
        args![key.public_id(), merchant, credential, key.hash(), key.last4(), tx.now()],
    )
    .await?;
    Ok(())
}

/// Sets an end to every key that has none, or a later one.
pub async fn end_keys(
    tx: &Tx,
    merchant: MerchantId,
    credential: CredentialId,
    at: Timestamp,
) -> Result<()> {
    tx.exec(
        "update credential_keys
            set expires_at = $1
          where merchant_id = $2 and credential_id = $3
            and (expires_at is null or expires_at > $1)",
        args![at, merchant, credential],
    )
    .await?;
    Ok(())
}

pub async fn list(tx: &Tx, merchant: MerchantId) -> Result<Vec<Credential>> {
    let rows = tx
        .all(concat!("select ", living!(), " order by credentials.id desc"), args![merchant])
        .await?;
    rows.into_iter().map(read).collect()
}

pub async fn find(tx: &Tx, merchant: MerchantId, id: CredentialId) -> Result<Option<Credential>> {
    let row = tx
        .opt(concat!("select ", living!(), " and credentials.id = $2"), args![merchant, id])
        .await?;
    row.map(read).transpose()
}

/// Revokes a credential; returns its mode, or `None` if it has ended.
pub async fn revoke(tx: &Tx, merchant: MerchantId, id: CredentialId) -> Result<Option<Mode>> {
    let row = tx
        .opt(
            "update credentials
                set revoked_at = $1
              where merchant_id = $2 and id = $3 and revoked_at is null
             returning mode",
            args![tx.now(), merchant, id],
        )
        .await?;
    row.map(|mut row| Ok(row.take()?)).transpose()
}

pub async fn revoke_all(tx: &Tx, merchant: MerchantId) -> Result<u64> {
    let revoked = tx
        .exec(
            "update credentials
                set revoked_at = $1
              where merchant_id = $2 and revoked_at is null",
            args![tx.now(), merchant],
        )
        .await?;
    Ok(revoked)
}

/// Finds a key that has not ended, by its public part.
pub async fn recognize(tx: &Tx, public_id: &str, mode: Mode) -> Result<Option<AuthenticatedKey>> {
    let row = tx
        .opt(
            "select merchants.id, dev_ahead_micros, credentials.id, permissions, ip_allowlist,
                    last_used_at, key_hash, credential_keys.created_at, merchants.created_at
               from credential_keys
               join credentials
                 on credentials.merchant_id = credential_keys.merchant_id
                and credentials.id = credential_keys.credential_id
               join merchants on merchants.id = credential_keys.merchant_id
              where public_id = $1 and mode = $2 and revoked_at is null
                and (credential_keys.expires_at is null or credential_keys.expires_at > $3)
                and (credentials.expires_at is null or credentials.expires_at > $3)",
            args![public_id, mode, tx.now()],
        )
        .await?;
    let Some(mut row) = row else { return Ok(None) };
    Ok(Some(AuthenticatedKey {
        scope: scope_of(&mut row, mode)?,
        id: row.take()?,
        permissions: serde_json::from_str(&row.take::<String>()?)?,
        ip_allowlist: json(&mut row)?,
        last_used_at: row.take()?,
        key_hash: row.take()?,
        made_at: row.take()?,
        account_opened_at: row.take()?,
    }))
}

pub async fn note_use(tx: &Tx, merchant: MerchantId, id: CredentialId) -> Result<()> {
    tx.exec(
        "update credentials set last_used_at = $1 where merchant_id = $2 and id = $3",
        args![tx.now(), merchant, id],
    )
    .await?;
    Ok(())
}

fn read(mut row: Row) -> Result<Credential> {
    Ok(Credential {
        id: row.take()?,
        mode: row.take()?,
        name: row.take()?,
        permissions: serde_json::from_str(&row.take::<String>()?)?,
        ip_allowlist: json(&mut row)?,
        created_at: row.take()?,
        expires_at: row.take()?,
        last_used_at: row.take()?,
        public_id: row.take()?,
        last4: row.take()?,
        previous: Vec::new(),
    })
}

/// The keys of before a rotation that are still valid, each with its credential.
pub async fn previous_keys(
    tx: &Tx,
    merchant: MerchantId,
) -> Result<Vec<(CredentialId, PreviousKey)>> {
    let rows = tx
        .all(
            "select credential_id, last4, expires_at
               from credential_keys
              where merchant_id = $1 and expires_at > $2
              order by expires_at desc",
            args![merchant, tx.now()],
        )
        .await?;
    let read = |mut row: Row| {
        Ok((row.take()?, PreviousKey { last4: row.take()?, expires_at: row.take()? }))
    };
    rows.into_iter().map(read).collect()
}
