//! The `request_log` table.

use std::time::Duration;

use db::args;
use db::tx::Tx;
use db::value::{Arg, Row, ToArg};
use uuid::Uuid;

use crate::platform::error::Result;
use crate::platform::http::page::Page;
use crate::platform::ids::{RequestLogId, Scope};
use crate::requests::list::Filter;
use crate::requests::{LoggedRequest, Refusal, RefusalGroup, RequestRecord, UsedKey};
use crate::store::{delete_rows_before, delete_scope};

/// The digits of an instant in microseconds, from 2001 to 2286.
const INSTANT_DIGITS: usize = 16;

/// The columns of a request, in the order in which `read` takes them.
macro_rules! columns {
    () => {
        "id, merchant_id, mode, request_id, created_at, method, route, path, query, status, code,
         field, field_code, duration_micros, credential_id, key_last4, client_network,
         idempotency_key, is_replayed, is_dry_run, request_bytes, response_bytes, object_id"
    };
}

/// Requests of a scope that match a filter.
macro_rules! matching {
    () => {
        " from request_log
         where merchant_id = $1 and mode = $2
           and (status between $3 and $4 or status between $5 and $6)
           and (cast($7 as text) is null or method = $7)
           and (cast($8 as text) is null
                or substr(route, 1, coalesce(cast($16 as integer), length(route))) = $8)
           and (cast($9 as text) is null or code = $9)
           and ($10 or credential_id = $11)
           and (cast($12 as text) is null or key_last4 = $12)
           and (cast($13 as text) is null or idempotency_key = $13)
           and created_at >= $14 and created_at < $15
           and ($17 or object_id = $18)"
    };
}

pub async fn insert(tx: &Tx, record: &RequestRecord) -> Result<()> {
    let refusal = record.refusal.as_ref();
    let field = refusal.and_then(|refusal| refusal.field.as_ref());
    tx.insert_row(
        "insert into request_log
                (merchant_id, mode, id, request_id, created_at, method, route, path, query, status,
                 code, field, field_code, duration_micros, credential_id, key_last4,
                 client_network, idempotency_key, is_replayed, request_bytes, response_bytes,
                 object_id, request_body, response_body, is_dry_run)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
                 $19, $20, $21, $22, $23, $24, $25)",
        args![
            record.merchant,
            record.mode,
            RequestLogId::new(tx),
            record.request_id,
            record.created_at,
            record.method,
            record.route,
            record.path,
            record.query,
            i64::from(record.status),
            refusal.map(|refusal| &refusal.code),
            field.map(|(field, _)| field),
            field.map(|(_, code)| code),
            i64::try_from(record.duration.as_micros()).unwrap_or(i64::MAX),
            record.key.as_ref().map(|key| key.id),
            record.key.as_ref().map(|key| &key.last4),
            record.client_network,
            record.idempotency_key,
            record.is_replayed,
            record.request_bytes,
            record.response_bytes,
            record.object,
            record.request_body,
            record.response_body,
            record.is_dry_run,
        ],
    )
    .await?;
    Ok(())
}

pub async fn list(
    tx: &Tx,
    scope: Scope,
    filter: &Filter,
    page: Page,
) -> Result<Vec<LoggedRequest>> {
    let rows = tx
        .all(
            concat!(
                "select ",
                columns!(),
                matching!(),
                " and id < $19
                  order by id desc
                  limit $20 offset $21"
            ),
            &wanted(&scope, filter, args![page.before(), page.fetch(), page.offset()]),
        )
        .await?;
    rows.into_iter().map(read).collect()
}

pub async fn count(tx: &Tx, scope: Scope, filter: &Filter) -> Result<i64> {
    let sql = concat!("select count(*)", matching!());
    Ok(tx.one(sql, &wanted(&scope, filter, &[])).await?.take()?)
}

/// The newest row after one.
pub async fn newest(tx: &Tx, scope: Scope, last: RequestLogId) -> Result<Option<RequestLogId>> {
    let row = tx
        .opt(
            "select id
               from request_log
              where merchant_id = $1 and mode = $2 and id > $3
              order by id desc
              limit 1",
            args![scope.merchant, scope.mode, last],
        )
        .await?;
    Ok(row.map(|mut row| row.take()).transpose()?)
}

/// The matching rows after one up to another one, oldest first.
pub async fn between(
    tx: &Tx,
    scope: Scope,
    (last, newest): (RequestLogId, RequestLogId),
    filter: &Filter,
    most: i64,
) -> Result<Vec<LoggedRequest>> {
    let rows = tx
        .all(
            concat!(
                "select ",
                columns!(),
                matching!(),
                " and id > $19 and id <= $20
                  order by id
                  limit $21"
            ),
            &wanted(&scope, filter, args![last, newest, most]),
        )
        .await?;
    rows.into_iter().map(read).collect()
}

/// Finds the newest request with an id, with its bodies.
pub async fn find(tx: &Tx, scope: Scope, request_id: &str) -> Result<Option<LoggedRequest>> {
    let row = tx
        .opt(
            concat!(
                "select request_body, response_body, ",
                columns!(),
                " from request_log
                 where merchant_id = $1 and mode = $2 and request_id = $3
                 order by id desc
                 limit 1"
            ),
            args![scope.merchant, scope.mode, request_id],
        )
        .await?;
    let Some(mut row) = row else { return Ok(None) };
    let (request_body, response_body) = (row.take()?, row.take()?);
    let mut found = read(row)?;
    (found.record.request_body, found.record.response_body) = (request_body, response_body);
    Ok(Some(found))
}

