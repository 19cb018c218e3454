//! Money that goes back after it was booked, and reports that contradict an end.

use std::time::Duration;

use serde_json::{Value, json};

use super::payments::pass;
use super::scene::Scene;
use super::{administrator, available, status};
use crate::harness::TestApp;
use crate::harness::shop::id;

const DIFFERENCES: &str = "/api/admin/reconciliation";

/// The differences of a kind, with their amounts.
async fn differences(test: &TestApp, kind: &str) -> Vec<Value> {
    let all = administrator(test).await.list(DIFFERENCES).await;
    let of_kind = all.iter().filter(|difference| difference["kind"] == kind);
    let mut amounts: Vec<_> = of_kind.map(|difference| difference["amount"].clone()).collect();
    amounts.sort_by_key(Value::as_i64);
    amounts
}

#[story::test]
async fn money_that_is_taken_back_after_the_merchant_withdrew_it_is_their_debt(test: &TestApp) {
    let scene = Scene::open(test).await;
    let (charge, paid) = scene.sell(test, 10_000).await;
    let path = scene.approved(test, 10_000).await;
    test.run_jobs().await;
    test.run_jobs_after(Duration::from_mins(1)).await;
    assert_eq!(scene.withdrawal_status(&path).await, "COMPLETED");
    scene.bank.at("/__med", json!({ "action": "take_back", "e2e": paid })).await;
    pass(test, &scene.bank, Duration::from_mins(8)).await;
    scene.bank.notify(test, &paid).await.expect(200);
    test.run_jobs().await;
    assert_eq!(status(&scene.shop, &charge).await, "CHARGED_BACK");
    assert_eq!(available(&scene.shop).await, -10_000);
    // What is sold next pays the debt.
    scene.sell(test, 12_000).await;
    assert_eq!(available(&scene.shop).await, 2_000);
}

#[story::test]
async fn what_is_left_after_a_refund_is_taken_back_as_a_whole(test: &TestApp) {
    let scene = Scene::open(test).await;
    let (charge, paid) = scene.sell(test, 1_000).await;
    scene.refund(&charge, 400).await;
    test.run_jobs().await;
    test.run_jobs_after(Duration::from_mins(1)).await;
    assert_eq!(scene.refunds(&charge).await, ["COMPLETED"]);
    scene.bank.at("/__med", json!({ "action": "take_back", "e2e": paid })).await;
    pass(test, &scene.bank, Duration::from_mins(8)).await;
    assert_eq!(available(&scene.shop).await, 0);
    assert_eq!(status(&scene.shop, &charge).await, "CHARGED_BACK");
    assert_eq!(differences(test, "TAKEN_BACK").await, [Value::Null; 0]);
}

#[story::test]
async fn the_id_of_a_return_that_is_used_for_another_pix_holds_that_for_an_administrator(
    test: &TestApp,
) {
    let scene = Scene::open(test).await;
    let (first, paid) = scene.sell(test, 1_000).await;
    scene.bank.at("/__med", json!({ "action": "take_back", "e2e": paid })).await;
    pass(test, &scene.bank, Duration::from_mins(8)).await;
    assert_eq!(status(&scene.shop, &first).await, "CHARGED_BACK");
    let returned = scene.bank.has("/efi/pix/received/0/devolucoes/0/rtrId").await;
    let (second, paid) = scene.sell(test, 2_000).await;
    let again = json!({ "action": "take_back", "e2e": paid, "id": returned });
    scene.bank.at("/__med", again).await;
    for _ in 0..2 {
        scene.bank.notify(test, &paid).await.expect(200);
        test.run_jobs().await;
        pass(test, &scene.bank, Duration::from_mins(8)).await;
    }
    assert_eq!(status(&scene.shop, &second).await, "DISPUTED");
    assert_eq!(differences(test, "TAKEN_BACK").await, [json!(2_000)]);
    test.prove_books().await;
    let path = format!("/api/admin/disputes/{}/resolve", id(&second));
    let decision = json!({ "outcome": "WON", "note": "Nada saiu, diz o extrato." });
    administrator(test).await.post(&path, decision).await.expect(200);
    scene.bank.notify(test, &paid).await.expect(200);
    test.run_jobs().await;
    assert_eq!(status(&scene.shop, &second).await, "PAID");
    assert_eq!(differences(test, "TAKEN_BACK").await, [json!(2_000)]);
    test.prove_books().await;
}

