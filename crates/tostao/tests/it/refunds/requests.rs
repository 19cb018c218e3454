//! Asking for a refund: what is answered, and what is refused.

use sandbox::test_cards::Scenario;
use serde_json::{Value, json};

use super::{held, refund, refund_statuses, refunds, try_refund};
use crate::harness::shop::Shop;
use crate::harness::{START, TestApp};
use crate::methods::days_pass;
use crate::sandbox::sell_by_card;

async fn boleto(shop: &Shop) -> Value {
    let boleto = shop.boleto(10_000).await;
    shop.pay(&boleto).await
}

#[story::test]
async fn a_refund_holds_the_money_and_goes_back_by_itself(test: &TestApp, shop: Shop) {
    let charge = shop.sell(1_000).await;
    let asked = json!({ "amountCents": 400, "externalId": "d-1" });
    let reply = try_refund(&shop, &charge, asked).await.expect(201);
    let now = START.replace('Z', ".000Z");
    let expected = json!({
        "id": reply["refund"]["id"], "transactionId": charge["id"], "externalId": "d-1",
        "amountCents": 400, "reason": "Veio com um risco.", "status": "PENDING",
        "failureReason": null, "restock": false, "createdAt": now, "completedAt": null,
        "failedAt": null,
    });
    assert_eq!(reply["refund"], expected);
    assert_eq!(reply["transaction"]["refundedAmount"], 0);
    assert_eq!((shop.available().await, held(test, 2200).await), (600, 400));
    test.run_jobs().await;
    let done = refunds(&shop, &charge).await;
    assert_eq!((&done[0]["status"], &done[0]["completedAt"]), (&json!("COMPLETED"), &json!(now)));
    let some = shop.transaction(&charge).await;
    assert_eq!((&some["status"], &some["refundedAmount"]), (&json!("PAID"), &json!(400)));
    assert_eq!((shop.available().await, held(test, 2200).await), (600, 0));
    refund(&shop, &charge, json!({})).await;
    test.run_jobs().await;
    let all = shop.transaction(&charge).await;
    assert_eq!((&all["status"], &all["refundedAmount"]), (&json!("REFUNDED"), &json!(1_000)));
    assert_eq!(all["refundedAt"], now);
    let names = shop.events().await;
    let reported = ["transaction.refunded", "balance.updated"];
    assert_eq!(names[names.len() - 2..], reported);
    let steps = shop.steps(&charge).await;
    assert_eq!(steps.iter().filter(|kind| *kind == "REFUNDED").count(), 2, "{steps:?}");
}

#[story::test]
async fn no_more_goes_back_than_came(test: &TestApp, shop: Shop) {
    shop.earn(5_000).await;
    let charge = shop.sell(1_000).await;
    let too_much = try_refund(&shop, &charge, json!({ "amountCents": 1_001 })).await;
    too_much.expect_refusal(400, "AMOUNT_EXCEEDS_REFUNDABLE");
    refund(&shop, &charge, json!({ "amountCents": 700 })).await;
    // 1,000 - 700 on their way = 300.
    let too_much = try_refund(&shop, &charge, json!({ "amountCents": 301 })).await;
    too_much.expect_refusal(400, "AMOUNT_EXCEEDS_REFUNDABLE");
    refund(&shop, &charge, json!({ "amountCents": 300 })).await;
    try_refund(&shop, &charge, json!({})).await.expect_refusal(400, "AMOUNT_EXCEEDS_REFUNDABLE");
    test.run_jobs().await;
    try_refund(&shop, &charge, json!({})).await.expect_refusal(409, "INVALID_STATE_TRANSITION");
    assert_eq!(refund_statuses(&shop, &charge).await, ["COMPLETED", "COMPLETED"]);
    assert_eq!(shop.available().await, 5_000);
}

#[story::test]
async fn only_what_was_paid_is_given_back(shop: Shop) {
    let open = shop.charge(1_000).await;
    try_refund(&shop, &open, json!({})).await.expect_refusal(409, "INVALID_STATE_TRANSITION");
    let coupon = json!({ "code": "TUDO", "discountType": "PERCENTAGE", "discountValue": 100 });
    shop.key.post("/api/v1/coupons", coupon).await.expect(201);
    let sale = json!({ "amountCents": 5_000, "couponCode": "TUDO" });
    let free = shop.charge_with(sale).await;
    let refused = try_refund(&shop, &free, json!({})).await;
    assert_eq!(refused.expect(409)["currentStatus"], "PAID");
    assert!(refunds(&shop, &free).await.is_empty());
}

