//! The content of events: the whole object, nothing that others may not see, in an order.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use rails::card::DeclineCode;
use sandbox::test_cards::Scenario;
use serde_json::{Value, json};
use tostao::events::names::Name;

use crate::advances::live_with_an_advance;
use crate::affiliates::live_with_an_affiliate;
use crate::carts::capture_path;
use crate::harness::TestApp;
use crate::harness::receiver::Receiver;
use crate::harness::shop::{Shop, id, link_path, product_path};
use crate::sandbox::card_sale;
use crate::subscriptions;
use crate::webhooks::subscribe;

#[story::test]
async fn a_payments_event_has_the_payment_its_buyer_and_its_link(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    subscribe(&shop.key, &receiver.url, &["*"]).await;
    let link = shop.link(4_990).await;
    let paid = shop.pay(&charge_through(&shop, &link).await).await;
    test.run_jobs().await;
    let reported: BTreeMap<String, Value> =
        receiver.take().iter().map(|delivery| (delivery.event(), delivery.json())).collect();

    let transaction = &reported["transaction.paid"]["data"]["transaction"];
    assert_eq!(transaction["externalId"], "pedido-1");
    assert_eq!(transaction["metadata"], json!({ "cor": "azul", "itens": 2 }));
    let same = [
        "id",
        "amount",
        "paidAmount",
        "status",
        "method",
        "currency",
        "paidLate",
        "receiptUrl",
        "feeCents",
        "createdAt",
        "updatedAt",
        "expiresAt",
        "paidAt",
    ];
    for field in same {
        assert_eq!(transaction[field], paid[field], "{field}");
    }
    let customer = &reported["transaction.paid"]["data"]["customer"];
    assert_eq!((&customer["name"], &customer["email"]), (&json!("Ana"), &json!("ana@example.com")));
    let of_link = json!({ "id": id(&link), "slug": link["slug"] });
    assert_eq!(reported["transaction.paid"]["data"]["paymentLink"], of_link);

    let sold = &reported["payment_link.paid"]["data"];
    assert_eq!((&sold["transaction"], &sold["customer"]), (transaction, customer));
    let link_now = shop.read_link(&link).await;
    for field in ["id", "slug", "currency", "status", "url", "timesUsed", "salesCount"] {
        assert_eq!(sold["paymentLink"][field], link_now[field], "{field}");
    }
    assert_eq!(
        (&sold["paymentLink"]["name"], &sold["paymentLink"]["amount"]),
        (&json!("Caneca"), &json!(4_990))
    );

    let created = &reported["transaction.created"]["data"]["transaction"];
    assert_eq!((&created["status"], &created["paidAmount"]), (&json!("PENDING"), &json!(null)));
    let balance = json!({
        "balance": { "availableBalance": 4_990, "pendingBalance": 0 },
        "reason": "transaction.paid",
    });
    assert_eq!(reported["balance.updated"]["data"], balance);
}

#[story::test]
async fn a_document_shows_only_how_it_begins(test: &TestApp) {
    let table = [
        ("529.982.247-25", "529.***.***-**"),
        ("52998224725", "529.***.***-**"),
        ("11.222.333/0001-81", "11.***.***/****-**"),
    ];
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    subscribe(&shop.key, &receiver.url, &["payment.pending", "payment.completed"]).await;
    for (document, masked) in table {
        let customer = json!({ "name": "Ana", "email": "ana@example.com", "document": document });
        let charge = json!({ "amountCents": 1_000, "customer": customer });
        let charge = shop.charge_with(charge).await;
        shop.pay(&charge).await;
        test.run_jobs().await;
        let taken = receiver.take();
        assert_eq!(taken.len(), 2);
        let digits: String = document.chars().filter(char::is_ascii_digit).collect();
        for delivery in taken {
            assert_eq!(delivery.json()["data"]["customer"]["taxId"], masked);
            let body = String::from_utf8_lossy(&delivery.body).into_owned();
            assert!(!body.contains(&digits) && !body.contains(document), "{body}");
        }
    }
}

#[story::test]
async fn of_two_events_about_one_object_the_later_has_the_greater_sequence(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    subscribe(&shop.key, &receiver.url, &["*"]).await;
    live_through_everything(test, &shop).await;
    let mut last: BTreeMap<String, i64> = BTreeMap::new();
    for delivery in receiver.take() {
        let reported = delivery.json();
        let object = reported["objectId"].as_str().expect("names its object").to_owned();
        let sequence = reported["sequence"].as_i64().expect("is a number");
        let before = last.insert(object, sequence);
        assert!(before.is_none_or(|before| before < sequence), "{reported}");
    }
    assert!(last.len() > 5, "{last:?}");
}

#[story::test]
async fn a_payments_event_precedes_those_it_causes(test: &TestApp, shop: Shop, receiver: Receiver) {
    let link = shop.link(4_990).await;
    subscribe(&shop.key, &receiver.url, &["*"]).await;
    for _ in 0..3 {
        shop.pay(&charge_through(&shop, &link).await).await;
        test.run_jobs().await;
        let names =
            ["transaction.created", "transaction.paid", "payment_link.paid", "balance.updated"];
        assert_eq!(receiver.take_names(), names);
    }
}

