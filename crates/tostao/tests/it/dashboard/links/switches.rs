//! Links that are switched off and on, or that sell nothing until something changes.

use std::time::Duration;

use serde_json::json;

use super::{API, page_of, send};
use crate::dashboard::{Browser, EMAIL, next};
use crate::harness::TestApp;
use crate::harness::shop::{Shop, id};

#[story::test]
async fn a_link_is_switched_off_after_a_page_that_says_what_that_does_and_on_again(
    test: &TestApp,
    shop: Shop,
) {
    let link = shop.link(1_000).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let off = format!("{}/switch-off", page_of(&link));
    assert!(browser.page(&page_of(&link)).await.says(&format!("href=\"{off}\"")));
    let confirm = browser.page(&off).await;
    assert!(confirm.says("Cobranças já emitidas ainda podem ser pagas"));
    assert_eq!(shop.read_link(&link).await["status"], "ACTIVE");
    let attempt = confirm.hidden("attempt").expect("has one").to_owned();
    for _ in 0..2 {
        let done = browser.post(&off, &[("attempt", &attempt)]).await;
        assert_eq!(next(&done), page_of(&link));
    }
    let page = browser.page(&page_of(&link)).await;
    assert!(page.says("O link foi desligado:") && page.says("Desligado"));
    assert_eq!(shop.read_link(&link).await["status"], "INACTIVE");
    let path = format!("/pay/{}", link["slug"].as_str().expect("has one"));
    assert_ne!(test.anyone().get(&path).await.status, 200);
    let on = format!("{}/switch-on", page_of(&link));
    let attempt = page.hidden("attempt").expect("has one");
    assert_eq!(next(&browser.post(&on, &[("attempt", attempt)]).await), page_of(&link));
    assert_eq!(shop.read_link(&link).await["status"], "ACTIVE");
    assert_eq!(test.anyone().get(&path).await.status, 200);
    let audit = shop.owner.list("/api/audit?action=payment_link.updated").await;
    assert_eq!(audit.len(), 2);
}

#[story::test]
async fn an_expired_link_offers_a_new_date_and_sells_again(test: &TestApp, shop: Shop) {
    let ends = json!({ "amountCents": 1_000, "expiresAt": "2026-11-21T13:00:00.000Z" });
    let link = shop.link_with(ends).await;
    test.pass(Duration::from_hours(2));
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = browser.page(&page_of(&link)).await;
    assert!(page.says("Vencido") && page.says("O prazo do link terminou em"));
    assert!(page.says("O prazo terminou: dê uma nova data.") && page.says("Dar nova data"));
    let edit = format!("{}/edit", page_of(&link));
    let form = browser.page(&edit).await;
    assert_eq!(form.value("expiresAt"), "2026-12-21");
    let fields = [
        ("title", "Caneca"),
        ("amountCents", "10"),
        ("settings.pixEnabled", "true"),
        ("expiresAt", form.value("expiresAt")),
    ];
    next(&send(&browser, &edit, &edit, &fields).await);
    let link = shop.read_link(&link).await;
    assert_eq!(link["status"], "ACTIVE");
    assert_eq!(link["expiresAt"], "2026-12-22T03:00:00.000Z");
}

#[story::test]
async fn a_link_that_cannot_be_paid_although_it_is_on_says_why(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let sold = json!({ "amountCents": 1_000, "stockEnabled": true, "stockQuantity": 0 });
    let sold = shop.link_with(sold).await;
    assert!(browser.page(&page_of(&sold)).await.says("mas o estoque acabou"));
    let product = shop.product(json!({})).await;
    let items = json!([{ "productId": product["id"], "quantity": 2 }]);
    let link = shop.link_with(json!({ "products": items })).await;
    assert!(browser.page(&page_of(&link)).await.says("2 × Caneca"));
    shop.change_product(&product, json!({ "status": "INACTIVE" })).await;
    let page = browser.page(&page_of(&link)).await;
    assert!(page.says("um dos seus produtos está fora de venda") && page.says("fora de venda"));
}

#[story::test]
async fn a_link_of_real_money_says_that_no_bank_is_connected(test: &TestApp, shop: Shop) {
    let new = json!({ "title": "Caneca", "amountCents": 1_000 });
    let link = shop.owner.post(API, new).await.expect(201)["data"].clone();
    let page = Browser::signed_in(test, EMAIL).await;
    let page = page.page(&format!("/dashboard/prod/links/{}", id(&link))).await;
    assert!(page.says("nenhuma das suas formas de pagamento funciona aqui agora"));
}
