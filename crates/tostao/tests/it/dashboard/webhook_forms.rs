//! Webhooks in the dashboard: made, changed, given another secret, paused, deleted.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Browser, EMAIL, HOSTILE, next, without_harm};
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::receiver::Receiver;
use crate::harness::reply::Reply;
use crate::harness::shop::{PASSWORD, Shop, id};
use crate::second_step::Device;
use crate::webhooks::{emit, subscribe};

const LIST: &str = "/dashboard/dev/developers/webhooks";
const API: &str = "/api/v1/webhooks/subscriptions";

/// Opens a form and posts it with these fields.
async fn fill(browser: &Browser, path: &str, fields: &[(&str, &str)]) -> Reply {
    let form = browser.page(path).await;
    let attempt = [("attempt", form.hidden("attempt").expect("has one"))];
    browser.post(path, &[fields, &attempt].concat()).await
}

/// The secret that a page shows.
fn secret(reply: Reply) -> String {
    let page = Page::of(reply, 200);
    page.within("<code id=\"secret\"", "</code>").expect("is shown").to_owned()
}

async fn read(shop: &Shop, hook: &Value) -> Value {
    shop.key.get(&format!("{API}/{}", id(hook))).await.expect(200)["subscription"].clone()
}

#[story::test]
async fn a_webhook_is_made_and_its_secret_shown_once(test: &TestApp, shop: Shop) {
    let receiver = Receiver::start().await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let path = format!("{LIST}/new");
    let form = browser.page(&path).await;
    let attempt = form.hidden("attempt").expect("has one");
    let fields = [
        ("url", &*receiver.url),
        ("description", "Loja"),
        ("events.product.created", "true"),
        ("attempt", attempt),
    ];
    let shown = secret(browser.post(&path, &fields).await);
    assert!(shown.starts_with("whsec_"), "{shown}");
    assert_eq!(secret(browser.post(&path, &fields).await), shown, "a double click makes one");
    let hooks = shop.key.list(API).await;
    assert_eq!(hooks.len(), 1);
    assert_eq!(hooks[0]["events"], json!(["product.created"]));
    assert_eq!(hooks[0]["description"], "Loja");
    emit(test, &shop).await;
    assert_eq!(receiver.take().len(), 1);
    assert!(!browser.page(&format!("{LIST}/{}", id(&hooks[0]))).await.says(&shown));
    assert_eq!(shop.owner.list("/api/audit?action=webhook.created").await.len(), 1);
}

#[story::test]
async fn a_wrong_form_of_a_webhook_comes_back_and_makes_none(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let path = format!("{LIST}/new");
    let typed = [("url", "ftp://example.com"), ("everyEvent", "true")];
    let page = Page::of(fill(&browser, &path, &typed).await, 422);
    assert_eq!((page.wrong(), page.value("url")), (vec!["url"], "ftp://example.com"));
    let card = [("url", "https://example.com"), ("description", "4111 1111 1111 1111")];
    let card = Page::of(fill(&browser, &path, &card).await, 422);
    assert!(card.wrong().contains(&"description"), "{}", card.text);
    let none = Page::of(fill(&browser, &path, &[("url", "https://example.com")]).await, 422);
    assert_eq!(none.wrong(), ["events"]);
    assert_eq!(shop.key.list(API).await, [] as [Value; 0]);
}

#[story::test]
async fn an_edited_webhook_keeps_what_was_not_touched(test: &TestApp, shop: Shop) {
    let address = "https://example.com/hook?token=segredo";
    let hook = subscribe(&shop.key, address, &["payment.completed"]).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let path = format!("{LIST}/{}/edit", id(&hook));
    let form = browser.page(&path).await;
    assert_eq!(form.value("url"), address);
    let fields =
        [("url", address), ("description", "Estoque"), ("events.transaction.paid", "true")];
    next(&fill(&browser, &path, &fields).await);
    let changed = read(&shop, &hook).await;
    assert_eq!((&changed["url"], &changed["description"]), (&json!(address), &json!("Estoque")));
    assert_eq!(changed["events"], json!(["payment.completed"]), "an alias stays as it was written");
    let fields = [("url", "https://example.com/new"), ("everyEvent", "true")];
    next(&fill(&browser, &path, &fields).await);
    let changed = read(&shop, &hook).await;
    assert_eq!(changed["url"], "https://example.com/new");
    assert_eq!((&changed["events"], &changed["description"]), (&json!(["*"]), &Value::Null));
    assert_eq!(shop.owner.list("/api/audit?action=webhook.updated").await.len(), 2);
    assert_eq!(shop.owner.list("/api/audit?action=webhook.url_changed").await.len(), 1);
}

