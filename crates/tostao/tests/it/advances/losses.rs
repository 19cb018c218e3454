//! When what was pledged is refunded or contested: another receivable, or the balance.

use futures_util::future::join;
use serde_json::{Value, json};

use super::{
    ADVANCED, approved, available, books, decide, path, read, request, sell, slices, stands,
    withdraw_all,
};
use crate::harness::shop::Shop;
use crate::harness::{TestApp, story};
use crate::methods::{balance, days_pass};
use crate::refunds::{held, refund, refund_statuses, try_refund};

/// What a merchant owes after an advance of 8,000 that nothing covers: 8,000 × 2.99 % for a month.
const FEE: i64 = 239;

async fn becomes(shop: &Shop, charge: &Value, outcome: &str) {
    shop.simulate(charge, json!({ "outcome": outcome })).await;
}

#[story::test]
async fn a_refunded_receivable_is_replaced_by_the_next_one(test: &TestApp, shop: Shop) {
    let first = sell(test, &shop, 10_000, 1).await;
    days_pass(&shop, 1).await;
    sell(test, &shop, 10_000, 1).await;
    let advance = approved(test, &shop, 8_000).await;
    // 8,000 × 2.99 % × 29 / 30 = 231.2266…
    assert_eq!(slices(&advance), [[1, 8_000, 29, 231]]);
    withdraw_all(&shop).await;
    refund(&shop, &first, json!({})).await;
    // All 10,000 came from the first sale's part; the second one's stands for the advance.
    assert_eq!(books(test, &shop).await, [0, 10_000, -8_000]);
    let now = read(&shop, &advance).await;
    assert_eq!(slices(&now), [[1, 0, 29, 231], [1, 8_000, 30, 0]]);
    assert_eq!((&now["feeCents"], &now["debitedCents"]), (&json!(231), &json!(0)));
    test.run_jobs().await;
    assert_eq!(refund_statuses(&shop, &first).await, ["COMPLETED"]);
    days_pass(&shop, 29).await;
    assert_eq!(stands(&shop, &advance).await, ("APPROVED".to_owned(), 8_000, 0));
    days_pass(&shop, 1).await;
    assert_eq!(stands(&shop, &advance).await, ("SETTLED".to_owned(), 0, 0));
    assert_eq!(books(test, &shop).await, [2_000, 0, 0]);
}

#[story::test]
async fn what_is_free_of_a_part_goes_back_before_what_is_pledged(test: &TestApp, shop: Shop) {
    let sale = sell(test, &shop, 10_000, 1).await;
    let advance = approved(test, &shop, 8_000).await;
    withdraw_all(&shop).await;
    refund(&shop, &sale, json!({ "amountCents": 2_000 })).await;
    assert_eq!(slices(&read(&shop, &advance).await), [[1, 8_000, 30, FEE]]);
    assert_eq!(books(test, &shop).await, [0, 8_000, -8_000]);
    days_pass(&shop, 30).await;
    assert_eq!(books(test, &shop).await, [0, 0, 0]);
}

#[story::test]
async fn a_merchant_gives_nothing_back_that_was_paid_out_in_advance(test: &TestApp, shop: Shop) {
    let sale = sell(test, &shop, 10_000, 1).await;
    let advance = approved(test, &shop, 8_000).await;
    withdraw_all(&shop).await;
    // The buyer would have the platform's money: 2,000 of the part are the merchant's own.
    let before = (read(&shop, &advance).await, books(test, &shop).await);
    for cents in [10_000, 2_001] {
        let refused = try_refund(&shop, &sale, json!({ "amountCents": cents })).await;
        refused.expect_refusal(400, "INSUFFICIENT_BALANCE");
    }
    assert_eq!((read(&shop, &advance).await, books(test, &shop).await), before);
    // One more cent to take its place is enough for one more cent.
    sell(test, &shop, 1, 1).await;
    refund(&shop, &sale, json!({ "amountCents": 2_001 })).await;
    days_pass(&shop, 30).await;
    assert_eq!(stands(&shop, &advance).await, ("SETTLED".to_owned(), 0, 0));
    assert_eq!(books(test, &shop).await, [0, 0, 0]);
}

