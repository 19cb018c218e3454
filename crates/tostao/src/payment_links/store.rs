//! The `payment_links` table.

use db::args;
use db::time::Timestamp;
use db::tx::Tx;
use db::value::{Row, pattern, searchable};

use crate::merchants;
use crate::merchants::look::{Look, SellerProfile};
use crate::payment_links::PaymentLink;
use crate::payment_links::status::Status;
use crate::platform::error::Result;
use crate::platform::http::listing::Filter;
use crate::platform::ids::{PaymentLinkId, ProductId, Scope};
use crate::store::{json, of_open_account, owners};

/// The columns of a link, in the order in which `read` takes them.
macro_rules! columns {
    () => {
        "id, version, slug, status, title, description, product_description, amount_cents, items,
         expires_at, redirect_url, settings, stock_enabled, stock_quantity, meta_pixel_code,
         sales_count, times_used, carts_until, created_at, updated_at"
    };
}

/// The links that match a filter, by the status on the scope's clock.
macro_rules! matching {
    () => {
        " from payment_links
         where merchant_id = $1 and mode = $2 and deleted_at is null
           and (cast($3 as text) is null
                or case when expires_at <= $7 then 'EXPIRED' else status end = $3)
           and created_at >= $4 and created_at < $5
           and (cast($6 as text) is null or search_text like $6 escape '\\')"
    };
}

/// Inserts a link; false if its slug is taken.
pub async fn insert(tx: &Tx, scope: Scope, new: &PaymentLink) -> Result<bool> {
    let inserted = tx
        .exec(
            "insert into payment_links
                    (merchant_id, mode, id, version, slug, status, title, description,
                     product_description, amount_cents, items, expires_at, redirect_url, settings,
                     stock_enabled, stock_quantity, stock_reserved, meta_pixel_code, sales_count,
                     times_used, created_at, updated_at, search_text)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, 0,
                     $17, 0, 0, $18, $19, $20)
                 on conflict (slug) do nothing",
            args![
                scope.merchant,
                scope.mode,
                new.id,
                new.version,
                new.slug,
                new.status.name(),
                new.title,
                new.description,
                new.product_description,
                new.amount,
                items(new)?,
                new.expires_at,
                new.redirect_url,
                serde_json::to_string(&new.settings)?,
                new.stock_enabled,
                new.stock_quantity,
                new.meta_pixel_code,
                new.created_at,
                new.updated_at,
                search_text(new),
            ],
        )
        .await?;
    Ok(inserted == 1)
}

pub async fn find(tx: &Tx, scope: Scope, id: PaymentLinkId) -> Result<Option<PaymentLink>> {
    let row = tx
        .opt(
            concat!(
                "select ",
                columns!(),
                " from payment_links
                 where merchant_id = $1 and mode = $2 and id = $3 and deleted_at is null"
            ),
            args![scope.merchant, scope.mode, id],
        )
        .await?;
    row.map(|mut row| read(&mut row)).transpose()
}

/// The title of a link, also of a deleted one.
pub async fn title(tx: &Tx, scope: Scope, id: PaymentLinkId) -> Result<Option<String>> {
    let row = tx
        .opt(
            "select title from payment_links where merchant_id = $1 and mode = $2 and id = $3",
            args![scope.merchant, scope.mode, id],
        )
        .await?;
    Ok(row.map(|mut row| row.take()).transpose()?)
}

/// Finds a link by its slug, with the scope it belongs to and its seller.
pub async fn find_by_slug(
    tx: &Tx,
    slug: &str,
) -> Result<Option<(Scope, SellerProfile, PaymentLink)>> {
    let row = tx
        .opt(
            concat!(
                "select mode, owner_id, dev_ahead_micros, owner_name, accent_color, logo_hash,
                        logo_width, logo_height, closed_at is null, ",
                columns!(),
                " from payment_links",
                owners!(),
                " where slug = $1 and deleted_at is null"
            ),
            args![slug],
        )
        .await?;
    let Some(mut row) = row else { return Ok(None) };
    let scope = merchants::owner(&mut row)?;
    let seller = SellerProfile { name: row.take()?, look: Look::read(&mut row)? };
    let is_open: bool = row.take()?;
    let link = read(&mut row)?;
    let status = if is_open { link.status } else { Status::Inactive };
    Ok(Some((scope, seller, PaymentLink { status, ..link })))
}

/// Finds the newest link with a product that takes payments now; returns its slug.
pub async fn find_slug_by_product(
    tx: &Tx,
    scope: Scope,
    product: ProductId,
) -> Result<Option<String>> {
    let row = tx
        .opt(
            concat!(
                "select slug
                   from payment_links
                  where merchant_id = $1 and mode = $2 and deleted_at is null
                    and status = 'ACTIVE' and (expires_at is null or expires_at > $3)
                    and items like $4 escape '\\' and",
                of_open_account!(),
                " order by id desc
                  limit 1"
            ),
            args![scope.merchant, scope.mode, scope.now(tx), pattern(&product.to_string())],
        )
        .await?;
    Ok(row.map(|mut row| row.take()).transpose()?)
}

