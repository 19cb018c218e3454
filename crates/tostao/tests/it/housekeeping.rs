//! What is forgotten, and when.

use std::time::Duration;

use serde_json::{Value, json};
use tostao::housekeeping;

use crate::harness::TestApp;
use crate::harness::receiver::Receiver;
use crate::harness::shop::{PASSWORD, Shop, id};

const DAY: Duration = Duration::from_hours(24);
const MOMENT: Duration = Duration::from_millis(1);

#[story::test]
async fn an_event_can_be_looked_up_and_sent_again_for_thirty_days(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let body = json!({ "url": receiver.url, "events": ["*"] });
    let hook = shop.key.post("/api/webhooks/subscriptions", body).await.expect(201);
    let log = format!("/api/webhooks/subscriptions/{}/deliveries", id(&hook["data"]));
    shop.product(json!({})).await;
    test.pass(MOMENT);
    shop.product(json!({})).await;
    test.run_jobs().await;
    receiver.take();
    let [newer, older] = events(&shop).await.try_into().expect("are two");
    let again = |event: &Value| format!("/api/webhooks/events/{}/redeliver", id(event));

    test.pass(just_under(30));
    housekeep(test).await;
    assert_eq!(events(&shop).await.len(), 2);
    shop.key.post(&again(&older), json!({})).await.expect(200);
    test.run_jobs().await;
    assert_eq!(receiver.take_one().header("webhook-id"), id(&older));

    test.pass(MOMENT);
    housekeep(test).await;
    let left = events(&shop).await;
    assert_eq!(left.iter().map(id).collect::<Vec<_>>(), [id(&newer)]);
    let deliveries = shop.key.get(&log).await.expect(200);
    assert_eq!(deliveries["pagination"]["total"], 1);
    assert_eq!(deliveries["data"][0]["eventId"], newer["id"]);
    shop.key.post(&again(&older), json!({})).await.expect_refusal(404, "NOT_FOUND");
    shop.key.post(&again(&newer), json!({})).await.expect(200);
}

#[story::test]
async fn events_of_every_merchant_and_mode_are_forgotten_with_their_deliveries(test: &TestApp) {
    let receiver = Receiver::start().await;
    let body = json!({ "url": receiver.url, "events": ["*"] });
    let mut keys = Vec::new();
    for name in ["Loja", "Outra"] {
        let shop = test.shop(name).await;
        let permissions = ["products:write", "webhooks:read", "webhooks:write"];
        keys.push(shop.key_for("production", &permissions).await);
        keys.push(shop.key);
    }
    for key in &keys {
        key.post("/api/webhooks/subscriptions", body.clone()).await.expect(201);
        let product = json!({ "name": "Caneca", "price": 100 });
        key.post("/api/v1/products", product).await.expect(201);
    }
    test.run_jobs().await;
    assert_eq!(receiver.take().len(), keys.len());
    test.pass(30 * DAY + MOMENT);
    housekeep(test).await;
    for key in &keys {
        assert_eq!(key.total("/api/webhooks/events").await, 0);
    }
    assert_eq!(housekeep(test).await, 0);
}

#[story::test]
async fn more_events_than_one_unit_takes_are_forgotten_all_the_same(test: &TestApp) {
    let (shop, batch) = (test.shop("Loja").await, housekeeping::BATCH);
    for _ in 0..=batch {
        shop.product(json!({})).await;
    }
    test.pass(29 * DAY);
    housekeep(test).await;
    test.pass(DAY + MOMENT);
    shop.product(json!({})).await;
    housekeep(test).await;
    assert_eq!(events(&shop).await.len(), 1);
}

#[story::test]
async fn a_stored_response_is_deleted_when_it_expires_and_not_before(test: &TestApp, shop: Shop) {
    let key = shop.key.with("idempotency-key", "one");
    let product = json!({ "name": "Caneca", "price": 100 });
    let first = key.post("/api/v1/products", product.clone()).await;
    let charge = json!({
        "amountCents": 1_000, "method": "PIX",
        "customer": { "name": "Ana", "email": "ana@example.com" },
    });
    let paid = key.post("/api/v1/transactions", charge.clone()).await;
    for (passes, forgotten) in [(just_under(1), 0), (MOMENT, 1)] {
        test.pass(passes);
        let again = key.post("/api/v1/products", product.clone()).await;
        assert_eq!(again.text == first.text, forgotten == 0);
    }
    assert_eq!(housekeep(test).await, 0);
    test.pass(DAY);
    assert_eq!(housekeep(test).await, 1);
    test.pass(just_under(5));
    assert_eq!(housekeep(test).await, 0);
    let again = key.post("/api/v1/transactions", charge.clone()).await;
    assert_eq!((again.status, &again.text), (201, &paid.text));
    test.pass(MOMENT);
    assert_eq!(housekeep(test).await, 1);
    let new = key.post("/api/v1/transactions", charge).await;
    assert_ne!(new.expect(201), paid.json());
}

#[story::test]
async fn a_session_is_deleted_when_it_ends_and_not_while_in_use(test: &TestApp) {
    test.shop("Loja").await;
    let anyone = test.anyone();
    let login = json!({ "email": "loja@example.com", "password": PASSWORD });
    let session = anyone.post("/api/auth/login", login).await.expect(200);
    test.pass(20 * DAY);
    let refresh = json!({ "refreshToken": session["refreshToken"] });
    let session = anyone.post("/api/auth/refresh", refresh).await.expect(200);
    test.pass(just_under(10));
    assert_eq!(housekeep(test).await, 0);
    test.pass(MOMENT);
    let unused = housekeep(test).await;
    assert!(unused >= 1, "{unused}");
    let refresh = json!({ "refreshToken": session["refreshToken"] });
    let session = anyone.post("/api/auth/refresh", refresh).await.expect(200);
    test.pass(30 * DAY);
    assert_eq!(housekeep(test).await, 1);
    let refresh = json!({ "refreshToken": session["refreshToken"] });
    anyone.post("/api/auth/refresh", refresh).await.expect_refusal(401, "UNAUTHORIZED");
    assert_eq!(housekeep(test).await, 0);
}

/// So many days, but for a moment.
fn just_under(days: u64) -> Duration {
    Duration::from_millis(days * 86_400_000 - 1)
}

/// Forgets what is over; answers how many rows.
async fn housekeep(test: &TestApp) -> u64 {
    housekeeping::run(&test.app).await.expect("housekeeping works")
}

async fn events(shop: &Shop) -> Vec<Value> {
    shop.key.list("/api/webhooks/events").await
}