#[story::test]
async fn real_events_have_the_shape_of_their_examples(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    subscribe(&shop.key, &receiver.url, &["*"]).await;
    live_through_everything(test, &shop).await;
    // What these two sell goes through no link.
    let named = |feature: &'static str| {
        let names = Name::ALL.iter().map(|name| name.text());
        names.filter(|name| name.starts_with(feature)).collect::<Vec<_>>()
    };
    let club = test.shop("Clube").await;
    subscribe(&club.key, &receiver.url, &named("subscription.")).await;
    subscriptions::live(test, &club).await;
    let bazaar = test.shop("Bazar").await;
    subscribe(&bazaar.key, &receiver.url, &named("advance.")).await;
    live_with_an_advance(test, &bazaar).await;
    test.run_jobs().await;
    let types = shop.key.get("/api/webhooks/event-types").await.expect(200);
    let examples: BTreeMap<_, _> = types["data"]
        .as_array()
        .expect("is a list")
        .iter()
        .map(|kind| (kind["name"].as_str().expect("is a text"), &kind["example"]))
        .collect();
    let mut seen = BTreeSet::new();
    for delivery in receiver.take() {
        let name = delivery.event();
        assert_eq!(shape(&delivery.json()["data"]), shape(examples[name.as_str()]), "{name}");
        seen.insert(name);
    }
    let unseen: Vec<_> = examples.keys().filter(|name| !seen.contains(**name)).collect();
    assert_eq!(unseen, [&"transaction.updated"]);
}

/// Makes everything happen that a merchant and the buyers can bring about.
async fn live_through_everything(test: &TestApp, shop: &Shop) {
    let product = shop.product(json!({})).await;
    shop.change_product(&product, json!({ "price": 3_000 })).await;
    shop.key.delete(&product_path(&product)).await.expect(200);
    let coupon = json!({
        "code": "DEZ", "discountType": "FIXED", "discountValue": 10,
        "validUntil": "2026-11-21T12:30:00Z", "usageLimit": 1,
    });
    shop.key.post("/api/v1/coupons", coupon).await.expect(201);
    let link = shop.link(4_990).await;
    shop.change_link(&link, json!({ "title": "Copo" })).await;
    let sale = json!({
        "paymentLinkId": id(&link), "couponCode": "DEZ", "externalId": "pedido-1",
        "metadata": { "cor": "azul" },
    });
    shop.pay(&shop.try_charge(sale).await.expect(201)["transaction"]).await;
    let declines = Scenario::Declines(DeclineCode::CardDeclined);
    let card = card_sale(test, 5_000, declines).await;
    shop.try_charge(card).await.expect(402);
    shop.pay(&charge_through(shop, &link).await).await;
    let cancelled = charge_through(shop, &link).await;
    let path = format!("/api/v1/transactions/{}/cancel", id(&cancelled));
    shop.key.post(&path, json!({})).await.expect(200);
    charge_through(shop, &link).await;
    for key in ["ana@example.com", "key-not-found@example.com"] {
        let withdrawal = json!({ "amountCents": 1_000, "pixKeyType": "email", "pixKey": key });
        let made = shop.key.post("/api/withdraws", withdrawal).await.expect(201);
        let path = format!("/api/withdraws/{}/process", id(&made["data"]));
        let admin = test.admin().await.with("x-dev-mode", "true");
        admin.post(&path, json!({ "action": "approve" })).await.expect(200);
    }
    shop.link_with(json!({ "amountCents": 100, "expiresAt": "2026-11-21T12:30:00Z" })).await;
    test.run_jobs().await;
    let contested = charge_through(shop, &link).await;
    shop.pay(&contested).await;
    let path = format!("/api/v1/transactions/{}/refund", id(&contested));
    let some = json!({ "amountCents": 1_000, "reason": "Veio sem a tampa." });
    shop.key.post(&path, some).await.expect(201);
    test.run_jobs().await;
    for outcome in ["DISPUTED", "PAID", "DISPUTED", "CHARGED_BACK"] {
        shop.simulate(&contested, json!({ "outcome": outcome })).await;
        test.run_jobs().await;
    }
    let left = json!({ "clientEmail": "ana@example.com" });
    shop.key.post(&capture_path(&link), left).await.expect(201);
    test.run_jobs_after(Duration::from_hours(1)).await;
    shop.pay(&charge_through(shop, &link).await).await;
    shop.key.delete(&link_path(&link)).await.expect(200);
    test.run_jobs().await;
    live_with_an_affiliate(test, shop).await;
}

/// Issues a PIX through a link, with all that a merchant may say about it.
async fn charge_through(shop: &Shop, link: &Value) -> Value {
    let body = json!({
        "paymentLinkId": id(link), "externalId": "pedido-1",
        "metadata": { "cor": "azul", "itens": 2 },
    });
    shop.charge_with(body).await
}

/// The paths of every field; what a merchant puts into `metadata` is free.
fn shape(value: &Value) -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    let fields = value.as_object().into_iter().flatten();
    for (name, value) in fields {
        paths.insert(name.clone());
        if name != "metadata" {
            paths.extend(shape(value).into_iter().map(|path| format!("{name}.{path}")));
        }
    }
    paths
}
