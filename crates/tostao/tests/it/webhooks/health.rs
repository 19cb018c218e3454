//! When an address is given up, and how it comes back.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::receiver::Receiver;
use crate::harness::shop::Shop;
use crate::webhooks::{change, deliveries, emit, latest, path, read, subscribe};

const DAY: Duration = Duration::from_hours(24);
const JUST_UNDER_FIVE_DAYS: Duration = Duration::from_secs(5 * 86_400 - 1);
const SECOND: Duration = Duration::from_secs(1);

/// More failures than any of these stories can use up.
const ALWAYS: [u16; 200] = [500; 200];

#[story::test]
async fn an_address_that_is_gone_is_switched_off_at_once(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let hook = subscribe(&shop.key, &receiver.url, &["*"]).await;
    receiver.answer(&[410]);
    shop.product(json!({})).await;
    emit(test, &shop).await;
    receiver.take_one();
    assert_eq!(standing(&shop.key, &hook).await, (false, Some("gone".to_owned())));
    let off = read(&shop.key, &hook).await;
    assert_eq!(off["disabledAt"], "2026-11-21T12:00:00.000Z");
    let [second, first] = deliveries(&shop.key, &hook).await.try_into().expect("are two");
    assert_eq!((&first["status"], &first["lastStatusCode"]), (&json!("FAILED"), &json!(410)));
    assert_eq!((&second["status"], &second["lastError"]), (&json!("FAILED"), &json!("disabled")));
    shop.product(json!({})).await;
    test.run_jobs_after(5 * DAY).await;
    assert_eq!(receiver.take_names(), [""; 0]);
    assert_eq!(deliveries(&shop.key, &hook).await.len(), 2);
}

#[story::test]
async fn an_address_is_switched_off_after_five_days_of_nothing_but_failures(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let hook = subscribe(&shop.key, &receiver.url, &["*"]).await;
    receiver.answer(&ALWAYS);
    fail(test, &shop, &receiver).await;
    for _ in 0..20 {
        fail(test, &shop, &receiver).await;
    }
    assert_eq!(standing(&shop.key, &hook).await, (true, None));
    test.pass(JUST_UNDER_FIVE_DAYS);
    fail(test, &shop, &receiver).await;
    assert_eq!(standing(&shop.key, &hook).await, (true, None));
    test.pass(SECOND);
    fail(test, &shop, &receiver).await;
    assert_eq!(standing(&shop.key, &hook).await, (false, Some("failing".to_owned())));

    shop.product(json!({})).await;
    test.run_jobs_after(5 * DAY).await;
    assert_eq!(receiver.take_names(), [""; 0]);
    for delivery in deliveries(&shop.key, &hook).await {
        assert_eq!(delivery["status"], "FAILED");
    }
}

#[story::test]
async fn a_single_success_restarts_the_five_days(test: &TestApp, shop: Shop, receiver: Receiver) {
    let hook = subscribe(&shop.key, &receiver.url, &["*"]).await;
    receiver.answer(&[500, 200]);
    fail(test, &shop, &receiver).await;
    test.run_jobs_after(3 * DAY).await;
    assert_eq!(latest(&shop.key, &hook).await["status"], "DELIVERED");
    receiver.answer(&ALWAYS);
    test.pass(3 * DAY);
    fail(test, &shop, &receiver).await;
    test.pass(JUST_UNDER_FIVE_DAYS);
    fail(test, &shop, &receiver).await;
    assert_eq!(standing(&shop.key, &hook).await, (true, None));
    test.pass(SECOND);
    fail(test, &shop, &receiver).await;
    assert_eq!(standing(&shop.key, &hook).await.1.as_deref(), Some("failing"));
}

#[story::test]
async fn switching_on_again_or_moving_forgets_the_failures(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let hook = subscribe(&shop.key, &receiver.url, &["*"]).await;
    receiver.answer(&ALWAYS);
    fail(test, &shop, &receiver).await;
    test.pass(5 * DAY);
    fail(test, &shop, &receiver).await;
    let back = change(&shop.key, &hook, json!({ "isActive": true })).await;
    assert_eq!((&back["isActive"], &back["disabledReason"]), (&json!(true), &json!(null)));
    assert_eq!(back["disabledAt"], json!(null));
    fail(test, &shop, &receiver).await;
    test.pass(3 * DAY);
    fail(test, &shop, &receiver).await;
    let moved = json!({ "url": format!("{}?v=2", receiver.url) });
    shop.key.put(&path(&hook, ""), moved).await.expect(200);
    test.pass(3 * DAY);
    fail(test, &shop, &receiver).await;
    assert_eq!(standing(&shop.key, &hook).await, (true, None));
}

#[story::test]
async fn another_address_does_not_hide_why_the_last_one_was_given_up(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let hook = subscribe(&shop.key, &receiver.url, &["*"]).await;
    receiver.answer(&[410]);
    fail(test, &shop, &receiver).await;
    let moved = json!({ "url": format!("{}?v=2", receiver.url) });
    let moved = change(&shop.key, &hook, moved).await;
    assert_eq!((&moved["isActive"], &moved["disabledReason"]), (&json!(false), &json!("gone")));
    let off = change(&shop.key, &hook, json!({ "isActive": false })).await;
    assert_eq!((&off["disabledAt"], &off["disabledReason"]), (&json!(null), &json!(null)));
}

/// Lets something happen that the receiver refuses.
async fn fail(test: &TestApp, shop: &Shop, receiver: &Receiver) {
    emit(test, shop).await;
    assert!(!receiver.take().is_empty());
}

/// Whether a subscription is active, and why not.
async fn standing(key: &Client, hook: &Value) -> (bool, Option<String>) {
    let hook = read(key, hook).await;
    let active = hook["isActive"].as_bool().expect("is a yes or no");
    (active, hook["disabledReason"].as_str().map(str::to_owned))
}
