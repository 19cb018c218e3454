//! Deciding: approved, rejected or cancelled, and each of them once.

use std::time::Duration;

use futures_util::future::{join, join_all};
use serde_json::{Value, json};
use tostao::platform::config::Switch;

use super::{GOOD, ended, held, orders, path, process, read, withdraw};
use crate::harness::TestApp;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, id};

#[story::test]
async fn an_approved_withdrawal_is_in_flight_and_then_paid(test: &TestApp, shop: Shop) {
    shop.earn(5_000).await;
    let withdrawal = withdraw(&shop, 4_000, GOOD).await;
    let admin = test.admin().await;
    let reply = process(&admin, &withdrawal, json!({ "action": "approve" })).await;
    let approved = reply.expect(200)["data"].clone();
    assert_eq!(approved["status"], "PENDING");
    assert_eq!(approved["processedAt"], "2026-11-21T12:00:00.000Z");
    assert_eq!(approved["externalId"], id(&withdrawal).replace('-', ""));
    assert_eq!((&approved["provider"], &approved["sentAt"]), (&json!("sandbox"), &json!(null)));
    assert_eq!(held(test, &shop).await, (1_000, 4_000, 0));

    test.run_jobs().await;
    let paid = read(&shop, &withdrawal).await;
    assert_eq!(paid["status"], "COMPLETED");
    assert_eq!(paid["completedAt"], "2026-11-21T12:00:00.000Z");
    assert_eq!(paid["endToEndId"].as_str().map(str::len), Some(32));
    assert!(paid["receiptUrl"].as_str().expect("has one").contains("/receipts/withdrawals/"));
    assert_eq!(held(test, &shop).await, (1_000, 0, 80));
    assert_eq!(shop.events_of("withdrawal.").await, ["withdrawal.completed"]);
    assert_eq!(orders(test, &withdrawal).await, "1");
    let names = shop.events().await;
    assert_eq!(names[names.len() - 2..], ["withdrawal.completed", "balance.updated"]);
}

/// Somebody has decided already; the answer says how it stands.
#[track_caller]
fn is_taken(reply: &Reply, status: &str) {
    reply.expect_refusal(409, "WITHDRAWAL_ALREADY_PROCESSED");
    assert_eq!(reply.json()["currentStatus"], status);
}

#[story::test]
async fn a_withdrawal_is_processed_once(test: &TestApp, shop: Shop) {
    shop.earn(5_000).await;
    let admin = test.admin().await;
    let withdrawal = withdraw(&shop, 1_000, GOOD).await;
    process(&admin, &withdrawal, json!({})).await.expect(200);
    for (status, sent) in [("PENDING", "0"), ("COMPLETED", "1")] {
        for action in ["approve", "reject"] {
            let again = process(&admin, &withdrawal, json!({ "action": action })).await;
            is_taken(&again, status);
        }
        let cancelled = shop.key.post(&path(&withdrawal, "/cancel"), json!({})).await;
        is_taken(&cancelled, status);
        assert_eq!(orders(test, &withdrawal).await, sent);
        test.run_jobs().await;
    }
    assert_eq!(held(test, &shop).await, (4_000, 0, 80));
}

#[story::test]
async fn a_repeated_approval_with_a_key_gets_the_first_answer(test: &TestApp, shop: Shop) {
    shop.earn(1_000).await;
    let withdrawal = withdraw(&shop, 1_000, GOOD).await;
    let admin = test.admin().await.with("idempotency-key", "approve");
    let first = process(&admin, &withdrawal, json!({})).await;
    first.expect(200);
    test.run_jobs().await;
    let again = process(&admin, &withdrawal, json!({})).await;
    assert_eq!((again.status, &again.text), (200, &first.text));
    assert_eq!(orders(test, &withdrawal).await, "1");
}

#[story::test]
async fn a_rejected_withdrawal_gives_everything_back(test: &TestApp, shop: Shop) {
    shop.earn(5_000).await;
    let withdrawal = withdraw(&shop, 4_000, GOOD).await;
    let body = json!({ "action": "reject", "failureReason": "Documentos pendentes." });
    let reply = process(&test.admin().await, &withdrawal, body).await.expect(200);
    assert_eq!(reply["data"]["failureMessage"], "Documentos pendentes.");
    let failed = read(&shop, &withdrawal).await;
    assert_eq!((&failed["status"], &failed["processedAt"]), (&json!("FAILED"), &json!(null)));
    assert_eq!(failed["failureReason"], "REJECTED_BY_ADMIN");
    assert_eq!(failed["failedAt"], "2026-11-21T12:00:00.000Z");
    assert_eq!(held(test, &shop).await, (5_000, 0, 0));
    assert_eq!(shop.events_of("withdrawal.").await, ["withdrawal.failed"]);
    is_taken(&process(&test.admin().await, &withdrawal, json!({})).await, "FAILED");
    test.run_jobs().await;
    assert_eq!(orders(test, &withdrawal).await, "0");
}

