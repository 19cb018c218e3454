//! Notices in any number and order: each is a question, and each fact is booked once.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;

use super::payments::pass;
use super::scene::Scene;
use super::slow::{second, until};
use super::{administrator, available, charge, status};
use crate::harness::TestApp;

#[story::test]
async fn a_notice_that_comes_ten_times_at_once_and_days_later_books_once(test: &TestApp) {
    let scene = Scene::open(test).await;
    let charge = charge(&scene.shop, 1_000).await;
    let paid = scene.bank.pays(&charge, json!({})).await;
    let notices = join_all((0..10).map(|_| scene.bank.notify(test, &paid))).await;
    for reply in notices {
        reply.expect(200);
    }
    test.run_jobs().await;
    for _ in 0..3 {
        pass(test, &scene.bank, Duration::from_hours(24)).await;
        scene.bank.notify(test, &paid).await.expect(200);
        test.run_jobs().await;
    }
    assert_eq!(status(&scene.shop, &charge).await, "PAID");
    assert_eq!(available(&scene.shop).await, 1_000);
    assert_eq!(scene.events("transaction.paid").await.len(), 1);
}

#[story::test]
async fn a_notice_of_money_taken_back_that_comes_before_the_payments_books_both_in_order(
    test: &TestApp,
) {
    let scene = Scene::open(test).await;
    let charge = charge(&scene.shop, 1_000).await;
    let paid = scene.bank.pays(&charge, json!({})).await;
    scene.bank.at("/__med", json!({ "action": "take_back", "e2e": paid })).await;
    for _ in 0..2 {
        scene.bank.notify(test, &paid).await.expect(200);
        test.run_jobs_after(Duration::from_secs(2)).await;
    }
    assert_eq!(status(&scene.shop, &charge).await, "CHARGED_BACK");
    assert_eq!(available(&scene.shop).await, 0);
    let events = scene.events("transaction.").await;
    assert_eq!(events[..2], ["transaction.created", "transaction.paid"], "{events:?}");
    assert_eq!(events.iter().filter(|name| *name == "transaction.charged_back").count(), 1);
}

#[story::test]
async fn a_notice_of_a_refund_that_comes_before_its_answer_completes_it_once(test: &TestApp) {
    let scene = Scene::open(test).await;
    let (charge, paid) = scene.sell(test, 1_000).await;
    scene.bank.fault("refund.create", json!({ "fault": "slow", "ms": 700, "times": 1 })).await;
    scene.refund(&charge, 400).await;
    let reported = async {
        until(async || scene.bank.refunds_of(&paid).await == 1).await;
        scene.bank.notify(test, &paid).await.expect(200);
        test.run_jobs().await;
        assert_eq!(scene.refunds(&charge).await, ["COMPLETED"]);
    };
    futures_util::future::join(test.run_jobs(), reported).await;
    pass(test, &scene.bank, Duration::from_mins(15)).await;
    assert_eq!(scene.refunds(&charge).await, ["COMPLETED"]);
    assert_eq!(available(&scene.shop).await, 600);
    assert_eq!(scene.bank.refunds_of(&paid).await, 1);
}

#[story::test]
async fn a_notice_of_a_payout_that_comes_before_its_answer_completes_it_once(test: &TestApp) {
    let scene = Scene::open(test).await;
    scene.sell(test, 10_000).await;
    let path = scene.approved(test, 5_000).await;
    let reference = scene.withdrawal(&path).await["externalId"].clone();
    let reference = reference.as_str().expect("is approved").to_owned();
    scene.bank.fault("payout.create", json!({ "fault": "slow", "ms": 700, "times": 1 })).await;
    let reported = async {
        until(async || scene.bank.count("/efi/payouts").await == 1).await;
        scene.bank.reports_payout(test, &reference).await;
        test.run_jobs().await;
        assert_eq!(scene.withdrawal_status(&path).await, "COMPLETED");
    };
    futures_util::future::join(test.run_jobs(), reported).await;
    pass(test, &scene.bank, Duration::from_mins(15)).await;
    assert_eq!(scene.withdrawal_status(&path).await, "COMPLETED");
    assert_eq!(scene.events("withdrawal.").await, ["withdrawal.completed"]);
    assert_eq!(available(&scene.shop).await, 5_000);
}

#[story::test]
async fn a_payment_at_one_bank_never_settles_a_charge_of_another(test: &TestApp) {
    let scene = Scene::open(test).await;
    let other = second(test).await;
    let charge = charge(&scene.shop, 1_000).await;
    let txid = charge["pix"]["txid"].as_str().expect("has a txid");
    let foreign = json!({
        "dialect": "efi", "charge": txid, "key": "outra@example.com", "amount_cents": 1_000,
    });
    let paid = other.at("/__pay", foreign).await;
    let paid = paid["e2e"][0].as_str().expect("has an id").to_owned();
    for bank in [&scene.bank, &other] {
        bank.notify(test, &paid).await.expect(200);
    }
    test.run_jobs().await;
    assert_eq!(status(&scene.shop, &charge).await, "PENDING");
    assert_eq!(available(&scene.shop).await, 0);
    let admin = administrator(test).await;
    assert!(admin.list("/api/admin/unmatched").await.is_empty());
    let found = admin.list("/api/admin/reconciliation?status=OPEN").await;
    let found: Vec<_> = found.iter().filter(|it| it["kind"] == "OTHER_CONNECTION").collect();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["connectionName"], "efi-second");
}

#[story::test]
async fn a_notice_that_names_nothing_of_ours_changes_nothing(test: &TestApp) {
    let scene = Scene::open(test).await;
    let (charge, _) = scene.sell(test, 1_000).await;
    let unpaid = super::charge(&scene.shop, 1_000).await;
    let before = scene.events("").await;
    for end_to_end_id in ["E00000000202611211200abcdefghijk", "of no bank", "../cob", "E1?x=1"] {
        scene.bank.notify(test, end_to_end_id).await.expect(200);
    }
    for reference in ["00000000000000000000000000000000", "of no order", "a/../b"] {
        scene.bank.reports_payout(test, reference).await;
    }
    test.run_jobs().await;
    assert_eq!(scene.events("").await, before);
    assert_eq!(status(&scene.shop, &charge).await, "PAID");
    assert_eq!(status(&scene.shop, &unpaid).await, "PENDING");
    assert_eq!(administrator(test).await.list("/api/admin/unmatched").await.len(), 0);
    assert_eq!(administrator(test).await.list("/api/admin/reconciliation").await.len(), 0);
}
