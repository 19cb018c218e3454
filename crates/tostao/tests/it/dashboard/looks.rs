//! The accent colour and the logo of a shop, in the API, at their page and where buyers see them.

use std::time::Duration;

use http::Method;
use serde_json::{Value, json};

use super::{Browser, EMAIL, join, next, secured, token};
use crate::audit;
use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::page::Page;
use crate::harness::reply::Reply;
use crate::harness::shop::{PASSWORD, Shop};

const LOOK: &str = "/account/business/look";
const ACCOUNT: &str = "/api/auth/account";
const LOGO: &str = "/api/auth/account/logo";

/// A PNG of this size, as far as its header goes, with a last byte of its own.
fn png(width: u32, height: u32, last: u8) -> Vec<u8> {
    let header = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR";
    let size = [width.to_be_bytes(), height.to_be_bytes()].concat();
    [&header[..], &size, &[8, 6, 0, 0, 0, last]].concat()
}

async fn put(owner: &Client, file: Vec<u8>) -> Reply {
    owner.send_bytes(Method::PUT, LOGO, "image/png", file).await
}

/// The look that the account has.
async fn look(owner: &Client) -> Value {
    owner.get("/api/auth/me").await.expect(200)["user"]["look"].clone()
}

/// The page on which a link's buyers begin to pay.
async fn pay_page(test: &TestApp, link: &Value) -> Page {
    let slug = link["slug"].as_str().expect("has one");
    Page::of(test.anyone().get(&format!("/pay/{slug}")).await, 200)
}

#[story::test]
async fn an_owner_gives_the_checkout_a_colour_once_however_often_the_form_is_sent(
    test: &TestApp,
    shop: Shop,
) {
    let (browser, link) = (Browser::signed_in(test, EMAIL).await, shop.link(1_000).await);
    assert!(!pay_page(test, &link).await.says("/assets/accents/"));
    let form = browser.page(LOOK).await;
    assert_eq!((form.heading(), form.value("accentColor")), ("Aparência do checkout", ""));
    let fields = form.filled(&[("accentColor", "#1A3FA0")]);
    for _ in 0..2 {
        assert_eq!(next(&browser.post_typed(LOOK, &fields).await), LOOK);
    }
    let entry = audit::only(&shop.owner, "account.updated").await;
    assert_eq!(entry["details"]["changed"], "accentColor");
    assert_eq!(look(&shop.owner).await["accentColor"], "#1a3fa0");
    let shown = pay_page(test, &link).await;
    assert!(shown.says("<link rel=\"stylesheet\" href=\"/assets/accents/1a3fa0.css\">"));
    let sheet = test.anyone().get("/assets/accents/1a3fa0.css").await;
    assert_eq!(sheet.status, 200);
    assert_eq!(sheet.header("content-type"), Some("text/css; charset=utf-8"));
    assert!(sheet.header("cache-control").is_some_and(|it| it.contains("immutable")));
    assert!(sheet.text.contains("--brand:#1a3fa0;--on-brand:#ffffff"), "{}", sheet.text);
    for unknown in ["1A3FA0.css", "ffdf80.css", "1a3fa0", "red.css"] {
        let sheet = test.anyone().get(&format!("/assets/accents/{unknown}")).await;
        assert_eq!(sheet.status, 404, "{unknown}");
    }
    let cleared = browser.page(LOOK).await.filled(&[("accentColor", "")]);
    assert_eq!(next(&browser.post_typed(LOOK, &cleared).await), LOOK);
    assert_eq!(look(&shop.owner).await["accentColor"], json!(null));
    assert!(!pay_page(test, &link).await.says("/assets/accents/"));
}

