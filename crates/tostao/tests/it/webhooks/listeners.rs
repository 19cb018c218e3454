//! Listening on a developer's machine: nothing is lost while it sleeps.

use std::time::Duration;

use http::{HeaderMap, HeaderName, Uri};
use serde_json::{Value, json};
use tostao::housekeeping;

use crate::first_steps::minutes;
use crate::harness::TestApp;
use crate::harness::client::{Client, Stream};
use crate::harness::receiver::Delivery;
use crate::harness::shop::{Shop, id};
use crate::webhooks::signature::{secret, signs_body, signs_message};
use crate::webhooks::{SUBSCRIPTIONS, SUBSCRIPTIONS_V1, latest_event};

const LISTENERS: &str = "/api/dev/listeners";
/// How many listeners of a merchant may be connected to a server.
const CONNECTED_MAX: usize = 8;

/// Opens a listener to some events.
async fn open(key: &Client, name: &str, events: &[&str]) -> Value {
    let body = json!({ "name": name, "events": events });
    key.post(LISTENERS, body).await.expect(200)["data"].clone()
}

fn path(listener: &Value) -> String {
    format!("{LISTENERS}/{}", id(listener))
}

async fn connect(key: &Client, listener: &Value) -> Stream {
    key.listen(&format!("{}/deliveries", path(listener))).await
}

/// The next delivery of a stream.
async fn next(stream: &mut Stream) -> Value {
    let (name, delivery) = stream.next().await.expect("goes on");
    assert_eq!(name, "delivery");
    delivery
}

/// Says what the program made of a delivery; whether that was recorded.
async fn answer(key: &Client, listener: &Value, delivery: &Value, status: Value) -> Value {
    let event = delivery["eventId"].as_str().expect("names its event");
    let path = format!("{}/deliveries/{event}", path(listener));
    let body = json!({ "series": delivery["series"], "status": status, "ms": 12, "excerpt": "x" });
    key.post(&path, body).await.expect(200)["recorded"].clone()
}

/// The only delivery of the newest event.
async fn standing(key: &Client) -> Value {
    latest_event(key).await["deliveries"][0].clone()
}

/// The delivery as an address would have received it.
fn posted(delivery: &Value) -> Delivery {
    let mut headers = HeaderMap::new();
    for (name, value) in delivery["headers"].as_object().expect("are headers") {
        let value = value.as_str().expect("is text").parse().expect("is a header's value");
        headers.insert(HeaderName::try_from(name).expect("is a header's name"), value);
    }
    let body = delivery["body"].as_str().expect("is text").to_owned().into();
    Delivery { uri: Uri::default(), headers, body }
}

#[story::test]
async fn what_happens_arrives_signed_and_the_answer_is_recorded(test: &TestApp, shop: Shop) {
    let listener = open(&shop.key, "laptop", &["product.created"]).await;
    let mut stream = connect(&shop.key, &listener).await;
    assert_eq!(stream.headers["content-type"], "text/event-stream");
    shop.product(json!({})).await;
    let delivery = next(&mut stream).await;
    let posted = posted(&delivery);
    assert!(signs_body(secret(&listener), &posted) && signs_message(secret(&listener), &posted));
    assert_eq!(posted.header("webhook-id"), delivery["eventId"].as_str().expect("is text"));
    assert_eq!(posted.json()["event"], "product.created");
    assert_eq!(standing(&shop.key).await["status"], "PENDING");
    test.run_jobs().await;
    assert_eq!(standing(&shop.key).await["status"], "PENDING", "no job sends it anywhere");
    assert_eq!(answer(&shop.key, &listener, &delivery, json!(204)).await, true);
    let standing = standing(&shop.key).await;
    assert_eq!(standing["subscriptionId"], listener["id"]);
    assert_eq!(
        (&standing["status"], &standing["lastStatusCode"]),
        (&json!("DELIVERED"), &json!(204))
    );
    assert_eq!(answer(&shop.key, &listener, &delivery, json!(500)).await, false);
}

