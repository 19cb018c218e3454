//! The card page with the tokenizer of an acquirer, as browsers get it.

use serde_json::{Value, json};

use super::acquirer::{Acquirer, GOOD};
use super::{Bank, read};
use crate::checkout::{BUYER, browser};
use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::page::Page;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, id};

/// What the card page says where scripts are off.
const SENTENCE: &str = "precisa do JavaScript";

/// A link for real money.
async fn link(shop: &Shop) -> Value {
    let draft = json!({ "title": "Curso", "amountCents": 10_000, "settings": {} });
    shop.owner.post("/api/v1/payment-links", draft).await.expect(201)["data"].clone()
}

/// The path of the page of a link, and where its card page is after the form is filled in.
async fn card_page(browser: &Client, link: &Value) -> (String, String) {
    let form = format!("/pay/{}", link["slug"].as_str().expect("has one"));
    let shown = Page::of(browser.get(&form).await, 200);
    let attempt = ("attempt", shown.hidden("attempt").expect("is there"));
    let typed = [&BUYER[..], &[("method", "CREDIT_CARD"), attempt]].concat();
    let reply = browser.submit(&form, &typed).await;
    assert_eq!(reply.status, 303, "{}", reply.text);
    (form, reply.header("location").expect("leads on").to_owned())
}

fn policy(reply: &Reply) -> String {
    reply.header("content-security-policy").expect("has a policy").to_owned()
}

#[story::test]
async fn the_card_page_alone_may_call_the_acquirer_and_posts_no_card_here(
    test: &TestApp,
    shop: Shop,
) {
    let acquirer = Acquirer::routed(test).await;
    let (link, browser) = (link(&shop).await, browser(test));
    let (form, place) = card_page(&browser, &link).await;
    let port = acquirer.fake.addresses().tls.expect("listens").port();
    let origin = format!("https://localhost:{port}");
    let page = browser.get(&place).await;
    let plain = browser.get(&form).await;
    let own = "connect-src 'self'";
    let reaching = policy(&plain).replace(own, &format!("{own} {origin}"));
    assert_eq!(policy(&page), reaching, "nothing else changes");
    let others = [plain, browser.submit(&form, &[]).await, browser.get("/pay/nothing").await];
    for other in others {
        assert!(policy(&other).contains("connect-src 'self';"), "{}", policy(&other));
    }
    let tokens = format!("data-tokens=\"{origin}/core/v5/tokens?appId=pk_1\"");
    assert!(page.text.contains(&tokens) && page.text.contains("data-dialect=\"pagarme\""));
    let (_, card) = page.text.split_once("<form id=\"card\"").expect("has the form");
    let (card, rest) = card.split_once("</form>").expect("ends");
    let head = card.split_once('>').expect("ends").0;
    assert!(head.contains("method=\"dialog\"") && !head.contains("action="), "{head}");
    for field in ["number", "expiry", "cvv", "holder"] {
        let known = format!("<input id=\"{field}\"");
        assert!(card.contains(&known) && !rest.contains(&known), "{field}");
    }
    // A browser that knows no dialogs sends a form by its names.
    assert!(!card.contains("name="), "{card}");
}

#[story::test]
async fn without_scripts_the_card_page_says_why_in_both_languages_and_offers_other_ways(
    test: &TestApp,
    shop: Shop,
) {
    let (_acquirer, browser) = (Acquirer::routed(test).await, browser(test));
    let first = link(&shop).await;
    let (_, place) = card_page(&browser, &first).await;
    let page = Page::of(browser.get(&place).await, 200);
    assert!(page.says(SENTENCE) && !page.says("pague de outro jeito, logo abaixo"));
    let _bank = Bank::routed(test).await;
    let link = link(&shop).await;
    let (form, place) = card_page(&browser, &link).await;
    let page = Page::of(browser.get(&place).await, 200);
    let (_, note) = page.text.split_once("<noscript>").expect("says why");
    let (note, _) = note.split_once("</noscript>").expect("ends");
    assert!(note.contains(SENTENCE) && note.contains("pague de outro jeito, logo abaixo"));
    assert!(page.says("Pagar R$\u{a0}100,00 com PIX"));
    let english = Page::of(browser.get(&format!("{place}&lang=en")).await, 200);
    assert!(english.says("switched off") && english.says("pay in another way, below"));
    let state = page.hidden("state").expect("is there");
    let by_pix = [("state", state), ("method", "PIX")];
    let paid = browser.submit(&format!("{form}/card"), &by_pix).await;
    assert_eq!(paid.status, 303, "{}", paid.text);
}

