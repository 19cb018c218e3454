//! Payments by every method but PIX, from the charge to the balance.

pub mod boleto;
mod card;
mod coupon;
mod crashes;

use serde_json::{Value, json};

use crate::harness::shop::Shop;

/// What the merchant has, as (available, pending), in cents.
pub async fn balance(shop: &Shop) -> (Value, Value) {
    let balance = shop.key.get("/api/withdraws/balance").await.expect(200)["data"].clone();
    (balance["availableBalance"].clone(), balance["pendingBalance"].clone())
}

/// Lets a developer's time pass, with everything that falls due.
pub async fn days_pass(shop: &Shop, days: i64) {
    let advance = json!({ "seconds": days * 24 * 3_600 });
    shop.key.post("/api/dev/clock/advance", advance).await.expect(200);
}
