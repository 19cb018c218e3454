//! Coupons: what they take off, for whom, how often, and what a stranger learns of them.

use serde_json::{Value, json};

use crate::harness::shop::{Shop, id, merged};

mod catalog;
mod limits;
mod trial;
mod uses;

const COUPONS: &str = "/api/v1/coupons";

/// Makes a coupon for a tenth with these fields beside; answers it.
async fn coupon(shop: &Shop, more: Value) -> Value {
    shop.key.post(COUPONS, tenth(&more)).await.expect(201)["coupon"].clone()
}

/// What makes a coupon for a tenth, with more fields or others.
fn tenth(more: &Value) -> Value {
    let body = json!({ "code": "DEZ", "discountType": "PERCENTAGE", "discountValue": 10 });
    merged(body, more)
}

/// Reads a coupon.
async fn read(shop: &Shop, coupon: &Value) -> Value {
    shop.key.get(&path(coupon)).await.expect(200)["coupon"].clone()
}

/// Changes a coupon; answers it as it then is.
async fn change(shop: &Shop, coupon: &Value, change: Value) -> Value {
    shop.key.patch(&path(coupon), change).await.expect(200)["coupon"].clone()
}

/// The address of a coupon.
fn path(coupon: &Value) -> String {
    format!("{COUPONS}/{}", id(coupon))
}
