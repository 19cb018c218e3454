//! Disputes: what is held, who gets it, and what a merchant who owes cannot do.

use sandbox::test_cards::Scenario;
use serde_json::{Value, json};

use crate::harness::shop::{Shop, id};
use crate::harness::{TestApp, story};
use crate::methods::{balance, days_pass};
use crate::refunds::{held, refund, refund_statuses, try_refund};
use crate::sandbox::sell_by_card;

/// Sells for 10,000 in three installments: 3,334 + 3,333 + 3,333.
async fn in_three(test: &TestApp, shop: &Shop) -> Value {
    sell_by_card(test, shop, Scenario::Approves, 10_000, 3).await
}

async fn becomes(shop: &Shop, charge: &Value, outcome: &str) -> Value {
    shop.simulate(charge, json!({ "outcome": outcome })).await["status"].clone()
}

async fn data_of(shop: &Shop, name: &str) -> Value {
    let list = shop.key.get(&format!("/api/webhooks/events?event={name}")).await.expect(200);
    let path = format!("/api/webhooks/events/{}", id(&list["data"][0]));
    let shown = shop.key.get(&path).await.expect(200);
    let event = shown.get("data").unwrap_or(&shown);
    event.get("data").unwrap_or(event).clone()
}

#[story::test]
async fn a_contested_pix_is_held_and_comes_back_when_it_stands(test: &TestApp, shop: Shop) {
    let charge = shop.sell(1_000).await;
    assert_eq!(becomes(&shop, &charge, "DISPUTED").await, "DISPUTED");
    assert_eq!((shop.available().await, held(test, 2400).await), (0, 1_000));
    let names = shop.events().await;
    assert_eq!(names[names.len() - 2..], ["transaction.disputed", "balance.updated"]);
    assert_eq!(becomes(&shop, &charge, "DISPUTED").await, "DISPUTED");
    assert_eq!(shop.events().await.len(), names.len());
    try_refund(&shop, &charge, json!({})).await.expect_refusal(409, "INVALID_STATE_TRANSITION");
    assert_eq!(becomes(&shop, &charge, "PAID").await, "PAID");
    assert_eq!((shop.available().await, held(test, 2400).await), (1_000, 0));
    let names = shop.events().await;
    assert_eq!(names[names.len() - 2..], ["transaction.dispute_won", "balance.updated"]);
    refund(&shop, &charge, json!({})).await;
    test.run_jobs().await;
    assert_eq!(shop.transaction(&charge).await["status"], "REFUNDED");
}

#[story::test]
async fn a_lost_dispute_leaves_the_platform(test: &TestApp, shop: Shop) {
    let charge = shop.sell(1_000).await;
    becomes(&shop, &charge, "DISPUTED").await;
    assert_eq!(becomes(&shop, &charge, "CHARGED_BACK").await, "CHARGED_BACK");
    assert_eq!(becomes(&shop, &charge, "CHARGED_BACK").await, "CHARGED_BACK");
    assert_eq!((shop.available().await, held(test, 2400).await), (0, 0));
    assert_eq!(held(test, 1000).await, 0);
    let names = shop.events().await;
    assert_eq!(names[names.len() - 2..], ["transaction.charged_back", "balance.updated"]);
}

#[story::test]
async fn only_a_paid_payment_is_contested_and_only_a_contested_one_lost(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let path = |charge: &Value| format!("/api/v1/transactions/{}/simulate", id(charge));
    let refused = async |charge: &Value, outcome: &str| {
        let reply = shop.key.post(&path(charge), json!({ "outcome": outcome })).await;
        reply.expect_refusal(409, "INVALID_STATE_TRANSITION");
    };
    let open = shop.charge(1_000).await;
    for outcome in ["DISPUTED", "CHARGED_BACK", "REFUND_FAILED"] {
        refused(&open, outcome).await;
    }
    let charge = shop.sell(1_000).await;
    refused(&charge, "CHARGED_BACK").await;
    refund(&shop, &charge, json!({})).await;
    // All of it is on its way back already.
    refused(&charge, "DISPUTED").await;
    test.run_jobs().await;
    for outcome in ["DISPUTED", "CHARGED_BACK", "REFUND_FAILED"] {
        refused(&charge, outcome).await;
    }
    let real = shop.key_for("production", &["transactions:write"]).await;
    let reply = real.post(&path(&charge), json!({ "outcome": "DISPUTED" })).await;
    reply.expect_refusal(403, "DEV_MODE_ONLY");
}

