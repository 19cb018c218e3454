//! Subscriptions: one record in two forms, its secret, its limits, and whose it is.

use std::collections::HashSet;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures_util::future::join_all;
use serde_json::{Value, json};
use tostao::events::names::{ALIASES, Name};

use crate::harness::TestApp;
use crate::harness::receiver::Receiver;
use crate::harness::shop::{Shop, id, merged};
use crate::webhooks::{SUBSCRIPTIONS, SUBSCRIPTIONS_V1, change, emit, path, read, subscribe};

const URL: &str = "https://example.com/hook?secret=abc";

#[story::test]
async fn both_forms_of_the_api_show_one_record(shop: Shop) {
    let body = json!({ "url": URL, "events": ["payment.completed", "*"], "isActive": false });
    let made = shop.key.post(SUBSCRIPTIONS_V1, body).await.expect(201);
    let first = without_secret(&made["subscription"]);
    let expected = json!({
        "id": first["id"], "url": URL, "description": null,
        "events": ["payment.completed", "*"], "isActive": false, "status": "INACTIVE",
        "disabledAt": null, "disabledReason": null, "lastTriggeredAt": null,
        "failingSince": null, "failures": 0,
        "createdAt": "2026-11-21T12:00:00.000Z", "updatedAt": "2026-11-21T12:00:00.000Z",
    });
    assert_eq!(first, expected);
    assert_eq!(read(&shop.key, &first).await, first);
    let body = json!({
        "url": URL, "events": ["product.created"], "description": " Estoque ",
        "status": "ACTIVE",
    });
    let made = shop.key.post(SUBSCRIPTIONS, body).await.expect(201);
    assert_eq!(made["success"], true);
    let second = without_secret(&made["data"]);
    assert_eq!((&second["description"], &second["isActive"]), (&json!("Estoque"), &json!(true)));
    for list in [SUBSCRIPTIONS, SUBSCRIPTIONS_V1] {
        let listed = shop.key.get(list).await.expect(200);
        assert_eq!(listed["data"], json!([second, first]), "{list}");
        assert_eq!(listed["pagination"], json!({ "total": 2, "page": 1, "limit": 20 }));
    }
    let put = shop.key.put(&path(&first, ""), json!({ "status": "ACTIVE" })).await.expect(200);
    assert_eq!((&put["success"], &put["data"]["isActive"]), (&json!(true), &json!(true)));
    assert_eq!(read(&shop.key, &first).await, put["data"]);
    let patched = change(&shop.key, &first, json!({ "isActive": false })).await;
    assert_eq!(patched["status"], "INACTIVE");
    let deleted = shop.key.delete(&path(&first, "")).await.expect(200);
    assert_eq!(deleted["success"], true);
    let path = format!("{SUBSCRIPTIONS_V1}/{}", id(&second));
    let deleted = shop.key.delete(&path).await.expect(200);
    assert_eq!(deleted, json!({ "message": "Webhook subscription deleted." }));
    assert_eq!(shop.key.get(SUBSCRIPTIONS).await.expect(200)["data"], json!([]));
}

#[story::test]
async fn a_secret_is_shown_when_it_is_made_and_never_again(shop: Shop) {
    let body = json!({ "url": URL, "events": ["*"] });
    let first = shop.key.post(SUBSCRIPTIONS_V1, body.clone()).await.expect(201);
    let second = shop.key.post(SUBSCRIPTIONS, body).await.expect(201);
    let hook = second["data"].clone();
    let rotated = shop.key.post(&path(&hook, "/rotate-secret"), json!({})).await.expect(200);
    let shown = [&first["subscription"], &hook, &rotated["data"]].map(|hook| {
        let secret = hook["secret"].as_str().expect("is shown");
        let key = secret.strip_prefix("whsec_").expect("says what it is");
        assert_eq!(STANDARD.decode(key).expect("is base64").len(), 32);
        secret
    });
    assert_eq!(HashSet::from(shown).len(), 3);
    let sample = json!({ "event": "product.created" });
    let first_path = format!("{SUBSCRIPTIONS_V1}/{}", id(&hook));
    let answers = [
        shop.key.get(SUBSCRIPTIONS).await,
        shop.key.get(SUBSCRIPTIONS_V1).await,
        shop.key.get(&first_path).await,
        shop.key.patch(&first_path, json!({ "isActive": true })).await,
        shop.key.put(&path(&hook, ""), json!({ "status": "ACTIVE" })).await,
        shop.key.post(&path(&hook, "/test"), sample).await,
        shop.key.get(&path(&hook, "/deliveries")).await,
        shop.key.get("/api/webhooks/events").await,
    ];
    for answer in answers {
        answer.expect(200);
        assert!(!answer.text.contains("whsec_"), "{}", answer.text);
        assert!(!answer.text.contains("\"secret\""), "{}", answer.text);
    }
}

