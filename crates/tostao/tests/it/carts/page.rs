//! The hosted page: it says that the email is noted, and an address brings a form back.

use std::time::Duration;

use serde_json::json;

use crate::carts::{ANA, DAY, capture, only};
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::shop::Shop;

async fn address(shop: &Shop, link: &serde_json::Value) -> String {
    let url = only(shop, link).await["recoveryUrl"].as_str().expect("has one").to_owned();
    url.strip_prefix("https://pay.example.com").expect("is the checkout's").to_owned()
}

#[story::test]
async fn the_page_says_that_the_shop_gets_the_e_mail(test: &TestApp, shop: Shop) {
    let link = shop.link(10_000).await;
    let path = format!("/pay/{}", link["slug"].as_str().expect("has one"));
    let reply = test.anyone().with("accept", "text/html").get(&path).await;
    assert!(reply.text.contains("data-cart=\""), "the script finds the form");
    assert!(Page::of(reply, 200).says("A loja o recebe já ao preencher"));
}

#[story::test]
async fn an_address_brings_back_what_was_typed_for_thirty_days(test: &TestApp, shop: Shop) {
    let settings = json!({ "requirePhone": true });
    let link = shop.link_with(json!({ "amountCents": 10_000, "settings": settings })).await;
    let who = json!({
        "clientName": "Ana", "clientDocument": "529.982.247-25", "clientPhone": "11912345678",
    });
    capture(test, &link, ANA, who).await.expect(201);
    let address = address(&shop, &link).await;
    let browser = test.anyone().with("accept", "text/html");
    let page = Page::of(browser.get(&address).await, 200);
    let typed = ["name", "email", "document", "phone"].map(|field| page.value(field));
    assert_eq!(typed, ["Ana", "a***@example.com", "529.***.***-**", "***5678"]);
    // It is shown to no other buyer.
    let (plain, _) = address.split_once('?').expect("has a query");
    for other in [plain.to_owned(), format!("{plain}?rc=abc"), format!("{address}x")] {
        let page = Page::of(browser.get(&other).await, 200);
        assert_eq!((page.value("name"), page.value("email")), ("", ""), "{other}");
    }
    let other = shop.link(5_000).await;
    let slug = other["slug"].as_str().expect("has one");
    let elsewhere = address.replace(link["slug"].as_str().expect("has one"), slug);
    assert_eq!(Page::of(browser.get(&elsewhere).await, 200).value("email"), "");
    test.pass((DAY * 30).saturating_sub(Duration::from_secs(1)));
    let last = Page::of(browser.get(&address).await, 200);
    assert_eq!(last.value("email"), "a***@example.com");
    test.pass(Duration::from_secs(1));
    assert_eq!(Page::of(browser.get(&address).await, 200).value("email"), "");
}

#[story::test]
async fn an_address_and_a_coupon_go_together(test: &TestApp, shop: Shop) {
    let made = json!({ "code": "DEZ", "discountType": "PERCENTAGE", "discountValue": 10 });
    shop.key.post("/api/v1/coupons", made).await.expect(201);
    let link = shop.link(10_000).await;
    capture(test, &link, ANA, json!({})).await.expect(201);
    let address = address(&shop, &link).await;
    let browser = test.anyone().with("accept", "text/html");
    let page = Page::of(browser.get(&format!("{address}&coupon=dez")).await, 200);
    assert_eq!((page.value("email"), page.value("coupon")), ("a***@example.com", "dez"));
    assert!(page.says("R$\u{a0}90,00"));
}