#[story::test]
async fn a_refund_that_the_balance_pays_leaves_the_pledge_alone(test: &TestApp, shop: Shop) {
    let sale = sell(test, &shop, 10_000, 1).await;
    let advance = approved(test, &shop, 8_000).await;
    shop.earn(10_000).await;
    refund(&shop, &sale, json!({})).await;
    test.run_jobs().await;
    assert_eq!(shop.transaction(&sale).await["status"], "REFUNDED");
    assert_eq!(slices(&read(&shop, &advance).await), [[1, 8_000, 30, FEE]]);
    // What is free of it is given back already, and stands for nothing new.
    assert_eq!(available(&shop).await, (0, 0));
    days_pass(&shop, 30).await;
    assert_eq!(stands(&shop, &advance).await, ("SETTLED".to_owned(), 0, 0));
    // 8,000 - 239 + 10,000 - 10,000, and 2,000 of the part.
    assert_eq!(books(test, &shop).await, [9_761, 0, 0]);
}

#[story::test]
async fn a_refund_that_fails_leaves_the_pledge_where_it_went(test: &TestApp, shop: Shop) {
    let first = sell(test, &shop, 10_000, 1).await;
    sell(test, &shop, 10_000, 1).await;
    let advance = approved(test, &shop, 8_000).await;
    withdraw_all(&shop).await;
    refund(&shop, &first, json!({})).await;
    becomes(&shop, &first, "REFUND_FAILED").await;
    test.run_jobs().await;
    assert_eq!(refund_statuses(&shop, &first).await, ["FAILED refused_by_issuer"]);
    assert_eq!(slices(&read(&shop, &advance).await), [[1, 0, 30, FEE], [1, 8_000, 30, 0]]);
    assert_eq!(books(test, &shop).await, [0, 20_000, -8_000]);
    days_pass(&shop, 30).await;
    assert_eq!(books(test, &shop).await, [12_000, 0, 0]);
}

#[test]
fn a_contested_receivable_that_nothing_replaces_is_paid_back_at_once() {
    for (outcome, at_the_end) in [("CHARGED_BACK", -FEE), ("PAID", 10_000 - FEE)] {
        story(async |test| {
            let shop = test.shop("Loja").await;
            let sale = sell(test, &shop, 10_000, 1).await;
            let advance = approved(test, &shop, 8_000).await;
            becomes(&shop, &sale, "DISPUTED").await;
            // 7,761 were paid out, and 8,000 are wanted back.
            assert_eq!(books(test, &shop).await, [-FEE, 0, 0]);
            assert_eq!(stands(&shop, &advance).await, ("SETTLED".to_owned(), 0, 8_000));
            let names = shop.events().await;
            let expected = ["advance.settled", "transaction.disputed", "balance.updated"];
            assert_eq!(names[names.len() - 3..], expected);
            let proof = shop.key.get("/api/ledger/verify").await.expect(200);
            assert_eq!(proof["success"], true, "{proof}");
            becomes(&shop, &sale, outcome).await;
            // The slot is free; what came back is pledged to nothing.
            request(&shop, 1_000).await;
            days_pass(&shop, 30).await;
            assert_eq!(books(test, &shop).await, [at_the_end, 0, 0]);
        });
    }
}

