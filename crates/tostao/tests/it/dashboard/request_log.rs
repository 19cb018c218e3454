//! The request log in the dashboard: what was refused, and why.

use serde_json::json;

use super::{Browser, EMAIL, HOSTILE, join};
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::shop::Shop;

const LIST: &str = "/dashboard/dev/developers/requests";
const PRODUCTS: &str = "/api/v1/products";

#[story::test]
async fn a_refusal_leads_to_its_cause_and_to_the_page_that_mends_it(test: &TestApp, shop: Shop) {
    join(test, &shop, "dev@example.com", "DEVELOPER").await;
    let key = shop.key.with("x-request-id", "wrong-price");
    key.post(PRODUCTS, json!({ "name": "Caneca", "price": -1 })).await.expect(400);
    let browser = Browser::signed_in(test, "dev@example.com").await;
    let list = browser.page(LIST).await;
    assert!(list.says("O que foi recusado"), "{}", list.text);
    assert!(list.says("VALIDATION_ERROR: price") && list.says("POST /api/v1/products"));
    let page = browser.page(&format!("{LIST}/wrong-price")).await;
    assert_eq!(page.heading(), "<span class=\"long\">POST /api/v1/products</span>");
    assert!(page.says("Campo price:"));
    assert!(page.says("/docs/errors/VALIDATION_ERROR") || page.says("VALIDATION_ERROR</a>"));
    assert!(
        page.says("&#34;price&#34;: -1") || page.says("&quot;price&quot;: -1"),
        "{}",
        page.text
    );
    assert!(page.says("curl"));
}

#[story::test]
async fn a_filter_finds_what_the_api_finds_and_says_what_is_wrong_with_it(
    test: &TestApp,
    shop: Shop,
) {
    shop.key
        .with("idempotency-key", "k-1")
        .post(PRODUCTS, json!({ "name": "Caneca", "price": 1_000 }))
        .await
        .expect(201);
    shop.key
        .get("/api/v1/products/00000000-0000-7000-8000-000000000000")
        .await
        .expect_refusal(404, "NOT_FOUND");
    let browser = Browser::signed_in(test, EMAIL).await;
    let refused = browser.page(&format!("{LIST}?status=4xx,5xx")).await;
    assert!(refused.says(">404<") && !refused.says(">201<"));
    let once = browser.page(&format!("{LIST}?idempotencyKey=k-1")).await;
    assert!(once.says(">201<") && !once.says(">404<"));
    let none = browser.page(&format!("{LIST}?route=%2Fnothing")).await;
    assert!(none.says("Nenhuma requisição com este filtro") && none.says("Remover os filtros"));
    let wrong = Page::of(browser.get(&format!("{LIST}?status=9xx")).await, 400);
    assert_eq!(wrong.wrong(), ["status"]);
    for field in ["route", "code", "idempotencyKey"] {
        let long = browser.get(&format!("{LIST}?{field}={}", "a".repeat(256))).await;
        let long = Page::of(long, 400);
        assert_eq!(long.wrong(), [field]);
        assert!(long.says(": O texto é curto ou longo demais.</a>"), "{}", long.text);
    }
    let hostile = url::form_urlencoded::Serializer::new(String::new())
        .append_pair("route", HOSTILE)
        .append_pair("code", HOSTILE)
        .finish();
    let page = browser.page(&format!("{LIST}?{hostile}")).await;
    assert!(!page.says("<script>alert") && !page.says("<b onclick"));
}

#[story::test]
async fn another_merchants_request_and_mode_are_no_page(test: &TestApp, shop: Shop, other: Shop) {
    other.key.with("x-request-id", "their-request").get(PRODUCTS).await.expect(200);
    shop.key.with("x-request-id", "our-request").get(PRODUCTS).await.expect(200);
    let browser = Browser::signed_in(test, EMAIL).await;
    assert_eq!(browser.page(&format!("{LIST}/our-request")).await.status, 200);
    for path in [
        format!("{LIST}/their-request"),
        format!("{LIST}/no-request"),
        "/dashboard/prod/developers/requests/our-request".to_owned(),
    ] {
        assert_eq!(Page::of(browser.get(&path).await, 404).heading(), "Página não encontrada");
    }
}
