//! Which addresses may be subscribed.

use serde_json::json;

use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::engine::Engine;
use crate::harness::receiver::Receiver;
use crate::harness::reply::Reply;
use crate::harness::shop::Shop;
use crate::webhooks::{SUBSCRIPTIONS, SUBSCRIPTIONS_V1, change, emit, path, read, subscribe};

#[story::test(|settings| settings.allow_local_webhooks = false)]
async fn an_address_is_a_public_name_behind_https_on_a_port_for_it(shop: Shop) {
    let long = format!("https://example.com/{}", "x".repeat(2_029));
    let table = [
        ("https://example.com/hook", true),
        ("https://example.com", true),
        ("https://example.com:443/hook", true),
        ("https://example.com:8443/hook?secret=abc&x=%20", true),
        ("https://loja.exemplo.com.br/hook", true),
        ("", false),
        ("example.com/hook", false),
        ("https://", false),
        ("https:///hook", false),
        ("http://example.com/hook", false),
        ("ftp://example.com/hook", false),
        ("javascript:alert(1)", false),
        ("file:///etc/passwd", false),
        ("https://example.com:80/hook", false),
        ("https://example.com:22/hook", false),
        ("https://example.com:0/hook", false),
        ("https://ana@example.com/hook", false),
        ("https://ana:x@example.com/hook", false),
        ("https://example.com@10.0.0.1/hook", false),
        ("https://93.184.215.14/hook", false),
        ("https://127.0.0.1/hook", false),
        ("https://127.1/hook", false),
        ("https://0x7f000001/hook", false),
        ("https://2130706433/hook", false),
        ("https://0/hook", false),
        ("https://10.0.0.1/hook", false),
        ("https://169.254.169.254/latest/meta-data", false),
        ("https://[::1]/hook", false),
        ("https://[::ffff:127.0.0.1]/hook", false),
        ("https://[fd00:ec2::254]/hook", false),
        ("https://localhost/hook", false),
        ("https://localhost./hook", false),
        ("https://shop.localhost/hook", false),
        ("https://printer.local/hook", false),
        ("https://metadata.google.internal/hook", false),
        ("https://intranet/hook", false),
        ("https://example.com/hook#here", false),
        ("https://example.com\\@evil.example/hook", false),
        ("https://example.com/a b", false),
        ("https://example.com/hook\r\nX-Evil: 1", false),
        ("https://example.com/%0d%0aX-Evil: 1", false),
        ("https://example%2ecom/hook", false),
        (&long, false),
    ];
    for (url, good) in table {
        check(&shop.key, url, good).await;
    }
}

#[story::test]
async fn trying_things_out_opens_this_machine_and_no_other(test: &TestApp) {
    let table = [
        ("http://127.0.0.1:9/hook", true),
        ("https://127.0.0.1:9/hook", true),
        ("http://[::1]:9/hook", true),
        ("http://localhost:9/hook", true),
        ("https://example.com/hook", true),
        ("http://10.0.0.1/hook", false),
        ("https://192.168.0.1/hook", false),
        ("https://169.254.169.254/latest", false),
        ("https://[fe80::1]/hook", false),
        ("http://ana@127.0.0.1/hook", false),
        ("http://127.0.0.1/hook#here", false),
        ("http://127.0.0.1:0/hook", false),
        ("ftp://127.0.0.1/hook", false),
    ];
    let shop = test.shop("Loja").await;
    for (url, good) in table {
        check(&shop.key, url, good).await;
    }
}

#[story::test]
async fn a_change_of_address_meets_the_same_rules(shop: Shop) {
    let hook = subscribe(&shop.key, "https://example.com/hook", &["*"]).await;
    let bad = json!({ "url": "https://10.0.0.1/hook" });
    names_the_url(&shop.key.put(&path(&hook, ""), bad.clone()).await);
    let first = path(&hook, "").replace(SUBSCRIPTIONS, SUBSCRIPTIONS_V1);
    names_the_url(&shop.key.patch(&first, bad).await);
    let kept = shop.key.get(&first).await.expect(200);
    assert_eq!(kept["subscription"]["url"], "https://example.com/hook");
}

