//! Limits as callers see them, and as an operator sets them.

use std::net::Ipv6Addr;
use std::time::Duration;

use serde_json::json;

use crate::harness::page::Page;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, every_permission, id};
use crate::harness::{TestApp, rate_limited, rate_limited_to};

/// The limit and the remaining requests, as in a response's headers.
#[track_caller]
fn rate_limit_state(reply: &Reply) -> (u64, u64) {
    let number = |name: &str| {
        let text = reply.header(name).unwrap_or_else(|| panic!("{name} is missing"));
        text.parse::<u64>().expect("is a number")
    };
    number("ratelimit-reset");
    (number("ratelimit-limit"), number("ratelimit-remaining"))
}

#[story::test(rate_limited)]
async fn every_response_has_the_callers_rate_limit_state(test: &TestApp, shop: Shop) {
    let link = shop.link(100).await;
    let slug = link["slug"].as_str().expect("has one");
    let anyone = test.anyone();
    let answers = [
        (200, anyone.get(&format!("/pay/{slug}")).await),
        (200, anyone.get(&format!("/api/payment-links/public/slug/{slug}")).await),
        (200, anyone.get("/healthz").await),
        (401, anyone.get("/api/v1/products").await),
        (404, anyone.get("/pay/123456789ABC").await),
        (404, anyone.get("/nowhere").await),
        (405, anyone.delete("/api/auth/login").await),
        (413, anyone.post("/api/auth/login", json!({ "a": "b".repeat(20_000) })).await),
    ];
    let mut before = u64::MAX;
    for (status, answer) in answers {
        let (limit, remaining) = rate_limit_state(&answer);
        assert_eq!((answer.status, limit), (status, 10_000));
        assert!(remaining < before && remaining > 9_900, "{remaining}");
        before = remaining;
    }
    assert_eq!(rate_limit_state(&shop.key.get("/api/v1/products").await).0, 2_000);
}

#[story::test(rate_limited_to("public=3/1,register=1/60,checkout_development=2/60"))]
async fn an_operator_sets_the_limits_of_a_zone(test: &TestApp, shop: Shop) {
    test.pass(Duration::from_secs(10));
    let account = json!({ "name": "a", "email": "a@example.com", "password": "a b c d e" });
    let again = test.anyone().post("/api/auth/register", account).await;
    again.expect_refusal(429, "RATE_LIMITED");
    assert_eq!(rate_limit_state(&again), (1, 0));
    assert_eq!(again.header("retry-after"), Some("50"));

    let link = shop.link(100).await;
    test.pass(Duration::from_secs(10));
    let form = format!("/pay/{}", link["slug"].as_str().expect("has one"));
    let browser = test.anyone().with("accept", "text/html");
    for left in [1, 0] {
        let sent = browser.submit(&form, &[("name", "")]).await;
        assert_eq!(rate_limit_state(&Page::of(sent, 422)), (2, left));
    }
    let refused = Page::of(browser.submit(&form, &[]).await, 429);
    assert_eq!(rate_limit_state(&refused), (2, 0));
    assert!(refused.says("Muitas tentativas seguidas"), "{}", refused.text);

    test.pass(Duration::from_secs(10));
    for left in (0..6).rev() {
        assert_eq!(rate_limit_state(&test.anyone().get("/healthz").await), (6, left));
    }
    let flood = test.anyone().get("/healthz").await;
    flood.expect_refusal(429, "RATE_LIMITED");
    assert_eq!((rate_limit_state(&flood), flood.header("retry-after")), ((6, 0), Some("1")));
}

