//! What goes back to buyers takes its commission with it.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;

use super::{DAY, HELD, code, give_back, invited, numbers, only, released, wait, withdraw};
use crate::harness::TestApp;
use crate::harness::shop::Shop;

const COMMISSIONS: [&str; 2] = ["totalCommissions", "totalCommissionAmountCents"];

#[story::test]
async fn a_refund_takes_back_its_part_of_what_is_held(test: &TestApp, shop: Shop) {
    let guest = invited(test, "Ana", &code(&shop).await).await;
    let sale = guest.sell(20_000).await;
    // 20,000 × 0.5 % = 100.
    assert_eq!(numbers(&shop, COMMISSIONS).await, [1, 100]);
    give_back(test, &guest, &sale, 5_001).await;
    // (20,000 − 5,001) × 0.5 % = 74.995, rounded to 75.
    assert_eq!(numbers(&shop, COMMISSIONS).await, [1, 75]);
    give_back(test, &guest, &sale, 4_999).await;
    // (20,000 − 10,000) × 0.5 % = 50: the same as if all had gone back at once.
    assert_eq!(numbers(&shop, COMMISSIONS).await, [1, 50]);
    wait(test, HELD).await;
    assert_eq!(released(&shop).await, 50);
}

#[story::test]
async fn a_full_refund_cancels_what_is_held(test: &TestApp, shop: Shop) {
    let guest = invited(test, "Ana", &code(&shop).await).await;
    let sale = guest.sell(20_000).await;
    give_back(test, &guest, &sale, 20_000).await;
    assert_eq!(numbers(&shop, COMMISSIONS).await, [0, 0]);
    let rewards = shop.key.get("/api/referral/rewards").await.expect(200);
    assert_eq!(rewards["rewards"][0]["status"], "CANCELLED");
    assert_eq!(rewards["rewards"][0]["takenBackCents"], 100);
    wait(test, HELD).await;
    assert_eq!(released(&shop).await, 0);
    assert_eq!(only(&shop).await, ("EXPIRED".to_owned(), 0));
}

#[story::test]
async fn what_was_released_is_netted_from_the_rewards_to_come(test: &TestApp, shop: Shop) {
    let guest = invited(test, "Ana", &code(&shop).await).await;
    guest.sell(100_000).await;
    let sale = guest.sell(20_000).await;
    wait(test, HELD).await;
    // 100,000 × 0.5 % and the goal, and 20,000 × 0.5 %.
    assert_eq!(released(&shop).await, 500 + 5_000 + 100);
    withdraw(&shop, 5_560).await.expect(201);
    for outcome in ["DISPUTED", "CHARGED_BACK"] {
        guest.simulate(&sale, json!({ "outcome": outcome })).await;
    }
    // 5,600 − 5,560 − 100.
    assert_eq!(released(&shop).await, -60);
    guest.sell(10_000).await;
    wait(test, HELD).await;
    // −60 + 10,000 × 0.5 %.
    assert_eq!(released(&shop).await, -10);
    withdraw(&shop, 1).await.expect_refusal(400, "INSUFFICIENT_BALANCE");
    assert_eq!(shop.available().await, 5_560);
    assert_eq!(numbers(&shop, COMMISSIONS).await, [2, 550]);
}

#[story::test]
async fn a_lost_dispute_takes_back_and_a_won_one_does_not(test: &TestApp, shop: Shop) {
    let guest = invited(test, "Ana", &code(&shop).await).await;
    let (won, lost) = (guest.sell(20_000).await, guest.sell(30_000).await);
    give_back(test, &guest, &lost, 10_000).await;
    for (sale, outcome) in [(&won, "PAID"), (&lost, "CHARGED_BACK")] {
        guest.simulate(sale, json!({ "outcome": "DISPUTED" })).await;
        // 20,000 × 0.5 % + (30,000 − 10,000) × 0.5 %.
        assert_eq!(numbers(&shop, COMMISSIONS).await, [2, 200], "{outcome}");
        guest.simulate(sale, json!({ "outcome": outcome })).await;
    }
    assert_eq!(numbers(&shop, COMMISSIONS).await, [1, 100]);
    wait(test, HELD).await;
    assert_eq!(released(&shop).await, 100);
}

#[story::test]
async fn a_refund_that_fails_takes_nothing_back(test: &TestApp, shop: Shop) {
    let guest = invited(test, "Ana", &code(&shop).await).await;
    let sale = guest.sell(20_000).await;
    guest.simulate(&sale, json!({ "outcome": "REFUND_FAILED" })).await;
    give_back(test, &guest, &sale, 20_000).await;
    assert_eq!(numbers(&shop, COMMISSIONS).await, [1, 100]);
}

#[story::test]
async fn a_goal_that_is_missed_after_all_earns_nothing(test: &TestApp, shop: Shop) {
    let code = code(&shop).await;
    let (ana, bia) = (invited(test, "Ana", &code).await, invited(test, "Bia", &code).await);
    let (missed, kept) = (ana.sell(100_000).await, bia.sell(100_000).await);
    give_back(test, &ana, &missed, 1).await;
    give_back(test, &bia, &kept, 1).await;
    test.pass(DAY);
    // 99,999 + 1 = 100,000 is the goal again.
    bia.sell(1).await;
    let names = ["totalFixedRewards", "totalFixedRewardAmountCents", "completedReferrals"];
    assert_eq!(numbers(&shop, names).await, [2, 10_000, 2]);
    wait(test, HELD).await;
    assert_eq!(numbers(&shop, names).await, [1, 5_000, 2]);
    // Twice 99,999 × 0.5 %, rounded to 500, and 5,000 of the one that reached it.
    assert_eq!(released(&shop).await, 500 + 500 + 5_000);
    let rewards = shop.key.get("/api/referral/rewards").await.expect(200);
    let fixed = rewards["rewards"].as_array().expect("is a list").iter();
    let mut fixed: Vec<_> =
        fixed.filter(|r| r["type"] == "FIXED").map(|r| r["status"].clone()).collect();
    fixed.sort_by_key(ToString::to_string);
    assert_eq!(fixed, ["AVAILABLE", "CANCELLED"]);
    // Reaching it later does not earn it a second time.
    ana.sell(100_000).await;
    assert_eq!(numbers(&shop, names).await, [1, 5_000, 2]);
}

#[story::test]
async fn refunds_that_end_at_once_take_back_no_more_than_there_was(test: &TestApp, shop: Shop) {
    let guest = invited(test, "Ana", &code(&shop).await).await;
    let sales = join_all((0..4).map(|_| guest.sell(20_000))).await;
    for sale in &sales {
        let path = format!("/api/v1/transactions/{}/refund", crate::harness::shop::id(sale));
        for _ in 0..2 {
            let half = json!({ "amountCents": 10_000, "reason": "Devolvido." });
            guest.key.post(&path, half).await.expect(201);
        }
    }
    test.at_work(async { test.pass(Duration::from_secs(1)) }).await;
    test.run_jobs().await;
    assert_eq!(numbers(&shop, COMMISSIONS).await, [0, 0]);
    wait(test, HELD).await;
    assert_eq!(released(&shop).await, 0);
}
