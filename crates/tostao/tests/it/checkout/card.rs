//! A purchase by card, as a browser without scripts makes it.

use std::time::Duration;

use rails::card::DeclineCode;
use sandbox::test_cards::Scenario;
use serde_json::{Value, json};

use crate::checkout::{BUYER, HOUR, beside, browser, charges, form, lost, next, open, press};
use crate::harness::page::Page;
use crate::harness::reply::Reply;
use crate::harness::shop::Shop;
use crate::harness::{TestApp, rate_limited_to};
use crate::sandbox::card_that;

const BY_CARD: (&str, &str) = ("method", "CREDIT_CARD");

/// Fills in the form with a card chosen; answers where the card is typed.
pub async fn go_to_card(test: &TestApp, link: &Value, more: &[(&str, &str)]) -> String {
    let typed = [&BUYER[..], &[BY_CARD], more].concat();
    next(&browser(test).submit(&form(link), &typed).await)
}

/// Types a card on its page and sends it where the page says; answers where that leads.
pub async fn type_card(test: &TestApp, address: &str, number: &str, expiry: &str) -> String {
    let page = open(test, address).await;
    let (back, state) =
        (page.hidden("back").expect("is there"), page.hidden("state").expect("is there"));
    let door = page.text.split_once("<form id=\"card\"").expect("has the form").1;
    let door =
        door.split_once("action=\"").expect("is there").1.split_once('"').expect("is there").0;
    let card = [
        ("number", number),
        ("expiry", expiry),
        ("cvv", "123"),
        ("holder", "FULANO DE TAL"),
        ("back", back),
        ("state", state),
    ];
    next(&browser(test).submit(door, &card).await)
}

/// Confirms the card on the page after the tokenizer.
pub async fn confirm(test: &TestApp, link: &Value, address: &str) -> Reply {
    let page = open(test, address).await;
    let (state, token) =
        (page.hidden("state").expect("is there"), page.hidden("cardToken").expect("is there"));
    let typed = [("state", state), ("cardToken", token)];
    browser(test).submit(&format!("{}/card", form(link)), &typed).await
}

pub async fn pay(test: &TestApp, link: &Value, scenario: Scenario) -> Reply {
    let address = go_to_card(test, link, &[]).await;
    let typed = type_card(test, &address, card_that(scenario).number, "12/30").await;
    confirm(test, link, &typed).await
}

#[story::test(rate_limited_to("checkout_development=2/60"))]
async fn a_buyer_who_has_to_wait_with_a_card_is_led_to_the_form_as_it_was_typed(test: &TestApp) {
    let shop = test.shop("Loja Azul").await;
    let link = shop.link(9_990).await;
    test.pass(Duration::from_secs(60));
    let address = go_to_card(test, &link, &[]).await;
    let address = type_card(test, &address, card_that(Scenario::Approves).number, "12/30").await;
    let card = open(test, &address).await;
    let (state, token) =
        (card.hidden("state").expect("is there"), card.hidden("cardToken").expect("is there"));
    let typed = [("state", state), ("cardToken", token)];
    let confirmed = browser(test).submit(&format!("{}/card", form(&link)), &typed).await;
    for reply in [confirmed, browser(test).get(&address).await] {
        let page = Page::of(reply, 429);
        assert!(page.says("Muitas tentativas seguidas"), "{}", page.text);
        assert_eq!(page.header("retry-after"), Some("60"));
        assert_eq!(page.header("ratelimit-remaining"), Some("0"));
        assert_eq!((page.value("name"), page.value("document")), (BUYER[0].1, "529.***.***-**"));
        assert!(page.hidden("kept").is_some() && !page.says("529.982"), "{}", page.text);
    }
    assert_eq!(charges(&shop).await, [] as [Value; 0]);
}