#[story::test]
async fn unsettled_installments_are_held_first_and_settle_to_nothing(test: &TestApp, shop: Shop) {
    let card = in_three(test, &shop).await;
    shop.earn(500).await;
    days_pass(&shop, 30).await;
    assert_eq!(balance(&shop).await, (json!(3_834), json!(6_666)));
    becomes(&shop, &card, "DISPUTED").await;
    // 6,666 of two installments, and 3,334 of the balance.
    assert_eq!((balance(&shop).await, held(test, 2400).await), ((json!(500), json!(0)), 10_000));
    assert_eq!(data_of(&shop, "transaction.disputed").await["dispute"]["kind"], "CHARGEBACK");
    days_pass(&shop, 30).await;
    assert_eq!(balance(&shop).await, (json!(500), json!(0)));
    becomes(&shop, &card, "PAID").await;
    // The second has settled meanwhile; the third waits again.
    assert_eq!(balance(&shop).await, (json!(7_167), json!(3_333)));
    days_pass(&shop, 30).await;
    assert_eq!(balance(&shop).await, (json!(10_500), json!(0)));
}

#[story::test]
async fn a_merchant_in_debt_cannot_withdraw_or_refund_until_it_is_paid(test: &TestApp, shop: Shop) {
    let (first, second) = (shop.sell(1_000).await, shop.sell(1_000).await);
    let card = in_three(test, &shop).await;
    shop.withdraw(1_500).await;
    becomes(&shop, &first, "DISPUTED").await;
    assert_eq!(data_of(&shop, "transaction.disputed").await["dispute"]["kind"], "MED");
    // 2,000 - 1,500 - 1,000 = -500.
    assert_eq!(balance(&shop).await, (json!(-500), json!(10_000)));
    shop.try_withdraw(100).await.expect_refusal(400, "INSUFFICIENT_BALANCE");
    for charge in [&second, &card] {
        let refused = try_refund(&shop, charge, json!({ "amountCents": 1 })).await;
        refused.expect_refusal(400, "INSUFFICIENT_BALANCE");
    }
    becomes(&shop, &first, "CHARGED_BACK").await;
    assert_eq!(shop.available().await, -500);
    let proof = shop.key.get("/api/ledger/verify").await.expect(200);
    assert_eq!(proof["success"], true, "{proof}");
    shop.earn(600).await;
    assert_eq!(shop.available().await, 100);
    shop.try_withdraw(101).await.expect_refusal(400, "INSUFFICIENT_BALANCE");
    shop.withdraw(100).await;
}

#[test]
fn a_refund_that_is_under_way_ends_beside_the_dispute_about_the_rest() {
    for (outcome, end) in [("PAID", "PAID"), ("CHARGED_BACK", "CHARGED_BACK")] {
        story(async |test| {
            let shop = test.shop("Loja").await;
            let charge = shop.sell(1_000).await;
            refund(&shop, &charge, json!({ "amountCents": 300 })).await;
            becomes(&shop, &charge, "DISPUTED").await;
            assert_eq!((held(test, 2200).await, held(test, 2400).await), (300, 700));
            test.run_jobs().await;
            assert_eq!(refund_statuses(&shop, &charge).await, ["COMPLETED"]);
            let contested = shop.transaction(&charge).await;
            let seen = (&contested["status"], &contested["refundedAmount"]);
            assert_eq!(seen, (&json!("DISPUTED"), &json!(300)));
            assert_eq!(becomes(&shop, &charge, outcome).await, end);
            let left = if outcome == "PAID" { 700 } else { 0 };
            assert_eq!((shop.available().await, held(test, 2400).await), (left, 0));
        });
    }
}

#[story::test]
async fn a_payment_can_be_contested_again(shop: Shop) {
    let charge = shop.sell(1_000).await;
    for outcome in ["DISPUTED", "PAID", "DISPUTED", "CHARGED_BACK"] {
        becomes(&shop, &charge, outcome).await;
    }
    let reported = ["CREATED", "PAID", "DISPUTED", "DISPUTE_WON", "DISPUTED", "CHARGED_BACK"];
    assert_eq!(shop.steps(&charge).await, reported);
    assert_eq!(shop.available().await, 0);
}
