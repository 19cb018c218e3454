//! Coupons: codes that give a discount on a payment.
//!
//! A merchant switches a coupon on and off; its date ends it. The two are stored separately, so the
//! status is computed whenever a coupon is read, and a later date restores the earlier status.
//! `discount` does the arithmetic, `uses` counts the payments.

use db::text_enum;
use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;

use crate::coupons::discount::{Basket, DiscountRule, DiscountType};
use crate::coupons::events::{CouponChanged, CouponPayload};
use crate::coupons::jobs::Expire;
use crate::coupons::params::CouponParams;
use crate::events::names::Name;
use crate::merchants;
use crate::platform::error::{Error, ErrorCode, FieldErrors, FieldFault, Result};
use crate::platform::http::listing::{Filter, Listable};
use crate::platform::http::page::Listed;
use crate::platform::ids::{CouponId, ProductId, Scope};
use crate::products;
use crate::webhooks;

pub mod api;
pub mod discount;
pub mod events;
pub mod export;
pub mod export_api;
pub mod jobs;
pub mod params;
mod store;
pub mod uses;

/// The only error for a coupon that a buyer cannot use: a reason would reveal which codes exist.
pub const INVALID: &str = "This coupon is not valid.";

text_enum! {
    /// The status of a coupon.
    pub enum Status as "CouponStatus" {
        Active = "ACTIVE",
        /// Deactivated by the merchant.
        Inactive = "INACTIVE",
        /// Expired.
        Expired = "EXPIRED",
    }
}

