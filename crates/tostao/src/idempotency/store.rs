//! The `idempotency_keys` table.

use db::args;
use db::time::Timestamp;
use db::tx::Tx;
use db::value::Row;
use uuid::Uuid;

use crate::idempotency::IdempotencyKey;
use crate::idempotency::key::{KeyRow, StoredBody};
use crate::idempotency::lookup::KeyLookup;
use crate::platform::error::Result;
use crate::platform::ids::Scope;
use crate::store::delete_scope;

/// Reserves the key; a key whose response has expired is as good as new.
///
/// A key whose response was erased is stored under a digest: the statement that reserves the key
/// checks it as well, so that a retry does not pay a second time.
pub async fn insert(
    tx: &Tx,
    key: &IdempotencyKey,
    now: Timestamp,
    until: Timestamp,
) -> Result<bool> {
    let row = tx
        .opt(
            "insert into idempotency_keys
                    (merchant_id, mode, route, key, fingerprint, expires_at, request_id,
                     field_hashes)
             values ($1, $2, $3, $4, $5, $6, $9, $10)
                 on conflict (merchant_id, mode, route, key) do update
                set fingerprint = excluded.fingerprint, status = null, body = null,
                    sealed_body = null, subject_id = null, expires_at = excluded.expires_at,
                    request_id = excluded.request_id, field_hashes = excluded.field_hashes
              where idempotency_keys.expires_at <= $7
             returning (select blanked.status
                          from idempotency_keys as blanked
                         where blanked.merchant_id = $1 and blanked.mode = $2
                           and blanked.route = $3 and blanked.key = $8
                           and blanked.expires_at > $7)",
            args![
                key.scope.merchant,
                key.scope.mode,
                key.route,
                key.key,
                key.fingerprint,
                until,
                now,
                key.digest(),
                key.request_id,
                Some(key.field_hashes.as_slice()).filter(|hashes| !hashes.is_empty()),
            ],
        )
        .await?;
    let Some(mut row) = row else { return Ok(false) };
    let blanked: Option<i64> = row.take()?;
    if blanked.is_some() {
        remove(tx, key).await?;
    }
    Ok(blanked.is_none())
}

async fn remove(tx: &Tx, key: &IdempotencyKey) -> Result<()> {
    tx.defer(
        "delete from idempotency_keys
          where merchant_id = $1 and mode = $2 and route = $3 and key = $4",
        args![key.scope.merchant, key.scope.mode, key.route, key.key],
    )
    .await?;
    Ok(())
}

pub async fn find(tx: &Tx, key: &IdempotencyKey) -> Result<Option<KeyRow>> {
    let row = tx
        .opt(
            // Two look-ups by the whole key: with `in`, PostgreSQL reads all keys of the route
            // until it has statistics.
            "select fingerprint, status, body, sealed_body, subject_id, request_id, field_hashes,
                    expires_at
               from idempotency_keys
              where merchant_id = $1 and mode = $2 and route = $3 and key = $4
                and expires_at > $6
              union all
             select fingerprint, status, body, sealed_body, subject_id, request_id, field_hashes,
                    expires_at
               from idempotency_keys
              where merchant_id = $1 and mode = $2 and route = $3 and key = $5
                and expires_at > $6",
            args![key.scope.merchant, key.scope.mode, key.route, key.key, key.digest(), tx.now(),],
        )
        .await?;
    let Some(mut row) = row else { return Ok(None) };
    let fingerprint = row.take()?;
    let status: Option<i64> = row.take()?;
    let plain = row.take::<Option<String>>()?.map(StoredBody::Plain);
    let sealed = row.take::<Option<Vec<u8>>>()?.map(StoredBody::Sealed);
    let response = status.and_then(|status| u16::try_from(status).ok()).zip(plain.or(sealed));
    Ok(Some(KeyRow {
        fingerprint,
        response,
        subject: row.take()?,
        request_id: row.take()?,
        field_hashes: row.take()?,
        expires_at: row.take()?,
    }))
}

/// The routes, in their order, on which a scope has used keys: each is found by the one before it,
/// so that only as many rows are read as there are routes.
pub async fn routes(tx: &Tx, scope: Scope) -> Result<Vec<String>> {
    let rows = tx
        .all(
            "with recursive routes (route) as (
                    select min(route)
                      from idempotency_keys
                     where merchant_id = $1 and mode = $2
                     union all
                    select (select min(later.route)
                              from idempotency_keys as later
                             where later.merchant_id = $1 and later.mode = $2
                               and later.route > routes.route)
                      from routes
                     where routes.route is not null)
             select route
               from routes
              where route is not null
              order by route",
            args![scope.merchant, scope.mode],
        )
        .await?;
    rows.into_iter().map(|mut row| Ok(row.take()?)).collect()
}

/// What is known of a key on a route; the key or the digest under which an erased one is stored.
pub async fn look_up(tx: &Tx, scope: Scope, route: &str, key: &str) -> Result<Option<KeyLookup>> {
    let row = tx
        .opt(
            "select status, body, sealed_body is not null, subject_id, request_id, expires_at,
                    fingerprint
               from idempotency_keys
              where merchant_id = $1 and mode = $2 and route = $3 and key = $4
                and expires_at > $5",
            args![scope.merchant, scope.mode, route, key, tx.now()],
        )
        .await?;
    let read = |mut row: Row| {
        Ok(KeyLookup {
            route: route.to_owned(),
            status: row.take()?,
            body: row.take()?,
            is_sealed: row.take()?,
            subject: row.take()?,
            request_id: row.take()?,
            expires_at: row.take()?,
            fingerprint: row.take()?,
        })
    };
    row.map(read).transpose()
}

/// Stores the id of the object that the request's first unit created.
pub async fn set_subject(tx: &Tx, key: &IdempotencyKey, subject: Uuid) -> Result<()> {
    tx.defer_with_rows(
        "update idempotency_keys
            set subject_id = $1
          where merchant_id = $2 and mode = $3 and route = $4 and key = $5",
        args![subject, key.scope.merchant, key.scope.mode, key.route, key.key],
    )
    .await?;
    Ok(())
}

/// Stores a response, plain or sealed.
pub async fn keep(
    tx: &Tx,
    key: &IdempotencyKey,
    status: u16,
    plain: Option<&str>,
    sealed: Option<&[u8]>,
) -> Result<()> {
    tx.defer_with_rows(
        "update idempotency_keys
            set status = $1, body = $2, sealed_body = $3
          where merchant_id = $4 and mode = $5 and route = $6 and key = $7",
        args![
            i64::from(status),
            plain,
            sealed,
            key.scope.merchant,
            key.scope.mode,
            key.route,
            key.key,
        ],
    )
    .await?;
    Ok(())
}

pub async fn delete_expired(tx: &Tx, most: i64) -> Result<u64> {
    let deleted = tx
        .exec(
            "delete from idempotency_keys
              where (merchant_id, mode, route, key) in (
                    select merchant_id, mode, route, key
                      from idempotency_keys
                     where expires_at <= $1
                     limit $2)",
            args![tx.now(), most],
        )
        .await?;
    Ok(deleted)
}

pub async fn clear(tx: &Tx, scope: Scope, most: i64) -> Result<u64> {
    let sql = delete_scope!("idempotency_keys", "route, key");
    Ok(tx.exec(sql, args![scope.merchant, scope.mode, most]).await?)
}