/// A refused address is named as the field that it came in.
#[track_caller]
fn names_the_url(reply: &Reply) {
    assert_eq!(reply.expect_refusal(400, "INVALID_WEBHOOK_URL"), ["url"]);
}

/// A good address is kept to the letter, a bad one is refused with a reason.
async fn check(key: &Client, url: &str, good: bool) {
    let reply = key.post(SUBSCRIPTIONS, json!({ "url": url, "events": ["*"] })).await;
    if good {
        let made = reply.expect(201)["data"].clone();
        assert_eq!(made["url"], url);
        key.delete(&path(&made, "")).await.expect(200);
    } else {
        assert_eq!(reply.status, 400, "{url}: {}", reply.text);
        names_the_url(&reply);
        let body = json!({ "url": url, "events": ["*"] });
        names_the_url(&key.post(SUBSCRIPTIONS_V1, body).await);
    }
}

#[story::test]
async fn the_query_of_an_address_is_kept_sealed_and_shown_to_who_may_read_it(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let engine = Engine::open(test).await;
    let columns = "select url, cast(length(url_query) as text) from webhooks";
    let url = format!("{}?secret=abc&loja=1", receiver.url);
    let hook = subscribe(&shop.key, &url, &["product.created"]).await;
    assert_eq!(hook["url"], url);
    for _ in 0..2 {
        let [kept] = &engine.rows(columns).await[..] else { panic!("there is one") };
        let sealed_bytes = 12 + "secret=abc&loja=1".len() + 16;
        assert_eq!(kept[..], [receiver.url.clone(), sealed_bytes.to_string()]);
        assert_eq!(read(&shop.key, &hook).await["url"], url);
        for list in [SUBSCRIPTIONS, SUBSCRIPTIONS_V1] {
            assert_eq!(shop.key.get(list).await.expect(200)["data"][0]["url"], url);
        }
        emit(test, &shop).await;
        assert_eq!(receiver.take_one().uri.query(), Some("secret=abc&loja=1"));
        let changed = change(&shop.key, &hook, json!({ "url": receiver.url })).await;
        assert_eq!(changed["url"], receiver.url);
        let changed = change(&shop.key, &hook, json!({ "url": url })).await;
        assert_eq!(changed["url"], url);
        change(&shop.key, &hook, json!({ "description": "o mesmo" })).await;
    }
}

#[story::test]
async fn a_key_that_only_reads_webhooks_is_not_shown_their_queries(shop: Shop) {
    let reader = shop.key_for("development", &["webhooks:read"]).await;
    let hook = subscribe(&shop.key, "https://example.com/hook?token=abc", &["*"]).await;
    let hidden = "https://example.com/hook?…";
    assert_eq!(read(&reader, &hook).await["url"], hidden);
    for list in [SUBSCRIPTIONS, SUBSCRIPTIONS_V1] {
        assert_eq!(reader.get(list).await.expect(200)["data"][0]["url"], hidden);
    }
    let writer = shop.key_for("development", &["webhooks:read", "webhooks:write"]).await;
    assert_eq!(read(&writer, &hook).await["url"], hook["url"]);
    let plain = subscribe(&shop.key, "https://example.com/hook", &["*"]).await;
    assert_eq!(read(&reader, &plain).await["url"], plain["url"]);
}

#[story::test]
async fn an_address_that_an_older_version_kept_whole_is_read_as_it_is(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let hook = subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    let url = format!("{}?secret=abc", receiver.url);
    let older = format!("update webhooks set url = '{url}', url_query = null");
    Engine::open(test).await.rows(&older).await;
    assert_eq!(read(&shop.key, &hook).await["url"], url);
    emit(test, &shop).await;
    assert_eq!(receiver.take_one().uri.query(), Some("secret=abc"));
}
