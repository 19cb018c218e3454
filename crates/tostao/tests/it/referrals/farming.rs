//! Rewards that cannot be had for sales which go back, and who counts as verified.

use std::time::Duration;

use db::tx::Tx;
use ledger::cents::Cents;
use sandbox::test_cards::Scenario;
use serde_json::{Value, json};
use tostao::platform::ids::{Mode, TransactionId};
use tostao::{merchants, referrals};

use super::{DAY, code, give_back, invited, numbers, only, released, wait, withdraw};
use crate::harness::client::Client;
use crate::harness::shop::{Shop, id};
use crate::harness::{TestApp, story};
use crate::sandbox::sell_by_card;

/// How long a PIX can go back.
const PIX: Duration = Duration::from_hours(90 * 24);
/// How long a card payment can go back.
const CARD: Duration = Duration::from_hours(180 * 24);

#[story::test]
async fn selling_to_oneself_and_giving_it_back_brings_nothing(test: &TestApp, shop: Shop) {
    let guest = invited(test, "Ana", &code(&shop).await).await;
    let sale = guest.sell(100_000).await;
    wait(test, DAY * 31).await;
    withdraw(&shop, 5_500).await.expect_refusal(400, "INSUFFICIENT_BALANCE");
    wait(test, DAY * 58).await;
    assert_eq!(released(&shop).await, 0);
    give_back(test, &guest, &sale, 100_000).await;
    wait(test, DAY * 365).await;
    assert_eq!(released(&shop).await, 0);
    let names = ["totalRewardAmountCents", "totalWithdrawnCents"];
    assert_eq!(numbers(&shop, names).await, [0, 0]);
    assert_eq!(shop.available().await, 0);
}

#[story::test]
async fn a_reward_waits_until_its_sale_cannot_go_back(test: &TestApp, shop: Shop) {
    let guest = invited(test, "Ana", &code(&shop).await).await;
    guest.sell(20_000).await;
    sell_by_card(test, &guest, Scenario::Approves, 30_000, 1).await;
    wait(test, PIX.saturating_sub(Duration::from_secs(1))).await;
    assert_eq!(released(&shop).await, 0);
    wait(test, Duration::from_secs(2)).await;
    // 20,000 × 0.5 %.
    assert_eq!(released(&shop).await, 100);
    wait(test, CARD.saturating_sub(PIX)).await;
    // 30,000 × 0.5 % more.
    assert_eq!(released(&shop).await, 250);
}

#[story::test]
async fn the_fixed_reward_waits_until_sales_that_stay_reach_the_goal(test: &TestApp, shop: Shop) {
    let guest = invited(test, "Ana", &code(&shop).await).await;
    guest.sell(99_999).await;
    wait(test, DAY * 10).await;
    guest.sell(50_000).await;
    let by_card = sell_by_card(test, &guest, Scenario::Approves, 10_000, 1).await;
    assert_eq!(only(&shop).await.0, "COMPLETED");
    wait(test, PIX.saturating_sub(DAY * 9)).await;
    // Only 99,999 can no longer go back.
    assert_eq!(released(&shop).await, 500);
    wait(test, DAY * 10).await;
    // 50,000 × 0.5 % and the goal, for which the card's 10,000 are not needed.
    assert_eq!(released(&shop).await, 500 + 250 + 5_000);
    give_back(test, &guest, &by_card, 10_000).await;
    wait(test, CARD).await;
    assert_eq!(released(&shop).await, 5_750);
}

#[story::test]
async fn a_fixed_reward_whose_goal_a_dispute_undoes_later_is_taken_back(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let guest = invited(test, "Ana", &code(&shop).await).await;
    let sale = guest.sell(100_000).await;
    wait(test, DAY * 91).await;
    assert_eq!(released(&shop).await, 5_500);
    guest.simulate(&sale, json!({ "outcome": "DISPUTED" })).await;
    guest.simulate(&sale, json!({ "outcome": "CHARGED_BACK" })).await;
    wait(test, DAY).await;
    assert_eq!(released(&shop).await, 0);
    assert_eq!(numbers(&shop, ["totalRewardAmountCents"]).await, [0]);
}

#[test]
fn rewards_wait_until_a_dispute_about_their_sale_has_ended() {
    for (outcome, rewarded) in [("PAID", 5_500), ("CHARGED_BACK", 0)] {
        story(async |test| {
            let shop = test.shop("Loja").await;
            let guest = invited(test, "Ana", &code(&shop).await).await;
            let sale = guest.sell(100_000).await;
            wait(test, DAY * 89).await;
            guest.simulate(&sale, json!({ "outcome": "DISPUTED" })).await;
            for _ in 0..2 {
                wait(test, DAY * 2).await;
                withdraw(&shop, 1).await.expect_refusal(400, "INSUFFICIENT_BALANCE");
                assert_eq!(released(&shop).await, 0);
            }
            guest.simulate(&sale, json!({ "outcome": outcome })).await;
            wait(test, DAY * 2).await;
            assert_eq!(released(&shop).await, rewarded, "{outcome}");
            assert_eq!(numbers(&shop, ["totalRewardAmountCents"]).await, [rewarded]);
        });
    }
}

