//! Sending an event again by hand.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::receiver::Receiver;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, id};
use crate::webhooks::{change, emit, latest, latest_event, path, subscribe};

#[story::test]
async fn an_event_sent_again_is_the_same_event(test: &TestApp, shop: Shop, receiver: Receiver) {
    let hook = subscribe(&shop.key, &receiver.url, &["payment.pending"]).await;
    let charge = shop.charge(1_000).await;
    test.run_jobs().await;
    let first = receiver.take_one();
    shop.pay(&charge).await;
    test.pass(Duration::from_hours(1));
    let again = redeliver(&shop.key, &first.json(), json!({})).await.expect(200);
    let standing = &again["data"]["deliveries"][0];
    assert_eq!((&standing["status"], &standing["attempts"]), (&json!("PENDING"), &json!(0)));
    test.run_jobs().await;
    let second = receiver.take_one();
    assert_eq!(second.body, first.body);
    assert_eq!(second.header("webhook-id"), first.header("webhook-id"));
    assert_eq!(second.header("x-webhook-attempt"), "1");
    assert_ne!(second.header("webhook-signature"), first.header("webhook-signature"));
    let delivery = latest(&shop.key, &hook).await;
    assert_eq!((&delivery["status"], &delivery["attempts"]), (&json!("DELIVERED"), &json!(1)));
    assert_eq!(delivery["log"].as_array().expect("is a list").len(), 2);
}

#[story::test]
async fn all_that_had_it_or_want_it_get_it_or_only_the_one_that_is_named(test: &TestApp) {
    let [had, wants, deaf] =
        [Receiver::start().await, Receiver::start().await, Receiver::start().await];
    let shop = test.shop("Loja").await;
    let first = subscribe(&shop.key, &had.url, &["product.created"]).await;
    shop.product(json!({})).await;
    let event = latest_event(&shop.key).await;
    test.run_jobs().await;
    change(&shop.key, &first, json!({ "events": ["balance.updated"] })).await;
    let late = subscribe(&shop.key, &wants.url, &["*"]).await;
    subscribe(&shop.key, &deaf.url, &["balance.updated"]).await;
    had.take_one();
    redeliver(&shop.key, &event, json!({})).await.expect(200);
    test.run_jobs().await;
    assert_eq!(had.take_one().header("webhook-id"), id(&event));
    assert_eq!(wants.take_one().header("webhook-id"), id(&event));
    let only = json!({ "subscriptionId": id(&late) });
    redeliver(&shop.key, &event, only).await.expect(200);
    test.run_jobs().await;
    assert_eq!((had.take().len(), wants.take().len(), deaf.take().len()), (0, 1, 0));
}

#[story::test]
async fn many_at_once_to_a_subscription_that_never_had_it_are_one_delivery(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    shop.product(json!({})).await;
    let event = latest_event(&shop.key).await;
    let hook = subscribe(&shop.key, &receiver.url, &["*"]).await;
    let asked = join_all((0..16).map(|_| redeliver(&shop.key, &event, json!({})))).await;
    for answer in asked {
        answer.expect(200);
    }
    test.run_jobs().await;
    assert_eq!(receiver.take_one().header("webhook-id"), id(&event));
    assert_eq!(latest(&shop.key, &hook).await["status"], "DELIVERED");
}

#[story::test]
async fn it_takes_the_place_of_the_attempts_that_were_to_come(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let hook = subscribe(&shop.key, &receiver.url, &["*"]).await;
    receiver.answer(&[500, 500]);
    emit(test, &shop).await;
    let event = latest_event(&shop.key).await;
    redeliver(&shop.key, &event, json!({})).await.expect(200);
    test.run_jobs().await;
    assert_eq!(receiver.take().len(), 2);
    let delivery = latest(&shop.key, &hook).await;
    assert_eq!((&delivery["status"], &delivery["attempts"]), (&json!("PENDING"), &json!(1)));
    test.run_jobs_after(Duration::from_secs(6)).await;
    assert_eq!(receiver.take_one().header("x-webhook-attempt"), "2");
    test.run_jobs_after(Duration::from_hours(24)).await;
    assert_eq!(receiver.take_names(), [""; 0]);
    assert_eq!(latest(&shop.key, &hook).await["status"], "DELIVERED");
}

#[story::test]
async fn it_counts_once_under_one_idempotency_key(test: &TestApp, shop: Shop, receiver: Receiver) {
    subscribe(&shop.key, &receiver.url, &["*"]).await;
    shop.product(json!({})).await;
    let event = latest_event(&shop.key).await;
    test.run_jobs().await;
    receiver.take_one();
    let once = shop.key.with("idempotency-key", "again");
    let first = redeliver(&once, &event, json!({})).await;
    first.expect(200);
    test.run_jobs().await;
    receiver.take_one();
    let second = redeliver(&once, &event, json!({})).await;
    assert_eq!((second.status, &second.text), (200, &first.text));
    test.run_jobs().await;
    assert_eq!(receiver.take_names(), [""; 0]);
}

