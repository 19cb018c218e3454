//! Asking: what can be had, at which price, and one at a time.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{
    PATH, approved, available, books, decide, path, read, request, sell, try_request, try_simulate,
};
use crate::harness::shop::{Shop, id};
use crate::harness::{START, TestApp};
use crate::methods::days_pass;

async fn outcome(shop: &Shop, charge: &Value, outcome: &str) {
    shop.simulate(charge, json!({ "outcome": outcome })).await;
}

#[story::test]
async fn an_offer_says_what_an_advance_would_cost_and_changes_nothing(test: &TestApp, shop: Shop) {
    let sale = sell(test, &shop, 10_000, 3).await;
    assert_eq!(available(&shop).await, (10_000, 8_000));
    let reply = try_simulate(&shop, 8_000).await.expect(200);
    let slice = |installment: i64, amount: i64, due: &str, days: i64, fee: i64| {
        json!({
            "transactionId": sale["id"], "installment": installment, "amountCents": amount,
            "dueDate": due, "days": days, "feeCents": fee,
        })
    };
    let expected = json!({
        "amountCents": 8_000, "feeCents": 419, "netAmountCents": 7_581,
        "monthlyRatePercent": 2.99,
        "receivables": [
            // 33.34 × 2.99 % × 30 / 30 = 0.9968… → 1.00
            slice(1, 3_334, "2026-12-21", 30, 100),
            // 33.33 × 2.99 % × 60 / 30 = 1.9931… → 1.99
            slice(2, 3_333, "2027-01-20", 60, 199),
            // 80.00 - 33.34 - 33.33 = 13.33, × 2.99 % × 90 / 30 = 1.1957… → 1.20
            slice(3, 1_333, "2027-02-19", 90, 120),
        ],
    });
    assert_eq!(reply["data"], expected);
    assert_eq!(books(test, &shop).await, [0, 10_000, 0]);
    assert!(shop.events_of("advance.").await.is_empty());
    try_simulate(&shop, 8_001).await.expect_refusal(409, "INSUFFICIENT_RECEIVABLES");
}

#[story::test]
async fn a_request_waits_for_a_decision(test: &TestApp, shop: Shop) {
    let more = json!({ "reason": " Estoque de Natal. " });
    let reply = try_request(&shop.key, 8_000, more).await.expect(201);
    let now = START.replace('Z', ".000Z");
    let expected = json!({
        "id": reply["data"]["id"], "userId": reply["data"]["userId"], "amountCents": 8_000,
        "feeCents": null, "netAmountCents": null, "monthlyRatePercent": 2.99,
        "outstandingCents": 0, "debitedCents": 0, "reason": "Estoque de Natal.",
        "status": "PENDING", "receivables": [], "rejectionReason": null, "devMode": true,
        "createdAt": now, "updatedAt": now, "approvedAt": null, "rejectedAt": null,
        "cancelledAt": null, "settledAt": null,
    });
    assert_eq!(reply["data"], expected);
    assert_eq!(read(&shop, &reply["data"]).await, expected);
    assert_eq!(books(test, &shop).await, [0, 0, 0]);
    assert_eq!(shop.events_of("advance.").await, ["advance.created"]);
}

#[story::test]
async fn there_is_one_open_advance_at_a_time(test: &TestApp, shop: Shop) {
    let refused = async || {
        try_request(&shop.key, 1, json!({})).await.expect_refusal(409, "ADVANCE_ALREADY_OPEN");
    };
    let first = request(&shop, 1_000).await;
    refused().await;
    shop.key.post(&path(&first, "cancel"), json!({})).await.expect(200);
    let second = request(&shop, 1_000).await;
    refused().await;
    decide(test, &second, "reject").await.expect(200);
    sell(test, &shop, 10_000, 1).await;
    approved(test, &shop, 1_000).await;
    refused().await;
    days_pass(&shop, 30).await;
    request(&shop, 1_000).await;
}

#[story::test]
async fn of_sixteen_requests_at_once_one_is_made(shop: Shop) {
    let asked = (0..16).map(|_| try_request(&shop.key, 1_000, json!({})));
    let replies = join_all(asked).await;
    assert_eq!(replies.iter().filter(|reply| reply.status == 201).count(), 1);
    for refused in replies.iter().filter(|reply| reply.status != 201) {
        refused.expect_refusal(409, "ADVANCE_ALREADY_OPEN");
    }
    assert_eq!(shop.key.total(PATH).await, 1);
    assert_eq!(shop.events_of("advance.").await, ["advance.created"]);
}

