//! The history of events and their deliveries.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::TestApp;
use crate::harness::receiver::Receiver;
use crate::harness::shop::id;
use crate::webhooks::{deliveries, emit, path, subscribe};

const EVENTS: &str = "/api/webhooks/events";

#[story::test]
async fn an_event_is_listed_with_its_deliveries_and_shown_with_its_data(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let hook = subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    let product = emit(test, &shop).await;
    shop.link(1_000).await;
    let listed = shop.key.get(EVENTS).await.expect(200);
    let [link, reported] = [&listed["data"][0], &listed["data"][1]];
    assert_eq!((&link["event"], &link["deliveries"]), (&json!("payment_link.created"), &json!([])));
    let now = "2026-11-21T12:00:00.000Z";
    let expected = json!({
        "id": receiver.take_one().json()["id"], "event": "product.created", "devMode": true,
        "test": false, "objectId": id(&product), "sequence": 1, "createdAt": now,
        "deliveries": [{
            "subscriptionId": id(&hook), "status": "DELIVERED", "attempts": 1,
            "lastStatusCode": 200, "lastError": null, "lastAttemptAt": now,
            "nextAttemptAt": null,
        }],
    });
    assert_eq!(reported, &expected);
    assert_eq!(listed["pagination"], json!({ "total": 2, "page": 1, "limit": 20 }));
    let shown = shop.key.get(&format!("{EVENTS}/{}", id(reported))).await.expect(200);
    let mut shown = shown["data"].clone();
    let data = shown.as_object_mut().expect("is an object").remove("data");
    assert_eq!(data, Some(json!({ "product": product })));
    assert_eq!(&shown, reported);
}

#[story::test]
async fn events_are_filtered_by_name_standing_subscription_and_time(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let made = subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    let paid = subscribe(&shop.key, &receiver.url, &["payment.completed"]).await;
    receiver.answer(&[200, 500]);
    emit(test, &shop).await;
    test.pass(Duration::from_mins(1));
    emit(test, &shop).await;
    test.pass(Duration::from_mins(1));
    shop.pay(&shop.charge(1_000).await).await;
    let all = shop.key.get(EVENTS).await.expect(200)["data"].clone();
    let (made, paid, second) = (id(&made), id(&paid), id(&all[3]));
    let table = [
        ("event=product.created".to_owned(), vec![3, 4]),
        ("event=payment.completed".to_owned(), vec![1]),
        ("event=transaction.paid".to_owned(), vec![1]),
        ("event=product.deleted".to_owned(), vec![]),
        ("status=DELIVERED".to_owned(), vec![4]),
        ("status=PENDING".to_owned(), vec![1, 3]),
        ("status=FAILED".to_owned(), vec![]),
        (format!("subscriptionId={made}"), vec![3, 4]),
        (format!("subscriptionId={paid}"), vec![1]),
        (format!("subscriptionId={made}&status=PENDING"), vec![3]),
        (format!("subscriptionId={second}"), vec![]),
        (format!("after={second}"), vec![0, 1, 2]),
        ("after=2026-11-21T12:00:00Z".to_owned(), vec![0, 1, 2, 3]),
        ("after=2026-11-21T11:59:59.999Z&event=product.created".to_owned(), vec![3, 4]),
        ("after=2027-01-01T00:00:00Z".to_owned(), vec![]),
    ];
    for (query, expected) in table {
        let listed = shop.key.get(&format!("{EVENTS}?{query}")).await.expect(200);
        let expected: Vec<Value> = expected.into_iter().map(|n: usize| all[n].clone()).collect();
        assert_eq!(listed["pagination"]["total"], expected.len(), "{query}");
        assert_eq!(listed["data"], json!(expected), "{query}");
    }
}

#[story::test]
async fn a_deleted_subscriptions_deliveries_leave_the_history(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let gone = subscribe(&shop.key, &receiver.url, &["*"]).await;
    let kept = subscribe(&shop.key, &receiver.url, &["*"]).await;
    emit(test, &shop).await;
    shop.key.delete(&path(&gone, "")).await.expect(200);
    let event = super::latest_event(&shop.key).await;
    let shown = shop.key.get(&format!("{EVENTS}/{}", id(&event))).await.expect(200);
    for reported in [&event, &shown["data"]] {
        let left = reported["deliveries"].as_array().expect("is a list");
        assert_eq!(left.len(), 1);
        assert_eq!(left[0]["subscriptionId"], kept["id"]);
    }
    assert_eq!(deliveries(&shop.key, &kept).await.len(), 1);
}

#[story::test]
async fn a_key_sees_the_data_of_events_about_what_it_may_read(test: &TestApp) {
    let read = |needed: &[&str]| needed.iter().map(|text| json!(text)).collect::<Vec<_>>();
    let rows: [(&str, &[&str]); 5] = [
        ("transaction.paid", &["transactions:read"]),
        ("payment_link.paid", &["paymentLinks:read", "transactions:read"]),
        ("payment_link.created", &["paymentLinks:read"]),
        ("product.created", &["products:read"]),
        ("balance.updated", &["withdrawals:read"]),
    ];
    let shop = test.shop("Loja").await;
    let product = shop.product(json!({})).await;
    let items = json!([{ "productId": id(&product), "quantity": 1 }]);
    let link = shop.link_with(json!({ "products": items, "amountCents": 1_000 })).await;
    let charge = shop.try_charge(json!({ "paymentLinkId": id(&link) })).await;
    shop.pay(&charge.expect(201)["transaction"]).await;
    let alone = shop.key_for("development", &["webhooks:read"]).await;
    for (name, needed) in rows {
        let listed = alone.get(&format!("/api/webhooks/events?event={name}")).await.expect(200);
        let event = listed["data"][0].clone();
        assert_eq!(event.get("data"), None, "{name}");
        let path = format!("/api/webhooks/events/{}", id(&event));
        let hidden = alone.get(&path).await.expect(200)["data"].clone();
        assert_eq!(hidden.get("data"), None, "{name}");
        assert_eq!(hidden["requiredPermissions"], json!(read(needed)), "{name}");
        assert_eq!((&hidden["id"], &hidden["objectId"]), (&event["id"], &event["objectId"]));

        let key = [&["webhooks:read"], needed].concat();
        let key = shop.key_for("development", &key).await;
        let owner = shop.owner.with("x-dev-mode", "true");
        for reader in [&key, &owner] {
            let shown = reader.get(&path).await.expect(200)["data"].clone();
            assert!(shown["data"].is_object(), "{name}");
            assert_eq!(shown.get("requiredPermissions"), None, "{name}");
        }
    }
}

#[story::test]
async fn a_key_that_only_sends_events_again_does_not_read_them(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let hook = subscribe(&shop.key, &receiver.url, &["*"]).await;
    shop.charge(1_000).await;
    test.run_jobs().await;
    let reported = receiver.take_one().json();
    let alone = shop.key_for("development", &["webhooks:write"]).await;
    let again = format!("/api/webhooks/events/{}/redeliver", id(&reported));
    let answer = alone.post(&again, json!({})).await.expect(200)["data"].clone();
    assert_eq!(answer.get("data"), None);
    assert_eq!(answer["requiredPermissions"], json!(["transactions:read"]));
    test.run_jobs().await;
    assert_eq!(receiver.take_one().json(), reported);
    let sample = json!({ "event": "transaction.paid" });
    let tried = alone.post(&path(&hook, "/test"), sample).await.expect(200)["data"].clone();
    assert!(tried["data"].is_object());
}
