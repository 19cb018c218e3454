//! The pages of developers: the overview, events, keys of retries, the test clock, and mails.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Browser, EMAIL, HOSTILE, as_unknown, calls_answer, join, next, without_harm};
use crate::harness::TestApp;
use crate::harness::page::Page;
use crate::harness::receiver::Receiver;
use crate::harness::shop::{Shop, id};
use crate::webhooks::{change, emit, subscribe};
use crate::withdrawals::process;

const HERE: &str = "/dashboard/dev/developers";
const DEVELOPER: &str = "dev@example.com";
const VIEWER: &str = "leitura@example.com";

fn page_of(event: &str) -> String {
    format!("{HERE}/events/{event}")
}

/// The newest event of the shop.
async fn newest(shop: &Shop) -> Value {
    shop.key.list("/api/webhooks/events").await[0].clone()
}

/// Posts a form with the attempt of a page.
async fn press(browser: &Browser, page: &str, to: &str, fields: &[(&str, &str)]) -> Page {
    let here = browser.page(page).await;
    let attempt = [("attempt", here.hidden("attempt").expect("has a form"))];
    let fields = [fields, &attempt].concat();
    let pressed = browser.post(to, &fields).await;
    let led = next(&pressed);
    assert_eq!(next(&browser.post(to, &fields).await), led, "a double click does one thing");
    browser.land(pressed).await
}

#[story::test]
async fn the_overview_says_where_the_api_is_and_what_went_wrong(test: &TestApp, shop: Shop) {
    join(test, &shop, DEVELOPER, "DEVELOPER").await;
    let receiver = Receiver::start().await;
    let hook = subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    receiver.answer(&[500]);
    emit(test, &shop).await;
    let key = shop.key.with("x-request-id", "wrong-price");
    let wrong = json!({ "name": HOSTILE, "price": -1 });
    key.post("/api/v1/products", wrong).await.expect(400);
    let browser = Browser::signed_in(test, DEVELOPER).await;
    let page = browser.page(HERE).await;
    assert_eq!(page.heading(), "Desenvolvedores");
    assert!(page.says("https://api.example.com"), "{}", page.text);
    assert!(page.says(&format!("{HERE}/webhooks/{}", id(&hook))));
    assert!(page.says("Falhas seguidas: 1"), "the cause");
    assert!(page.says("VALIDATION_ERROR: price") && page.says("wrong-price"));
    assert!(!page.says("Primeiros passos"), "there is a key");
    calls_answer(&shop, &page).await;
    let prod = browser.page("/dashboard/prod/developers").await;
    assert!(prod.says("Primeiros passos"), "there is nothing: {}", prod.text);
    let english = browser.page(&format!("{HERE}?lang=en")).await;
    assert!(english.says("Last refused requests") && english.says("Developers"));
}

#[story::test]
async fn the_menu_has_one_entry_for_developers_and_opens_within_it(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let home = browser.page("/dashboard/dev").await;
    assert!(home.says(&format!("<a href=\"{HERE}\">Desenvolvedores</a>")), "{}", home.text);
    assert!(!home.says(&format!("<a href=\"{HERE}/idempotency\">")));
    let here = browser.page(&format!("{HERE}/webhooks")).await;
    let items = ["keys", "events", "requests", "idempotency", "clock", "mail"];
    for item in items {
        assert!(here.says(&format!("<a href=\"{HERE}/{item}\">")), "{item}");
    }
    join(test, &shop, VIEWER, "VIEWER").await;
    let viewer = Browser::signed_in(test, VIEWER).await;
    let home = viewer.page("/dashboard/dev").await;
    let first = format!("<a href=\"{HERE}/webhooks\">Desenvolvedores</a>");
    assert!(home.says(&first), "the first page that the role may read: {}", home.text);
}

#[story::test]
async fn an_event_says_to_whom_it_went_and_is_sent_again(test: &TestApp, shop: Shop) {
    let receiver = Receiver::start().await;
    let hook = subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    receiver.answer(&[500]);
    emit(test, &shop).await;
    receiver.take();
    let event = newest(&shop).await;
    let event = id(&event);
    let browser = Browser::signed_in(test, EMAIL).await;
    let list = browser.page(&format!("{HERE}/events")).await;
    assert!(list.says("product.created") && list.says("A caminho") && list.says("0 de 1"));
    assert!(list.says("fica guardado por 30 dias") || list.says("30 dias"));
    let page = browser.page(&page_of(event)).await;
    assert!(page.says("O receptor respondeu 500."), "{}", page.text);
    assert!(page.says("Guardado até") && page.says("&#34;name&#34;"), "{}", page.text);
    assert!(page.says(&format!("{HERE}/webhooks/{}", id(&hook))));
    assert!(page.says(&format!("/api/webhooks/events/{event}/redeliver")), "as curl");
    let resend = format!("{}/resend", page_of(event));
    let said = press(&browser, &page_of(event), &resend, &[]).await;
    assert!(said.says("O evento será enviado de novo."));
    let only = [("subscriptionId", id(&hook))];
    press(&browser, &page_of(event), &resend, &only).await;
    test.run_jobs().await;
    assert!(!receiver.take().is_empty());
    assert!(browser.page(&page_of(event)).await.says("Entregue"));
    let audit = shop.owner.list("/api/audit?action=event.redelivered").await;
    assert_eq!(audit.len(), 2);
    let wrong = [("subscriptionId", "x"), ("attempt", page.hidden("attempt").expect("is there"))];
    assert_eq!(browser.post(&resend, &wrong).await.status, 404);
}

