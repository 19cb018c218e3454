//! Paths that name nothing: no text in them breaks a response.

use http::Method;

use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::shop::Shop;

/// Every page whose path has a name in it, and how it is asked for.
const PAGES: [(Method, &str); 22] = [
    (Method::GET, "/pay/{}"),
    (Method::POST, "/pay/{}"),
    (Method::GET, "/pay/{}/card"),
    (Method::POST, "/pay/{}/card"),
    (Method::GET, "/pay/{}/t/{}"),
    (Method::GET, "/pay/{}/t/{}/boleto"),
    (Method::GET, "/pay/{}/t/{}/boleto.pdf"),
    (Method::GET, "/pay/{}/t/{}/events"),
    (Method::GET, "/pay/{}/t/{}/receipt"),
    (Method::POST, "/pay/{}/t/{}/renew"),
    (Method::POST, "/pay/{}/t/{}/retry"),
    (Method::POST, "/pay/{}/t/{}/simulate"),
    (Method::GET, "/subscribe/{}"),
    (Method::POST, "/subscribe/{}"),
    (Method::GET, "/subscribe/{}/card"),
    (Method::POST, "/subscribe/{}/card"),
    (Method::GET, "/subscription/{}"),
    (Method::GET, "/subscription/{}/card"),
    (Method::GET, "/subscription/{}/cancel"),
    (Method::POST, "/subscription/{}/cancel"),
    (Method::POST, "/subscription/{}/resume"),
    (Method::GET, "/receipts/withdrawals/{}"),
];
const NAMES: [&str; 16] = [
    "%0a",
    "%0d%0aSet-Cookie:%20a=b",
    "%00",
    "a%00b",
    "%01",
    "%1b%5b31m",
    "%09",
    "%7f",
    "%c2%85",
    "%e2%80%ae",
    "%ff",
    "%20",
    "%2f%2fexample.com",
    "..%2f..",
    "%22%3e%3cscript%3e",
    "a%3Fb%23c",
];
const ID: &str = "00000000-0000-7000-8000-000000000001";

#[story::test]
async fn a_name_that_nothing_has_is_not_found_on_every_page(test: &TestApp) {
    let browser = test.anyone().with("accept", "text/html");
    let link = test.shop("Loja").await.link(100).await;
    let slug = link["slug"].as_str().expect("has one");
    for (method, page) in PAGES {
        for name in NAMES {
            // At every place of the path in turn, beside what is sound.
            for odd in 0..page.matches("{}").count() {
                let mut sound = [slug, ID].into_iter();
                let (mut path, mut place) = (String::new(), 0);
                for part in page.split_inclusive("{}") {
                    let good = sound.next().unwrap_or_default();
                    let here = if place == odd { name } else { good };
                    path.push_str(&part.replace("{}", here));
                    place += 1;
                }
                let kind = Some("application/x-www-form-urlencoded");
                let query = format!("{path}?token=x&state=x");
                let answer = browser.send(method.clone(), &query, kind, "state=x".into()).await;
                let what = format!("{method} {path}: {} {}", answer.status, answer.text);
                assert!(answer.header("set-cookie").is_none_or(|c| !c.contains("a=b")), "{what}");
                assert_eq!(answer.status, 404, "{what}");
                Page::of(answer, 404);
            }
        }
    }
}

#[story::test]
async fn a_way_back_leads_to_the_same_name_however_it_is_spelled(test: &TestApp) {
    for name in NAMES {
        for (way, form) in [
            (format!("/pay/{name}/t/{ID}/renew"), format!("/pay/{name}")),
            (format!("/subscription/{name}/pause"), format!("/subscription/{name}")),
        ] {
            let back = test.anyone().get(&way).await;
            assert_eq!(back.status, 303, "{way}: {}", back.text);
            assert_eq!(back.header("location"), Some(form.as_str()));
        }
    }
}

#[story::test]
async fn an_id_of_the_api_that_nothing_has_is_not_found(test: &TestApp, shop: Shop) {
    for name in NAMES {
        for path in ["/api/v1/payment-links", "/api/clients", "/api/subscriptions"] {
            shop.key.get(&format!("{path}/{name}")).await.expect_refusal(404, "NOT_FOUND");
        }
        let public = format!("/api/payment-links/public/slug/{name}");
        test.anyone().get(&public).await.expect_refusal(404, "NOT_FOUND");
    }
}
