//! Lists of withdrawals, and their counts.

use db::args;
use db::tx::Tx;
use db::value::{Arg, Row, ToArg};

use crate::platform::error::Result;
use crate::platform::http::page::Page;
use crate::platform::ids::{Mode, Scope, WithdrawalId};
use crate::withdrawals::Withdrawal;
use crate::withdrawals::list::{AdminFilter, Filter, ListSum};
use crate::withdrawals::status::Status;
use crate::withdrawals::store::{read, withdrawal_columns};

/// A merchant's withdrawals that match a filter.
macro_rules! matching {
    () => {
        " from withdrawals
         where merchant_id = $1 and mode = $2
           and (cast($3 as text) is null or status = $3)
           and created_at >= $4 and created_at < $5"
    };
}

/// All merchants' withdrawals that match an administrator's filter.
macro_rules! matching_all_accounts {
    () => {
        " from withdrawals
         where mode = $1
           and (cast($2 as text) is null or status = $2)
           and (cast($3 as boolean) is null or (processed_at is not null) = $3)
           and (cast($4 as boolean) is null or (contradiction is not null) = $4)
           and (not $5 or merchant_id = $6)"
    };
}

/// Lists matching withdrawals, newest first; the bank's reference has an index of its own.
pub async fn list(tx: &Tx, scope: Scope, filter: &Filter) -> Result<Vec<Withdrawal>> {
    let rows = match &filter.external_id {
        Some(reference) => list_named(tx, scope, filter, reference).await?,
        None => list_all(tx, scope, filter).await?,
    };
    rows.into_iter().map(read).collect()
}

/// Counts matching withdrawals.
pub async fn count(tx: &Tx, scope: Scope, filter: &Filter) -> Result<i64> {
    let mut row = match &filter.external_id {
        Some(reference) => count_named(tx, scope, filter, reference).await?,
        None => count_all(tx, scope, filter).await?,
    };
    Ok(row.take()?)
}

/// Sums the withdrawals of a status.
pub async fn sum(tx: &Tx, scope: Scope, status: Status) -> Result<ListSum> {
    let mut row = tx
        .one(
            "select cast(coalesce(sum(amount_cents), 0) as bigint),
                    cast(coalesce(sum(returned_cents), 0) as bigint)
               from withdrawals
              where merchant_id = $1 and mode = $2 and status = $3",
            args![scope.merchant, scope.mode, status.name()],
        )
        .await?;
    Ok(ListSum { amount: row.take()?, returned: row.take()? })
}

pub async fn list_all_accounts(
    tx: &Tx,
    mode: Mode,
    filter: &AdminFilter,
) -> Result<Vec<Withdrawal>> {
    let page = &filter.page;
    let rows = tx
        .all(
            concat!(
                "select ",
                withdrawal_columns!(),
                matching_all_accounts!(),
                " and id < $7
                 order by id desc
                 limit $8 offset $9"
            ),
            &wanted_all_accounts(mode, filter, args![page.before(), page.fetch(), page.offset()]),
        )
        .await?;
    rows.into_iter().map(read).collect()
}

/// Lists what waits for a decision, oldest first.
pub async fn list_waiting(tx: &Tx, mode: Mode, page: Page) -> Result<Vec<Withdrawal>> {
    let rows = tx
        .all(
            concat!(
                "select ",
                withdrawal_columns!(),
                " from withdrawals
                 where mode = $1 and status = 'PENDING'
                   and (processed_at is null or contradiction is not null)
                   and id > $2
                 order by id
                 limit $3 offset $4"
            ),
            args![mode, page.beyond(), page.fetch(), page.offset()],
        )
        .await?;
    rows.into_iter().map(read).collect()
}

pub async fn count_waiting(tx: &Tx, mode: Mode) -> Result<i64> {
    let mut row = tx
        .one(
            "select count(*)
               from (select id
                       from withdrawals
                      where mode = $1 and status = 'PENDING'
                        and (processed_at is null or contradiction is not null)
                      limit 1001) as waiting",
            args![mode],
        )
        .await?;
    Ok(row.take()?)
}

