//! Making events happen.

use serde_json::json;
use tostao::events::names::Name;

use crate::client::{Developer, objects};
use crate::harness::program::finish;
use crate::harness::receiver::Receiver;

/// Events that take time, another account or an administrator.
const SAMPLES: [&str; 19] = [
    "transaction.updated",
    "payment_link.expired",
    "coupon.expired",
    "withdrawal.completed",
    "advance.created",
    "advance.approved",
    "advance.rejected",
    "advance.cancelled",
    "advance.settled",
    "affiliate.commission_created",
    "affiliate.commission_paid",
    "cart.abandoned",
    "cart.recovered",
    "subscription.trial_will_end",
    "subscription.updated",
    "subscription.renewed",
    "subscription.payment_failed",
    "subscription.past_due",
    "subscription.expired",
];

#[story::test]
async fn every_event_happens_or_is_sent_as_its_example(database_url: &str) {
    let developer = Developer::new(database_url).await;
    for name in Name::ALL {
        let event = name.text();
        let [done] = developer.objects(&["trigger", event]).await.try_into().expect("is one");
        assert_eq!(done["sample"], SAMPLES.contains(&event), "{event}");
        let id = done["eventId"].as_str().expect("has an id");
        let [shown] = developer.objects(&["events", "show", id]).await.try_into().expect("is one");
        assert_eq!((&shown["event"], &shown["test"]), (&json!(event), &done["sample"]));
        if event.starts_with("transaction.") && done["sample"] == false {
            assert_eq!(done["transactionId"], shown["objectId"], "{event}");
        }
    }
}

#[story::test]
async fn a_payment_has_the_amount_and_the_method_that_were_asked_for(database_url: &str) {
    let developer = Developer::new(database_url).await;
    for (method, expected) in [("pix", "PIX"), ("boleto", "BOLETO"), ("card", "CREDIT_CARD")] {
        let words = ["trigger", "transaction.paid", "--amount", "777", "--method", method];
        let [paid] = developer.objects(&words).await.try_into().expect("is one");
        let id = paid["eventId"].as_str().expect("has an id");
        let [shown] = developer.objects(&["events", "show", id]).await.try_into().expect("is one");
        let transaction = &shown["data"]["transaction"];
        assert_eq!(
            (&transaction["amount"], &transaction["method"]),
            (&json!(777), &json!(expected))
        );
    }
    let link = json!({ "title": "Caneca", "amountCents": 2_500 });
    let link = developer.shop.client.post("/api/v1/payment-links", link).await.expect(201);
    let slug = link["data"]["slug"].as_str().expect("has one");
    let words = ["trigger", "payment_link.paid", "--link", slug];
    let said = developer.run(&words).await.good();
    assert!(said.contains(&format!("/pay/{slug}")), "{said}");
}

#[story::test]
async fn a_failed_delivery_says_which_address_answered_what(database_url: &str) {
    let (developer, program) = (Developer::new(database_url).await, Receiver::start().await);
    let wanted = json!({ "url": program.url, "events": ["product.created"] });
    developer.shop.client.post("/api/v1/webhooks/subscriptions", wanted).await.expect(201);
    program.answer(&[500]);
    let ended = developer.run(&["trigger", "product.created", "--wait"]).await;
    assert_eq!(ended.status, 4, "{ended:?}");
    let said = format!("product.created was not delivered to {}: HTTP 500.", program.url);
    assert!(ended.errors.contains(&said), "{ended:?}");
    let delivery = format!("Delivery to {}: PENDING", program.url);
    assert!(ended.out.contains(&delivery), "{ended:?}");
    program.answer(&[500]);
    let words = ["trigger", "product.created", "--wait", "-o", "json"];
    let [made] = objects(&developer.run(&words).await.out).try_into().expect("is one");
    assert!(made["eventId"].is_string() && made["transactionId"].is_null(), "{made}");
    assert_eq!(made["deliveries"][0]["lastStatusCode"], 500);
    developer.run(&["trigger", "product.created", "--wait"]).await.good();
}

#[story::test]
async fn what_exists_is_named_where_the_rest_fails(database_url: &str) {
    let developer = Developer::new(database_url).await;
    let ended = developer.run(&["trigger", "transaction.paid", "--wait"]).await;
    assert_eq!(ended.status, 4, "{ended:?}");
    assert!(ended.errors.contains("No webhook receives this event"), "{ended:?}");
    let [event] = developer
        .objects(&["events", "list", "--event", "transaction.paid"])
        .await
        .try_into()
        .expect("is one");
    for id in [&event["id"], &event["objectId"]] {
        assert!(ended.out.contains(id.as_str().expect("is text")), "{id}: {ended:?}");
    }
}

#[story::test]
async fn wrong_orders_make_nothing_happen(database_url: &str) {
    let developer = Developer::new(database_url).await;
    let table = [
        (&["trigger", "no.event"][..], 1),
        (&["trigger", "transaction.paid", "--count", "0"], 2),
        (&["trigger", "transaction.paid", "--count", "101"], 2),
        (&["trigger", "transaction.paid", "--amount=-1"], 1),
        (&["trigger", "transaction.paid", "--method", "cash"], 2),
        (&["trigger", "payment_link.paid", "--link", "no-such-link"], 1),
        (&["trigger", "transaction.paid", "--link", "no-such-link"], 2),
    ];
    for (words, code) in table {
        let ended = developer.run(words).await;
        assert_eq!(ended.status, code, "{words:?}: {ended:?}");
    }
    let real = developer.shop.with_real_money(&developer.server).await;
    let mut with_real_money = developer.command(&["trigger", "product.created"]);
    with_real_money.env("TOSTAO_API_KEY", &real.key);
    let ended = finish(with_real_money).await;
    assert_eq!(ended.status, 2, "{ended:?}");
    assert!(developer.objects(&["events", "list"]).await.is_empty());
}