#[story::test]
async fn a_card_is_typed_at_the_tokenizer_confirmed_and_paid(test: &TestApp) {
    let shop = test.shop("Loja Azul").await;
    let settings = json!({ "maxInstallments": 12, "interestFreeInstallments": 3,
        "interestRate": 2.99 });
    let link = shop.link_with(json!({ "amountCents": 100_000, "settings": settings })).await;
    let page = open(test, &form(&link)).await;
    for text in [
        "1x de R$\u{a0}1.000,00",
        "2x de R$\u{a0}500,00 sem juros",
        "1x de R$\u{a0}333,34 + 2x de R$\u{a0}333,33 sem juros",
        "12x de R$\u{a0}100,40 (total R$\u{a0}1.204,80)",
        "Em até 12x, aprovado na hora",
        "Continuar para o cartão",
    ] {
        assert!(page.says(text), "{text}");
    }
    let address = go_to_card(test, &link, &[("installments", "12")]).await;
    assert!(!address.contains("fulano"), "{address}");
    let page = open(test, &address).await;
    assert_eq!(page.heading(), "Dados do cartão");
    assert_eq!(page.label("number"), Some("Número do cartão"));
    assert!(page.says("Loja Azul") && page.says("R$\u{a0}1.204,80"));
    let card = card_that(Scenario::Approves);
    let typed = type_card(test, &address, card.number, "12/30").await;
    assert!(!typed.contains(card.number) && typed.starts_with(&form(&link)), "{typed}");
    let page = open(test, &typed).await;
    assert!(page.says("Pagar R$\u{a0}1.204,80 no cartão final 4242"), "{}", page.text);
    let place = next(&confirm(test, &link, &typed).await);
    let receipt = open(test, &next(&browser(test).get(&place).await)).await;
    assert_eq!(receipt.heading(), "Pagamento confirmado");
    for text in ["Cartão Visa final 4242", "12x de R$\u{a0}100,40", "R$\u{a0}1.204,80"] {
        assert!(receipt.says(text), "{text}");
    }
    let made = charges(&shop).await;
    assert_eq!((made.len(), &made[0]["status"]), (1, &json!("PAID")));
    assert_eq!(made[0]["installments"], 12);
}

#[story::test]
async fn the_parts_that_pages_name_sum_to_the_price(test: &TestApp, shop: Shop) {
    let settings = json!({ "maxInstallments": 3, "interestFreeInstallments": 3 });
    let link = shop.link_with(json!({ "amountCents": 20_000, "settings": settings })).await;
    let parts = "1x de R$\u{a0}66,68 + 2x de R$\u{a0}66,66 sem juros";
    assert!(open(test, &form(&link)).await.says(parts));
    let english = open(test, &format!("{}?lang=en", form(&link))).await;
    assert!(english.says("1 × R$66.68 + 2 × R$66.66, no interest"));
    let address = go_to_card(test, &link, &[("installments", "3")]).await;
    assert!(open(test, &address).await.says(parts));
    let number = card_that(Scenario::Approves).number;
    let typed = type_card(test, &address, number, "12/30").await;
    let place = next(&confirm(test, &link, &typed).await);
    let receipt = open(test, &next(&browser(test).get(&place).await)).await;
    assert!(receipt.says(parts), "{}", receipt.text);
}

#[story::test]
async fn a_declined_card_is_shown_with_the_next_step_and_another_method(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let link = shop
        .link_with(json!({ "amountCents": 5_000, "stockEnabled": true, "stockQuantity": 1 }))
        .await;
    let table = [
        (DeclineCode::InsufficientFunds, "Falta saldo ou limite"),
        (DeclineCode::ExpiredCard, "O cartão está vencido."),
        (DeclineCode::IncorrectCvc, "O código de segurança não confere."),
        (DeclineCode::VelocityExceeded, "Houve muitas compras"),
        (DeclineCode::StolenCard, "O banco não autorizou a compra."),
    ];
    for (code, text) in table {
        let page = Page::of(pay(test, &link, Scenario::Declines(code)).await, 402);
        assert!(page.says("O cartão não foi aprovado") && page.says(text), "{text}");
        assert!(page.label("number").is_some());
        assert!(page.says("Pagar R$\u{a0}50,00 com PIX"));
    }
    let page = Page::of(pay(test, &link, Scenario::Declines(DeclineCode::LostCard)).await, 402);
    let state = page.hidden("state").unwrap();
    let other = [("state", state), ("method", "PIX")];
    let place = next(&browser(test).submit(&format!("{}/card", form(&link)), &other).await);
    assert!(open(test, &place).await.code().is_some());
    assert_eq!(charges(&shop).await[0]["method"], "PIX");
}

