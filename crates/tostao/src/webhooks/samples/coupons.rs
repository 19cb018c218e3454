//! Samples of what is told of coupons.

use ledger::cents::Cents;

use crate::decimal::Decimal;
use crate::events::names::Name;
use crate::events::payloads::CouponPayload;
use crate::events::{Event, EventName};
use crate::ids::CouponId;
use crate::webhooks::samples::{CREATED_AT, EXPIRES_AT, UPDATED_AT, id, transactions};

/// An event that tells a coupon and nothing else.
pub fn of(name: Name, status: &'static str, usage_count: i64) -> Event {
    Event::Coupon { name: EventName(name), coupon: coupon(status, usage_count) }
}

pub fn of_used() -> Event {
    Event::CouponUsed {
        coupon: coupon("ACTIVE", 1),
        transaction: Box::new(transactions::paid()),
        discount_amount: Cents::new(250),
    }
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
