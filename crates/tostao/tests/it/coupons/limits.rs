//! How many codes may be tried: so many from an address, so many from a device.

use std::time::Duration;

use serde_json::{Value, json};
use tostao::platform::config::{Settings, Switch};

use crate::coupons::coupon;
use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, id};
use crate::subscriptions::plan;

const MINUTE: Duration = Duration::from_mins(1);

/// Limits hold, and a proxy says from where a request comes.
fn limited(settings: &mut Settings) {
    settings.rate_limits = Switch::On;
    settings.trusted_proxies = vec!["127.0.0.1".to_owned()];
}

fn from(anyone: &Client, address: &str) -> Client {
    anyone.with("x-forwarded-for", address)
}

async fn try_out(client: &Client, code: &str) -> Reply {
    let body = json!({ "code": code, "amountCents": 1_000 });
    client.post("/api/coupons/validate", body).await
}

#[track_caller]
fn is_refused(reply: &Reply, seconds: i64) {
    reply.expect_refusal(429, "RATE_LIMITED");
    let body = reply.json();
    assert_eq!((&body["valid"], &body["retryAfter"]), (&json!(false), &json!(seconds)));
    assert!(body["message"].is_string());
    assert_eq!(reply.header("retry-after"), Some(seconds.to_string().as_str()));
    assert_eq!(reply.header("ratelimit-remaining"), Some("0"));
}

#[story::test(limited)]
async fn an_address_tries_ten_codes_a_minute_good_ones_and_bad_ones(test: &TestApp, shop: Shop) {
    coupon(&shop, json!({})).await;
    let stranger = from(&test.anyone(), "203.0.113.1");
    for (number, code) in ["DEZ", "ONZE"].iter().cycle().take(10).enumerate() {
        let reply = try_out(&stranger, code).await;
        assert_eq!(reply.status, if *code == "DEZ" { 200 } else { 400 });
        let left = (9 - number).to_string();
        assert_eq!(reply.header("ratelimit-limit"), Some("10"));
        assert_eq!(reply.header("ratelimit-remaining"), Some(left.as_str()));
    }
    is_refused(&try_out(&stranger, "DEZ").await, 60);
    // Another device does not help, another address does.
    is_refused(&try_out(&stranger.with("x-device-id", "other"), "DEZ").await, 60);
    try_out(&from(&test.anyone(), "203.0.113.2"), "DEZ").await.expect(200);
    // One network of IPv6 is one address.
    for number in 0..10 {
        let own = from(&test.anyone(), &format!("2001:db8::{number:x}"));
        try_out(&own, "DEZ").await.expect(200);
    }
    is_refused(&try_out(&from(&test.anyone(), "2001:db8::ffff"), "DEZ").await, 60);
    test.pass(MINUTE);
    try_out(&stranger, "DEZ").await.expect(200);
}

#[story::test(limited)]
async fn a_device_tries_five_codes_in_five_minutes_wherever_it_is(test: &TestApp, shop: Shop) {
    coupon(&shop, json!({})).await;
    let device = test.anyone().with("x-device-id", "a telephone");
    for number in 0..5 {
        let reply = try_out(&from(&device, &format!("203.0.113.{number}")), "DEZ").await;
        reply.expect(200);
        assert_eq!(reply.header("ratelimit-limit"), Some("5"));
    }
    test.pass(MINUTE * 2);
    is_refused(&try_out(&from(&device, "203.0.113.9"), "DEZ").await, 180);
    let other = test.anyone().with("x-device-id", "another telephone");
    try_out(&from(&other, "203.0.113.9"), "DEZ").await.expect(200);
    test.pass(MINUTE * 3);
    try_out(&from(&device, "203.0.113.9"), "DEZ").await.expect(200);
}

#[story::test(limited)]
async fn a_browser_is_named_once_and_known_by_its_cookie(test: &TestApp) {
    let first = try_out(&from(&test.anyone(), "203.0.113.1"), "DEZ").await;
    let cookie = first.header("set-cookie").expect("names the device").to_owned();
    let (named, how) = cookie.split_once("; ").expect("has attributes");
    assert_eq!(how, "Path=/; SameSite=Lax; HttpOnly; Secure");
    let browser = test.anyone().with("cookie", &format!("lang=en; {named}"));
    for number in 0..5 {
        let reply = try_out(&from(&browser, &format!("203.0.113.{number}")), "DEZ").await;
        assert_eq!((reply.status, reply.header("set-cookie")), (400, None));
    }
    is_refused(&try_out(&from(&browser, "203.0.113.8"), "DEZ").await, 300);
    let second = try_out(&from(&test.anyone(), "203.0.113.1"), "DEZ").await;
    assert_ne!(second.header("set-cookie"), Some(cookie.as_str()));
}

