//! The first page of a mode.

use std::time::Duration;

use serde_json::json;

use super::{Browser, EMAIL, HOSTILE, join};
use crate::harness::TestApp;
use crate::harness::engine::Engine;
use crate::harness::receiver::Receiver;
use crate::harness::shop::{Shop, id};

#[story::test]
async fn the_first_steps_tick_themselves_and_go_away_a_week_later(
    test: &TestApp,
    receiver: Receiver,
) {
    let fields = [("name", "Loja"), ("email", EMAIL), ("password", "correct horse battery")];
    let browser = Browser::new(test);
    browser.post("/sign-up", &fields).await;
    let done = async || {
        let page = browser.page("/dashboard/dev").await;
        (0..=4).find(|count| page.says(&format!("{count} de 4 feitos")))
    };
    assert_eq!(done().await, Some(0));
    let shop = test.shop_again("Loja").await;
    assert_eq!(done().await, Some(1), "a key");
    let link = shop.link(4_990).await;
    assert_eq!(done().await, Some(2), "a link");
    let charge = shop.charge_with(json!({ "paymentLinkId": id(&link) })).await;
    assert_eq!(done().await, Some(2), "a charge that is not paid is no sale");
    shop.pay(&charge).await;
    assert_eq!(done().await, Some(3), "a sale");
    let hook = json!({ "url": receiver.url, "events": ["*"] });
    shop.key.post("/api/webhooks/subscriptions", hook).await.expect(201);
    assert_eq!(done().await, Some(3), "a webhook that has received nothing");
    test.pass(Duration::from_mins(7));
    shop.product(json!({})).await;
    test.run_jobs().await;
    assert_eq!(done().await, Some(4), "a webhook");
    let page = browser.page("/dashboard/dev").await;
    assert!(page.says("<small class=\"soft\">21/11/2026 às 09:00</small>"), "{}", page.text);
    assert!(page.says("<small class=\"soft\">21/11/2026 às 09:07</small>"), "{}", page.text);
    assert!(page.says("Do cadastro ao primeiro webhook entregue: 7 min"));
    assert!(browser.page("/dashboard/prod").await.says("0 de 4 feitos"));
    test.pass(Duration::from_hours(7 * 24));
    let browser = Browser::signed_in(test, EMAIL).await;
    assert!(!browser.page("/dashboard/dev").await.says("Primeiros passos"));
    assert!(browser.page("/dashboard/prod").await.says("0 de 4 feitos"));
}

#[story::test]
async fn the_first_step_takes_no_code_and_the_key_is_the_developers_way(test: &TestApp) {
    let fields = [("name", "Loja"), ("email", EMAIL), ("password", "correct horse battery")];
    let browser = Browser::new(test);
    browser.post("/sign-up", &fields).await;
    let table = [
        ("pt-BR", "Crie um link de pagamento, sem programar", "Para quem programa: crie uma chave"),
        ("en", "Create a payment link, without writing code", "For developers: create an API key"),
    ];
    for (lang, link, key) in table {
        let page = browser.page(&format!("/dashboard/dev?lang={lang}")).await;
        let steps = page.within("<ul class=\"steps\"", "</ul>").expect("is a list");
        let at = |said: &str| steps.find(said).expect("is said");
        assert!(at(link) < at(key), "{steps}");
        let ways = ["/dashboard/dev/links/new", "/dashboard/dev/developers/keys/new"];
        assert!(at(ways[0]) < at(ways[1]), "{steps}");
    }
}

#[story::test]
async fn the_first_steps_of_an_account_from_before_are_those_that_exist(
    test: &TestApp,
    shop: Shop,
    receiver: Receiver,
) {
    Engine::open(test).await.rows("delete from first_steps").await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = browser.page("/dashboard/dev").await;
    assert!(page.says("1 de 4 feitos") && !page.says("<small class=\"soft\">"));
    shop.link(4_990).await;
    shop.sell(4_990).await;
    assert!(browser.page("/dashboard/dev").await.says("3 de 4 feitos"));
    let hook = json!({ "url": receiver.url, "events": ["*"] });
    shop.key.post("/api/webhooks/subscriptions", hook).await.expect(201);
    shop.product(json!({})).await;
    test.run_jobs().await;
    assert!(!browser.page("/dashboard/dev").await.says("Primeiros passos"));
}

#[story::test]
async fn the_balances_are_those_of_the_api(test: &TestApp, shop: Shop) {
    shop.sell(123_456).await;
    let short = shop.charge(1_000).await;
    shop.simulate(&short, json!({ "outcome": "PAID", "paidAmountCents": 400 })).await;
    let balance = shop.key.get("/api/withdraws/balance").await.expect(200)["data"].clone();
    let expected = json!({
        "availableBalance": 123_456, "pendingBalance": 0, "heldBalance": 400,
    });
    assert_eq!(balance, expected);
    let page = Browser::signed_in(test, EMAIL).await.page("/dashboard/dev").await;
    for amount in ["R$\u{a0}1.234,56", "R$\u{a0}0,00", "R$\u{a0}4,00"] {
        assert!(
            page.says(&format!("<span class=\"money\">{amount}</span></a></strong>")),
            "{amount}"
        );
    }
    let english = Browser::signed_in(test, EMAIL).await.page("/dashboard/dev?lang=en").await;
    assert!(english.says("R$1,234.56") && english.says("Available"));
}

