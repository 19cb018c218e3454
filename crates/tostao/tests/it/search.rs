//! The search over everything, in the API and in the dashboard.

use std::slice;
use std::time::Duration;

use serde_json::{Value, json};

use crate::dashboard::{Browser, EMAIL, next};
use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::page::Page;
use crate::harness::shop::{Shop, id};

/// The kinds and ids that a text finds.
async fn found(client: &Client, text: &str) -> Vec<(String, String)> {
    let path = format!("/api/search?q={}", text.replace(' ', "+").replace('@', "%40"));
    let reply = client.get(&path).await.expect(200);
    let hits = reply["data"]["hits"].as_array().expect("is a list").clone();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    hits.iter().map(|hit| (text(&hit["kind"]), text(&hit["id"]))).collect()
}

#[story::test]
async fn one_search_finds_every_kind_by_what_people_have_at_hand(shop: Shop) {
    let customer = json!({
        "name": "Bia Souza", "email": "bia@example.com", "document": "52998224725",
    });
    let sale = json!({ "amountCents": 4_990, "externalId": "pedido-1042", "customer": customer });
    let charge = shop.charge_with(sale).await;
    let link = shop.link_with(json!({ "title": "Curso de canto", "amountCents": 1_000 })).await;
    let product = shop.product(json!({ "name": "Caneca azul" })).await;
    let coupon = json!({ "code": "DEZ", "discountType": "PERCENTAGE", "discountValue": 10 });
    let coupon = shop.key.post("/api/v1/coupons", coupon).await.expect(201)["coupon"].clone();
    shop.earn(10_000).await;
    let sent = shop.withdraw(5_000).await;
    let client = shop.key.get("/api/clients?email=bia@example.com").await.expect(200);
    let of = |kind: &str, object: &Value| (kind.to_owned(), id(object).to_owned());
    let (charge, client) = (of("transaction", &charge), of("client", &client["data"][0]));
    for text in ["pedido-1042", "49,90", &charge.1] {
        assert_eq!(found(&shop.key, text).await, slice::from_ref(&charge), "{text}");
    }
    for text in ["Bia Souza", "bia@example.com"] {
        assert_eq!(found(&shop.key, text).await, [charge.clone(), client.clone()], "{text}");
    }
    assert_eq!(found(&shop.key, "529.982.247-25").await, [client]);
    assert_eq!(found(&shop.key, "canto").await, [of("paymentLink", &link)]);
    assert_eq!(found(&shop.key, "caneca").await, [of("product", &product)]);
    assert_eq!(found(&shop.key, "DEZ").await, [of("coupon", &coupon)]);
    assert_eq!(found(&shop.key, id(&sent)).await, [of("withdrawal", &sent)]);
    assert_eq!(found(&shop.key, "nada disso").await, []);
}

#[story::test]
async fn a_search_finds_only_what_its_caller_may_read_and_says_where_it_looked(test: &TestApp) {
    let (shop, other) = (test.shop("Loja").await, test.shop("Outra").await);
    let link = shop.link_with(json!({ "title": "Curso de canto", "amountCents": 1_000 })).await;
    assert_eq!(found(&other.key, "canto").await, []);
    assert_eq!(found(&other.key, id(&link)).await, []);
    let blind = shop.key_for("development", &["products:read"]).await;
    let reply = blind.get("/api/search?q=canto").await.expect(200);
    assert_eq!(reply["data"], json!({ "hits": [], "more": [], "searched": ["product"] }));
}

#[story::test]
async fn a_search_shows_five_of_a_kind_and_says_that_there_are_more(shop: Shop) {
    for number in 1..=6 {
        shop.product(json!({ "name": format!("Caneca {number}") })).await;
    }
    let reply = shop.key.get("/api/search?q=caneca").await.expect(200);
    assert_eq!(reply["data"]["hits"].as_array().map(Vec::len), Some(5));
    assert_eq!(reply["data"]["more"], json!(["product"]));
}

#[story::test]
async fn a_search_without_a_text_is_refused(shop: Shop) {
    for query in ["", "?q=", "?q=+"] {
        let refused = shop.key.get(&format!("/api/search{query}")).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["q"], "{query}");
    }
}

#[story::test]
async fn the_search_of_the_dashboard_opens_what_it_finds_alone(test: &TestApp, shop: Shop) {
    let link = shop.link_with(json!({ "title": "Curso de canto", "amountCents": 1_000 })).await;
    shop.product(json!({ "name": "Curso <b>de</b> dança" })).await;
    let browser = Browser::signed_in(test, EMAIL).await;
    let search = "/dashboard/dev/search";
    assert!(browser.page(search).await.says("name=\"q\""));
    let alone = browser.get(&format!("{search}?q=canto")).await;
    assert_eq!(next(&alone), format!("/dashboard/dev/links/{}", id(&link)));
    let both = browser.page(&format!("{search}?q=curso")).await;
    assert!(both.says("Curso de canto") && both.says("Curso &#60;b&#62;de"));
    let nothing = browser.page(&format!("{search}?q=violino")).await;
    assert!(nothing.says("Nada foi encontrado.") && nothing.says("Procuramos em: "));
    let over_all = "href=\"/dashboard/dev/transactions?q=violino&#38;searchAll=true\"";
    assert!(nothing.says(over_all), "{}", nothing.text);
    for cents in [700, 800] {
        shop.charge(cents).await;
    }
    let dated = browser.page(&format!("{search}?q=ana%40example.com")).await;
    assert_eq!(dated.text.matches("<small>21/11/2026").count(), 2, "{}", dated.text);
    let empty = Page::of(browser.get(&format!("{search}?q=")).await, 400);
    assert!(empty.says("id=\"q-error\""));
}

#[story::test]
async fn the_search_of_the_dashboard_leads_to_payments_that_are_older_than_its_own(
    test: &TestApp,
    shop: Shop,
) {
    let charge = shop.charge(700).await;
    test.pass(Duration::from_hours(31 * 24));
    let browser = Browser::signed_in(test, EMAIL).await;
    let recent = browser.page("/dashboard/dev/search?q=7%2C00").await;
    assert!(recent.says("Nada foi encontrado."), "{}", recent.text);
    let link = recent.text.split("href=\"/dashboard/dev/transactions?").nth(1);
    let query = link.and_then(|rest| rest.split('"').next()).expect("leads on");
    let query = query.replace("&#38;", "&");
    let all = browser.page(&format!("/dashboard/dev/transactions?{query}")).await;
    let row = format!("href=\"/dashboard/dev/transactions/{}\"", id(&charge));
    assert!(all.says(&row), "{query}: {}", all.text);
}

#[story::test]
async fn a_pasted_key_leads_to_its_credential_and_is_never_shown(test: &TestApp, shop: Shop) {
    let body = json!({
        "name": "Caixa", "environment": "development", "permissions": ["products:read"],
    });
    let made = shop.owner.post("/api/credentials", body).await.expect(201);
    let key = made["data"]["key"].as_str().expect("is shown once").to_owned();
    let browser = Browser::signed_in(test, EMAIL).await;
    let led = browser.get(&format!("/dashboard/dev/search?q={key}")).await;
    assert_eq!(next(&led), "/dashboard/dev/developers/keys");
    let broken = browser.land(browser.get(&format!("/dashboard/dev/search?q={key}x")).await).await;
    assert!(broken.says("Nenhuma chave desta conta é essa") && !broken.says(&key));
}