#[story::test(rate_limited_to("public=3/1"))]
async fn a_reader_who_has_to_wait_tries_again_at_the_same_address(test: &TestApp, shop: Shop) {
    test.pass(Duration::from_secs(10));
    let sold = shop.sell(100).await;
    let receipt = sold["receiptUrl"].as_str().expect("has one");
    let receipt = format!("{}&lang=en", &receipt[receipt.find("/pay/").expect("is a page")..]);
    let browser = test.anyone().with("accept", "text/html");
    let exhaust = async || {
        test.pass(Duration::from_secs(10));
        for _ in 0..6 {
            assert_eq!(browser.get("/healthz").await.status, 200);
        }
    };
    let addresses =
        [&*receipt, "/subscription/card?state=abc", "/dashboard/dev/links?status=ACTIVE&q=caneca"];
    for address in addresses {
        exhaust().await;
        let refused = Page::of(browser.get(address).await, 429);
        let link = format!("href=\"{}\"", address.replace('&', "&#38;"));
        assert!(refused.says(&link), "{address}: {}", refused.text);
    }
    // What changes something is not repeated by a link.
    exhaust().await;
    let refused = Page::of(browser.submit("/subscription/card?state=abc", &[]).await, 429);
    assert!(refused.says("href=\"/subscription/card\""), "{}", refused.text);
    test.pass(Duration::from_secs(10));
    assert_eq!(browser.get(&receipt).await.status, 200);
}

#[story::test(rate_limited_to("checkout_development=1/60,coupon_address=1/60"))]
async fn a_buyer_who_has_to_wait_keeps_what_was_typed_and_learns_nothing_of_a_coupon(
    test: &TestApp,
    shop: Shop,
) {
    let coupon = json!({ "code": "DEZ", "discountType": "PERCENTAGE", "discountValue": 10 });
    shop.key.post("/api/v1/coupons", coupon).await.expect(201);
    let form = shop.link_with(json!({ "amountCents": 100 })).await;
    let form = format!("/pay/{}", form["slug"].as_str().expect("has one"));
    let plan = json!({ "name": "Clube", "amountCents": 2_990, "interval": "MONTHLY" });
    let plan = shop.key.post("/api/subscriptions/plans", plan).await.expect(201)["data"].clone();
    let browser = test.anyone().with("accept", "text/html");
    let typed = [("name", "Fulano"), ("email", "fulano@"), ("method", "CREDIT_CARD")];
    for form in [form, format!("/subscribe/{}", id(&plan))] {
        test.pass(Duration::from_mins(2));
        for code in [None, Some(("coupon", "DEZ"))] {
            let submitted = [&typed[..], code.as_slice()].concat();
            Page::of(browser.submit(&form, &submitted).await, 422);
            test.pass(Duration::from_secs(20));
            for apply in [None, Some(("apply", "yes"))].into_iter().take(1 + code.iter().len()) {
                let again = [&submitted[..], apply.as_slice()].concat();
                let page = Page::of(browser.submit(&form, &again).await, 429);
                assert_eq!(page.header("retry-after"), Some("40"), "{again:?}");
                assert_eq!(rate_limit_state(&page), (1, 0), "{again:?}");
                for text in ["Muitas tentativas seguidas", "Espere 40 s"] {
                    assert!(page.says(text), "{text}: {}", page.text);
                }
                assert_eq!((page.value("name"), page.value("email")), ("Fulano", "fulano@"));
                assert_eq!(page.value("coupon"), code.map_or("", |(_, code)| code));
                assert!(!page.says("Desconto") && page.wrong().is_empty(), "{}", page.text);
                let number = [&again[1..], &[("name", "4111 1111 1111 1111")]].concat();
                let number = Page::of(browser.submit(&form, &number).await, 429);
                assert!(!number.says("4111 1111 1111 1111"), "a card's number is not sent back");
                let english = browser.submit(&format!("{form}?lang=en"), &again).await;
                assert!(Page::of(english, 429).says("Too many attempts"));
            }
            test.pass(Duration::from_mins(2));
        }
    }
}