#[story::test]
async fn a_second_card_of_the_same_attempt_pays_after_the_first_was_declined(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let link = shop.link(5_000).await;
    let shown = open(test, &form(&link)).await;
    let attempt = ("attempt", shown.hidden("attempt").unwrap());
    let address = go_to_card(test, &link, &[attempt]).await;
    let declined = card_that(Scenario::Declines(DeclineCode::InsufficientFunds)).number;
    let typed = type_card(test, &address, declined, "12/30").await;
    Page::of(confirm(test, &link, &typed).await, 402);
    let good = card_that(Scenario::Approves).number;
    let typed = type_card(test, &address, good, "12/30").await;
    let paid = next(&confirm_with(test, &link, &typed, &address).await);
    // Whatever else is sent of the attempt leads to what was paid.
    assert_eq!(next(&confirm_with(test, &link, &typed, &address).await), paid);
    let by_pix = [&BUYER[..], &[attempt]].concat();
    assert_eq!(next(&browser(test).submit(&form(&link), &by_pix).await), paid);
    assert_eq!(charges(&shop).await.len(), 2);
}

#[story::test]
async fn a_card_takes_over_the_last_use_of_a_coupon_from_the_code_before_it(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let coupon = json!({ "code": "UMA", "discountType": "PERCENTAGE", "discountValue": 10,
        "usageLimit": 1, "perUserLimit": 1 });
    shop.key.post("/api/v1/coupons", coupon).await.expect(201);
    let link = shop.link(10_000).await;
    let shown = open(test, &form(&link)).await;
    let held = [("attempt", shown.hidden("attempt").unwrap()), ("coupon", "UMA")];
    let by_pix = [&BUYER[..], &held].concat();
    next(&browser(test).submit(&form(&link), &by_pix).await);
    // What one attempt holds is not another's.
    let others = [&BUYER[..], &[BY_CARD, ("coupon", "UMA")]].concat();
    let refused = Page::of(browser(test).submit(&form(&link), &others).await, 422);
    assert_eq!(refused.wrong(), ["coupon"]);

    let address = go_to_card(test, &link, &held).await;
    assert!(open(test, &address).await.says("R$\u{a0}90,00"));
    let pay = async |scenario| {
        let typed = type_card(test, &address, card_that(scenario).number, "12/30").await;
        assert!(open(test, &typed).await.says("R$\u{a0}90,00"));
        confirm_with(test, &link, &typed, &address).await
    };
    let declined = Scenario::Declines(DeclineCode::InsufficientFunds);
    let page = Page::of(pay(declined).await, 402);
    assert!(page.says("R$\u{a0}90,00"), "{}", page.text);
    next(&pay(Scenario::Approves).await);
    let made = charges(&shop).await;
    let reported: Vec<_> =
        made.iter().map(|charge| (&charge["method"], &charge["status"])).collect();
    let expected = [("CREDIT_CARD", "PAID"), ("CREDIT_CARD", "FAILED"), ("PIX", "CANCELLED")];
    assert_eq!(json!(reported), json!(expected));
    let coupons = shop.key.get("/api/v1/coupons").await.expect(200);
    assert_eq!(coupons["data"][0]["usageCount"], 1);
}

