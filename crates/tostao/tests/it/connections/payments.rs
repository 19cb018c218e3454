//! Payments that the bank confirms: without a notice, of another amount, late, for no charge.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Bank, KEY, administrator, as_real, available, charge, real, status};
use crate::affiliates::{join, program};
use crate::harness::TestApp;
use crate::harness::shop::{Shop, id};

#[story::test]
async fn a_payment_whose_notice_is_lost_is_found_within_minutes(test: &TestApp, shop: Shop) {
    let bank = Bank::routed(test).await;
    test.run_jobs().await;
    let charge = charge(&shop, 1_000).await;
    bank.pays(&charge, json!({})).await;
    pass(test, &bank, Duration::from_mins(8)).await;
    assert_eq!(status(&shop, &charge).await, "PAID");
    assert_eq!(available(&shop).await, 1_000);
}

#[story::test]
async fn money_of_another_amount_is_set_aside_and_the_excess_too(test: &TestApp, shop: Shop) {
    let bank = Bank::routed(test).await;
    let (less, more) = (charge(&shop, 1_000).await, charge(&shop, 1_000).await);
    let little = bank.pays(&less, json!({ "amount_cents": 900 })).await;
    let much = bank.pays(&more, json!({ "amount_cents": 1_500 })).await;
    for paid in [little, much] {
        bank.notify(test, &paid).await.expect(200);
    }
    test.run_jobs().await;
    assert_eq!(status(&shop, &less).await, "PENDING");
    assert_eq!(status(&shop, &more).await, "PAID");
    assert_eq!(available(&shop).await, 1_000);
}

#[story::test]
async fn money_for_no_charge_waits_for_an_administrator(test: &TestApp) {
    let bank = Bank::routed(test).await;
    let payment = json!({ "dialect": "efi", "key": KEY, "amount_cents": 700 });
    let paid = bank.at("/__pay", payment).await;
    let paid = paid["e2e"][0].as_str().expect("has an id").to_owned();
    bank.notify(test, &paid).await.expect(200);
    test.run_jobs().await;
    let unknown = bank.admin.list("/api/admin/unmatched").await;
    assert_eq!(unknown.len(), 1);
    assert_eq!((&unknown[0]["amount"], &unknown[0]["paymentId"]), (&json!(700), &json!(paid)));
    assert_eq!(unknown[0]["provider"], "efi-main");
}

#[story::test]
async fn no_administrator_matches_money_to_a_sale_that_they_are_promised_a_commission_on(
    test: &TestApp,
) {
    let bank = Bank::routed(test).await;
    let shop = as_real(test.shop("Loja").await).await;
    let affiliate = as_real(test.shop_again("Admin").await).await;
    let product = shop.product(json!({ "name": "Curso", "price": 10_000 })).await;
    let link = join(&affiliate, &program(&shop, &product, json!({})).await).await;
    let sale = json!({
        "items": [{ "productId": id(&product), "quantity": 1 }], "method": "PIX",
        "affiliateCode": link["code"],
        "customer": {
            "name": "Ana", "email": "ana@example.com", "document": "529.982.247-25",
        },
    });
    let sale = shop.key.post("/api/v1/transactions", sale).await.expect(201)["transaction"].clone();
    let payment = json!({ "dialect": "efi", "key": KEY, "amount_cents": 10_000 });
    let paid = bank.at("/__pay", payment).await;
    bank.notify(test, paid["e2e"][0].as_str().expect("has an id")).await.expect(200);
    test.run_jobs().await;
    let money = bank.admin.list("/api/admin/unmatched").await;
    let path = format!("/api/admin/unmatched/{}/match", id(&money[0]));
    let to = json!({ "transactionId": id(&sale) });
    bank.admin.post(&path, to.clone()).await.expect_refusal(403, "SELF_APPROVAL");
    assert_eq!(status(&shop, &sale).await, "PENDING");
    let other = test.other_admin().await.with("x-dev-mode", "false");
    other.post(&path, to).await.expect(200);
    assert_eq!(status(&shop, &sale).await, "PAID");
    test.prove_books().await;
}