#[story::test(rate_limited)]
async fn the_networks_of_one_site_have_a_limit_together(test: &TestApp, shop: Shop) {
    let asked = json!({ "code": "NENHUM", "amountCents": 100, "productIds": [] });
    let ask = |site: u16, network: u16| {
        let address = Ipv6Addr::new(0x2001, 0xdb8, site, network, 0, 0, 0, 1);
        let client = test.anyone().from(&address.to_string());
        let asked = asked.clone();
        async move { client.post("/api/coupons/validate", asked).await.status }
    };
    drop(shop);
    // Ten a minute of one network, a hundred of one site.
    for network in 0..10 {
        for _ in 0..10 {
            assert_eq!(ask(1, network).await, 400);
        }
        assert_eq!(ask(1, network).await, 429);
    }
    for network in 10..20 {
        assert_eq!(ask(1, network).await, 429, "{network}");
    }
    assert_eq!(ask(2, 0).await, 400);
    test.pass(Duration::from_secs(61));
    assert_eq!(ask(1, 10).await, 400);
}

#[story::test(rate_limited_to("credentials=3/60,webhook_secrets=3/60"))]
async fn keys_and_webhook_secrets_are_changed_so_many_times_a_minute_by_one_account(
    test: &TestApp,
) {
    // Opening the shop has made a key.
    let shop = test.shop("Loja").await;
    let hook = json!({ "url": "https://example.com/hook", "events": ["*"] });
    let path = "/api/webhooks/subscriptions";
    let hook = shop.key.post(path, hook).await.expect(201)["data"].clone();
    let new = json!({
        "name": "test", "environment": "development", "permissions": ["products:read"],
    });
    let made = shop.owner.post("/api/credentials", new.clone()).await.expect(201);
    let key = format!("/api/credentials/{}", id(&made["data"]));
    let (rotate, secret) = (format!("{key}/rotate"), format!("{path}/{}/rotate-secret", id(&hook)));
    shop.owner.post(&rotate, json!({})).await.expect(200);
    // Keys may rotate secrets, and use up nothing of what their owner has.
    for _ in 0..3 {
        shop.key.post(&secret, json!({})).await.expect(200);
    }
    for refused in [
        shop.owner.post("/api/credentials", new.clone()).await,
        shop.owner.post(&rotate, json!({})).await,
        shop.key.post(&secret, json!({})).await,
    ] {
        refused.expect_refusal(429, "RATE_LIMITED");
        assert_eq!(refused.header("ratelimit-limit"), Some("3"));
    }
    shop.owner.get("/api/credentials").await.expect(200);
    shop.owner.delete(&key).await.expect(200);
    test.shop("Outra").await;
    test.pass(Duration::from_secs(60));
    shop.owner.post("/api/credentials", new).await.expect(201);
}

#[story::test(rate_limited_to("webhook_secrets=1/60,webhook_test=1/60,heavy=1/60"))]
async fn a_development_key_uses_up_nothing_of_what_production_has(shop: Shop) {
    let permissions = every_permission();
    let permissions: Vec<_> = permissions.iter().map(String::as_str).collect();
    let real = shop.key_for("production", &permissions).await;
    let left = async || rate_limit_state(&real.get("/api/v1/products").await).1;
    let before = left().await;
    for key in [&shop.key, &real] {
        let hook = json!({ "url": "https://example.com/hook", "events": ["*"] });
        let hook = key.post("/api/webhooks/subscriptions", hook).await.expect(201);
        let hook = format!("/api/webhooks/subscriptions/{}", id(&hook["data"]));
        let (rotate, sample) = (format!("{hook}/rotate-secret"), format!("{hook}/test"));
        let event = json!({ "event": "transaction.paid" });
        for expected in [200, 429] {
            assert_eq!(key.post(&rotate, json!({})).await.status, expected);
            assert_eq!(key.post(&sample, event.clone()).await.status, expected);
            assert_eq!(key.get("/api/ledger/verify").await.status, expected);
        }
    }
    // Its own eight requests, and none of the other key's.
    assert_eq!(left().await, before - 8);
}
