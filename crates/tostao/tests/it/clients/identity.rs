//! Identity: who is the same buyer again, and who cannot become another.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{CLIENTS, CNPJ_WITH_LETTERS, CPF, OTHER_CPF, listed, payer, total};
use crate::harness::TestApp;
use crate::harness::shop::{Shop, client_path, id, merged};

#[story::test]
async fn creating_an_existing_client_returns_it_unchanged(test: &TestApp, shop: Shop) {
    let by_document = shop.client(json!({ "document": CPF })).await;
    let by_address = shop.client(json!({ "email": "bia@example.com" })).await;
    test.pass(Duration::from_mins(1));
    let table = [
        (json!({ "document": "529.982.247-25" }), Some(&by_document)),
        (
            json!({ "document": CPF, "name": "B", "email": "b@example.com", "phone": null }),
            Some(&by_document),
        ),
        (json!({ "email": "BIA@example.com", "name": "Bia" }), Some(&by_address)),
        (json!({ "email": "bia@example.com", "phone": "11912345678" }), Some(&by_address)),
        // The same address is not the same person.
        (json!({ "document": OTHER_CPF }), None),
        (json!({ "email": "bia@example.com", "document": CNPJ_WITH_LETTERS }), None),
        (json!({ "email": "ana@example.com" }), None),
    ];
    for (sent, known) in table {
        let reply = shop.try_client(sent.clone()).await;
        if let Some(known) = known {
            let expected = json!({ "message": "The customer already exists.", "client": known });
            assert_eq!(reply.expect(200), expected, "{sent}");
            assert_eq!(shop.read_client(known).await, *known, "{sent}");
        } else {
            reply.expect(201);
        }
    }
    assert_eq!(total(&shop).await, 5);
    shop.try_client(json!({ "document": CPF, "name": "" })).await.expect(400);
}

#[story::test]
async fn a_payer_is_matched_by_document_or_else_by_address_and_stays_unchanged(shop: Shop) {
    let ana = shop.client(json!({ "document": CPF })).await;
    let named = json!({ "name": "A. S.", "email": "outra@example.com", "document": CPF });
    assert_eq!(payer(&shop, named).await, ana["id"]);
    assert_eq!(shop.read_client(&ana).await, ana);

    let bia = json!({ "name": "Bia", "email": "bia@example.com" });
    let first = payer(&shop, bia.clone()).await;
    assert_eq!(payer(&shop, merged(bia.clone(), &json!({ "name": "Beatriz" }))).await, first);
    // Any address can be typed at a checkout, so it gives no client a document.
    let reported = merged(bia.clone(), &json!({ "document": OTHER_CPF }));
    let second = payer(&shop, reported.clone()).await;
    assert_ne!(second, first);
    assert_eq!(payer(&shop, reported).await, second);
    assert_eq!(payer(&shop, bia.clone()).await, first);
    let both = listed(&shop, "email=bia@example.com").await;
    let known: Vec<_> = both.iter().map(|client| (&client["id"], &client["document"])).collect();
    assert_eq!(known, [(&second, &json!(OTHER_CPF)), (&first, &Value::Null)]);

    let entered = shop.try_client(bia).await.expect(200);
    assert_eq!(entered["client"]["id"], first);
}

#[story::test]
async fn a_client_pays_by_id_and_payments_keep_the_data_of_their_time(shop: Shop) {
    let ana = shop.client(json!({ "document": CPF })).await;
    let by_id = json!({
        "amountCents": 1_000, "method": "PIX", "customerId": id(&ana),
    });
    let charge = shop.key.post("/api/v1/transactions", by_id.clone()).await.expect(201);
    let charge = charge["transaction"].clone();
    let customer = json!({
        "id": id(&ana), "name": "Ana", "email": "ana@example.com", "taxId": "529.***.***-**",
        "phone": null, "address": null,
    });
    assert_eq!(charge["customer"], customer);
    let other = json!({ "name": "Bia", "email": "bia@example.com", "document": OTHER_CPF });
    shop.change_client(&ana, other).await;
    assert_eq!(shop.transaction(&charge).await["customer"], customer);
    let again = shop.key.post("/api/v1/transactions", by_id).await.expect(201);
    let customer = json!({
        "id": id(&ana), "name": "Bia", "email": "bia@example.com", "taxId": "111.***.***-**",
        "phone": null, "address": null,
    });
    assert_eq!(again["transaction"]["customer"], customer);
}

