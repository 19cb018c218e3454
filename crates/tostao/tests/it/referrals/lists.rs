//! What a merchant, and no other one, sees of the invitations.

use std::time::Duration;

use serde_json::{Value, json};

use super::{HELD, code, history, invited, numbers, stats, wait};
use crate::harness::TestApp;
use crate::harness::engine::Engine;
use crate::harness::shop::Shop;

#[story::test]
async fn the_history_names_each_guest_with_a_status(test: &TestApp, shop: Shop) {
    let code = code(&shop).await;
    for name in ["Ana", "Bia", "Caio"] {
        let guest = invited(test, name, &code).await;
        if name == "Bia" {
            guest.sell(100_000).await;
        }
        test.pass(Duration::from_mins(1));
    }
    let history = history(&shop, "").await;
    let rows = history["referrals"].as_array().expect("is a list").iter();
    let rows: Vec<_> = rows.map(|row| [&row["referredName"], &row["status"]]).collect();
    assert_eq!(rows, [["Caio", "PENDING"], ["Bia", "COMPLETED"], ["Ana", "PENDING"]]);
    assert_eq!(history["pagination"].as_object().map(serde_json::Map::len), Some(3));
    assert_eq!(history.as_object().map(serde_json::Map::len), Some(2));
}

#[story::test]
async fn rewards_are_listed_with_what_became_of_them(test: &TestApp, shop: Shop) {
    let guest = invited(test, "Fulano de Tal", &code(&shop).await).await;
    guest.sell(100_000).await;
    wait(test, HELD).await;
    let guest = test.shop_again("Fulano de Tal").await;
    guest.sell(10_000).await;
    let reply = shop.key.get("/api/referral/rewards").await.expect(200);
    assert_eq!(reply["pagination"], json!({ "total": 3, "page": 1, "limit": 20 }));
    let shown = |reward: &Value| {
        let of = |name: &str| reward[name].clone();
        json!([of("type"), of("status"), of("amountCents"), of("referredName")])
    };
    let rewards = reply["rewards"].as_array().expect("is a list");
    let mut rewards: Vec<_> = rewards.iter().map(shown).collect();
    // The two of one instant stand in the order of their ids.
    rewards[1..].sort_by_key(ToString::to_string);
    assert_eq!(
        rewards,
        [
            json!(["COMMISSION", "PENDING", 50, "Fulano T."]),
            json!(["COMMISSION", "AVAILABLE", 500, "Fulano T."]),
            json!(["FIXED", "AVAILABLE", 5_000, "Fulano T."]),
        ]
    );
    assert_eq!(reply["rewards"][0]["availableAt"], "2027-05-20T12:00:02.000Z");
    // Nothing names the guest's buyers or payments.
    assert!(!reply.to_string().contains("transaction"));
}

#[story::test]
async fn a_token_sees_each_mode_by_itself(test: &TestApp, shop: Shop) {
    let guest = invited(test, "Ana", &code(&shop).await).await;
    guest.sell(100_000).await;
    let development = shop.owner.with("x-dev-mode", "true");
    let real = shop.owner.get("/api/referral/stats").await.expect(200);
    let simulated = development.get("/api/referral/stats").await.expect(200);
    assert_eq!(simulated, stats(&shop).await);
    assert_eq!((&real["totalReferrals"], &real["pendingReferrals"]), (&json!(1), &json!(1)));
    assert_eq!(real["totalRewardAmountCents"], 0);
    assert_eq!(simulated["totalRewardAmountCents"], 5_500);
    let history = shop.owner.get("/api/referral/history").await.expect(200);
    assert_eq!(history["referrals"][0]["status"], "PENDING");
    let withdraw = json!({ "amountCents": 1 });
    shop.owner.post("/api/referral/withdraw", withdraw).await.expect(400);
}

#[story::test]
async fn a_guest_sees_nothing_of_it(test: &TestApp, shop: Shop) {
    let guest = invited(test, "Ana", &code(&shop).await).await;
    guest.sell(100_000).await;
    wait(test, HELD).await;
    let names = ["totalReferrals", "totalRewards", "availableBalanceCents"];
    assert_eq!(numbers(&guest, names).await, [0, 0, 0]);
    assert_eq!(history(&guest, "").await["referrals"], json!([]));
    let rewards = guest.key.get("/api/referral/rewards").await.expect(200);
    assert_eq!(rewards["rewards"], json!([]));
    let refused = guest.key.post("/api/referral/withdraw", json!({ "amountCents": 1 })).await;
    refused.expect_refusal(400, "INSUFFICIENT_BALANCE");
}

#[story::test]
async fn a_reset_deletes_simulated_referrals(test: &TestApp, shop: Shop) {
    let code_before = code(&shop).await;
    let guest = invited(test, "Ana", &code_before).await;
    guest.sell(100_000).await;
    shop.key.post("/api/dev/reset", json!({})).await.expect(200);
    let empty = stats(&shop).await;
    let numbers = empty.as_object().expect("is an object").values();
    assert!(numbers.into_iter().all(|number| number == 0), "{empty}");
    guest.sell(100_000).await;
    wait(test, HELD).await;
    assert_eq!(stats(&shop).await, empty);
    // The code was set up, and real referrals are not touched.
    assert_eq!(code(&shop).await, code_before);
    let engine = Engine::open(test).await;
    let left = "select cast(mode as text) from referrals";
    assert_eq!(engine.rows(left).await, [["1"]]);
    let rewards = "select cast(count(*) as text) from referral_rewards";
    assert_eq!(engine.rows(rewards).await, [["0"]]);
}