/// A discount code.
#[derive(Debug, Clone)]
pub struct Coupon {
    pub id: CouponId,
    /// Grows with every change; orders the coupon's events.
    pub version: i64,
    pub code: String,
    pub reduction: DiscountRule,
    pub description: Option<String>,
    pub min_purchase: Option<Cents>,
    /// The most that a percentage takes off.
    pub max_discount: Option<Cents>,
    pub usage_limit: Option<i64>,
    pub per_user_limit: Option<i64>,
    /// Payments that use it, pending ones included.
    pub usage_count: i64,
    /// Payments that used it and were paid.
    pub paid_count: i64,
    pub valid_from: Option<Timestamp>,
    pub valid_until: Option<Timestamp>,
    /// The products it is for; empty means all.
    pub product_ids: Vec<ProductId>,
    /// Whether the merchant has it switched on.
    pub active: bool,
    /// Whether its expiry was published.
    pub expiry_told: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// A coupon's discount on one purchase.
#[derive(Debug, Clone)]
pub struct Discount {
    pub coupon: Coupon,
    pub amount: Cents,
}

/// Creates a coupon.
pub async fn create(
    tx: &Tx,
    scope: Scope,
    kind: DiscountType,
    params: &CouponParams,
) -> Result<Coupon> {
    let now = scope.now(tx);
    let mut coupon = Coupon::blank(CouponId::new(tx), kind, now);
    params.apply(&mut coupon, now)?;
    expect_products(tx, scope, params.products()).await?;
    expect_free(tx, scope, &coupon.code).await?;
    store::insert(tx, scope, &coupon).await?;
    push_expiry(tx, scope, &coupon).await?;
    publish_change(tx, scope, Name::CouponCreated, &coupon, coupon.version).await?;
    Ok(coupon)
}

/// Lists coupons, newest first.
pub async fn list(tx: &Tx, scope: Scope, filter: &Filter<Status>) -> Result<Listed<Coupon>> {
    let rows = store::list(tx, scope, filter).await?;
    let total = store::count(tx, scope, filter).await?;
    Ok(filter.page.listed(rows, total, |coupon| coupon.id.0))
}

/// A page of the list, whose matches are not counted.
pub async fn page(tx: &Tx, scope: Scope, filter: &Filter<Status>) -> Result<Listed<Coupon>> {
    let rows = store::list(tx, scope, filter).await?;
    Ok(filter.page.uncounted(rows, |coupon| coupon.id.0))
}

/// Finds a coupon.
pub async fn find(tx: &Tx, scope: Scope, id: CouponId) -> Result<Coupon> {
    store::find(tx, scope, id).await?.ok_or_else(missing)
}

/// Finds a merchant's coupon by the code that a buyer typed.
pub async fn find_by_code(tx: &Tx, scope: Scope, code: &str) -> Result<Option<Coupon>> {
    store::find_by_code(tx, scope, &code_to_find(code)).await
}

/// Finds a coupon by its code alone; `None` also if several merchants or modes have it.
pub async fn find_only(tx: &Tx, code: &str) -> Result<Option<(Scope, Coupon)>> {
    store::find_only(tx, &code_to_find(code)).await
}

/// Changes a coupon; discounts on payments already created stay.
pub async fn update(tx: &Tx, scope: Scope, id: CouponId, params: &CouponParams) -> Result<Coupon> {
    expire_if_due(tx, scope, id).await?;
    let mut coupon = store::open(tx, scope, id).await?.ok_or_else(missing)?;
    let before = coupon.clone();
    params.apply(&mut coupon, scope.now(tx))?;
    expect_products(tx, scope, params.products()).await?;
    if before.code != coupon.code {
        expect_free(tx, scope, &coupon.code).await?;
    }
    store::update(tx, scope, &coupon).await?;
    if before.valid_until != coupon.valid_until {
        cancel_expiry(tx, scope, &before).await?;
        push_expiry(tx, scope, &coupon).await?;
    }
    Ok(coupon)
}

/// Deletes a coupon; payments that use it keep their discount, and its code is free again.
pub async fn delete(tx: &Tx, scope: Scope, id: CouponId) -> Result<()> {
    let coupon = store::open(tx, scope, id).await?.ok_or_else(missing)?;
    store::delete(tx, scope, id).await?;
    cancel_expiry(tx, scope, &coupon).await
}

/// Publishes a coupon's expiry once; does nothing for every other coupon.
pub async fn expire_if_due(tx: &Tx, scope: Scope, id: CouponId) -> Result<()> {
    let Some(coupon) = store::expire(tx, scope, id).await? else { return Ok(()) };
    publish_change(tx, scope, Name::CouponExpired, &coupon, coupon.version).await
}

/// Computes the discount of a code on a purchase; reserves nothing.
///
/// A buyer who may not use it gets no reason.
///
/// `given_back` is the code of a coupon that the same purchase already uses.
pub async fn quote(
    tx: &Tx,
    scope: Scope,
    code: &str,
    basket: Basket<'_>,
    given_back: Option<String>,
) -> Result<Discount> {
    let mut found = find_by_code(tx, scope, code).await?;
    if let Some(coupon) = found.as_mut().filter(|coupon| given_back.as_ref() == Some(&coupon.code))
    {
        coupon.usage_count -= 1;
    }
    let discount = found.and_then(|coupon| coupon.discount(basket, scope.now(tx)));
    discount.ok_or_else(invalid)
}

/// The only error for a coupon.
pub fn invalid() -> Error {
    Error::refused(ErrorCode::CouponInvalid, INVALID)
}

impl Listable for Status {
    const SEARCHED: &'static str = "Search in code and description.";
}

impl Coupon {
    /// Its status at an instant.
    pub fn status(&self, now: Timestamp) -> Status {
        match self.active {
            _ if self.has_ended(now) => Status::Expired,
            true => Status::Active,
            false => Status::Inactive,
        }
    }

    /// Whether it has expired.
    pub fn has_ended(&self, now: Timestamp) -> bool {
        self.valid_until.is_some_and(|until| until <= now)
    }

    /// Whether its first day has come.
    pub fn has_started(&self, now: Timestamp) -> bool {
        self.valid_from.is_none_or(|from| from <= now)
    }

    /// Whether all its uses are taken.
    pub fn is_used_up(&self) -> bool {
        self.usage_limit.is_some_and(|limit| limit <= self.usage_count)
    }

