//! Checking a delivery that a receiver refused.

use serde_json::{Value, json};

use crate::harness::TestApp;
use crate::harness::receiver::Receiver;
use crate::harness::shop::id;
use crate::webhooks::{emit, subscribe};

#[story::test]
async fn a_refused_delivery_is_checked_and_its_mistake_named(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let hook = subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    emit(test, &shop).await;
    let delivery = receiver.take_one();
    let headers: serde_json::Map<String, Value> = delivery
        .headers
        .iter()
        .map(|(name, value)| (name.to_string(), json!(value.to_str().expect("is text"))))
        .collect();
    let body = String::from_utf8(delivery.body.to_vec()).expect("is text");
    let check = |headers: Value, body: &str| {
        let sent = json!({ "subscriptionId": id(&hook), "headers": headers, "body": body });
        let key = shop.key.with("accept-language", "pt-BR").with("x-request-id", "checked-one");
        async move { key.post("/api/webhooks/verify", sent).await.expect(200)["data"].clone() }
    };
    assert_eq!(check(json!(headers), &body).await["verified"], true);
    let spaced = body.replace("\":", "\": ");
    let checked = check(json!(headers), &spaced).await;
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