/// The differences about payments of another connection's charges.
async fn of_others(bank: &Bank) -> Vec<Value> {
    let mut found = bank.admin.list("/api/admin/reconciliation?status=OPEN").await;
    found.retain(|it| it["kind"] == "OTHER_CONNECTION");
    found
}

#[story::test]
async fn payments_of_another_connections_charges_are_one_difference_and_not_booked_again(
    test: &TestApp,
    shop: Shop,
) {
    let (mut bank, shop) = (Bank::routed(test).await, real(shop).await);
    let second = bank.second().await;
    bank.route("payout", id(&second)).await.expect(200);
    test.run_jobs().await;
    let charges = [charge(&shop, 1_000).await, charge(&shop, 1_000).await];
    let paid = bank.pays(&charges[0], json!({})).await;
    pass(test, &bank, Duration::from_mins(8)).await;
    bank.pays(&charges[1], json!({})).await;
    pass(test, &bank, Duration::from_mins(8)).await;
    for charge in &charges {
        assert_eq!(status(&shop, charge).await, "PAID");
    }
    assert_eq!(available(&shop).await, 2_000);
    bank.admin = administrator(test).await;
    assert!(bank.admin.list("/api/admin/unmatched").await.is_empty());
    let found = of_others(&bank).await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((&found[0]["amount"], &found[0]["reference"]), (&json!(1_000), &json!("efi-main")));
    let details = &found[0]["details"];
    assert_eq!((&details["connection"], &details["paymentId"]), (&json!("efi-main"), &json!(paid)));
    // Closed, it is open again with the next payment, and with none that was reported before.
    let path = format!("/api/admin/reconciliation/{}/resolve", id(&found[0]));
    bank.admin.post(&path, json!({ "note": "A mesma conta." })).await.expect(200);
    pass(test, &bank, Duration::from_mins(8)).await;
    bank.admin = administrator(test).await;
    assert!(of_others(&bank).await.is_empty());
    let third = charge(&shop, 500).await;
    bank.pays(&third, json!({})).await;
    pass(test, &bank, Duration::from_mins(8)).await;
    bank.admin = administrator(test).await;
    assert_eq!(of_others(&bank).await[0]["amount"], 500);
    test.prove_books().await;
}

#[story::test]
async fn a_charge_is_asked_about_before_it_expires(test: &TestApp, shop: Shop) {
    let (bank, shop) = (Bank::routed(test).await, real(shop).await);
    let (paid, unpaid) = (charge(&shop, 1_000).await, charge(&shop, 1_000).await);
    bank.pays(&paid, json!({})).await;
    bank.fault("pix.list", json!({ "fault": "status", "status": 500, "times": 99 })).await;
    pass(test, &bank, Duration::from_hours(2)).await;
    assert_eq!(status(&shop, &paid).await, "PAID");
    assert_eq!(status(&shop, &unpaid).await, "EXPIRED");
}

#[story::test]
async fn a_charge_does_not_expire_while_its_bank_cannot_say_whether_it_was_paid(
    test: &TestApp,
    shop: Shop,
) {
    let (bank, shop) = (Bank::routed(test).await, real(shop).await);
    let charge = charge(&shop, 1_000).await;
    bank.pays(&charge, json!({})).await;
    bank.fault("*", json!({ "fault": "status", "status": 500, "times": 1_000 })).await;
    pass(test, &bank, Duration::from_hours(2)).await;
    let events = shop.owner.get("/api/webhooks/events").await;
    assert!(!events.text.contains("transaction.expired"), "{}", events.text);
    let (status_code, _) =
        bank.fake.admin("DELETE", "/__fault", &serde_json::Value::Null).await.expect("answers");
    assert_eq!(status_code, 200);
    pass(test, &bank, Duration::from_hours(1)).await;
    assert_eq!(status(&shop, &charge).await, "PAID");
}

/// Lets time pass here and at the bank, and runs the jobs that are due then.
pub async fn pass(test: &TestApp, bank: &Bank, span: Duration) {
    bank.at("/__clock", json!({ "advance_seconds": span.as_secs() })).await;
    test.run_jobs_after(span).await;
}
