//! What a merchant, and no other one, sees of the invitations.

use std::time::Duration;

use serde_json::{Value, json};

use super::{HELD, code, history, invited, numbers, sell, stats, wait};
use crate::harness::engine::Engine;
use crate::harness::story;

const ROUTES: [&str; 4] = ["code", "history", "stats", "rewards"];

#[test]
fn the_history_goes_by_pages_and_by_status() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let code = code(&shop).await;
        for name in ["Ana", "Bia", "Caio"] {
            let guest = invited(test, name, &code).await;
            if name == "Bia" {
                sell(&guest, 100_000).await;
            }
            test.pass(Duration::from_mins(1));
        }
        let names = |history: &Value| {
            let referrals = history["referrals"].as_array().expect("is a list").iter();
            referrals.map(|r| r["referredName"].clone()).collect::<Vec<_>>()
        };
        let table: [(&str, &[&str], i64); 6] = [
            ("", &["Caio", "Bia", "Ana"], 3),
            ("?status=COMPLETED", &["Bia"], 1),
            ("?status=PENDING", &["Caio", "Ana"], 2),
            ("?status=REJECTED", &[], 0),
            ("?limit=2", &["Caio", "Bia"], 3),
            ("?limit=2&page=2", &["Ana"], 3),
        ];
        for (query, found, total) in table {
            let history = history(&shop, query).await;
            assert_eq!(names(&history), found, "{query}");
            assert_eq!(history["pagination"]["total"], total, "{query}");
            assert_eq!(history["pagination"].as_object().map(serde_json::Map::len), Some(3));
            assert_eq!(history.as_object().map(serde_json::Map::len), Some(2));
        }
        for wrong in ["?limit=0", "?limit=101", "?page=0", "?status=PAID"] {
            let reply = shop.key.get(&format!("/api/referral/history{wrong}")).await;
            reply.expect_refusal(400, "VALIDATION_ERROR");
        }
    });
}

#[test]
fn rewards_are_listed_with_what_became_of_them() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let guest = invited(test, "Fulano de Tal", &code(&shop).await).await;
        sell(&guest, 100_000).await;
        wait(test, HELD).await;
        let guest = test.shop_again("Fulano de Tal").await;
        sell(&guest, 10_000).await;
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
    });
}

#[test]
fn a_token_sees_each_mode_by_itself() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let guest = invited(test, "Ana", &code(&shop).await).await;
        sell(&guest, 100_000).await;
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
    });
}

#[test]
fn a_stranger_and_the_guest_see_nothing_of_it() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let guest = invited(test, "Ana", &code(&shop).await).await;
        sell(&guest, 100_000).await;
        wait(test, HELD).await;
        for other in [&test.shop("Outra").await, &guest] {
            let names = ["totalReferrals", "totalRewards", "availableBalanceCents"];
            assert_eq!(numbers(other, names).await, [0, 0, 0]);
            assert_eq!(history(other, "").await["referrals"], json!([]));
            let rewards = other.key.get("/api/referral/rewards").await.expect(200);
            assert_eq!(rewards["rewards"], json!([]));
            let body = json!({ "amountCents": 1 });
            let refused = other.key.post("/api/referral/withdraw", body).await;
            refused.expect_refusal(400, "INSUFFICIENT_BALANCE");
        }
        let little = test.shop_again("Loja").await;
        let little = little.key_for("development", &["products:read"]).await;
        for route in ROUTES {
            let path = format!("/api/referral/{route}");
            little.get(&path).await.expect_refusal(403, "INSUFFICIENT_PERMISSION");
            test.anyone().get(&path).await.expect_refusal(401, "UNAUTHORIZED");
        }
    });
}

#[test]
fn a_reset_deletes_simulated_referrals() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let code_before = code(&shop).await;
        let guest = invited(test, "Ana", &code_before).await;
        sell(&guest, 100_000).await;
        shop.key.post("/api/dev/reset", json!({})).await.expect(200);
        let empty = stats(&shop).await;
        let numbers = empty.as_object().expect("is an object").values();
        assert!(numbers.into_iter().all(|number| number == 0), "{empty}");
        sell(&guest, 100_000).await;
        wait(test, HELD).await;
        assert_eq!(stats(&shop).await, empty);
        // The code was set up, and real referrals are not touched.
        assert_eq!(code(&shop).await, code_before);
        let engine = Engine::open(test).await;
        let left = "select cast(mode as text) from referrals";
        assert_eq!(engine.rows(left).await, [["1"]]);
        let rewards = "select cast(count(*) as text) from referral_rewards";
        assert_eq!(engine.rows(rewards).await, [["0"]]);
    });
}
