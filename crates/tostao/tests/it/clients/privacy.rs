//! Privacy: what is left of a client who is deleted, and who may read the document.

use std::time::Duration;

use serde_json::json;

use super::{CLIENTS, CPF, listed, payer};
use crate::harness::engine::Engine;
use crate::harness::receiver::Receiver;
use crate::harness::shop::{Shop, client_path, id, merged};
use crate::harness::{TestApp, logs, rate_limited_to};
use crate::members::member;
use crate::webhooks::subscribe;

const BIA: &str = "bia@example.com";

#[story::test]
async fn nothing_personal_is_left_of_a_deleted_client(test: &TestApp, shop: Shop) {
    let fields = json!({ "document": CPF, "phone": "11912345678" });
    let ana = shop.client(fields.clone()).await;
    let bia = shop.client(json!({ "email": "bia@example.com" })).await;
    test.pass(Duration::from_mins(1));
    shop.key.delete(&client_path(&ana)).await.expect(200);
    let engine = Engine::open(test).await;
    let rows = engine
        .rows(
            "select name || email || coalesce(document, '') || coalesce(phone, '')
                    || search_text
               from clients
              where deleted_at is not null",
        )
        .await;
    assert_eq!(rows, [[""]]);
    for query in ["", "q=ana", "q=529982", "document=52998224725", "email=ana@example.com"] {
        let found = listed(&shop, query).await;
        assert!(found.iter().all(|client| client["id"] != ana["id"]), "{query}");
    }
    assert_eq!(shop.read_client(&bia).await, bia);

    let back = shop.client(fields).await;
    assert_ne!(back["id"], ana["id"]);
    let gone = json!({ "method": "PIX", "amountCents": 1_000, "customerId": id(&ana) });
    let refused = shop.key.post("/api/v1/transactions", gone).await;
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["customerId"]);
}

#[story::test]
async fn payments_outlive_the_client_who_made_them(shop: Shop) {
    let ana = shop.client(json!({ "document": CPF })).await;
    let (paid, open) = (shop.charge(1_000).await, shop.charge(2_000).await);
    let paid = shop.pay(&paid).await;
    shop.key.delete(&client_path(&ana)).await.expect(200);
    assert_eq!(shop.transaction(&paid).await, paid);
    let late = shop.pay(&open).await;
    assert_eq!((&late["status"], &late["customer"]), (&json!("PAID"), &open["customer"]));
    let path = format!("/api/v1/transactions?customerId={}", id(&ana));
    assert_eq!(shop.key.total(&path).await, 2);
    assert_ne!(
        payer(
            &shop,
            json!({
                "name": "Ana", "email": "ana@example.com", "document": CPF,
            })
        )
        .await,
        ana["id"]
    );
}

#[story::test]
async fn a_document_is_shown_only_to_its_merchant(test: &TestApp, shop: Shop) {
    let documents = [("73500011934", "735.000.119-34"), ("Q4T7B2XW000144", "Q4.T7B.2XW/0001-44")];
    let request = "a-request-about-documents";
    let texts = documents.iter().flat_map(|(plain, written)| [*plain, *written]);
    let texts: Vec<&str> = texts.collect();
    logs::watch(&texts);
    logs::watch(&[request]);
    let receiver = Receiver::start().await;
    subscribe(&shop.key, &receiver.url, &["*"]).await;
    let key = shop.key.with("x-request-id", request);
    for (plain, written) in documents {
        let fields = json!({ "name": "Ana", "email": "ana@example.com", "document": written });
        let made = key.post(CLIENTS, fields.clone()).await.expect(201);
        let client = made["client"].clone();
        assert_eq!(client["document"], plain);
        key.get(&format!("{CLIENTS}?document={plain}&q={plain}")).await.expect(200);
        key.get(&format!("{CLIENTS}/{plain}")).await.expect(404);
        key.post(CLIENTS, merged(fields, &json!({ "email": plain }))).await.expect(400);
        let by_id = json!({
            "amountCents": 1_000, "method": "PIX", "customerId": id(&client),
        });
        let charge = key.post("/api/v1/transactions", by_id).await.expect(201);
        shop.pay(&charge["transaction"]).await;
        key.patch(&client_path(&client), json!({ "document": null })).await.expect(200);
        key.delete(&client_path(&client)).await.expect(200);
    }
    test.run_jobs().await;
    let mut reported: Vec<String> = Vec::new();
    for delivery in receiver.take() {
        reported.push(String::from_utf8(delivery.body.to_vec()).expect("is text"));
    }
    assert!(reported.iter().any(|body| body.contains("735.***.***-**")), "masked, it is emitted");
    reported.push(key.get("/api/webhooks/events?limit=100").await.text);
    let engine = Engine::open(test).await;
    for query in ["select data from events", "select log from webhook_deliveries"] {
        reported.extend(engine.rows(query).await.into_iter().flatten());
    }
    for text in texts {
        assert!(reported.iter().all(|reported| !reported.contains(text)), "{text} in an event");
        assert_eq!(logs::lines_with(text), [] as [&str; 0]);
    }
    assert!(!logs::lines_with(request).is_empty(), "the log was watched");
}