#[story::test]
async fn the_newest_payments_say_who_what_how_and_how_it_stands(test: &TestApp, shop: Shop) {
    for count in 1..=6 {
        shop.charge(count * 100).await;
    }
    let charge = shop.charge_with(json!({
        "amountCents": 700,
        "customer": { "name": "Fulano de Tal", "email": "fulano@example.com",
                      "document": "529.982.247-25" },
    }));
    shop.pay(&charge.await).await;
    let page = Browser::signed_in(test, EMAIL).await.page("/dashboard/dev").await;
    assert!(page.says("Fulano de Tal") && page.says("por PIX"));
    assert!(page.says("<span class=\"state good\">Pago</span>"));
    assert!(page.says("<span class=\"state wait\">Aguardando</span>"));
    assert!(page.says("R$\u{a0}7,00") && page.says("R$\u{a0}3,00") && !page.says("R$\u{a0}2,00"));
}

#[story::test]
async fn the_newest_payments_lead_to_their_pages_and_to_all(test: &TestApp, shop: Shop) {
    let payment = shop.charge(4_990).await;
    let page = Browser::signed_in(test, EMAIL).await.page("/dashboard/dev").await;
    let id = payment["id"].as_str().expect("has an id");
    assert!(page.says(&format!("<a href=\"/dashboard/dev/transactions/{id}\">")));
    assert!(page.says("<a href=\"/dashboard/dev/transactions\">Ver todas as transações</a>"));
}

#[story::test]
async fn a_role_that_may_not_read_customers_sees_no_name_of_one(test: &TestApp, shop: Shop) {
    shop.sell(4_990).await;
    for (role, sees) in [("VIEWER", false), ("SUPPORT", true)] {
        let email = format!("{}@example.com", role.to_lowercase());
        join(test, &shop, &email, role).await;
        let page = Browser::signed_in(test, &email).await.page("/dashboard/dev").await;
        assert!(page.says("R$\u{a0}49,90"));
        assert_eq!(page.says(">Ana"), sees, "{role}");
    }
}

#[story::test]
async fn what_waits_for_a_person_is_named(test: &TestApp, shop: Shop, receiver: Receiver) {
    let browser = Browser::signed_in(test, EMAIL).await;
    assert!(!browser.page("/dashboard/dev").await.says("Pede sua atenção"));
    let hook = json!({ "url": receiver.url, "events": ["transaction.paid"] });
    shop.key.post("/api/webhooks/subscriptions", hook).await.expect(201);
    receiver.answer(&[500]);
    let short = shop.charge(1_000).await;
    shop.simulate(&short, json!({ "outcome": "PAID", "paidAmountCents": 400 })).await;
    shop.sell(2_000).await;
    test.run_jobs().await;
    let page = browser.page("/dashboard/dev").await;
    assert!(page.says("Pede sua atenção"));
    assert!(page.says("está falhando"));
    assert!(page.says("R$\u{a0}4,00 esperam sua decisão") && page.says("Pago a menos."));
    let hooks = shop.key.list("/api/webhooks/subscriptions").await;
    assert_eq!(hooks[0]["failures"], 1);
    assert!(hooks[0]["failingSince"].is_string());
    let open = shop.key.list("/api/v1/unmatched-payments").await;
    assert_eq!((&open[0]["transactionId"], &open[0]["amount"]), (&short["id"], &json!(400)));
    assert!(!browser.page("/dashboard/prod").await.says("Pede sua atenção"));
}

#[story::test]
async fn the_calls_of_the_api_panel_are_ones_that_the_api_has(test: &TestApp, shop: Shop) {
    let page = Browser::signed_in(test, EMAIL).await.page("/dashboard/dev").await;
    let calls: Vec<_> = page
        .text
        .split("curl &#34;https://api.example.com")
        .skip(1)
        .filter_map(|rest| rest.split("&#34;").next())
        .map(|path| path.replace("&#38;", "&"))
        .collect();
    assert_eq!(calls.len(), 3);
    for path in calls {
        shop.key.get(&path).await.expect(200);
    }
    assert!(!page.says("tos_dev_"), "no key is on a page");
}

#[story::test]
async fn hostile_texts_of_buyers_and_webhooks_stay_texts(test: &TestApp, shop: Shop) {
    let charge = json!({
        "amountCents": 700,
        "description": HOSTILE,
        "customer": { "name": HOSTILE, "email": "fulano@example.com" },
    });
    shop.charge_with(charge).await;
    let page = Browser::signed_in(test, EMAIL).await.page("/dashboard/dev").await;
    assert!(page.says("alert(1)"));
    assert!(!page.says("<script>alert") && !page.says("<b onclick"));
}

#[story::test]
async fn the_developers_clock_is_on_every_page_of_its_mode(test: &TestApp, shop: Shop) {
    let browser = Browser::signed_in(test, EMAIL).await;
    assert!(!browser.page("/dashboard/dev").await.says("Relógio"));
    shop.key.post("/api/dev/clock/advance", json!({ "seconds": 172_800 })).await.expect(200);
    assert!(browser.page("/dashboard/dev").await.says("(2 dias à frente)"));
    assert!(!browser.page("/dashboard/prod").await.says("Relógio"));
}

#[story::test]
async fn the_language_changes_on_the_page_and_keeps_its_filters(test: &TestApp) {
    test.shop("Loja").await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let page = browser.page("/dashboard/dev?period=30").await;
    assert!(page.says("href=\"/dashboard/dev?period=30&#38;lang=en\""));
    assert_eq!(browser.page("/dashboard/dev?lang=en").await.heading(), "Home");
    assert_eq!(browser.page("/dashboard/dev").await.heading(), "Home");
}