#[story::test]
async fn redelivery_needs_an_active_subscription(test: &TestApp, shop: Shop, receiver: Receiver) {
    shop.product(json!({})).await;
    let event = latest_event(&shop.key).await;
    let no_one = redeliver(&shop.key, &event, json!({})).await;
    no_one.expect_refusal(409, "INVALID_STATE_TRANSITION");
    let hook = subscribe(&shop.key, &receiver.url, &["balance.updated"]).await;
    let only = json!({ "subscriptionId": id(&hook) });
    let unwanted = redeliver(&shop.key, &event, only.clone()).await;
    unwanted.expect_refusal(409, "INVALID_STATE_TRANSITION");
    change(&shop.key, &hook, json!({ "isActive": false, "events": ["*"] })).await;
    let asleep = redeliver(&shop.key, &event, only.clone()).await;
    asleep.expect_refusal(409, "INVALID_STATE_TRANSITION");
    assert_eq!(asleep.json()["currentStatus"], "INACTIVE");
    shop.key.delete(&path(&hook, "")).await.expect(200);
    redeliver(&shop.key, &event, only).await.expect_refusal(404, "NOT_FOUND");
    let unknown = json!({ "id": id(&hook) });
    redeliver(&shop.key, &unknown, json!({})).await.expect_refusal(404, "NOT_FOUND");
    let bad = redeliver(&shop.key, &event, json!({ "subscriptionId": "x" })).await;
    assert_eq!(bad.expect_refusal(400, "VALIDATION_ERROR"), ["subscriptionId"]);
    test.run_jobs().await;
    assert_eq!(receiver.take_names(), [""; 0]);
}

#[story::test]
async fn a_repeated_redelivery_shows_each_key_only_what_it_may_read(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    subscribe(&shop.key, &receiver.url, &["transaction.paid"]).await;
    let charge = shop.charge(1_000).await;
    shop.pay(&charge).await;
    let events = shop.key.get("/api/webhooks/events?event=transaction.paid").await.expect(200);
    let event = events["data"][0].clone();
    let writer = shop.key_for("development", &["webhooks:write"]).await;
    let all = shop.key.with("idempotency-key", "again");
    let few = writer.with("idempotency-key", "again");
    let first = redeliver(&all, &event, json!({})).await.expect(200);
    assert_eq!(first["data"]["data"]["transaction"]["id"], charge["id"]);
    let replayed = redeliver(&few, &event, json!({})).await;
    assert_eq!(replayed.header("idempotency-replayed"), Some("true"));
    let reported = replayed.expect(200)["data"].clone();
    assert_eq!(reported.get("data"), None);
    assert_eq!(reported["requiredPermissions"], json!(["transactions:read"]));
    assert_eq!(reported["deliveries"], first["data"]["deliveries"]);
    let again = redeliver(&all, &event, json!({})).await.expect(200);
    assert_eq!(again, first);

    let few = writer.with("idempotency-key", "the other way round");
    let reported = redeliver(&few, &event, json!({})).await.expect(200)["data"].clone();
    assert_eq!(reported.get("data"), None);
    let all = shop.key.with("idempotency-key", "the other way round");
    let reported = redeliver(&all, &event, json!({})).await.expect(200)["data"].clone();
    assert_eq!(reported["data"]["transaction"]["id"], charge["id"]);
    assert_eq!(reported.get("requiredPermissions"), None);
}

#[story::test]
async fn a_sample_is_never_sent_to_another_subscription(test: &TestApp) {
    let [tried, bystander] = [Receiver::start().await, Receiver::start().await];
    let shop = test.shop("Loja").await;
    let hook = subscribe(&shop.key, &tried.url, &["*"]).await;
    let other = subscribe(&shop.key, &bystander.url, &["*"]).await;
    let sample = json!({ "event": "transaction.paid" });
    let sent = shop.key.post(&path(&hook, "/test"), sample).await.expect(200);
    redeliver(&shop.key, &sent["data"], json!({})).await.expect(200);
    let only = json!({ "subscriptionId": id(&other) });
    redeliver(&shop.key, &sent["data"], only).await.expect_refusal(409, "INVALID_STATE_TRANSITION");
    test.run_jobs().await;
    assert_eq!(tried.take_one().json()["test"], true);
    assert_eq!(bystander.take_names(), [""; 0]);
}

async fn redeliver(key: &Client, event: &Value, body: Value) -> Reply {
    key.post(&format!("/api/webhooks/events/{}/redeliver", id(event)), body).await
}
