//! Providers that keep failing: their methods are not offered until they are back.

use serde_json::{Value, json};
use tostao::connections::probe;

use super::acquirer::{Acquirer, GOOD};
use super::slow::until;
use super::{Bank, real, try_charge};
use crate::checkout::{BUYER, browser};
use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::page::Page;
use crate::harness::shop::Shop;

/// How many failures in a row make a connection leave its provider alone.
const FAILURES: usize = 10;

/// The path of a new link's page, which no cache holds.
async fn page_of_a_new_link(shop: &Shop) -> String {
    let draft = json!({ "title": "Curso", "amountCents": 10_000, "settings": {} });
    let link = shop.owner.post("/api/v1/payment-links", draft).await.expect(201);
    format!("/pay/{}", link["data"]["slug"].as_str().expect("has one"))
}

/// The ids of the methods that a page offers.
fn offered(page: &Page) -> Vec<&str> {
    let parts = page.text.split("<input id=\"method-").skip(1);
    parts.map(|part| part.split_once('"').expect("ends").0).collect()
}

async fn opened(browser: &Client, path: &str) -> Page {
    Page::of(browser.get(path).await, 200)
}

/// Has PIX charges fail until the bank is left alone.
async fn bank_goes_down(bank: &Bank, shop: &Shop) {
    for operation in ["cob.create", "cob.get"] {
        bank.fault(operation, json!({ "fault": "status", "status": 503, "times": 10_000 })).await;
    }
    for _ in 0..FAILURES {
        try_charge(shop, 1_000).await.expect(503);
    }
}

/// Has card charges fail until the acquirer is left alone.
async fn acquirer_goes_down(acquirer: &Acquirer, shop: &Shop) {
    acquirer.fault("order.create", json!({ "fault": "status", "status": 503, "times": 99 })).await;
    acquirer.fault("token.get", json!({ "fault": "status", "status": 503, "times": 99 })).await;
    for _ in 0..FAILURES {
        let body = json!({
            "amountCents": 1_000, "method": "CREDIT_CARD",
            "cardToken": acquirer.token(GOOD).await,
            "customer": { "name": "Ana", "email": "ana@example.com",
                "document": "529.982.247-25" },
        });
        shop.owner.post("/api/v1/transactions", body).await;
    }
}

#[story::test]
async fn a_method_whose_provider_keeps_failing_is_not_offered_until_it_is_back(
    test: &TestApp,
    shop: Shop,
) {
    let shop = real(shop).await;
    let (bank, acquirer) = (Bank::routed(test).await, Acquirer::routed(test).await);
    let browser = browser(test);
    let whole = opened(&browser, &page_of_a_new_link(&shop).await).await;
    assert_eq!(offered(&whole), ["pix", "card"]);
    assert!(!whole.says("Fora do ar"));
    bank_goes_down(&bank, &shop).await;

    let path = page_of_a_new_link(&shop).await;
    let page = opened(&browser, &path).await;
    assert_eq!(offered(&page), ["card"]);
    assert!(page.says("Fora do ar no momento: PIX."));
    let english = opened(&browser, &format!("{path}?lang=en")).await;
    assert!(english.says("Unavailable at the moment: PIX."));
    let slug = path.rsplit('/').next().expect("has one");
    let public =
        test.anyone().get(&format!("/api/payment-links/public/slug/{slug}")).await.expect(200);
    assert_eq!(public["paymentLink"]["methods"], json!(["CREDIT_CARD"]), "{public}");
    let attempt = ("attempt", page.hidden("attempt").expect("is there"));
    let typed = [&BUYER[..], &[("method", "PIX"), attempt]].concat();
    let refused = browser.submit(&path, &typed).await;
    assert_eq!(refused.status, 422, "{}", refused.text);
    assert!(refused.text.contains("Fora do ar no momento: PIX."));

    acquirer_goes_down(&acquirer, &shop).await;
    let path = page_of_a_new_link(&shop).await;
    let closed = Page::of(browser.get(&path).await, 503);
    assert_eq!(closed.heading(), "Pagamentos fora do ar no momento");
    let english = Page::of(browser.get(&format!("{path}?lang=en")).await, 503);
    assert_eq!(english.heading(), "Payments are unavailable at the moment");

    bank.fake.admin("DELETE", "/__fault", &Value::Null).await.expect("answers");
    acquirer.heal().await;
    until(async || {
        probe(test.app.clone()).await;
        test.app.providers.registry().all().all(|live| !live.connected.is_left_alone())
    })
    .await;
    let path = page_of_a_new_link(&shop).await;
    assert_eq!(offered(&opened(&browser, &path).await), ["pix", "card"]);
    try_charge(&shop, 1_000).await.expect(201);
}