#[story::test]
async fn an_answer_that_accepts_is_the_first_delivered_webhook(test: &TestApp, shop: Shop) {
    let listener = open(&shop.key, "laptop", &["product.created"]).await;
    let mut stream = connect(&shop.key, &listener).await;
    let admin = test.admin().await;
    for (status, webhook) in [(500, None), (204, Some(0))] {
        shop.product(json!({})).await;
        let delivery = next(&mut stream).await;
        answer(&shop.key, &listener, &delivery, json!(status)).await;
        assert_eq!(minutes(&admin, "Loja").await, [Some(0), None, None, webhook], "{status}");
    }
}

#[story::test]
async fn what_has_no_answer_is_sent_on_every_connection(test: &TestApp, shop: Shop) {
    let _ = test;
    let listener = open(&shop.key, "laptop", &["*"]).await;
    shop.product(json!({ "name": "Caneca" })).await;
    shop.product(json!({ "name": "Prato" })).await;
    let name = |delivery: &Value| posted(delivery).json()["data"]["product"]["name"].clone();
    let mut first = connect(&shop.key, &listener).await;
    let lost = next(&mut first).await;
    drop(first);
    let mut second = connect(&shop.key, &listener).await;
    let again = next(&mut second).await;
    assert_eq!(again["body"], lost["body"]);
    assert_eq!(name(&again), "Caneca");
    answer(&shop.key, &listener, &again, json!(200)).await;
    assert_eq!(name(&next(&mut second).await), "Prato", "one after the answer to the other");
    let mut third = connect(&shop.key, &listener).await;
    assert_eq!(name(&next(&mut third).await), "Prato");
}

#[story::test]
async fn only_the_newest_connection_of_a_listener_is_served(test: &TestApp, shop: Shop) {
    let _ = test;
    let listener = open(&shop.key, "laptop", &["*"]).await;
    let mut first = connect(&shop.key, &listener).await;
    let mut second = connect(&shop.key, &listener).await;
    let (name, _) = first.next().await.expect("says why it ends");
    assert_eq!((name.as_str(), first.next().await), ("replaced", None));
    shop.product(json!({})).await;
    assert_eq!(next(&mut second).await["event"], "product.created");
}

#[story::test]
async fn a_listener_keeps_its_events_unless_others_are_named(test: &TestApp, shop: Shop) {
    let _ = test;
    let listener = open(&shop.key, "laptop", &["product.updated"]).await;
    let kept = shop.key.post(LISTENERS, json!({ "name": "laptop" })).await.expect(200);
    assert_eq!(kept["data"]["events"], json!(["product.updated"]));
    let all = shop.key.post(LISTENERS, json!({ "name": "desk" })).await.expect(200);
    assert_eq!(all["data"]["events"], json!(["*"]));
    let none = open(&shop.key, "desk", &[]).await;
    shop.product(json!({})).await;
    let event = latest_event(&shop.key).await;
    assert_eq!(event["deliveries"], json!([]), "neither wants it");
    let only = json!({ "subscriptionId": none["id"] });
    let again = format!("/api/webhooks/events/{}/redeliver", id(&event));
    shop.key.post(&again, only).await.expect(200);
    let mut stream = connect(&shop.key, &none).await;
    assert_eq!(next(&mut stream).await["eventId"], event["id"], "one that is named gets any event");
    let listed = shop.key.list(LISTENERS).await;
    let names: Vec<_> = listed.iter().map(|one| one["name"].as_str().expect("is text")).collect();
    assert_eq!(names, ["desk", "laptop"]);
    assert!(listed.iter().all(|one| one["secret"].is_null() && one["seenAt"].is_string()));
    let _ = listener;
}

