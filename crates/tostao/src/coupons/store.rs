//! The `coupons` table.

use db::args;
use db::error::Error as DbError;
use db::tx::Tx;
use db::value::Row;

use crate::coupons::discount::DiscountRule;
use crate::coupons::{Coupon, Status};
use crate::merchants;
use crate::platform::error::Result;
use crate::platform::http::listing::Filter;
use crate::platform::ids::{CouponId, Scope};
use crate::store::{json, owners};

/// The columns of a coupon, in the order in which `read` takes them.
macro_rules! columns {
    () => {
        "id, version, code, discount_type, discount_value, description, min_purchase_cents,
         max_discount_cents, usage_limit, per_user_limit, usage_count, paid_count, valid_from,
         valid_until, product_ids, active, expiry_told, created_at, updated_at"
    };
}

/// The coupons that match a filter, by the status on the scope's clock.
macro_rules! matching {
    () => {
        " from coupons
         where merchant_id = $1 and mode = $2 and deleted_at is null
           and (cast($3 as text) is null
                or case when valid_until <= $7 then 'EXPIRED'
                        when active then 'ACTIVE'
                        else 'INACTIVE' end = $3)
           and created_at >= $4 and created_at < $5
           and (cast($6 as text) is null
                or lower(code) like $6 escape '\\'
                or lower(description) like $6 escape '\\')"
    };
}

pub async fn insert(tx: &Tx, scope: Scope, new: &Coupon) -> Result<()> {
    tx.defer(
        "insert into coupons
                (merchant_id, mode, id, version, code, discount_type, discount_value, description,
                 min_purchase_cents, max_discount_cents, usage_limit, per_user_limit, usage_count,
                 paid_count, valid_from, valid_until, product_ids, active, expiry_told, created_at,
                 updated_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 0, 0, $13, $14, $15, $16,
                 false, $17, $18)",
        args![
            scope.merchant,
            scope.mode,
            new.id,
            new.version,
            new.code,
            new.reduction.kind().name(),
            new.reduction.stored(),
            new.description,
            new.min_purchase,
            new.max_discount,
            new.usage_limit,
            new.per_user_limit,
            new.valid_from,
            new.valid_until,
            product_ids(new)?,
            new.active,
            new.created_at,
            new.updated_at,
        ],
    )
    .await?;
    Ok(())
}

pub async fn find(tx: &Tx, scope: Scope, id: CouponId) -> Result<Option<Coupon>> {
    let row = tx
        .opt(
            concat!(
                "select ",
                columns!(),
                " from coupons
                 where merchant_id = $1 and mode = $2 and id = $3 and deleted_at is null"
            ),
            args![scope.merchant, scope.mode, id],
        )
        .await?;
    row.map(|mut row| read(&mut row)).transpose()
}

pub async fn find_by_code(tx: &Tx, scope: Scope, code: &str) -> Result<Option<Coupon>> {
    let row = tx
        .opt(
            concat!(
                "select ",
                columns!(),
                " from coupons
                 where code = $1 and merchant_id = $2 and mode = $3 and deleted_at is null"
            ),
            args![code, scope.merchant, scope.mode],
        )
        .await?;
    row.map(|mut row| read(&mut row)).transpose()
}

/// Finds the only coupon with a code that is not deleted and belongs to an open account, with its
/// scope.
pub async fn find_only(tx: &Tx, code: &str) -> Result<Option<(Scope, Coupon)>> {
    let mut rows = tx
        .all(
            concat!(
                "select mode, owner_id, dev_ahead_micros, ",
                columns!(),
                " from coupons",
                owners!(),
                " where code = $1 and deleted_at is null and closed_at is null
                 limit 2"
            ),
            args![code],
        )
        .await?;
    let Some(mut row) = rows.pop().filter(|_| rows.is_empty()) else { return Ok(None) };
    Ok(Some((merchants::owner(&mut row)?, read(&mut row)?)))
}