#[story::test]
async fn a_merchant_cancels_an_unapproved_withdrawal(test: &TestApp, shop: Shop) {
    shop.earn(5_000).await;
    let withdrawal = withdraw(&shop, 4_000, GOOD).await;
    let cancel = path(&withdrawal, "/cancel");
    let first = shop.key.post(&cancel, json!({})).await.expect(200);
    let again = shop.key.post(&cancel, json!({})).await.expect(200);
    assert_eq!(first, again);
    assert_eq!(ended(&shop, &withdrawal).await, "FAILED CANCELLED_BY_MERCHANT");
    assert_eq!(held(test, &shop).await, (5_000, 0, 0));
    assert_eq!(shop.events_of("withdrawal.").await, ["withdrawal.failed"]);
    let late = process(&test.admin().await, &withdrawal, json!({})).await;
    late.expect_refusal(409, "WITHDRAWAL_ALREADY_PROCESSED");
}

#[story::test]
async fn a_withdrawal_of_an_account_in_debt_waits_for_its_approval(test: &TestApp, shop: Shop) {
    let charge = shop.sell(1_000).await;
    let withdrawal = withdraw(&shop, 1_000, GOOD).await;
    let admin = test.admin().await;
    shop.simulate(&charge, json!({ "outcome": "DISPUTED" })).await;
    assert_eq!(shop.available().await, -1_000);
    let refused = process(&admin, &withdrawal, json!({ "action": "approve" })).await;
    refused.expect_refusal(409, "INVALID_STATE_TRANSITION");
    assert_eq!(refused.json()["currentStatus"], "PENDING");
    let message = refused.json()["message"].as_str().expect("has one").to_owned();
    assert!(message.starts_with("The account's balance is negative."), "{message}");
    assert_eq!(read(&shop, &withdrawal).await["processedAt"], json!(null));
    test.run_jobs().await;
    assert_eq!(orders(test, &withdrawal).await, "0");

    shop.simulate(&charge, json!({ "outcome": "PAID" })).await;
    process(&admin, &withdrawal, json!({ "action": "approve" })).await.expect(200);
    test.run_jobs().await;
    assert_eq!(ended(&shop, &withdrawal).await, "COMPLETED");
}

#[story::test]
async fn a_withdrawal_of_an_account_in_debt_is_rejected_or_cancelled(test: &TestApp, shop: Shop) {
    let charge = shop.sell(1_000).await;
    let (first, second) = (withdraw(&shop, 400, GOOD).await, withdraw(&shop, 600, GOOD).await);
    shop.simulate(&charge, json!({ "outcome": "DISPUTED" })).await;
    let reject = json!({ "action": "reject" });
    process(&test.admin().await, &first, reject).await.expect(200);
    shop.key.post(&path(&second, "/cancel"), json!({})).await.expect(200);
    assert_eq!(shop.available().await, 0);
}

#[story::test]
async fn an_approved_order_is_not_sent_while_its_account_is_in_debt(test: &TestApp, shop: Shop) {
    let charge = shop.sell(1_000).await;
    let withdrawal = withdraw(&shop, 1_000, GOOD).await;
    process(&test.admin().await, &withdrawal, json!({})).await.expect(200);
    shop.simulate(&charge, json!({ "outcome": "DISPUTED" })).await;
    test.run_jobs().await;
    assert_eq!(orders(test, &withdrawal).await, "0");
    shop.earn(1_000).await;
    test.run_jobs_after(Duration::from_mins(15)).await;
    assert_eq!(ended(&shop, &withdrawal).await, "COMPLETED");
    assert_eq!(orders(test, &withdrawal).await, "1");
    assert_eq!(shop.available().await, 0);
}

/// All that the merchant has, withdrawn and approved, and held back by a debt of 1000 cents; with
/// the sale that is disputed.
async fn held_back(test: &TestApp, shop: &Shop) -> (Value, Value) {
    let charge = shop.sell(1_000).await;
    let withdrawal = withdraw(shop, shop.available().await, GOOD).await;
    process(&test.admin().await, &withdrawal, json!({})).await.expect(200);
    shop.simulate(&charge, json!({ "outcome": "DISPUTED" })).await;
    assert_eq!(shop.available().await, -1_000);
    test.run_jobs().await;
    assert_eq!(orders(test, &withdrawal).await, "0");
    (withdrawal, charge)
}

