//! Whether a coupon is good for a purchase, for somebody of whom nothing is known.
//!
//! A code has no owner that a stranger could name, so the owner is found through what is bought:
//! the products, else the link. Whoever names neither is answered only if no two coupons have the
//! code. A guesser learns nothing from the work either: how many statements run depends on what
//! was asked, and never on what is found.

use db::tx::Tx;
use ledger::cents::Cents;

use crate::coupons::discount::Basket;
use crate::coupons::{self, Discount};
use crate::payment_links;
use crate::platform::error::{Error, Result};
use crate::platform::ids::{ProductId, Scope};
use crate::products::{self, Item, Product};

/// What a stranger asks.
#[derive(Debug, Clone)]
pub struct Question {
    pub code: String,
    pub amount: Cents,
    /// What is bought; twice for two of it.
    pub product_ids: Vec<ProductId>,
    /// The link through which it is bought.
    pub slug: Option<String>,
}

/// Whose coupon it must be.
enum Seller {
    /// The one who sells this.
    Known(Scope, Vec<Item>),
    /// Nobody, or several at once.
    Unknown,
    /// Anybody.
    Unnamed,
}

/// Finds what a code takes off; `None` for every reason there may be.
pub async fn check(tx: &Tx, question: &Question) -> Result<Option<Discount>> {
    let seller = seller(tx, question).await?;
    let found = match &seller {
        Seller::Known(scope, items) => {
            let coupon = coupons::find_by_code(tx, *scope, &question.code).await?;
            coupon.map(|coupon| (*scope, coupon, items.as_slice()))
        }
        // An unknown seller has no coupons; the look-up is there to take its time.
        Seller::Unknown => coupons::find_only(tx, &question.code).await?.and(None),
        Seller::Unnamed => {
            let only = coupons::find_only(tx, &question.code).await?;
            only.map(|(scope, coupon)| (scope, coupon, [].as_slice()))
        }
    };
    let Some((scope, coupon, items)) = found else { return Ok(None) };
    Ok(coupon.discount(Basket { amount: question.amount, items }, scope.now(tx)))
}

async fn seller(tx: &Tx, question: &Question) -> Result<Seller> {
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