#[story::test]
async fn the_answers_are_in_the_log_of_deliveries(test: &TestApp, shop: Shop) {
    let _ = test;
    let listener = open(&shop.key, "laptop", &["*"]).await;
    let mut stream = connect(&shop.key, &listener).await;
    shop.product(json!({})).await;
    let delivery = next(&mut stream).await;
    answer(&shop.key, &listener, &delivery, json!(500)).await;
    let path = format!("{SUBSCRIPTIONS}/{}/deliveries", id(&listener));
    let [logged] = shop.key.list(&path).await.try_into().expect("is one");
    assert_eq!((&logged["log"][0]["ms"], &logged["log"][0]["excerpt"]), (&json!(12), &json!("x")));
}

#[story::test]
async fn a_failed_delivery_is_sent_again_when_it_is_asked_for(test: &TestApp, shop: Shop) {
    let _ = test;
    let listener = open(&shop.key, "laptop", &["*"]).await;
    let mut stream = connect(&shop.key, &listener).await;
    shop.product(json!({})).await;
    let first = next(&mut stream).await;
    answer(&shop.key, &listener, &first, json!(410)).await;
    let failed = standing(&shop.key).await;
    assert_eq!((&failed["status"], &failed["lastError"]), (&json!("FAILED"), &json!("status")));
    assert_eq!(failed["nextAttemptAt"], Value::Null);
    let event = first["eventId"].as_str().expect("is text");
    let only = json!({ "subscriptionId": listener["id"] });
    shop.key.post(&format!("/api/webhooks/events/{event}/redeliver"), only).await.expect(200);
    let second = next(&mut stream).await;
    assert_eq!((&second["eventId"], &second["body"]), (&first["eventId"], &first["body"]));
    assert_ne!(second["series"], first["series"]);
    assert_eq!(answer(&shop.key, &listener, &first, json!(200)).await, false);
    assert_eq!(answer(&shop.key, &listener, &second, Value::Null).await, true);
    let unreached = standing(&shop.key).await;
    assert_eq!(
        (&unreached["status"], &unreached["lastError"]),
        (&json!("FAILED"), &json!("connect"))
    );
    shop.product(json!({})).await;
    assert_eq!(next(&mut stream).await["event"], "product.created", "it is never disabled");
}

#[story::test]
async fn a_test_event_arrives_too(test: &TestApp, shop: Shop) {
    let _ = test;
    let listener = open(&shop.key, "laptop", &["*"]).await;
    let mut stream = connect(&shop.key, &listener).await;
    let sample = json!({ "event": "transaction.disputed" });
    let path = format!("{SUBSCRIPTIONS}/{}/test", id(&listener));
    shop.key.post(&path, sample).await.expect(200);
    let delivery = posted(&next(&mut stream).await).json();
    assert_eq!(
        (&delivery["event"], &delivery["test"]),
        (&json!("transaction.disputed"), &json!(true))
    );
}

#[story::test]
async fn the_same_name_is_the_same_listener_with_the_same_secret(test: &TestApp) {
    let (shop, other) = (test.shop("Loja").await, test.shop("Outra").await);
    let first = open(&shop.key, "laptop", &["*"]).await;
    let again = open(&shop.key, "laptop", &["product.updated", "product.updated"]).await;
    assert_eq!((&again["id"], &again["secret"]), (&first["id"], &first["secret"]));
    assert_eq!(again["events"], json!(["product.updated"]));
    let product = shop.product(json!({})).await;
    shop.change_product(&product, json!({ "name": "Prato" })).await;
    let mut stream = connect(&shop.key, &again).await;
    assert_eq!(next(&mut stream).await["event"], "product.updated");
    let [desk, foreign] =
        [open(&shop.key, "desk", &["*"]).await, open(&other.key, "laptop", &["*"]).await];
    for listener in [&desk, &foreign] {
        assert_ne!((&listener["id"], &listener["secret"]), (&first["id"], &first["secret"]));
    }
}