#[story::test]
async fn a_contested_receivable_is_replaced_as_far_as_there_is_something(test: &TestApp) {
    let (shop, other) = (test.shop("Loja").await, test.shop("Outra").await);
    let sale = sell(test, &shop, 10_000, 1).await;
    sell(test, &shop, 3_000, 1).await;
    // What is another's replaces nothing.
    sell(test, &other, 10_000, 1).await;
    let advance = approved(test, &shop, 8_000).await;
    becomes(&shop, &sale, "DISPUTED").await;
    // 3,000 of the other sale, and 5,000 of the balance's 7,761.
    assert_eq!(books(test, &shop).await, [2_761, 3_000, -3_000]);
    assert_eq!(stands(&shop, &advance).await, ("APPROVED".to_owned(), 3_000, 5_000));
    let lines = shop.key.get("/api/balance/entries").await.expect(200);
    assert_eq!(lines["data"][0]["kind"], "advance_debited");
    assert_eq!(lines["data"][0]["amountCents"], -5_000);
    becomes(&shop, &sale, "CHARGED_BACK").await;
    days_pass(&shop, 30).await;
    assert_eq!(stands(&shop, &advance).await, ("SETTLED".to_owned(), 0, 5_000));
    assert_eq!(books(test, &shop).await, [2_761, 0, 0]);
    assert_eq!(balance(&other).await, (json!(0), json!(10_000)));
}

#[story::test]
async fn a_replacement_can_be_lost_as_well(test: &TestApp, shop: Shop) {
    let mut sales = Vec::new();
    for _ in 0..3 {
        sales.push(sell(test, &shop, 4_000, 2).await);
    }
    // Three firsts of 2,000 in thirty days, three seconds in sixty: 6,000 and 2,000 of these.
    let advance = approved(test, &shop, 8_000).await;
    // 2,000 × 2.99 % = 59.8 three times, and for two months 119.6.
    assert_eq!((&advance["feeCents"], shop.available().await), (&json!(300), 7_700));
    becomes(&shop, &sales[0], "DISPUTED").await;
    // 4,000 are gone, and 4,000 of the two seconds take their place.
    assert_eq!(stands(&shop, &advance).await, ("APPROVED".to_owned(), 8_000, 0));
    assert_eq!(books(test, &shop).await, [7_700, 8_000, -8_000]);
    becomes(&shop, &sales[1], "DISPUTED").await;
    // Another 4,000 are gone, and nothing is left.
    assert_eq!(stands(&shop, &advance).await, ("APPROVED".to_owned(), 4_000, 4_000));
    assert_eq!(books(test, &shop).await, [3_700, 4_000, -4_000]);
    becomes(&shop, &sales[0], "PAID").await;
    becomes(&shop, &sales[2], "DISPUTED").await;
    // What had come back takes their place.
    assert_eq!(stands(&shop, &advance).await, ("APPROVED".to_owned(), 4_000, 4_000));
    assert_eq!(books(test, &shop).await, [3_700, 4_000, -4_000]);
    days_pass(&shop, 60).await;
    assert_eq!(stands(&shop, &advance).await, ("SETTLED".to_owned(), 0, 4_000));
    assert_eq!(books(test, &shop).await, [3_700, 0, 0]);
    let settled =
        shop.events_of("advance.").await.iter().filter(|name| *name == "advance.settled").count();
    assert_eq!(settled, 1);
}

#[story::test]
async fn an_approval_and_a_dispute_at_once_agree_on_what_is_there(test: &TestApp, shop: Shop) {
    for _ in 0..4 {
        let sale = sell(test, &shop, 10_000, 3).await;
        let advance = request(&shop, 8_000).await;
        let dispute = becomes(&shop, &sale, "DISPUTED");
        let (approval, ()) = join(decide(test, &advance, "approve"), dispute).await;
        if approval.status == 200 {
            assert_eq!(stands(&shop, &advance).await, ("SETTLED".to_owned(), 0, 8_000));
        } else {
            approval.expect_refusal(409, "INSUFFICIENT_RECEIVABLES");
            shop.key.post(&path(&advance, "cancel"), json!({})).await.expect(200);
        }
        assert_eq!(held(test, ADVANCED).await, 0);
        becomes(&shop, &sale, "CHARGED_BACK").await;
    }
    assert_eq!(balance(&shop).await.1, json!(0));
}
