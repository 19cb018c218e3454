//! Coming back: by paying, by an address, by saying so; and being forgotten.

use std::time::Duration;

use serde_json::{Value, json};

use crate::carts::{ANA, DAY, HELD, buy, capture, listed, only, order, recover_path};
use crate::harness::TestApp;
use crate::harness::receiver::Receiver;
use crate::harness::shop::Shop;
use crate::webhooks::subscribe;

/// The response to every recovery.
const ANSWER: &str = "If there is an abandoned cart, it is marked as recovered.";

/// The token in the address of a link's only cart.
async fn token(shop: &Shop, link: &Value) -> String {
    let address = only(shop, link).await["recoveryUrl"].as_str().expect("has one").to_owned();
    address.split_once("?rc=").expect("has a token").1.to_owned()
}

#[story::test]
async fn a_buyer_who_pays_recovers_all_their_carts_of_the_link(test: &TestApp, shop: Shop) {
    let (link, other) = (shop.link(10_000).await, shop.link(5_000).await);
    for day in 0..2 {
        capture(test, &link, ANA, json!({})).await.expect(201);
        assert_eq!(listed(&shop, &link, "").await["totals"]["abandoned"], day + 1);
        test.run_jobs_after(DAY).await;
    }
    capture(test, &link, "bia@example.com", json!({})).await.expect(201);
    capture(test, &other, ANA, json!({})).await.expect(201);
    test.run_jobs_after(HELD).await;
    let paid = buy(&shop, &link, ANA).await;
    let carts = listed(&shop, &link, "?status=RECOVERED").await;
    assert_eq!(carts["totals"], json!({ "total": 3, "abandoned": 1, "recovered": 2 }));
    assert_eq!(carts["pagination"]["total"], 2);
    for cart in carts["data"].as_array().expect("is a list") {
        assert_eq!((&cart["transactionId"], &cart["clientEmail"]), (&paid["id"], &json!(ANA)));
        assert_eq!(cart["recoveredAt"], paid["paidAt"]);
    }
    assert_eq!(only(&shop, &other).await["status"], "ABANDONED");
    let names = shop.events_of("cart.").await;
    assert_eq!(names[names.len() - 2..], ["cart.recovered", "cart.recovered"]);
    assert_eq!(names.len(), 4 + 2);
    // The buyer has no cart left that a second purchase could recover.
    let again = buy(&shop, &link, ANA).await;
    assert_ne!(again["id"], paid["id"]);
    assert_eq!(shop.events_of("cart.").await.len(), 6);
    let carts = listed(&shop, &link, "?status=RECOVERED").await;
    assert_eq!(carts["data"][0]["transactionId"], paid["id"]);
}

#[story::test]
async fn a_late_payment_that_goes_back_because_it_is_sold_out_recovers_no_cart(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let last = json!({ "amountCents": 1_000, "stockEnabled": true, "stockQuantity": 1 });
    let link = shop.link_with(last).await;
    capture(test, &link, ANA, json!({})).await.expect(201);
    let late = order(&shop, &link, ANA).await;
    test.run_jobs_after(Duration::from_hours(1)).await;
    buy(&shop, &link, "bia@example.com").await;
    assert_eq!(shop.pay(&late).await["oversold"], true);
    test.run_jobs().await;
    let cart = only(&shop, &link).await;
    assert_eq!((&cart["status"], &cart["transactionId"]), (&json!("ABANDONED"), &Value::Null));
    assert_eq!(shop.events_of("cart.recovered").await, [""; 0]);
}

#[story::test]
async fn every_recovery_request_gets_the_same_response(test: &TestApp, shop: Shop) {
    let link = shop.link(10_000).await;
    capture(test, &link, ANA, json!({})).await.expect(201);
    test.run_jobs_after(HELD).await;
    let ours = token(&shop, &link).await;
    let anyone = test.anyone().with("x-request-id", "same-request");
    let mut replies = Vec::new();
    for body in [
        json!({ "clientEmail": "nobody@example.com" }),
        json!({ "token": "abc" }),
        json!({ "token": &ours[1..], "clientEmail": ANA }),
        json!({ "token": ours }),
        json!({ "clientEmail": "ANA@example.com" }),
    ] {
        replies.push(anyone.post(&recover_path(&link), body).await);
    }
    for reply in &replies {
        assert_eq!(reply.expect(200), json!({ "message": ANSWER }));
        assert_eq!(reply.headers, replies[0].headers);
    }
    assert_eq!(only(&shop, &link).await["status"], "ABANDONED");
    test.run_jobs().await;
    let cart = only(&shop, &link).await;
    assert_eq!((&cart["status"], &cart["transactionId"]), (&json!("RECOVERED"), &Value::Null));
    assert_eq!(shop.events_of("cart.").await, ["cart.abandoned", "cart.recovered"]);
    let nowhere = recover_path(&json!({ "slug": "123456789ABC" }));
    anyone.post(&nowhere, json!({ "clientEmail": ANA })).await.expect(404);
    let nothing = anyone.post(&recover_path(&link), json!({})).await;
    assert_eq!(nothing.expect_refusal(400, "VALIDATION_ERROR"), ["clientEmail"]);
    let long = anyone.post(&recover_path(&link), json!({ "token": "a".repeat(256) })).await;
    assert_eq!(long.expect_refusal(400, "VALIDATION_ERROR"), ["token"]);
    // The payment is written into the cart, and no second event is emitted.
    let paid = buy(&shop, &link, ANA).await;
    assert_eq!(only(&shop, &link).await["transactionId"], paid["id"]);
    assert_eq!(shop.events_of("cart.").await.len(), 2);
}

