//! Lists of payments, and their counts.

use db::args;
use db::time::Timestamp;
use db::tx::Tx;
use db::value::{Arg, Row, ToArg};
use uuid::Uuid;

use crate::platform::count_cache::Since;
use crate::platform::error::Result;
use crate::platform::http::page::{Page, TimeRange};
use crate::platform::ids::{Scope, SubscriptionId};
use crate::transactions::list::needle::Needle;
use crate::transactions::list::{Filter, IdRange, Issued, ids};
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
           and ($13 or (paid_at is not null) = $14)"
    };
}

/// Payments with one external id; what follows ends in a parenthesis.
///
/// If asked for whole rows by external id, or for ids within bounds beside it, SQLite prefers to
/// scan all of a merchant's payments.
macro_rules! with_number {
    () => {
        " and (cast($16 as text) is null
               or search_text like $16 escape '\\' or amount_cents = $17
               or pix_txid = $18 or end_to_end_id = $18 or id = $19)
          and id in (select id
                       from transactions
                      where merchant_id = $1 and mode = $2 and external_id = $15"
    };
}

/// The ids of at most `$22` payments that a search finds below `$16`: by their text and amount from
/// `$15` and `$17` on, and by the identifiers of a payment however old it is.
///
/// Each way of finding one is a query of its own, because no index serves all of them.
macro_rules! searched {
    () => {
        concat!(
            "(select id
               from (select id",
            matching!(),
            " and id >= $15 and id < $16 and created_at >= $17
                and (search_text like $18 escape '\\' or amount_cents = $19)
              order by id desc
              limit $22) as by_text
              union
             select id
               from (select id",
            matching!(),
            " and id in (select id
                           from transactions
                          where merchant_id = $1 and mode = $2 and external_id = $20
                            and id < $16)
              order by id desc
              limit $22) as by_number
              union
             select id",
            matching!(),
            " and id in (select id
                           from transactions
                          where pix_txid = $20 and merchant_id = $1 and mode = $2 and id < $16)
              union
             select id",
            matching!(),
            " and id in (select id
                           from transactions
                          where end_to_end_id = $20 and merchant_id = $1 and mode = $2
                            and id < $16)
              union
             select id",
            matching!(),
            " and id in (select id
                           from transactions
                          where merchant_id = $1 and mode = $2 and id = $21 and id < $16))"
        )
    };
}

/// Lists matching payments, newest first; the external id has an index of its own.
pub async fn list(tx: &Tx, scope: Scope, filter: &Filter) -> Result<Vec<Transaction>> {
    let rows = match (&filter.external_id, &filter.needle) {
        (Some(number), _) => list_numbered(tx, scope, filter, number).await?,
        (None, Some(needle)) => list_searched(tx, scope, filter, needle).await?,
        (None, None) => list_all(tx, scope, filter).await?,
    };
    rows.into_iter().map(|mut row| read(&mut row)).collect()
}

