//! The events of coupons.

use db::time::Timestamp;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::events::Payload;
use crate::events::names::Name;
use crate::platform::decimal::Decimal;
use crate::platform::ids::{CouponId, ProductId};

/// A coupon in an event.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "EventCoupon")]
pub struct CouponPayload {
    pub id: CouponId,
    pub code: String,
    pub discount_type: &'static str,
    pub discount_value: Decimal,
    pub description: Option<String>,
    pub min_purchase_cents: Option<Cents>,
    pub max_discount_cents: Option<Cents>,
    pub usage_limit: Option<i64>,
    pub per_user_limit: Option<i64>,
    pub usage_count: i64,
    pub valid_from: Option<Timestamp>,
    pub valid_until: Option<Timestamp>,
    pub product_ids: Vec<ProductId>,
    pub status: &'static str,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// The data of `coupon.created`, `.exhausted` and `.expired`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "CouponEventData")]
pub struct CouponChanged {
    #[serde(skip)]
    pub name: Name,
    pub coupon: CouponPayload,
}

impl Payload for CouponChanged {
    fn name(&self) -> Name {
        self.name
    }

    fn object(&self) -> Uuid {
        self.coupon.id.0
    }
}