#[story::test]
async fn past_events_arrive_on_demand_whether_or_not_they_did_before(test: &TestApp, shop: Shop) {
    shop.product(json!({ "name": "Antiga" })).await;
    test.pass(Duration::from_mins(11));
    shop.product(json!({ "name": "Nova" })).await;
    let body = json!({ "name": "laptop", "sinceSeconds": 600 });
    for _ in 0..2 {
        let listener = shop.key.post(LISTENERS, body.clone()).await.expect(200)["data"].clone();
        let mut stream = connect(&shop.key, &listener).await;
        let delivery = next(&mut stream).await;
        assert_eq!(posted(&delivery).json()["data"]["product"]["name"], "Nova");
        answer(&shop.key, &listener, &delivery, json!(200)).await;
    }
}

#[story::test]
async fn a_listener_is_no_subscription_of_the_lists(test: &TestApp, shop: Shop) {
    let _ = test;
    let listener = open(&shop.key, "laptop", &["*"]).await;
    for list in [SUBSCRIPTIONS, SUBSCRIPTIONS_V1] {
        assert_eq!(shop.key.total(list).await, 0);
        let one = format!("{list}/{}", id(&listener));
        shop.key.delete(&one).await.expect_refusal(404, "NOT_FOUND");
    }
    let change = json!({ "events": ["*"] });
    let [v1, v2] =
        [SUBSCRIPTIONS_V1, SUBSCRIPTIONS].map(|list| format!("{list}/{}", id(&listener)));
    shop.key.patch(&v1, change.clone()).await.expect_refusal(404, "NOT_FOUND");
    shop.key.put(&v2, change).await.expect_refusal(404, "NOT_FOUND");
    let rotate = format!("{SUBSCRIPTIONS}/{}/rotate-secret", id(&listener));
    shop.key.post(&rotate, json!({})).await.expect_refusal(404, "NOT_FOUND");
    assert_eq!(open(&shop.key, "laptop", &["*"]).await["secret"], listener["secret"]);
}

#[story::test]
async fn wrong_requests_name_the_field_and_open_nothing(test: &TestApp, shop: Shop) {
    let other = test.shop("Outra").await;
    let table = [
        (json!({ "name": "" }), "VALIDATION_ERROR"),
        (json!({ "name": "x".repeat(101) }), "VALIDATION_ERROR"),
        (json!({ "name": "laptop", "events": vec!["*"; 101] }), "VALIDATION_ERROR"),
        (json!({ "name": "laptop", "events": ["no.event"] }), "INVALID_EVENT_NAME"),
        (json!({ "name": "laptop", "sinceSeconds": 0 }), "VALIDATION_ERROR"),
        (json!({ "name": "laptop", "sinceSeconds": 86_401 }), "VALIDATION_ERROR"),
    ];
    for (body, code) in table {
        shop.key.post(LISTENERS, body).await.expect_refusal(400, code);
    }
    let listener = open(&shop.key, "laptop", &["*"]).await;
    let product = shop.product(json!({})).await;
    let event = latest_event(&shop.key).await;
    let delivery = format!("{}/deliveries/{}", path(&listener), id(&event));
    let wrong = [("status", 99), ("status", 600), ("ms", -1), ("ms", 86_400_001)];
    for (field, value) in wrong {
        let mut body = json!({ "series": 0, "status": 200, "ms": 1 });
        body[field] = value.into();
        shop.key.post(&delivery, body).await.expect_refusal(400, "VALIDATION_ERROR");
    }
    let body = json!({ "series": 0, "status": 200, "ms": 1 });
    other.key.post(&delivery, body.clone()).await.expect_refusal(404, "NOT_FOUND");
    other.key.delete(&path(&listener)).await.expect_refusal(404, "NOT_FOUND");
    let stream = format!("{}/deliveries", path(&listener));
    other.key.get(&stream).await.expect_refusal(404, "NOT_FOUND");
    let none = format!("{}/deliveries/{}", path(&listener), id(&product));
    assert_eq!(shop.key.post(&none, body).await.expect(200)["recorded"], false);
    assert_eq!(standing(&shop.key).await["status"], "PENDING");
}

