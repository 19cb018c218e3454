//! Deliveries: what arrives, under which name, with which proof, and at whom.

use std::time::Duration;

use serde_json::{Value, json};
use tostao::events::names::{ALIASES, Name};

use crate::harness::TestApp;
use crate::harness::receiver::{Delivery, Receiver};
use crate::harness::shop::{Shop, id, product_path};
use crate::webhooks::signature::{secret, signatures, signs_body, signs_message};
use crate::webhooks::{SUBSCRIPTIONS, change, deliveries, emit, latest, path, read, subscribe};

const MOMENT: Duration = Duration::from_millis(1);
const JUST_UNDER_A_DAY: Duration = Duration::from_millis(86_399_999);

#[story::test]
async fn a_delivery_names_its_event_and_its_sender(test: &TestApp, shop: Shop, receiver: Receiver) {
    let url = format!("{}?secret=abc", receiver.url);
    subscribe(&shop.key, &url, &["product.created"]).await;
    let product = emit(test, &shop).await;
    let delivery = receiver.take_one();
    let reported = delivery.json();
    let expected = json!({
        "id": reported["id"], "event": "product.created", "devMode": true,
        "data": { "product": product }, "createdAt": "2026-11-21T12:00:00.000Z",
        "apiVersion": "2.23.0", "objectId": id(&product), "sequence": 1,
    });
    assert_eq!(reported, expected);
    assert_eq!(delivery.uri.query(), Some("secret=abc"));
    let headers = [
        ("content-type", "application/json"),
        ("x-webhook-id", id(&reported)),
        ("x-webhook-event", "product.created"),
        ("x-webhook-timestamp", "1795262400"),
        ("x-webhook-attempt", "1"),
        ("webhook-id", id(&reported)),
        ("webhook-timestamp", "1795262400"),
    ];
    for (name, value) in headers {
        assert_eq!(delivery.header(name), value, "{name}");
    }
    assert!(delivery.header("user-agent").starts_with("Tostao-Webhooks/"));
}

#[story::test]
async fn a_receiver_can_prove_who_sent_a_delivery(test: &TestApp, shop: Shop, receiver: Receiver) {
    let hook = subscribe(&shop.key, &receiver.url, &["*"]).await;
    let other = subscribe(&shop.key, "https://example.com/hook", &["balance.updated"]).await;
    shop.product(json!({ "name": "Pão \"de queijo\" \\ 🧀" })).await;
    test.run_jobs().await;
    let mut delivery = receiver.take_one();
    assert!(signs_body(secret(&hook), &delivery));
    assert!(signs_message(secret(&hook), &delivery));
    assert_eq!(signatures(&delivery).len(), 1);
    assert!(!signs_body(secret(&other), &delivery));
    assert!(!signs_message(secret(&other), &delivery));
    let forged = [&delivery.body[..delivery.body.len() - 1], b" }"].concat();
    delivery.body = forged.into();
    assert!(!signs_body(secret(&hook), &delivery));
    assert!(!signs_message(secret(&hook), &delivery));
}

#[story::test]
async fn both_secrets_sign_for_a_day_after_a_rotation(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let old = subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    let new = shop.key.post(&path(&old, "/rotate-secret"), json!({})).await.expect(200);
    let new = new["data"].clone();
    test.pass(JUST_UNDER_A_DAY);
    emit(test, &shop).await;
    let during = receiver.take_one();
    assert_eq!(signatures(&during).len(), 2);
    assert!(signs_message(secret(&old), &during) && signs_message(secret(&new), &during));
    assert!(signs_body(secret(&new), &during));

    test.pass(MOMENT);
    emit(test, &shop).await;
    let after = receiver.take_one();
    assert_eq!(signatures(&after).len(), 1);
    assert!(signs_message(secret(&new), &after) && signs_body(secret(&new), &after));
}

#[story::test]
async fn a_rotation_without_grace_ends_the_old_secret_at_once(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let first = subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    let rotate = path(&first, "/rotate-secret");
    let second = shop.key.post(&rotate, json!({})).await.expect(200)["data"].clone();
    let grace = json!({ "gracePeriodSeconds": 0 });
    let third = shop.key.post(&rotate, grace).await.expect(200)["data"].clone();
    emit(test, &shop).await;
    let delivery = receiver.take_one();
    assert_eq!(signatures(&delivery).len(), 1);
    assert!(signs_message(secret(&third), &delivery) && signs_body(secret(&third), &delivery));
    for hook in [&first, &second] {
        assert!(!signs_message(secret(hook), &delivery));
    }
}