#[story::test]
async fn a_client_cannot_take_another_clients_identity(test: &TestApp, shop: Shop) {
    let ana = shop.client(json!({ "document": CPF })).await;
    let bia = shop.client(json!({ "document": OTHER_CPF })).await;
    let caio = shop.client(json!({ "email": "caio@example.com" })).await;
    let davi = shop.client(json!({ "email": "davi@example.com" })).await;
    let without_address = shop.client(json!({})).await;
    let table = [
        (&bia, json!({ "document": "529.982.247-25" })),
        (&bia, json!({ "document": null })),
        (&caio, json!({ "document": CPF, "name": "Outro" })),
        (&caio, json!({ "email": "davi@example.com" })),
        (&davi, json!({ "email": "ana@example.com" })),
        (&bia, json!({ "document": null, "email": "caio@example.com" })),
    ];
    for (client, change) in &table {
        let refused = shop.key.patch(&client_path(client), change.clone()).await;
        refused.expect_refusal(409, "ALREADY_EXISTS");
        assert_eq!(shop.read_client(client).await, **client, "{change}");
    }
    assert_eq!(total(&shop).await, 5);

    // With a document, an address may belong to several clients.
    shop.change_client(&bia, json!({ "email": "caio@example.com" })).await;
    for gone in [&ana, &without_address] {
        shop.key.delete(&client_path(gone)).await.expect(200);
    }
    shop.change_client(&caio, json!({ "document": CPF })).await;
    shop.change_client(&davi, json!({ "email": "ana@example.com" })).await;
    let other = test.shop("Outra").await;
    other.client(json!({ "document": CPF })).await;
}

#[story::test]
async fn of_many_concurrent_requests_one_creates_the_client_and_all_return_it(shop: Shop) {
    for same in [json!({ "document": CPF }), json!({ "email": "bia@example.com" })] {
        let duplicates = (0..32).map(|_| shop.try_client(same.clone()));
        let paid = merged(json!({ "name": "Ana", "email": "ana@example.com" }), &same);
        let payers = (0..16).map(|_| payer(&shop, paid.clone()));
        let (replies, payers) = tokio::join!(join_all(duplicates), join_all(payers));
        let made = replies.iter().filter(|reply| reply.status == 201).count();
        assert!(made <= 1, "{made} were made");
        let known = &payers[0];
        for reply in &replies {
            assert!(matches!(reply.status, 200 | 201), "{}", reply.text);
            assert_eq!(reply.json()["client"]["id"], *known);
        }
        assert!(payers.iter().all(|payer| payer == known));
    }
    assert_eq!(total(&shop).await, 2);
}

#[story::test]
async fn of_many_who_claim_a_document_at_once_one_gets_it(shop: Shop) {
    let mut clients = Vec::new();
    for index in 0..16 {
        let email = format!("{index}@example.com");
        clients.push(shop.client(json!({ "email": email })).await);
    }
    let claims = clients.iter().map(|client| {
        let (key, path) = (shop.key.clone(), client_path(client));
        async move { key.patch(&path, json!({ "document": CPF })).await }
    });
    let (claims, entered) =
        tokio::join!(join_all(claims), shop.try_client(json!({ "document": CPF })));
    let got = claims.iter().filter(|reply| reply.status == 200).count();
    for reply in claims.iter().filter(|reply| reply.status != 200) {
        reply.expect_refusal(409, "ALREADY_EXISTS");
    }
    assert_eq!(got + usize::from(entered.status == 201), 1);
    assert_eq!(listed(&shop, &format!("document={CPF}")).await.len(), 1);
}

#[story::test]
async fn a_repeated_key_enters_a_client_once(shop: Shop) {
    let body = json!({ "name": "Ana", "email": "ana@example.com", "document": CPF });
    let key = shop.key.with("idempotency-key", "entered");
    let first = key.post(CLIENTS, body.clone()).await;
    first.expect(201);
    let again = key.post(CLIENTS, body.clone()).await;
    again.expect_replay_of(&first, 201);
    let other = merged(body.clone(), &json!({ "name": "Bia" }));
    key.post(CLIENTS, other).await.expect_refusal(422, "IDEMPOTENCY_KEY_REUSED");

    let key = shop.key.with("idempotency-key", "known");
    let known = key.post(CLIENTS, body.clone()).await;
    assert_eq!(known.expect(200)["client"], first.json()["client"]);
    let again = key.post(CLIENTS, body).await;
    again.expect_replay_of(&known, 200);
    assert_eq!(total(&shop).await, 1);
}
