//! What an affiliate brought, paid out in advance and then given back or contested: each side
//! gives its own share, and what was pledged is replaced or paid back.
//!
//! A sale of 10,000 brings the affiliate 1,000 of it and the seller 9,000, of which 80 % may be
//! paid out in advance: 7,200. For a month that costs 7,200 × 2.99 % = 215.28.

use sandbox::test_cards::Scenario;
use serde_json::{Value, json};

use super::{approved, books, read, sell, slices, stands, withdraw_all};
use crate::affiliates::Scene;
use crate::harness::{TestApp, story};
use crate::methods::{balance, days_pass};
use crate::refunds::{held, refund, refund_statuses, try_refund};

/// What is outside, on its way back, and contested, in the chart.
const OUTSIDE: i64 = 1000;
const REFUNDING: i64 = 2200;
const DISPUTED: i64 = 2400;
const FEES: i64 = 4000;

/// Fails unless all accounts sum to zero and both sides see theirs verified.
async fn expect_sound(test: &TestApp, scene: &Scene) {
    test.prove_books().await;
    for side in [&scene.shop, &scene.affiliate] {
        let proof = side.key.get("/api/ledger/verify").await.expect(200);
        assert_eq!(proof["success"], true, "{proof}");
    }
}

/// What the affiliate has, as (available, pending).
async fn had(scene: &Scene) -> [i64; 2] {
    let (available, pending) = balance(&scene.affiliate).await;
    [available, pending].map(|cents| cents.as_i64().expect("is a number"))
}

/// The only commission or the newest of several.
async fn newest(scene: &Scene) -> Value {
    scene.commissions().await.remove(0)
}

fn sale(amount: i64, status: &str) -> (String, i64, String) {
    ("SALE".to_owned(), amount, status.to_owned())
}

#[story::test]
async fn a_full_refund_cancels_the_commission_and_the_next_sale_stands_for_the_advance(
    test: &TestApp,
) {
    let scene = Scene::open(test, json!({})).await;
    let shop = &scene.shop;
    let first = scene.by_card(test, Scenario::Approves, 1).await;
    days_pass(shop, 1).await;
    scene.by_card(test, Scenario::Approves, 1).await;
    // The first part is due in 29 days: 7,200 × 2.99 % × 29 / 30 = 208.104.
    let advance = approved(test, shop, 7_200).await;
    assert_eq!(slices(&advance), [[1, 7_200, 29, 208]]);
    assert_eq!(books(test, shop).await, [6_992, 18_000, -7_200]);
    withdraw_all(shop).await;
    refund(shop, &first, json!({})).await;
    // 1,000 of the affiliate's and the first part's 9,000; 7,200 of the second take its place.
    assert_eq!(books(test, shop).await, [0, 9_000, -7_200]);
    assert_eq!((had(&scene).await, held(test, REFUNDING).await), ([0, 1_000], 10_000));
    assert_eq!(slices(&read(shop, &advance).await), [[1, 0, 29, 208], [1, 7_200, 30, 0]]);
    expect_sound(test, &scene).await;
    test.run_jobs().await;
    assert_eq!(shop.transaction(&first).await["status"], "REFUNDED");
    assert_eq!(scene.rows().await, [sale(1_000, "PENDING"), sale(1_000, "CANCELLED")]);
    assert_eq!(scene.commissions().await[1]["cancelReason"], "refunded");
    days_pass(shop, 29).await;
    assert_eq!(stands(shop, &advance).await, ("APPROVED".to_owned(), 7_200, 0));
    days_pass(shop, 1).await;
    // 9,000 less 7,200; the other commission is released on the same day.
    assert_eq!(stands(shop, &advance).await, ("SETTLED".to_owned(), 0, 0));
    assert_eq!((books(test, shop).await, had(&scene).await), ([1_800, 0, 0], [1_000, 0]));
    expect_sound(test, &scene).await;
}

