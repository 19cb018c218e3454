//! Cards with real money: charges, their answers that are lost or late, and whose they are.

use std::time::Duration;

use serde_json::{Value, json};

use super::acquirer::{Acquirer, DIFFERENCES, GOOD, SLOW};
use super::{administrator, read, real, status};
use crate::harness::TestApp;
use crate::harness::shop::{Shop, id};

const MINUTE: Duration = Duration::from_mins(1);

#[story::test]
async fn a_card_is_charged_in_installments_for_the_buyer_that_the_order_names(
    test: &TestApp,
    shop: Shop,
) {
    let acquirer = Acquirer::routed(test).await;
    let sold = acquirer.sell(&shop, json!({ "installments": 3 })).await;
    let charge = read(&shop, &sold).await;
    assert_eq!((&charge["installments"], &charge["card"]["last4"]), (&json!(3), &json!("0010")));
    let sent = acquirer.sent("order.create").await;
    let body = &sent[0]["body"];
    assert_eq!(sent.len(), 1);
    assert_eq!(body["customer"]["document"], "52998224725");
    assert_eq!(body["customer"]["phones"]["mobile_phone"]["number"], "987654321");
    assert_eq!(body["payments"][0]["credit_card"]["installments"], 3);
    // The merchant's server made this call, whose address is not the buyer's.
    assert_eq!(body.get("ip"), None);
    test.prove_books().await;
}

#[story::test]
async fn a_declined_card_says_why_and_is_charged_nowhere(test: &TestApp, shop: Shop) {
    let acquirer = Acquirer::routed(test).await;
    let table = [
        ("4000000000009995", "insufficient_funds"),
        ("4000000000000069", "expired_card"),
        ("4000000000000002", "do_not_honor"),
        ("4000000000000127", "incorrect_cvc"),
    ];
    for (number, code) in table {
        let refused = acquirer.try_sell(&shop, number, json!({})).await;
        refused.expect_refusal(402, "CARD_DECLINED");
        assert!(refused.text.contains(code), "{}", refused.text);
        let listed = shop.owner.list("/api/v1/transactions").await;
        assert_eq!(listed[0]["status"], "FAILED");
    }
    assert_eq!(acquirer.charges().await.len(), 4);
}

#[story::test]
async fn a_token_that_was_used_or_has_expired_charges_nothing(test: &TestApp, shop: Shop) {
    let acquirer = Acquirer::routed(test).await;
    let token = acquirer.token(GOOD).await;
    acquirer.sell(&shop, json!({ "cardToken": token })).await;
    let used = acquirer.try_sell(&shop, GOOD, json!({ "cardToken": token })).await;
    assert_eq!(used.expect_refusal(400, "VALIDATION_ERROR"), ["cardToken"], "{}", used.text);
    let old = acquirer.token(GOOD).await;
    acquirer.pass(test, Duration::from_secs(61)).await;
    let late = acquirer.try_sell(&shop, GOOD, json!({ "cardToken": old })).await;
    assert_eq!(late.expect_refusal(400, "VALIDATION_ERROR"), ["cardToken"], "{}", late.text);
    assert_eq!(acquirer.charges().await.len(), 1);
}

#[story::test]
async fn a_charge_whose_answer_is_lost_is_asked_about_and_made_once(test: &TestApp, shop: Shop) {
    let acquirer = Acquirer::routed(test).await;
    acquirer.hide().await;
    acquirer.fault("order.create", json!({ "fault": "cut_after", "times": 1 })).await;
    let (charge, _) = acquirer.open(&shop, GOOD).await;
    acquirer.pass(test, MINUTE * 2).await;
    assert_eq!(status(&shop, &charge).await, "PROCESSING");
    acquirer.heal().await;
    acquirer.pass(test, MINUTE * 2).await;
    assert_eq!(status(&shop, &charge).await, "PAID");
    assert_eq!((acquirer.charges().await.len(), acquirer.sent("order.create").await.len()), (1, 1));
    test.prove_books().await;
}

#[story::test]
async fn a_charge_that_never_arrived_fails_once_it_can_no_longer_arrive(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    acquirer.fault("order.create", json!({ "fault": "cut_before", "times": 1 })).await;
    let reply = acquirer.try_sell(&shop, GOOD, json!({})).await;
    assert!(reply.status < 300, "{}", reply.text);
    for _ in 0..10 {
        acquirer.pass(test, MINUTE * 2).await;
    }
    assert_eq!(shop.owner.list("/api/v1/transactions").await[0]["status"], "FAILED");
    assert_eq!(acquirer.charges().await.len(), 0);
}

