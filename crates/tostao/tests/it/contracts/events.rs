//! The whole envelope of every event, as a receiver gets it in a story that brings it about.

use std::collections::BTreeMap;
use std::time::Duration;

use rails::card::DeclineCode;
use sandbox::test_cards::Scenario;
use serde_json::{Value, json};
use tostao::events::names::Name;
use tostao::routes;

use crate::advances::live_with_an_advance;
use crate::affiliates::live_with_an_affiliate;
use crate::contracts::described::faults;
use crate::harness::TestApp;
use crate::harness::receiver::{Delivery, Receiver};
use crate::harness::shop::{Shop, id, link_path, product_path};
use crate::sandbox::token_that;
use crate::subscriptions;
use crate::webhooks::subscribe;

/// Lives through every event.
async fn live(test: &TestApp, shop: &Shop) {
    let product = shop.product(json!({
        "name": "Camiseta", "description": "De algodão.", "price": 4_990, "stockEnabled": true,
        "stockQuantity": 10, "imageUrl": "https://example.com/a.png",
    }));
    let product = product.await;
    test.pass(Duration::from_mins(1));
    let items = json!([{ "productId": id(&product), "quantity": 2 }]);
    let ends = "2026-11-21T13:30:00Z";
    let link = shop.link_with(json!({ "products": items, "expiresAt": ends })).await;
    let sale = json!({
        "paymentLinkId": id(&link), "externalId": "pedido-1", "metadata": { "cor": "azul" },
    });
    let paid = shop.charge_with(sale).await;
    test.pass(Duration::from_mins(1));
    shop.pay(&paid).await;
    shop.change_product(&product, json!({ "price": 5_990 })).await;
    shop.change_link(&link, json!({ "title": "Duas camisetas" })).await;
    let short = shop.charge(1_000).await;
    shop.simulate(&short, json!({ "outcome": "PAID", "paidAmountCents": 1 })).await;
    let cancelled = shop.charge(1_000).await;
    let path = format!("/api/v1/transactions/{}/cancel", id(&cancelled));
    shop.key.post(&path, json!({})).await.expect(200);
    // What ends at another time ends in a run of its own, so that the order is the same always.
    for _ in 0..2 {
        test.run_jobs_after(Duration::from_hours(1)).await;
    }
    shop.key.delete(&link_path(&link)).await.expect(200);
    shop.key.delete(&product_path(&product)).await.expect(200);
    withdraw(test, shop, "ana@example.com").await;
    withdraw(test, shop, "key-not-found@example.com").await;
}

/// Gives some of a payment back, and has the rest contested until it is lost.
async fn live_through_trouble(test: &TestApp, shop: &Shop) {
    let sale = json!({ "amountCents": 10_000, "externalId": "pedido-2" });
    let paid = shop.charge_with(sale).await;
    shop.pay(&paid).await;
    let path = format!("/api/v1/transactions/{}/refund", id(&paid));
    let some = json!({ "amountCents": 4_000, "reason": "Veio sem a tampa.", "externalId": "d-1" });
    shop.key.post(&path, some).await.expect(201);
    test.run_jobs().await;
    for outcome in ["DISPUTED", "PAID", "DISPUTED", "CHARGED_BACK"] {
        shop.simulate(&paid, json!({ "outcome": outcome })).await;
    }
    test.run_jobs().await;
}

/// Takes money out, as far as the bank lets it.
async fn withdraw(test: &TestApp, shop: &Shop, key: &str) {
    let wanted = json!({
        "amountCents": 1_000, "pixKey": key, "pixKeyType": "email", "description": "Semana 47",
    });
    let withdrawal = shop.key.post("/api/withdraws", wanted).await.expect(201);
    let path = format!("/api/withdraws/{}/process", id(&withdrawal["data"]));
    test.admin().await.post(&path, json!({})).await.expect(200);
    test.run_jobs().await;
}

