//! Checking a delivery that a receiver refused.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::receiver::{Delivery, Receiver};
use crate::harness::shop::id;
use crate::webhooks::{emit, subscribe};

#[story::test]
async fn a_refused_delivery_is_checked_and_its_mistake_named(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let hook = subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    emit(test, &shop).await;
    let delivery = receiver.take_one();
    let headers = headers(&delivery);
    let body = String::from_utf8(delivery.body.to_vec()).expect("is text");
    let check = |headers: Value, body: &str| {
        let sent = json!({ "subscriptionId": id(&hook), "headers": headers, "body": body });
        let key = shop.key.with("accept-language", "pt-BR").with("x-request-id", "checked-one");
        async move { key.post("/api/webhooks/verify", sent).await.expect(200)["data"].clone() }
    };
    assert_eq!(check(headers.clone(), &body).await["verified"], true);
    let spaced = body.replace("\":", "\": ");
    let checked = check(headers.clone(), &spaced).await;
    assert_eq!((&checked["verified"], &checked["mistake"]), (&json!(false), &json!("SPACES")));
    assert!(checked["difference"]["received"].as_str().expect("is text").contains("\": "));
    assert_eq!(check(json!({}), &body).await["mistake"], Value::Null);
    let stranger = test.shop("Outra").await;
    let sent = json!({ "subscriptionId": id(&hook), "headers": headers, "body": body });
    let refused = stranger.key.post("/api/webhooks/verify", sent).await;
    refused.expect_refusal(404, "NOT_FOUND");
    // What is pasted there is not in the request log.
    let logged = shop.key.get("/api/requests/checked-one").await.expect(200)["data"].clone();
    assert_eq!(logged["requestBody"], Value::Null);
}

/// The headers of a delivery as an object.
fn headers(delivery: &Delivery) -> Value {
    let pairs = delivery.headers.iter();
    let pairs =
        pairs.map(|(name, value)| (name.to_string(), json!(value.to_str().expect("is text"))));
    Value::Object(pairs.collect())
}

/// The mistake that is found in a delivery to a webhook.
async fn mistake(key: &Client, hook: &Value, headers: &Value, body: Value) -> Value {
    let mut sent = json!({ "subscriptionId": id(hook), "headers": headers });
    sent.as_object_mut().expect("is one").extend(body.as_object().expect("is one").clone());
    key.post("/api/webhooks/verify", sent).await.expect(200)["data"]["mistake"].clone()
}

#[story::test]
async fn sorted_fields_and_another_character_set_are_named(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let hook = subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    shop.product(json!({ "name": "Pão" })).await;
    test.run_jobs().await;
    let delivery = receiver.take_one();
    let headers = headers(&delivery);
    // It sorts what it reads.
    let sorted = delivery.json().to_string();
    assert_ne!(sorted, delivery.text());
    let latin: Vec<u8> =
        delivery.text().chars().map(|c| u8::try_from(u32::from(c)).expect("is Latin-1")).collect();
    let spaced = serde_json::to_string_pretty(&delivery.json()).expect("is JSON");
    let base64 = |bytes: &[u8]| json!({ "bodyBase64": STANDARD.encode(bytes) });
    let table = [
        (json!({ "body": sorted }), json!("FIELD_ORDER")),
        (json!({ "body": spaced }), json!("FIELD_ORDER")),
        (base64(sorted.as_bytes()), json!("FIELD_ORDER")),
        (base64(&latin), json!("ENCODING")),
        (base64(&delivery.body), json!(null)),
    ];
    for (body, expected) in table {
        assert_eq!(mistake(&shop.key, &hook, &headers, body.clone()).await, expected, "{body}");
    }
    let table = [
        (json!({}), "body"),
        (json!({ "bodyBase64": "é" }), "bodyBase64"),
        (json!({ "body": "{}", "bodyBase64": "e30=" }), "bodyBase64"),
    ];
    for (mut sent, field) in table {
        sent["subscriptionId"] = hook["id"].clone();
        sent["headers"] = headers.clone();
        let refused = shop.key.post("/api/webhooks/verify", sent).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), [field]);
    }
}

#[story::test]
async fn whose_secret_signs_a_delivery_is_named_and_no_secret_is_shown(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let real = shop.key_for("production", &["webhooks:write"]).await;
    let hook = subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    emit(test, &shop).await;
    let delivery = receiver.take_one();
    let (headers, body) = (headers(&delivery), json!({ "body": delivery.text() }));
    let other = subscribe(&shop.key, "https://example.com/hook", &["*"]).await;
    let of_mode = subscribe(&real, "https://example.com/hook", &["*"]).await;
    let named = mistake(&shop.key, &other, &headers, body.clone()).await;
    assert_eq!(named, "SECRET_OF_OTHER_WEBHOOK");
    let named = mistake(&real, &of_mode, &headers, body.clone()).await;
    assert_eq!(named, "SECRET_OF_OTHER_MODE");
    let rotate = format!("/api/webhooks/subscriptions/{}/rotate-secret", id(&hook));
    let rotated = shop.key.post(&rotate, json!({})).await.expect(200)["data"].clone();
    let sent = json!({ "subscriptionId": id(&hook), "headers": headers, "body": delivery.text() });
    let answer = shop.key.post("/api/webhooks/verify", sent).await;
    assert_eq!(answer.expect(200)["data"]["mistake"], "ROTATED_SECRET");
    for secret in [&hook["secret"], &rotated["secret"]] {
        assert!(!answer.text.contains(secret.as_str().expect("is text")), "{}", answer.text);
    }
}
