//! Why a webhook did not arrive, and getting it there.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Browser, EMAIL, HOSTILE, join, next};
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::receiver::Receiver;
use crate::harness::shop::{Shop, id};
use crate::webhooks::{change, emit, subscribe};

const LIST: &str = "/dashboard/dev/developers/webhooks";
const DEVELOPER: &str = "dev@example.com";
const VIEWER: &str = "leitura@example.com";

fn page_of(hook: &Value) -> String {
    format!("{LIST}/{}", id(hook))
}

/// Presses a button of the webhook's page; answers the page that it leads to.
async fn press(browser: &Browser, hook: &Value, what: &str, fields: &[(&str, &str)]) -> Page {
    let here = browser.page(&page_of(hook)).await;
    let attempt = here.hidden("attempt").expect("has a form").to_owned();
    let fields: Vec<_> = fields.iter().copied().chain([("attempt", &*attempt)]).collect();
    let path = format!("{}/{what}", page_of(hook));
    let pressed = browser.post(&path, &fields).await;
    assert_eq!(next(&pressed), page_of(hook));
    // A double click, or a lost answer.
    assert_eq!(next(&browser.post(&path, &fields).await), page_of(hook));
    browser.land(pressed).await
}

#[story::test]
async fn from_home_a_developer_finds_the_cause_in_two_clicks_and_sends_again(
    test: &TestApp,
    shop: Shop,
) {
    let receiver = Receiver::start().await;
    let hook = subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    receiver.answer(&[500]);
    emit(test, &shop).await;
    join(test, &shop, DEVELOPER, "DEVELOPER").await;
    let browser = Browser::signed_in(test, DEVELOPER).await;
    let home = browser.page("/dashboard/dev").await;
    assert!(home.says(&format!("<a href=\"{}\">", page_of(&hook))), "the first click");
    let page = browser.page(&page_of(&hook)).await;
    assert!(page.says("Falhando") && page.says("Falhas seguidas: 1, desde"), "{}", page.text);
    assert!(page.says("O receptor respondeu 500. Tentativa 2 de 10 em"));
    receiver.take();
    let event = page.within("<code id=\"event-1\"", "</code>").expect("is shown").to_owned();
    let after = press(&browser, &hook, "resend", &[("eventId", &event)]).await;
    assert!(after.says("O evento será enviado de novo."));
    test.run_jobs().await;
    assert_eq!(receiver.take().len(), 1, "once");
    let page = browser.page(&page_of(&hook)).await;
    assert!(page.says("Recebendo") && page.says("Entregue") && page.says("Aceito (200)."));
    let audit = shop.owner.list("/api/audit?action=event.redelivered").await;
    assert_eq!((audit.len(), &audit[0]["subjectId"]), (1, &json!(event)));
}

#[story::test]
async fn a_diagnosis_names_the_step_that_fails_and_what_to_do(test: &TestApp, shop: Shop) {
    let receiver = Receiver::start().await;
    let hook = subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    receiver.answer(&[404]);
    let browser = Browser::signed_in(test, EMAIL).await;
    let path = format!("{}/diagnose", page_of(&hook));
    let found = Page::of(browser.post(&path, &[]).await, 200);
    assert_eq!(found.heading(), "Diagnóstico");
    assert!(found.says("A resposta foi 404: não há nada neste caminho."));
    assert!(found.says("Corrija o endereço do webhook."));
    assert!(found.says("Assinatura errada") && found.says("Não tentado"));
    receiver.answer(&[200, 200, 400, 400]);
    let probed = Page::of(browser.post(&path, &[("probeRefusals", "true")]).await, 200);
    assert!(probed.says("A falsificação foi recusada (400)."), "{}", probed.text);
}

#[story::test]
async fn a_webhook_that_was_switched_off_is_switched_on_and_recovers(test: &TestApp, shop: Shop) {
    let receiver = Receiver::start().await;
    let hook = subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    change(&shop.key, &hook, json!({ "isActive": false })).await;
    emit(test, &shop).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let off = browser.page(&page_of(&hook)).await;
    assert!(off.says("Pausado") && off.says("Ligar de novo"));
    assert!(!off.says("Enviar um evento de teste"), "it gets nothing");
    let on = press(&browser, &hook, "enable", &[]).await;
    assert!(on.says("O webhook está ligado."));
    let since = test.app.now().minus(Duration::from_hours(1)).to_string();
    let begun = press(&browser, &hook, "recover", &[("since", &since)]).await;
    assert!(begun.says("A recuperação começou.") && begun.says("Recuperação em andamento"));
    assert!(!begun.says("Recuperar o que ele perdeu"), "one at a time");
    let attempt = begun.hidden("attempt").expect("has a form");
    let fields = [("since", &*since), ("attempt", attempt)];
    let second = browser.post(&format!("{}/recover", page_of(&hook)), &fields).await;
    assert!(Page::of(second, 409).says("a situação mudou enquanto a página estava aberta"));
    test.run_jobs_after(Duration::from_secs(15)).await;
    assert_eq!(receiver.take().len(), 1);
    let done = browser.page(&page_of(&hook)).await;
    assert!(done.says("Enviados de novo: 1."), "{}", done.text);
    let wrong = browser.post(&format!("{}/recover", page_of(&hook)), &[("since", "ontem")]).await;
    assert_eq!(wrong.status, 400);
}