#[story::test]
async fn a_token_recovers_its_own_cart_on_its_own_link_alone(test: &TestApp, shop: Shop) {
    let (link, other) = (shop.link(10_000).await, shop.link(5_000).await);
    capture(test, &link, ANA, json!({})).await.expect(201);
    let ours = token(&shop, &link).await;
    let stranger = test.shop("Outra").await;
    let anothers = stranger.link(1_000).await;
    for link in [&other, &anothers] {
        let body = json!({ "token": ours });
        test.anyone().post(&recover_path(link), body).await.expect(200);
    }
    test.run_jobs().await;
    assert_eq!(only(&shop, &link).await["status"], "ABANDONED");
    test.anyone().post(&recover_path(&link), json!({ "token": ours })).await.expect(200);
    test.run_jobs().await;
    assert_eq!(only(&shop, &link).await["status"], "RECOVERED");
    assert!(shop.events_of("cart.").await.is_empty());
}

#[story::test]
async fn a_merchant_finds_what_was_left_by_status_and_day(test: &TestApp, shop: Shop) {
    let link = shop.link(10_000).await;
    capture(test, &link, ANA, json!({})).await.expect(201);
    buy(&shop, &link, ANA).await;
    test.pass(DAY);
    for email in ["bia@example.com", "caio@example.com"] {
        capture(test, &link, email, json!({})).await.expect(201);
    }
    let table = [
        ("", 3, (3, 2, 1)),
        ("?status=ABANDONED", 2, (3, 2, 1)),
        ("?status=RECOVERED", 1, (3, 2, 1)),
        ("?createdFrom=2026-11-22T12:00:00Z", 2, (2, 2, 0)),
        ("?createdTo=2026-11-22T12:00:00Z", 1, (1, 0, 1)),
        ("?status=ABANDONED&createdTo=2026-11-22T12:00:00Z", 0, (1, 0, 1)),
    ];
    for (query, found, (total, abandoned, recovered)) in table {
        let carts = listed(&shop, &link, query).await;
        let totals = json!({ "total": total, "abandoned": abandoned, "recovered": recovered });
        assert_eq!(carts["totals"], totals, "{query}");
        assert_eq!(carts["data"].as_array().map(Vec::len), Some(found), "{query}");
        assert_eq!(carts["pagination"]["total"], found, "{query}");
    }
}

#[story::test]
async fn personal_data_is_erased_after_ninety_days_by_the_merchants_clock(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let link = shop.link(10_000).await;
    let who = json!({ "clientName": "Ana", "clientDocument": "529.982.247-25" });
    capture(test, &link, ANA, who).await.expect(201);
    let ninety_days = 90 * 24 * 3_600;
    let almost = json!({ "seconds": ninety_days - 1 });
    shop.key.post("/api/dev/clock/advance", almost).await.expect(200);
    assert_eq!(only(&shop, &link).await["clientEmail"], ANA);
    test.pass(Duration::from_secs(1));
    // It is seen as gone before the job has run, and the same afterwards.
    let seen = only(&shop, &link).await;
    for field in ["clientEmail", "clientName", "clientDocument", "clientPhone", "recoveryUrl"] {
        assert_eq!(seen[field], Value::Null, "{field}");
    }
    test.run_jobs().await;
    let cart = only(&shop, &link).await;
    assert_eq!(cart, seen);
    assert_eq!(cart["status"], "ABANDONED");
    buy(&shop, &link, ANA).await;
    assert_eq!(only(&shop, &link).await["status"], "ABANDONED");
}

#[story::test]
async fn a_reset_deletes_carts_and_who_captured_them(test: &TestApp, shop: Shop) {
    let link = shop.link(10_000).await;
    capture(test, &link, ANA, json!({})).await.expect(201);
    shop.key.post("/api/dev/reset", json!({})).await.expect(200);
    test.run_jobs_after(DAY).await;
    assert!(shop.events().await.is_empty());
    let engine = crate::harness::engine::Engine::open(test).await;
    for table in ["carts", "cart_visits"] {
        let counted = format!("select cast(count(*) as text) from {table}");
        assert_eq!(engine.rows(&counted).await, [["0"]], "{table}");
    }
}

#[story::test]
async fn the_event_has_the_buyer_the_cart_and_its_recovery_url(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let receiver = Receiver::start().await;
    subscribe(&shop.key, &receiver.url, &["cart.abandoned", "cart.recovered"]).await;
    let link = shop.link(10_000).await;
    capture(test, &link, ANA, json!({ "clientDocument": "529.982.247-25" })).await.expect(201);
    test.run_jobs_after(HELD).await;
    let left = receiver.take_one().json();
    let cart = &left["data"]["cartAbandonment"];
    assert_eq!(cart["clientDocument"], "529.***.***-**");
    assert_eq!(left["data"]["paymentLink"]["id"], link["id"]);
    assert_eq!(cart, &only(&shop, &link).await);
    let paid = buy(&shop, &link, ANA).await;
    test.run_jobs().await;
    let back = receiver.take_one().json();
    assert_eq!(back["event"], "cart.recovered");
    assert_eq!(back["data"]["cartAbandonment"]["transactionId"], paid["id"]);
    assert_eq!(back["objectId"], left["objectId"]);
    assert!(back["sequence"].as_i64() > left["sequence"].as_i64());
}
