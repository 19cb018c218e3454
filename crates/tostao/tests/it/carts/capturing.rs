//! Capturing: one cart a buyer and day, emitted after half an hour, and nothing for strangers.

use std::time::Duration;

use db::tx::Tx;
use futures_util::future::join_all;
use serde_json::{Value, json};
use tostao::carts::{CartCapture, capture as capture_in};
use tostao::payment_links;

use crate::carts::{ANA, DAY, HELD, buy, capture, capture_path, listed, only, recover_path};
use crate::harness::shop::{Shop, id, link_path};
use crate::harness::{TestApp, rate_limited};

#[story::test]
async fn a_further_capture_goes_into_the_same_cart_for_a_day(test: &TestApp, shop: Shop) {
    let link = shop.link(10_000).await;
    let first = capture(test, &link, ANA, json!({ "clientName": "Ana" })).await;
    assert_eq!(first.expect(201), json!({ "message": "Cart noted." }));
    test.pass(DAY.saturating_sub(Duration::from_secs(1)));
    let product = shop.product(json!({})).await;
    let more = json!({
        "clientDocument": "529.982.247-25", "clientPhone": "+55 11 91234-5678",
        "items": [{ "productId": id(&product), "quantity": 2 }],
        "utm": { "source": "boletim", "campaign": "natal" }, "clientName": " ",
    });
    let again = capture(test, &link, " Ana@Example.com ", more).await;
    assert_eq!(again.expect(200), json!({ "message": "Cart noted." }));
    let cart = only(&shop, &link).await;
    assert_eq!(cart["clientEmail"], ANA);
    assert_eq!((&cart["clientName"], &cart["status"]), (&json!("Ana"), &json!("ABANDONED")));
    assert_eq!(cart["clientDocument"], "529.***.***-**");
    assert_eq!(cart["clientPhone"], "+5511912345678");
    assert_eq!(cart["items"], json!([{ "productId": id(&product), "quantity": 2 }]));
    assert_eq!(cart["utm"]["source"], "boletim");
    assert_eq!(cart["utm"]["campaign"], "natal");
    assert_eq!(cart["createdAt"], "2026-11-21T12:00:00.000Z");
    assert_eq!(cart["updatedAt"], "2026-11-22T11:59:59.000Z");

    test.pass(Duration::from_secs(1));
    capture(test, &link, ANA, json!({})).await.expect(201);
    assert_eq!(listed(&shop, &link, "").await["pagination"]["total"], 2);
    let other = shop.link(5_000).await;
    capture(test, &other, ANA, json!({})).await.expect(201);
    assert_eq!(only(&shop, &other).await["clientName"], Value::Null);
}

#[story::test]
async fn an_invalid_capture_names_the_field_and_a_deleted_link_is_not_found(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let link = shop.link(10_000).await;
    let bad = json!({
        "clientDocument": "1", "clientPhone": "x", "clientName": "a".repeat(256),
        "utm": { "source": "a".repeat(256) },
    });
    let fields = capture(test, &link, "ana", bad).await;
    assert_eq!(
        fields.expect_refusal(400, "VALIDATION_ERROR"),
        ["clientEmail", "clientName", "clientDocument", "clientPhone", "utm.source"]
    );
    let nothing = test.anyone().post(&capture_path(&link), json!({})).await;
    assert_eq!(nothing.expect_refusal(400, "VALIDATION_ERROR"), ["clientEmail"]);
    capture(test, &json!({ "slug": "123456789ABC" }), ANA, json!({})).await.expect(404);
    shop.change_link(&link, json!({ "status": "INACTIVE" })).await;
    capture(test, &link, ANA, json!({})).await.expect(410);
    shop.key.delete(&link_path(&link)).await.expect(200);
    capture(test, &link, ANA, json!({})).await.expect(404);
}

#[story::test]
async fn the_event_is_emitted_once_half_an_hour_after_the_last_capture(test: &TestApp, shop: Shop) {
    let link = shop.link(10_000).await;
    capture(test, &link, ANA, json!({})).await.expect(201);
    test.run_jobs_after(HELD.saturating_sub(Duration::from_secs(1))).await;
    capture(test, &link, ANA, json!({})).await.expect(200);
    test.run_jobs_after(HELD.saturating_sub(Duration::from_secs(1))).await;
    assert!(shop.events_of("cart.").await.is_empty());
    test.run_jobs_after(Duration::from_secs(1)).await;
    assert_eq!(shop.events_of("cart.").await, ["cart.abandoned"]);
    capture(test, &link, ANA, json!({})).await.expect(200);
    test.run_jobs_after(DAY).await;
    assert_eq!(shop.events_of("cart.").await, ["cart.abandoned"]);
}

