//! Subscriptions: plans, buyers who are charged again and again, and what it all comes to.

mod calendar;
mod checkout;
mod crashes;
mod dunning;
mod lives;
pub mod metrics;
mod persons;
mod plans;
mod repeated;
mod states;

use std::time::Duration;

use sandbox::test_cards::Scenario;
use serde_json::{Value, json};

use crate::harness::TestApp;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, id, merged};
use crate::sandbox::token_that;

pub const DAY: i64 = 24 * 3_600;

/// A plan of R$ 30.00 a month, with other fields where a test wants them.
pub async fn plan(shop: &Shop, more: Value) -> Value {
    let plan = json!({ "name": "Clube", "amountCents": 3_000, "interval": "MONTHLY" });
    let made = shop.key.post("/api/subscriptions/plans", merged(plan, &more)).await;
    made.expect(201)["data"].clone()
}

/// Subscribes by PIX, with other fields where a test wants them.
pub async fn subscribe(test: &TestApp, plan: &Value, more: Value) -> Reply {
    let body = json!({
        "planId": id(plan), "paymentMethod": "PIX",
        "customer": { "name": "Ana", "email": "ana@example.com" },
    });
    test.anyone().post("/api/subscriptions/checkout", merged(body, &more)).await
}

/// Somebody else than the usual buyer.
pub fn somebody(name: &str) -> Value {
    let email = format!("{}@example.com", name.to_lowercase());
    json!({ "customer": { "name": name, "email": email } })
}

/// Subscribes by a card; answers the whole of what was answered.
pub async fn by_card(test: &TestApp, plan: &Value, scenario: Scenario) -> Value {
    by_card_with(test, plan, scenario, json!({})).await.expect(201)["data"].clone()
}

pub async fn by_card_with(test: &TestApp, plan: &Value, scenario: Scenario, more: Value) -> Reply {
    let token = token_that(test, scenario).await;
    let card = json!({ "paymentMethod": "CREDIT_CARD", "cardToken": token });
    subscribe(test, plan, merged(card, &more)).await
}

/// A subscriber whose card is charged without trouble.
pub async fn active(test: &TestApp, shop: &Shop) -> Value {
    let plan = plan(shop, json!({})).await;
    by_card(test, &plan, Scenario::Approves).await["subscription"].clone()
}

/// Reads a subscription.
pub async fn read(shop: &Shop, subscription: &Value) -> Value {
    let path = format!("/api/subscriptions/{}", id(subscription));
    shop.key.get(&path).await.expect(200)["data"].clone()
}

/// Does something with a subscription.
pub async fn act(shop: &Shop, subscription: &Value, action: &str, body: Value) -> Reply {
    let path = format!("/api/subscriptions/{}/{action}", id(subscription));
    match action {
        "card" => shop.key.put(&path, body).await,
        _ => shop.key.post(&path, body).await,
    }
}

/// The same, of what can be done; answers the subscription as it then is.
pub async fn done(shop: &Shop, subscription: &Value, action: &str, body: Value) -> Value {
    act(shop, subscription, action, body).await.expect(200)["data"].clone()
}

/// Makes a percentage coupon, with other fields where a test wants them.
pub async fn coupon(shop: &Shop, more: Value) -> Value {
    let coupon = json!({ "code": "METADE", "discountType": "PERCENTAGE", "discountValue": 50 });
    let made = shop.key.post("/api/v1/coupons", merged(coupon, &more)).await;
    made.expect(201)["coupon"].clone()
}

/// What the payments of everybody came to, newest first.
pub async fn amounts(shop: &Shop) -> Vec<i64> {
    let rows = shop.key.list("/api/v1/transactions?limit=100").await;
    rows.iter().map(|row| row["amount"].as_i64().expect("is a number")).collect()
}

/// Lets days pass on the developer's clock.
pub async fn days(shop: &Shop, count: i64) {
    let step = json!({ "seconds": count * DAY });
    shop.key.post("/api/dev/clock/advance", step).await.expect(200);
}

/// Puts the developer's clock forward to an instant.
pub async fn until(shop: &Shop, instant: &str) {
    let step = json!({ "to": instant });
    shop.key.post("/api/dev/clock/advance", step).await.expect(200);
}

/// The events of subscriptions, oldest first.
pub async fn emitted(shop: &Shop) -> Vec<String> {
    let names = shop.events().await.into_iter();
    names.filter_map(|name| name.strip_prefix("subscription.").map(str::to_owned)).collect()
}

/// The payments of everybody, newest first, as their states.
pub async fn payments(shop: &Shop) -> Vec<String> {
    let rows = shop.key.list("/api/v1/transactions?limit=100").await;
    rows.iter().map(|row| row["status"].as_str().expect("is a word").to_owned()).collect()
}

/// Subscribes in every way, and lets time pass.
pub async fn live(test: &TestApp, shop: &Shop) {
    let trial = plan(shop, json!({ "trialDays": 4 })).await;
    let who = json!({ "customer": {
        "name": "Ana", "email": "ana@example.com", "document": "529.982.247-25",
    } });
    let behind = Scenario::DeclinesOnceKept;
    let behind = by_card_with(test, &trial, behind, who).await.expect(201);
    let behind = &behind["data"]["subscription"];
    for days in [1, 3] {
        test.run_jobs_after(Duration::from_hours(24 * days)).await;
    }
    let why = json!({ "reason": "too_expensive", "comment": "Volto." });
    done(shop, behind, "cancel", why).await;
    let active = active(test, shop).await;
    done(shop, &active, "pause", json!({})).await;
    done(shop, &active, "resume", json!({})).await;
    done(shop, &active, "cancel", json!({ "atPeriodEnd": true })).await;
    done(shop, &active, "reactivate", json!({})).await;
    test.run_jobs_after(Duration::from_hours(24 * 31)).await;
    let plan = plan(shop, json!({})).await;
    by_card_with(test, &plan, Scenario::DeclinesOnceKept, json!({})).await.expect(402);
}