    /// Its discount on a purchase; `None` if it is not valid for it.
    pub fn discount(self, basket: Basket<'_>, now: Timestamp) -> Option<Discount> {
        let usable = self.status(now) == Status::Active
            && self.has_started(now)
            && !self.is_used_up()
            && self.min_purchase.is_none_or(|least| least <= basket.amount);
        let counting = basket.counting(&self.product_ids).filter(|_| usable)?;
        let amount = self.reduction.of(counting, self.max_discount);
        Some(Discount { coupon: self, amount })
    }

    /// The coupon as receivers of events see it.
    pub fn payload(&self, now: Timestamp) -> CouponPayload {
        CouponPayload {
            id: self.id,
            code: self.code.clone(),
            discount_type: self.reduction.kind().name(),
            discount_value: self.reduction.shown(),
            description: self.description.clone(),
            min_purchase_cents: self.min_purchase,
            max_discount_cents: self.max_discount,
            usage_limit: self.usage_limit,
            per_user_limit: self.per_user_limit,
            usage_count: self.usage_count,
            valid_from: self.valid_from,
            valid_until: self.valid_until,
            product_ids: self.product_ids.clone(),
            status: self.status(now).name(),
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }

    /// Whether it ends before it begins.
    fn is_backward(&self) -> bool {
        self.valid_from.zip(self.valid_until).is_some_and(|(from, until)| until <= from)
    }

    fn blank(id: CouponId, kind: DiscountType, now: Timestamp) -> Self {
        let reduction = match kind {
            DiscountType::Percentage => DiscountRule::Percentage(0),
            DiscountType::Fixed => DiscountRule::Fixed(Cents::ZERO),
        };
        Self {
            id,
            version: 1,
            code: String::new(),
            reduction,
            description: None,
            min_purchase: None,
            max_discount: None,
            usage_limit: None,
            per_user_limit: None,
            usage_count: 0,
            paid_count: 0,
            valid_from: None,
            valid_until: None,
            product_ids: Vec::new(),
            active: true,
            expiry_told: false,
            created_at: now,
            updated_at: now,
        }
    }
}

/// The code to look up: text that cannot be a code is looked up like any other, and not found.
fn code_to_find(text: &str) -> String {
    params::code(text).unwrap_or_default()
}

/// Refuses a code that another coupon of the merchant has, and keeps it free until the unit ends.
async fn expect_free(tx: &Tx, scope: Scope, code: &str) -> Result<()> {
    merchants::lock(tx, scope.merchant).await?;
    if store::find_by_code(tx, scope, code).await?.is_none() {
        return Ok(());
    }
    let message = format!("You already have a coupon with the code {code}.");
    Err(Error::refused(ErrorCode::CouponCodeTaken, message))
}

async fn expect_products(tx: &Tx, scope: Scope, ids: &[ProductId]) -> Result<()> {
    let known = products::find_many(tx, scope, ids).await?;
    let mut wrong = FieldErrors::new();
    for (index, _) in ids.iter().enumerate().filter(|(_, id)| !known.contains_key(id)) {
        let fault = FieldFault::new("UNKNOWN_PRODUCT", "must be a product of yours");
        wrong.add(format!("productIds[{index}]"), fault);
    }
    wrong.finish()
}

async fn push_expiry(tx: &Tx, scope: Scope, coupon: &Coupon) -> Result<()> {
    let Some(at) = coupon.valid_until else { return Ok(()) };
    let job = Expire { merchant: scope.merchant, mode: scope.mode, id: coupon.id };
    Ok(queue::job::push(tx, coupon.id.0, scope.due(at), &job).await?)
}

async fn cancel_expiry(tx: &Tx, scope: Scope, coupon: &Coupon) -> Result<()> {
    let Some(at) = coupon.valid_until else { return Ok(()) };
    Ok(queue::job::cancel::<Expire>(tx, coupon.id.0, scope.due(at).at).await?)
}

async fn publish_change(
    tx: &Tx,
    scope: Scope,
    name: Name,
    coupon: &Coupon,
    sequence: i64,
) -> Result<()> {
    let payload = coupon.payload(scope.now(tx));
    let event = CouponChanged { name, coupon: payload };
    webhooks::publish(tx, scope, sequence, &event).await
}

fn missing() -> Error {
    Error::NotFound("Coupon")
}