/// Counts matching payments, up to a number of them.
pub async fn count(tx: &Tx, scope: Scope, filter: &Filter) -> Result<i64> {
    let mut row = match (&filter.external_id, &filter.needle) {
        (Some(number), _) => count_numbered(tx, scope, filter, number).await?,
        (None, Some(needle)) => count_searched(tx, scope, filter, needle).await?,
        (None, None) => count_all(tx, scope, filter).await?,
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

/// Counts the payments created in a period, and those of them that were paid, by their method.
pub async fn issued(
    tx: &Tx,
    scope: Scope,
    created: TimeRange,
    ids: IdRange,
) -> Result<Vec<(Method, Issued)>> {
    let rows = tx
        .all(
            "select method, count(*), count(paid_at)
               from transactions
              where merchant_id = $1 and mode = $2 and id >= $3 and id < $4
                and created_at >= $5 and created_at < $6
              group by method",
            args![scope.merchant, scope.mode, ids.from, ids.below, created.from, created.to],
        )
        .await?;
    let read = |mut row: Row| Ok((row.take()?, Issued { issued: row.take()?, paid: row.take()? }));
    rows.into_iter().map(read).collect()
}

/// When the first payment was created.
pub async fn oldest(tx: &Tx, scope: Scope) -> Result<Option<Timestamp>> {
    let row = tx
        .opt(
            "select created_at
               from transactions
              where merchant_id = $1 and mode = $2
              order by id
              limit 1",
            args![scope.merchant, scope.mode],
        )
        .await?;
    row.map(|mut row| Ok(row.take()?)).transpose()
}

/// Lists the payments of a subscription, newest first.
pub async fn of_subscription(
    tx: &Tx,
    scope: Scope,
    id: SubscriptionId,
    page: Page,
) -> Result<Vec<Transaction>> {
    let rows = tx
        .all(
            concat!(
                "select ",
                payment_columns!(),
                " from transactions
                 where merchant_id = $1 and mode = $2 and subscription_id = $3 and id < $4
                 order by id desc
                 limit $5 offset $6"
            ),
            args![scope.merchant, scope.mode, id, page.before(), page.fetch(), page.offset()],
        )
        .await?;
    rows.into_iter().map(|mut row| read(&mut row)).collect()
}

/// Counts the payments of a subscription.
pub async fn count_of_subscription(tx: &Tx, scope: Scope, id: SubscriptionId) -> Result<i64> {
    let sql = "select count(*)
                 from transactions
                where merchant_id = $1 and mode = $2 and subscription_id = $3";
    Ok(tx.one(sql, args![scope.merchant, scope.mode, id]).await?.take()?)
}

async fn list_all(tx: &Tx, scope: Scope, filter: &Filter) -> Result<Vec<Row>> {
    let page = &filter.page;
    let ids = ids(tx, scope, filter.created);
    let sql = concat!(
        "select ",
        payment_columns!(),
        matching!(),
        " and id >= $15 and id < $16
         order by id desc
         limit $17 offset $18"
    );
    let (below, limit, offset) = (ids.below.min(page.before()), page.fetch(), page.offset());
    let more = args![ids.from, below, limit, offset];
    Ok(tx.all(sql, &filter_args(&scope, filter, scope.now(tx), more)).await?)
}

async fn list_numbered(tx: &Tx, scope: Scope, filter: &Filter, number: &str) -> Result<Vec<Row>> {
    let page = &filter.page;
    let sql = concat!(
        "select ",
        payment_columns!(),
        matching!(),
        with_number!(),
        " and id < $20)
         order by id desc
         limit $21 offset $22"
    );
    let (below, limit, offset) = (page.before(), page.fetch(), page.offset());
    let own = numbered_args(number, filter.needle.as_ref());
    let more = [own.as_slice(), args![below, limit, offset]].concat();
    Ok(tx.all(sql, &filter_args(&scope, filter, scope.now(tx), &more)).await?)
}

async fn list_searched(
    tx: &Tx,
    scope: Scope,
    filter: &Filter,
    needle: &Needle,
) -> Result<Vec<Row>> {
    let page = &filter.page;
    let sql = concat!(
        "select ",
        payment_columns!(),
        " from transactions
         where merchant_id = $1 and mode = $2 and id in ",
        searched!(),
        " order by id desc
         limit $23 offset $24"
    );
    let (ids, from) = searched(tx, scope, filter);
    let (below, limit, offset) = (ids.below.min(page.before()), page.fetch(), page.offset());
    let found = offset + limit;
    let (own, named) = (args![ids.from, below, from], needle_args(needle));
    let more = [own.as_slice(), &named, args![found, limit, offset]].concat();
    Ok(tx.all(sql, &filter_args(&scope, filter, scope.now(tx), &more)).await?)
}

async fn count_all(tx: &Tx, scope: Scope, filter: &Filter) -> Result<Row> {
    let ids = ids(tx, scope, filter.created);
    let sql = concat!(
        "select count(*) from (select 1 as found",
        matching!(),
        " and id >= $15 and id < $16 limit $17) as counted"
    );
    let more = args![ids.from, ids.below, filter.counted_max];
    Ok(tx.one(sql, &filter_args(&scope, filter, scope.now(tx), more)).await?)
}

async fn count_numbered(tx: &Tx, scope: Scope, filter: &Filter, number: &str) -> Result<Row> {
    let sql = concat!(
        "select count(*) from (select 1 as found",
        matching!(),
        with_number!(),
        ") limit $20) as counted"
    );
    let own = numbered_args(number, filter.needle.as_ref());
    let more = [own.as_slice(), args![filter.counted_max]].concat();
    Ok(tx.one(sql, &filter_args(&scope, filter, scope.now(tx), &more)).await?)
}

async fn count_searched(tx: &Tx, scope: Scope, filter: &Filter, needle: &Needle) -> Result<Row> {
    let sql = concat!(
        "select count(*) from (select id from ",
        searched!(),
        " as found limit $22) as counted"
    );
    let (ids, from) = searched(tx, scope, filter);
    let (own, named) = (args![ids.from, ids.below, from], needle_args(needle));
    let more = [own.as_slice(), &named, args![filter.counted_max]].concat();
    Ok(tx.one(sql, &filter_args(&scope, filter, scope.now(tx), &more)).await?)
}

/// Which payments are searched by their text: the range of their ids, and from when on.
fn searched(tx: &Tx, scope: Scope, filter: &Filter) -> (IdRange, Timestamp) {
    let from = filter.searched_from(scope.now(tx));
    (ids(tx, scope, TimeRange { from, ..filter.created }), from)
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
        Arg::Bool(filter.paid.is_none()),
        Arg::Bool(filter.paid.unwrap_or_default()),
    ];
    [own.as_slice(), more].concat()
}

/// The parameters of `with_number`.
fn numbered_args<'a>(number: &'a str, needle: Option<&'a Needle>) -> Vec<Arg<'a>> {
    let needle = needle.map_or([Arg::Null; 4], needle_args);
    [[Arg::Text(number)].as_slice(), needle.as_slice()].concat()
}

/// The parameters of `searched` that come from the text: its pattern, amount, itself and its id.
fn needle_args(needle: &Needle) -> [Arg<'_>; 4] {
    let Needle { pattern, amount, text, id } = needle;
    [pattern.to_arg(), amount.to_arg(), text.to_arg(), id.to_arg()]
}
