//! The `carts` and `cart_visits` tables.

use brazil::document::Document;
use db::args;
use db::time::Timestamp;
use db::tx::Tx;
use db::value::{Arg, Row, ToArg};

use crate::carts::list::{Filter, Totals};
use crate::carts::{Cart, CartCapture, Status};
use crate::platform::error::Result;
use crate::platform::ids::{CartId, PaymentLinkId, Scope, TransactionId};
use crate::store::{document, json};

/// The columns of a cart, in the order in which `read` takes them.
macro_rules! columns {
    () => {
        "id, version, payment_link_id, status, email, name, document, phone, items, utm,
         transaction_id, created_at, updated_at, told_at, recovered_at, erased_at"
    };
}

/// The carts of a link in a filter's period, of every status.
macro_rules! left {
    () => {
        " from carts
         where merchant_id = $1 and mode = $2 and payment_link_id = $3
           and created_at >= $4 and created_at < $5"
    };
}

/// Detaches a buyer's cart that is too old, so that the next capture starts a new one.
pub async fn retire(
    tx: &Tx,
    scope: Scope,
    link: PaymentLinkId,
    email: &str,
    oldest: Timestamp,
) -> Result<()> {
    tx.defer(
        "update carts
            set fresh = false
          where merchant_id = $1 and mode = $2 and payment_link_id = $3 and email = $4
            and fresh and created_at <= $5",
        args![scope.merchant, scope.mode, link, email, oldest],
    )
    .await?;
    Ok(())
}

/// Writes a capture into the buyer's current cart, or into a new one; returns its id and when it
/// was created.
pub async fn capture(
    tx: &Tx,
    scope: Scope,
    link: PaymentLinkId,
    new: &CartCapture,
) -> Result<(CartId, Timestamp)> {
    let mut row = tx
        .one(
            "insert into carts
                    (merchant_id, mode, id, version, payment_link_id, status, fresh, email,
                     name, document, phone, items, utm, created_at, updated_at)
             values ($1, $2, $3, 1, $4, 'ABANDONED', true, $5, $6, $7, $8, $9, $10, $11, $11)
                 on conflict (merchant_id, mode, payment_link_id, email) where fresh
                 do update
                    set version = carts.version + 1,
                        name = coalesce(excluded.name, carts.name),
                        document = coalesce(excluded.document, carts.document),
                        phone = coalesce(excluded.phone, carts.phone),
                        items = coalesce(excluded.items, carts.items),
                        utm = coalesce(excluded.utm, carts.utm),
                        updated_at = excluded.updated_at
             returning id, created_at",
            args![
                scope.merchant,
                scope.mode,
                CartId::new(tx),
                link,
                new.email,
                new.name,
                new.document.as_ref().map(Document::as_str),
                new.phone,
                new.items.as_ref().map(serde_json::to_string).transpose()?,
                new.utm.as_ref().map(serde_json::to_string).transpose()?,
                scope.now(tx),
            ],
        )
        .await?;
    Ok((row.take()?, row.take()?))
}

/// Records a caller's capture of a form, valid until an instant; returns how many there are now.
pub async fn record_capture(
    tx: &Tx,
    scope: Scope,
    dedupe_key: &[u8],
    until: Timestamp,
) -> Result<i64> {
    let mut row = tx
        .one(
            "insert into cart_visits (merchant_id, mode, visit_hash, times, until_at)
             values ($1, $2, $3, 1, $4)
                 on conflict (merchant_id, mode, visit_hash)
                 do update
                    set times = case when cart_visits.until_at <= $5
                                     then 1
                                     else cart_visits.times + 1 end,
                        until_at = case when cart_visits.until_at <= $5
                                        then excluded.until_at
                                        else cart_visits.until_at end
             returning times",
            args![scope.merchant, scope.mode, dedupe_key, until, scope.now(tx)],
        )
        .await?;
    Ok(row.take()?)
}