#[story::test]
async fn a_repeated_request_shows_the_document_as_each_caller_sees_it(test: &TestApp, shop: Shop) {
    let support = member(test, &shop, BIA, "SUPPORT").await.with("x-dev-mode", "true");
    let masked = json!("529.***.***-**");
    for (key, first, second, seen) in [
        ("by a key first", &shop.key, &support, [json!(CPF), masked.clone()]),
        ("by support first", &support, &shop.key, [masked.clone(), json!(CPF)]),
    ] {
        let body = json!({ "name": "Ana", "email": "ana@example.com", "document": CPF });
        let mut shown = Vec::new();
        for client in [first, second] {
            let reply = client.with("idempotency-key", key).post(CLIENTS, body.clone()).await;
            shown.push(reply.json()["client"]["document"].clone());
            let replayed = reply.header("idempotency-replayed").is_some();
            assert_eq!(replayed, shown.len() == 2, "{}", reply.text);
        }
        assert_eq!(shown, seen, "{key}");
        assert!(!support.with("idempotency-key", key).post(CLIENTS, body).await.text.contains(CPF));
    }
}

#[story::test(rate_limited_to("document_lookup=3/60"))]
async fn a_person_who_sees_documents_masked_looks_for_few_of_them(test: &TestApp, shop: Shop) {
    let ana = shop.client(json!({ "document": CPF })).await;
    let support = member(test, &shop, BIA, "SUPPORT").await.with("x-dev-mode", "true");
    let lookups = [format!("document={CPF}"), "q=529.982.247-25".into(), "q=11144477735".into()];
    for query in &lookups {
        support.get(&format!("{CLIENTS}?{query}")).await.expect(200);
    }
    test.pass(Duration::from_secs(20));
    let named = json!({ "name": "Bia", "email": BIA, "document": CPF });
    let charge = json!({ "amountCents": 1_000, "method": "PIX", "customer": named.clone() });
    let refusals = [
        support.get(&format!("{CLIENTS}?document={CPF}")).await,
        support.get(&format!("{CLIENTS}?q={CPF}")).await,
        support.post(CLIENTS, named).await,
        support.patch(&client_path(&ana), json!({ "document": CPF })).await,
        support.post("/api/v1/transactions?dryRun=true", charge).await,
        // In both modes together.
        support.with("x-dev-mode", "false").get(&format!("{CLIENTS}?document={CPF}")).await,
    ];
    for refused in refusals {
        refused.expect_refusal(429, "RATE_LIMITED");
        assert_eq!(refused.header("retry-after"), Some("40"));
    }
    // What names no document goes on, and so do those who see whole documents.
    support.get(&format!("{CLIENTS}?q=ana")).await.expect(200);
    support.patch(&client_path(&ana), json!({ "phone": "11912345678" })).await.expect(200);
    let owner = shop.owner.with("x-dev-mode", "true");
    for client in [&shop.key, &owner] {
        for _ in 0..4 {
            client.get(&format!("{CLIENTS}?document={CPF}")).await.expect(200);
        }
    }
    test.pass(Duration::from_secs(40));
    support.get(&format!("{CLIENTS}?document={CPF}")).await.expect(200);
}