#[story::test]
async fn a_refund_that_fails_gives_both_sides_their_share_and_leaves_the_pledge_where_it_went(
    test: &TestApp,
) {
    let scene = Scene::open(test, json!({})).await;
    let shop = &scene.shop;
    let first = scene.by_card(test, Scenario::RefusesRefunds, 1).await;
    scene.by_card(test, Scenario::Approves, 1).await;
    let advance = approved(test, shop, 7_200).await;
    withdraw_all(shop).await;
    refund(shop, &first, json!({})).await;
    assert_eq!((books(test, shop).await, had(&scene).await), ([0, 9_000, -7_200], [0, 1_000]));
    test.run_jobs().await;
    assert_eq!(refund_statuses(shop, &first).await, ["FAILED refused_by_issuer"]);
    assert_eq!((books(test, shop).await, had(&scene).await), ([0, 18_000, -7_200], [0, 2_000]));
    assert_eq!(slices(&read(shop, &advance).await), [[1, 0, 30, 215], [1, 7_200, 30, 0]]);
    assert_eq!(scene.rows().await, [sale(1_000, "PENDING"), sale(1_000, "PENDING")]);
    expect_sound(test, &scene).await;
    days_pass(shop, 30).await;
    // 18,000 less 7,200.
    assert_eq!((books(test, shop).await, had(&scene).await), ([10_800, 0, 0], [2_000, 0]));
    expect_sound(test, &scene).await;
}

#[story::test]
async fn a_partial_refund_takes_the_affiliates_part_of_it_and_nothing_that_is_pledged(
    test: &TestApp,
) {
    let scene = Scene::open(test, json!({})).await;
    let shop = &scene.shop;
    let paid = scene.by_card(test, Scenario::Approves, 1).await;
    let advance = approved(test, shop, 7_200).await;
    withdraw_all(shop).await;
    // 1,800 of the part are free. Of 2,002 the affiliate gives 1,000 - 799 = 201, where
    // 1,000 × 7,998 / 10,000 = 799.8 stay, and the seller would have to give 1,801.
    let refused = try_refund(shop, &paid, json!({ "amountCents": 2_002 })).await;
    refused.expect_refusal(400, "INSUFFICIENT_BALANCE");
    assert_eq!((books(test, shop).await, had(&scene).await), ([0, 9_000, -7_200], [0, 1_000]));
    // Of 2,001 the affiliate gives as much, because 799.9 are rounded down as well.
    refund(shop, &paid, json!({ "amountCents": 2_001 })).await;
    assert_eq!((books(test, shop).await, had(&scene).await), ([0, 7_200, -7_200], [0, 799]));
    test.run_jobs().await;
    assert_eq!(scene.rows().await, [sale(799, "PENDING")]);
    assert_eq!(slices(&read(shop, &advance).await), [[1, 7_200, 30, 215]]);
    expect_sound(test, &scene).await;
    days_pass(shop, 30).await;
    assert_eq!(stands(shop, &advance).await, ("SETTLED".to_owned(), 0, 0));
    assert_eq!((books(test, shop).await, had(&scene).await), ([0, 0, 0], [799, 0]));
    // The rest is 7,999, of which the seller gives 7,200; the affiliate has 799 by now.
    shop.earn(7_200).await;
    refund(shop, &paid, json!({})).await;
    test.run_jobs().await;
    assert_eq!(shop.transaction(&paid).await["status"], "REFUNDED");
    assert_eq!((books(test, shop).await, had(&scene).await), ([0, 0, 0], [0, 0]));
    let clawback = ("CLAWBACK".to_owned(), -799, "PAID".to_owned());
    assert_eq!(scene.rows().await, [clawback, sale(799, "PAID")]);
    expect_sound(test, &scene).await;
}

