//! Coupons at the till: what they take off, hold and give back.

use serde_json::{Value, json};

use crate::harness::TestApp;
use crate::harness::shop::{Shop, id, merged};
use crate::methods::balance;

async fn coupon(shop: &Shop, more: Value) -> Value {
    shop.key.post("/api/v1/coupons", more).await.expect(201)["coupon"].clone()
}

async fn uses(shop: &Shop, coupon: &Value) -> Value {
    let path = format!("/api/v1/coupons/{}", id(coupon));
    shop.key.get(&path).await.expect(200)["coupon"]["usageCount"].clone()
}

#[story::test]
async fn a_coupon_reduces_the_price_and_its_use_is_emitted_when_paid(shop: Shop) {
    let made = json!({
        "code": "DEZ", "discountType": "PERCENTAGE", "discountValue": 12.5, "usageLimit": 1,
    });
    let made = coupon(&shop, made).await;
    let sale = json!({ "amountCents": 9_999, "couponCode": "dez" });
    let charge = shop.charge_with(sale.clone()).await;
    // 9,999 × 12.5 % = 1,249.875.
    assert_eq!((&charge["amount"], &charge["discountAmount"]), (&json!(8_749), &json!(1_250)));
    assert_eq!(charge["couponCode"], "DEZ");
    assert_eq!(shop.try_charge(sale).await.expect(400)["code"], "COUPON_INVALID");
    shop.pay(&charge).await;
    let names = shop.events().await;
    let reported: Vec<_> = names.iter().filter(|name| name.starts_with("coupon.")).collect();
    assert_eq!(reported, ["coupon.created", "coupon.used", "coupon.exhausted"]);
    assert_eq!((uses(&shop, &made).await, shop.available().await), (json!(1), 8_749));
}

#[story::test]
async fn a_payment_that_will_not_come_gives_its_coupon_back(test: &TestApp, shop: Shop) {
    let made = json!({
        "code": "DEZ", "discountType": "FIXED", "discountValue": 1_000, "usageLimit": 1,
    });
    let made = coupon(&shop, made).await;
    let sale = json!({ "amountCents": 5_000, "couponCode": "DEZ" });
    for _ in 0..2 {
        let charge = shop.charge_with(sale.clone()).await;
        assert_eq!(uses(&shop, &made).await, 1);
        let path = format!("/api/v1/transactions/{}/cancel", id(&charge));
        shop.key.post(&path, json!({})).await.expect(200);
        assert_eq!(uses(&shop, &made).await, 0);
    }
    test.run_jobs().await;
}

#[story::test]
async fn a_coupon_for_one_product_takes_off_its_share_of_a_bundles_price(shop: Shop) {
    let course = shop.product(json!({ "price": 10_000 })).await;
    let book = shop.product(json!({ "price": 15_000 })).await;
    let products = json!([
        { "productId": id(&course), "quantity": 1 },
        { "productId": id(&book), "quantity": 1 },
    ]);
    let bundle = shop.link_with(json!({ "products": products, "amountCents": 10_000 })).await;
    let made = json!({
        "code": "CURSO", "discountType": "PERCENTAGE", "discountValue": 100,
        "productIds": [id(&course)],
    });
    coupon(&shop, made).await;
    let sale = json!({ "paymentLinkId": id(&bundle), "couponCode": "CURSO" });
    let charge = shop.charge_with(sale).await;
    // 10,000 × 10,000 / 25,000 = 4,000.
    assert_eq!((&charge["amount"], &charge["discountAmount"]), (&json!(6_000), &json!(4_000)));
    assert_eq!((&charge["status"], &charge["method"]), (&json!("PENDING"), &json!("PIX")));
}

#[story::test]
async fn a_coupon_that_takes_all_makes_the_purchase_free(shop: Shop) {
    let made = json!({ "code": "TUDO", "discountType": "PERCENTAGE", "discountValue": 100 });
    let made = coupon(&shop, made).await;
    // A card that is not charged needs no token.
    for method in ["PIX", "BOLETO", "CREDIT_CARD"] {
        let sale = json!({ "amountCents": 5_000, "couponCode": "TUDO", "method": method });
        let free = shop.charge_with(sale).await;
        assert_eq!((&free["status"], &free["method"]), (&json!("PAID"), &json!("FREE")));
        assert_eq!((&free["amount"], &free["discountAmount"]), (&json!(0), &json!(5_000)));
    }
    let names = shop.events().await;
    let reported = ["transaction.created", "transaction.paid", "coupon.used"];
    assert_eq!(names[1..4], reported);
    assert_eq!(balance(&shop).await, (json!(0), json!(0)));
    assert_eq!(uses(&shop, &made).await, 3);
}

#[story::test]
async fn a_card_needs_its_token_where_a_coupon_leaves_something_to_pay(shop: Shop) {
    let made = json!({ "code": "QUASE", "discountType": "PERCENTAGE", "discountValue": 99 });
    let made = coupon(&shop, made).await;
    let sale = json!({ "couponCode": "QUASE", "method": "CREDIT_CARD" });
    for token in [json!(null), json!("")] {
        let more = json!({ "amountCents": 5_000, "cardToken": token });
        let refused = shop.try_charge(merged(sale.clone(), &more)).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["cardToken"], "{token}");
    }
    // 99 % of 40 cents are 39.6.
    let free = shop.try_charge(merged(sale, &json!({ "amountCents": 40 }))).await.expect(201);
    assert_eq!(free["transaction"]["method"], "FREE");
    assert_eq!(uses(&shop, &made).await, 1);
}

#[story::test]
async fn what_was_free_cannot_be_paid(shop: Shop) {
    let made = json!({ "code": "TUDO", "discountType": "PERCENTAGE", "discountValue": 100 });
    coupon(&shop, made).await;
    let sale = json!({ "amountCents": 5_000, "couponCode": "TUDO" });
    let free = shop.charge_with(sale).await;
    let path = format!("/api/v1/transactions/{}/simulate", id(&free));
    let refused = shop.key.post(&path, json!({ "outcome": "PAID" })).await;
    refused.expect_refusal(409, "INVALID_STATE_TRANSITION");
    assert_eq!(refused.json()["currentStatus"], "PAID");
}
