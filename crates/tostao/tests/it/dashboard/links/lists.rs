//! The list of payment links, and the lists that a link leads to.

use db::database::Dialect;
use serde_json::json;

use super::{API, LIST, NEW, VIEWER, page_of};
use crate::carts::capture;
use crate::dashboard::{Browser, EMAIL, join};
use crate::harness::TestApp;
use crate::harness::engine::Engine;
use crate::harness::page::Page;
use crate::harness::shop::{Shop, id};

#[story::test]
async fn the_list_says_what_to_do_searches_filters_and_goes_on(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let empty = browser.page(LIST).await;
    assert!(empty.says("Nenhum link ainda") && empty.says("Criar o primeiro link"));
    let link = shop.link_with(json!({ "title": "Café", "amountCents": 4_990 })).await;
    shop.change_link(&link, json!({ "status": "INACTIVE" })).await;
    for _ in 0..51 {
        shop.link(1_000).await;
    }
    let rows = |page: &Page| page.text.matches("class=\"only-narrow\"").count();
    let first = browser.page(LIST).await;
    assert_eq!(rows(&first), 50);
    let next = first.within("<a href=\"", "\" rel=\"next\">");
    let next = next.and_then(|links| links.rsplit("<a href=\"").next()).expect("goes on");
    let second = browser.page(&next.replace("&#38;", "&")).await;
    assert_eq!(rows(&second), 2);
    assert!(second.says("Café") && second.says("R$\u{a0}49,90") && second.says("Nenhuma cobrança"));
    let found = browser.page(&format!("{LIST}?q=caf%C3%A9&status=INACTIVE")).await;
    assert_eq!((rows(&found), found.value("q")), (1, "café"));
    let none = browser.page(&format!("{LIST}?q=caf%C3%A9&status=ACTIVE")).await;
    assert!(none.says("Nenhum link passa por este filtro"));
    let wrong = Page::of(browser.get(&format!("{LIST}?status=LIGADO")).await, 400);
    assert_eq!(wrong.wrong(), ["status"]);
}

#[story::test]
async fn each_figure_of_a_link_opens_the_list_that_it_counts(test: &TestApp, shop: Shop) {
    let link = shop.link(1_000).await;
    let by_link = json!({ "paymentLinkId": id(&link) });
    for _ in 0..2 {
        let charge = shop.charge_with(by_link.clone()).await;
        shop.pay(&charge).await;
    }
    let refunded = shop.charge_with(by_link.clone()).await;
    let refunded = shop.pay(&refunded).await;
    let path = format!("/api/v1/transactions/{}/refund", id(&refunded));
    shop.key.post(&path, json!({ "reason": "Risco" })).await.expect(201);
    shop.charge_with(by_link).await;
    shop.sell(5_000).await;
    capture(test, &link, "fulano@example.com", json!({ "clientName": "Fulano de Tal" })).await;
    capture(test, &link, "beltrana@example.com", json!({})).await;
    test.run_jobs().await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = browser.page(&page_of(&link)).await;
    let figures = [
        ("Cobranças", "4 transações"),
        ("Pagas", "3 transações"),
        ("Abandonos", "2 no total"),
        ("Carrinhos", "2 no total"),
    ];
    for (name, counted) in figures {
        let (_, figure) = page.text.split_once(&format!("<dt>{name}</dt>")).expect("is shown");
        let (_, link) = figure.split_once("<a href=\"").expect("leads to a list");
        let (url, rest) = link.split_once("\">").expect("is a link");
        let count = counted.split(' ').next().expect("is a number");
        assert!(rest.starts_with(&format!("<span class=\"money\">{count}</span>")), "{name}");
        let list = browser.page(&url.replace("&#38;", "&")).await;
        assert!(list.says(counted), "{name}: {}", list.text);
    }
}

#[story::test]
async fn carts_are_counted_up_to_a_thousand(test: &TestApp, shop: Shop) {
    let link = shop.link(1_000).await;
    capture(test, &link, "fulano@example.com", json!({})).await;
    let engine = Engine::open(test).await;
    let any_id = match engine.dialect() {
        Dialect::Sqlite => "randomblob(16)",
        Dialect::Postgres => "gen_random_uuid()",
    };
    engine
        .rows(&format!(
            "insert into carts (merchant_id, mode, id, version, payment_link_id, status, fresh,
                                created_at, updated_at)
             with recursive numbers (number) as (
                  select 1 union all select number + 1 from numbers where number < 1000)
             select merchant_id, mode, {any_id}, 1, payment_link_id, status, false, created_at,
                    updated_at
               from carts, numbers"
        ))
        .await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = browser.page(&page_of(&link)).await;
    assert_eq!(page.text.matches(">1000+<").count(), 2, "{}", page.text);
    for query in ["", "?status=ABANDONED"] {
        let carts = browser.page(&format!("{}/carts{query}", page_of(&link))).await;
        assert!(carts.says("1000+ no total"), "{query}");
    }
    let api = format!("{API}/{}/cart-abandonments", id(&link));
    assert_eq!(shop.key.total(&api).await, 1_001);
}

#[story::test]
async fn the_buyers_of_carts_are_shown_only_to_a_role_that_may_read_them(
    test: &TestApp,
    shop: Shop,
) {
    let link = shop.link(1_000).await;
    let carts = format!("{}/carts", page_of(&link));
    let browser = Browser::signed_in(test, EMAIL).await;
    assert!(browser.page(&carts).await.says("Nenhum carrinho abandonado"));
    capture(test, &link, "fulano@example.com", json!({ "clientName": "Fulano de Tal" })).await;
    assert!(browser.page(&carts).await.says("Fulano de Tal · fulano@example.com"));
    let none = browser.page(&format!("{carts}?status=RECOVERED")).await;
    assert!(none.says("Nenhum carrinho passa por este filtro"));
    join(test, &shop, VIEWER, "VIEWER").await;
    let page = Browser::signed_in(test, VIEWER).await.page(&carts).await;
    assert!(page.says("Abandonado") && !page.says("Fulano") && !page.says("fulano@"));
}

#[story::test]
async fn where_there_is_no_sale_a_link_is_the_next_step_for_who_may_make_one(
    test: &TestApp,
    shop: Shop,
) {
    join(test, &shop, VIEWER, "VIEWER").await;
    let table = [(EMAIL, true), (VIEWER, false)];
    for (email, leads) in table {
        let browser = Browser::signed_in(test, email).await;
        for page in ["/dashboard/dev", "/dashboard/dev/transactions"] {
            let page = browser.page(page).await;
            assert_eq!(page.says(&format!("href=\"{NEW}\"")), leads, "{email}");
            assert_eq!(page.says("/docs/api/payment-links"), !leads, "{email}");
        }
    }
}
