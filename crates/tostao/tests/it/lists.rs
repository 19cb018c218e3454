//! Lists: how many there are in all, on whichever page and however old.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::shop::{Shop, id};

const PAYMENTS: &str = "/api/v1/transactions";

/// What a list of payments says of itself.
async fn pagination(client: &Client, query: &str) -> Value {
    client.get(&format!("{PAYMENTS}?{query}")).await.expect(200)["pagination"].clone()
}

async fn total(client: &Client, query: &str) -> Value {
    pagination(client, query).await["total"].clone()
}

#[story::test]
async fn every_page_has_the_total_of_old_and_new_payments(test: &TestApp, shop: Shop, other: Shop) {
    let real = shop.key_for("production", &["transactions:read"]).await;
    for count in 1..=4 {
        shop.charge(1_000).await;
        for _ in 0..2 {
            assert_eq!(total(&shop.key, "").await, count);
            assert_eq!(total(&shop.key, "page=2&limit=1").await, count);
            let first = pagination(&shop.key, "limit=1&cursor=").await;
            assert_eq!(first["total"], count);
            if let Some(cursor) = first["nextCursor"].as_str() {
                let path = format!("limit=1&cursor={cursor}");
                assert_eq!(total(&shop.key, &path).await, count);
            }
            // What was counted is old by the next look.
            test.pass(Duration::from_mins(4));
        }
    }
    for stranger in [&other.key, &real] {
        assert_eq!(total(stranger, "").await, 0);
    }
}

#[story::test]
async fn a_filtered_list_has_the_total_of_all_matches(test: &TestApp, shop: Shop) {
    let paid = shop.charge(1_000).await;
    shop.pay(&paid).await;
    shop.charge(2_000).await;
    test.pass(Duration::from_mins(10));
    assert_eq!(total(&shop.key, "").await, 2);
    let customer = paid["customer"]["id"].as_str().expect("has an id");
    let of_customer = format!("customerId={customer}");
    let table = [
        ("status=PAID", 1),
        ("method=BOLETO", 0),
        ("amountFrom=2000", 1),
        ("amountTo=1999", 1),
        ("createdFrom=2026-11-21T12:05:00Z", 0),
        ("createdTo=2026-11-21T12:00:00Z", 0),
        ("externalId=pedido-1", 0),
        ("q=nobody", 0),
        (&of_customer, 2),
    ];
    for (query, count) in table {
        assert_eq!(total(&shop.key, query).await, count, "{query}");
    }
}

#[story::test]
async fn counts_start_at_zero_after_a_reset(test: &TestApp, shop: Shop) {
    let before = shop.charge(1_000).await;
    shop.charge(1_000).await;
    test.pass(Duration::from_mins(10));
    assert_eq!(total(&shop.key, "").await, 2);
    shop.key.post("/api/dev/reset", json!({})).await.expect(200);
    assert_eq!(total(&shop.key, "").await, 0);
    let after = shop.charge(1_000).await;
    assert_ne!(id(&before), id(&after));
    assert_eq!(total(&shop.key, "").await, 1);
    test.pass(Duration::from_mins(10));
    assert_eq!(total(&shop.key, "").await, 1);
}

#[story::test]
async fn a_payment_is_found_by_the_merchants_own_number_among_the_filters(shop: Shop) {
    let mut duplicates = Vec::new();
    for number in ["pedido-1", "pedido-2", "pedido-1"] {
        let charge = shop
            .try_charge(json!({ "amountCents": 1_000, "externalId": number }))
            .await
            .expect(201);
        duplicates.push(charge["transaction"].clone());
    }
    shop.pay(&duplicates[2]).await;
    let table: [(&str, &[usize], i64); 5] = [
        ("externalId=pedido-1", &[2, 0], 2),
        ("externalId=pedido-2", &[1], 1),
        ("externalId=pedido-3", &[], 0),
        ("externalId=pedido-1&status=PENDING", &[0], 1),
        ("externalId=pedido-1&limit=1&page=2", &[0], 2),
    ];
    for (query, found, count) in table {
        let listed = shop.key.get(&format!("{PAYMENTS}?{query}")).await.expect(200);
        let rows = listed["data"].as_array().expect("is a list").iter();
        let expected: Vec<_> = found.iter().map(|index| id(&duplicates[*index])).collect();
        assert_eq!(rows.map(id).collect::<Vec<_>>(), expected, "{query}");
        assert_eq!(listed["pagination"]["total"], count, "{query}");
    }
}