#[story::test]
async fn a_payout_that_comes_back_in_two_parts_is_the_merchants_again_once(test: &TestApp) {
    let scene = Scene::open(test).await;
    scene.sell(test, 10_000).await;
    let path = scene.approved(test, 5_000).await;
    let net = scene.withdrawal(&path).await["netAmount"].as_i64().expect("is a number");
    let parts = json!({ "outcome": "return", "parts_cents": [2_000, net - 2_000] });
    scene.bank.at("/__payout", parts).await;
    test.run_jobs().await;
    for _ in 0..4 {
        pass(test, &scene.bank, Duration::from_mins(6)).await;
        let reference = scene.withdrawal(&path).await["externalId"].clone();
        scene.bank.reports_payout(test, reference.as_str().expect("is approved")).await;
        test.run_jobs().await;
    }
    assert_eq!(scene.withdrawal_status(&path).await, "COMPLETED");
    assert_eq!(scene.withdrawal(&path).await["returnedAmount"], net);
    assert_eq!(available(&scene.shop).await, 5_000 + net);
    assert_eq!(differences(test, "PAYOUT_RETURNED").await, [Value::Null; 0]);
    test.prove_books().await;
}

#[story::test]
async fn a_payout_that_is_paid_after_it_failed_is_a_contradiction_and_moves_nothing(
    test: &TestApp,
) {
    let scene = Scene::open(test).await;
    scene.sell(test, 10_000).await;
    scene.bank.at("/__payout", json!({ "outcome": "refuse" })).await;
    let path = scene.approved(test, 5_000).await;
    test.run_jobs().await;
    test.run_jobs_after(Duration::from_mins(1)).await;
    let failed = scene.withdrawal(&path).await;
    assert_eq!(
        (&failed["status"], &failed["failureReason"]),
        (&json!("FAILED"), &json!("INVALID_KEY"))
    );
    assert_eq!(available(&scene.shop).await, 10_000);
    let reference = failed["externalId"].as_str().expect("is approved");
    scene.bank.at("/__payout", json!({ "outcome": "pay", "id": reference })).await;
    for _ in 0..3 {
        scene.bank.reports_payout(test, reference).await;
        pass(test, &scene.bank, Duration::from_mins(6)).await;
    }
    assert_eq!(scene.withdrawal_status(&path).await, "FAILED");
    assert_eq!(available(&scene.shop).await, 10_000);
    let contradicted =
        administrator(test).await.list("/api/admin/withdraws?contradicted=true").await;
    assert_eq!(contradicted.len(), 1);
    let kept = contradicted[0]["contradiction"].as_str().expect("has one");
    assert!(kept.starts_with("PAID E09089356"), "{kept}");
    let events = scene.events("withdrawal.").await;
    assert_eq!(events, ["withdrawal.failed"]);
}

#[story::test]
async fn a_refund_that_the_bank_does_not_carry_out_returns_to_the_merchant(test: &TestApp) {
    let scene = Scene::open(test).await;
    let (charge, paid) = scene.sell(test, 1_000).await;
    scene.bank.at("/__refund", json!({ "outcome": "process" })).await;
    scene.refund(&charge, 400).await;
    test.run_jobs().await;
    pass(test, &scene.bank, Duration::from_mins(8)).await;
    assert_eq!(available(&scene.shop).await, 600);
    let received = scene.bank.has("/efi/pix/received").await;
    let refund = received[0]["devolucoes"][0]["id"].clone();
    let refused = json!({ "outcome": "refuse", "e2e": paid, "id": refund });
    scene.bank.at("/__refund", refused).await;
    pass(test, &scene.bank, Duration::from_mins(16)).await;
    assert_eq!(scene.refunds(&charge).await, ["FAILED"]);
    assert_eq!(available(&scene.shop).await, 1_000);
}
