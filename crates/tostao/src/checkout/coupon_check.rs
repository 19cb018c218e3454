//! Checks whether a coupon is valid for a purchase by an anonymous caller.
//!
//! A code alone does not name its merchant, so the merchant is found through what is bought: the
//! products, else the link. A request that names neither is answered only if no two coupons have
//! the code. Timing reveals nothing either: the number of statements depends on the request, never
//! on what is found.

use db::tx::Tx;
use ledger::cents::Cents;

use crate::coupons::discount::Basket;
use crate::coupons::{self, Discount};
use crate::payment_links;
use crate::platform::error::{Error, Result};
use crate::platform::ids::{ProductId, Scope};
use crate::products::{self, Item, Product};

/// The anonymous request.
#[derive(Debug, Clone)]
pub struct CouponQuery {
    pub code: String,
    pub amount: Cents,
    /// The products bought; listed twice for a quantity of two.
    pub product_ids: Vec<ProductId>,
    /// The link through which they are bought.
    pub slug: Option<String>,
}

/// The merchant that the coupon must belong to.
enum Seller {
    /// The merchant who sells these items.
    Known(Scope, Vec<Item>),
    /// None, or several at once.
    Unknown,
    /// Any merchant.
    Unnamed,
}

/// Finds the discount of a code; `None` whatever the reason.
pub async fn check(tx: &Tx, question: &CouponQuery) -> Result<Option<Discount>> {
    let seller = seller(tx, question).await?;
    let found = match &seller {
        Seller::Known(scope, items) => {
            let coupon = coupons::find_by_code(tx, *scope, &question.code).await?;
            coupon.map(|coupon| (*scope, coupon, items.as_slice()))
        }
        // An unknown seller has no coupons; the query only takes the same time.
        Seller::Unknown => coupons::find_only(tx, &question.code).await?.and(None),
        Seller::Unnamed => {
            let only = coupons::find_only(tx, &question.code).await?;
            only.map(|(scope, coupon)| (scope, coupon, [].as_slice()))
        }
    };
    let Some((scope, coupon, items)) = found else { return Ok(None) };
    Ok(coupon.discount(Basket { amount: question.amount, items }, scope.now(tx)))
}

async fn seller(tx: &Tx, question: &CouponQuery) -> Result<Seller> {
    match &question.slug {
        _ if !question.product_ids.is_empty() => by_products(tx, &question.product_ids).await,
        Some(slug) => by_link(tx, slug).await,
        None => Ok(Seller::Unnamed),
    }
}

async fn by_products(tx: &Tx, ids: &[ProductId]) -> Result<Seller> {
    let Some((scope, known)) = products::find_public(tx, ids).await? else {
        return Ok(Seller::Unknown);
    };
    let one = |id: &ProductId| known.get(id).map(|product: &Product| product.item(1));
    Ok(Seller::Known(scope, ids.iter().filter_map(one).collect()))
}

async fn by_link(tx: &Tx, slug: &str) -> Result<Seller> {
    if !slug.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Ok(Seller::Unknown);
    }
    let (scope, link, _) = match payment_links::find_public(tx, slug).await {
        Ok(found) => found,
        Err(Error::NotFound(_)) => return Ok(Seller::Unknown),
        Err(error) => return Err(error),
    };
    let ids: Vec<ProductId> = link.items.iter().map(|(id, _)| *id).collect();
    let known = products::find_many(tx, scope, &ids).await?;
    let item = |(id, quantity): &(ProductId, i64)| Some(known.get(id)?.item(*quantity));
    Ok(Seller::Known(scope, link.items.iter().filter_map(item).collect()))
}