#[story::test]
async fn every_attempt_gets_its_own_timestamp_and_signature_over_the_same_body(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let hook = subscribe(&shop.key, &receiver.url, &["*"]).await;
    receiver.answer(&[500]);
    emit(test, &shop).await;
    let first = receiver.take_one();
    test.run_jobs_after(Duration::from_secs(6)).await;
    let second = receiver.take_one();
    assert_eq!(first.body, second.body);
    assert_eq!(first.header("webhook-id"), second.header("webhook-id"));
    assert_eq!(second.header("x-webhook-attempt"), "2");
    assert_eq!(second.header("webhook-timestamp"), "1795262406");
    assert_eq!(first.header("x-webhook-signature"), second.header("x-webhook-signature"));
    assert_ne!(first.header("webhook-signature"), second.header("webhook-signature"));
    assert!(signs_message(secret(&hook), &second));
}

#[story::test]
async fn an_event_comes_once_and_under_the_name_the_subscriber_used(test: &TestApp) {
    let table: [(&[&str], &[&str]); 7] = [
        (&["transaction.paid"], &["transaction.paid"]),
        (&["payment.completed"], &["payment.completed"]),
        (&["transaction.completed"], &["transaction.completed"]),
        (
            &["payment.completed", "transaction.paid", "*"],
            &["transaction.created", "transaction.paid", "balance.updated"],
        ),
        (&["payment.pending", "payment.completed"], &["payment.pending", "payment.completed"]),
        (&["*"], &["transaction.created", "transaction.paid", "balance.updated"]),
        (&["payment.failed", "product.created"], &[]),
    ];
    let shop = test.shop("Loja").await;
    let mut receivers = Vec::new();
    for (events, _) in table {
        let receiver = Receiver::start().await;
        subscribe(&shop.key, &receiver.url, events).await;
        receivers.push(receiver);
    }
    shop.pay(&shop.charge(1_000).await).await;
    test.run_jobs().await;
    for (receiver, (events, expected)) in receivers.iter().zip(table) {
        let taken = receiver.take();
        let names: Vec<_> = taken.iter().map(Delivery::event).collect();
        assert_eq!(names, expected, "{events:?}");
        for delivery in taken {
            assert_eq!(delivery.header("x-webhook-event"), delivery.event());
        }
    }
    let listed = shop.key.get("/api/webhooks/events?event=payment.completed").await;
    assert_eq!(listed.expect(200)["data"][0]["event"], "transaction.paid");
}

#[story::test]
async fn a_sample_of_any_event_goes_only_where_it_was_asked_for(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let bystander = Receiver::start().await;
    let hook = subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    let other = subscribe(&shop.key, &bystander.url, &["*"]).await;
    let types = shop.key.get("/api/webhooks/event-types").await.expect(200);
    let own = Name::ALL.iter().map(|name| (name.text(), *name));
    for (text, name) in own.chain(ALIASES.iter().copied()) {
        let sent = shop.key.post(&path(&hook, "/test"), json!({ "event": text })).await;
        let sent = sent.expect(200)["data"].clone();
        assert_eq!((&sent["event"], &sent["test"]), (&json!(name.text()), &json!(true)));
        assert_eq!(sent["deliveries"][0]["status"], "PENDING");
        test.run_jobs().await;
        let delivery = receiver.take_one();
        let reported = delivery.json();
        assert_eq!((&reported["event"], &reported["test"]), (&json!(text), &json!(true)));
        assert_eq!((&reported["id"], &reported["data"]), (&sent["id"], &sent["data"]));
        let kinds = types["data"].as_array().expect("is a list").iter();
        let kind = kinds.into_iter().find(|kind| kind["name"] == name.text());
        assert_eq!(reported["data"], kind.expect("is listed")["example"]);
        assert!(signs_message(secret(&hook), &delivery));
    }
    assert_eq!(bystander.take_names(), [""; 0]);
    assert!(deliveries(&shop.key, &other).await.is_empty());
    assert_eq!(shop.available().await, 0);
}

#[story::test]
async fn a_sample_needs_a_named_event_and_an_active_subscription_and_counts_once(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let hook = subscribe(&shop.key, &receiver.url, &["*"]).await;
    let try_out = path(&hook, "/test");
    let any = shop.key.post(&try_out, json!({ "event": "*" })).await;
    any.expect_refusal(400, "INVALID_EVENT_NAME");
    let once = shop.key.with("idempotency-key", "one");
    let sample = json!({ "event": "product.created" });
    let first = once.post(&try_out, sample.clone()).await;
    let again = once.post(&try_out, sample.clone()).await;
    assert_eq!((again.status, &again.text), (200, &first.text));
    test.run_jobs().await;
    assert_eq!(receiver.take_names(), ["product.created"]);
    change(&shop.key, &hook, json!({ "isActive": false })).await;
    let refused = shop.key.post(&try_out, sample).await;
    refused.expect_refusal(409, "INVALID_STATE_TRANSITION");
    assert_eq!(refused.json()["currentStatus"], "INACTIVE");
}