#[story::test]
async fn the_tokenizers_errors_are_shown_beside_their_fields(test: &TestApp, shop: Shop) {
    let link = shop.link(5_000).await;
    let address = go_to_card(test, &link, &[]).await;
    let good = card_that(Scenario::Approves).number;
    let table = [
        ("1234", "12/30", "number", "Confira o número"),
        ("4111111111111111", "12/30", "number", "No modo de teste"),
        (good, "13/30", "expiry", "Digite mês e ano"),
        (good, "00/24", "expiry", "Digite mês e ano"),
        (good, "10/26", "expiry", "Este cartão já venceu."),
        (good, "12/24", "expiry", "Este cartão já venceu."),
        (good, "08/2019", "expiry", "Este cartão já venceu."),
    ];
    for (number, expiry, field, message) in table {
        let back = type_card(test, &address, number, expiry).await;
        assert!(!back.contains(number), "{back}");
        let page = open(test, &back).await;
        assert!(page.error(field).starts_with(message), "{field}: {}", page.error(field));
        assert_eq!(page.value("number"), "");
    }
}

#[story::test]
async fn a_charge_that_is_not_decided_is_followed_on_a_page_of_its_own(test: &TestApp, shop: Shop) {
    let link = shop.link(5_000).await;
    let place = next(&pay(test, &link, Scenario::ApprovesLate).await);
    let page = open(test, &place).await;
    assert_eq!(page.heading(), "Estamos confirmando o pagamento");
    assert!(page.says("data-status=\"PROCESSING\"") && page.says("Atualizar"));
    test.run_jobs_after(Duration::from_mins(1)).await;
    assert_eq!(next(&browser(test).get(&place).await), beside(&place, "/receipt"));

    let lost = next(&pay(test, &link, Scenario::LosesTheDecline).await);
    test.run_jobs_after(Duration::from_mins(1)).await;
    assert_eq!(open(test, &lost).await.heading(), "O cartão não foi aprovado");
    let again = next(&press(test, &lost, "/retry").await);
    assert_eq!(open(test, &again).await.heading(), "Dados do cartão");
    let by_pix = next(&press(test, &lost, "/renew").await);
    assert!(open(test, &by_pix).await.code().is_some());
}

#[story::test]
async fn what_was_typed_before_is_sealed_and_does_not_last(test: &TestApp, shop: Shop) {
    let (link, other) = (shop.link(5_000).await, shop.link(5_000).await);
    let address = go_to_card(test, &link, &[]).await;
    let elsewhere = address.replace(&form(&link), &form(&other));
    assert_eq!(next(&browser(test).get(&elsewhere).await), lost(&form(&other)));
    let forged = format!("{}/card?state=AAAA", form(&link));
    assert_eq!(next(&browser(test).get(&forged).await), lost(&form(&link)));
    test.pass(HOUR);
    assert_eq!(next(&browser(test).get(&address).await), lost(&form(&link)));
}

#[story::test]
async fn a_price_that_rose_meanwhile_is_shown_before_anything_is_charged(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let link = shop.link(5_000).await;
    let shown = open(test, &form(&link)).await;
    let seen = ("seen", shown.hidden("seen").unwrap());
    let address = go_to_card(test, &link, &[seen]).await;
    let typed = type_card(test, &address, card_that(Scenario::Approves).number, "12/30").await;
    shop.change_link(&link, json!({ "amountCents": 6_000 })).await;
    let page = open(test, &address).await;
    let state = Page::of(confirm_with(test, &link, &typed, &address).await, 409);
    assert!(state.says("O total mudou") && state.says("R$\u{a0}60,00"), "{}", page.text);
    let by_pix = [&BUYER[..], &[seen]].concat();
    let page = Page::of(browser(test).submit(&form(&link), &by_pix).await, 409);
    assert!(page.says("O total mudou") && page.hidden("seen") == Some("6000"));
    assert!(charges(&shop).await.is_empty());
    let agreed = [&BUYER[..], &[("seen", "6000")]].concat();
    next(&browser(test).submit(&form(&link), &agreed).await);
}

/// Confirms with what was sealed at first.
async fn confirm_with(test: &TestApp, link: &Value, typed: &str, before: &str) -> Reply {
    let token = typed.split_once("cardToken=").expect("has a token").1;
    let state = before.split_once("state=").expect("has a state").1;
    let sent = [("state", state), ("cardToken", token)];
    browser(test).submit(&format!("{}/card", form(link)), &sent).await
}
