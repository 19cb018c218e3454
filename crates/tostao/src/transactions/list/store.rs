//! Lists of payments, and their counts.

use db::args;
use db::time::Timestamp;
use db::tx::Tx;
use db::value::{Arg, Row, ToArg};
use uuid::Uuid;

use crate::platform::count_cache::Since;
use crate::platform::error::Result;
use crate::platform::ids::Scope;
use crate::transactions::list::Filter;
use crate::transactions::status::Status;
use crate::transactions::store::{payment_columns, read};
use crate::transactions::{Method, Transaction};

/// Payments that match a filter, by the status that the scope's clock shows.
macro_rules! matching {
    () => {
        " from transactions
         where merchant_id = $1 and mode = $2
           and (cast($3 as text) is null
                or case when status = 'PENDING' and expires_at <= $4
                        then 'EXPIRED' else status end = $3)
           and (cast($5 as text) is null or method = $5)
           and client_id = coalesce($6, client_id)
           and ($7 or payment_link_id = $8)
           and created_at >= $9 and created_at < $10
           and amount_cents >= $11 and amount_cents <= $12
           and (cast($13 as text) is null or search_text like $13 escape '\\')"
    };
}

/// Payments with one external id; what follows ends in a parenthesis.
///
/// If asked for whole rows by external id, or for ids within bounds beside it, SQLite prefers to
/// scan all of a merchant's payments.
macro_rules! with_number {
    () => {
        " and id in (select id
                       from transactions
                      where merchant_id = $1 and mode = $2 and external_id = $14"
    };
}

/// Lists matching payments, newest first; the external id has an index of its own.
pub async fn list(tx: &Tx, scope: Scope, filter: &Filter) -> Result<Vec<Transaction>> {
    let rows = match &filter.external_id {
        Some(number) => list_numbered(tx, scope, filter, number).await?,
        None => list_all(tx, scope, filter).await?,
    };
    rows.into_iter().map(|mut row| read(&mut row)).collect()
}

/// Counts matching payments.
pub async fn count(tx: &Tx, scope: Scope, filter: &Filter) -> Result<i64> {
    let mut row = match &filter.external_id {
        Some(number) => count_numbered(tx, scope, filter, number).await?,
        None => count_all(tx, scope, filter).await?,
    };
    Ok(row.take()?)
}

/// Counts a scope's payments starting at `first`, those of them before `settled`, and returns
/// whether there is any before `first`.
pub async fn count_since(tx: &Tx, scope: Scope, first: Uuid, settled: Uuid) -> Result<Since> {
    let mut row = tx
        .one(
            "select count(*), count(*) filter (where id < $4),
                    exists (select 1
                              from transactions
                             where merchant_id = $1 and mode = $2 and id < $3)
               from transactions
              where merchant_id = $1 and mode = $2 and id >= $3",
            args![scope.merchant, scope.mode, first, settled],
        )
        .await?;
    Ok(Since { rows: row.take()?, settled: row.take()?, any_before: row.take()? })
}

/// Counts the open payments starting at an id, as the scope's clock shows them.
pub async fn count_open(tx: &Tx, scope: Scope, first: Uuid) -> Result<i64> {
    let mut row = tx
        .one(
            "select count(*)
               from transactions
              where merchant_id = $1 and mode = $2 and id >= $3
                and (status = 'PROCESSING'
                     or status = 'PENDING' and (expires_at is null or expires_at > $4))",
            args![scope.merchant, scope.mode, first, scope.now(tx)],
        )
        .await?;
    Ok(row.take()?)
}

pub async fn any_paid(tx: &Tx, scope: Scope) -> Result<bool> {
    let sql = "select id
                 from transactions
                where merchant_id = $1 and mode = $2 and paid_at is not null
                limit 1";
    Ok(tx.opt(sql, args![scope.merchant, scope.mode]).await?.is_some())
}

async fn list_all(tx: &Tx, scope: Scope, filter: &Filter) -> Result<Vec<Row>> {
    let page = &filter.page;
    let rows = tx
        .all(
            concat!(
                "select ",
                payment_columns!(),
                matching!(),
                " and id < $14
                 order by id desc
                 limit $15 offset $16"
            ),
            &filter_args(
                &scope,
                filter,
                scope.now(tx),
                args![page.before(), page.fetch(), page.offset()],
            ),
        )
        .await?;
    Ok(rows)
}

async fn list_numbered(tx: &Tx, scope: Scope, filter: &Filter, number: &str) -> Result<Vec<Row>> {
    let page = &filter.page;
    let rows = tx
        .all(
            concat!(
                "select ",
                payment_columns!(),
                matching!(),
                with_number!(),
                " and id < $15)
                 order by id desc
                 limit $16 offset $17"
            ),
            &filter_args(
                &scope,
                filter,
                scope.now(tx),
                args![number, page.before(), page.fetch(), page.offset()],
            ),
        )
        .await?;
    Ok(rows)
}

async fn count_all(tx: &Tx, scope: Scope, filter: &Filter) -> Result<Row> {
    let sql = concat!("select count(*)", matching!());
    Ok(tx.one(sql, &filter_args(&scope, filter, scope.now(tx), &[])).await?)
}

async fn count_numbered(tx: &Tx, scope: Scope, filter: &Filter, number: &str) -> Result<Row> {
    let sql = concat!("select count(*)", matching!(), with_number!(), ")");
    Ok(tx.one(sql, &filter_args(&scope, filter, scope.now(tx), args![number])).await?)
}

/// The parameters of `matching`, then `more`.
fn filter_args<'a>(
    scope: &'a Scope,
    filter: &'a Filter,
    now: Timestamp,
    more: &[Arg<'a>],
) -> Vec<Arg<'a>> {
    let text = |word: Option<&'static str>| word.map_or(Arg::Null, Arg::Text);
    let own = [
        scope.merchant.to_arg(),
        scope.mode.to_arg(),
        text(filter.status.map(Status::name)),
        Arg::Int(now.micros()),
        text(filter.method.map(Method::name)),
        filter.client.to_arg(),
        Arg::Bool(filter.link.is_none()),
        filter.link.to_arg(),
        filter.created.from.to_arg(),
        filter.created.to.to_arg(),
        filter.amount_from.to_arg(),
        filter.amount_to.to_arg(),
        filter.pattern.to_arg(),
    ];
    [own.as_slice(), more].concat()
}
