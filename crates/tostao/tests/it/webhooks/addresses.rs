//! Which addresses may be subscribed.

use serde_json::json;

use crate::harness::client::Client;
use crate::harness::{story, story_where};
use crate::webhooks::{SUBSCRIPTIONS, SUBSCRIPTIONS_V1, path, subscribe};

#[test]
fn an_address_is_a_public_name_behind_https_on_a_port_for_it() {
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
    story_where(
        |settings| settings.allow_local_webhooks = false,
        async |test| {
            let shop = test.shop("Loja").await;
            for (url, good) in table {
                check(&shop.key, url, good).await;
            }
        },
    );
}

#[test]
fn trying_things_out_opens_this_machine_and_no_other() {
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
    story(async |test| {
        let shop = test.shop("Loja").await;
        for (url, good) in table {
            check(&shop.key, url, good).await;
        }
    });
}

#[test]
fn a_change_of_address_meets_the_same_rules() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let hook = subscribe(&shop.key, "https://example.com/hook", &["*"]).await;
        let bad = json!({ "url": "https://10.0.0.1/hook" });
        let refused = shop.key.put(&path(&hook, ""), bad.clone()).await;
        refused.expect_refusal(400, "INVALID_WEBHOOK_URL");
        let first = path(&hook, "").replace(SUBSCRIPTIONS, SUBSCRIPTIONS_V1);
        shop.key.patch(&first, bad).await.expect_refusal(400, "INVALID_WEBHOOK_URL");
        let kept = shop.key.get(&first).await.expect(200);
        assert_eq!(kept["subscription"]["url"], "https://example.com/hook");
    });
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
        reply.expect_refusal(400, "INVALID_WEBHOOK_URL");
    }
}
