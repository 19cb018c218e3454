//! Money that came late for what was gone goes back by itself.

use std::time::Duration;

use serde_json::{Value, json};

use super::{refund_statuses, refunds};
use crate::harness::TestApp;
use crate::harness::shop::{Shop, id};
use crate::methods::balance;

/// Has a sale expire, sells its only piece to another, and lets its buyer pay.
async fn oversell(test: &TestApp, shop: &Shop, method: &str) -> Value {
    let stock = json!({ "amountCents": 1_000, "stockEnabled": true, "stockQuantity": 1 });
    let link = shop.link_with(stock).await;
    let sale = json!({ "paymentLinkId": id(&link), "method": method });
    let late = shop.charge_with(sale).await;
    test.run_jobs_after(Duration::from_hours(24 * 30)).await;
    let other = json!({ "paymentLinkId": id(&link) });
    let other = shop.charge_with(other).await;
    shop.pay(&other).await;
    let paid = shop.pay(&late).await;
    assert_eq!((&paid["status"], &paid["oversold"]), (&json!("PAID"), &json!(true)));
    paid
}

#[story::test]
async fn it_goes_back_in_full_and_the_stock_stays_as_it_is(test: &TestApp, shop: Shop) {
    let late = oversell(test, &shop, "PIX").await;
    assert_eq!(refund_statuses(&shop, &late).await, ["PENDING"]);
    test.run_jobs().await;
    let back = shop.transaction(&late).await;
    assert_eq!((&back["status"], &back["refundedAmount"]), (&json!("REFUNDED"), &json!(1_000)));
    assert_eq!(refunds(&shop, &late).await[0]["restock"], false);
    assert_eq!(balance(&shop).await, (json!(1_000), json!(0)));
    let names = shop.events().await;
    let reported: Vec<_> = names.iter().filter(|n| n.starts_with("transaction.")).collect();
    assert_eq!(reported[reported.len() - 2..], ["transaction.paid", "transaction.refunded"]);
}

#[story::test(|settings| settings.pix_fee_cents = 50)]
async fn it_goes_back_even_if_the_merchant_then_owes_the_fee(test: &TestApp, shop: Shop) {
    let late = oversell(test, &shop, "PIX").await;
    test.run_jobs().await;
    assert_eq!(shop.transaction(&late).await["status"], "REFUNDED");
    // 950 of the other sale, 950 of this one, and 1,000 back.
    assert_eq!(balance(&shop).await, (json!(900), json!(0)));
}

#[story::test]
async fn a_boleto_waits_for_the_merchant_to_say_where_to(test: &TestApp, shop: Shop) {
    let late = oversell(test, &shop, "BOLETO").await;
    test.run_jobs().await;
    assert!(refunds(&shop, &late).await.is_empty());
    assert_eq!(shop.transaction(&late).await["status"], "PAID");
}