/// Marks a cart as published; `None` if the buyer came back or continued to type, or it was
/// published before.
pub async fn mark_published(
    tx: &Tx,
    scope: Scope,
    id: CartId,
    left: Timestamp,
) -> Result<Option<Cart>> {
    let row = tx
        .opt(
            concat!(
                "update carts
                    set told_at = $1, version = version + 1
                  where merchant_id = $2 and mode = $3 and id = $4 and status = 'ABANDONED'
                    and told_at is null and email is not null and updated_at <= $5
                 returning ",
                columns!()
            ),
            args![scope.now(tx), scope.merchant, scope.mode, id, left],
        )
        .await?;
    row.map(read).transpose()
}

/// Recovers all that a buyer left on a link.
pub async fn recover_all(
    tx: &Tx,
    scope: Scope,
    link: PaymentLinkId,
    email: &str,
) -> Result<Vec<Cart>> {
    let rows = tx
        .all(
            concat!(
                "update carts
                    set status = 'RECOVERED', recovered_at = $1, fresh = false,
                        version = version + 1
                  where merchant_id = $2 and mode = $3 and payment_link_id = $4 and email = $5
                    and status = 'ABANDONED'
                 returning ",
                columns!()
            ),
            args![scope.now(tx), scope.merchant, scope.mode, link, email],
        )
        .await?;
    rows.into_iter().map(read).collect()
}

/// Recovers one cart of a link.
pub async fn recover_one(
    tx: &Tx,
    scope: Scope,
    link: PaymentLinkId,
    id: CartId,
) -> Result<Vec<Cart>> {
    let rows = tx
        .all(
            concat!(
                "update carts
                    set status = 'RECOVERED', recovered_at = $1, fresh = false,
                        version = version + 1
                  where merchant_id = $2 and mode = $3 and id = $4 and payment_link_id = $5
                    and status = 'ABANDONED' and email is not null
                 returning ",
                columns!()
            ),
            args![scope.now(tx), scope.merchant, scope.mode, id, link],
        )
        .await?;
    rows.into_iter().map(read).collect()
}

/// Records a payment in the carts that its buyer had come back to before paying.
pub async fn mark_paid(
    tx: &Tx,
    scope: Scope,
    link: PaymentLinkId,
    email: &str,
    transaction: TransactionId,
) -> Result<()> {
    tx.defer(
        "update carts
            set transaction_id = $1, version = version + 1
          where merchant_id = $2 and mode = $3 and payment_link_id = $4 and email = $5
            and status = 'RECOVERED' and transaction_id is null",
        args![transaction, scope.merchant, scope.mode, link, email],
    )
    .await?;
    Ok(())
}

/// Recovers all that a buyer left on a link, because they paid.
pub async fn recover_paid(
    tx: &Tx,
    scope: Scope,
    link: PaymentLinkId,
    email: &str,
    transaction: TransactionId,
) -> Result<Vec<Cart>> {
    let rows = tx
        .all(
            concat!(
                "update carts
                    set status = 'RECOVERED', recovered_at = $1, transaction_id = $2,
                        fresh = false, version = version + 1
                  where merchant_id = $3 and mode = $4 and payment_link_id = $5 and email = $6
                    and status = 'ABANDONED'
                 returning ",
                columns!()
            ),
            args![scope.now(tx), transaction, scope.merchant, scope.mode, link, email],
        )
        .await?;
    rows.into_iter().map(read).collect()
}

pub async fn find(tx: &Tx, scope: Scope, id: CartId) -> Result<Option<Cart>> {
    let row = tx
        .opt(
            concat!(
                "select ",
                columns!(),
                " from carts
                 where merchant_id = $1 and mode = $2 and id = $3"
            ),
            args![scope.merchant, scope.mode, id],
        )
        .await?;
    row.map(read).transpose()
}

pub async fn list(
    tx: &Tx,
    scope: Scope,
    link: PaymentLinkId,
    filter: &Filter,
) -> Result<Vec<Cart>> {
    let (status, page) = (filter.status.map(Status::name), &filter.page);
    let rows = tx
        .all(
            concat!(
                "select ",
                columns!(),
                left!(),
                " and (cast($6 as text) is null or status = $6)
                  and id < $7
                 order by id desc
                 limit $8 offset $9"
            ),
            &wanted(
                &scope,
                &link,
                filter,
                args![status, page.before(), page.fetch(), page.offset()],
            ),
        )
        .await?;
    rows.into_iter().map(read).collect()
}