/// Lives through every event of a coupon.
async fn live_with_a_coupon(test: &TestApp, shop: &Shop) {
    let coupon = json!({
        "code": "verao", "discountType": "PERCENTAGE", "discountValue": 12.5,
        "description": "De verão.", "minPurchaseCents": 100, "maxDiscountCents": 5_000,
        "usageLimit": 1, "perUserLimit": 1, "validFrom": "2026-11-01T00:00:00Z",
        "validUntil": "2026-11-21T15:00:00Z",
    });
    shop.key.post("/api/v1/coupons", coupon).await.expect(201);
    let sale = json!({ "amountCents": 10_000, "couponCode": "VERAO" });
    shop.pay(&shop.try_charge(sale).await.expect(201)["transaction"]).await;
    let declines = Scenario::Declines(DeclineCode::InsufficientFunds);
    let card = json!({
        "amountCents": 10_000, "method": "CREDIT_CARD", "installments": 2,
        "cardToken": token_that(test, declines).await,
    });
    shop.try_charge(card).await.expect(402);
    test.run_jobs_after(Duration::from_hours(1)).await;
}

/// Leaves a form, and comes back to it.
async fn live_with_a_cart(test: &TestApp, shop: &Shop) {
    let link = shop.link(10_000).await;
    let slug = link["slug"].as_str().expect("has one");
    let path = format!("/api/payment-links/public/slug/{slug}/cart-abandonment");
    let left = json!({
        "clientEmail": "ana@example.com", "clientName": "Ana", "clientDocument": "529.982.247-25",
        "clientPhone": "+5511912345678", "utm": { "source": "boletim" },
    });
    test.anyone().post(&path, left).await.expect(201);
    test.run_jobs_after(Duration::from_mins(30)).await;
    let sale = json!({ "paymentLinkId": id(&link), "externalId": "pedido-3" });
    shop.pay(&shop.try_charge(sale).await.expect(201)["transaction"]).await;
    test.run_jobs().await;
}

/// Has a boleto paid; cards were charged before.
async fn live_with_a_boleto(test: &TestApp, shop: &Shop) {
    let sale = json!({ "amountCents": 10_000, "method": "BOLETO", "externalId": "pedido-4" });
    shop.pay(&shop.try_charge(sale).await.expect(201)["transaction"]).await;
    test.run_jobs().await;
}

#[story::test]
async fn every_event_is_what_it_was(test: &TestApp) {
    let shop = test.shop("Loja Azul").await;
    let receiver = Receiver::start().await;
    subscribe(&shop.key, &receiver.url, &["*"]).await;
    live(test, &shop).await;
    live_with_a_coupon(test, &shop).await;
    live_through_trouble(test, &shop).await;
    live_with_an_advance(test, &shop).await;
    live_with_a_cart(test, &shop).await;
    subscriptions::live(test, &shop).await;
    live_with_an_affiliate(test, &shop).await;
    live_with_a_boleto(test, &shop).await;
    let mut envelopes: Vec<_> = receiver.take().iter().map(Delivery::json).collect();
    // Deliveries may overtake each other; ids grow in the order in which things happened.
    envelopes.sort_by_key(|envelope| id(envelope).to_owned());
    let shapes = [("CREDIT_CARD", "transaction.paid.card"), ("BOLETO", "transaction.paid.boleto")];
    for (method, name) in shapes {
        let by_it = |envelope: &&Value| {
            let paid = envelope["event"] == Name::TransactionPaid.text();
            paid && envelope["data"]["transaction"]["method"] == method
        };
        let paid = envelopes.iter().find(by_it).expect("was paid that way");
        insta::assert_json_snapshot!(name, paid);
    }
    let mut reported: BTreeMap<String, Value> = BTreeMap::new();
    for envelope in envelopes {
        let name = envelope["event"].as_str().expect("has a name").to_owned();
        reported.entry(name).or_insert(envelope);
    }
    let names: Vec<_> = reported.keys().map(String::as_str).collect();
    let mut all: Vec<_> = Name::ALL.iter().map(|name| name.text()).collect();
    all.sort_unstable();
    assert_eq!(names, all);
    let document = routes::document();
    let described = document["webhooks"].as_object().expect("has webhooks");
    assert_eq!(described.keys().collect::<Vec<_>>(), names);
    for (name, envelope) in &reported {
        let body = &described[name]["post"]["requestBody"]["content"]["application/json"];
        assert_eq!(faults(&document, &body["schema"], envelope), [""; 0], "{name}");
        insta::assert_json_snapshot!(name.as_str(), envelope);
    }
}
