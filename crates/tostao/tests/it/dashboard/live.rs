//! What is new on open pages: the stream of names, and reading a page again.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::json;

use super::{Browser, EMAIL, join};
use crate::harness::TestApp;
use crate::harness::client::Stream;
use crate::harness::receiver::Receiver;
use crate::harness::shop::{Shop, id};
use crate::webhooks::subscribe;

const STREAM: &str = "/dashboard/dev/stream";
const BIA: &str = "bia@example.com";

/// The next names of a stream.
async fn names(stream: &mut Stream) -> Vec<String> {
    let (event, names) = stream.next().await.expect("goes on");
    assert_eq!(event, "change");
    serde_json::from_value(names).expect("is a list of names")
}

/// Reads until a name is heard; returns all that were.
async fn heard(stream: &mut Stream, wanted: &str) -> Vec<String> {
    let mut all = Vec::new();
    while !all.iter().any(|name| name == wanted) {
        all.extend(names(stream).await);
    }
    all
}

#[story::test]
async fn a_page_hears_of_the_events_of_its_account_and_mode_alone(
    test: &TestApp,
    shop: Shop,
    other: Shop,
) {
    shop.earn(1_000).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let mut stream = browser.listen(STREAM).await;
    assert_eq!(stream.headers["content-type"], "text/event-stream");
    assert_eq!(stream.headers["x-accel-buffering"], "no");
    other.earn(1_000).await;
    let real = shop.key_for("production", &["products:write"]).await;
    real.post("/api/v1/products", json!({ "name": "Caneca", "price": 100 })).await.expect(201);
    let sale = shop.sell(2_000).await;
    let named = format!("transactions {}", id(&sale));
    let all = heard(&mut stream, &named).await;
    let is_known =
        |name: &String| *name == named || name.starts_with("balance ") || name == "deliveries";
    assert!(all.iter().all(is_known), "{all:?}");
}

#[story::test]
async fn a_busy_account_is_looked_at_once_for_all_that_happened(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let mut stream = browser.listen(STREAM).await;
    let payments = |names: Vec<String>| {
        let payments = names.into_iter().filter(|name| name.starts_with("transactions "));
        payments.collect::<BTreeSet<_>>()
    };
    // A stream that is not read does not look, as one that waits for its second does not.
    let mut charges = BTreeSet::new();
    for _ in 0..40 {
        charges.insert(format!("transactions {}", id(&shop.charge(1_000).await)));
    }
    assert_eq!(payments(names(&mut stream).await), charges);
    let last = BTreeSet::from([format!("transactions {}", id(&shop.charge(1_000).await))]);
    assert_eq!(payments(names(&mut stream).await), last, "none of the others is looked at again");
}

#[story::test]
async fn a_page_hears_of_what_another_server_of_the_database_does(test: &TestApp, shop: Shop) {
    let Some(node) = test.another_node() else { return };
    let browser = Browser::signed_in(test, EMAIL).await;
    let mut stream = browser.listen(STREAM).await;
    let there = Shop { key: shop.key.at(&node), ..shop };
    let sale = there.charge(2_000).await;
    heard(&mut stream, &format!("transactions {}", id(&sale))).await;
}

#[story::test]
async fn a_page_hears_of_attempts_to_deliver(test: &TestApp, shop: Shop, receiver: Receiver) {
    subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let mut stream = browser.listen(STREAM).await;
    shop.product(json!({})).await;
    test.run_jobs().await;
    heard(&mut stream, "deliveries").await;
}

#[story::test]
async fn a_page_of_a_webhook_hears_when_it_is_switched_off(
    test: &TestApp,
    shop: Shop,
    receiver: Receiver,
) {
    let hook = subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    let path = format!("/dashboard/dev/developers/webhooks/{}", id(&hook));
    let browser = Browser::signed_in(test, EMAIL).await;
    let mut stream = browser.listen(STREAM).await;
    let marked = async || {
        let page = browser.page(&path).await;
        let state = page.within("<p id=\"live-state\" data-live=\"deliveries\"", "</p>");
        let state = state.expect("is marked").to_owned();
        (state, page.says("id=\"live-why\" data-live=\"deliveries\""))
    };
    let (before, _) = marked().await;
    receiver.answer(&[410]);
    shop.product(json!({})).await;
    test.run_jobs().await;
    heard(&mut stream, "deliveries").await;
    let (after, explains) = marked().await;
    assert!(before != after && explains, "{before} {after}");
}

