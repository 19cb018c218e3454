//! The order of events: about one object one after the other, about different ones side by side.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::TestApp;
use crate::harness::crashes::{calm_down, die_at_wait};
use crate::harness::engine::Engine;
use crate::harness::receiver::{Delivery, Receiver};
use crate::harness::shop::{id, product_path};
use crate::refunds::refund;
use crate::webhooks::{change, deliveries, emit, path, subscribe};

const PAYMENTS: usize = 60;
const LIFE: [&str; 3] = ["transaction.created", "transaction.paid", "transaction.refunded"];
/// Longer than a worker that died keeps its jobs, shorter than a delivery waits unasked.
const LEASE: Duration = Duration::from_secs(31);

/// Waits until the job of one delivery is named on another.
async fn one_waits(test: &TestApp) {
    let engine = Engine::open(test).await;
    let sql = "select cast(count(*) as text)
                 from webhook_deliveries
                where waiter_job_id is not null and last_attempt_at is null";
    while engine.rows(sql).await != [["1"]] {
        tokio::task::yield_now().await;
    }
}

/// What arrived about each object, in the order in which it arrived, without what came twice.
fn emitted(taken: &[Delivery]) -> BTreeMap<String, Vec<String>> {
    let mut emitted: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for delivery in taken {
        let object = delivery.json()["objectId"].as_str().expect("has an object").to_owned();
        let names = emitted.entry(object).or_default();
        if !names.contains(&delivery.event()) {
            names.push(delivery.event());
        }
    }
    emitted
}

#[story::test]
async fn events_about_one_payment_arrive_in_order_however_long_answers_take(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    subscribe(&shop.key, &receiver.url, &LIFE).await;
    receiver.dawdle();
    test.at_work(async {
        for _ in 0..PAYMENTS {
            let charge = shop.charge(1_000).await;
            shop.pay(&charge).await;
            refund(&shop, &charge, json!({})).await;
        }
        let all = PAYMENTS * LIFE.len();
        while !receiver.arrived_within(all, Duration::from_millis(500)).await {
            test.pass(Duration::from_secs(1));
        }
    })
    .await;
    let emitted = emitted(&receiver.take());
    assert_eq!(emitted.len(), PAYMENTS);
    let out_of_order = emitted.values().filter(|names| **names != LIFE).count();
    assert_eq!((out_of_order, receiver.most_about_one_object()), (0, 1));
}

#[story::test]
async fn an_event_waits_for_the_answer_to_the_one_before_it_and_is_sent_at_once_then(
    test: &TestApp,
) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let hook = subscribe(&shop.key, &receiver.url, &["*"]).await;
    receiver.hold();
    test.at_work(async {
        let product = shop.product(json!({})).await;
        receiver.arrived(1).await;
        shop.change_product(&product, json!({ "price": 1 })).await;
        one_waits(test).await;
        let other = shop.product(json!({})).await;
        receiver.arrived(2).await;
        let taken = receiver.take();
        let objects = taken.iter().map(|taken| taken.json()["objectId"].clone());
        assert_eq!(objects.collect::<Vec<_>>(), [id(&product), id(&other)]);
        receiver.release();
        receiver.arrived(3).await;
    })
    .await;
    assert_eq!(receiver.take_names(), ["product.updated"]);
    let delivered = deliveries(&shop.key, &hook).await;
    assert!(delivered.iter().all(|delivery| delivery["status"] == "DELIVERED"));
}

#[story::test]
async fn an_event_that_waits_while_the_clock_is_advanced_is_sent_at_once_all_the_same(
    test: &TestApp,
) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    subscribe(&shop.key, &receiver.url, &["*"]).await;
    receiver.hold();
    test.at_work(async {
        let product = shop.product(json!({})).await;
        receiver.arrived(1).await;
        shop.change_product(&product, json!({ "price": 1 })).await;
        one_waits(test).await;
        shop.key.post("/api/dev/clock/advance", json!({ "seconds": 1 })).await.expect(200);
        receiver.release();
        receiver.arrived(2).await;
    })
    .await;
    assert_eq!(receiver.take_names(), ["product.created", "product.updated"]);
}

#[story::test]
async fn a_first_attempt_that_fails_lets_the_next_event_go_on_and_so_do_its_retries(
    test: &TestApp,
) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    subscribe(&shop.key, &receiver.url, &["*"]).await;
    receiver.answer(&[500]);
    receiver.hold();
    test.at_work(async {
        let product = shop.product(json!({})).await;
        receiver.arrived(1).await;
        shop.change_product(&product, json!({ "price": 1 })).await;
        one_waits(test).await;
        receiver.release();
        receiver.arrived(2).await;
        test.pass(Duration::from_secs(6));
        receiver.arrived(3).await;
        shop.key.delete(&product_path(&product)).await.expect(200);
        receiver.arrived(4).await;
    })
    .await;
    let names = ["product.created", "product.updated", "product.created", "product.deleted"];
    assert_eq!(receiver.take_names(), names);
}

#[story::test]
async fn a_worker_that_dies_anywhere_holds_the_next_event_up_no_longer_than_its_lease(
    test: &TestApp,
) {
    for number in 0.. {
        let receiver = Receiver::start().await;
        let shop = test.shop(&format!("Loja {number}")).await;
        let hook = subscribe(&shop.key, &receiver.url, &["*"]).await;
        let product = shop.product(json!({})).await;
        let died = die_at_wait(test, number).await;
        calm_down(test).await;
        shop.change_product(&product, json!({ "price": 1 })).await;
        test.run_jobs().await;
        test.run_jobs_after(LEASE).await;
        let emitted = emitted(&receiver.take());
        assert_eq!(emitted[id(&product)], ["product.created", "product.updated"], "{number}");
        for delivery in deliveries(&shop.key, &hook).await {
            assert_eq!(delivery["status"], "DELIVERED", "{number}");
        }
        if !died {
            assert!(number > 1, "a delivery waits for more than {number}");
            return;
        }
    }
}

#[story::test]
async fn what_waits_for_a_subscription_that_is_switched_off_is_given_up_with_it(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let hook = subscribe(&shop.key, &receiver.url, &["*"]).await;
    receiver.hold();
    test.at_work(async {
        let product = shop.product(json!({})).await;
        receiver.arrived(1).await;
        shop.change_product(&product, json!({ "price": 1 })).await;
        one_waits(test).await;
        change(&shop.key, &hook, json!({ "isActive": false })).await;
        receiver.release();
    })
    .await;
    test.run_jobs().await;
    assert_eq!(receiver.take_names(), ["product.created"]);
    let stand = deliveries(&shop.key, &hook).await;
    let stand: Vec<Value> = stand.iter().map(|delivery| delivery["status"].clone()).collect();
    assert_eq!(stand, [json!("FAILED"), json!("DELIVERED")]);
}

#[story::test]
async fn samples_and_redeliveries_neither_wait_nor_hold_anything_up(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let hook = subscribe(&shop.key, &receiver.url, &["*"]).await;
    let product = emit(test, &shop).await;
    let created = receiver.take_one().json()["id"].clone();
    receiver.hold();
    test.at_work(async {
        for _ in 0..2 {
            let sample = json!({ "event": "product.created" });
            shop.key.post(&path(&hook, "/test"), sample).await.expect(200);
        }
        let again = format!("/api/webhooks/events/{}/redeliver", created.as_str().expect("is"));
        shop.key.post(&again, json!({})).await.expect(200);
        receiver.arrived(4).await;
        shop.change_product(&product, json!({ "price": 1 })).await;
        receiver.arrived(5).await;
        receiver.release();
    })
    .await;
}
