//! Calls whose answer is lost, cut or a proxy's own: nothing is done twice, and nothing fails.

use std::time::Duration;

use serde_json::{Value, json};

use super::payments::pass;
use super::scene::{Scene, pass_in};
use super::{Bank, available, charge, try_charge};
use crate::harness::TestApp;
use crate::harness::shop::Shop;

/// What becomes of an answer after the bank has done what it was asked.
pub fn after_processing() -> Vec<Value> {
    let statuses = [500, 502, 503, 504];
    let statuses = statuses.map(|it| json!({ "fault": "status", "status": it, "processed": true }));
    let others = ["cut_after", "cut_in_half", "html"].map(|it| json!({ "fault": it }));
    [statuses.to_vec(), others.to_vec()].concat()
}

/// How a bank fails to do what it was asked, without saying so.
pub fn instead_of_processing() -> Vec<Value> {
    let statuses = [500, 502, 503, 504].map(|it| json!({ "fault": "status", "status": it }));
    let others = [json!({ "fault": "cut_before" }), json!({ "fault": "html", "processed": false })];
    [statuses.to_vec(), others.to_vec()].concat()
}

pub fn once(mut fault: Value) -> Value {
    fault["times"] = json!(1);
    fault
}

#[story::test]
async fn a_charge_whose_answer_is_lost_is_found_at_the_bank_and_issued_once(
    test: &TestApp,
    shop: Shop,
) {
    let bank = Bank::routed(test).await;
    for (count, fault) in (1..).zip(after_processing()) {
        bank.fault("cob.create", once(fault.clone())).await;
        let issued = charge(&shop, 1_000).await;
        assert_eq!(bank.count("/efi/pix/charges").await, count, "{fault}");
        assert_eq!(bank.calls("cob.create").await, count, "{fault}");
        bank.pays(&issued, json!({})).await;
    }
    pass(test, &bank, Duration::from_mins(8)).await;
    assert_eq!(available(&shop).await, 7_000);
}

#[story::test]
async fn a_charge_that_the_bank_did_not_make_is_not_issued_and_is_ordered_again_at_once(
    test: &TestApp,
    shop: Shop,
) {
    let bank = Bank::routed(test).await;
    for (count, fault) in (1..).zip(instead_of_processing()) {
        bank.fault("cob.create", once(fault.clone())).await;
        try_charge(&shop, 1_000).await.expect_refusal(503, "UNAVAILABLE");
        charge(&shop, 1_000).await;
        assert_eq!(bank.count("/efi/pix/charges").await, count, "{fault}");
        assert_eq!(shop.owner.total("/api/v1/transactions").await, count, "{fault}");
    }
}

#[story::test]
async fn a_refund_is_made_once_whatever_becomes_of_the_order_and_its_answer(test: &TestApp) {
    let scene = Scene::open(test).await;
    for (count, fault) in (1..).zip([after_processing(), instead_of_processing()].concat()) {
        let (charge, paid) = scene.sell(test, 1_000).await;
        scene.bank.fault("refund.create", once(fault.clone())).await;
        scene.refund(&charge, 400).await;
        test.run_jobs().await;
        assert_ne!(scene.refunds(&charge).await, ["FAILED"], "{fault}");
        pass_in(test, &scene.bank, 2, Duration::from_mins(1)).await;
        assert_eq!(scene.refunds(&charge).await, ["COMPLETED"], "{fault}");
        assert_eq!(scene.bank.refunds_of(&paid).await, 1, "{fault}");
        assert_eq!(available(&scene.shop).await, count * 600, "{fault}");
    }
}

#[story::test]
async fn a_payout_is_made_once_whatever_becomes_of_the_order_and_its_answer(test: &TestApp) {
    let scene = Scene::open(test).await;
    scene.sell(test, 100_000).await;
    for (count, fault) in (1..).zip([after_processing(), instead_of_processing()].concat()) {
        scene.bank.fault("payout.create", once(fault.clone())).await;
        let path = scene.approved(test, 1_000).await;
        test.run_jobs().await;
        assert_eq!(scene.withdrawal_status(&path).await, "PENDING", "{fault}");
        pass_in(test, &scene.bank, 2, Duration::from_mins(1)).await;
        assert_eq!(scene.withdrawal_status(&path).await, "COMPLETED", "{fault}");
        assert_eq!(scene.bank.count("/efi/payouts").await, count, "{fault}");
    }
    assert_eq!(scene.events("withdrawal.completed").await.len(), 13);
}

#[story::test]
async fn a_payout_that_never_arrives_holds_its_money_for_a_day_and_then_gives_it_back(
    test: &TestApp,
) {
    let scene = Scene::open(test).await;
    scene.sell(test, 10_000).await;
    scene.bank.fault("payout.create", json!({ "fault": "cut_before" })).await;
    let path = scene.approved(test, 5_000).await;
    test.run_jobs().await;
    pass_in(test, &scene.bank, 47, Duration::from_mins(30)).await;
    assert_eq!(scene.withdrawal_status(&path).await, "PENDING");
    assert_eq!(available(&scene.shop).await, 5_000);
    pass_in(test, &scene.bank, 2, Duration::from_mins(30)).await;
    let ended = scene.withdrawal(&path).await;
    assert_eq!(
        (&ended["status"], &ended["failureReason"]),
        (&json!("FAILED"), &json!("RAIL_TIMEOUT"))
    );
    assert_eq!(available(&scene.shop).await, 10_000);
    assert_eq!(scene.bank.count("/efi/payouts").await, 0);
    assert_eq!(
        scene.events("withdrawal.").await.last().map(String::as_str),
        Some("withdrawal.failed")
    );
}

#[story::test]
async fn an_order_that_is_asked_about_in_vain_stays_open(test: &TestApp) {
    let scene = Scene::open(test).await;
    let (charge, _) = scene.sell(test, 10_000).await;
    for operation in ["payout.create", "payout.get", "payout.list", "refund.create", "refund.get"] {
        scene.bank.fault(operation, json!({ "fault": "cut_in_half" })).await;
    }
    let path = scene.approved(test, 5_000).await;
    scene.refund(&charge, 400).await;
    pass_in(test, &scene.bank, 4, Duration::from_hours(12)).await;
    assert_eq!(scene.withdrawal_status(&path).await, "PENDING");
    assert_ne!(scene.refunds(&charge).await, ["FAILED"]);
    assert_eq!(available(&scene.shop).await, 4_600);
    scene.bank.recovers().await;
    // A bank that kept failing is left alone for a while, by the machine's clock.
    scene.bank.rotates(test, json!({ "client_secret": "the next one" })).await;
    pass_in(test, &scene.bank, 2, Duration::from_mins(15)).await;
    assert_eq!(scene.withdrawal_status(&path).await, "COMPLETED");
    assert_eq!(scene.refunds(&charge).await, ["COMPLETED"]);
    assert_eq!(scene.bank.count("/efi/payouts").await, 1);
}
