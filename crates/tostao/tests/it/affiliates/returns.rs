//! What refunds and disputes take of a commission, and how that ends.

use std::time::Duration;

use futures_util::future::join_all;
use sandbox::test_cards::Scenario;
use serde_json::{Value, json};

use super::Scene;
use crate::harness::TestApp;
use crate::harness::shop::Shop;
use crate::methods::{balance, days_pass};
use crate::refunds::{held, refund, refund_statuses, try_refund};

async fn earned(affiliate: &Shop) -> (Value, Value) {
    let stats = affiliate.key.get("/api/affiliate/stats").await.expect(200)["data"].clone();
    (stats["totalEarnedCents"].clone(), stats["pendingCents"].clone())
}

#[story::test]
async fn a_full_refund_takes_the_commission_back_and_cancels_it(test: &TestApp, scene: Scene) {
    let paid = scene.sell(json!({})).await;
    // The seller has 9,000, and the affiliate's 1,000 make it whole.
    refund(&scene.shop, &paid, json!({})).await;
    assert_eq!(balance(&scene.shop).await, (json!(0), json!(0)));
    assert_eq!(balance(&scene.affiliate).await, (json!(0), json!(0)));
    assert_eq!(held(test, 2200).await, 10_000);
    assert_eq!(scene.only().await, (json!(1_000), json!("PENDING")));
    test.run_jobs().await;
    assert_eq!(scene.shop.transaction(&paid).await["status"], "REFUNDED");
    let cancelled = scene.commissions().await.remove(0);
    assert_eq!(
        (&cancelled["status"], &cancelled["amountCents"], &cancelled["cancelReason"]),
        (&json!("CANCELLED"), &json!(1_000), &json!("refunded"))
    );
    assert_eq!(cancelled["cancelledAt"], "2026-11-21T12:00:00.000Z");
    days_pass(&scene.shop, 8).await;
    assert_eq!(scene.rows().await, [("SALE".into(), 1_000, "CANCELLED".into())]);
    assert_eq!(balance(&scene.affiliate).await, (json!(0), json!(0)));
    assert_eq!(earned(&scene.affiliate).await, (json!(0), json!(0)));
    let names = scene.affiliate.events().await;
    let reported = ["affiliate.commission_created", "balance.updated", "balance.updated"];
    assert_eq!(names, reported);
}

#[story::test]
async fn partial_refunds_take_their_share_and_all_of_them_all_of_it(test: &TestApp, scene: Scene) {
    let paid = scene.sell(json!({})).await;
    refund(&scene.shop, &paid, json!({ "amountCents": 3_333 })).await;
    test.run_jobs().await;
    // 1,000 × 6,667 / 10,000 = 666.7 stay, rounded down; 334 of the 3,333 are the affiliate's.
    assert_eq!(scene.only().await, (json!(666), json!("PENDING")));
    assert_eq!(balance(&scene.shop).await, (json!(9_000 - 2_999), json!(0)));
    assert_eq!(balance(&scene.affiliate).await, (json!(0), json!(666)));
    refund(&scene.shop, &paid, json!({ "amountCents": 3_333 })).await;
    test.run_jobs().await;
    // 1,000 × 3,334 / 10,000 = 333.4 stay.
    assert_eq!(scene.only().await, (json!(333), json!("PENDING")));
    days_pass(&scene.shop, 7).await;
    assert_eq!(scene.only().await, (json!(333), json!("PAID")));
    assert_eq!(balance(&scene.affiliate).await, (json!(333), json!(0)));
    refund(&scene.shop, &paid, json!({})).await;
    test.run_jobs().await;
    assert_eq!(
        scene.rows().await,
        [("CLAWBACK".into(), -333, "PAID".into()), ("SALE".into(), 333, "PAID".into())]
    );
    assert_eq!(balance(&scene.shop).await, (json!(0), json!(0)));
    assert_eq!(balance(&scene.affiliate).await, (json!(0), json!(0)));
    assert_eq!(earned(&scene.affiliate).await, (json!(0), json!(0)));
}

#[story::test]
async fn of_sixty_four_partial_refunds_at_once_each_takes_its_share(test: &TestApp, scene: Scene) {
    let paid = scene.sell(json!({})).await;
    let asked = (0..64).map(|_| try_refund(&scene.shop, &paid, json!({ "amountCents": 700 })));
    let replies = join_all(asked).await;
    // 14 × 700 = 9,800, of which a tenth is the affiliate's.
    assert_eq!(replies.iter().filter(|reply| reply.status == 201).count(), 14);
    assert_eq!(balance(&scene.shop).await, (json!(9_000 - 8_820), json!(0)));
    assert_eq!(balance(&scene.affiliate).await, (json!(0), json!(1_000 - 980)));
    test.run_jobs().await;
    assert_eq!(scene.only().await, (json!(20), json!("PENDING")));
    refund(&scene.shop, &paid, json!({})).await;
    test.run_jobs().await;
    assert_eq!(scene.only().await, (json!(20), json!("CANCELLED")));
    assert_eq!(balance(&scene.shop).await, (json!(0), json!(0)));
    assert_eq!(balance(&scene.affiliate).await, (json!(0), json!(0)));
}

