//! Webhooks: who gets which event, how, how often, and what is stored.

use db::time::Timestamp;
use serde_json::{Value, json};

use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::shop::{Shop, id};

mod addresses;
mod deliveries;
mod diagnosis;
mod health;
mod history;
mod isolation;
mod listeners;
mod lost_secret;
mod order;
mod payloads;
mod recovery;
mod redelivery;
mod retries;
mod signature;
mod subscriptions;
mod verification;

/// The second form of the API.
const SUBSCRIPTIONS: &str = "/api/webhooks/subscriptions";
/// The first one.
const SUBSCRIPTIONS_V1: &str = "/api/v1/webhooks/subscriptions";

/// Subscribes an address; answers the subscription with its secret.
pub async fn subscribe(key: &Client, url: &str, events: &[&str]) -> Value {
    let body = json!({ "url": url, "events": events });
    key.post(SUBSCRIPTIONS_V1, body).await.expect(201)["subscription"].clone()
}

/// Emits `product.created` and makes its deliveries; answers the product.
pub async fn emit(test: &TestApp, shop: &Shop) -> Value {
    let product = shop.product(json!({})).await;
    test.run_jobs().await;
    product
}

/// Reads a subscription.
async fn read(key: &Client, hook: &Value) -> Value {
    let path = format!("{SUBSCRIPTIONS_V1}/{}", id(hook));
    key.get(&path).await.expect(200)["subscription"].clone()
}

/// Changes a subscription; answers it as it then is.
pub async fn change(key: &Client, hook: &Value, change: Value) -> Value {
    let path = format!("{SUBSCRIPTIONS_V1}/{}", id(hook));
    key.patch(&path, change).await.expect(200)["subscription"].clone()
}

/// The address of something about a subscription, in the second form.
fn path(hook: &Value, what: &str) -> String {
    format!("{SUBSCRIPTIONS}/{}{what}", id(hook))
}

/// The deliveries to a subscription, newest event first.
async fn deliveries(key: &Client, hook: &Value) -> Vec<Value> {
    key.list(&path(hook, "/deliveries?limit=100")).await
}

/// The delivery of the newest event to a subscription.
async fn latest(key: &Client, hook: &Value) -> Value {
    deliveries(key, hook).await.first().expect("there is one").clone()
}

/// The newest event.
async fn latest_event(key: &Client) -> Value {
    key.get("/api/webhooks/events?limit=1").await.expect(200)["data"][0].clone()
}

/// How long a delivery waits for its next attempt, in milliseconds.
fn wait_ms(test: &TestApp, delivery: &Value) -> u64 {
    let at = delivery["nextAttemptAt"].as_str().and_then(Timestamp::parse);
    let wait = at.expect("is tried again").since(test.app.now());
    u64::try_from(wait.as_millis()).expect("is a span a test uses")
}