#[story::test]
async fn a_reward_waits_while_its_sale_is_going_back(test: &TestApp, shop: Shop) {
    let guest = invited(test, "Ana", &code(&shop).await).await;
    let sale = guest.pay(&guest.boleto(20_000).await).await;
    wait(test, PIX.saturating_sub(DAY / 2)).await;
    let path = format!("/api/v1/transactions/{}/refund", id(&sale));
    let refund = json!({
        "amountCents": 20_000, "reason": "Devolvido.",
        "refundPixKey": "lost@example.com", "pixKeyType": "email",
    });
    guest.key.post(&path, refund).await.expect(201);
    test.run_jobs().await;
    wait(test, DAY * 3 / 4).await;
    assert_eq!(released(&shop).await, 0);
    // The bank never gets the order, which is believed lost a day after it was sent.
    for _ in 0..2 {
        wait(test, DAY * 2).await;
    }
    // 20,000 × 0.5 %.
    assert_eq!(released(&shop).await, 100);
}

#[story::test]
async fn contested_sales_do_not_reach_the_goal_until_others_do(test: &TestApp, shop: Shop) {
    let guest = invited(test, "Ana", &code(&shop).await).await;
    let contested = guest.sell(60_000).await;
    guest.sell(60_000).await;
    wait(test, DAY * 60).await;
    guest.sell(50_000).await;
    wait(test, DAY * 29).await;
    guest.simulate(&contested, json!({ "outcome": "DISPUTED" })).await;
    wait(test, DAY * 2).await;
    // 60,000 × 0.5 %.
    assert_eq!(released(&shop).await, 300);
    wait(test, DAY * 60).await;
    // 50,000 × 0.5 % and the goal, for which the contested 60,000 are not needed.
    assert_eq!(released(&shop).await, 300 + 250 + 5_000);
}

#[story::test]
async fn a_real_merchant_reaches_the_goal_once_an_administrator_has_verified_them(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let guest = invited(test, "Ana", &code(&shop).await).await;
    let me = guest.owner.get("/api/auth/me").await.expect(200);
    let path = format!("/api/admin/merchants/{}/verify", id(&me["user"]));
    guest.owner.post(&path, json!({})).await.expect_refusal(403, "ADMIN_REQUIRED");
    let stats = async || real(&Shop::sign_in(test, "Loja").await.owner).await;
    sell_for_real(test, &guest, 100_000).await;
    assert_eq!(stats().await["completedReferrals"], 0);
    let admin = test.admin().await;
    let verified = admin.post(&path, json!({})).await.expect(200);
    assert!(verified["data"]["verifiedAt"].is_string(), "{verified}");
    assert_eq!(stats().await["completedReferrals"], 1);
    assert_eq!(stats().await["totalFixedRewardAmountCents"], 5_000);
    test.pass(DAY);
    let admin = test.admin().await;
    let again = admin.post(&path, json!({})).await.expect(200);
    assert_eq!(again["data"], verified["data"]);
    assert_eq!(stats().await["totalFixedRewardAmountCents"], 5_000);
    let no_one = "/api/admin/merchants/00000000-0000-7000-8000-000000000001/verify";
    admin.post(no_one, json!({})).await.expect_refusal(404, "NOT_FOUND");
}

#[story::test]
async fn a_verification_that_is_withdrawn_costs_the_reward_that_is_held(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let guest = invited(test, "Ana", &code(&shop).await).await;
    let me = guest.owner.get("/api/auth/me").await.expect(200);
    let path = format!("/api/admin/merchants/{}/verify", id(&me["user"]));
    let admin = test.admin().await;
    admin.post(&path, json!({ "verified": true })).await.expect(200);
    sell_for_real(test, &guest, 100_000).await;
    assert_eq!(real(&shop.owner).await["completedReferrals"], 1);
    let none = admin.post(&path, json!({ "verified": false })).await.expect(200);
    assert_eq!(none["data"]["verifiedAt"], Value::Null);
    wait(test, PIX + DAY).await;
    let stats = real(&Shop::sign_in(test, "Loja").await.owner).await;
    assert_eq!(stats["totalFixedRewardAmountCents"], 0);
    // 100,000 × 0.5 %.
    assert_eq!(stats["availableBalanceCents"], 500);
}

async fn real(owner: &Client) -> Value {
    owner.get("/api/referral/stats").await.expect(200)
}

/// Counts a real sale, which no test can make without a bank.
async fn sell_for_real(test: &TestApp, shop: &Shop, cents: i64) {
    let me = shop.owner.get("/api/auth/me").await.expect(200);
    let merchant = id(&me["user"]).parse().expect("is an id");
    let unit = async move |tx: &Tx| {
        let seller = merchants::scope(tx, merchant, Mode::Production).await?;
        let sale = TransactionId::new(tx);
        referrals::sales::count(tx, seller, sale, Cents::new(cents), PIX).await
    };
    test.app.transact(unit).await.expect("is counted");
}