pub async fn count_all_accounts(tx: &Tx, mode: Mode, filter: &AdminFilter) -> Result<i64> {
    let sql = concat!("select count(*)", matching_all_accounts!());
    Ok(tx.one(sql, &wanted_all_accounts(mode, filter, &[])).await?.take()?)
}

/// The last withdrawals up to one, itself included, the newest first.
pub async fn up_to(
    tx: &Tx,
    scope: Scope,
    id: WithdrawalId,
    limit: i64,
) -> Result<Vec<WithdrawalId>> {
    let rows = tx
        .all(
            "select id
               from withdrawals
              where merchant_id = $1 and mode = $2 and id <= $3
              order by id desc
              limit $4",
            args![scope.merchant, scope.mode, id, limit],
        )
        .await?;
    rows.into_iter().map(|mut row| Ok(row.take()?)).collect()
}

/// The first withdrawals after one, the oldest first.
pub async fn after(
    tx: &Tx,
    scope: Scope,
    id: WithdrawalId,
    limit: i64,
) -> Result<Vec<WithdrawalId>> {
    let rows = tx
        .all(
            "select id
               from withdrawals
              where merchant_id = $1 and mode = $2 and id > $3
              order by id
              limit $4",
            args![scope.merchant, scope.mode, id, limit],
        )
        .await?;
    rows.into_iter().map(|mut row| Ok(row.take()?)).collect()
}

async fn list_all(tx: &Tx, scope: Scope, filter: &Filter) -> Result<Vec<Row>> {
    let page = &filter.page;
    let rows = tx
        .all(
            concat!(
                "select ",
                withdrawal_columns!(),
                matching!(),
                " and id < $6
                 order by id desc
                 limit $7 offset $8"
            ),
            &wanted(&scope, filter, args![page.before(), page.fetch(), page.offset()]),
        )
        .await?;
    Ok(rows)
}

async fn list_named(tx: &Tx, scope: Scope, filter: &Filter, reference: &str) -> Result<Vec<Row>> {
    let page = &filter.page;
    let rows = tx
        .all(
            concat!(
                "select ",
                withdrawal_columns!(),
                matching!(),
                " and external_id = $6 and id < $7
                 order by id desc
                 limit $8 offset $9"
            ),
            &wanted(&scope, filter, args![reference, page.before(), page.fetch(), page.offset()]),
        )
        .await?;
    Ok(rows)
}

async fn count_all(tx: &Tx, scope: Scope, filter: &Filter) -> Result<Row> {
    let sql = concat!("select count(*)", matching!());
    Ok(tx.one(sql, &wanted(&scope, filter, &[])).await?)
}

async fn count_named(tx: &Tx, scope: Scope, filter: &Filter, reference: &str) -> Result<Row> {
    let sql = concat!("select count(*)", matching!(), " and external_id = $6");
    Ok(tx.one(sql, &wanted(&scope, filter, args![reference])).await?)
}

/// The parameters of `matching`, then `more`.
fn wanted<'a>(scope: &'a Scope, filter: &'a Filter, more: &[Arg<'a>]) -> Vec<Arg<'a>> {
    let own = [
        scope.merchant.to_arg(),
        scope.mode.to_arg(),
        filter.status.map(Status::name).map_or(Arg::Null, Arg::Text),
        filter.created.from.to_arg(),
        filter.created.to.to_arg(),
    ];
    [own.as_slice(), more].concat()
}

/// The parameters of `matching_all_accounts`, then `more`.
fn wanted_all_accounts<'a>(mode: Mode, filter: &'a AdminFilter, rest: &[Arg<'a>]) -> Vec<Arg<'a>> {
    let own = [
        Arg::Int(mode.book()),
        filter.status.map(Status::name).map_or(Arg::Null, Arg::Text),
        filter.processed.to_arg(),
        filter.contradicted.to_arg(),
        Arg::Bool(filter.merchant.is_some()),
        filter.merchant.to_arg(),
    ];
    [own.as_slice(), rest].concat()
}
