//! Who pays when somebody else has taken the money out: sellers who owe, affiliates who withdrew.

use futures_util::future::join;
use sandbox::test_cards::Scenario;
use serde_json::{Value, json};

use super::Scene;
use crate::harness::TestApp;
use crate::harness::engine::Engine;
use crate::harness::shop::Shop;
use crate::methods::{balance, days_pass};
use crate::refunds::{held, refund, refund_statuses, try_refund};

/// More than one run of the job releases.
const WAITING: i64 = 60;

/// A commission's status, why it waits, what is owed of it and what of it was repaid.
fn terms(commission: &Value) -> (&str, Option<&str>, i64, i64) {
    let cents = |field: &str| commission[field].as_i64().expect("is a number");
    (
        commission["status"].as_str().expect("is a word"),
        commission["heldReason"].as_str(),
        cents("owedCents"),
        cents("repaidCents"),
    )
}

/// Leaves a seller with a debt of what they sold and withdrew before its buyer contested it.
async fn fall_into_debt(seller: &Shop, cents: i64) {
    let contested = seller.sell(cents).await;
    seller.withdraw(cents).await;
    for outcome in ["DISPUTED", "CHARGED_BACK"] {
        seller.simulate(&contested, json!({ "outcome": outcome })).await;
    }
    assert_eq!(balance(seller).await, (json!(-cents), json!(0)));
}

async fn all_of_it(test: &TestApp) -> Scene {
    Scene::open(test, json!({ "commissionValue": 10_000 })).await
}

#[story::test]
async fn a_refund_whose_commission_was_withdrawn_is_paid_by_the_seller_or_refused(test: &TestApp) {
    let scene = all_of_it(test).await;
    let sold = scene.sell(json!({})).await;
    days_pass(&scene.shop, 7).await;
    scene.affiliate.withdraw(10_000).await;
    try_refund(&scene.shop, &sold, json!({})).await.expect_refusal(400, "INSUFFICIENT_BALANCE");
    assert_eq!(balance(&scene.shop).await, (json!(0), json!(0)));
    assert_eq!(balance(&scene.affiliate).await, (json!(0), json!(0)));
    assert_eq!(held(test, 1000).await, -10_000);
    scene.shop.sell(12_000).await;
    refund(&scene.shop, &sold, json!({})).await;
    test.run_jobs().await;
    assert_eq!(scene.shop.transaction(&sold).await["status"], "REFUNDED");
    assert_eq!(balance(&scene.shop).await, (json!(2_000), json!(0)));
    assert_eq!(balance(&scene.affiliate).await, (json!(0), json!(0)));
}

#[story::test]
async fn what_an_affiliate_could_not_give_back_their_later_commissions_repay_the_seller(
    test: &TestApp,
) {
    let scene = Scene::open(test, json!({})).await;
    let first = scene.sell(json!({})).await;
    days_pass(&scene.shop, 7).await;
    scene.affiliate.withdraw(900).await;
    scene.shop.sell(5_000).await;
    // The affiliate's last 100 go back to the buyer; the seller pays the other 9,900.
    refund(&scene.shop, &first, json!({})).await;
    assert_eq!(balance(&scene.affiliate).await, (json!(0), json!(0)));
    assert_eq!(balance(&scene.shop).await, (json!(4_100), json!(0)));
    test.run_jobs().await;
    assert_eq!(
        scene.rows().await,
        [("CLAWBACK".into(), -1_000, "PAID".into()), ("SALE".into(), 1_000, "PAID".into())]
    );
    let clawback = scene.commissions().await.remove(0);
    assert_eq!(clawback["cancelReason"], "refunded");
    assert_eq!(clawback["transactionId"], first["id"]);
    assert_eq!(terms(&clawback), ("PAID", None, 900, 0));
    scene.sell(json!({})).await;
    assert_eq!(balance(&scene.shop).await, (json!(4_100 + 9_000), json!(0)));
    assert_eq!(balance(&scene.affiliate).await, (json!(0), json!(1_000)));
    days_pass(&scene.shop, 7).await;
    assert_eq!(balance(&scene.shop).await, (json!(4_100 + 9_000 + 900), json!(0)));
    assert_eq!(balance(&scene.affiliate).await, (json!(100), json!(0)));
    let all = scene.commissions().await;
    let shown: Vec<_> = all.iter().map(terms).collect();
    let repaid = ("PAID", None, 0, 900);
    assert_eq!(shown, [repaid, ("PAID", None, 0, 0), ("PAID", None, 0, 0)]);
    scene.sell(json!({})).await;
    days_pass(&scene.shop, 7).await;
    assert_eq!(balance(&scene.affiliate).await, (json!(1_100), json!(0)));
}

