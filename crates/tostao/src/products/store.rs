//! The `products` table.

use std::iter::repeat_n;

use db::args;
use db::tx::Tx;
use db::value::{Arg, Row, ToArg, searchable};

use crate::merchants;
use crate::platform::error::Result;
use crate::platform::http::listing::Filter;
use crate::platform::ids::{ProductId, Scope};
use crate::products::{Product, Status};
use crate::store::owners;

/// The columns of a product, in the order in which `read` takes them.
macro_rules! columns {
    () => {
        "id, version, name, description, price_cents, stock_enabled, stock_quantity,
         stock_reserved, is_digital, image_url, status, created_at, updated_at"
    };
}

/// The products that match a filter.
macro_rules! matching {
    () => {
        " from products
         where merchant_id = $1 and mode = $2 and deleted_at is null
           and (cast($3 as text) is null or status = $3)
           and created_at >= $4 and created_at < $5
           and (cast($6 as text) is null or search_text like $6 escape '\\')"
    };
}

/// How many products one statement finds.
pub const FOUND_AT_ONCE: usize = 20;

pub async fn insert(tx: &Tx, scope: Scope, new: &Product) -> Result<()> {
    tx.defer(
        "insert into products
                (merchant_id, mode, id, version, name, description, price_cents, stock_enabled,
                 stock_quantity, stock_reserved, is_digital, image_url, status, created_at,
                 updated_at, search_text)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0, $10, $11, $12, $13, $14, $15)",
        args![
            scope.merchant,
            scope.mode,
            new.id,
            new.version,
            new.name,
            new.description,
            new.price,
            new.stock_enabled,
            new.stock_quantity,
            new.is_digital,
            new.image_url,
            new.status.name(),
            new.created_at,
            new.updated_at,
            search_text(new),
        ],
    )
    .await?;
    Ok(())
}

/// Finds up to [`FOUND_AT_ONCE`] products; the last id fills the unused parameters.
pub async fn find_many(tx: &Tx, scope: Scope, ids: &[ProductId]) -> Result<Vec<Product>> {
    let own = args![scope.merchant, scope.mode];
    let Some(args) = padded_args(own, ids) else { return Ok(Vec::new()) };
    let rows = tx
        .all(
            concat!(
                "select ",
                columns!(),
                " from products
                 where merchant_id = $1 and mode = $2 and deleted_at is null
                   and id in ($3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,
                              $18, $19, $20, $21, $22)"
            ),
            &args,
        )
        .await?;
    rows.into_iter().map(read).collect()
}

/// Finds the names of up to [`FOUND_AT_ONCE`] products that were deleted.
pub async fn names_of_deleted(
    tx: &Tx,
    scope: Scope,
    ids: &[ProductId],
) -> Result<Vec<(ProductId, String)>> {
    let own = args![scope.merchant, scope.mode];
    let Some(args) = padded_args(own, ids) else { return Ok(Vec::new()) };
    let rows = tx
        .all(
            "select id, name
               from products
              where merchant_id = $1 and mode = $2 and deleted_at is not null
                and id in ($3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,
                           $18, $19, $20, $21, $22)",
            &args,
        )
        .await?;
    rows.into_iter().map(|mut row| Ok((row.take()?, row.take()?))).collect()
}

/// Reads the unreserved stock of up to [`FOUND_AT_ONCE`] products, of those whose stock is counted.
pub async fn left(tx: &Tx, scope: Scope, ids: &[ProductId]) -> Result<Vec<(ProductId, i64)>> {
    let own = args![scope.merchant, scope.mode];
    let Some(args) = padded_args(own, ids) else { return Ok(Vec::new()) };
    let rows = tx
        .all(
            "select id, coalesce(stock_quantity, 0) - stock_reserved
               from products
              where merchant_id = $1 and mode = $2 and deleted_at is null and stock_enabled
                and id in ($3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,
                           $18, $19, $20, $21, $22)",
            &args,
        )
        .await?;
    rows.into_iter().map(|mut row| Ok((row.take()?, row.take()?))).collect()
}

/// Finds products of any merchant and mode, each with its scope.
pub async fn find_anywhere(tx: &Tx, ids: &[ProductId]) -> Result<Vec<(Scope, Product)>> {
    let Some(args) = padded_args(&[], ids) else { return Ok(Vec::new()) };
    let rows = tx
        .all(
            concat!(
                "select mode, owner_id, dev_ahead_micros, ",
                columns!(),
                " from products",
                owners!(),
                " where deleted_at is null
                    and id in ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,
                               $16, $17, $18, $19, $20)"
            ),
            &args,
        )
        .await?;
    let read = |mut row: Row| Ok((merchants::owner(&mut row)?, read(row)?));
    rows.into_iter().map(read).collect()
}

pub async fn list(tx: &Tx, scope: Scope, filter: &Filter<Status>) -> Result<Vec<Product>> {
    let page = &filter.page;
    let rows = tx
        .all(
            concat!(
                "select ",
                columns!(),
                matching!(),
                " and id < $7
                 order by id desc
                 limit $8 offset $9"
            ),
            &filter.args(&scope, args![page.before(), page.fetch(), page.offset()]),
        )
        .await?;
    rows.into_iter().map(read).collect()
}

