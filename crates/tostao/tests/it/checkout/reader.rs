//! What every page owes its reader: their language, privacy, few bytes.

use serde_json::json;

use crate::checkout::{BUYER, beside, browser, buy, charges, form, next};
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::shop::Shop;

#[story::test]
async fn the_page_is_in_the_buyers_language(test: &TestApp, shop: Shop) {
    let link = shop.link(4_990).await;
    let plain = browser(test);
    let english = plain.with("cookie", "a=b; lang=en");
    let prefers = plain.with("accept-language", "fr, en;q=0.8");
    let table = [
        (&plain, "", "pt-BR"),
        (&plain, "?lang=en", "en"),
        (&plain, "?lang=fr", "pt-BR"),
        (&english, "", "en"),
        (&english, "?lang=pt-BR", "pt-BR"),
        (&prefers, "", "en"),
        (&prefers, "?lang=pt", "pt-BR"),
    ];
    for (client, query, language) in table {
        let page = Page::of(client.get(&format!("{}{query}", form(&link))).await, 200);
        assert_eq!(page.language(), language, "{query}");
        let name = if language == "en" { "Full name" } else { "Nome completo" };
        assert_eq!(page.label("name"), Some(name));
    }
    let both = english.with("accept-language", "pt-BR");
    assert_eq!(Page::of(both.get(&form(&link)).await, 200).language(), "en");

    let chosen = plain.get(&format!("{}?lang=en", form(&link))).await;
    let cookie = chosen.header("set-cookie").expect("is kept");
    assert!(cookie.starts_with("lang=en; ") && cookie.contains("HttpOnly"), "{cookie}");
    let unasked = plain.get(&form(&link)).await;
    let mut cookies = unasked.headers.get_all("set-cookie").iter();
    assert!(!cookies.any(|cookie| cookie.as_bytes().starts_with(b"lang=")));

    let wrong = Page::of(english.submit(&form(&link), &[]).await, 422);
    assert_eq!(wrong.error("name"), "Fill in this field.");
    let address = next(&english.submit(&form(&link), &BUYER).await);
    let page = Page::of(english.get(&address).await, 200);
    assert_eq!((page.heading(), page.says("R$49.90")), ("Pay with PIX", true));
    shop.pay(&charges(&shop).await[0]).await;
    let receipt = Page::of(english.get(&beside(&address, "/receipt")).await, 200);
    assert_eq!(receipt.heading(), "Payment confirmed");
    let unknown = Page::of(prefers.get("/pay/123456789ABC").await, 404);
    assert_eq!((unknown.heading(), unknown.language()), ("Page not found", "en"));
}

#[story::test]
async fn every_page_is_private_and_runs_nothing_but_its_own(test: &TestApp, shop: Shop) {
    let link = shop.link(100).await;
    let address = buy(test, &link).await;
    let browser = browser(test);
    let mut replies = vec![
        browser.get(&form(&link)).await,
        browser.submit(&form(&link), &[]).await,
        browser.get(&address).await,
        browser.get("/pay/123456789ABC").await,
    ];
    shop.pay(&charges(&shop).await[0]).await;
    replies.push(browser.get(&beside(&address, "/receipt")).await);
    shop.change_link(&link, json!({ "status": "INACTIVE" })).await;
    replies.push(browser.get(&form(&link)).await);
    for reply in replies {
        let policy = reply.header("content-security-policy").expect("has a policy");
        let parts = [
            "default-src 'none'",
            "script-src 'self'",
            "form-action 'self'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
        ];
        for part in parts {
            assert!(policy.contains(part), "{part}: {policy}");
        }
        assert!(!policy.contains("unsafe") && !policy.contains("http"), "{policy}");
        assert_eq!(reply.header("cache-control"), Some("no-store"));
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
        let scripts = reply.text.matches("<script").count();
        assert_eq!(reply.text.matches("<script type=\"module\" src=\"/assets/").count(), scripts);
        assert!(!reply.text.contains(" style=\"") && !reply.text.contains(" onclick="));
    }
}

#[story::test]
async fn long_pages_are_compressed_for_clients_that_accept_it(test: &TestApp, shop: Shop) {
    let link = shop.link(4_990).await;
    let address = buy(test, &link).await;
    let plain = browser(test);
    let gzip = plain.with("accept-encoding", "br, gzip");
    let public = form(&link).replace("/pay/", "/api/payment-links/public/slug/");
    // The form is drawn at the first visit and kept for the second.
    for path in [&form(&link), &form(&link), &address, &"/docs".to_owned()] {
        let (small, large) = (gzip.get(path).await, plain.get(path).await);
        assert_eq!(small.header("content-encoding"), Some("gzip"), "{path}");
        assert_eq!(small.header("vary"), Some("accept-encoding"));
        assert_eq!(large.header("content-encoding"), None);
        let (small, large) = (Page::of(small, 200), Page::of(large, 200));
        assert_eq!(small.heading(), large.heading());
        let names = [&small, &large].map(|page| page.hidden("attempt").map(str::to_owned));
        assert!(names[0].is_none() || names[0] != names[1], "{names:?}");
        let without = |page: &Page, name: &Option<String>| match name {
            Some(name) => page.text.replace(name, ""),
            None => page.text.clone(),
        };
        assert_eq!(without(&small, &names[0]), without(&large, &names[1]));
    }
    let changed = json!({ "description": "á".repeat(1_000) });
    shop.change_link(&link, changed).await;
    let reported = gzip.get(&public).await;
    assert_eq!(reported.header("content-encoding"), Some("gzip"));
    assert_eq!(reported.json(), plain.get(&public).await.json());

    let short = gzip.get("/healthz").await;
    assert_eq!((short.header("content-encoding"), &*short.text), (None, "ok"));
    let stream = gzip.listen(&beside(&address, "/events")).await;
    assert!(stream.headers.get("content-encoding").is_none());
}
