//! What sales bring: a commission of 0.5 % each, and R$ 50.00 once for R$ 1,000.00 in 90 days.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;
use tostao::platform::config::Settings;

use super::{DAY, HELD, code, history, invited, numbers, only, released, stats, wait, withdraw};
use crate::harness::TestApp;
use crate::harness::shop::Shop;

const SECOND: Duration = Duration::from_secs(1);

#[story::test]
async fn the_goal_earns_its_reward_once_and_every_sale_a_commission(test: &TestApp, shop: Shop) {
    let guest = invited(test, "Ana", &code(&shop).await).await;
    // 99,999 × 0.5 % = 499.995, rounded to 500.
    guest.sell(99_999).await;
    assert_eq!(only(&shop).await, ("PENDING".to_owned(), 500));
    // 1 × 0.5 % = 0.005 is nothing, but 99,999 + 1 = 100,000 is the goal: 500 + 5,000.
    guest.sell(1).await;
    assert_eq!(only(&shop).await, ("COMPLETED".to_owned(), 5_500));
    // 200,000 × 0.5 % = 1,000, and no second fixed reward: 5,500 + 1,000.
    guest.sell(200_000).await;
    assert_eq!(only(&shop).await, ("COMPLETED".to_owned(), 6_500));
    let expected = json!({
        "totalReferrals": 1, "completedReferrals": 1, "pendingReferrals": 0,
        "totalFixedRewards": 1, "totalFixedRewardAmountCents": 5_000,
        // 500 and 1,000; that of one cent earned nothing.
        "totalCommissions": 2, "totalCommissionAmountCents": 1_500,
        "totalRewards": 3, "totalRewardAmountCents": 6_500,
        "pendingRewardAmountCents": 6_500, "releasedRewardAmountCents": 0,
        "totalWithdrawnCents": 0, "availableBalanceCents": 0,
    });
    assert_eq!(stats(&shop).await, expected);
    assert_eq!(guest.available().await, 99_999 + 1 + 200_000);
}

#[story::test]
async fn a_reward_is_held_for_ninety_days_and_then_withdrawn_to_the_balance(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let guest = invited(test, "Ana", &code(&shop).await).await;
    guest.sell(100_000).await;
    wait(test, HELD.saturating_sub(SECOND)).await;
    assert_eq!(released(&shop).await, 0);
    withdraw(&shop, 1).await.expect_refusal(400, "INSUFFICIENT_BALANCE");
    wait(test, SECOND).await;
    // 100,000 × 0.5 % = 500, and 5,000 for the goal.
    assert_eq!(released(&shop).await, 5_500);
    assert_eq!(shop.available().await, 0);
    let moved = withdraw(&shop, 2_000).await.expect(201);
    assert_eq!(moved["data"]["amountCents"], 2_000);
    assert_eq!(moved["data"]["availableBalanceCents"], 3_500);
    assert_eq!(shop.available().await, 2_000);
    withdraw(&shop, 3_501).await.expect_refusal(400, "INSUFFICIENT_BALANCE");
    withdraw(&shop, 3_500).await.expect(201);
    let names = ["totalWithdrawnCents", "availableBalanceCents", "releasedRewardAmountCents"];
    assert_eq!(numbers(&shop, names).await, [5_500, 0, 5_500]);
    let moved = shop.key.get("/api/referral/withdrawals").await.expect(200);
    let amounts = [&moved["withdrawals"][0], &moved["withdrawals"][1]];
    assert_eq!(amounts.map(|moved| &moved["amountCents"]), [&json!(3_500), &json!(2_000)]);
    assert_eq!(moved["pagination"]["total"], 2);
    assert_eq!(shop.available().await, 5_500);
    assert!(shop.events().await.ends_with(&["balance.updated".to_owned()]));
    for wrong in [json!(0), json!(-1), json!("1"), json!(null)] {
        let body = json!({ "amountCents": wrong });
        let reply = shop.key.post("/api/referral/withdraw", body).await;
        assert_eq!(reply.expect_refusal(400, "VALIDATION_ERROR"), ["amountCents"]);
    }
}

#[story::test]
async fn a_withdrawal_that_is_repeated_moves_money_once(test: &TestApp, shop: Shop) {
    let guest = invited(test, "Ana", &code(&shop).await).await;
    guest.sell(100_000).await;
    wait(test, HELD).await;
    let once = shop.key.with("idempotency-key", "premio-1");
    let body = json!({ "amountCents": 5_500 });
    let moves = || once.post("/api/referral/withdraw", body.clone());
    let replies = join_all([moves(), moves(), moves()]).await;
    assert!(replies.iter().all(|reply| reply.status == 201), "{replies:?}");
    assert_eq!((released(&shop).await, shop.available().await), (0, 5_500));
    // Of two for all there is, one succeeds.
    let again = invited(test, "Bia", &code(&shop).await).await;
    again.sell(100_000).await;
    wait(test, HELD).await;
    let replies = join_all([withdraw(&shop, 5_500), withdraw(&shop, 5_500)]).await;
    let mut statuses: Vec<_> = replies.iter().map(|reply| reply.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 400]);
    assert_eq!((released(&shop).await, shop.available().await), (0, 11_000));
}