#[story::test]
async fn only_a_page_of_ours_listens_and_only_with_a_session(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    assert_eq!(browser.get(STREAM).await.status, 403, "it does not say where it comes from");
    for site in ["cross-site", "same-site", "none"] {
        let foreign = Browser::signed_in(test, EMAIL).await.with("sec-fetch-site", site);
        assert_eq!(foreign.get(STREAM).await.status, 403, "{site}");
    }
    let stranger = Browser::new(test).with("sec-fetch-site", "same-origin");
    assert_eq!(stranger.get(STREAM).await.status, 401);
    let unknown = Browser::signed_in(test, EMAIL).await.with("sec-fetch-site", "same-origin");
    assert_eq!(unknown.get("/dashboard/nowhere/stream").await.status, 404);
    let key = shop.key.with("sec-fetch-site", "same-origin").with("host", "api.example.com");
    assert_eq!(key.get(STREAM).await.status, 401);
}

#[story::test]
async fn a_stream_ends_with_its_session_and_with_the_membership(test: &TestApp, shop: Shop) {
    join(test, &shop, BIA, "SUPPORT").await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let bia = Browser::signed_in(test, BIA).await;
    let (mut own, mut theirs) = (browser.listen(STREAM).await, bia.listen(STREAM).await);
    browser.post("/sign-out", &[]).await;
    let member = crate::members::person(&shop.owner, BIA).await;
    shop.owner.delete(&format!("/api/members/{member}")).await.expect(200);
    shop.charge(1_000).await;
    assert_eq!(own.next().await, None);
    assert_eq!(theirs.next().await, None);
}

#[story::test]
async fn listening_and_reading_again_do_not_put_off_the_end_of_a_session(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let again = Browser::new(test).with("x-live-part", "yes");
    again.hold(super::COOKIE, &browser.cookie(super::COOKIE).expect("is signed in"));
    test.pass(Duration::from_mins(29));
    let mut stream = browser.listen(STREAM).await;
    let page = again.page("/dashboard/dev/transactions").await;
    assert!(page.says("data-live=\"transactions\""));
    test.pass(Duration::from_mins(2));
    shop.charge(1_000).await;
    assert_eq!(stream.next().await, None);
    assert!(!browser.is_in().await);
}

#[story::test]
async fn a_person_listens_in_eight_pages_at_most(test: &TestApp) {
    test.shop("Loja").await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let mut streams = Vec::new();
    for _ in 0..8 {
        streams.push(browser.listen(STREAM).await);
    }
    let asking = Browser::new(test).with("sec-fetch-site", "same-origin");
    asking.hold(super::COOKIE, &browser.cookie(super::COOKIE).expect("is signed in"));
    assert_eq!(asking.get(STREAM).await.status, 429);
    streams.pop();
    browser.listen(STREAM).await;
}

#[story::test]
async fn the_parts_that_stay_current_are_marked(test: &TestApp, shop: Shop, receiver: Receiver) {
    let sale = shop.sell(2_000).await;
    let hook = subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let payment = format!("/dashboard/dev/transactions/{}", id(&sale));
    let webhook = format!("/dashboard/dev/developers/webhooks/{}", id(&hook));
    for (page, parts) in [
        ("/dashboard/dev", &["live-balances", "live-attention", "live-newest"][..]),
        ("/dashboard/dev/transactions", &["live-rows"]),
        (&*payment, &["live-state", "live-why", "live-to-pay", "live-timeline", "live-money"]),
        (&*webhook, &["live-state", "live-why", "live-deliveries"]),
    ] {
        let shown = browser.page(page).await;
        for part in parts {
            assert!(shown.says(&format!("id=\"{part}\" data-live=\"")), "{page}: {part}");
        }
    }
}
