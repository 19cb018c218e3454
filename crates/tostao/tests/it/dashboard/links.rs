//! Payment links in the dashboard: making one, sending it, and what came of it.

mod forms;
mod lists;
mod switches;

use serde_json::{Value, json};

use super::{Browser, EMAIL, HOSTILE, join};
use crate::carts::capture;
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, id};

const LIST: &str = "/dashboard/dev/links";
const NEW: &str = "/dashboard/dev/links/new";
const API: &str = "/api/v1/payment-links";
const VIEWER: &str = "leitura@example.com";

fn page_of(link: &Value) -> String {
    format!("{LIST}/{}", id(link))
}

/// Posts a form with these fields as the page that it stands on sends it.
async fn send(browser: &Browser, page: &str, form: &str, fields: &[(&str, &str)]) -> Reply {
    let drawn = browser.page(page).await;
    let attempt = drawn.hidden("attempt").expect("has an attempt");
    let as_drawn = drawn.form().into_iter().find(|(name, _)| name == "drawn");
    let as_drawn = as_drawn.map(|(_, value)| value).unwrap_or_default();
    let fields = [&[("attempt", attempt), ("drawn", &as_drawn)], fields].concat();
    browser.post(form, &fields).await
}

/// The only link of a shop.
async fn only(shop: &Shop) -> Value {
    let links = shop.key.list(API).await;
    assert_eq!(links.len(), 1);
    links[0].clone()
}

#[story::test]
async fn a_role_that_may_not_write_links_sees_them_and_changes_nothing(test: &TestApp, shop: Shop) {
    let link = shop.link(1_000).await;
    join(test, &shop, VIEWER, "VIEWER").await;
    let browser = Browser::signed_in(test, VIEWER).await;
    for page in [LIST.to_owned(), page_of(&link)] {
        let page = browser.page(&page).await;
        assert!(page.says("O seu papel nesta conta não inclui isto.") && page.says("Caneca"));
    }
    let here = page_of(&link);
    let forms = ["/edit", "/switch-off"].map(|form| format!("{here}{form}"));
    for page in [&[NEW.to_owned()], &forms[..]].concat() {
        assert!(Page::of(browser.get(&page).await, 403).says("paymentLinks:write"), "{page}");
    }
    let on = format!("{here}/switch-on");
    for form in [&[NEW.to_owned(), on], &forms[..]].concat() {
        let refused = browser.post(&form, &[("attempt", "x"), ("title", "x")]).await;
        assert!(Page::of(refused, 403).says("paymentLinks:write"), "{form}");
    }
    assert_eq!(only(&shop).await, shop.read_link(&link).await);
}

#[story::test]
async fn the_link_of_another_merchant_is_as_unknown_as_one_that_does_not_exist(
    test: &TestApp,
    shop: Shop,
    other: Shop,
) {
    shop.link(1_000).await;
    let theirs = other.link(1_000).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let unknown = "01931b2c-0000-7000-8000-000000000000";
    let shown = |reply: &Reply, id: &str| {
        let request = reply.header("x-request-id").expect("has an id");
        reply.text.replace(id, "").replace(request, "")
    };
    for page in ["", "/edit", "/carts", "/switch-off", "/poster.png", "copy"] {
        let [one, none] = [id(&theirs), unknown].map(|id| match page {
            "copy" => format!("{NEW}?copy={id}"),
            page => format!("{LIST}/{id}{page}"),
        });
        let (one, none) = (browser.get(&one).await, browser.get(&none).await);
        assert_eq!((one.status, none.status), (404, 404), "{page}");
        assert_eq!(shown(&one, id(&theirs)), shown(&none, unknown), "{page}");
    }
    let attempt = browser.page(NEW).await.hidden("attempt").expect("has one").to_owned();
    for form in ["edit", "switch-off", "switch-on"] {
        let fields = [("attempt", attempt.as_str()), ("title", "Nosso"), ("amountCents", "1")];
        let refused = browser.post(&format!("{}/{form}", page_of(&theirs)), &fields).await;
        assert_eq!(refused.status, 404, "{form}");
    }
    let theirs_now = other.read_link(&theirs).await;
    assert_eq!((&theirs_now["title"], &theirs_now["status"]), (&json!("Caneca"), &json!("ACTIVE")));
}

#[story::test]
async fn hostile_texts_are_shown_and_do_nothing(test: &TestApp, shop: Shop) {
    let product = shop.product(json!({ "name": HOSTILE })).await;
    let link = shop.link_with(json!({
        "title": HOSTILE, "description": HOSTILE, "productDescription": HOSTILE,
        "products": [{ "productId": product["id"], "quantity": 1 }],
    }));
    let link = link.await;
    capture(test, &link, "fulano@example.com", json!({ "clientName": HOSTILE })).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let here = page_of(&link);
    let query: String = url::form_urlencoded::byte_serialize(HOSTILE.as_bytes()).collect();
    let pages = [
        LIST.to_owned(),
        format!("{LIST}?q={query}"),
        here.clone(),
        format!("{here}/edit"),
        format!("{here}/carts"),
        format!("{here}/switch-off"),
    ];
    for path in pages {
        let page = browser.page(&path).await;
        assert!(!page.says("<script>alert") && !page.says("<b onclick"), "{path}");
        assert!(page.says("alert(1)"), "{path}");
    }
    let fields = [("title", HOSTILE), ("amountCents", HOSTILE), ("preview", "true")];
    let refused = Page::of(send(&browser, NEW, NEW, &fields).await, 422);
    assert!(!refused.says("<script>alert") && refused.says("alert(1)"));
    let fields = [
        ("title", HOSTILE),
        ("amountCents", "1"),
        ("preview", "true"),
        ("settings.pixEnabled", "true"),
    ];
    let preview = Page::of(send(&browser, NEW, NEW, &fields).await, 200);
    assert!(!preview.says("<script>alert") && preview.says("alert(1)"));
}

#[story::test]
async fn the_code_to_print_is_a_picture_of_the_address(test: &TestApp, shop: Shop) {
    let link = shop.link(1_000).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = browser.page(&page_of(&link)).await;
    let poster = format!("{}/poster.png", page_of(&link));
    assert!(page.says(&format!("href=\"{poster}\" download")));
    let reply = browser.get(&poster).await;
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("image/png")));
    let name = format!("attachment; filename=\"link-{}.png\"", link["slug"].as_str().expect("has"));
    assert_eq!(reply.header("content-disposition"), Some(name.as_str()));
}
