//! Many at once: refunds never come to more than was paid, and never to more than there is.

use futures_util::future::join_all;
use serde_json::json;

use super::{held, refund, refund_statuses, refunds, try_refund};
use crate::harness::TestApp;
use crate::harness::shop::Shop;

#[story::test]
async fn of_sixty_four_partial_refunds_at_once_as_many_are_made_as_fit(test: &TestApp, shop: Shop) {
    shop.earn(100_000).await;
    let charge = shop.sell(1_000).await;
    let asked = (0..64).map(|_| try_refund(&shop, &charge, json!({ "amountCents": 70 })));
    let replies = join_all(asked).await;
    // 14 × 70 = 980, and a fifteenth would be 1,050.
    let made = replies.iter().filter(|reply| reply.status == 201).count();
    assert_eq!(made, 14);
    for reply in replies.iter().filter(|reply| reply.status != 201) {
        reply.expect_refusal(400, "AMOUNT_EXCEEDS_REFUNDABLE");
    }
    assert_eq!(refunds(&shop, &charge).await.len(), 14);
    assert_eq!((shop.available().await, held(test, 2200).await), (100_020, 980));
    test.run_jobs().await;
    assert_eq!(refund_statuses(&shop, &charge).await, ["COMPLETED"; 14]);
    assert_eq!(shop.transaction(&charge).await["refundedAmount"], 980);
    refund(&shop, &charge, json!({})).await;
    test.run_jobs().await;
    assert_eq!(shop.transaction(&charge).await["status"], "REFUNDED");
}

#[story::test]
async fn of_sixteen_full_refunds_at_once_one_is_made(test: &TestApp, shop: Shop) {
    let charge = shop.sell(1_000).await;
    let replies = join_all((0..16).map(|_| try_refund(&shop, &charge, json!({})))).await;
    assert_eq!(replies.iter().filter(|reply| reply.status == 201).count(), 1);
    assert_eq!((shop.available().await, held(test, 2200).await), (0, 1_000));
}

#[story::test]
async fn refunds_of_several_payments_at_once_never_take_more_than_the_balance(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let mut charges = Vec::new();
    for _ in 0..8 {
        charges.push(shop.sell(1_000).await);
    }
    shop.withdraw(5_000).await;
    let asked = charges.iter().map(|charge| try_refund(&shop, charge, json!({})));
    let replies = join_all(asked).await;
    assert_eq!(replies.iter().filter(|reply| reply.status == 201).count(), 3);
    for reply in replies.iter().filter(|reply| reply.status != 201) {
        reply.expect_refusal(400, "INSUFFICIENT_BALANCE");
    }
    assert_eq!((shop.available().await, held(test, 2200).await), (0, 3_000));
}