#[story::test]
async fn of_many_sales_at_once_one_earns_the_fixed_reward(test: &TestApp, shop: Shop) {
    let guest = invited(test, "Ana", &code(&shop).await).await;
    join_all((0..8).map(|_| guest.sell(60_000))).await;
    // Eight times 60,000 × 0.5 % = 300, and 5,000 once: 2,400 + 5,000.
    assert_eq!(only(&shop).await, ("COMPLETED".to_owned(), 7_400));
    let names = ["totalFixedRewards", "totalCommissions"];
    assert_eq!(numbers(&shop, names).await, [1, 8]);
    wait(test, HELD).await;
    assert_eq!(released(&shop).await, 7_400);
}

#[story::test]
async fn a_payment_confirmed_many_times_earns_once(test: &TestApp, shop: Shop) {
    let guest = invited(test, "Ana", &code(&shop).await).await;
    let charge = guest.charge(10_000).await;
    guest.simulate(&charge, json!({ "outcome": "PAID", "times": 3 })).await;
    // 10,000 × 0.5 % = 50.
    assert_eq!(only(&shop).await.1, 50);
}

#[story::test]
async fn without_the_goal_in_ninety_days_a_referral_expires_and_earns_no_more(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let guest = invited(test, "Ana", &code(&shop).await).await;
    wait(test, (DAY * 90).saturating_sub(SECOND)).await;
    // 50,000 × 0.5 % = 250.
    guest.sell(50_000).await;
    assert_eq!(only(&shop).await, ("PENDING".to_owned(), 250));
    test.pass(SECOND);
    // It has expired before its job ran.
    assert_eq!(only(&shop).await.0, "EXPIRED");
    assert_eq!(history(&shop, "?status=EXPIRED").await["pagination"]["total"], 1);
    assert_eq!(history(&shop, "?status=PENDING").await["pagination"]["total"], 0);
    assert_eq!(numbers(&shop, ["pendingReferrals"]).await, [0]);
    guest.sell(100_000).await;
    test.run_jobs().await;
    guest.sell(100_000).await;
    assert_eq!(only(&shop).await, ("EXPIRED".to_owned(), 250));
    // What was earned before stays.
    wait(test, HELD).await;
    assert_eq!(released(&shop).await, 250);
}

#[story::test]
async fn the_goal_can_be_reached_until_the_last_second(test: &TestApp, shop: Shop) {
    let guest = invited(test, "Ana", &code(&shop).await).await;
    wait(test, (DAY * 90).saturating_sub(SECOND)).await;
    guest.sell(100_000).await;
    wait(test, SECOND).await;
    assert_eq!(only(&shop).await, ("COMPLETED".to_owned(), 5_500));
}

#[story::test]
async fn sales_earn_for_twelve_months(test: &TestApp, shop: Shop) {
    let guest = invited(test, "Ana", &code(&shop).await).await;
    guest.sell(100_000).await;
    wait(test, (DAY * 365).saturating_sub(SECOND)).await;
    // 10,000 × 0.5 % = 50: 5,500 + 50.
    guest.sell(10_000).await;
    assert_eq!(only(&shop).await.1, 5_550);
    wait(test, SECOND).await;
    guest.sell(10_000).await;
    assert_eq!(only(&shop).await.1, 5_550);
}

#[story::test]
async fn a_referral_follows_the_clock_of_the_referrer(test: &TestApp, shop: Shop) {
    let guest = invited(test, "Ana", &code(&shop).await).await;
    let held = json!({ "seconds": HELD.as_secs() });
    guest.key.post("/api/dev/clock/advance", json!({ "seconds": 91 * 24 * 3_600 })).await;
    guest.sell(100_000).await;
    assert_eq!(only(&shop).await, ("COMPLETED".to_owned(), 5_500));
    shop.key.post("/api/dev/clock/advance", held).await.expect(200);
    assert_eq!(released(&shop).await, 5_500);
}

#[story::test]
async fn a_referred_merchant_can_refer_and_rewards_have_one_level(test: &TestApp) {
    let first = test.shop("Primeira").await;
    let second = invited(test, "Segunda", &code(&first).await).await;
    let third = invited(test, "Terceira", &code(&second).await).await;
    join_all([third.sell(100_000), second.sell(20_000), third.sell(40_000)]).await;
    // 20,000 × 0.5 % = 100; (100,000 + 40,000) × 0.5 % = 700, and 5,000 for the goal.
    assert_eq!(only(&first).await, ("PENDING".to_owned(), 100));
    assert_eq!(only(&second).await, ("COMPLETED".to_owned(), 5_700));
}

fn changed_program(settings: &mut Settings) {
    settings.referral_goal_cents = 10_000;
    settings.referral_fixed_cents = 300;
    settings.referral_basis_points = 200;
}

#[story::test(changed_program)]
async fn an_operator_sets_what_a_referral_brings_and_promises_are_kept(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let guest = invited(test, "Ana", &code(&shop).await).await;
    // 10,000 × 2 % = 200, and 300 for the goal.
    guest.sell(10_000).await;
    assert_eq!(only(&shop).await, ("COMPLETED".to_owned(), 500));
}