#[story::test]
async fn another_merchants_or_modes_subscription_gets_no_event(test: &TestApp) {
    let [mine, live, theirs] =
        [Receiver::start().await, Receiver::start().await, Receiver::start().await];
    let (shop, other) = (test.shop("Loja").await, test.shop("Outra").await);
    subscribe(&other.key, &theirs.url, &["*"]).await;
    let developing = shop.owner.with("x-dev-mode", "true");
    for (owner, receiver) in [(&shop.owner, &live), (&developing, &mine)] {
        let body = json!({ "url": receiver.url, "events": ["*"] });
        owner.post(SUBSCRIPTIONS, body).await.expect(201);
    }
    shop.product(json!({ "name": "Ensaio" })).await;
    let permissions = ["products:write", "webhooks:read"];
    let production = shop.key_for("production", &permissions).await;
    let product = json!({ "name": "De verdade", "price": 100 });
    production.post("/api/v1/products", product).await.expect(201);
    test.run_jobs().await;
    for (receiver, name, dev_mode) in [(&mine, "Ensaio", true), (&live, "De verdade", false)] {
        let reported = receiver.take_one().json();
        assert_eq!(reported["data"]["product"]["name"], name);
        assert_eq!(reported["devMode"], dev_mode);
    }
    assert_eq!(theirs.take_names(), [""; 0]);
    for (key, dev_mode) in [(&shop.key, true), (&production, false)] {
        let events = key.get("/api/webhooks/events").await.expect(200);
        assert_eq!(events["pagination"]["total"], 1);
        assert_eq!(events["data"][0]["devMode"], dev_mode);
    }
}

#[story::test]
async fn an_inactive_subscription_gets_no_event_and_a_reactivated_one_only_later_ones(
    test: &TestApp,
) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let hook = subscribe(&shop.key, &receiver.url, &["*"]).await;
    let product = shop.product(json!({})).await;
    change(&shop.key, &hook, json!({ "isActive": false })).await;
    shop.change_product(&product, json!({ "price": 1 })).await;
    test.run_jobs().await;
    assert_eq!(receiver.take_names(), [""; 0]);
    let given_up = deliveries(&shop.key, &hook).await;
    assert_eq!(given_up.len(), 1);
    assert_eq!(given_up[0]["status"], "FAILED");
    assert_eq!(
        (&given_up[0]["lastError"], &given_up[0]["attempts"]),
        (&json!("disabled"), &json!(0))
    );
    change(&shop.key, &hook, json!({ "isActive": true })).await;
    test.run_jobs().await;
    shop.key.delete(&product_path(&product)).await.expect(200);
    test.run_jobs().await;
    assert_eq!(receiver.take_names(), ["product.deleted"]);
}

#[story::test]
async fn a_burst_arrives_in_the_order_in_which_it_happened(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    subscribe(&shop.key, &receiver.url, &["*"]).await;
    let mut made = Vec::new();
    for _ in 0..20 {
        made.push(id(&shop.product(json!({})).await).to_owned());
    }
    test.run_jobs().await;
    let taken = receiver.take();
    let reported = taken.iter().map(|delivery| delivery.json()["objectId"].clone());
    assert_eq!(reported.collect::<Vec<_>>(), made);
}

#[story::test]
async fn a_delivery_is_logged_and_noted_on_its_subscription(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let hook = subscribe(&shop.key, &receiver.url, &["payment.pending"]).await;
    receiver.answer_saying(202, "obrigado");
    test.pass(Duration::from_secs(1));
    shop.charge(1_000).await;
    test.run_jobs().await;
    let event = receiver.take_one().json()["id"].clone();
    let now = "2026-11-21T12:00:01.000Z";
    let expected = json!({
        "eventId": event, "event": "payment.pending", "subscriptionId": id(&hook),
        "status": "DELIVERED", "attempts": 1, "lastStatusCode": 202, "lastError": null,
        "lastAttemptAt": now, "nextAttemptAt": null, "createdAt": now,
        "log": [{
            "at": now, "attempt": 1, "status": 202, "ms": 0, "error": null,
            "excerpt": "obrigado",
        }],
    });
    assert_eq!(latest(&shop.key, &hook).await, expected);
    // Servers like to repeat the address that was called.
    let reader = shop.key_for("development", &["webhooks:read"]).await;
    assert_eq!(latest(&reader, &hook).await["log"][0]["excerpt"], Value::Null);
    let noted: Value = read(&shop.key, &hook).await;
    assert_eq!(noted["lastTriggeredAt"], now);
}