#[story::test]
async fn a_payment_can_be_given_back_for_so_many_days_and_no_longer(test: &TestApp, shop: Shop) {
    let card = sell_by_card(test, &shop, Scenario::Approves, 1_000, 1).await;
    let (pix, boleto) = (shop.sell(1_000).await, boleto(&shop).await);
    let one = json!({ "amountCents": 1, "refundPixKey": "ana@example.com" });
    days_pass(&shop, 90).await;
    for charge in [&pix, &boleto, &card] {
        refund(&shop, charge, one.clone()).await;
    }
    days_pass(&shop, 1).await;
    for charge in [&pix, &boleto] {
        let late = try_refund(&shop, charge, one.clone()).await;
        late.expect_refusal(409, "INVALID_STATE_TRANSITION");
        assert!(late.text.contains("90 days"), "{}", late.text);
    }
    days_pass(&shop, 89).await;
    refund(&shop, &card, one.clone()).await;
    days_pass(&shop, 1).await;
    let late = try_refund(&shop, &card, one).await;
    late.expect_refusal(409, "INVALID_STATE_TRANSITION");
    assert!(late.text.contains("180 days"), "{}", late.text);
}

#[story::test]
async fn an_invalid_request_names_the_field(test: &TestApp) {
    let table: [(Value, &str, &str); 9] = [
        (json!({ "reason": null }), "VALIDATION_ERROR", "reason"),
        (json!({ "reason": " " }), "VALIDATION_ERROR", "reason"),
        (json!({ "reason": "a".repeat(501) }), "VALIDATION_ERROR", "reason"),
        (json!({ "amountCents": 0 }), "VALIDATION_ERROR", "amountCents"),
        (json!({ "amountCents": 1.5 }), "VALIDATION_ERROR", "amountCents"),
        (json!({ "externalId": "a".repeat(256) }), "VALIDATION_ERROR", "externalId"),
        (json!({ "pixKeyType": "evp" }), "VALIDATION_ERROR", "pixKeyType"),
        (json!({ "refundPixKey": "ana" }), "INVALID_PIX_KEY", "refundPixKey"),
        // A CPF and a mobile number alike.
        (json!({ "refundPixKey": "11912345684" }), "INVALID_PIX_KEY", "refundPixKey"),
    ];
    let shop = test.shop("Loja").await;
    let boleto = boleto(&shop).await;
    days_pass(&shop, 3).await;
    for (more, code, field) in &table {
        let refused = try_refund(&shop, &boleto, more.clone()).await;
        assert_eq!(refused.expect_refusal(400, code), [*field], "{more}");
    }
    let nowhere = try_refund(&shop, &boleto, json!({})).await;
    assert_eq!(nowhere.expect_refusal(400, "VALIDATION_ERROR"), ["refundPixKey"]);
    let known = json!({ "refundPixKey": "11912345684", "pixKeyType": "cpf" });
    refund(&shop, &boleto, known).await;
}

#[story::test]
async fn the_same_request_again_is_the_same_refund(shop: Shop) {
    let charge = shop.sell(1_000).await;
    let mut once = shop.clone();
    once.key = shop.key.with("idempotency-key", "one");
    let first = try_refund(&once, &charge, json!({ "amountCents": 100 })).await;
    let again = try_refund(&once, &charge, json!({ "amountCents": 100 })).await;
    again.expect_replay_of(&first, 201);
    let other = try_refund(&once, &charge, json!({ "amountCents": 101 })).await;
    other.expect_refusal(422, "IDEMPOTENCY_KEY_REUSED");
    let named = json!({ "amountCents": 100, "externalId": "d-1" });
    refund(&shop, &charge, named.clone()).await;
    try_refund(&shop, &charge, named).await.expect_refusal(409, "ALREADY_EXISTS");
    assert_eq!(refunds(&shop, &charge).await.len(), 2);
    assert_eq!(shop.available().await, 800);
}
