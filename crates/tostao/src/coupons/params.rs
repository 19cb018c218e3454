//! The fields of a coupon that a merchant sends, and their validation.

use std::collections::BTreeSet;

use db::time::Timestamp;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Deserialize;
use uuid::Uuid;

use crate::coupons::discount::{DiscountRule, DiscountType};
use crate::coupons::{Coupon, Status};
use crate::platform::decimal::NumberText;
use crate::platform::error::{Error, FieldErrors, FieldFault, Result};
use crate::platform::fields::{self, AMOUNT_MAX};
use crate::platform::http::patch::{Omittable, Patch};
use crate::platform::ids::{CouponId, ProductId};

/// The shortest code, and
pub const CODE_MIN: usize = 3;
/// the longest one.
pub const CODE_MAX: usize = 40;
/// The longest description.
pub const DESCRIPTION_MAX: usize = 1_000;
const USES_MAX: i64 = 1_000_000_000;
const PRODUCTS_MAX: usize = 100;

/// The fields to update; omitted fields keep their values. The discount type cannot be changed.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(rename = "UpdateCouponRequest")]
pub struct CouponParams {
    /// The code: 3 to 40 letters, digits, `_` and `-`; case-insensitive.
    #[schemars(regex(pattern = "^[A-Za-z0-9_-]{3,40}$"))]
    pub code: Omittable<String>,
    /// A percentage from 1 to 100 with at most two decimal places, or an amount in cents.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub discount_value: Omittable<NumberText>,
    #[schemars(length(max = 1000))]
    pub description: Patch<String>,
    /// The minimum purchase amount, in cents.
    #[schemars(range(min = 0, max = 1_000_000_000))]
    pub min_purchase_cents: Patch<i64>,
    /// The maximum discount of a percentage coupon, in cents.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub max_discount_cents: Patch<i64>,
    /// The maximum number of transactions.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub usage_limit: Patch<i64>,
    /// The maximum number of transactions per buyer.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub per_user_limit: Patch<i64>,
    pub valid_from: Patch<Timestamp>,
    /// When the coupon expires; in the future and after `validFrom`. A new date, or `null`,
    /// reactivates an expired coupon.
    pub valid_until: Patch<Timestamp>,
    /// The products that the coupon applies to; empty means all.
    #[schemars(length(max = 100))]
    pub product_ids: Patch<Vec<ProductId>>,
    pub status: Omittable<SettableCouponStatus>,
}

/// A coupon status that merchants can set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum SettableCouponStatus {
    Active,
    Inactive,
}

impl CouponParams {
    /// Sets a coupon's fields; every error is reported at once.
    ///
    /// The caller checks that the code is free and the products exist.
    pub fn apply(&self, coupon: &mut Coupon, now: Timestamp) -> Result<()> {
        let mut wrong = FieldErrors::new();
        self.apply_offer(&mut wrong, coupon);
        self.apply_limits(&mut wrong, coupon);
        self.apply_period(&mut wrong, coupon, now);
        wrong.finish()?;
        let Some(chosen) = *self.status else { return Ok(()) };
        if coupon.has_ended(now) {
            let message = "The coupon has expired. Also send a validUntil in the future, or null.";
            let current = Status::Expired.name().to_owned();
            return Err(Error::State { current, message: message.to_owned() });
        }
        coupon.active = chosen == SettableCouponStatus::Active;
        Ok(())
    }

    /// Says what is wrong with the fields that are sent.
    pub fn check(&self, kind: DiscountType) -> Result<()> {
        let now = Timestamp::from_micros(0);
        self.apply(&mut Coupon::blank(CouponId(Uuid::nil()), kind, now), now)
    }

    /// Products that were sent, which the caller must look up.
    pub fn products(&self) -> &[ProductId] {
        self.product_ids.set().map_or(&[], Vec::as_slice)
    }

    fn apply_offer(&self, wrong: &mut FieldErrors, coupon: &mut Coupon) {
        wrong.assign("code", &mut coupon.code, self.code.as_deref().map(code));
        let kind = coupon.reduction.kind();
        let reduction = self.discount_value.as_ref().map(|value| DiscountRule::read(kind, value));
        wrong.assign("discountValue", &mut coupon.reduction, reduction);
        let description =
            self.description.read(|text| fields::optional_text(Some(text), DESCRIPTION_MAX));
        wrong.assign("description", &mut coupon.description, description);
        match &self.product_ids {
            Patch::Keep => {}
            Patch::Clear => coupon.product_ids.clear(),
            Patch::Set(ids) if ids.len() > PRODUCTS_MAX => {
                let message = format!("must have at most {PRODUCTS_MAX} entries");
                wrong.add("productIds", FieldFault::new("INVALID_LENGTH", message));
            }
            Patch::Set(ids) => coupon.product_ids = distinct(ids),
        }
    }

    fn apply_limits(&self, wrong: &mut FieldErrors, coupon: &mut Coupon) {
        let cents = |least: i64| {
            move |sent: &i64| within(*sent, least, AMOUNT_MAX).map(|cents| Some(Cents::new(cents)))
        };
        let uses = |sent: &i64| within(*sent, 1, USES_MAX).map(Some);
        let least = self.min_purchase_cents.read(cents(0));
        wrong.assign("minPurchaseCents", &mut coupon.min_purchase, least);
        let most = self.max_discount_cents.read(cents(1));
        wrong.assign("maxDiscountCents", &mut coupon.max_discount, most);
        wrong.assign("usageLimit", &mut coupon.usage_limit, self.usage_limit.read(uses));
        wrong.assign("perUserLimit", &mut coupon.per_user_limit, self.per_user_limit.read(uses));
    }

    fn apply_period(&self, wrong: &mut FieldErrors, coupon: &mut Coupon, now: Timestamp) {
        let from = self.valid_from.read(|at| Ok(Some(*at)));
        wrong.assign("validFrom", &mut coupon.valid_from, from);
        let until = self.valid_until.read(|at| {
            let future = *at > now;
            future
                .then_some(Some(*at))
                .ok_or_else(|| FieldFault::new("NOT_IN_FUTURE", "must be in the future"))
        });
        let Some(until) = until.map(|until| wrong.read("validUntil", until)) else {
            if coupon.is_backward() {
                let message = "must be before validUntil";
                wrong.add("validFrom", FieldFault::new("OUT_OF_RANGE", message));
            }
            return;
        };
        let Some(until) = until else { return };
        coupon.valid_until = until;
        coupon.expiry_told = false;
        if coupon.is_backward() {
            wrong.add("validUntil", FieldFault::new("OUT_OF_RANGE", "must be after validFrom"));
        }
    }
}

/// The normalized code of a coupon, in upper case.
pub fn code(text: &str) -> Result<String, FieldFault> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let text = text.trim();
    if (CODE_MIN..=CODE_MAX).contains(&text.len()) && text.chars().all(plain) {
        return Ok(text.to_ascii_uppercase());
    }
    let message = "must have 3 to 40 letters, digits, underscores and hyphens";
    Err(FieldFault::new("INVALID_CODE", message))
}

fn within(number: i64, least: i64, most: i64) -> Result<i64, FieldFault> {
    if (least..=most).contains(&number) {
        return Ok(number);
    }
    Err(FieldFault::new("OUT_OF_RANGE", format!("must be from {least} to {most}")))
}

/// Each id once, in the order of the first occurrences.
fn distinct(ids: &[ProductId]) -> Vec<ProductId> {
    let mut seen = BTreeSet::new();
    ids.iter().copied().filter(|id| seen.insert(*id)).collect()
}
