//! What a refund takes, from where, and what comes back with it.

use std::time::Duration;

use sandbox::test_cards::Scenario;
use serde_json::{Value, json};

use super::{held, refund, refund_statuses, try_refund};
use crate::harness::shop::{Shop, id, merged};
use crate::harness::{TestApp, story};
use crate::methods::{balance, days_pass};
use crate::sandbox::sell_by_card;

/// Sells for 10,000 in three installments: 3,334 + 3,333 + 3,333.
async fn in_three(test: &TestApp, shop: &Shop, scenario: Scenario) -> Value {
    sell_by_card(test, shop, scenario, 10_000, 3).await
}

#[story::test]
async fn what_the_balance_lacks_is_taken_from_the_same_sales_last_installments(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let card = in_three(test, &shop, Scenario::Approves).await;
    shop.earn(1_000).await;
    refund(&shop, &card, json!({ "amountCents": 5_000 })).await;
    // 1,000 available, then 3,333 of the third installment and 667 of the second.
    assert_eq!(balance(&shop).await, (json!(0), json!(6_000)));
    test.run_jobs().await;
    for (days, available) in [(30, 3_334), (30, 6_000), (30, 6_000)] {
        days_pass(&shop, days).await;
        assert_eq!(balance(&shop).await, (json!(available), json!(6_000 - available)));
    }
    // 10,000 - 5,000 are left to give back, and all of the 6,000 is available.
    refund(&shop, &card, json!({})).await;
    test.run_jobs().await;
    assert_eq!(shop.transaction(&card).await["status"], "REFUNDED");
    assert_eq!(balance(&shop).await, (json!(1_000), json!(0)));
}

#[story::test]
async fn another_sales_unsettled_parts_are_not_touched(test: &TestApp, shop: Shop) {
    in_three(test, &shop, Scenario::Approves).await;
    let charge = shop.sell(1_000).await;
    shop.withdraw(600).await;
    let lacking = try_refund(&shop, &charge, json!({ "amountCents": 401 })).await;
    lacking.expect_refusal(400, "INSUFFICIENT_BALANCE");
    assert_eq!(balance(&shop).await, (json!(400), json!(10_000)));
    refund(&shop, &charge, json!({ "amountCents": 400 })).await;
    assert_eq!(balance(&shop).await, (json!(0), json!(10_000)));
    assert_eq!(held(test, 2200).await, 400);
}

#[story::test]
async fn a_part_that_settled_meanwhile_gives_back_to_the_balance(test: &TestApp, shop: Shop) {
    let card = in_three(test, &shop, Scenario::RefundsLate).await;
    refund(&shop, &card, json!({ "amountCents": 7_000 })).await;
    test.run_jobs().await;
    // 3,333 + 3,333 + 334 are taken, so the first installment settles to 3,000.
    days_pass(&shop, 30).await;
    shop.simulate(&card, json!({ "outcome": "REFUND_FAILED" })).await;
    for _ in 0..2 {
        test.run_jobs_after(Duration::from_mins(1)).await;
    }
    assert_eq!(refund_statuses(&shop, &card).await, ["FAILED refused_by_issuer"]);
    // 3,000 + 334 are available; 3,333 + 3,333 wait again.
    assert_eq!(balance(&shop).await, (json!(3_334), json!(6_666)));
    days_pass(&shop, 61).await;
    assert_eq!(balance(&shop).await, (json!(10_000), json!(0)));
}

#[story::test(|settings| settings.pix_fee_cents = 50)]
async fn the_platforms_fee_is_not_given_back(test: &TestApp, shop: Shop) {
    let charge = shop.sell(1_000).await;
    assert_eq!(shop.available().await, 950);
    try_refund(&shop, &charge, json!({})).await.expect_refusal(400, "INSUFFICIENT_BALANCE");
    shop.sell(200).await;
    // 950 + 150 - 1,000 = 100.
    refund(&shop, &charge, json!({})).await;
    test.run_jobs().await;
    assert_eq!((shop.available().await, held(test, 4000).await), (100, 100));
}

#[story::test]
async fn a_full_refund_frees_the_coupon_and_a_partial_one_does_not(test: &TestApp, shop: Shop) {
    let coupon = json!({
        "code": "DEZ", "discountType": "FIXED", "discountValue": 1_000, "usageLimit": 1,
    });
    let coupon = shop.key.post("/api/v1/coupons", coupon).await.expect(201)["coupon"].clone();
    let path = format!("/api/v1/coupons/{}", id(&coupon));
    let uses = async || shop.key.get(&path).await.expect(200)["coupon"]["usageCount"].clone();
    let sale = json!({ "amountCents": 5_000, "couponCode": "DEZ" });
    let charge = shop.charge_with(sale.clone()).await;
    shop.pay(&charge).await;
    refund(&shop, &charge, json!({ "amountCents": 3_999 })).await;
    test.run_jobs().await;
    assert_eq!(uses().await, 1);
    refund(&shop, &charge, json!({})).await;
    test.run_jobs().await;
    assert_eq!(uses().await, 0);
    shop.try_charge(sale).await.expect(201);
}

#[test]
fn what_was_sold_comes_back_once_and_only_if_a_refund_says_so() {
    let table = [
        (vec![json!({})], 3),
        (vec![json!({ "restock": true })], 5),
        (vec![json!({ "amountCents": 10, "restock": true })], 3),
        (vec![json!({ "amountCents": 10, "restock": true }), json!({})], 5),
        (vec![json!({ "amountCents": 10, "restock": true }), json!({ "restock": true })], 5),
    ];
    for (asked, left) in table {
        story(async |test| {
            let shop = test.shop("Loja").await;
            let stock = json!({ "stockEnabled": true, "stockQuantity": 5 });
            let product = shop.product(stock.clone()).await;
            let items = json!([{ "productId": id(&product), "quantity": 2 }]);
            let link = shop.link_with(merged(stock, &json!({ "products": items }))).await;
            let sale = json!({ "paymentLinkId": id(&link) });
            let charge = shop.charge_with(sale).await;
            shop.pay(&charge).await;
            for more in &asked {
                refund(&shop, &charge, more.clone()).await;
                test.run_jobs().await;
            }
            assert_eq!(shop.read_product(&product).await["stockQuantity"], left, "{asked:?}");
            let of_link = if left == 5 { 5 } else { 4 };
            assert_eq!(shop.read_link(&link).await["stockQuantity"], of_link, "{asked:?}");
        });
    }
}