#[story::test]
async fn a_refund_that_fails_gives_the_commission_back(test: &TestApp, scene: Scene) {
    let card = scene.by_card(test, Scenario::RefusesRefunds, 1).await;
    assert_eq!(balance(&scene.shop).await, (json!(0), json!(9_000)));
    refund(&scene.shop, &card, json!({ "amountCents": 5_000 })).await;
    assert_eq!(balance(&scene.shop).await, (json!(0), json!(4_500)));
    assert_eq!(balance(&scene.affiliate).await, (json!(0), json!(500)));
    test.run_jobs().await;
    assert_eq!(refund_statuses(&scene.shop, &card).await, ["FAILED refused_by_issuer"]);
    assert_eq!(balance(&scene.shop).await, (json!(0), json!(9_000)));
    assert_eq!(balance(&scene.affiliate).await, (json!(0), json!(1_000)));
    days_pass(&scene.shop, 31).await;
    assert_eq!(scene.only().await, (json!(1_000), json!("PAID")));
    assert_eq!(balance(&scene.affiliate).await, (json!(1_000), json!(0)));
}

#[story::test]
async fn what_is_released_goes_back_to_where_it_was_when_a_refund_fails(test: &TestApp) {
    let scene = Scene::open(test, json!({})).await;
    let card = scene.by_card(test, Scenario::RefusesRefunds, 1).await;
    days_pass(&scene.shop, 31).await;
    refund(&scene.shop, &card, json!({})).await;
    assert_eq!(balance(&scene.affiliate).await, (json!(0), json!(0)));
    test.run_jobs().await;
    assert_eq!(balance(&scene.affiliate).await, (json!(1_000), json!(0)));
    assert_eq!(balance(&scene.shop).await, (json!(9_000), json!(0)));
    assert_eq!(scene.rows().await, [("SALE".into(), 1_000, "PAID".into())]);
}

#[story::test]
async fn a_full_refund_of_installments_needs_the_sellers_share_and_the_affiliates(test: &TestApp) {
    let scene = Scene::open(test, json!({})).await;
    let card = scene.by_card(test, Scenario::Approves, 3).await;
    assert_eq!(balance(&scene.shop).await, (json!(0), json!(9_000)));
    refund(&scene.shop, &card, json!({})).await;
    test.run_jobs().await;
    assert_eq!(scene.shop.transaction(&card).await["status"], "REFUNDED");
    assert_eq!(balance(&scene.shop).await, (json!(0), json!(0)));
    assert_eq!(balance(&scene.affiliate).await, (json!(0), json!(0)));
    days_pass(&scene.shop, 100).await;
    assert_eq!(balance(&scene.shop).await, (json!(0), json!(0)));
}

#[story::test]
async fn a_refund_that_the_seller_cannot_pay_takes_nothing_of_the_affiliate(scene: Scene) {
    let paid = scene.sell(json!({})).await;
    scene.shop.withdraw(1_000).await;
    try_refund(&scene.shop, &paid, json!({})).await.expect_refusal(400, "INSUFFICIENT_BALANCE");
    assert_eq!(balance(&scene.affiliate).await, (json!(0), json!(1_000)));
    assert_eq!(scene.only().await, (json!(1_000), json!("PENDING")));
}

#[story::test]
async fn a_contested_commission_waits_past_its_day_and_is_released_when_the_payment_stands(
    test: &TestApp,
) {
    let scene = Scene::open(test, json!({})).await;
    let paid = scene.sell(json!({})).await;
    scene.shop.simulate(&paid, json!({ "outcome": "DISPUTED" })).await;
    assert_eq!(balance(&scene.shop).await, (json!(0), json!(0)));
    assert_eq!(balance(&scene.affiliate).await, (json!(0), json!(0)));
    assert_eq!(held(test, 2400).await, 10_000);
    days_pass(&scene.shop, 8).await;
    assert_eq!(scene.only().await, (json!(1_000), json!("PENDING")));
    scene.shop.simulate(&paid, json!({ "outcome": "PAID" })).await;
    test.run_jobs_after(Duration::from_secs(1)).await;
    assert_eq!(scene.only().await, (json!(1_000), json!("PAID")));
    assert_eq!(balance(&scene.shop).await, (json!(9_000), json!(0)));
    assert_eq!(balance(&scene.affiliate).await, (json!(1_000), json!(0)));
}

#[story::test]
async fn a_lost_dispute_cancels_what_is_held_and_claws_back_what_is_released(test: &TestApp) {
    let scene = Scene::open(test, json!({})).await;
    let first = scene.sell(json!({})).await;
    for outcome in ["DISPUTED", "CHARGED_BACK"] {
        scene.shop.simulate(&first, json!({ "outcome": outcome })).await;
    }
    let cancelled = scene.commissions().await.remove(0);
    assert_eq!(
        (&cancelled["status"], &cancelled["cancelReason"]),
        (&json!("CANCELLED"), &json!("dispute_lost"))
    );
    assert_eq!(balance(&scene.affiliate).await, (json!(0), json!(0)));
    let second = scene.sell(json!({})).await;
    days_pass(&scene.shop, 7).await;
    assert_eq!(balance(&scene.affiliate).await, (json!(1_000), json!(0)));
    for outcome in ["DISPUTED", "CHARGED_BACK"] {
        scene.shop.simulate(&second, json!({ "outcome": outcome })).await;
    }
    assert_eq!(
        scene.rows().await,
        [
            ("CLAWBACK".into(), -1_000, "PAID".into()),
            ("SALE".into(), 1_000, "PAID".into()),
            ("SALE".into(), 1_000, "CANCELLED".into()),
        ]
    );
    assert_eq!(balance(&scene.affiliate).await, (json!(0), json!(0)));
    assert_eq!(balance(&scene.shop).await, (json!(0), json!(0)));
    assert_eq!(held(test, 1000).await, 0);
}