pub async fn count(tx: &Tx, scope: Scope, filter: &Filter<Status>) -> Result<i64> {
    let sql = concat!("select count(*)", matching!());
    Ok(tx.one(sql, &filter.args(&scope, &[])).await?.take()?)
}

/// Counts a change that is about to be written, and locks the row until the unit ends.
pub async fn open(tx: &Tx, scope: Scope, id: ProductId) -> Result<Option<Product>> {
    let row = tx
        .opt(
            concat!(
                "update products
                    set version = version + 1, updated_at = $1
                  where merchant_id = $2 and mode = $3 and id = $4 and deleted_at is null
                 returning ",
                columns!()
            ),
            args![scope.now(tx), scope.merchant, scope.mode, id],
        )
        .await?;
    row.map(read).transpose()
}

pub async fn update(tx: &Tx, scope: Scope, product: &Product) -> Result<()> {
    tx.defer(
        "update products
            set name = $1, description = $2, price_cents = $3, stock_enabled = $4,
                stock_quantity = $5, is_digital = $6, image_url = $7, status = $8,
                search_text = $9
          where merchant_id = $10 and mode = $11 and id = $12",
        args![
            product.name,
            product.description,
            product.price,
            product.stock_enabled,
            product.stock_quantity,
            product.is_digital,
            product.image_url,
            product.status.name(),
            search_text(product),
            scope.merchant,
            scope.mode,
            product.id,
        ],
    )
    .await?;
    Ok(())
}

pub async fn delete(tx: &Tx, scope: Scope, id: ProductId) -> Result<()> {
    tx.defer(
        "update products
            set deleted_at = $1
          where merchant_id = $2 and mode = $3 and id = $4",
        args![scope.now(tx), scope.merchant, scope.mode, id],
    )
    .await?;
    Ok(())
}

/// Reserves a quantity of a product; false if there is not enough.
pub async fn reserve(tx: &Tx, scope: Scope, id: ProductId, quantity: i64) -> Result<bool> {
    let reserved = tx
        .exec(
            "update products
                set stock_reserved = stock_reserved + $1
              where merchant_id = $2 and mode = $3 and id = $4 and deleted_at is null
                and (not stock_enabled or stock_quantity - stock_reserved >= $1)",
            args![quantity, scope.merchant, scope.mode, id],
        )
        .await?;
    Ok(reserved == 1)
}

pub async fn release(tx: &Tx, scope: Scope, id: ProductId, quantity: i64) -> Result<()> {
    tx.defer(
        "update products
            set stock_reserved = stock_reserved - $1
          where merchant_id = $2 and mode = $3 and id = $4",
        args![quantity, scope.merchant, scope.mode, id],
    )
    .await?;
    Ok(())
}

/// Takes the reserved quantity, down to zero if the merchant has lowered the stock meanwhile.
pub async fn take_reserved(tx: &Tx, scope: Scope, id: ProductId, quantity: i64) -> Result<()> {
    tx.defer(
        "update products
            set stock_reserved = stock_reserved - $1,
                stock_quantity = case when not stock_enabled then stock_quantity
                                      when stock_quantity < $1 then 0
                                      else stock_quantity - $1 end
          where merchant_id = $2 and mode = $3 and id = $4",
        args![quantity, scope.merchant, scope.mode, id],
    )
    .await?;
    Ok(())
}

/// Takes an unreserved quantity; false if there is not enough besides the reserved stock.
pub async fn take_unreserved(tx: &Tx, scope: Scope, id: ProductId, quantity: i64) -> Result<bool> {
    let taken = tx
        .exec(
            "update products
                set stock_quantity = case when stock_enabled then stock_quantity - $1
                                          else stock_quantity end
              where merchant_id = $2 and mode = $3 and id = $4
                and (not stock_enabled or stock_quantity - stock_reserved >= $1)",
            args![quantity, scope.merchant, scope.mode, id],
        )
        .await?;
    Ok(taken == 1)
}

/// Returns a quantity to the stock.
pub async fn restock(tx: &Tx, scope: Scope, id: ProductId, quantity: i64) -> Result<()> {
    tx.defer(
        "update products
            set stock_quantity = stock_quantity + $1
          where merchant_id = $2 and mode = $3 and id = $4 and stock_enabled",
        args![quantity, scope.merchant, scope.mode, id],
    )
    .await?;
    Ok(())
}

fn search_text(product: &Product) -> String {
    searchable([Some(product.name.as_str()), product.description.as_deref()].into_iter().flatten())
}

/// The first parameters, then the ids, the last of which fills the unused parameters; `None`
/// without ids.
fn padded_args<'a>(first: &[Arg<'a>], ids: &'a [ProductId]) -> Option<Vec<Arg<'a>>> {
    let last = ids.last()?;
    let padding = repeat_n(last, FOUND_AT_ONCE.saturating_sub(ids.len()));
    let mut args = first.to_vec();
    args.extend(ids.iter().chain(padding).map(ToArg::to_arg));
    Some(args)
}

fn read(mut row: Row) -> Result<Product> {
    Ok(Product {
        id: row.take()?,
        version: row.take()?,
        name: row.take()?,
        description: row.take()?,
        price: row.take()?,
        stock_enabled: row.take()?,
        stock_quantity: row.take()?,
        stock_reserved: row.take()?,
        is_digital: row.take()?,
        image_url: row.take()?,
        status: row.take()?,
        created_at: row.take()?,
        updated_at: row.take()?,
    })
}
