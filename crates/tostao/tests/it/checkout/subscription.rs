//! A plan's page and a subscriber's own, as a browser without scripts goes through them.

use std::time::Duration;

use rails::card::DeclineCode;
use sandbox::test_cards::Scenario;
use serde_json::{Value, json};

use crate::checkout::card::type_card;
use crate::checkout::{BUYER, beside, browser, charges, next, open, press};
use crate::harness::TestApp;
use crate::harness::logs;
use crate::harness::page::Page;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, id, merged};
use crate::sandbox::card_that;

const BY_CARD: (&str, &str) = ("method", "CREDIT_CARD");
const BY_PIX: (&str, &str) = ("method", "PIX");
const MONTH: Duration = Duration::from_hours(31 * 24);

/// A plan of R$ 29,90 a month, with other fields where a test wants them.
pub async fn plan(shop: &Shop, more: Value) -> Value {
    let plan = json!({ "name": "Clube do Café", "amountCents": 2_990, "interval": "MONTHLY" });
    let made = shop.key.post("/api/subscriptions/plans", merged(plan, &more)).await;
    made.expect(201)["data"].clone()
}

pub fn place(plan: &Value) -> String {
    format!("/subscribe/{}", id(plan))
}

/// Fills in the plan's form; answers where it leads.
async fn sign_up(test: &TestApp, plan: &Value, more: &[(&str, &str)]) -> Reply {
    browser(test).submit(&place(plan), &[&BUYER[..], more].concat()).await
}

/// Types a card and confirms it; `address` is that of its page.
async fn confirm(test: &TestApp, address: &str, scenario: Scenario) -> Reply {
    let typed = type_card(test, address, card_that(scenario).number, "12/30").await;
    let page = open(test, &typed).await;
    let (state, token) =
        (page.hidden("state").expect("is there"), page.hidden("cardToken").expect("is there"));
    let door = typed.split_once('?').expect("is there").0;
    browser(test).submit(door, &[("state", state), ("cardToken", token)]).await
}

/// Subscribes by card; answers the address of the subscriber's own page.
pub async fn by_card(test: &TestApp, plan: &Value, scenario: Scenario) -> String {
    let card = next(&sign_up(test, plan, &[BY_CARD]).await);
    let own = next(&confirm(test, &card, scenario).await);
    own.split_once('?').expect("has news").0.to_owned()
}

/// The only subscription that there is.
pub async fn subscription(shop: &Shop) -> Value {
    let listed = shop.key.get("/api/subscriptions").await.expect(200);
    assert_eq!(listed["data"].as_array().expect("is there").len(), 1, "{listed}");
    listed["data"][0].clone()
}

async fn expect_status(shop: &Shop, status: &str) {
    assert_eq!(subscription(shop).await["status"], status);
}

#[story::test]
async fn a_plan_is_described_in_words_and_a_closed_one_says_so(test: &TestApp) {
    let shop = test.shop("Loja Azul").await;
    let made = plan(&shop, json!({ "description": "Café todo mês" })).await;
    assert!(made["url"].as_str().unwrap().ends_with(&place(&made)), "{made}");
    let page = open(test, &place(&made)).await;
    assert!(!page.says("A loja o recebe já ao preencher"), "only a link's form is captured");
    assert_eq!(page.heading(), "Clube do Café");
    for text in
        ["Loja Azul", "R$\u{a0}29,90 por mês", "Café todo mês", "até você cancelar.", "21/12/2026"]
    {
        assert!(page.says(text), "{text}");
    }
    let english = open(test, &format!("{}?lang=en", place(&made))).await;
    assert!(english.says("R$29.90 per month") && english.language() == "en");

    let tried = plan(&shop, json!({ "trialDays": 7, "interval": "ANNUAL" })).await;
    let page = open(test, &place(&tried)).await;
    for text in ["7 dias grátis", "depois R$\u{a0}29,90 por ano", "Começar o teste grátis"] {
        assert!(page.says(text), "{text}");
    }
    assert!(page.says("A primeira cobrança, de R$\u{a0}29,90, será em 28/11/2026"));

    let path = format!("/api/subscriptions/plans/{}", id(&tried));
    shop.key.delete(&path).await.expect(200);
    let closed = browser(test).get(&place(&tried)).await;
    assert!(closed.text.contains("Este plano não aceita novas assinaturas"));
    let unknown = place(&made).replace(id(&made), "01980000-0000-7000-8000-000000000000");
    assert_eq!(Page::of(browser(test).get(&unknown).await, 404).heading(), "Página não encontrada");
    assert_eq!(browser(test).get("/subscribe/nada").await.status, 404);
}