/// Lists links by the status on the scope's clock.
pub async fn list(tx: &Tx, scope: Scope, filter: &Filter<Status>) -> Result<Vec<PaymentLink>> {
    let page = &filter.page;
    let rows = tx
        .all(
            concat!(
                "select ",
                columns!(),
                matching!(),
                " and id < $8
                 order by id desc
                 limit $9 offset $10"
            ),
            &filter.args(&scope, args![scope.now(tx), page.before(), page.fetch(), page.offset()]),
        )
        .await?;
    rows.into_iter().map(|mut row| read(&mut row)).collect()
}

pub async fn any(tx: &Tx, scope: Scope) -> Result<bool> {
    let sql = "select id
                 from payment_links
                where merchant_id = $1 and mode = $2 and deleted_at is null
                limit 1";
    Ok(tx.opt(sql, args![scope.merchant, scope.mode]).await?.is_some())
}

pub async fn count(tx: &Tx, scope: Scope, filter: &Filter<Status>) -> Result<i64> {
    let sql = concat!("select count(*)", matching!());
    Ok(tx.one(sql, &filter.args(&scope, args![scope.now(tx)])).await?.take()?)
}

/// Counts a change that is about to be written, and locks the row until the unit ends.
pub async fn open(tx: &Tx, scope: Scope, id: PaymentLinkId) -> Result<Option<PaymentLink>> {
    let row = tx
        .opt(
            concat!(
                "update payment_links
                    set version = version + 1, updated_at = $1
                  where merchant_id = $2 and mode = $3 and id = $4 and deleted_at is null
                 returning ",
                columns!()
            ),
            args![scope.now(tx), scope.merchant, scope.mode, id],
        )
        .await?;
    row.map(|mut row| read(&mut row)).transpose()
}

pub async fn update(tx: &Tx, scope: Scope, link: &PaymentLink) -> Result<()> {
    tx.defer(
        "update payment_links
            set status = $1, title = $2, description = $3, product_description = $4,
                amount_cents = $5, items = $6, expires_at = $7, redirect_url = $8, settings = $9,
                stock_enabled = $10, stock_quantity = $11, meta_pixel_code = $12,
                search_text = $13
          where merchant_id = $14 and mode = $15 and id = $16",
        args![
            link.status.name(),
            link.title,
            link.description,
            link.product_description,
            link.amount,
            items(link)?,
            link.expires_at,
            link.redirect_url,
            serde_json::to_string(&link.settings)?,
            link.stock_enabled,
            link.stock_quantity,
            link.meta_pixel_code,
            search_text(link),
            scope.merchant,
            scope.mode,
            link.id,
        ],
    )
    .await?;
    Ok(())
}

pub async fn delete(tx: &Tx, scope: Scope, id: PaymentLinkId) -> Result<()> {
    tx.defer(
        "update payment_links
            set deleted_at = $1
          where merchant_id = $2 and mode = $3 and id = $4",
        args![scope.now(tx), scope.merchant, scope.mode, id],
    )
    .await?;
    Ok(())
}

/// Expires a link whose date has passed; `None` for every other one.
pub async fn expire(tx: &Tx, scope: Scope, id: PaymentLinkId) -> Result<Option<PaymentLink>> {
    let row = tx
        .opt(
            concat!(
                "update payment_links
                    set status = 'EXPIRED', version = version + 1, updated_at = $1
                  where merchant_id = $2 and mode = $3 and id = $4 and deleted_at is null
                    and status in ('ACTIVE', 'INACTIVE') and expires_at <= $1
                 returning ",
                columns!()
            ),
            args![scope.now(tx), scope.merchant, scope.mode, id],
        )
        .await?;
    row.map(|mut row| read(&mut row)).transpose()
}

/// Reads how many units are left that are not reserved.
pub async fn left(tx: &Tx, scope: Scope, id: PaymentLinkId) -> Result<i64> {
    let mut row = tx
        .one(
            "select coalesce(stock_quantity, 0) - stock_reserved
               from payment_links
              where merchant_id = $1 and mode = $2 and id = $3",
            args![scope.merchant, scope.mode, id],
        )
        .await?;
    Ok(row.take()?)
}

/// Counts a use of a link that can be used.
macro_rules! use_if_usable {
    () => {
        " set times_used = times_used + 1, stock_reserved = stock_reserved + 1
          where merchant_id = $1 and mode = $2 and id = $3 and deleted_at is null
            and status = 'ACTIVE' and (expires_at is null or expires_at > $4)"
    };
}

/// Counts a use of a link that the unit has seen to be usable and without a stock.
pub async fn count_use(tx: &Tx, scope: Scope, id: PaymentLinkId) -> Result<()> {
    tx.expect_one_with_rows(
        concat!("update payment_links", use_if_usable!(), " and not stock_enabled"),
        args![scope.merchant, scope.mode, id, scope.now(tx)],
    )
    .await?;
    Ok(())
}