#[story::test]
async fn a_rotated_secret_signs_beside_the_old_one(test: &TestApp, shop: Shop) {
    let receiver = Receiver::start().await;
    let hook = subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let path = format!("{LIST}/{}/rotate", id(&hook));
    let new = secret(fill(&browser, &path, &[("gracePeriodSeconds", "86400")]).await);
    assert_ne!(hook["secret"], json!(new));
    emit(test, &shop).await;
    let got = receiver.take();
    let signed = got[0].header("webhook-signature").split(' ').count();
    assert_eq!(signed, 2);
}

#[story::test]
async fn a_webhook_is_paused_and_deleted_once_its_host_is_typed(test: &TestApp, shop: Shop) {
    let receiver = Receiver::start().await;
    let hook = subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    let here = format!("{LIST}/{}", id(&hook));
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = browser.page(&here).await;
    let attempt = page.hidden("attempt").expect("has a form");
    let paused = browser.post(&format!("{here}/pause"), &[("attempt", attempt)]).await;
    assert!(browser.land(paused).await.says("O webhook está pausado: nada é enviado."));
    emit(test, &shop).await;
    assert!(receiver.take().is_empty());
    let path = format!("{here}/delete");
    let mistyped = Page::of(fill(&browser, &path, &[("typed", "x")]).await, 422);
    assert_eq!(mistyped.wrong(), ["typed"]);
    let form = browser.page(&path).await;
    let fields = [("typed", "127.0.0.1"), ("attempt", form.hidden("attempt").expect("has one"))];
    for _ in 0..2 {
        assert_eq!(next(&browser.post(&path, &fields).await), LIST, "a double click, too");
    }
    assert_eq!(shop.key.list(API).await, [] as [Value; 0]);
    assert_eq!(shop.owner.list("/api/audit?action=webhook.deleted").await.len(), 1);
}

#[story::test]
async fn where_real_events_go_asks_for_a_code(test: &TestApp, shop: Shop) {
    let device = Device::enrolled(test, &shop.owner).await;
    let browser = Browser::signed_in_with(test, &device).await;
    test.pass(Duration::from_mins(10));
    let path = "/dashboard/prod/developers/webhooks/new";
    let fields = [("url", "https://example.com/hook"), ("everyEvent", "true")];
    let asked = browser.land(fill(&browser, path, &fields).await).await;
    assert_eq!(asked.heading(), "Confirme que é você");
    let production = shop.owner.with("x-dev-mode", "false");
    assert_eq!(production.list(API).await, [] as [Value; 0]);
    let back = asked.hidden("next").expect("leads back").to_owned();
    let wrong = browser.post("/account/elevate", &[("next", &back), ("proof", PASSWORD)]).await;
    assert_eq!(wrong.status, 422);
    let code = device.code(test, 0);
    let proved = browser.post("/account/elevate", &[("next", &back), ("proof", &code)]).await;
    let form = browser.land(proved).await;
    assert_eq!(form.value("url"), "https://example.com/hook");
    let attempt = [("attempt", form.hidden("attempt").expect("has one"))];
    secret(browser.post(path, &[&fields[..], &attempt].concat()).await);
    assert_eq!(production.list(API).await.len(), 1);
}

#[story::test]
async fn hostile_texts_in_a_webhook_do_nothing(test: &TestApp, shop: Shop) {
    let hook = subscribe(&shop.key, "https://example.com/hook", &["*"]).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let path = format!("{LIST}/{}/edit", id(&hook));
    let fields = [("url", HOSTILE), ("description", HOSTILE), ("everyEvent", "true")];
    without_harm(&Page::of(fill(&browser, &path, &fields).await, 422));
}
