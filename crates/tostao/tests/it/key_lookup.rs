//! What an idempotency key stands for.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::TestApp;
use crate::harness::receiver::Receiver;
use crate::harness::shop::{Shop, id};
use crate::webhooks::{emit, subscribe};

const PATH: &str = "/api/idempotency-keys";
const EVENTS: &str = "/api/webhooks/events";
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
async fn a_secret_stays_sealed_and_a_key_sees_the_responses_of_its_own_permissions(
    test: &TestApp,
    shop: Shop,
) {
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
    let reads = shop.key_for("development", &["requests:read", "products:read"]).await;
    let [seen] = reads.list(&format!("{PATH}/product-1")).await.try_into().expect("is one");
    assert_eq!(seen["answer"], Value::Null, "the route needs another permission");
    let writes = shop.key_for("development", &["requests:read", "products:write"]).await;
    let [seen] = writes.list(&format!("{PATH}/product-1")).await.try_into().expect("is one");
    assert_eq!(seen["answer"], Value::Null, "a key that only writes reads nothing");
    let both = ["requests:read", "products:read", "products:write"];
    let both = shop.key_for("development", &both).await;
    let [seen] = both.list(&format!("{PATH}/product-1")).await.try_into().expect("is one");
    assert_eq!(seen["answer"]["product"]["name"], "Caneca");
    assert_eq!(seen["fingerprint"], Value::Null);
    let _ = test;
}

#[story::test]
async fn a_key_shows_no_event_to_those_who_may_not_read_its_object(
    test: &TestApp,
    shop: Shop,
    receiver: Receiver,
) {
    subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    emit(test, &shop).await;
    let [event] = shop.key.list(EVENTS).await.try_into().expect("is one");
    let key = shop.key.with("idempotency-key", "again-1");
    let again = key.post(&format!("{EVENTS}/{}/redeliver", id(&event)), json!({})).await;
    let data = &again.expect(200)["data"]["data"];
    assert_eq!(data["product"]["name"], "Caneca", "{data}");
    let permissions = ["requests:read", "webhooks:write", "webhooks:read"];
    let lesser = shop.key_for("development", &permissions).await;
    let [seen] = lesser.list(&format!("{PATH}/again-1")).await.try_into().expect("is one");
    assert_eq!(seen["answer"]["data"]["event"], "product.created");
    assert_eq!(seen["answer"]["data"].get("data"), None);
    let other = lesser.with("idempotency-key", "again-1");
    let other = other.post(&format!("{EVENTS}/{}/redeliver", id(&event)), json!({})).await;
    assert_eq!(other.expect(200)["data"]["requiredPermissions"], json!(["products:read"]));
    let replayed = key.post(&format!("{EVENTS}/{}/redeliver", id(&event)), json!({})).await;
    assert_eq!(&replayed.expect(200)["data"]["data"], data);
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
    assert!(message.ends_with("; these fields differ: price."), "{message}");
    assert_eq!(other["differingFields"], json!(["price"]));
    let fewer = json!({ "name": "Copo", "price": 1_000, "description": "Azul" });
    let fewer = key.post(PRODUCTS, fewer).await.expect(422);
    assert_eq!(fewer["differingFields"], json!(["description", "name"]));
    let _ = test;
}

#[story::test]
async fn a_key_that_is_used_again_on_another_object_differs_in_the_path(shop: Shop) {
    let key = shop.key.with("idempotency-key", "order-9");
    let (first, second) = (shop.charge(1_000).await, shop.charge(1_000).await);
    let path = |charge: &Value| format!("/api/v1/transactions/{}/cancel", id(charge));
    key.post(&path(&first), json!({})).await.expect(200);
    let other = key.post(&path(&second), json!({})).await.expect(422);
    assert_eq!(other["differingFields"], json!(["path"]));
}

#[story::test]
async fn no_field_is_compared_with_those_of_a_client_who_was_deleted(test: &TestApp, shop: Shop) {
    let key = shop.key.with("idempotency-key", "order-10");
    let path = "/api/v1/transactions";
    let sent = |cents: i64| {
        json!({
            "amountCents": cents, "method": "PIX",
            "customer": { "name": "Ana", "email": "ana@example.com" },
        })
    };
    let made = key.post(path, sent(1_000)).await.expect(201)["transaction"].clone();
    let other = key.post(path, sent(2_000)).await.expect(422);
    assert_eq!(other["differingFields"], json!(["amountCents"]));
    shop.cancel(&made).await;
    let client = format!("/api/clients/{}", id(&made["customer"]));
    shop.key.delete(&client).await.expect(200);
    test.run_jobs().await;
    let other = key.post(path, sent(2_000)).await.expect(422);
    assert_eq!(other.get("differingFields"), None);
    assert!(other["message"].as_str().expect("is text").contains("(X-Request-Id "));
}