#[story::test]
async fn a_filter_of_events_finds_what_the_api_finds(test: &TestApp, shop: Shop) {
    let receiver = Receiver::start().await;
    subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    emit(test, &shop).await;
    shop.charge(5_000).await;
    let events = shop.key.list("/api/webhooks/events?event=product.created").await;
    let object = events[0]["objectId"].as_str().expect("has one");
    let by_object = shop.key.list(&format!("/api/webhooks/events?objectId={object}")).await;
    assert_eq!(by_object, events);
    let later = shop.key.list("/api/webhooks/events?from=2999-01-01T00:00:00Z").await;
    assert_eq!(later, [] as [Value; 0]);
    let browser = Browser::signed_in(test, EMAIL).await;
    let list = |query: &str| format!("{HERE}/events?{query}");
    let found = browser.page(&list(&format!("objectId={object}"))).await;
    let row = |event: &str| format!("\">{event}</a>");
    assert!(found.says(&row("product.created")) && !found.says(&row("transaction.created")));
    calls_answer(&shop, &found).await;
    let delivered = browser.page(&list("status=DELIVERED&event=product.created")).await;
    assert!(delivered.says(&row("product.created")), "{}", delivered.text);
    let none = browser.page(&list("from=2999-01-01")).await;
    assert!(none.says("Nenhum evento passa por este filtro.") && none.says("Remover os filtros"));
    let wrong = Page::of(browser.get(&list("event=x&objectId=y&to=z")).await, 400);
    assert_eq!(wrong.wrong(), ["event", "objectId", "to"]);
    let query = url::form_urlencoded::Serializer::new(String::new())
        .append_pair("objectId", HOSTILE)
        .finish();
    without_harm(&Page::of(browser.get(&list(&query)).await, 400));
}

#[story::test]
async fn nothing_happened_yet_is_said_with_the_next_step(test: &TestApp, shop: Shop) {
    drop(shop);
    let browser = Browser::signed_in(test, EMAIL).await;
    let none = browser.page("/dashboard/prod/developers/events").await;
    assert!(none.says("Nenhum evento nos últimos 30 dias"), "{}", none.text);
}

#[story::test]
async fn the_event_of_another_merchant_is_as_unknown_as_one_that_does_not_exist(
    test: &TestApp,
    shop: Shop,
    other: Shop,
) {
    drop(shop);
    other.charge(5_000).await;
    let theirs = newest(&other).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    as_unknown(&browser, &format!("{HERE}/events"), id(&theirs), &[""]).await;
    let form = browser.page(&format!("{HERE}/clock")).await;
    let attempt = [("attempt", form.hidden("attempt").expect("has a form"))];
    let resend = format!("{}/resend", page_of(id(&theirs)));
    assert_eq!(browser.post(&resend, &attempt).await.status, 404);
}

#[story::test]
async fn a_role_that_may_only_read_sees_why_it_cannot_send_an_event_again(
    test: &TestApp,
    shop: Shop,
) {
    let receiver = Receiver::start().await;
    subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    emit(test, &shop).await;
    join(test, &shop, VIEWER, "VIEWER").await;
    let viewer = Browser::signed_in(test, VIEWER).await;
    let event = newest(&shop).await;
    let page = viewer.page(&page_of(id(&event))).await;
    assert!(page.says("disabled aria-describedby=\"no-resend\""), "{}", page.text);
    let resend = format!("{}/resend", page_of(id(&event)));
    assert!(Page::of(viewer.post(&resend, &[("attempt", "x")]).await, 403).says("webhooks:write"));
    assert_eq!(viewer.get(HERE).await.status, 403);
    assert_eq!(viewer.get(&format!("{HERE}/clock")).await.status, 403);
}