/// Counts the carts of a period, of every status, among as many as the filter counts.
pub async fn totals(tx: &Tx, scope: Scope, link: PaymentLinkId, filter: &Filter) -> Result<Totals> {
    let mut row = tx
        .one(
            concat!(
                "select count(*), count(case when status = 'ABANDONED' then 1 end)
                   from (select status",
                left!(),
                " limit $6) as counted"
            ),
            &wanted(&scope, &link, filter, args![filter.counted_max]),
        )
        .await?;
    let (total, abandoned): (i64, i64) = (row.take()?, row.take()?);
    Ok(Totals { total, abandoned, recovered: total - abandoned })
}

/// Erases a buyer's personal data, if it is older than `oldest`.
pub async fn erase(tx: &Tx, scope: Scope, id: CartId, oldest: Timestamp) -> Result<()> {
    tx.defer(
        "update carts
            set email = null, name = null, document = null, phone = null, fresh = false,
                erased_at = $1, version = version + 1
          where merchant_id = $2 and mode = $3 and id = $4 and erased_at is null
            and created_at <= $5",
        args![scope.now(tx), scope.merchant, scope.mode, id, oldest],
    )
    .await?;
    Ok(())
}

pub async fn erase_of(tx: &Tx, scope: Scope, email: &str) -> Result<Vec<CartId>> {
    let rows = tx
        .all(
            "update carts
                set email = null, name = null, document = null, phone = null, fresh = false,
                    erased_at = $1, version = version + 1
              where merchant_id = $2 and mode = $3 and email = $4
             returning id",
            args![scope.now(tx), scope.merchant, scope.mode, email],
        )
        .await?;
    rows.into_iter().map(|mut row| Ok(row.take()?)).collect()
}

pub async fn erase_some(tx: &Tx, scope: Scope, most: i64) -> Result<u64> {
    let erased = tx
        .exec(
            "update carts
                set email = null, name = null, document = null, phone = null, fresh = false,
                    erased_at = $1, version = version + 1
              where merchant_id = $2 and mode = $3 and id in (
                    select id
                      from carts
                     where merchant_id = $2 and mode = $3 and email is not null
                     limit $4)",
            args![scope.now(tx), scope.merchant, scope.mode, most],
        )
        .await?;
    Ok(erased)
}

pub async fn delete_expired_visits(tx: &Tx, most: i64) -> Result<u64> {
    let forgotten = tx
        .exec(
            "delete from cart_visits
              where (merchant_id, mode, visit_hash) in (
                    select merchant_id, mode, visit_hash
                      from cart_visits
                     where until_at <= $1
                     limit $2)",
            args![tx.now(), most],
        )
        .await?;
    Ok(forgotten)
}

/// The parameters of `left`, then `more`.
fn wanted<'a>(
    scope: &'a Scope,
    link: &'a PaymentLinkId,
    filter: &'a Filter,
    more: &[Arg<'a>],
) -> Vec<Arg<'a>> {
    let own = [
        scope.merchant.to_arg(),
        scope.mode.to_arg(),
        link.to_arg(),
        filter.created.from.to_arg(),
        filter.created.to.to_arg(),
    ];
    [own.as_slice(), more].concat()
}

fn read(mut row: Row) -> Result<Cart> {
    Ok(Cart {
        id: row.take()?,
        version: row.take()?,
        link: row.take()?,
        status: row.take()?,
        email: row.take()?,
        name: row.take()?,
        document: document(&mut row)?,
        phone: row.take()?,
        items: json(&mut row)?.unwrap_or_default(),
        utm: json(&mut row)?.unwrap_or_default(),
        transaction: row.take()?,
        created_at: row.take()?,
        updated_at: row.take()?,
        published_at: row.take()?,
        recovered_at: row.take()?,
        erased_at: row.take()?,
    })
}