pub async fn refusals(
    tx: &Tx,
    scope: Scope,
    filter: &Filter,
    most: i64,
) -> Result<Vec<RefusalGroup>> {
    let rows = tx
        .all(
            concat!(
                // Instants have the same number of digits, so the greatest text is the newest's.
                "select method, route, status, code, field, field_code, count(*),
                        min(created_at), max(created_at) as last_at,
                        max(cast(created_at as text) || ' ' || request_id)",
                matching!(),
                " and status >= 400
                  group by method, route, status, code, field, field_code
                  order by count(*) desc, last_at desc
                  limit $19"
            ),
            &wanted(&scope, filter, args![most]),
        )
        .await?;
    rows.into_iter().map(group).collect()
}

/// The id of the oldest of a scope's newest rows, if it has that many.
pub async fn oldest_of_newest(tx: &Tx, scope: Scope, most: i64) -> Result<Option<Uuid>> {
    let row = tx
        .opt(
            "select id
               from request_log
              where merchant_id = $1 and mode = $2
              order by id desc
              limit 1 offset $3",
            args![scope.merchant, scope.mode, most - 1],
        )
        .await?;
    Ok(row.map(|mut row| row.take()).transpose()?)
}

pub async fn any_before(tx: &Tx, scope: Scope, first: Uuid) -> Result<bool> {
    let row = tx
        .opt(
            "select id
               from request_log
              where merchant_id = $1 and mode = $2 and id < $3
              limit 1",
            args![scope.merchant, scope.mode, first],
        )
        .await?;
    Ok(row.is_some())
}

pub async fn delete_before(tx: &Tx, scope: Scope, first: Uuid, most: i64) -> Result<u64> {
    let sql = delete_rows_before!("request_log");
    Ok(tx.exec(sql, args![scope.merchant, scope.mode, first, most]).await?)
}

pub async fn clear(tx: &Tx, scope: Scope, most: i64) -> Result<u64> {
    let sql = delete_scope!("request_log", "id");
    Ok(tx.exec(sql, args![scope.merchant, scope.mode, most]).await?)
}

/// The parameters of `matching`, then `more`.
fn wanted<'a>(scope: &'a Scope, filter: &'a Filter, more: &[Arg<'a>]) -> Vec<Arg<'a>> {
    let [one, other] = &filter.statuses;
    let own = [
        scope.merchant.to_arg(),
        scope.mode.to_arg(),
        one.start().to_arg(),
        one.end().to_arg(),
        other.start().to_arg(),
        other.end().to_arg(),
        filter.method.to_arg(),
        filter.route.to_arg(),
        filter.code.to_arg(),
        filter.any_credential.to_arg(),
        filter.credential.to_arg(),
        filter.key_last4.to_arg(),
        filter.idempotency_key.to_arg(),
        filter.created.from.to_arg(),
        filter.created.to.to_arg(),
        filter.route_length.to_arg(),
        filter.any_object.to_arg(),
        filter.object.to_arg(),
    ];
    [own.as_slice(), more].concat()
}

fn read(mut row: Row) -> Result<LoggedRequest> {
    let id = row.take()?;
    let (merchant, mode, request_id, created_at) =
        (row.take()?, row.take()?, row.take()?, row.take()?);
    let (method, route, path, query) = (row.take()?, row.take()?, row.take()?, row.take()?);
    let status: i64 = row.take()?;
    let code: Option<String> = row.take()?;
    let (field, field_code): (Option<String>, Option<String>) = (row.take()?, row.take()?);
    let micros: i64 = row.take()?;
    let (credential, last4) = (row.take()?, row.take::<Option<String>>()?);
    let record = RequestRecord {
        merchant,
        mode,
        request_id,
        created_at,
        method,
        route,
        path,
        query,
        status: u16::try_from(status).unwrap_or_default(),
        refusal: code.map(|code| Refusal { code, field: field.zip(field_code) }),
        duration: Duration::from_micros(u64::try_from(micros).unwrap_or_default()),
        key: Option::zip(credential, last4).map(|(id, last4)| UsedKey { id, last4 }),
        client_network: row.take()?,
        idempotency_key: row.take()?,
        is_replayed: row.take()?,
        is_dry_run: row.take::<Option<bool>>()?.unwrap_or_default(),
        request_bytes: row.take()?,
        response_bytes: row.take()?,
        object: row.take()?,
        request_body: None,
        response_body: None,
    };
    Ok(LoggedRequest { id, record })
}

fn group(mut row: Row) -> Result<RefusalGroup> {
    Ok(RefusalGroup {
        method: row.take()?,
        route: row.take()?,
        status: row.take()?,
        code: row.take()?,
        field: row.take()?,
        field_code: row.take()?,
        count: row.take()?,
        first_at: row.take()?,
        last_at: row.take()?,
        example: row.take::<String>()?.split_off(INSTANT_DIGITS + 1),
    })
}