#[story::test]
async fn a_full_plan_says_so_before_and_after_its_form_is_filled_in(test: &TestApp, shop: Shop) {
    let plan = plan(&shop, json!({ "maxSubscribers": 1 })).await;
    by_card(test, &plan, Scenario::Approves).await;
    let shown = browser(test).get(&place(&plan)).await;
    assert!(shown.status >= 400 && shown.text.contains("As vagas deste plano acabaram"));
    let other = [("name", "Ana"), ("email", "ana@example.com"), BY_PIX];
    let late = browser(test).submit(&place(&plan), &other).await;
    assert!(late.status >= 400 && late.text.contains("As vagas deste plano acabaram"));
}

#[story::test]
async fn a_card_is_typed_at_the_tokenizer_and_subscribes(test: &TestApp, shop: Shop) {
    let plan = plan(&shop, json!({})).await;
    let shown = open(test, &format!("{}?aff=ANA-123456", place(&plan))).await;
    let (attempt, aff) = (shown.hidden("attempt").unwrap(), shown.hidden("aff").unwrap());
    let carried = [("attempt", attempt), ("aff", aff), BY_CARD];
    let address = next(&sign_up(test, &plan, &carried).await);
    assert!(!address.contains("fulano"), "{address}");
    let card = open(test, &address).await;
    assert!(card.says("R$\u{a0}29,90") && card.says("por mês"), "{}", card.text);
    let done = confirm(test, &address, Scenario::Approves).await;
    let page = open(test, &next(&done)).await;
    assert!(page.says("Assinatura feita") && page.says("Guarde este endereço"));
    for text in ["Ativa", "Próxima cobrança", "Cartão Visa final 4242", "Pago"] {
        assert!(page.says(text), "{text}");
    }
    let made = subscription(&shop).await;
    assert_eq!((&made["status"], &made["affiliateCode"]), (&json!("ACTIVE"), &Value::Null));
    // The same form again leads to the same subscription.
    let again = next(&sign_up(test, &plan, &[("attempt", attempt), BY_PIX]).await);
    assert_eq!(again, next(&done));
}

#[story::test]
async fn form_errors_are_shown_beside_their_fields(test: &TestApp, shop: Shop) {
    let plan = plan(&shop, json!({})).await;
    let wrong = [("name", ""), ("email", "fulano"), ("document", "123"), BY_CARD];
    let page = Page::of(browser(test).submit(&place(&plan), &wrong).await, 422);
    assert_eq!(page.wrong(), ["name", "email", "document"]);
    assert_eq!(page.value("email"), "fulano");
    by_card(test, &plan, Scenario::Approves).await;
    let again = Page::of(sign_up(test, &plan, &[BY_PIX]).await, 422);
    assert!(again.error("document").starts_with("Já existe uma assinatura deste plano"));
    let odd = [&BUYER[..], &[("method", "BOLETO")]].concat();
    let page = Page::of(browser(test).submit(&place(&plan), &odd).await, 422);
    assert_eq!(page.wrong(), ["methods"]);
}

#[story::test]
async fn a_declined_card_is_shown_with_the_next_step(test: &TestApp, shop: Shop) {
    let plan = plan(&shop, json!({})).await;
    let address = next(&sign_up(test, &plan, &[BY_CARD]).await);
    let scenario = Scenario::Declines(DeclineCode::InsufficientFunds);
    let page = Page::of(confirm(test, &address, scenario).await, 402);
    assert!(page.says("O cartão não foi aprovado") && page.says("Falta saldo ou limite"));
    assert!(page.label("number").is_some() && page.says("com PIX"));
    let state = page.hidden("state").unwrap();
    let door = format!("{}/card", place(&plan));
    let by_pix = browser(test).submit(&door, &[("state", state), BY_PIX]).await;
    assert!(open(test, &next(&by_pix)).await.code().is_some());
}

