//! Reports of fraud: the money is held while one is open, and ends right in whichever order the
//! report, its end and the return are seen.

use std::time::Duration;

use serde_json::{Value, json};

use super::payments::pass;
use super::scene::Scene;
use super::{administrator, available, charge, read, status};
use crate::harness::TestApp;
use crate::harness::shop::id;

const DIFFERENCES: &str = "/api/admin/reconciliation";

/// Does something about a report at the bank; returns the report's id where it is opened.
pub async fn at_bank(scene: &Scene, body: Value) -> Value {
    scene.bank.at("/__med", body).await["id"].clone()
}

pub async fn opens(scene: &Scene, paid: &str, cents: i64) -> Value {
    at_bank(scene, json!({ "action": "open", "e2e": paid, "amount_cents": cents })).await
}

/// Lets the bank's reports be read, which happens every hour.
pub async fn an_hour(test: &TestApp, scene: &Scene) {
    pass(test, &scene.bank, Duration::from_mins(65)).await;
}

/// Has the list of payments fail from now on, so that only reports are read.
pub async fn without_payments(scene: &Scene) {
    scene.bank.fault("pix.list", json!({ "fault": "status", "status": 500, "times": 99 })).await;
}

#[story::test]
async fn an_open_report_holds_the_money_once_and_its_rejection_releases_it(test: &TestApp) {
    let scene = Scene::open(test).await;
    let (sold, paid) = scene.sell(test, 1_000).await;
    for end in ["reject", "cancel"] {
        let report = opens(&scene, &paid, 1_000).await;
        for _ in 0..5 {
            an_hour(test, &scene).await;
            assert_eq!(status(&scene.shop, &sold).await, "DISPUTED");
            assert_eq!(available(&scene.shop).await, 0);
        }
        at_bank(&scene, json!({ "action": end, "id": report })).await;
        for _ in 0..5 {
            an_hour(test, &scene).await;
            assert_eq!(status(&scene.shop, &sold).await, "PAID");
            assert_eq!(available(&scene.shop).await, 1_000);
        }
    }
    let emitted = ["transaction.disputed", "transaction.dispute_won"];
    assert_eq!(scene.events("transaction.disp").await, [emitted, emitted].concat());
    assert_eq!(administrator(test).await.total(DIFFERENCES).await, 0);
}

/// How a sale of 1000 cents ends of which so many are taken back for fraud.
async fn ends(test: &TestApp, scene: &Scene, sold: &Value, taken: i64) {
    let now = read(&scene.shop, sold).await;
    let (ended, refunded) = if taken == 1_000 { ("CHARGED_BACK", 0) } else { ("PAID", taken) };
    assert_eq!((&now["status"], &now["refundedAmount"]), (&json!(ended), &json!(refunded)));
    assert_eq!(available(&scene.shop).await, 1_000 - taken);
    assert_eq!(administrator(test).await.total(DIFFERENCES).await, 0);
    test.prove_books().await;
}

async fn seen_open_and_accepted(test: &TestApp, taken: i64) {
    let scene = Scene::open(test).await;
    let (sold, paid) = scene.sell(test, 1_000).await;
    let report = opens(&scene, &paid, taken).await;
    an_hour(test, &scene).await;
    assert_eq!(status(&scene.shop, &sold).await, "DISPUTED");
    assert_eq!(available(&scene.shop).await, 0);
    at_bank(&scene, json!({ "action": "accept", "id": report })).await;
    for _ in 0..3 {
        an_hour(test, &scene).await;
        ends(test, &scene, &sold, taken).await;
    }
}

#[story::test]
async fn a_report_that_was_seen_open_and_is_accepted_takes_all_of_the_money(test: &TestApp) {
    seen_open_and_accepted(test, 1_000).await;
}

#[story::test]
async fn a_report_about_a_part_takes_the_part_and_releases_the_rest(test: &TestApp) {
    seen_open_and_accepted(test, 300).await;
}

/// The return is read first, or the report that was never seen open.
async fn never_seen_open(test: &TestApp, taken: i64, is_return_first: bool) {
    let scene = Scene::open(test).await;
    let (sold, paid) = scene.sell(test, 1_000).await;
    let report = opens(&scene, &paid, taken).await;
    at_bank(&scene, json!({ "action": "accept", "id": report })).await;
    if is_return_first {
        pass(test, &scene.bank, Duration::from_mins(8)).await;
        ends(test, &scene, &sold, taken).await;
    } else {
        without_payments(&scene).await;
        an_hour(test, &scene).await;
        ends(test, &scene, &sold, taken).await;
        scene.bank.recovers().await;
    }
    for _ in 0..3 {
        an_hour(test, &scene).await;
        ends(test, &scene, &sold, taken).await;
    }
    let disputed = usize::from(taken == 1_000);
    assert_eq!(scene.events("transaction.disputed").await.len(), disputed);
}

#[story::test]
async fn money_returned_before_its_report_was_ever_seen_is_taken_once(test: &TestApp) {
    never_seen_open(test, 1_000, true).await;
}