#[story::test]
async fn a_colour_that_cannot_be_read_is_refused_with_the_nearest_one_that_can(
    test: &TestApp,
    shop: Shop,
) {
    let refused = shop.owner.patch(ACCOUNT, json!({ "accentColor": "#ffdf80" })).await;
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["accentColor"]);
    let fault = refused.json()["errors"][0].clone();
    assert_eq!(fault["code"], "LOW_CONTRAST");
    let message = fault["message"].as_str().expect("says why").to_owned();
    let nearest = message.rsplit(' ').next().expect("names one").to_owned();
    let browser = Browser::signed_in(test, EMAIL).await;
    let faint = browser.page(LOOK).await.filled(&[("accentColor", "#ffdf80")]);
    let page = Page::of(browser.post_typed(LOOK, &faint).await, 422);
    assert_eq!((page.wrong(), page.value("accentColor")), (vec!["accentColor"], "#ffdf80"));
    assert!(page.error("accentColor").contains(&nearest), "{nearest} {}", page.text);
    let no_color = browser.page(LOOK).await.filled(&[("accentColor", "verde")]);
    let page = Page::of(browser.post_typed(LOOK, &no_color).await, 422);
    assert_eq!(page.wrong(), ["accentColor"]);
    shop.owner.patch(ACCOUNT, json!({ "accentColor": nearest })).await.expect(200);
    assert_eq!(look(&shop.owner).await["accentColor"], nearest);
}

#[story::test]
async fn a_logo_is_served_by_its_content_until_another_one_takes_its_place(
    test: &TestApp,
    shop: Shop,
) {
    let link = shop.link(1_000).await;
    let (first, second) = (png(320, 88, 1), png(10, 10, 2));
    for _ in 0..2 {
        put(&shop.owner, first.clone()).await.expect(200);
    }
    assert_eq!(audit::entries(&shop.owner, "account.logo_changed").await.len(), 1);
    let logo = look(&shop.owner).await["logo"].clone();
    assert_eq!((&logo["width"], &logo["height"]), (&json!(320), &json!(88)));
    let path = logo["path"].as_str().expect("is there").to_owned();
    let shown = pay_page(test, &link).await;
    let image = format!("src=\"{path}\" width=\"160\" height=\"44\" alt=\"Loja\"");
    assert!(shown.says(&image), "{}", shown.text);
    let file = test.anyone().get(&path).await;
    assert_eq!((file.status, file.header("content-type")), (200, Some("image/png")));
    assert_eq!(file.header("x-content-type-options"), Some("nosniff"));
    let policy = file.header("content-security-policy").expect("has one");
    assert!(policy.starts_with("default-src 'none'"), "{policy}");
    assert!(file.header("cache-control").is_some_and(|it| it.contains("immutable")));
    assert_eq!(file.text, String::from_utf8_lossy(&first));

    put(&shop.owner, second).await.expect(200);
    assert_eq!(test.anyone().get(&path).await.status, 404);
    let other = look(&shop.owner).await["logo"]["path"].as_str().expect("is there").to_owned();
    assert!(pay_page(test, &link).await.says(&other));
    let removed = shop.owner.delete(LOGO).await.expect(200);
    assert_eq!(removed["data"]["logo"], json!(null));
    shop.owner.delete(LOGO).await.expect(200);
    audit::only(&shop.owner, "account.logo_removed").await;
    assert_eq!(test.anyone().get(&other).await.status, 404);
    assert!(!pay_page(test, &link).await.says("<img class=\"logo\""));
    for unknown in ["/assets/logos/abc", &format!("/assets/logos/{}", "0".repeat(64))] {
        assert_eq!(test.anyone().get(unknown).await.status, 404);
    }
}

#[story::test]
async fn what_is_no_logo_is_refused_by_its_content(shop: Shop) {
    let svg = b"<svg xmlns='http://www.w3.org/2000/svg'/>".to_vec();
    for (file, code) in [
        (svg, "INVALID_IMAGE"),
        (Vec::new(), "INVALID_IMAGE"),
        (png(1_025, 10, 0), "OUT_OF_RANGE"),
        (png(0, 10, 0), "INVALID_IMAGE"),
    ] {
        let refused = put(&shop.owner, file).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["logo"]);
        assert_eq!(refused.json()["errors"][0]["code"], code);
    }
    let kind = "image/svg+xml";
    let refused = shop.owner.send_bytes(Method::PUT, LOGO, kind, png(10, 10, 0)).await;
    refused.expect_refusal(415, "UNSUPPORTED_MEDIA_TYPE");
    let large = [png(10, 10, 0), vec![0; 64 * 1024]].concat();
    put(&shop.owner, large).await.expect_refusal(413, "PAYLOAD_TOO_LARGE");
    assert_eq!(look(&shop.owner).await["logo"], json!(null));
    assert!(audit::entries(&shop.owner, "account.logo_changed").await.is_empty());
}