#[story::test]
async fn a_dispute_lost_after_a_partial_refund_takes_what_is_left_of_both_shares(test: &TestApp) {
    let scene = Scene::open(test, json!({})).await;
    let shop = &scene.shop;
    let paid = scene.by_card(test, Scenario::Approves, 1).await;
    sell(test, shop, 3_000, 1).await;
    let advance = approved(test, shop, 7_200).await;
    assert_eq!(books(test, shop).await, [6_985, 12_000, -7_200]);
    // 200 of the affiliate's, and 1,800 of the balance.
    refund(shop, &paid, json!({ "amountCents": 2_000 })).await;
    test.run_jobs().await;
    assert_eq!(books(test, shop).await, [5_185, 12_000, -7_200]);
    assert_eq!((had(&scene).await, scene.rows().await), ([0, 800], vec![sale(800, "PENDING")]));
    shop.simulate(&paid, json!({ "outcome": "DISPUTED" })).await;
    // Of the other 8,000 the affiliate gives 800, and the part 7,200: 1,800 that are free and
    // 5,400 of the pledge. The other sale takes the place of 3,000, the balance pays 2,400.
    assert_eq!(books(test, shop).await, [2_785, 4_800, -4_800]);
    assert_eq!((had(&scene).await, held(test, DISPUTED).await), ([0, 0], 8_000));
    assert_eq!(slices(&read(shop, &advance).await), [[1, 1_800, 30, 215], [1, 3_000, 30, 0]]);
    assert_eq!(stands(shop, &advance).await, ("APPROVED".to_owned(), 4_800, 2_400));
    assert_eq!(newest(&scene).await["status"], "PENDING");
    expect_sound(test, &scene).await;
    shop.simulate(&paid, json!({ "outcome": "CHARGED_BACK" })).await;
    let lost = newest(&scene).await;
    assert_eq!(
        (&lost["status"], &lost["amountCents"], &lost["cancelReason"]),
        (&json!("CANCELLED"), &json!(800), &json!("dispute_lost"))
    );
    expect_sound(test, &scene).await;
    days_pass(shop, 30).await;
    assert_eq!(stands(shop, &advance).await, ("SETTLED".to_owned(), 0, 2_400));
    assert_eq!((books(test, shop).await, had(&scene).await), ([2_785, 0, 0], [0, 0]));
    // 13,000 came in and 10,000 went back: 2,785 are the seller's, 215 the platform's.
    assert_eq!((held(test, OUTSIDE).await, held(test, FEES).await), (-3_000, 215));
    assert_eq!(held(test, DISPUTED).await, 0);
    expect_sound(test, &scene).await;
}

/// In two parts of 5,000, of which 4,500 each are the seller's; the first settles on the day on
/// which the commission is released. 80 % of the second for a month cost 3,600 × 2.99 % = 107.64.
#[test]
fn a_dispute_after_the_release_takes_of_the_seller_what_the_affiliate_withdrew_and_the_advance() {
    let table = [
        ("CHARGED_BACK", [-1_108, 0, 0], [0, 0], -1_000),
        // 4,500 are available again and 4,500 wait, pledged to nothing.
        ("PAID", [4_392, 4_500, 0], [0, 0], 1_000),
    ];
    for (outcome, of_seller, of_affiliate, last_commission) in table {
        story(async |test| {
            let scene = Scene::open(test, json!({})).await;
            let shop = &scene.shop;
            let paid = scene.by_card(test, Scenario::Approves, 2).await;
            days_pass(shop, 30).await;
            assert_eq!(
                (books(test, shop).await, had(&scene).await),
                ([4_500, 4_500, 0], [1_000, 0])
            );
            withdraw_all(&scene.affiliate).await;
            let advance = approved(test, shop, 3_600).await;
            assert_eq!(slices(&advance), [[2, 3_600, 30, 108]]);
            assert_eq!(books(test, shop).await, [7_992, 4_500, -3_600]);
            shop.simulate(&paid, json!({ "outcome": "DISPUTED" })).await;
            // 7,992 less the 4,500 that had settled, the affiliate's 1,000 that are withdrawn, and
            // the 3,600 of the advance.
            assert_eq!((books(test, shop).await, had(&scene).await), ([-1_108, 0, 0], [0, 0]));
            assert_eq!(stands(shop, &advance).await, ("SETTLED".to_owned(), 0, 3_600));
            assert_eq!(scene.rows().await, [sale(1_000, "PAID")]);
            expect_sound(test, &scene).await;
            shop.simulate(&paid, json!({ "outcome": outcome })).await;
            assert_eq!((books(test, shop).await, had(&scene).await), (of_seller, of_affiliate));
            assert_eq!(newest(&scene).await["amountCents"], last_commission, "{outcome}");
            assert_eq!(held(test, DISPUTED).await, 0);
            expect_sound(test, &scene).await;
            days_pass(shop, 30).await;
            let settled = [of_seller[0] + of_seller[1], 0, 0];
            assert_eq!((books(test, shop).await, had(&scene).await), (settled, of_affiliate));
        });
    }
}