#[story::test]
async fn a_report_that_is_first_seen_accepted_brings_its_return_with_it(test: &TestApp) {
    never_seen_open(test, 1_000, false).await;
}

#[story::test]
async fn a_part_returned_before_its_report_was_ever_seen_is_taken_once(test: &TestApp) {
    never_seen_open(test, 300, true).await;
}

#[story::test]
async fn a_report_about_a_part_that_is_first_seen_accepted_brings_its_return(test: &TestApp) {
    never_seen_open(test, 300, false).await;
}

#[story::test]
async fn an_accepted_report_holds_the_money_until_its_return_comes(test: &TestApp) {
    let scene = Scene::open(test).await;
    let (sold, paid) = scene.sell(test, 1_000).await;
    let report = opens(&scene, &paid, 1_000).await;
    at_bank(&scene, json!({ "action": "decide", "id": report })).await;
    an_hour(test, &scene).await;
    assert_eq!(status(&scene.shop, &sold).await, "DISPUTED");
    at_bank(&scene, json!({ "action": "take_back", "e2e": paid, "amount_cents": 1_000 })).await;
    an_hour(test, &scene).await;
    ends(test, &scene, &sold, 1_000).await;
}

#[story::test]
async fn a_payment_whose_notice_is_lost_is_booked_and_then_held(test: &TestApp) {
    let scene = Scene::open(test).await;
    let lost = charge(&scene.shop, 1_000).await;
    let paid = scene.bank.pays(&lost, json!({})).await;
    without_payments(&scene).await;
    let report = opens(&scene, &paid, 1_000).await;
    an_hour(test, &scene).await;
    assert_eq!(
        scene.events("transaction.").await[1..],
        ["transaction.paid", "transaction.disputed"]
    );
    at_bank(&scene, json!({ "action": "reject", "id": report })).await;
    an_hour(test, &scene).await;
    assert_eq!(available(&scene.shop).await, 1_000);
}

#[story::test]
async fn of_two_reports_about_a_payment_the_last_rejection_releases_it(test: &TestApp) {
    let scene = Scene::open(test).await;
    let (sold, paid) = scene.sell(test, 1_000).await;
    let reports = [opens(&scene, &paid, 300).await, opens(&scene, &paid, 700).await];
    an_hour(test, &scene).await;
    for (report, after) in reports.iter().zip(["DISPUTED", "PAID"]) {
        at_bank(&scene, json!({ "action": "reject", "id": report })).await;
        an_hour(test, &scene).await;
        assert_eq!(status(&scene.shop, &sold).await, after);
    }
    assert_eq!(scene.events("transaction.disputed").await.len(), 1);
}

/// A part is returned for the first of two reports, and the second one ends.
async fn returned_for_one_of_two(test: &TestApp, end: &str, taken_in_the_end: i64) {
    let scene = Scene::open(test).await;
    let (sold, paid) = scene.sell(test, 1_000).await;
    let first = opens(&scene, &paid, 300).await;
    let second = opens(&scene, &paid, 400).await;
    an_hour(test, &scene).await;
    at_bank(&scene, json!({ "action": "accept", "id": first })).await;
    for _ in 0..3 {
        an_hour(test, &scene).await;
        let now = read(&scene.shop, &sold).await;
        assert_eq!((&now["status"], &now["refundedAmount"]), (&json!("DISPUTED"), &json!(300)));
        assert_eq!(available(&scene.shop).await, 0);
        test.prove_books().await;
    }
    at_bank(&scene, json!({ "action": end, "id": second })).await;
    for _ in 0..3 {
        an_hour(test, &scene).await;
        ends(test, &scene, &sold, taken_in_the_end).await;
    }
}

#[story::test]
async fn a_part_returned_for_one_report_leaves_the_rest_held_until_the_other_is_rejected(
    test: &TestApp,
) {
    returned_for_one_of_two(test, "reject", 300).await;
}

#[story::test]
async fn a_part_returned_for_one_report_leaves_the_rest_held_until_the_others_part_is_returned(
    test: &TestApp,
) {
    returned_for_one_of_two(test, "accept", 700).await;
}

#[story::test]
async fn what_an_administrator_decided_is_not_held_by_the_same_report_again(test: &TestApp) {
    let scene = Scene::open(test).await;
    let (sold, paid) = scene.sell(test, 1_000).await;
    let report = opens(&scene, &paid, 1_000).await;
    an_hour(test, &scene).await;
    let path = format!("/api/admin/disputes/{}/resolve", id(&sold));
    let decision = json!({ "outcome": "WON", "note": "O banco encerrou por telefone." });
    administrator(test).await.post(&path, decision).await.expect(200);
    for _ in 0..2 {
        an_hour(test, &scene).await;
        assert_eq!(status(&scene.shop, &sold).await, "PAID");
    }
    scene.refund(&sold, 1_000).await;
    test.run_jobs().await;
    at_bank(&scene, json!({ "action": "reject", "id": report })).await;
    an_hour(test, &scene).await;
    assert_eq!(status(&scene.shop, &sold).await, "REFUNDED");
    assert_eq!(administrator(test).await.total(DIFFERENCES).await, 0);
}