#[story::test]
async fn a_card_that_the_acquirer_holds_is_charged_once_with_the_buyers_address(
    test: &TestApp,
    shop: Shop,
) {
    let acquirer = Acquirer::routed(test).await;
    let (link, browser) = (link(&shop).await, browser(test).from("203.0.113.9"));
    let (form, place) = card_page(&browser, &link).await;
    let page = Page::of(browser.get(&place).await, 200);
    let (state, token) = (page.hidden("state").expect("is there"), acquirer.token(GOOD).await);
    let typed = [("state", state), ("cardToken", token.as_str())];
    for _ in 0..2 {
        let paid = browser.submit(&format!("{form}/card"), &typed).await;
        assert_eq!(paid.status, 303, "{}", paid.text);
    }
    let listed = shop.owner.list("/api/v1/transactions").await;
    assert_eq!((listed.len(), &read(&shop, &listed[0]).await["status"]), (1, &json!("PAID")));
    let sent = acquirer.sent("order.create").await;
    assert_eq!((sent.len(), &sent[0]["body"]["ip"]), (1, &json!("203.0.113.9")));
    assert_eq!(sent[0]["body"]["items"][0]["description"], "Curso");
}

#[story::test]
async fn a_card_of_a_brand_that_is_not_taken_leads_back_to_the_fields(test: &TestApp, shop: Shop) {
    let acquirer = Acquirer::routed(test).await;
    let (link, browser) = (link(&shop).await, browser(test));
    let (_, place) = card_page(&browser, &link).await;
    let token = acquirer.token("5078601870000123").await;
    let page = Page::of(browser.get(&format!("{place}&cardToken={token}")).await, 200);
    assert!(page.says("Digite o cartão de novo"), "{}", page.text);
    assert!(page.text.contains("<input id=\"number\""), "{}", page.text);
}

#[story::test]
async fn a_card_that_the_antifraud_reviews_is_followed_on_a_page_that_says_so(
    test: &TestApp,
    shop: Shop,
) {
    let acquirer = Acquirer::routed(test).await;
    acquirer.at("/__settings", json!({ "pagarme_analyzes": true })).await;
    let (link, browser) = (link(&shop).await, browser(test));
    let (form, place) = card_page(&browser, &link).await;
    let page = Page::of(browser.get(&place).await, 200);
    let (state, token) = (page.hidden("state").expect("is there"), acquirer.token(GOOD).await);
    let typed = [("state", state), ("cardToken", token.as_str())];
    let reply = browser.submit(&format!("{form}/card"), &typed).await;
    let address = reply.header("location").expect("leads on");
    let page = Page::of(browser.get(address).await, 200);
    assert_eq!(page.heading(), "Estamos confirmando o pagamento");
    assert!(page.says("ainda analisa a compra") && page.says("Não pague outra vez"));
    let english = Page::of(browser.get(&format!("{address}&lang=en")).await, 200);
    assert!(english.says("still reviewing the purchase"));
    acquirer.decide(&acquirer.newest().await, json!({ "by": "reproved" })).await;
    acquirer.pass(test, std::time::Duration::from_mins(2)).await;
    let page = Page::of(browser.get(address).await, 200);
    assert_eq!(page.heading(), "O cartão não foi aprovado");
}

#[story::test]
async fn a_subscribers_card_is_typed_at_the_acquirer_and_changed_there(test: &TestApp, shop: Shop) {
    let acquirer = Acquirer::routed(test).await;
    let plan = json!({ "name": "Clube", "amountCents": 3_000, "interval": "MONTHLY" });
    let plan = shop.owner.post("/api/subscriptions/plans", plan).await.expect(201)["data"].clone();
    let body = json!({
        "planId": id(&plan), "paymentMethod": "CREDIT_CARD",
        "cardToken": acquirer.token(GOOD).await,
        "customer": { "name": "Ana Souza", "email": "ana@example.com",
            "document": "529.982.247-25" },
    });
    let made = test.anyone().post("/api/subscriptions/checkout", body).await.expect(201);
    let manage = made["data"]["manageToken"].as_str().expect("has one");
    let browser = browser(test);
    let begun = browser.get(&format!("/subscription/{manage}/card")).await;
    let place = begun.header("location").expect("leads on").to_owned();
    let reply = browser.get(&place).await;
    let page = Page::of(reply, 200);
    assert!(page.header("content-security-policy").expect("is").contains("https://localhost:"));
    assert!(page.says("data-dialect=\"pagarme\"") && page.says(SENTENCE));
    let state = page.hidden("state").expect("is there").to_owned();
    let token = acquirer.token("5200000000000056").await;
    let typed = [("state", state.as_str()), ("cardToken", token.as_str())];
    let kept = browser.submit("/subscription/card", &typed).await;
    assert!(kept.status < 400, "{}", kept.text);
    let subscription = shop.owner.list("/api/subscriptions").await;
    assert_eq!(subscription[0]["card"]["last4"], "0056", "{subscription:?}");
}
