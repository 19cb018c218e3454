//! Keys of buyers: one for each buyer and page.

use sandbox::test_cards::Scenario;
use serde_json::{Value, json};

use crate::harness::TestApp;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, id, merged};
use crate::sandbox::token_that;
use crate::subscriptions::plan;

const DOCUMENT: &str = "529.982.247-25";

fn checkout(link: &Value) -> String {
    let slug = link["slug"].as_str().expect("has one");
    format!("/api/payment-links/public/slug/{slug}/checkout")
}

fn customer(name: &str, document: Option<&str>) -> Value {
    let email = format!("{}@example.com", name.to_lowercase());
    json!({ "name": name, "email": email, "document": document })
}

fn pix(name: &str) -> Value {
    json!({ "method": "PIX", "customer": customer(name, None) })
}

fn made(reply: &Reply) -> String {
    id(&reply.expect(201)["transaction"]).to_owned()
}

fn is_replayed(reply: &Reply) -> bool {
    reply.header("idempotency-replayed") == Some("true")
}

#[story::test]
async fn a_strangers_key_does_not_stand_in_a_buyers_way(test: &TestApp, shop: Shop) {
    let (one, other) = (shop.link(100).await, shop.link(200).await);
    let anyone = test.anyone().with("idempotency-key", "order-1001");
    let strangers = made(&anyone.post(&checkout(&one), pix("Estranho")).await);
    let first = anyone.post(&checkout(&one), pix("Ana")).await;
    assert!(!is_replayed(&first));
    assert_ne!(made(&first), strangers);
    let again = anyone.post(&checkout(&one), pix("Ana")).await;
    assert_eq!((is_replayed(&again), made(&again)), (true, made(&first)));
    // Another page of the same merchant is another purchase.
    let elsewhere = anyone.post(&checkout(&other), pix("Ana")).await;
    assert!(!is_replayed(&elsewhere));
    assert_ne!(made(&elsewhere), made(&first));
    // And the same purchase with something else in it is a mistake, as ever.
    let changed = merged(pix("Ana"), &json!({ "metadata": { "a": "b" } }));
    anyone.post(&checkout(&one), changed).await.expect_refusal(422, "IDEMPOTENCY_KEY_REUSED");
}

#[story::test]
async fn a_stranger_who_says_the_same_is_not_given_the_buyers_payment(test: &TestApp, shop: Shop) {
    let path = checkout(&shop.link(100).await);
    let anyone = test.anyone().with("idempotency-key", "order-1001");
    let buyer = anyone.with("x-device-id", "the-buyers-own-device");
    let cookie = anyone.with("cookie", "a=b; __Host-device=0123456789abcdef");
    let first = buyer.post(&path, pix("Ana")).await;
    for stranger in [&anyone, &anyone.with("x-device-id", "another"), &cookie] {
        let answer = stranger.post(&path, pix("Ana")).await;
        assert!(!is_replayed(&answer));
        assert_ne!(made(&answer), made(&first));
        assert_ne!(answer.json()["statusToken"], first.json()["statusToken"]);
    }
    // The buyer's own device is known wherever it is, and whatever document is added.
    let roaming = buyer.from("203.0.113.9");
    let again = roaming.post(&path, pix("Ana")).await;
    assert_eq!((is_replayed(&again), made(&again)), (true, made(&first)));
    let other = merged(pix("Ana"), &json!({ "customer": customer("Bia", Some(DOCUMENT)) }));
    buyer.post(&path, other).await.expect_refusal(422, "IDEMPOTENCY_KEY_REUSED");
}

#[story::test]
async fn a_buyer_without_a_device_is_known_by_email_and_document(test: &TestApp, shop: Shop) {
    let path = checkout(&shop.link(100).await);
    let anyone = test.anyone().with("idempotency-key", "order-1001");
    let by = |document| json!({ "method": "PIX", "customer": customer("Ana", document) });
    let first = anyone.post(&path, by(Some(DOCUMENT))).await;
    let roaming = anyone.from("2001:db8::1");
    let again = roaming.post(&path, by(Some(DOCUMENT))).await;
    assert_eq!((is_replayed(&again), made(&again)), (true, made(&first)));
    // Spelled in another way it is the same buyer, who says something else.
    anyone.post(&path, by(Some("52998224725"))).await.expect_refusal(422, "IDEMPOTENCY_KEY_REUSED");
    let without = anyone.post(&path, by(None)).await;
    assert!(!is_replayed(&without));
    assert_ne!(made(&without), made(&first));
}

async fn subscribe(test: &TestApp, client: &crate::harness::client::Client, body: &Value) -> Reply {
    let token = json!({ "cardToken": token_that(test, Scenario::Approves).await });
    client.post("/api/subscriptions/checkout", merged(body.clone(), &token)).await
}

#[story::test]
async fn a_subscribers_key_is_a_subscribers_alone(test: &TestApp, shop: Shop) {
    let (one, other) = (plan(&shop, json!({})).await, plan(&shop, json!({})).await);
    let anyone = test.anyone().with("idempotency-key", "order-1001");
    let body = |plan: &Value, name| {
        json!({
            "planId": id(plan), "paymentMethod": "CREDIT_CARD",
            "customer": customer(name, None),
        })
    };
    let subscription = |reply: &Reply| id(&reply.expect(201)["data"]["subscription"]).to_owned();
    let strangers = subscribe(test, &anyone, &body(&one, "Estranho")).await;
    let first = subscribe(test, &anyone, &body(&one, "Ana")).await;
    assert!(!is_replayed(&first));
    assert_ne!(subscription(&first), subscription(&strangers));
    let elsewhere = subscribe(test, &anyone, &body(&other, "Ana")).await;
    assert!(!is_replayed(&elsewhere));
    assert_ne!(subscription(&elsewhere), subscription(&first));
    let device = anyone.with("x-device-id", "bias-own-device");
    let by_pix = merged(body(&one, "Bia"), &json!({ "paymentMethod": "PIX" }));
    let path = "/api/subscriptions/checkout";
    let bias = device.post(path, by_pix.clone()).await;
    let again = device.post(path, by_pix.clone()).await;
    assert_eq!((is_replayed(&again), again.text == bias.text), (true, true));
    let strangers = anyone.with("x-device-id", "another").post(path, by_pix).await;
    assert!(!is_replayed(&strangers), "{}", strangers.text);
    assert_ne!(strangers.text, bias.text);
}
