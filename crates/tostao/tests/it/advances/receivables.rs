//! What settles when: the list of receivables.

use serde_json::{Value, json};

use super::{approved, sell};
use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::shop::Shop;
use crate::methods::days_pass;

const RECEIVABLES: &str = "/api/balance/receivables";

async fn rows(client: &Client, query: &str) -> Vec<Value> {
    client.list(&format!("{RECEIVABLES}{query}")).await
}

/// Due day, net and pledged cents of each.
async fn seen(shop: &Shop, query: &str) -> Vec<String> {
    let row = |row: &Value| {
        let day = row["dueDate"].as_str().expect("has one");
        format!("{day} {} {}", row["netAmount"], row["pledgedCents"])
    };
    rows(&shop.key, query).await.iter().map(row).collect()
}

#[story::test(|settings| settings.card_fee_basis_points = 400)]
async fn a_receivable_says_what_it_brings_when_and_to_whom(test: &TestApp, shop: Shop) {
    let sale = sell(test, &shop, 10_000, 2).await;
    // 9,600 are left after the fee; 80 % of that are 7,680.
    let advance = approved(test, &shop, 7_680).await;
    let listed = rows(&shop.key, "").await;
    let expected = json!({
        "id": listed[1]["id"], "transactionId": sale["id"], "installment": 2,
        "status": "PENDING", "dueDate": "2027-01-20", "amountCents": 5_000, "feeCents": 200,
        "takenCents": 0, "netAmount": 4_800, "pledged": true, "pledgedCents": 2_880,
        "advanceId": advance["id"], "settledAt": null,
    });
    assert_eq!(listed[1], expected);
    days_pass(&shop, 30).await;
    let settled = rows(&shop.key, "?status=SETTLED").await;
    assert_eq!(settled.len(), 1);
    assert_eq!(settled[0]["settledAt"], "2026-12-21T12:00:00.000Z");
    assert_eq!(settled[0]["pledgedCents"], 4_800);
}

#[story::test]
async fn receivables_are_found_by_status_and_day(test: &TestApp, shop: Shop) {
    sell(test, &shop, 3_000, 3).await;
    let boleto = shop.boleto(500).await;
    shop.pay(&boleto).await;
    approved(test, &shop, 500).await;
    days_pass(&shop, 30).await;
    let all = ["2026-11-23 500 0", "2026-12-21 1000 500", "2027-01-20 1000 0"];
    let all = [all[0], all[1], all[2], "2027-02-19 1000 0"];
    let table: [(&str, &[&str]); 7] = [
        ("", &all),
        ("?status=SETTLED", &all[..2]),
        ("?status=PENDING", &all[2..]),
        ("?from=2026-12-21", &all[1..]),
        ("?to=2026-12-21", &all[..1]),
        ("?from=2026-12-21&to=2027-01-21", &all[1..3]),
        ("?status=PENDING&to=2026-12-21", &[]),
    ];
    for (query, expected) in table {
        assert_eq!(seen(&shop, query).await, expected, "{query}");
    }
}