#[story::test]
async fn a_change_touches_only_what_it_names(test: &TestApp, shop: Shop) {
    let body = json!({ "url": URL, "events": ["product.created"], "description": "Estoque" });
    let hook = shop.key.post(SUBSCRIPTIONS, body).await.expect(201)["data"].clone();
    let mut known = without_secret(&hook);
    let changes = [
        json!({ "description": null }),
        json!({ "events": ["*", "payment.failed"] }),
        json!({ "url": "https://example.com/other" }),
    ];
    for change_of in changes {
        test.pass(Duration::from_secs(1));
        let put = shop.key.put(&path(&hook, ""), change_of.clone()).await.expect(200);
        let updated = json!({ "updatedAt": put["data"]["updatedAt"] });
        assert_ne!(put["data"]["updatedAt"], known["updatedAt"]);
        known = merged(merged(known, &change_of), &updated);
        assert_eq!(put["data"], known);
        assert_eq!(read(&shop.key, &hook).await, known);
    }
    let described = change(&shop.key, &hook, json!({ "description": "Caixa" })).await;
    assert_eq!(described["description"], "Caixa");
}

#[story::test]
async fn every_bad_field_is_named(test: &TestApp) {
    let many = vec!["product.created"; 101];
    let long = "x".repeat(1_001);
    let table = [
        (json!({ "events": ["*"] }), vec!["url"]),
        (json!({ "url": URL }), vec!["events"]),
        (json!({ "url": URL, "events": [] }), vec!["events"]),
        (json!({ "url": URL, "events": many }), vec!["events"]),
        (json!({ "url": URL, "events": "*" }), vec!["events"]),
        (json!({ "url": 7, "events": ["*"] }), vec!["url"]),
        (json!({ "url": URL, "events": ["*"], "description": long }), vec!["description"]),
        (json!({ "url": URL, "events": [], "description": long }), vec!["description", "events"]),
    ];
    let shop = test.shop("Loja").await;
    for (body, fields) in &table {
        for path in [SUBSCRIPTIONS, SUBSCRIPTIONS_V1] {
            let refused = shop.key.post(path, body.clone()).await;
            assert_eq!(&refused.expect_refusal(400, "VALIDATION_ERROR"), fields, "{body}");
        }
    }
    let unknown = json!({ "url": URL, "events": ["*"], "status": "PAUSED" });
    let refused = shop.key.post(SUBSCRIPTIONS, unknown).await;
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["status"]);
    let hook = subscribe(&shop.key, URL, &["*"]).await;
    let refused = shop.key.put(&path(&hook, ""), json!({ "events": [] })).await;
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["events"]);
    let grace = json!({ "gracePeriodSeconds": 604_801 });
    let refused = shop.key.post(&path(&hook, "/rotate-secret"), grace).await;
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["gracePeriodSeconds"]);
    assert_eq!(shop.key.total(SUBSCRIPTIONS).await, 1);
}

#[story::test]
async fn an_unknown_event_is_refused_with_the_names_there_are(shop: Shop) {
    let hook = subscribe(&shop.key, URL, &["*"]).await;
    let events = json!({ "url": URL, "events": ["product.created", "product.sold"] });
    let first = format!("{SUBSCRIPTIONS_V1}/{}", id(&hook));
    let refusals = [
        shop.key.post(SUBSCRIPTIONS, events.clone()).await,
        shop.key.post(SUBSCRIPTIONS_V1, events.clone()).await,
        shop.key.put(&path(&hook, ""), events.clone()).await,
        shop.key.patch(&first, events).await,
        shop.key.post(&path(&hook, "/test"), json!({ "event": "product.sold" })).await,
        shop.key.get("/api/webhooks/events?event=product.sold").await,
    ];
    for refused in refusals {
        refused.expect_refusal(400, "INVALID_EVENT_NAME");
        let message = refused.json()["message"].as_str().expect("is a text").to_owned();
        assert!(message.contains("\"product.sold\""), "{message}");
        let own = Name::ALL.iter().map(|name| name.text());
        for name in own.chain(ALIASES.iter().map(|(alias, _)| *alias)).chain(["*"]) {
            assert!(message.contains(name), "{name}: {message}");
        }
    }
    assert_eq!(read(&shop.key, &hook).await["events"], json!(["*"]));
}

