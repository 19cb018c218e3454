//! The headers of every response for browsers.

use crate::harness::reply::Reply;
use crate::harness::shop::Shop;
use crate::harness::{TestApp, story_where};

fn cookies(reply: &Reply) -> Vec<String> {
    let lines = reply.headers.get_all("set-cookie").iter();
    lines.map(|line| line.to_str().expect("is text").to_owned()).collect()
}

#[story::test]
async fn no_answer_is_framed_shared_or_given_a_device(test: &TestApp, shop: Shop) {
    let form = format!("/pay/{}", shop.link(100).await["slug"].as_str().expect("has one"));
    let anyone = test.anyone();
    let answers = [
        anyone.get(&form).await,
        anyone.get("/pay/123456789ABC").await,
        anyone.with("accept", "text/html").get("/pay/123456789ABC").await,
        anyone.get("/docs").await,
        anyone.get("/openapi.json").await,
        anyone.get("/healthz").await,
        anyone.delete("/api/auth/login").await,
        shop.key.get("/api/v1/payment-links").await,
    ];
    for answer in &answers {
        let policy = answer.header("content-security-policy").expect("has one");
        assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
        assert_eq!(answer.header("cross-origin-opener-policy"), Some("same-origin"));
        let permitted = answer.header("permissions-policy").expect("has one");
        for device in ["camera=()", "microphone=()", "geolocation=()", "payment=()"] {
            assert!(permitted.contains(device), "{permitted}");
        }
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
    }
}

#[story::test]
async fn an_error_says_where_it_is_explained_and_how_it_is_found_in_the_log(test: &TestApp) {
    let caller = test.anyone().with("x-request-id", "no-such-page");
    for path in ["/api/none", "/none"] {
        let body = caller.get(path).await.expect(404);
        let page = body["docUrl"].as_str().expect("is text");
        assert!(page.ends_with("/docs/errors/NOT_FOUND"), "{body}");
        assert_eq!(body["requestId"], "no-such-page");
    }
    let page = caller.with("accept", "text/html").get("/pay/123456789ABC").await;
    assert_eq!(page.status, 404);
    assert!(page.text.contains("<code>no-such-page</code>"), "{}", page.text);
    assert!(page.text.contains("/docs/errors/NOT_FOUND\">NOT_FOUND</a>"), "{}", page.text);
}

#[test]
fn cookies_stay_off_plain_connections_where_the_address_is_https() {
    let table = [
        ("https://pay.example.com", true, "__Host-device="),
        ("http://localhost", false, "device="),
    ];
    for (address, secure, device) in table {
        story_where(
            |settings| settings.checkout_url = Some(address.parse().expect("is one")),
            async |test| {
                let link = test.shop("Loja").await.link(100).await;
                let form = format!("/pay/{}?lang=en", link["slug"].as_str().expect("has one"));
                let given = cookies(&test.anyone().get(&form).await);
                let named = |name: &str| given.iter().any(|cookie| cookie.starts_with(name));
                assert!(named("lang=") && named(device), "{given:?}");
                for cookie in &given {
                    assert_eq!(cookie.matches("Secure").count(), usize::from(secure), "{cookie}");
                    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"));
                }
            },
        );
    }
}

#[story::test]
async fn a_checkouts_form_comes_with_its_origin(test: &TestApp) {
    let link = test.shop("Loja").await.link(100).await;
    let form = format!("/pay/{}", link["slug"].as_str().expect("has one"));
    let page = test.anyone().get(&form).await;
    // Under the header's `no-referrer` a browser would post `Origin: null`.
    let reported = "<meta name=\"referrer\" content=\"same-origin\">";
    assert!(page.text.contains("<form") && page.text.contains(reported));
}