#[story::test]
async fn production_has_no_listeners(test: &TestApp, shop: Shop) {
    let _ = test;
    let listener = open(&shop.key, "laptop", &["*"]).await;
    let key = shop.key_for("production", &["webhooks:write"]).await;
    let reader = shop.key_for("production", &["webhooks:read"]).await;
    let (own, stream) = (path(&listener), format!("{}/deliveries", path(&listener)));
    let answer = format!("{stream}/{}", id(&listener));
    let body = json!({ "series": 1, "status": 200, "ms": 1, "excerpt": "" });
    let replies = [
        key.post(LISTENERS, json!({ "name": "laptop" })).await,
        reader.get(LISTENERS).await,
        key.get(&own).await,
        key.get(&stream).await,
        key.post(&answer, body).await,
        key.delete(&own).await,
    ];
    for reply in replies {
        reply.expect_refusal(403, "DEV_MODE_ONLY");
    }
}

#[story::test]
async fn a_listener_without_a_connection_for_a_day_is_deleted(test: &TestApp, shop: Shop) {
    let [kept, lost] =
        [open(&shop.key, "kept", &["*"]).await, open(&shop.key, "lost", &["*"]).await];
    shop.product(json!({})).await;
    test.pass(Duration::from_hours(23));
    let mut stream = connect(&shop.key, &kept).await;
    next(&mut stream).await;
    test.pass(Duration::from_hours(2));
    housekeeping::run(&test.app).await.expect("works");
    shop.product(json!({})).await;
    let delivery = next(&mut stream).await;
    let stream = format!("{}/deliveries", path(&lost));
    shop.key.get(&stream).await.expect_refusal(404, "NOT_FOUND");
    let deliveries = latest_event(&shop.key).await["deliveries"].clone();
    assert_eq!(deliveries.as_array().expect("is a list").len(), 1);
    let mut fresh = connect(&shop.key, &kept).await;
    let only = next(&mut fresh).await;
    assert_eq!(only["eventId"], delivery["eventId"], "what is older than a day is gone");
}

#[story::test]
async fn a_listener_is_read_with_its_secret_by_its_owner_and_does_not_live_longer(
    test: &TestApp,
    shop: Shop,
    other: Shop,
) {
    let opened = open(&shop.key, "laptop", &["product.created"]).await;
    let before = shop.key.list(LISTENERS).await;
    let reader = shop.key_for("development", &["webhooks:read"]).await;
    test.pass(Duration::from_hours(23));
    let read = shop.key.get(&path(&opened)).await.expect(200);
    assert_eq!(read["data"], opened);
    assert_eq!(shop.key.list(LISTENERS).await, before);
    other.key.get(&path(&opened)).await.expect_refusal(404, "NOT_FOUND");
    reader.get(&path(&opened)).await.expect_refusal(403, "INSUFFICIENT_PERMISSION");
    test.pass(Duration::from_hours(2));
    housekeeping::run(&test.app).await.expect("works");
    shop.key.get(&path(&opened)).await.expect_refusal(404, "NOT_FOUND");
}

#[story::test]
async fn few_connections_are_served_and_a_deleted_listener_has_none(test: &TestApp, shop: Shop) {
    let _ = test;
    let mut streams = Vec::new();
    for number in 0..CONNECTED_MAX {
        let listener = open(&shop.key, &format!("laptop {number}"), &["*"]).await;
        streams.push((connect(&shop.key, &listener).await, listener));
    }
    let last = open(&shop.key, "desk", &["*"]).await;
    let deliveries = format!("{}/deliveries", path(&last));
    shop.key.get(&deliveries).await.expect_refusal(429, "RATE_LIMITED");
    streams.pop();
    let mut stream = connect(&shop.key, &last).await;
    shop.key.delete(&path(&last)).await.expect(200);
    assert!(stream.next().await.is_none());
    shop.key.get(&deliveries).await.expect_refusal(404, "NOT_FOUND");
    for number in 0..2 {
        open(&shop.key, &format!("desk {number}"), &["*"]).await;
    }
    let one_more = json!({ "name": "one more" });
    shop.key.post(LISTENERS, one_more).await.expect_refusal(409, "ALREADY_EXISTS");
}