#[story::test]
async fn a_key_of_a_retry_says_what_became_of_the_request(test: &TestApp, shop: Shop) {
    let key = shop.key.with("idempotency-key", "pedido 7");
    let key = key.with("x-request-id", "first-try");
    key.post("/api/v1/products", json!({ "name": "Caneca", "price": 1_000 })).await.expect(201);
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = browser.page(&format!("{HERE}/idempotency?key=pedido+7")).await;
    assert!(page.says("POST /api/v1/products") && page.says("Respondida"), "{}", page.text);
    assert!(page.says("Uma repetição recebe esta mesma resposta.") && page.says("Caneca"));
    assert!(page.says(&format!("{HERE}/requests/first-try")));
    calls_answer(&shop, &page).await;
    let none = browser.page(&format!("{HERE}/idempotency?key=outra")).await;
    assert!(none.says("Nenhuma rota conhece esta chave"), "{}", none.text);
    let query =
        url::form_urlencoded::Serializer::new(String::new()).append_pair("key", HOSTILE).finish();
    without_harm(&browser.page(&format!("{HERE}/idempotency?{query}")).await);
}

#[story::test]
async fn the_clock_shows_what_waits_advances_and_starts_over(test: &TestApp, shop: Shop) {
    let charge = shop.charge(5_000).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let clock = format!("{HERE}/clock");
    let page = browser.page(&clock).await;
    assert!(page.says("É o relógio do servidor."), "{}", page.text);
    assert!(page.says("Cobranças que expiram: 1 (R$\u{a0}50,00)"), "{}", page.text);
    assert_eq!(shop.transaction(&charge).await["status"], "PENDING", "a look changes nothing");
    let advance = format!("{clock}/advance");
    let said = press(&browser, &clock, &advance, &[("seconds", "86400")]).await;
    assert!(said.says("O relógio avançou"), "{}", said.text);
    assert!(said.says("Relógio de teste") && !said.says("É o relógio do servidor."));
    let ahead = shop.key.get("/api/dev/clock").await.expect(200)["data"]["aheadSeconds"].clone();
    assert_eq!(ahead, 86_400, "once");
    assert_eq!(shop.owner.list("/api/audit?action=clock.advanced").await.len(), 1);
    let form = browser.page(&clock).await;
    let attempt = ("attempt", form.hidden("attempt").expect("has a form"));
    let past = browser.post(&advance, &[("to", "2001-01-01"), attempt]).await;
    let past = Page::of(past, 422);
    assert_eq!((past.wrong(), past.value("to")), (vec!["to"], "2001-01-01"));
    let unread = Page::of(browser.post(&advance, &[("to", ""), attempt]).await, 422);
    assert_eq!(unread.wrong(), ["to"]);
    let far = Page::of(browser.post(&advance, &[("seconds", "63244801"), attempt]).await, 422);
    assert!(far.says("O relógio não avança tanto"), "{}", far.text);
    let reset = format!("{clock}/reset");
    let confirm = browser.page(&reset).await;
    assert!(confirm.says("Chaves e webhooks ficam."));
    let attempt = ("attempt", confirm.hidden("attempt").expect("has a form"));
    let other = Page::of(browser.post(&reset, &[("typed", "outra"), attempt]).await, 422);
    assert_eq!(other.wrong(), ["typed"]);
    let (_, name) = confirm.text.rsplit_once("<strong>").expect("names the account");
    let (name, _) = name.split_once('<').expect("ends");
    let done = browser.post(&reset, &[("typed", name), attempt]).await;
    assert!(browser.land(done).await.says("É o relógio do servidor."));
    assert_eq!(shop.owner.list("/api/audit?action=development.reset").await.len(), 1);
}

#[story::test]
async fn production_has_no_clock_and_says_why(test: &TestApp, shop: Shop) {
    drop(shop);
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = browser.page("/dashboard/prod/developers/clock").await;
    assert!(page.says("Em produção não há relógio de teste"), "{}", page.text);
    assert!(page.says("href=\"/dashboard/dev/developers/clock\""));
    assert!(page.hidden("attempt").is_none());
}

#[story::test]
async fn a_mail_of_test_mode_is_read_here_and_is_another_merchants_secret(
    test: &TestApp,
    shop: Shop,
    other: Shop,
) {
    for shop in [&shop, &other] {
        shop.earn(100_000).await;
        let asked = shop.withdraw(5_000).await;
        process(&test.admin().await, &asked, json!({})).await.expect(200);
    }
    test.run_jobs().await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let mails = async |of: &Shop| of.owner.with("x-dev-mode", "true").list("/api/mails").await;
    let mine = mails(&shop).await;
    let list = browser.page(&format!("{HERE}/mail")).await;
    assert!(list.says("No modo de teste nenhum e-mail sai daqui"), "{}", list.text);
    let path = format!("{HERE}/mail/{}", id(&mine[0]));
    assert!(list.says(&path) && list.says("Não enviado"));
    let page = browser.page(&path).await;
    assert!(page.says(mine[0]["subject"].as_str().expect("has one")) && page.says("50,00"));
    let theirs = mails(&other).await;
    as_unknown(&browser, &format!("{HERE}/mail"), id(&theirs[0]), &[""]).await;
    let prod = browser.page("/dashboard/prod/developers/mail").await;
    assert!(prod.says("O texto é só de quem o recebe."), "{}", prod.text);
}

