//! Sending again what an endpoint has not accepted, after an outage.

use std::time::Duration;

use serde_json::{Value, json};
use tostao::housekeeping;

use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::crashes::{at_every_wait, calm_down, die_at_wait};
use crate::harness::receiver::Receiver;
use crate::harness::shop::{Shop, id};
use crate::webhooks::{change, deliveries, emit, latest, read, subscribe};

const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);
/// One more than a recovery looks at in one unit.
const MORE_THAN_A_PART: usize = 201;

fn path(hook: &Value, what: &str) -> String {
    format!("/api/v1/webhooks/subscriptions/{}/{what}", id(hook))
}

/// What to recover: everything since so long ago.
fn since(test: &TestApp, span: Duration) -> Value {
    json!({ "since": test.app.now().minus(span).to_string() })
}

/// Begins a recovery, and waits until units that were running have ended.
async fn recover(test: &TestApp, key: &Client, hook: &Value, which: Value) -> Value {
    let begun = key.post(&path(hook, "recover"), which).await.expect(201)["data"].clone();
    test.pass(Duration::from_secs(15));
    begun
}

async fn enable(key: &Client, hook: &Value) -> Value {
    key.post(&path(hook, "enable"), json!({})).await.expect(200)["subscription"].clone()
}

/// How a recovery stands: its status, and how many events it has sent again.
async fn progress(key: &Client, hook: &Value) -> Value {
    let found = key.get(&path(hook, "recovery")).await.expect(200)["data"].clone();
    json!([found["status"], found["resent"]])
}

/// A webhook that was disabled, for a shop that goes on.
async fn disabled(shop: &Shop, receiver: &Receiver) -> Value {
    let hook = subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    change(&shop.key, &hook, json!({ "isActive": false })).await;
    hook
}

#[story::test]
async fn what_was_not_accepted_is_sent_again_in_its_order_and_nothing_else(
    test: &TestApp,
    shop: Shop,
    receiver: Receiver,
) {
    let hook = subscribe(&shop.key, &receiver.url, &["product.created", "product.updated"]).await;
    assert_eq!(progress(&shop.key, &hook).await, json!([null, null]));
    let product = emit(test, &shop).await;
    // The second is to be tried again, the third ends it, and the fourth finds it disabled.
    for (price, answer) in [(2, Some(500)), (3, Some(410)), (4, None)] {
        receiver.answer(answer.as_slice());
        shop.change_product(&product, json!({ "price": price })).await;
        test.run_jobs().await;
    }
    let unwanted = shop.link(1_000).await;
    assert_eq!(receiver.take().len(), 3);
    enable(&shop.key, &hook).await;
    let begun = recover(test, &shop.key, &hook, since(test, HOUR)).await;
    assert_eq!((&begun["status"], &begun["resent"]), (&json!("RUNNING"), &json!(0)));
    assert_eq!((&begun["subscriptionId"], &begun["until"]), (&hook["id"], &begun["startedAt"]));
    test.run_jobs().await;
    let again = receiver.take();
    let prices: Vec<_> =
        again.iter().map(|one| one.json()["data"]["product"]["price"].clone()).collect();
    assert_eq!(prices, [2, 3, 4], "{unwanted}");
    assert!(again.iter().all(|one| one.header("x-webhook-attempt") == "1"));
    let ended = shop.key.get(&path(&hook, "recovery")).await.expect(200)["data"].clone();
    assert_eq!((&ended["status"], &ended["resent"]), (&json!("FINISHED"), &json!(3)));
    assert_eq!((&ended["id"], &ended["checkedUntil"]), (&begun["id"], &begun["until"]));
    assert!(ended["finishedAt"].is_string());
    for delivery in deliveries(&shop.key, &hook).await {
        assert_eq!(delivery["status"], "DELIVERED");
    }
    recover(test, &shop.key, &hook, since(test, HOUR)).await;
    test.run_jobs_after(DAY).await;
    assert_eq!(progress(&shop.key, &hook).await, json!(["FINISHED", 0]));
    assert!(receiver.take().is_empty());
}