#[story::test]
async fn a_first_code_is_paid_on_its_page_which_leads_to_the_subscription(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let plan = plan(&shop, json!({})).await;
    let made = sign_up(test, &plan, &[BY_PIX]).await;
    let address = next(&made);
    let page = open(test, &address).await;
    assert!(page.code().is_some() && page.says("Clube do Café"), "{}", page.text);
    expect_status(&shop, "INCOMPLETE").await;
    press(test, &address, "/simulate").await;
    expect_status(&shop, "ACTIVE").await;

    // The receipt alone opens nothing more; the browser that subscribed can.
    let receipt = beside(&address, "/receipt");
    assert!(open(test, &receipt).await.link("subscription").is_none());
    let cookie = made.header("set-cookie").unwrap();
    assert!(cookie.contains("; Path=/pay/;") && cookie.contains("HttpOnly"), "{cookie}");
    let cookie = cookie.split(';').next().unwrap();
    let own = browser(test).with("cookie", cookie).get(&receipt).await;
    let token = cookie.split_once('=').unwrap().1;
    assert!(own.text.contains(&format!("/subscription/{token}")), "{}", own.text);
    let own = open(test, &format!("/subscription/{token}")).await;
    assert!(own.says("Ativa") && own.says("PIX"), "{}", own.text);
}

#[story::test]
async fn an_expired_first_code_offers_no_code_that_cannot_be_made(test: &TestApp, shop: Shop) {
    let plan = plan(&shop, json!({})).await;
    let made = sign_up(test, &plan, &[BY_PIX]).await;
    let (address, cookie) = (next(&made), made.header("set-cookie").unwrap());
    let browser = browser(test).with("cookie", cookie.split(';').next().unwrap());
    test.run_jobs_after(Duration::from_hours(25)).await;
    expect_status(&shop, "EXPIRED").await;
    let page = Page::of(browser.get(&address).await, 200);
    assert_eq!(page.heading(), "Este código PIX expirou");
    assert!(page.action("renew").is_none());
    let own = Page::of(browser.get(&page.link("subscription").unwrap()).await, 200);
    assert!(own.says("Encerrada sem pagamento") && own.says("Assinar de novo"));
}

#[story::test]
async fn a_trial_costs_nothing_until_its_end_and_is_had_once(test: &TestApp, shop: Shop) {
    let plan = plan(&shop, json!({ "trialDays": 7 })).await;
    let address = next(&sign_up(test, &plan, &[BY_CARD, ("seen", "0")]).await);
    let card = open(test, &address).await;
    assert!(card.says("7 dias grátis") && card.says("depois R$\u{a0}29,90 por mês"));
    let own = next(&confirm(test, &address, Scenario::Approves).await);
    let page = open(test, &own).await;
    assert!(page.says("Em teste grátis") && page.says("Teste grátis até"), "{}", page.text);
    assert!(charges(&shop).await.is_empty());
    let own = own.split_once('?').unwrap().0;
    let now = [("when", "now"), ("reason", "Só queria ver")];
    let over = next(&browser(test).submit(&format!("{own}/cancel"), &now).await);
    assert!(open(test, &over).await.says("Nada mais será cobrado."));
    let ended = subscription(&shop).await;
    assert_eq!(
        (&ended["status"], &ended["cancelReason"]),
        (&json!("CANCELLED"), &json!("Só queria ver"))
    );

    // The page shows what it costs now before anything is charged.
    let again = Page::of(sign_up(test, &plan, &[BY_PIX, ("seen", "0")]).await, 409);
    assert!(again.says("Você já usou o teste grátis") && again.hidden("seen") == Some("2990"));
    assert!(!again.says("7 dias grátis"));
    next(&sign_up(test, &plan, &[BY_PIX, ("seen", "2990")]).await);
}