#[story::test]
async fn a_charge_that_the_antifraud_reviews_is_processing_until_it_decides(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    acquirer.at("/__settings", json!({ "pagarme_analyzes": true })).await;
    for (by, ends) in [("approved", "PAID"), ("reproved", "FAILED")] {
        let (charge, theirs) = acquirer.open(&shop, GOOD).await;
        acquirer.pass(test, MINUTE * 60).await;
        assert_eq!(status(&shop, &charge).await, "PROCESSING", "{by}");
        acquirer.decide(&theirs, json!({ "by": by })).await;
        acquirer.notify(&test.anyone(), &theirs).await.expect(200);
        test.run_jobs().await;
        assert_eq!(status(&shop, &charge).await, ends, "{by}");
    }
}

#[story::test]
async fn another_amount_than_was_asked_for_is_kept_for_an_administrator_and_never_booked(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    for cents in [9_999, 10_001] {
        let (charge, theirs) = acquirer.open(&shop, SLOW).await;
        acquirer.decide(&theirs, json!({ "amount_cents": cents })).await;
        acquirer.pass(test, MINUTE * 30).await;
        assert_eq!(status(&shop, &charge).await, "PROCESSING", "{cents}");
        let found = administrator(test).await.list(&format!("{DIFFERENCES}?status=OPEN")).await;
        let of_charge = found.iter().find(|found| found["reference"] == theirs.as_str());
        let of_charge = of_charge.expect("is kept");
        assert_eq!(
            (&of_charge["kind"], &of_charge["amount"]),
            (&json!("CARD_CHARGE"), &json!(cents))
        );
    }
    assert_eq!(super::available(&shop).await, 0);
}

#[story::test]
async fn a_charge_stays_with_its_own_acquirer_after_new_ones_go_to_another(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, first) = (real(shop).await, Acquirer::routed(test).await);
    let (open, theirs) = first.open(&shop, SLOW).await;
    let sold = first.sell(&shop, json!({})).await;
    let second = Acquirer::connected(test, 2).await;
    second.route().await;
    // Another acquirer does not know it, so asked there it would have never arrived.
    first.pass(test, MINUTE * 12).await;
    assert_eq!(status(&shop, &open).await, "PROCESSING");
    first.decide(&theirs, json!({})).await;
    first.pass(test, MINUTE * 2).await;
    assert_eq!(status(&shop, &open).await, "PAID");
    super::acquirer::refund(&shop, &sold, 10_000).await;
    test.run_jobs().await;
    assert_eq!(status(&shop, &sold).await, "REFUNDED");
    let new = second.sell(&shop, json!({})).await;
    assert_eq!(status(&shop, &new).await, "PAID");
    assert_eq!((first.charges().await.len(), second.charges().await.len()), (2, 1));
    assert_eq!(second.sent("charge.cancel").await.len(), 0);
}

#[story::test]
async fn a_kept_card_is_charged_each_period_by_the_acquirer_that_keeps_it(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, first) = (real(shop).await, Acquirer::routed(test).await);
    let plan = json!({ "name": "Clube", "amountCents": 3_000, "interval": "MONTHLY" });
    let plan = shop.owner.post("/api/subscriptions/plans", plan).await.expect(201)["data"].clone();
    let body = json!({
        "planId": id(&plan), "paymentMethod": "CREDIT_CARD", "cardToken": first.token(GOOD).await,
        "customer": { "name": "Ana Souza", "email": "ana@example.com",
            "document": "529.982.247-25" },
    });
    let made = test.anyone().post("/api/subscriptions/checkout", body).await.expect(201);
    assert_eq!(made["data"]["subscription"]["status"], "ACTIVE", "{made}");
    let month = MINUTE * 60 * 24 * 31;
    first.pass(test, month).await;
    let second = Acquirer::connected(test, 2).await;
    second.route().await;
    first.pass(test, month).await;
    let charges = first.charges().await;
    assert_eq!(charges.len(), 3);
    let card = |charge: &Value| charge["last_transaction"]["card"]["id"].clone();
    assert!(charges.iter().all(|charge| card(charge) == card(&charges[0])), "{charges:?}");
    assert_eq!(first.sent("token.create").await.len(), 1);
    assert_eq!(second.charges().await.len(), 0);
    let listed = shop.owner.list("/api/v1/transactions").await;
    assert_eq!(listed.iter().filter(|charge| charge["status"] == "PAID").count(), 3);
}