pub async fn list(tx: &Tx, scope: Scope, filter: &Filter<Status>) -> Result<Vec<Coupon>> {
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

pub async fn count(tx: &Tx, scope: Scope, filter: &Filter<Status>) -> Result<i64> {
    let sql = concat!("select count(*)", matching!());
    Ok(tx.one(sql, &filter.args(&scope, args![scope.now(tx)])).await?.take()?)
}

/// Counts a change that is about to be written, and locks the row until the unit ends.
pub async fn open(tx: &Tx, scope: Scope, id: CouponId) -> Result<Option<Coupon>> {
    let row = tx
        .opt(
            concat!(
                "update coupons
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

pub async fn update(tx: &Tx, scope: Scope, coupon: &Coupon) -> Result<()> {
    tx.defer(
        "update coupons
            set code = $1, discount_value = $2, description = $3, min_purchase_cents = $4,
                max_discount_cents = $5, usage_limit = $6, per_user_limit = $7, valid_from = $8,
                valid_until = $9, product_ids = $10, active = $11, expiry_told = $12
          where merchant_id = $13 and mode = $14 and id = $15",
        args![
            coupon.code,
            coupon.reduction.stored(),
            coupon.description,
            coupon.min_purchase,
            coupon.max_discount,
            coupon.usage_limit,
            coupon.per_user_limit,
            coupon.valid_from,
            coupon.valid_until,
            product_ids(coupon)?,
            coupon.active,
            coupon.expiry_told,
            scope.merchant,
            scope.mode,
            coupon.id,
        ],
    )
    .await?;
    Ok(())
}

pub async fn delete(tx: &Tx, scope: Scope, id: CouponId) -> Result<()> {
    tx.defer(
        "update coupons
            set deleted_at = $1
          where merchant_id = $2 and mode = $3 and id = $4",
        args![scope.now(tx), scope.merchant, scope.mode, id],
    )
    .await?;
    Ok(())
}

/// Marks a coupon's expiry as published; `None` if it has not expired, or was published before.
pub async fn expire(tx: &Tx, scope: Scope, id: CouponId) -> Result<Option<Coupon>> {
    let row = tx
        .opt(
            concat!(
                "update coupons
                    set expiry_told = true, version = version + 1, updated_at = $1
                  where merchant_id = $2 and mode = $3 and id = $4 and deleted_at is null
                    and valid_until <= $1 and not expiry_told
                 returning ",
                columns!()
            ),
            args![scope.now(tx), scope.merchant, scope.mode, id],
        )
        .await?;
    row.map(|mut row| read(&mut row)).transpose()
}

/// Reserves a use; `None` if the coupon is not valid now, or is used up.
pub async fn reserve(tx: &Tx, scope: Scope, id: CouponId) -> Result<Option<Coupon>> {
    let row = tx
        .opt(
            concat!(
                "update coupons
                    set usage_count = usage_count + 1
                  where merchant_id = $1 and mode = $2 and id = $3 and deleted_at is null
                    and active
                    and (valid_from is null or valid_from <= $4)
                    and (valid_until is null or valid_until > $4)
                    and (usage_limit is null or usage_count < usage_limit)
                 returning ",
                columns!()
            ),
            args![scope.merchant, scope.mode, id, scope.now(tx)],
        )
        .await?;
    row.map(|mut row| read(&mut row)).transpose()
}

/// Counts a paid use, and `late` more reserved ones; also of a coupon that was deleted meanwhile.
///
/// The version grows once for the use, and once more if it is the last one allowed.
pub async fn record_paid_use(tx: &Tx, scope: Scope, id: CouponId, late: i64) -> Result<Coupon> {
    let mut row = tx
        .one(
            concat!(
                "update coupons
                    set usage_count = usage_count + $1, paid_count = paid_count + 1,
                        version = version + case when paid_count + 1 = usage_limit then 2
                                                 else 1 end,
                        updated_at = $2
                  where merchant_id = $3 and mode = $4 and id = $5
                 returning ",
                columns!()
            ),
            args![late, scope.now(tx), scope.merchant, scope.mode, id],
        )
        .await?;
    read(&mut row)
}

/// Returns a use, and `paid` paid ones.
pub async fn give_back(tx: &Tx, scope: Scope, id: CouponId, paid: i64) -> Result<()> {
    tx.defer(
        "update coupons
            set usage_count = usage_count - 1, paid_count = paid_count - $1
          where merchant_id = $2 and mode = $3 and id = $4",
        args![paid, scope.merchant, scope.mode, id],
    )
    .await?;
    Ok(())
}

fn read(row: &mut Row) -> Result<Coupon> {
    Ok(Coupon {
        id: row.take()?,
        version: row.take()?,
        code: row.take()?,
        reduction: read_reduction(row)?,
        description: row.take()?,
        min_purchase: row.take()?,
        max_discount: row.take()?,
        usage_limit: row.take()?,
        per_user_limit: row.take()?,
        usage_count: row.take()?,
        paid_count: row.take()?,
        valid_from: row.take()?,
        valid_until: row.take()?,
        product_ids: json(row)?.unwrap_or_default(),
        active: row.take()?,
        expiry_told: row.take()?,
        created_at: row.take()?,
        updated_at: row.take()?,
    })
}

fn read_reduction(row: &mut Row) -> Result<DiscountRule> {
    let (kind, value) = (row.take()?, row.take()?);
    let unknown = || DbError::Row(format!("unknown discount {kind} {value}"));
    Ok(DiscountRule::from_stored(kind, value).ok_or_else(unknown)?)
}

fn product_ids(coupon: &Coupon) -> Result<Option<String>> {
    let some = (!coupon.product_ids.is_empty()).then_some(&coupon.product_ids);
    Ok(some.map(serde_json::to_string).transpose()?)
}