/// The bank's return of all of the money is booked, and the report is asked about no more.
async fn is_returned(test: &TestApp, scene: &Scene, sold: &Value, paid: &str) {
    at_bank(scene, json!({ "action": "take_back", "e2e": paid, "amount_cents": 1_000 })).await;
    // Only by the report is a return found that the list of payments does not show.
    without_payments(scene).await;
    an_hour(test, scene).await;
    ends(test, scene, sold, 1_000).await;
    an_hour(test, scene).await;
    let asked = scene.bank.calls("pix.get").await;
    for _ in 0..3 {
        an_hour(test, scene).await;
    }
    assert_eq!(scene.bank.calls("pix.get").await, asked);
}

/// A report is rejected, before it was ever seen or after, and then accepted all the same.
async fn rejected_and_accepted(test: &TestApp, is_seen_open: bool) {
    let scene = Scene::open(test).await;
    let (sold, paid) = scene.sell(test, 1_000).await;
    let report = opens(&scene, &paid, 1_000).await;
    if is_seen_open {
        an_hour(test, &scene).await;
        assert_eq!(status(&scene.shop, &sold).await, "DISPUTED");
    }
    at_bank(&scene, json!({ "action": "reject", "id": report })).await;
    an_hour(test, &scene).await;
    assert_eq!(available(&scene.shop).await, 1_000);
    at_bank(&scene, json!({ "action": "decide", "id": report })).await;
    for _ in 0..3 {
        an_hour(test, &scene).await;
        assert_eq!(status(&scene.shop, &sold).await, "DISPUTED");
        assert_eq!(available(&scene.shop).await, 0);
    }
    is_returned(test, &scene, &sold, &paid).await;
}

#[story::test]
async fn a_report_that_is_rejected_and_then_accepted_holds_the_money_again(test: &TestApp) {
    rejected_and_accepted(test, true).await;
}

#[story::test]
async fn a_report_that_is_first_seen_rejected_and_then_accepted_holds_the_money(test: &TestApp) {
    rejected_and_accepted(test, false).await;
}

#[story::test]
async fn a_report_accepted_after_an_administrator_released_its_money_holds_it_once_more(
    test: &TestApp,
) {
    let scene = Scene::open(test).await;
    let (sold, paid) = scene.sell(test, 1_000).await;
    let report = opens(&scene, &paid, 1_000).await;
    let path = format!("/api/admin/disputes/{}/resolve", id(&sold));
    let decision = json!({ "outcome": "WON", "note": "O banco encerrou por telefone." });
    for action in ["none", "decide"] {
        if action == "decide" {
            at_bank(&scene, json!({ "action": action, "id": report })).await;
        }
        an_hour(test, &scene).await;
        assert_eq!(status(&scene.shop, &sold).await, "DISPUTED", "{action}");
        administrator(test).await.post(&path, decision.clone()).await.expect(200);
        for _ in 0..2 {
            an_hour(test, &scene).await;
            assert_eq!(available(&scene.shop).await, 1_000, "{action}");
        }
    }
    is_returned(test, &scene, &sold, &paid).await;
}

#[story::test]
async fn a_sighting_whose_question_waits_is_not_applied_after_a_newer_one(test: &TestApp) {
    let scene = Scene::open(test).await;
    let (sold, paid) = scene.sell(test, 1_000).await;
    let first = opens(&scene, &paid, 1_000).await;
    an_hour(test, &scene).await;
    // The bank gives a report that was revised the time of its first decision.
    scene.bank.fault("pix.get", json!({ "fault": "status", "status": 500, "times": 99 })).await;
    for action in ["reject", "reopen"] {
        at_bank(&scene, json!({ "action": action, "id": first })).await;
        an_hour(test, &scene).await;
    }
    scene.bank.recovers().await;
    pass(test, &scene.bank, Duration::from_mins(16)).await;
    assert_eq!(status(&scene.shop, &sold).await, "DISPUTED");
    assert_eq!(scene.events("transaction.disp").await, ["transaction.disputed"]);
}

#[story::test]
async fn reports_whose_payments_the_bank_does_not_show_at_first_are_asked_about_again(
    test: &TestApp,
) {
    let scene = Scene::open(test).await;
    let mut sales = Vec::new();
    for _ in 0..3 {
        let (sold, paid) = scene.sell(test, 1_000).await;
        opens(&scene, &paid, 1_000).await;
        sales.push(sold);
    }
    scene.bank.fault("pix.get", json!({ "fault": "status", "status": 500, "times": 4 })).await;
    an_hour(test, &scene).await;
    pass(test, &scene.bank, Duration::from_mins(1)).await;
    pass(test, &scene.bank, Duration::from_mins(1)).await;
    for sold in &sales {
        assert_eq!(status(&scene.shop, sold).await, "DISPUTED");
    }
    assert_eq!(administrator(test).await.total(DIFFERENCES).await, 0);
}