#[story::test]
async fn only_installments_of_cards_to_come_can_be_advanced(test: &TestApp, shop: Shop) {
    shop.earn(1_000).await;
    let boleto = shop.boleto(1_000).await;
    shop.pay(&boleto).await;
    assert_eq!(available(&shop).await, (0, 0));
    let card = sell(test, &shop, 10_000, 2).await;
    assert_eq!(available(&shop).await, (10_000, 8_000));
    outcome(&shop, &card, "DISPUTED").await;
    assert_eq!(available(&shop).await, (0, 0));
    outcome(&shop, &card, "PAID").await;
    assert_eq!(available(&shop).await, (10_000, 8_000));
    // The first half is due.
    days_pass(&shop, 30).await;
    assert_eq!(available(&shop).await, (5_000, 4_000));
    // 1,000 + 1,000 + 5,000 of the balance and 1,000 of the other half.
    let refund = json!({ "reason": "Risco.", "amountCents": 8_000 });
    let path = format!("/api/v1/transactions/{}/refund", id(&card));
    shop.key.post(&path, refund).await.expect(201);
    assert_eq!(available(&shop).await, (4_000, 3_200));
    outcome(&shop, &card, "DISPUTED").await;
    outcome(&shop, &card, "CHARGED_BACK").await;
    assert_eq!(available(&shop).await, (0, 0));
}

#[story::test]
async fn what_is_pledged_cannot_be_advanced_again(test: &TestApp, shop: Shop) {
    sell(test, &shop, 10_000, 1).await;
    approved(test, &shop, 6_000).await;
    assert_eq!(available(&shop).await, (4_000, 3_200));
    try_simulate(&shop, 3_201).await.expect_refusal(409, "INSUFFICIENT_RECEIVABLES");
    try_simulate(&shop, 3_200).await.expect(200);
}

#[story::test]
async fn an_invalid_request_names_the_field(test: &TestApp) {
    let table = [
        (json!({ "amountCents": 0 }), "amountCents"),
        (json!({ "amountCents": -1 }), "amountCents"),
        (json!({ "amountCents": 1_000_000_001 }), "amountCents"),
        (json!({ "amountCents": 1.5 }), "amountCents"),
        (json!({ "amountCents": null }), "amountCents"),
        (json!({ "reason": "a".repeat(501) }), "reason"),
        (json!({ "reason": 1 }), "reason"),
    ];
    let shop = test.shop("Loja").await;
    for (more, field) in &table {
        let refused = try_request(&shop.key, 1_000, more.clone()).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), [*field], "{more}");
    }
    let refused = try_simulate(&shop, 0).await;
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["amountCents"]);
    try_request(&shop.key, 1_000, json!({ "reason": "a".repeat(500) })).await.expect(201);
}

#[story::test]
async fn the_same_request_again_is_the_same_advance(test: &TestApp, shop: Shop) {
    sell(test, &shop, 10_000, 1).await;
    let once = shop.key.with("idempotency-key", "one");
    let first = try_request(&once, 1_000, json!({})).await;
    let again = try_request(&once, 1_000, json!({})).await;
    again.expect_replay_of(&first, 201);
    try_request(&once, 1_001, json!({})).await.expect_refusal(422, "IDEMPOTENCY_KEY_REUSED");
    // An offer, too, also one that was refused.
    for (cents, status) in [(1_000, 200), (17_000, 409)] {
        let once = shop.key.with("idempotency-key", &format!("offer-{cents}"));
        let offer = format!("{PATH}/simulate");
        let body = json!({ "amountCents": cents });
        let first = once.post(&offer, body.clone()).await;
        sell(test, &shop, 10_000, 1).await;
        let again = once.post(&offer, body).await;
        assert_eq!((first.status, again.status, &again.text), (status, status, &first.text));
    }
}

#[story::test]
async fn an_owner_asks_without_a_key(shop: Shop) {
    let developer = shop.owner.with("x-dev-mode", "true");
    let advance = try_request(&developer, 1_000, json!({})).await.expect(201)["data"].clone();
    assert_eq!(advance["devMode"], true);
}

#[story::test]
async fn what_was_sold_in_development_is_not_advanced_in_production(test: &TestApp, shop: Shop) {
    sell(test, &shop, 10_000, 1).await;
    let real = try_request(&shop.owner, 1_000, json!({})).await.expect(201)["data"].clone();
    assert_eq!(real["devMode"], false);
    // What was sold in development brings nothing in production.
    let limit = shop.owner.get(&format!("{PATH}/available")).await.expect(200);
    assert_eq!(limit["data"]["eligibleCents"], 0);
    let admin = test.admin().await.with("x-dev-mode", "false");
    let refused = admin.post(&path(&real, "approve"), json!({})).await;
    refused.expect_refusal(409, "INSUFFICIENT_RECEIVABLES");
}