#[story::test]
async fn a_logo_is_uploaded_once_however_often_the_form_is_sent(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let path = format!("{LOOK}/logo");
    let attempt =
        async || browser.page(LOOK).await.hidden("attempt").expect("has an attempt").to_owned();
    let once = attempt().await;
    for _ in 0..2 {
        assert_eq!(next(&browser.upload(&path, &once, &png(10, 20, 1)).await), LOOK);
    }
    audit::only(&shop.owner, "account.logo_changed").await;
    let logo = look(&shop.owner).await["logo"].clone();
    let page = browser.page(LOOK).await;
    assert!(page.says(logo["path"].as_str().expect("is there")) && page.says("foi salvo"));
    for file in [
        Vec::new(),
        b"GIF89a".to_vec(),
        png(10, 2_000, 0),
        [png(10, 10, 0), vec![0; 70 * 1024]].concat(),
        [png(10, 10, 0), vec![0; 200 * 1024]].concat(),
    ] {
        let attempt = attempt().await;
        let refused = Page::of(browser.upload(&path, &attempt, &file).await, 422);
        assert_eq!(refused.wrong(), ["logo"], "{}", file.len());
        assert!(!refused.error("logo").is_empty());
    }
    assert_eq!(look(&shop.owner).await["logo"], logo);
    let fields = [("attempt", &*attempt().await)];
    assert_eq!(next(&browser.post(&format!("{LOOK}/clear"), &fields).await), LOOK);
    assert_eq!(look(&shop.owner).await["logo"], json!(null));
    assert!(!browser.page(LOOK).await.says("<img"));
}

#[story::test]
async fn a_look_is_an_owners_to_change_with_a_recent_proof(test: &TestApp, shop: Shop) {
    join(test, &shop, "bia@example.com", "MANAGER").await;
    let bia = Browser::signed_in(test, "bia@example.com").await;
    assert_eq!(bia.get(LOOK).await.status, 403);
    assert_eq!(bia.upload(&format!("{LOOK}/logo"), "x", &png(10, 10, 0)).await.status, 403);
    let manager = token(test, "bia@example.com").await;
    put(&manager, png(10, 10, 0)).await.expect_refusal(403, "INSUFFICIENT_PERMISSION");
    manager.delete(LOGO).await.expect_refusal(403, "INSUFFICIENT_PERMISSION");
    let browser = Browser::signed_in(test, EMAIL).await;
    secured(test, &browser, &shop.owner).await;
    test.pass(Duration::from_mins(11));
    let form = browser.page(LOOK).await.filled(&[("accentColor", "#1a3fa0")]);
    let asked = browser.post_typed(LOOK, &form).await;
    assert!(next(&asked).starts_with("/account/elevate?next="), "{}", next(&asked));
    let attempt = browser.page(LOOK).await.hidden("attempt").expect("has one").to_owned();
    let asked = browser.upload(&format!("{LOOK}/logo"), &attempt, &png(10, 10, 0)).await;
    assert!(next(&asked).starts_with("/account/elevate?next="), "{}", next(&asked));
    assert_eq!(look(&shop.owner).await, json!({ "accentColor": null, "logo": null }));
}

#[story::test]
async fn receipts_show_the_logo_and_a_closed_account_shows_none(test: &TestApp, shop: Shop) {
    put(&shop.owner, png(44, 44, 1)).await.expect(200);
    shop.owner.patch(ACCOUNT, json!({ "accentColor": "#1a3fa0" })).await.expect(200);
    let path = look(&shop.owner).await["logo"]["path"].as_str().expect("is there").to_owned();
    let charge = shop.charge(1_000).await;
    let address = charge["paymentUrl"].as_str().expect("has a page");
    let address = address.strip_prefix("https://pay.example.com").expect("is the checkout's");
    let shows_look = |page: &Page| page.says(&path) && page.says("/assets/accents/1a3fa0.css");
    assert!(shows_look(&Page::of(test.anyone().get(address).await, 200)));
    shop.pay(&charge).await;
    let receipt = address.replace("?token=", "/receipt?token=");
    assert!(shows_look(&Page::of(test.anyone().get(&receipt).await, 200)));
    let close = json!({ "password": PASSWORD });
    shop.owner.post("/api/auth/account/close", close).await.expect(200);
    assert_eq!(test.anyone().get(&path).await.status, 404);
}