#[story::test]
async fn every_kind_of_event_is_listed_with_its_other_names(shop: Shop) {
    let listed = shop.key.get("/api/webhooks/event-types").await.expect(200);
    let kinds = listed["data"].as_array().expect("is a list");
    let names: Vec<_> = kinds.iter().map(|kind| kind["name"].clone()).collect();
    let all: Vec<_> = Name::ALL.iter().map(|name| json!(name.text())).collect();
    assert_eq!(names, all);
    let aliases = |name: &str| {
        let kind = kinds.iter().find(|kind| kind["name"] == name).expect("is listed");
        kind["aliases"].clone()
    };
    let paid = json!(["payment.completed", "transaction.completed"]);
    assert_eq!(aliases("transaction.paid"), paid);
    assert_eq!(aliases("transaction.created"), json!(["payment.pending"]));
    assert_eq!(aliases("product.created"), json!([]));
    for kind in kinds {
        let about = kind["example"].as_object().expect("is an object");
        assert!(!about.is_empty(), "{}", kind["name"]);
    }
    insta::assert_json_snapshot!("event_types", listed["data"]);
}

#[story::test]
async fn every_name_that_the_contract_publishes_can_be_subscribed(test: &TestApp) {
    let published = [
        "transaction.paid",
        "transaction.refunded",
        "transaction.cancelled",
        "transaction.expired",
        "payment_link.paid",
        "payment_link.expired",
        "withdrawal.completed",
        "withdrawal.failed",
        "affiliate.commission_created",
        "payment.completed",
        "payment.failed",
        "payment.pending",
        "payment.refunded",
        "payment.cancelled",
        "payment_link.created",
        "payment_link.updated",
        "payment_link.deleted",
        "product.created",
        "product.updated",
        "product.deleted",
        "coupon.created",
        "coupon.used",
        "coupon.expired",
        "transaction.created",
        "transaction.completed",
        "transaction.failed",
        "transaction.updated",
        "balance.updated",
    ];
    let shop = test.shop("Loja").await;
    let hook = subscribe(&shop.key, URL, &published).await;
    assert_eq!(read(&shop.key, &hook).await["events"], json!(published));
    let own = Name::ALL.iter().map(|name| name.text());
    let all: Vec<_> = own.chain(ALIASES.iter().map(|(alias, _)| *alias)).collect();
    assert_eq!(change(&shop.key, &hook, json!({ "events": all })).await["events"], json!(all));
}

#[story::test]
async fn each_mode_has_room_for_twenty(shop: Shop) {
    let body = json!({ "url": URL, "events": ["*"] });
    let tries = (0..25).map(|_| shop.key.post(SUBSCRIPTIONS, body.clone()));
    let (made, refused): (Vec<_>, Vec<_>) =
        join_all(tries).await.into_iter().partition(|reply| reply.status == 201);
    assert_eq!((made.len(), refused.len()), (20, 5));
    for reply in refused {
        reply.expect_refusal(409, "ALREADY_EXISTS");
    }
    let production = shop.key_for("production", &["webhooks:write"]).await;
    production.post(SUBSCRIPTIONS, body.clone()).await.expect(201);
    shop.key.delete(&path(&made[0].json()["data"], "")).await.expect(200);
    shop.key.post(SUBSCRIPTIONS_V1, body.clone()).await.expect(201);
    shop.key.post(SUBSCRIPTIONS_V1, body).await.expect_refusal(409, "ALREADY_EXISTS");
}

#[story::test]
async fn a_deleted_subscription_is_gone_and_gets_nothing(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let hook = subscribe(&shop.key, &receiver.url, &["*"]).await;
    shop.product(json!({})).await;
    shop.key.delete(&path(&hook, "")).await.expect(200);
    emit(test, &shop).await;
    assert_eq!(receiver.take_names(), [""; 0]);
    let event = super::latest_event(&shop.key).await;
    assert_eq!(event["deliveries"], json!([]));
    for reply in use_every_route(&shop.key, &hook).await {
        reply.expect_refusal(404, "NOT_FOUND");
    }
}

async fn use_every_route(
    key: &crate::harness::client::Client,
    hook: &Value,
) -> Vec<crate::harness::reply::Reply> {
    let first = format!("{SUBSCRIPTIONS_V1}/{}", id(hook));
    vec![
        key.get(&first).await,
        key.patch(&first, json!({ "isActive": false })).await,
        key.put(&path(hook, ""), json!({ "status": "INACTIVE" })).await,
        key.post(&path(hook, "/rotate-secret"), json!({})).await,
        key.post(&path(hook, "/test"), json!({ "event": "product.created" })).await,
        key.get(&path(hook, "/deliveries")).await,
        key.delete(&first).await,
        key.delete(&path(hook, "")).await,
    ]
}

fn without_secret(hook: &Value) -> Value {
    let mut hook = hook.clone();
    hook.as_object_mut().expect("is an object").remove("secret").expect("was shown");
    hook
}