#[story::test]
async fn terms_that_change_after_the_form_are_shown_before_a_card_is_stored(
    test: &TestApp,
    shop: Shop,
) {
    let plan = plan(&shop, json!({ "trialDays": 30 })).await;
    let shown = open(test, &place(&plan)).await;
    let (seen, terms) = (shown.hidden("seen").unwrap(), shown.hidden("terms").unwrap());
    let fields = [BY_CARD, ("seen", seen), ("terms", terms)];
    let address = next(&sign_up(test, &plan, &fields).await);
    let typed = type_card(test, &address, card_that(Scenario::Approves).number, "12/30").await;
    let path = format!("/api/subscriptions/plans/{}", id(&plan));
    for change in [json!({ "amountCents": 500_000 }), json!({ "trialDays": 1 })] {
        shop.key.patch(&path, change).await.expect(200);
        let state = address.split_once("state=").unwrap().1;
        let token = typed.split_once("cardToken=").unwrap().1;
        let sent = [("state", state), ("cardToken", token)];
        let refused = browser(test).submit(&format!("{}/card", place(&plan)), &sent).await;
        let page = Page::of(refused, 409);
        assert!(page.says("mudou") && page.hidden("terms") != Some(terms), "{}", page.text);
        Page::of(sign_up(test, &plan, &fields).await, 409);
        Page::of(sign_up(test, &plan, &[BY_PIX, fields[1], fields[2]]).await, 409);
    }
    assert_eq!(shop.key.get("/api/subscriptions").await.expect(200)["data"], json!([]));
}

#[story::test]
async fn a_subscriber_cancels_at_the_end_or_now_on_a_second_page(test: &TestApp, shop: Shop) {
    let plan = plan(&shop, json!({})).await;
    let own = by_card(test, &plan, Scenario::Approves).await;
    let asked = open(test, &format!("{own}/cancel")).await;
    assert_eq!(asked.heading(), "Cancelar a assinatura?");
    assert!(asked.says("No fim do período, em ") && asked.says("Voltar sem cancelar"));
    expect_status(&shop, "ACTIVE").await;
    let cancel = format!("{own}/cancel");
    let later = next(&browser(test).submit(&cancel, &[("when", "end")]).await);
    let page = open(test, &later).await;
    assert!(page.says("A assinatura termina com o período.") && page.says("Termina em"));
    assert!(
        !page.says("Próxima cobrança") && subscription(&shop).await["cancelAtPeriodEnd"] == true
    );
    let now = next(&browser(test).submit(&cancel, &[("when", "now")]).await);
    let page = open(test, &now).await;
    assert!(page.says("Cancelada") && page.says("Terminou em") && page.says("Assinar de novo"));
    expect_status(&shop, "CANCELLED").await;
    // What has ended is not asked about again.
    assert_eq!(next(&browser(test).get(&cancel).await), own);
    assert_eq!(next(&browser(test).submit(&cancel, &[("when", "now")]).await), own);
}

#[story::test]
async fn a_subscriber_pauses_and_resumes_and_pays_if_the_period_has_ended(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let plan = plan(&shop, json!({})).await;
    let own = by_card(test, &plan, Scenario::Approves).await;
    let paused = next(&browser(test).submit(&format!("{own}/pause"), &[]).await);
    let page = open(test, &paused).await;
    assert!(page.says("Assinatura pausada.") && page.says(">Retomar<"), "{}", page.text);
    let resumed = next(&browser(test).submit(&format!("{own}/resume"), &[]).await);
    assert!(open(test, &resumed).await.says("Assinatura retomada."));
    assert_eq!(charges(&shop).await.len(), 1);
    browser(test).submit(&format!("{own}/pause"), &[]).await;
    test.pass(MONTH);
    assert!(open(test, &own).await.says("Retomar e pagar R$\u{a0}29,90"));
    next(&browser(test).submit(&format!("{own}/resume"), &[]).await);
    expect_status(&shop, "ACTIVE").await;
    assert_eq!(charges(&shop).await.len(), 2);
    // Only a form is posted there; opening the address redirects back.
    assert_eq!(
        next(&browser(test).get(&format!("{own}/pause?lang=en")).await),
        format!("{own}?lang=en")
    );
}