#[story::test]
async fn the_buttons_of_one_page_send_each_its_own_event(test: &TestApp, shop: Shop) {
    let receiver = Receiver::start().await;
    let hook = subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    for _ in 0..2 {
        emit(test, &shop).await;
    }
    receiver.take();
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = browser.page(&page_of(&hook)).await;
    let attempt = page.hidden("attempt").expect("has a form");
    for number in 1..=2 {
        let code = format!("<code id=\"event-{number}\"");
        let event = page.within(&code, "</code>").expect("is shown");
        let fields = [("attempt", attempt), ("eventId", event)];
        next(&browser.post(&format!("{}/resend", page_of(&hook)), &fields).await);
    }
    test.run_jobs().await;
    assert_eq!(receiver.take().len(), 2);
}

#[story::test]
async fn a_test_event_is_sent_once_however_often_the_button_is_pressed(test: &TestApp, shop: Shop) {
    let receiver = Receiver::start().await;
    let hook = subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let sent = press(&browser, &hook, "test", &[("event", "transaction.paid")]).await;
    assert!(sent.says("O evento de teste foi enviado."));
    test.run_jobs().await;
    let got = receiver.take();
    assert_eq!(got.len(), 1);
    assert_eq!(
        (&got[0].json()["test"], &got[0].json()["event"]),
        (&json!(true), &json!("transaction.paid"))
    );
    assert_eq!(shop.owner.list("/api/audit?action=webhook.tested").await.len(), 1);
}

#[story::test]
async fn a_role_that_may_only_read_sees_why_it_cannot_act_and_no_secret_of_the_address(
    test: &TestApp,
    shop: Shop,
) {
    let receiver = Receiver::start().await;
    let address = format!("{}?token=oculta", receiver.url);
    let hook = subscribe(&shop.key, &address, &["product.created"]).await;
    receiver.answer_saying(500, "oculta");
    emit(test, &shop).await;
    join(test, &shop, VIEWER, "VIEWER").await;
    let browser = Browser::signed_in(test, VIEWER).await;
    for path in [LIST.to_owned(), page_of(&hook)] {
        let page = browser.page(&path).await;
        assert!(!page.says("oculta"), "{}", page.text);
    }
    let page = browser.page(&page_of(&hook)).await;
    assert!(page.says("O seu papel nesta conta não inclui isto.") && !page.says("Enviar agora"));
    for what in
        ["test", "recover", "enable", "resend", "diagnose", "edit", "rotate", "delete", "pause"]
    {
        let refused = browser.post(&format!("{}/{what}", page_of(&hook)), &[]).await;
        assert_eq!(refused.status, 403, "{what}");
    }
    assert_eq!(browser.get(&format!("{LIST}/new")).await.status, 403);
    let owner = Browser::signed_in(test, EMAIL).await;
    assert!(owner.page(&page_of(&hook)).await.says("token=oculta"));
}

#[story::test]
async fn another_merchants_webhook_is_no_page_and_texts_are_escaped(
    test: &TestApp,
    shop: Shop,
    other: Shop,
) {
    let theirs = subscribe(&other.key, "https://example.com/x", &["*"]).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let unknown = format!("{LIST}/00000000-0000-7000-8000-000000000000");
    for path in [page_of(&theirs), unknown, format!("{LIST}/x")] {
        let page = Page::of(browser.get(&path).await, 404);
        assert_eq!(page.heading(), "Página não encontrada");
    }
    assert!(browser.page(LIST).await.says("Nenhum webhook ainda"));
    let receiver = Receiver::start().await;
    let hook = subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    let own = browser.page(&page_of(&hook)).await;
    let now = test.app.now().to_string();
    let event = shop.key.list("/api/webhooks/events").await;
    let event = event.first().map_or("00000000-0000-7000-8000-000000000000", |event| id(event));
    let fields = [
        ("attempt", own.hidden("attempt").expect("has a form")),
        ("event", "transaction.paid"),
        ("since", &now),
        ("eventId", event),
        ("typed", "example.com"),
        ("url", "https://example.com/mine"),
        ("everyEvent", "true"),
        ("gracePeriodSeconds", "0"),
    ];
    let acts =
        ["diagnose", "test", "enable", "recover", "resend", "edit", "rotate", "delete", "pause"];
    for what in acts {
        let refused = browser.post(&format!("{}/{what}", page_of(&theirs)), &fields).await;
        assert_eq!(refused.status, 404, "{what}");
    }
    change(&shop.key, &hook, json!({ "description": HOSTILE })).await;
    receiver.answer_saying(500, HOSTILE);
    emit(test, &shop).await;
    let page = browser.page(&page_of(&hook)).await;
    assert!(!page.says("<script>alert") && !page.says("<b onclick"));
    assert!(page.says("alert(1)"), "the answer is shown");
}