#[story::test]
async fn a_refund_that_fails_gives_each_back_what_each_had_given(test: &TestApp, scene: Scene) {
    let card = scene.by_card(test, Scenario::RefusesRefunds, 1).await;
    days_pass(&scene.shop, 31).await;
    scene.affiliate.withdraw(700).await;
    scene.shop.sell(2_000).await;
    refund(&scene.shop, &card, json!({})).await;
    assert_eq!(balance(&scene.affiliate).await, (json!(0), json!(0)));
    assert_eq!(balance(&scene.shop).await, (json!(11_000 - 9_700), json!(0)));
    test.run_jobs().await;
    assert_eq!(refund_statuses(&scene.shop, &card).await, ["FAILED refused_by_issuer"]);
    assert_eq!(balance(&scene.affiliate).await, (json!(300), json!(0)));
    assert_eq!(balance(&scene.shop).await, (json!(11_000), json!(0)));
    assert_eq!(scene.rows().await, [("SALE".into(), 1_000, "PAID".into())]);
}

#[story::test]
async fn a_dispute_takes_by_force_from_the_seller_and_never_from_the_affiliate(scene: Scene) {
    let sold = scene.sell(json!({})).await;
    days_pass(&scene.shop, 7).await;
    scene.shop.withdraw(9_000).await;
    scene.affiliate.withdraw(600).await;
    scene.shop.simulate(&sold, json!({ "outcome": "DISPUTED" })).await;
    assert_eq!(balance(&scene.affiliate).await, (json!(0), json!(0)));
    assert_eq!(balance(&scene.shop).await, (json!(-9_600), json!(0)));
    scene.shop.simulate(&sold, json!({ "outcome": "PAID" })).await;
    assert_eq!(balance(&scene.affiliate).await, (json!(400), json!(0)));
    assert_eq!(balance(&scene.shop).await, (json!(0), json!(0)));
    for outcome in ["DISPUTED", "CHARGED_BACK"] {
        scene.shop.simulate(&sold, json!({ "outcome": outcome })).await;
    }
    assert_eq!(balance(&scene.affiliate).await, (json!(0), json!(0)));
    assert_eq!(balance(&scene.shop).await, (json!(-9_600), json!(0)));
    assert_eq!(terms(&scene.commissions().await[0]), ("PAID", None, 600, 0));
}

#[story::test]
async fn a_sale_of_a_seller_who_owes_serves_the_debt_before_any_commission(test: &TestApp) {
    let scene = all_of_it(test).await;
    fall_into_debt(&scene.shop, 10_000).await;
    scene.sell(json!({})).await;
    assert_eq!(balance(&scene.shop).await, (json!(0), json!(0)));
    assert_eq!(balance(&scene.affiliate).await, (json!(0), json!(0)));
    assert_eq!(scene.only().await, (json!(10_000), json!("PENDING")));
    days_pass(&scene.shop, 30).await;
    let waiting = scene.commissions().await.remove(0);
    assert_eq!(terms(&waiting), ("PENDING", Some("SELLER_DEBT"), 0, 0));
    scene.affiliate.try_withdraw(100).await.expect_refusal(400, "INSUFFICIENT_BALANCE");
}

#[story::test]
async fn what_a_sale_left_after_the_debt_is_the_affiliates_and_the_seller_adds_the_rest_later(
    test: &TestApp,
) {
    let scene = all_of_it(test).await;
    fall_into_debt(&scene.shop, 4_000).await;
    scene.sell(json!({})).await;
    assert_eq!(balance(&scene.shop).await, (json!(0), json!(0)));
    assert_eq!(balance(&scene.affiliate).await, (json!(0), json!(6_000)));
    days_pass(&scene.shop, 8).await;
    let waiting = scene.commissions().await.remove(0);
    assert_eq!(terms(&waiting), ("PENDING", Some("SELLER_DEBT"), 0, 0));
    scene.shop.sell(5_000).await;
    // What is owed to affiliates cannot be withdrawn.
    scene.shop.try_withdraw(1_001).await.expect_refusal(400, "INSUFFICIENT_BALANCE");
    scene.shop.withdraw(1_000).await;
    days_pass(&scene.shop, 1).await;
    assert_eq!(scene.only().await, (json!(10_000), json!("PAID")));
    assert_eq!(terms(&scene.commissions().await[0]), ("PAID", None, 0, 0));
    assert_eq!(balance(&scene.shop).await, (json!(0), json!(0)));
    assert_eq!(balance(&scene.affiliate).await, (json!(10_000), json!(0)));
}