#[story::test]
async fn no_event_is_emitted_for_a_buyer_who_pays_within_half_an_hour(test: &TestApp, shop: Shop) {
    let link = shop.link(10_000).await;
    capture(test, &link, ANA, json!({})).await.expect(201);
    test.pass(HELD.saturating_sub(Duration::from_secs(1)));
    let paid = buy(&shop, &link, "ANA@example.com").await;
    test.run_jobs_after(DAY).await;
    let cart = only(&shop, &link).await;
    assert_eq!((&cart["status"], &cart["transactionId"]), (&json!("RECOVERED"), &paid["id"]));
    assert!(shop.events_of("cart.").await.is_empty());
}

#[story::test]
async fn of_many_captures_at_once_there_is_one_cart(test: &TestApp, shop: Shop) {
    let link = shop.link(10_000).await;
    let captured = join_all((0..16).map(|_| capture(test, &link, ANA, json!({})))).await;
    let new = captured.iter().filter(|reply| reply.status == 201).count();
    assert!(captured.iter().all(|reply| matches!(reply.status, 200 | 201)));
    assert_eq!(new, 1);
    only(&shop, &link).await;
    test.run_jobs_after(HELD).await;
    assert_eq!(shop.events_of("cart.").await, ["cart.abandoned"]);
}

#[story::test]
async fn a_response_depends_only_on_its_callers_own_requests(test: &TestApp, shop: Shop) {
    let link = shop.link(10_000).await;
    let (victim, stranger) = (test.anyone().with("x-device-id", "a"), test.anyone());
    let known = json!({ "clientEmail": ANA });
    victim.post(&capture_path(&link), known.clone()).await.expect(201);
    let paid = json!({ "clientEmail": "paid@example.com" });
    victim.post(&capture_path(&link), paid.clone()).await.expect(201);
    buy(&shop, &link, "paid@example.com").await;
    let unknown = json!({ "clientEmail": "nobody@example.com" });
    for status in [201, 200, 200] {
        let replies = [&known, &paid, &unknown].map(|body| {
            let (stranger, path) = (&stranger, capture_path(&link));
            async move {
                let client = stranger.with("x-request-id", "same-request");
                client.post(&path, body.clone()).await
            }
        });
        let replies = join_all(replies).await;
        for reply in &replies {
            assert_eq!((reply.status, &reply.text), (status, &replies[0].text));
            assert_eq!(reply.headers, replies[0].headers);
        }
        test.pass(Duration::from_hours(1));
        buy(&shop, &link, ANA).await;
    }
}

#[story::test]
async fn the_work_of_a_capture_is_the_same_whatever_there_is(test: &TestApp, shop: Shop) {
    let link = shop.link(10_000).await;
    let slug = link["slug"].as_str().expect("has one").to_owned();
    let work = async |email: &str| {
        let (slug, email) = (slug.clone(), email.to_owned());
        let unit = async move |tx: &Tx| {
            let new = CartCapture {
                email: email.clone(),
                name: None,
                document: None,
                phone: None,
                items: None,
                utm: None,
            };
            let (scope, link, _) = payment_links::find_public(tx, &slug).await?;
            capture_in(tx, scope, link.id, email.as_bytes(), &new).await?;
            Ok(tx.statements())
        };
        test.app.transact(unit).await.expect("is captured")
    };
    let first = work(ANA).await;
    assert_eq!((work(ANA).await, work("b@example.com").await), (first, first));
    test.pass(DAY);
    assert_eq!(work(ANA).await, first);
    buy(&shop, &link, ANA).await;
    assert_eq!(work(ANA).await, first);
}

#[story::test(rate_limited)]
async fn an_address_captures_and_recovers_thirty_times_a_minute(test: &TestApp, shop: Shop) {
    let link = shop.link(10_000).await;
    for number in 0..30 {
        let email = format!("buyer{number}@example.com");
        capture(test, &link, &email, json!({})).await.expect(201);
    }
    capture(test, &link, ANA, json!({})).await.expect_refusal(429, "RATE_LIMITED");
    let body = json!({ "clientEmail": ANA });
    test.anyone().post(&recover_path(&link), body).await.expect_refusal(429, "RATE_LIMITED");
    test.pass(Duration::from_mins(1));
    capture(test, &link, ANA, json!({})).await.expect(201);
}