/// Counts a use, and reserves one unit of the stock; false if none is left.
pub async fn reserve_use(tx: &Tx, scope: Scope, id: PaymentLinkId) -> Result<bool> {
    let counted = tx
        .exec(
            concat!(
                "update payment_links",
                use_if_usable!(),
                " and (not stock_enabled or stock_quantity > stock_reserved)"
            ),
            args![scope.merchant, scope.mode, id, scope.now(tx)],
        )
        .await?;
    Ok(counted == 1)
}

/// Counts a sale and takes the reserved unit; also of a link that was deleted meanwhile.
pub async fn count_sale(tx: &Tx, scope: Scope, id: PaymentLinkId) -> Result<PaymentLink> {
    let mut row = tx
        .one(
            concat!(
                "update payment_links
                    set sales_count = sales_count + 1, version = version + 1, updated_at = $1,
                        stock_reserved = stock_reserved - 1,
                        stock_quantity = case when stock_enabled and stock_quantity > 0
                                              then stock_quantity - 1
                                              else stock_quantity end
                  where merchant_id = $2 and mode = $3 and id = $4
                 returning ",
                columns!()
            ),
            args![scope.now(tx), scope.merchant, scope.mode, id],
        )
        .await?;
    read(&mut row)
}

/// Counts a sale for which nothing was reserved.
pub async fn count_late_sale(tx: &Tx, scope: Scope, id: PaymentLinkId) -> Result<PaymentLink> {
    let mut row = tx
        .one(
            concat!(
                "update payment_links
                    set sales_count = sales_count + 1, version = version + 1, updated_at = $1
                  where merchant_id = $2 and mode = $3 and id = $4
                 returning ",
                columns!()
            ),
            args![scope.now(tx), scope.merchant, scope.mode, id],
        )
        .await?;
    read(&mut row)
}

/// Takes a unit that was not reserved; false if all that are left are reserved.
pub async fn take_unreserved(tx: &Tx, scope: Scope, id: PaymentLinkId) -> Result<bool> {
    let taken = tx
        .exec(
            "update payment_links
                set stock_quantity = case when stock_enabled then stock_quantity - 1
                                          else stock_quantity end
              where merchant_id = $1 and mode = $2 and id = $3
                and (not stock_enabled or stock_quantity > stock_reserved)",
            args![scope.merchant, scope.mode, id],
        )
        .await?;
    Ok(taken == 1)
}

/// Returns a unit to the stock.
pub async fn restock(tx: &Tx, scope: Scope, id: PaymentLinkId) -> Result<()> {
    tx.defer(
        "update payment_links
            set stock_quantity = stock_quantity + 1
          where merchant_id = $1 and mode = $2 and id = $3 and stock_enabled",
        args![scope.merchant, scope.mode, id],
    )
    .await?;
    Ok(())
}

pub async fn release(tx: &Tx, scope: Scope, id: PaymentLinkId) -> Result<()> {
    tx.defer(
        "update payment_links
            set stock_reserved = stock_reserved - 1
          where merchant_id = $1 and mode = $2 and id = $3",
        args![scope.merchant, scope.mode, id],
    )
    .await?;
    Ok(())
}

/// Records until when carts may exist; most captures find it recorded.
pub async fn mark_carts(
    tx: &Tx,
    scope: Scope,
    id: PaymentLinkId,
    least: Timestamp,
    until: Timestamp,
) -> Result<()> {
    tx.defer(
        "update payment_links
            set carts_until = $1
          where merchant_id = $2 and mode = $3 and id = $4
            and (carts_until is null or carts_until < $5)",
        args![until, scope.merchant, scope.mode, id, least],
    )
    .await?;
    Ok(())
}

fn read(row: &mut Row) -> Result<PaymentLink> {
    Ok(PaymentLink {
        id: row.take()?,
        version: row.take()?,
        slug: row.take()?,
        status: row.take()?,
        title: row.take()?,
        description: row.take()?,
        product_description: row.take()?,
        amount: row.take()?,
        items: json(row)?.unwrap_or_default(),
        expires_at: row.take()?,
        redirect_url: row.take()?,
        settings: serde_json::from_str(&row.take::<String>()?)?,
        stock_enabled: row.take()?,
        stock_quantity: row.take()?,
        meta_pixel_code: row.take()?,
        sales_count: row.take()?,
        times_used: row.take()?,
        carts_until: row.take()?,
        created_at: row.take()?,
        updated_at: row.take()?,
    })
}

fn search_text(link: &PaymentLink) -> String {
    let texts = [Some(&link.title), link.description.as_ref(), Some(&link.slug)];
    searchable(texts.into_iter().flatten().map(String::as_str))
}

fn items(link: &PaymentLink) -> Result<Option<String>> {
    let some = (!link.items.is_empty()).then_some(&link.items);
    Ok(some.map(serde_json::to_string).transpose()?)
}