#[story::test]
async fn another_card_pays_what_is_owed_and_its_page_does_not_hold_the_token(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let plan = plan(&shop, json!({})).await;
    let own = by_card(test, &plan, Scenario::Approves).await;
    let token = own.rsplit('/').next().unwrap();
    let failing = format!("/api/subscriptions/{}/simulate", id(&subscription(&shop).await));
    shop.key.post(&failing, json!({ "outcome": "FAILED" })).await.expect(200);
    let page = open(test, &own).await;
    assert!(page.says("Pagamento atrasado") && page.says("Troque o cartão"), "{}", page.text);
    let address = next(&browser(test).get(&format!("{own}/card")).await);
    assert!(!address.contains(token), "{address}");
    let card = open(test, &address).await;
    assert!(!card.text.contains(token) && card.says("Usar este cartão"));
    let lost = Scenario::Declines(DeclineCode::LostCard);
    let refused = Page::of(confirm(test, &address, lost).await, 402);
    assert!(refused.says("O banco não autorizou"), "{}", refused.text);
    let kept = next(&confirm(test, &address, Scenario::Approves).await);
    assert_eq!(kept, format!("{own}?news=card"));
    assert!(open(test, &kept).await.says("Cartão trocado."));
    expect_status(&shop, "ACTIVE").await;
}

#[story::test]
async fn a_coupon_is_taken_off_the_first_payment_as_the_page_says(test: &TestApp, shop: Shop) {
    let plan = plan(&shop, json!({})).await;
    let coupon = json!({ "code": "CAFE10", "discountType": "FIXED", "discountValue": 1_000 });
    shop.key.post("/api/v1/coupons", coupon).await.expect(201);
    let page = open(test, &format!("{}?coupon=cafe10", place(&plan))).await;
    assert!(page.says("−R$\u{a0}10,00") && page.hidden("seen") == Some("1990"), "{}", page.text);
    let wrong = [("coupon", "NADA"), ("apply", "yes")];
    let page = Page::of(browser(test).submit(&place(&plan), &wrong).await, 422);
    assert_eq!(page.error("coupon"), "Este cupom não vale para esta compra.");
    next(&sign_up(test, &plan, &[BY_PIX, ("coupon", "CAFE10"), ("seen", "1990")]).await);
    assert_eq!(charges(&shop).await[0]["amount"], 1_990);
}

#[story::test]
async fn a_coupon_for_a_plans_product_is_shown_on_its_page(test: &TestApp, shop: Shop) {
    let product = shop.product(json!({})).await;
    let plan = plan(&shop, json!({ "productId": id(&product) })).await;
    let coupon = json!({
        "code": "CAFE10", "discountType": "FIXED", "discountValue": 1_000,
        "productIds": [id(&product)],
    });
    shop.key.post("/api/v1/coupons", coupon).await.expect(201);
    let page = open(test, &format!("{}?coupon=cafe10", place(&plan))).await;
    assert_eq!(page.hidden("seen"), Some("1990"), "{}", page.text);
}

#[story::test]
async fn a_token_opens_one_subscription_and_is_written_nowhere(test: &TestApp, shop: Shop) {
    let plan = plan(&shop, json!({})).await;
    let own = by_card(test, &plan, Scenario::Approves).await;
    let token = own.rsplit('/').next().unwrap();
    logs::watch(&[token]);
    let page = open(test, &own).await;
    assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
    browser(test).submit(&format!("{own}/nothing"), &[]).await;
    let mut wrong = token.to_owned();
    let last = wrong.pop().unwrap();
    wrong.push(if last == 'A' { 'B' } else { 'A' });
    for other in ["x", wrong.as_str()] {
        for action in ["", "/cancel", "/card"] {
            let path = format!("/subscription/{other}{action}");
            assert_eq!(browser(test).get(&path).await.status, 404, "{path}");
        }
        for action in ["cancel", "pause", "resume"] {
            let path = format!("/subscription/{other}/{action}");
            assert_eq!(browser(test).submit(&path, &[]).await.status, 404, "{path}");
        }
    }
    let forged = browser(test).submit("/subscription/card", &[("state", "AAAA")]).await;
    assert_eq!(forged.status, 404);
    expect_status(&shop, "ACTIVE").await;
    assert!(logs::lines_with(token).is_empty());
}
