//! Sample payloads about coupons.

use ledger::cents::Cents;

use crate::coupons::events::{CouponChanged, CouponPayload};
use crate::events::Sample;
use crate::events::names::Name;
use crate::platform::decimal::Decimal;
use crate::platform::ids::CouponId;
use crate::samples::{CREATED_AT, EXPIRES_AT, UPDATED_AT, id, transactions};
use crate::transactions::events::CouponUsed;

/// A payload with only a coupon.
pub fn of(name: Name, status: &'static str, usage_count: i64) -> Sample {
    Sample::of(&CouponChanged { name, coupon: coupon(status, usage_count) })
}

pub fn of_used() -> Sample {
    Sample::of(&CouponUsed {
        coupon: coupon("ACTIVE", 1),
        transaction: Box::new(transactions::paid()),
        discount_amount: Cents::new(250),
    })
}

fn coupon(status: &'static str, usage_count: i64) -> CouponPayload {
    CouponPayload {
        id: CouponId(id(5)),
        code: "SAMPLE10".into(),
        discount_type: "PERCENTAGE",
        discount_value: Decimal::hundredths(1_000),
        description: None,
        min_purchase_cents: Some(Cents::new(1_000)),
        max_discount_cents: None,
        usage_limit: Some(10),
        per_user_limit: Some(1),
        usage_count,
        valid_from: None,
        valid_until: Some(EXPIRES_AT),
        product_ids: Vec::new(),
        status,
        created_at: CREATED_AT,
        updated_at: UPDATED_AT,
    }
}