#[story::test]
async fn a_commission_waits_while_the_seller_owes_also_if_the_debt_came_after_the_sale(
    scene: Scene,
) {
    scene.sell(json!({})).await;
    scene.shop.withdraw(9_000).await;
    fall_into_debt(&scene.shop, 3_000).await;
    days_pass(&scene.shop, 9).await;
    let waiting = scene.commissions().await.remove(0);
    assert_eq!(terms(&waiting), ("PENDING", Some("SELLER_DEBT"), 0, 0));
    assert_eq!(balance(&scene.affiliate).await, (json!(0), json!(1_000)));
    scene.shop.sell(3_000).await;
    days_pass(&scene.shop, 1).await;
    assert_eq!(scene.only().await, (json!(1_000), json!("PAID")));
    assert_eq!(balance(&scene.affiliate).await, (json!(1_000), json!(0)));
}

#[story::test]
async fn all_that_waits_for_one_seller_is_one_job_a_day_and_is_released_together(test: &TestApp) {
    let scene = all_of_it(test).await;
    fall_into_debt(&scene.shop, 10_000 * WAITING).await;
    for _ in 0..WAITING {
        scene.sell(json!({})).await;
    }
    for _ in 0..3 {
        days_pass(&scene.shop, 8).await;
        let jobs = "select kind, cast(count(*) as text)
                      from jobs
                     where kind like 'release_%commission%'
                     group by kind";
        let jobs = Engine::open(test).await.rows(jobs).await;
        assert_eq!(jobs, [["release_waiting_commissions", "1"]]);
    }
    // It is enough for all but one.
    scene.shop.sell(10_000 * WAITING - 1).await;
    days_pass(&scene.shop, 1).await;
    assert_eq!(balance(&scene.shop).await, (json!(9_999), json!(0)));
    assert_eq!(balance(&scene.affiliate).await, (json!(10_000 * (WAITING - 1)), json!(0)));
    scene.shop.sell(1).await;
    days_pass(&scene.shop, 1).await;
    assert_eq!(balance(&scene.shop).await, (json!(0), json!(0)));
    assert_eq!(balance(&scene.affiliate).await, (json!(10_000 * WAITING), json!(0)));
    let jobs = "select kind from jobs where kind like 'release_%commission%'";
    assert!(Engine::open(test).await.rows(jobs).await.is_empty());
}

#[story::test]
async fn refunds_of_a_sale_that_served_a_debt_take_what_was_never_given_first(test: &TestApp) {
    let scene = all_of_it(test).await;
    fall_into_debt(&scene.shop, 4_000).await;
    let sold = scene.sell(json!({})).await;
    scene.shop.sell(6_000).await;
    refund(&scene.shop, &sold, json!({ "amountCents": 3_000 })).await;
    assert_eq!(balance(&scene.shop).await, (json!(3_000), json!(0)));
    assert_eq!(balance(&scene.affiliate).await, (json!(0), json!(6_000)));
    test.run_jobs().await;
    assert_eq!(scene.only().await, (json!(7_000), json!("PENDING")));
    refund(&scene.shop, &sold, json!({})).await;
    assert_eq!(balance(&scene.shop).await, (json!(2_000), json!(0)));
    assert_eq!(balance(&scene.affiliate).await, (json!(0), json!(0)));
    test.run_jobs().await;
    assert_eq!(scene.only().await, (json!(7_000), json!("CANCELLED")));
    scene.shop.withdraw(2_000).await;
}

#[story::test]
async fn a_card_sale_of_a_seller_who_owes_keeps_the_commission_for_the_debt(test: &TestApp) {
    let scene = all_of_it(test).await;
    fall_into_debt(&scene.shop, 10_000).await;
    scene.by_card(test, Scenario::Approves, 2).await;
    assert_eq!(balance(&scene.shop).await, (json!(-10_000), json!(10_000)));
    assert_eq!(balance(&scene.affiliate).await, (json!(0), json!(0)));
    days_pass(&scene.shop, 70).await;
    assert_eq!(balance(&scene.shop).await, (json!(0), json!(0)));
    assert_eq!(scene.only().await, (json!(10_000), json!("PENDING")));
}

#[story::test]
async fn an_affiliate_who_withdraws_while_the_seller_refunds_is_never_below_zero(test: &TestApp) {
    let scene = Scene::open(test, json!({})).await;
    scene.shop.sell(20_000).await;
    for _ in 0..8 {
        let sold = scene.sell(json!({})).await;
        days_pass(&scene.shop, 7).await;
        let back = try_refund(&scene.shop, &sold, json!({}));
        let (back, out) = join(back, scene.affiliate.try_withdraw(600)).await;
        back.expect(201);
        assert!([201, 400].contains(&out.status), "{}", out.text);
        test.run_jobs().await;
        let (available, _) = balance(&scene.affiliate).await;
        assert!(available.as_i64().expect("is a number") >= 0, "{available}");
    }
}