#[story::test]
async fn only_what_happened_in_its_time_and_since_the_webhook_exists_is_recovered(
    test: &TestApp,
    shop: Shop,
    receiver: Receiver,
) {
    shop.product(json!({})).await;
    test.pass(HOUR);
    let hook = disabled(&shop, &receiver).await;
    shop.product(json!({})).await;
    let first = test.app.now().to_string();
    // The developer's clock may be ahead of what it was.
    shop.key.post("/api/dev/clock/advance", json!({ "seconds": 86_400 })).await.expect(200);
    shop.product(json!({})).await;
    let second = test.app.now().plus(DAY).to_string();
    shop.key.post("/api/dev/clock/advance", json!({ "seconds": 86_400 })).await.expect(200);
    enable(&shop.key, &hook).await;
    let table = [
        (json!({ "since": second }), 1),
        (json!({ "since": first, "until": first }), 1),
        (since(test, DAY), 0),
    ];
    for (which, resent) in table {
        recover(test, &shop.key, &hook, which.clone()).await;
        test.run_jobs().await;
        assert_eq!(progress(&shop.key, &hook).await, json!(["FINISHED", resent]), "{which}");
        assert_eq!(receiver.take().len(), resent, "{which}");
    }
}

#[story::test]
async fn a_recovery_goes_on_by_parts_and_another_one_waits_for_its_end(
    test: &TestApp,
    shop: Shop,
    receiver: Receiver,
) {
    let hook = disabled(&shop, &receiver).await;
    for _ in 0..MORE_THAN_A_PART {
        shop.product(json!({})).await;
    }
    enable(&shop.key, &hook).await;
    recover(test, &shop.key, &hook, since(test, HOUR)).await;
    test.run_jobs().await;
    assert_eq!(progress(&shop.key, &hook).await, json!(["RUNNING", MORE_THAN_A_PART - 1]));
    let second = shop.key.post(&path(&hook, "recover"), since(test, HOUR)).await;
    second.expect_refusal(409, "INVALID_STATE_TRANSITION");
    assert_eq!(second.json()["currentStatus"], "RUNNING");
    test.run_jobs_after(Duration::from_secs(1)).await;
    assert_eq!(progress(&shop.key, &hook).await, json!(["FINISHED", MORE_THAN_A_PART]));
    assert_eq!(receiver.take().len(), MORE_THAN_A_PART);
    recover(test, &shop.key, &hook, since(test, HOUR)).await;
}

#[story::test]
async fn a_webhook_that_is_disabled_or_deleted_ends_its_recovery(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    for is_deleted in [false, true] {
        let hook = disabled(&shop, &receiver).await;
        shop.product(json!({})).await;
        enable(&shop.key, &hook).await;
        recover(test, &shop.key, &hook, since(test, HOUR)).await;
        if is_deleted {
            let deleted = format!("/api/webhooks/subscriptions/{}", id(&hook));
            shop.key.delete(&deleted).await.expect(200);
        } else {
            change(&shop.key, &hook, json!({ "isActive": false })).await;
        }
        assert!(test.run_jobs().await > 0, "the job goes on");
        assert_eq!(test.run_jobs_after(DAY).await, 0, "and ends");
        assert!(receiver.take().is_empty());
        if is_deleted {
            shop.key.get(&path(&hook, "recovery")).await.expect_refusal(404, "NOT_FOUND");
        } else {
            assert_eq!(progress(&shop.key, &hook).await, json!(["STOPPED", 0]));
        }
    }
}

#[story::test]
async fn a_worker_that_dies_anywhere_recovers_each_event_once(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let hook = subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    at_every_wait(async |number| {
        test.pass(HOUR);
        receiver.answer(&[410]);
        emit(test, &shop).await;
        enable(&shop.key, &hook).await;
        recover(test, &shop.key, &hook, since(test, Duration::ZERO)).await;
        let died = die_at_wait(test, number).await;
        calm_down(test).await;
        test.run_jobs_after(Duration::from_mins(2)).await;
        let found = progress(&shop.key, &hook).await;
        assert_eq!(found, json!(["FINISHED", 1]), "death at wait {number}");
        assert_eq!(latest(&shop.key, &hook).await["status"], "DELIVERED", "wait {number}");
        died
    })
    .await;
}