#[story::test(limited)]
async fn a_request_that_cannot_be_read_counts_like_any_other(test: &TestApp) {
    let stranger = from(&test.anyone(), "203.0.113.1");
    for _ in 0..10 {
        stranger.post("/api/coupons/validate", Value::Null).await.expect(400);
    }
    is_refused(&try_out(&stranger, "DEZ").await, 60);
}

/// Tries a code at one of the doors where something is bought with it.
async fn buy(buyer: &Client, (link, plan): (&Value, &Value), door: &str, code: &str) -> Reply {
    let slug = link["slug"].as_str().expect("has one");
    let form = [
        ("name", "Ana"),
        ("email", "ana@example.com"),
        ("document", "529.982.247-25"),
        ("method", "PIX"),
        ("coupon", code),
    ];
    let customer = json!({ "name": "Ana", "email": "ana@example.com" });
    match door {
        "link" => {
            let path = format!("/api/payment-links/public/slug/{slug}/checkout");
            let body = json!({ "method": "PIX", "customer": customer, "couponCode": code });
            buyer.post(&path, body).await
        }
        "plan" => {
            let body = json!({
                "planId": plan["id"], "paymentMethod": "PIX", "customer": customer,
                "couponCode": code,
            });
            buyer.post("/api/subscriptions/checkout", body).await
        }
        "link's page" => buyer.submit(&format!("/pay/{slug}"), &form).await,
        "plan's page" => buyer.submit(&format!("/subscribe/{}", id(plan)), &form).await,
        _ => panic!("no door: {door}"),
    }
}

#[story::test(limited)]
async fn a_code_that_comes_with_a_purchase_is_one_that_is_tried(test: &TestApp, shop: Shop) {
    let sold = (&shop.link(1_000).await, &plan(&shop, json!({})).await);
    for (number, door) in ["link", "plan", "link's page", "plan's page"].iter().enumerate() {
        let stranger = from(&test.anyone(), &format!("203.0.113.{number}"));
        for _ in 0..10 {
            let wrong = buy(&stranger, sold, door, "ONZE").await;
            assert!(matches!(wrong.status, 400 | 422), "{door}: {}", wrong.text);
        }
        assert_eq!(buy(&stranger, sold, door, "DOZE").await.status, 429, "{door}");
        assert_eq!(try_out(&stranger, "DOZE").await.status, 429, "{door}");
        // A buyer without a code can still buy.
        let bought = buy(&stranger, sold, door, " ").await;
        assert!(matches!(bought.status, 201 | 303), "{door}: {}", bought.text);
    }
}

#[story::test(limited)]
async fn a_browser_is_named_by_the_page_where_a_code_is_typed(test: &TestApp, shop: Shop) {
    let sold = (&shop.link(1_000).await, &plan(&shop, json!({})).await);
    let slug = sold.0["slug"].as_str().expect("has one");
    let pages = [
        ("link's page", format!("/pay/{slug}")),
        ("plan's page", format!("/subscribe/{}", id(sold.1))),
    ];
    for (door, page) in pages {
        let shown = from(&test.anyone(), "198.51.100.1").get(&page).await;
        let cookie = shown.header("set-cookie").expect("names the device").to_owned();
        let (named, _) = cookie.split_once("; ").expect("has attributes");
        assert!(named.starts_with("__Host-device="), "{cookie}");
        let browser = test.anyone().with("cookie", named);
        let again = from(&browser, "198.51.100.1").get(&page).await;
        assert_eq!((again.status, again.header("set-cookie")), (200, None), "{door}");
        for number in 0..5 {
            let elsewhere = from(&browser, &format!("203.0.113.{number}"));
            assert_eq!(buy(&elsewhere, sold, door, "ONZE").await.status, 422, "{door}");
        }
        let held = buy(&from(&browser, "203.0.113.9"), sold, door, "ONZE").await;
        assert_eq!(held.status, 429, "{door}");
    }
}