#[story::test]
async fn an_approved_order_that_waits_for_a_debt_is_rejected_and_never_sent(
    test: &TestApp,
    shop: Shop,
) {
    let (withdrawal, charge) = held_back(test, &shop).await;
    is_taken(&shop.key.post(&path(&withdrawal, "/cancel"), json!({})).await, "PENDING");
    let body = json!({ "action": "reject", "failureReason": "Conta em dívida." });
    let rejected = process(&test.admin().await, &withdrawal, body).await.expect(200);
    assert_eq!(rejected["data"]["status"], "FAILED");
    assert_eq!(rejected["data"]["sentAt"], json!(null));
    assert_eq!(ended(&shop, &withdrawal).await, "FAILED REJECTED_BY_ADMIN");
    assert_eq!(held(test, &shop).await, (0, 0, 0));
    shop.simulate(&charge, json!({ "outcome": "PAID" })).await;
    test.run_jobs_after(Duration::from_mins(15)).await;
    assert_eq!(orders(test, &withdrawal).await, "0");
    assert_eq!(held(test, &shop).await, (1_000, 0, 0));
    assert_eq!(shop.events_of("withdrawal.").await, ["withdrawal.failed"]);
    is_taken(&process(&test.admin().await, &withdrawal, json!({})).await, "FAILED");
}

#[story::test]
async fn of_a_rejection_and_the_sender_one_wins(test: &TestApp, shop: Shop) {
    for _ in 0..4 {
        let (withdrawal, charge) = held_back(test, &shop).await;
        shop.simulate(&charge, json!({ "outcome": "PAID" })).await;
        let admin = test.admin().await;
        let rejection = process(&admin, &withdrawal, json!({ "action": "reject" }));
        let sender = test.run_jobs_after(Duration::from_mins(1));
        let (rejected, _) = join(rejection, sender).await;
        test.run_jobs().await;
        let (became, sent) = if rejected.status == 200 {
            ("FAILED REJECTED_BY_ADMIN", "0")
        } else {
            rejected.expect_refusal(409, "WITHDRAWAL_ALREADY_PROCESSED");
            ("COMPLETED", "1")
        };
        assert_eq!(ended(&shop, &withdrawal).await, became);
        assert_eq!(orders(test, &withdrawal).await, sent);
    }
}

#[story::test]
async fn of_several_who_decide_at_once_one_wins(test: &TestApp, shop: Shop) {
    shop.earn(8_000).await;
    let admin = test.admin().await;
    for _ in 0..8 {
        let withdrawal = withdraw(&shop, 1_000, GOOD).await;
        let approvals = join_all((0..8).map(|_| process(&admin, &withdrawal, json!({}))));
        let cancel = path(&withdrawal, "/cancel");
        let (approvals, cancelled) = join(approvals, shop.key.post(&cancel, json!({}))).await;
        let approved = approvals.iter().filter(|reply| reply.status == 200).count();
        let won = approved + usize::from(cancelled.status == 200);
        assert_eq!(won, 1, "{approved} approvals, cancelling: {}", cancelled.text);
        for lost in approvals.iter().chain([&cancelled]).filter(|reply| reply.status != 200) {
            lost.expect_refusal(409, "WITHDRAWAL_ALREADY_PROCESSED");
        }
        test.run_jobs().await;
        assert_eq!(orders(test, &withdrawal).await, approved.to_string());
    }
}

#[story::test]
async fn an_unreadable_decision_decides_nothing(test: &TestApp) {
    let table = [
        (json!({ "action": "maybe" }), "action"),
        (json!({ "action": "reject", "failureReason": "a".repeat(501) }), "failureReason"),
        (json!({ "action": "reject", "failureReason": 1 }), "failureReason"),
    ];
    let shop = test.shop("Loja").await;
    shop.earn(1_000).await;
    let withdrawal = withdraw(&shop, 1_000, GOOD).await;
    let admin = test.admin().await;
    for (body, field) in table {
        let refused = process(&admin, &withdrawal, body).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), [field]);
    }
    assert_eq!(ended(&shop, &withdrawal).await, "PENDING");
}

#[story::test(|settings| settings.auto_payouts = Switch::On)]
async fn with_immediate_approval_a_withdrawal_is_sent_at_once(test: &TestApp, shop: Shop) {
    shop.earn(1_000).await;
    let withdrawal = withdraw(&shop, 1_000, GOOD).await;
    assert_eq!(withdrawal["processedAt"], "2026-11-21T12:00:00.000Z");
    let manual = process(&test.admin().await, &withdrawal, json!({})).await;
    manual.expect_refusal(409, "WITHDRAWAL_ALREADY_PROCESSED");
    test.run_jobs().await;
    assert_eq!(ended(&shop, &withdrawal).await, "COMPLETED");
    assert_eq!(orders(test, &withdrawal).await, "1");
}