#[story::test]
async fn a_paused_webhook_says_what_its_deliveries_await_and_how_they_are_recovered(
    test: &TestApp,
    shop: Shop,
) {
    let receiver = Receiver::start().await;
    let hook = subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    receiver.answer(&[500]);
    emit(test, &shop).await;
    change(&shop.key, &hook, json!({ "isActive": false })).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let path = format!("{HERE}/webhooks/{}", id(&hook));
    let page = browser.page(&path).await;
    assert!(page.says("Parada") && !page.says("Tentando de novo"), "{}", page.text);
    assert!(page.says("esta entrega termina sem envio"));
    assert!(page.says("disabled aria-describedby=\"no-recovery\""));
    test.run_jobs_after(Duration::from_hours(1)).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = browser.page(&path).await;
    assert!(page.says("Não foi enviada: o webhook estava desligado."), "{}", page.text);
    assert!(!page.says("(disabled)"), "no code: {}", page.text);
}

#[story::test]
async fn a_key_shows_its_old_secret_its_permissions_in_words_and_its_requests(
    test: &TestApp,
    shop: Shop,
) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let list = format!("{HERE}/keys");
    let made = browser.page(&format!("{list}/new")).await;
    let attempt = ("attempt", made.hidden("attempt").expect("has a form"));
    let fields = [("name", "loja-web"), ("permissions.products:read", "true"), attempt];
    let made = Page::of(browser.post(&format!("{list}/new"), &fields).await, 200);
    let secret = made.within("<code id=\"secret\"", "</code>").expect("is shown").to_owned();
    let program = test.anyone().with("authorization", &format!("Bearer {secret}"));
    program.get("/api/v1/coupons").await.expect_refusal(403, "INSUFFICIENT_PERMISSION");
    let keys = shop.owner.list("/api/credentials").await;
    let key = keys.iter().find(|key| key["name"] == "loja-web").expect("is there");
    let requests = format!("{HERE}/requests?credentialId={}", id(key));
    assert!(browser.page(&list).await.says(&requests));
    let log = browser.page(&requests).await;
    assert!(log.says("/api/v1/coupons") && log.says("<small>loja-web</small>"), "{}", log.text);
    let rotate = format!("{list}/{}/rotate", id(key));
    let form = browser.page(&rotate).await;
    let attempt = ("attempt", form.hidden("attempt").expect("has a form"));
    let fields = [("gracePeriodSeconds", "86400"), attempt];
    Page::of(browser.post(&rotate, &fields).await, 200);
    let end = &secret[secret.len() - 4..];
    let card = browser.page(&list).await;
    assert!(card.says(&format!("…{end} ainda vale até")), "{}", card.text);
    assert!(card.says("Produtos: ler") && !card.says("products:read"));
    let stored = shop.owner.list("/api/credentials").await;
    let stored = stored.iter().find(|one| one["name"] == "loja-web").expect("is there");
    assert_eq!(stored["previousKeys"][0]["last4"], end);
}

#[story::test]
async fn a_secret_is_shown_again_for_ten_minutes_to_the_same_session_and_then_to_no_one(
    test: &TestApp,
    shop: Shop,
) {
    let browser = Browser::signed_in(test, EMAIL).await;
    let path = format!("{HERE}/keys/new");
    let form = browser.page(&path).await;
    let attempt = form.hidden("attempt").expect("has a form").to_owned();
    let fields = [("name", "loja-web"), ("everything", "true"), ("attempt", &*attempt)];
    let first = Page::of(browser.post(&path, &fields).await, 200);
    assert!(first.says("Por dez minutos, recarregar esta página mostra tudo outra vez"));
    let secret = first.within("<code id=\"secret\"", "</code>").expect("is shown").to_owned();
    test.pass(Duration::from_mins(9));
    assert!(Page::of(browser.post(&path, &fields).await, 200).says(&secret));
    let again = Browser::signed_in(test, EMAIL).await;
    let elsewhere = again.post(&path, &fields).await;
    assert!(elsewhere.status != 200 && !elsewhere.text.contains(&secret), "another session");
    test.pass(Duration::from_mins(1));
    let late = browser.post(&path, &fields).await;
    assert!(!late.text.contains(&secret));
    let list = browser.land(late).await;
    assert!(list.says("o segredo não aparece mais") && !list.says(&secret), "{}", list.text);
    let keys = shop.owner.list("/api/credentials").await;
    assert_eq!(keys.iter().filter(|key| key["name"] == "loja-web").count(), 1, "and makes none");
}
