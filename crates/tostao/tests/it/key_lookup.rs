//! What an idempotency key stands for.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::TestApp;
use crate::harness::shop::{Shop, id};

const PATH: &str = "/api/idempotency-keys";
const PRODUCTS: &str = "/api/v1/products";
const COUPONS: &str = "/api/v1/coupons";

#[story::test]
async fn a_key_shows_its_response_on_each_route_that_knows_it(
    test: &TestApp,
    shop: Shop,
    other: Shop,
) {
    let key = shop.key.with("idempotency-key", "order 7/a");
    let product = json!({ "name": "Caneca", "price": 1_000 });
    let made = key.with("x-request-id", "made-the-product").post(PRODUCTS, product).await;
    let made = made.expect(201);
    let coupon = json!({ "code": "DEZ", "discountType": "PERCENTAGE", "discountValue": 10 });
    key.post(COUPONS, coupon).await.expect(201);
    let path = format!("{PATH}/order%207%2Fa");
    let [_, of_product] = shop.key.list(&path).await.try_into().expect("are two");
    let expected = json!({
        "route": format!("POST {PRODUCTS}"), "state": "ANSWERED", "status": 201, "answer": made,
        "sealed": false, "subjectId": null, "requestId": "made-the-product",
        "expiresAt": test.app.now().plus(Duration::from_hours(24)).to_string(),
        "fingerprint": of_product["fingerprint"],
    });
    assert_eq!(of_product, expected);
    assert_eq!(of_product["answer"]["product"]["id"], id(&made["product"]));
    assert_eq!(other.key.list(&path).await, [] as [Value; 0]);
    let unknown = shop.key.get(&format!("{PATH}/unknown")).await.expect(200);
    assert_eq!(unknown["data"], json!([]));
    assert!(unknown["kept"].as_str().expect("is text").starts_with("one day"));
    test.pass(Duration::from_hours(25));
    assert_eq!(shop.key.list(&path).await, [] as [Value; 0]);
}

#[story::test]
async fn a_secret_stays_sealed_and_a_lesser_key_sees_no_response(test: &TestApp, shop: Shop) {
    let new = json!({
        "name": "Caixa", "environment": "development", "permissions": ["requests:read"],
    });
    let owner = shop.owner.with("idempotency-key", "key-1");
    let made = owner.post("/api/credentials", new).await.expect(201);
    let whole = made["apiKey"]["key"].as_str().or(made["data"]["key"].as_str());
    let sealed = shop.owner.list(&format!("{PATH}/key-1")).await;
    assert_eq!((&sealed[0]["sealed"], &sealed[0]["answer"]), (&json!(true), &Value::Null));
    assert!(!json!(sealed).to_string().contains(whole.expect("is shown once")));
    let key = shop.key.with("idempotency-key", "product-1");
    key.post(PRODUCTS, json!({ "name": "Caneca", "price": 1_000 })).await.expect(201);
    let lesser = shop.key_for("development", &["requests:read"]).await;
    let [seen] = lesser.list(&format!("{PATH}/product-1")).await.try_into().expect("is one");
    assert_eq!((&seen["status"], &seen["answer"]), (&json!(201), &Value::Null));
    let _ = test;
}

#[story::test]
async fn a_key_that_is_used_again_with_another_body_names_the_first_request(
    test: &TestApp,
    shop: Shop,
) {
    let key = shop.key.with("idempotency-key", "order-8");
    let first = key.with("x-request-id", "the-first-one");
    first.post(PRODUCTS, json!({ "name": "Caneca", "price": 1_000 })).await.expect(201);
    let other = key.post(PRODUCTS, json!({ "name": "Caneca", "price": 1_001 })).await.expect(422);
    let message = other["message"].as_str().expect("is text");
    assert!(message.contains("(X-Request-Id the-first-one)"), "{message}");
    let _ = test;
}