#[story::test]
async fn events_that_are_no_longer_kept_are_not_recovered(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let hook = disabled(&shop, &receiver).await;
    shop.product(json!({})).await;
    test.pass(31 * DAY);
    housekeeping::run(&test.app).await.expect("runs");
    let shop = test.shop_again("Loja").await;
    enable(&shop.key, &hook).await;
    recover(test, &shop.key, &hook, since(test, 60 * DAY)).await;
    test.run_jobs().await;
    assert_eq!(progress(&shop.key, &hook).await, json!(["FINISHED", 0]));
}

#[story::test]
async fn what_was_accepted_is_not_sent_again_when_only_its_delivery_is_deleted(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let hook = subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    emit(test, &shop).await;
    assert_eq!(receiver.take().len(), 1);
    test.pass(30 * DAY);
    // Housekeeping deletes deliveries before their events, and may be half way.
    let deleted =
        test.app.transact(async |tx| Ok(tx.exec("delete from webhook_deliveries", &[]).await?));
    assert_eq!(deleted.await.expect("deletes"), 1);
    let shop = test.shop_again("Loja").await;
    recover(test, &shop.key, &hook, since(test, 60 * DAY)).await;
    test.run_jobs().await;
    assert_eq!(progress(&shop.key, &hook).await, json!(["FINISHED", 0]));
}

#[story::test]
async fn a_recovery_that_makes_no_sense_is_refused(test: &TestApp, shop: Shop, receiver: Receiver) {
    let hook = subscribe(&shop.key, &receiver.url, &["*"]).await;
    let at = |hours: i64| {
        let now = test.app.now();
        let span = HOUR * u32::try_from(hours.abs()).expect("is small");
        if hours < 0 { now.minus(span) } else { now.plus(span) }.to_string()
    };
    let table = [
        (json!({}), "since"),
        (json!({ "since": "yesterday" }), "since"),
        (json!({ "since": at(1) }), "since"),
        (json!({ "since": at(-1), "until": at(1) }), "until"),
        (json!({ "since": at(-1), "until": at(-2) }), "until"),
    ];
    for (which, field) in table {
        let refused = shop.key.post(&path(&hook, "recover"), which.clone()).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), [field], "{which}");
    }
    let sensible = since(test, HOUR);
    let real = shop.key_for("production", &["webhooks:write", "webhooks:read"]).await;
    for stranger in [&test.shop("Outra").await.key, &real] {
        let refused = stranger.post(&path(&hook, "recover"), sensible.clone()).await;
        refused.expect_refusal(404, "NOT_FOUND");
        stranger.get(&path(&hook, "recovery")).await.expect_refusal(404, "NOT_FOUND");
    }
    let reader = shop.key_for("development", &["webhooks:read"]).await;
    let refused = reader.post(&path(&hook, "recover"), sensible.clone()).await;
    refused.expect_refusal(403, "INSUFFICIENT_PERMISSION");
    change(&shop.key, &hook, json!({ "isActive": false })).await;
    let asleep = shop.key.post(&path(&hook, "recover"), sensible).await;
    asleep.expect_refusal(409, "INVALID_STATE_TRANSITION");
    assert_eq!(asleep.json()["currentStatus"], "INACTIVE");
    assert_eq!(progress(&reader, &hook).await, json!([null, null]));
}

#[story::test]
async fn a_disabled_webhook_is_enabled_and_an_enabled_one_stays_as_it_is(
    test: &TestApp,
    shop: Shop,
    receiver: Receiver,
) {
    let hook = subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    receiver.answer(&[410]);
    emit(test, &shop).await;
    assert_eq!(read(&shop.key, &hook).await["disabledReason"], "gone");
    test.pass(HOUR);
    let enabled = enable(&shop.key, &hook).await;
    let state = [&enabled["isActive"], &enabled["disabledReason"], &enabled["disabledAt"]];
    assert_eq!(state, [&json!(true), &json!(null), &json!(null)]);
    test.pass(HOUR);
    assert_eq!(enable(&shop.key, &hook).await, enabled);
    assert_eq!(read(&shop.key, &hook).await, enabled);
}
