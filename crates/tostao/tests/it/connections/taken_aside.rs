//! Money that is set aside, or was accepted, and that its bank takes back for fraud or sends back
//! otherwise.

use std::time::Duration;

use serde_json::{Value, json};

use super::infractions::{an_hour, at_bank, opens};
use super::payments::pass;
use super::scene::Scene;
use super::{KEY, administrator, available, charge, status};
use crate::harness::TestApp;
use crate::harness::shop::id;

const DIFFERENCES: &str = "/api/admin/reconciliation";

/// The kinds and amounts of all differences.
async fn differences(test: &TestApp) -> Vec<(Value, Value)> {
    let all = administrator(test).await.list(DIFFERENCES).await;
    all.iter().map(|it| (it["kind"].clone(), it["amount"].clone())).collect()
}

/// The bank refuses the return of a PIX that it had taken the order for; returns its id there.
async fn refuses_to_return(test: &TestApp, scene: &Scene, paid: &str) -> Value {
    let received = scene.bank.has("/efi/pix/received").await;
    let mut received = received.as_array().expect("is a list").iter();
    let found = received.find(|it| it["endToEndId"] == *paid).expect("was paid");
    let order = &found["devolucoes"][0]["id"];
    scene.bank.at("/__refund", json!({ "outcome": "refuse", "e2e": paid, "id": order })).await;
    pass(test, &scene.bank, Duration::from_mins(16)).await;
    assert_eq!(differences(test).await, []);
    order.clone()
}

/// The same, and then it makes the return.
async fn returns_after_it_failed(test: &TestApp, scene: &Scene, paid: &str) {
    let order = refuses_to_return(test, scene, paid).await;
    scene.bank.at("/__refund", json!({ "outcome": "pay", "e2e": paid, "id": order })).await;
}

/// The bank takes an amount of a PIX back, and says so twice.
async fn takes(test: &TestApp, scene: &Scene, paid: &str, cents: i64) {
    at_bank(scene, json!({ "action": "take_back", "e2e": paid, "amount_cents": cents })).await;
    notify(test, scene, paid).await;
    notify(test, scene, paid).await;
}

async fn notify(test: &TestApp, scene: &Scene, paid: &str) {
    scene.bank.notify(test, paid).await.expect(200);
    test.run_jobs_after(Duration::from_secs(2)).await;
}

/// The path of what is set aside beside a sale.
async fn aside(scene: &Scene, sold: &Value) -> String {
    let path = format!("/api/v1/transactions/{}/unmatched", id(sold));
    let money = scene.shop.owner.list(&path).await.pop().expect("is set aside");
    format!("{path}/{}", id(&money))
}

/// A sale of 1000 cents that is paid again; returns the end-to-end id of the second payment and the
/// path of its money, too.
async fn paid_twice(test: &TestApp, scene: &Scene) -> (Value, String, String) {
    let (sold, _) = scene.sell(test, 1_000).await;
    let second = scene.bank.pays(&sold, json!({ "late": true })).await;
    notify(test, scene, &second).await;
    let path = aside(scene, &sold).await;
    (sold, second, path)
}

/// A sale of 1000 cents that is paid with 1500; the same of it.
async fn paid_too_much(test: &TestApp, scene: &Scene) -> (Value, String, String) {
    let sold = charge(&scene.shop, 1_000).await;
    let paid = scene.bank.pays(&sold, json!({ "amount_cents": 1_500 })).await;
    notify(test, scene, &paid).await;
    let path = aside(scene, &sold).await;
    (sold, paid, path)
}

async fn cannot_be_accepted(scene: &Scene, path: &str) {
    let refused = scene.shop.owner.post(&format!("{path}/accept"), json!({})).await;
    refused.expect_refusal(409, "INVALID_STATE_TRANSITION");
}

/// Proves that money is back with its payer.
async fn is_returned(scene: &Scene, path: &str) {
    cannot_be_accepted(scene, path).await;
    let again = scene.shop.owner.post(&format!("{path}/return"), json!({})).await.expect(200);
    assert_eq!(again["unmatched"]["status"], "RETURNED", "{again}");
    assert_eq!(scene.bank.calls("refund.create").await, 0);
}

#[story::test]
async fn money_set_aside_that_is_taken_back_is_gone(test: &TestApp) {
    let scene = Scene::open(test).await;
    let (sold, second, path) = paid_twice(test, &scene).await;
    takes(test, &scene, &second, 1_000).await;
    is_returned(&scene, &path).await;
    assert_eq!(status(&scene.shop, &sold).await, "PAID");
    assert_eq!(available(&scene.shop).await, 1_000);
    assert_eq!(differences(test).await, []);
    test.prove_books().await;
}

#[story::test]
async fn money_that_was_accepted_and_is_taken_back_is_the_merchants_debt(test: &TestApp) {
    let scene = Scene::open(test).await;
    let (sold, second, path) = paid_twice(test, &scene).await;
    scene.shop.owner.post(&format!("{path}/accept"), json!({})).await.expect(200);
    scene.approved(test, 2_000).await;
    test.run_jobs().await;
    assert_eq!(available(&scene.shop).await, 0);
    takes(test, &scene, &second, 1_000).await;
    is_returned(&scene, &path).await;
    assert_eq!(status(&scene.shop, &sold).await, "PAID");
    assert_eq!(available(&scene.shop).await, -1_000);
    assert_eq!(differences(test).await, []);
    test.prove_books().await;
}

#[story::test]
async fn money_that_is_taken_back_while_it_is_being_returned_waits_for_the_end_of_that(
    test: &TestApp,
) {
    let scene = Scene::open(test).await;
    let (sold, second, path) = paid_twice(test, &scene).await;
    scene.bank.at("/__refund", json!({ "outcome": "process" })).await;
    scene.shop.owner.post(&format!("{path}/return"), json!({})).await.expect(200);
    test.run_jobs().await;
    takes(test, &scene, &second, 1_000).await;
    assert_eq!(differences(test).await, []);
    assert_eq!(amounts_aside(&scene, &sold).await, [json!(1_000)]);
    refuses_to_return(test, &scene, &second).await;
    notify(test, &scene, &second).await;
    let again = scene.shop.owner.post(&format!("{path}/return"), json!({})).await.expect(200);
    assert_eq!(again["unmatched"]["status"], "RETURNED", "{again}");
    assert_eq!(scene.bank.calls("refund.create").await, 1);
    assert_eq!(available(&scene.shop).await, 1_000);
    assert_eq!(differences(test).await, []);
    test.prove_books().await;
}

#[story::test]
async fn money_that_pays_too_little_and_is_taken_back_is_gone(test: &TestApp) {
    let scene = Scene::open(test).await;
    let sold = charge(&scene.shop, 1_000).await;
    let paid = scene.bank.pays(&sold, json!({ "amount_cents": 400 })).await;
    notify(test, &scene, &paid).await;
    let path = aside(&scene, &sold).await;
    takes(test, &scene, &paid, 400).await;
    is_returned(&scene, &path).await;
    assert_eq!(status(&scene.shop, &sold).await, "PENDING");
    assert_eq!(differences(test).await, []);
    test.prove_books().await;
}

#[story::test]
async fn the_excess_that_is_taken_back_with_its_payment_cannot_be_accepted(test: &TestApp) {
    let scene = Scene::open(test).await;
    let (sold, paid, path) = paid_too_much(test, &scene).await;
    takes(test, &scene, &paid, 1_500).await;
    assert_eq!(status(&scene.shop, &sold).await, "CHARGED_BACK");
    is_returned(&scene, &path).await;
    assert_eq!(available(&scene.shop).await, 0);
    assert_eq!(differences(test).await, []);
    test.prove_books().await;
}

#[story::test]
async fn the_excess_of_a_payment_that_was_taken_back_before_is_taken_by_itself(test: &TestApp) {
    let scene = Scene::open(test).await;
    let (sold, paid, path) = paid_too_much(test, &scene).await;
    takes(test, &scene, &paid, 1_000).await;
    assert_eq!(status(&scene.shop, &sold).await, "CHARGED_BACK");
    takes(test, &scene, &paid, 500).await;
    is_returned(&scene, &path).await;
    assert_eq!(differences(test).await, []);
    test.prove_books().await;
}

/// An administrator closes the newest difference; repeating that has no effect.
async fn closes(test: &TestApp) {
    let found = administrator(test).await.list(DIFFERENCES).await;
    let path = format!("{DIFFERENCES}/{}/resolve", id(&found[0]));
    for _ in 0..2 {
        let note = json!({ "note": "O banco tomou isto." });
        let closed = administrator(test).await.post(&path, note).await.expect(200);
        assert_eq!(closed["data"]["status"], "RESOLVED", "{closed}");
    }
}

/// The amounts of what is set aside beside a sale, or on its way back.
async fn amounts_aside(scene: &Scene, sold: &Value) -> Vec<Value> {
    let path = format!("/api/v1/transactions/{}/unmatched", id(sold));
    scene.shop.owner.list(&path).await.iter().map(|money| money["amount"].clone()).collect()
}

#[story::test]
async fn the_rest_of_money_set_aside_of_which_a_part_is_taken_back_can_be_accepted(test: &TestApp) {
    let scene = Scene::open(test).await;
    let (sold, second, path) = paid_twice(test, &scene).await;
    takes(test, &scene, &second, 400).await;
    assert_eq!(amounts_aside(&scene, &sold).await, [json!(600)]);
    test.prove_books().await;
    let accepted = scene.shop.owner.post(&format!("{path}/accept"), json!({})).await.expect(200);
    assert_eq!(accepted["unmatched"]["amount"], 600);
    assert_eq!(accepted["unmatched"]["paymentId"], json!(second));
    assert_eq!(accepted["transaction"]["unmatchedAmount"], 0);
    assert_eq!(available(&scene.shop).await, 1_600);
    takes(test, &scene, &second, 600).await;
    is_returned(&scene, &path).await;
    assert_eq!(available(&scene.shop).await, 1_000);
    assert_eq!(differences(test).await, []);
    test.prove_books().await;
}

#[story::test]
async fn the_rest_of_money_set_aside_of_which_a_part_is_taken_back_can_be_returned(test: &TestApp) {
    let scene = Scene::open(test).await;
    let (sold, second, path) = paid_twice(test, &scene).await;
    for part in [100, 300] {
        takes(test, &scene, &second, part).await;
    }
    scene.shop.owner.post(&format!("{path}/return"), json!({})).await.expect(200);
    test.run_jobs().await;
    test.run_jobs_after(Duration::from_mins(1)).await;
    let again = scene.shop.owner.post(&format!("{path}/return"), json!({})).await.expect(200);
    let shown = [&again["unmatched"]["status"], &again["unmatched"]["amount"]];
    assert_eq!(shown, [&json!("RETURNED"), &json!(600)]);
    assert_eq!(scene.bank.calls("refund.create").await, 1);
    assert_eq!(amounts_aside(&scene, &sold).await, [Value::Null; 0]);
    assert_eq!(available(&scene.shop).await, 1_000);
    assert_eq!(differences(test).await, []);
    test.prove_books().await;
}

#[story::test]
async fn a_part_of_accepted_money_that_is_taken_back_is_the_merchants_debt(test: &TestApp) {
    let scene = Scene::open(test).await;
    let (_, second, path) = paid_twice(test, &scene).await;
    scene.shop.owner.post(&format!("{path}/accept"), json!({})).await.expect(200);
    takes(test, &scene, &second, 400).await;
    assert_eq!(available(&scene.shop).await, 1_600);
    let again = scene.shop.owner.post(&format!("{path}/accept"), json!({})).await.expect(200);
    let shown = [&again["unmatched"]["status"], &again["unmatched"]["amount"]];
    assert_eq!(shown, [&json!("ACCEPTED"), &json!(600)]);
    assert_eq!(differences(test).await, []);
    test.prove_books().await;
}

#[story::test]
async fn a_part_of_the_excess_that_is_taken_back_with_its_payment_leaves_the_rest(test: &TestApp) {
    let scene = Scene::open(test).await;
    let (sold, paid, path) = paid_too_much(test, &scene).await;
    takes(test, &scene, &paid, 1_200).await;
    assert_eq!(status(&scene.shop, &sold).await, "CHARGED_BACK");
    assert_eq!(amounts_aside(&scene, &sold).await, [json!(300)]);
    scene.shop.owner.post(&format!("{path}/accept"), json!({})).await.expect(200);
    assert_eq!(available(&scene.shop).await, 300);
    assert_eq!(differences(test).await, []);
    test.prove_books().await;
}

#[story::test]
async fn the_excess_of_a_payment_of_which_more_was_taken_is_gone_once_that_is_closed(
    test: &TestApp,
) {
    let scene = Scene::open(test).await;
    let (sold, paid, path) = paid_too_much(test, &scene).await;
    takes(test, &scene, &paid, 1_600).await;
    assert_eq!(differences(test).await, [(json!("TAKEN_BACK"), json!(1_600))]);
    assert_eq!(status(&scene.shop, &sold).await, "DISPUTED");
    for decision in ["accept", "return"] {
        let refused = scene.shop.owner.post(&format!("{path}/{decision}"), json!({})).await;
        refused.expect_refusal(409, "INVALID_STATE_TRANSITION");
    }
    let resolve = format!("/api/admin/disputes/{}/resolve", id(&sold));
    let decision = json!({ "outcome": "LOST", "note": "O banco tomou tudo." });
    administrator(test).await.post(&resolve, decision).await.expect(200);
    closes(test).await;
    is_returned(&scene, &path).await;
    assert_eq!(status(&scene.shop, &sold).await, "CHARGED_BACK");
    assert_eq!(available(&scene.shop).await, 0);
    test.prove_books().await;
}

/// A transfer of 700 cents that names no charge, of which so many are taken back; its difference is
/// open.
async fn foreign_taken(test: &TestApp, scene: &Scene, cents: i64) {
    let transfer = json!({ "dialect": "efi", "key": KEY, "amount_cents": 700 });
    let paid = scene.bank.at("/__pay", transfer).await["e2e"][0].clone();
    let paid = paid.as_str().expect("has an id");
    notify(test, scene, paid).await;
    takes(test, scene, paid, cents).await;
    assert_eq!(differences(test).await, [(json!("TAKEN_BACK"), json!(cents))]);
}

/// Money of no charge in a status.
async fn foreign(test: &TestApp, status: &str) -> Vec<Value> {
    administrator(test).await.list(&format!("/api/admin/unmatched?status={status}")).await
}

#[story::test]
async fn the_rest_of_money_of_no_charge_is_matched_once_its_difference_is_closed(test: &TestApp) {
    let scene = Scene::open(test).await;
    let sold = charge(&scene.shop, 400).await;
    foreign_taken(test, &scene, 300).await;
    let money = foreign(test, "OPEN").await;
    let path = format!("/api/admin/unmatched/{}/match", id(&money[0]));
    let to = json!({ "transactionId": id(&sold) });
    let refused = administrator(test).await.post(&path, to.clone()).await;
    refused.expect_refusal(409, "INVALID_STATE_TRANSITION");
    closes(test).await;
    test.prove_books().await;
    let returned = foreign(test, "RETURNED").await;
    assert_eq!((returned.len(), &returned[0]["amount"]), (1, &json!(300)));
    assert_eq!(returned[0]["paymentId"], money[0]["paymentId"]);
    let matched = administrator(test).await.post(&path, to).await.expect(200);
    assert_eq!(matched["data"]["amount"], 400, "{matched}");
    assert_eq!(status(&scene.shop, &sold).await, "PAID");
    assert_eq!(available(&scene.shop).await, 400);
    test.prove_books().await;
}

#[story::test]
async fn the_rest_of_money_of_no_charge_is_returned_once_its_difference_is_closed(test: &TestApp) {
    let scene = Scene::open(test).await;
    foreign_taken(test, &scene, 300).await;
    let money = foreign(test, "OPEN").await;
    let path = format!("/api/admin/unmatched/{}/return", id(&money[0]));
    let refused = administrator(test).await.post(&path, json!({})).await;
    refused.expect_refusal(409, "INVALID_STATE_TRANSITION");
    closes(test).await;
    administrator(test).await.post(&path, json!({})).await.expect(200);
    test.run_jobs().await;
    test.run_jobs_after(Duration::from_mins(1)).await;
    let mut returned: Vec<_> =
        foreign(test, "RETURNED").await.iter().map(|it| it["amount"].as_i64()).collect();
    returned.sort_unstable();
    assert_eq!(returned, [Some(300), Some(400)]);
    assert_eq!(scene.bank.calls("refund.create").await, 1);
    test.prove_books().await;
}

#[story::test]
async fn money_of_no_charge_that_its_bank_returns_after_that_failed_is_not_returned_twice(
    test: &TestApp,
) {
    let scene = Scene::open(test).await;
    let transfer = json!({ "dialect": "efi", "key": KEY, "amount_cents": 700 });
    let paid = scene.bank.at("/__pay", transfer).await["e2e"][0].clone();
    let paid = paid.as_str().expect("has an id");
    notify(test, &scene, paid).await;
    scene.bank.at("/__refund", json!({ "outcome": "process" })).await;
    let money = foreign(test, "OPEN").await;
    let path = format!("/api/admin/unmatched/{}/return", id(&money[0]));
    administrator(test).await.post(&path, json!({})).await.expect(200);
    test.run_jobs().await;
    returns_after_it_failed(test, &scene, paid).await;
    notify(test, &scene, paid).await;
    assert_eq!(differences(test).await, [(json!("UNKNOWN_REFUND"), json!(700))]);
    assert_eq!(foreign(test, "OPEN").await.len(), 1);
    let refused = administrator(test).await.post(&path, json!({})).await;
    refused.expect_refusal(409, "INVALID_STATE_TRANSITION");
    assert!(refused.text.contains("sent money of it back"), "{}", refused.text);
    test.run_jobs().await;
    assert_eq!(scene.bank.calls("refund.create").await, 1);
    test.prove_books().await;
}

#[story::test]
async fn money_of_no_charge_that_is_taken_back_is_matched_to_none(test: &TestApp) {
    let scene = Scene::open(test).await;
    let sold = charge(&scene.shop, 700).await;
    foreign_taken(test, &scene, 700).await;
    let money = foreign(test, "OPEN").await;
    let path = format!("/api/admin/unmatched/{}/match", id(&money[0]));
    let to = json!({ "transactionId": id(&sold) });
    for expected in ["OPEN", "RETURNED"] {
        let refused = administrator(test).await.post(&path, to.clone()).await;
        refused.expect_refusal(409, "INVALID_STATE_TRANSITION");
        assert_eq!(foreign(test, expected).await.len(), 1);
        closes(test).await;
    }
    assert_eq!(status(&scene.shop, &sold).await, "PENDING");
    test.prove_books().await;
}

#[story::test]
async fn the_excess_of_a_refunded_payment_that_is_reported_as_fraud_waits(test: &TestApp) {
    let scene = Scene::open(test).await;
    let (sold, paid, path) = paid_too_much(test, &scene).await;
    scene.refund(&sold, 1_000).await;
    test.run_jobs().await;
    test.run_jobs_after(Duration::from_mins(1)).await;
    assert_eq!(status(&scene.shop, &sold).await, "REFUNDED");
    let report = opens(&scene, &paid, 1_500).await;
    an_hour(test, &scene).await;
    cannot_be_accepted(&scene, &path).await;
    at_bank(&scene, json!({ "action": "decide", "id": report })).await;
    an_hour(test, &scene).await;
    cannot_be_accepted(&scene, &path).await;
    takes(test, &scene, &paid, 500).await;
    cannot_be_accepted(&scene, &path).await;
    assert_eq!(differences(test).await, []);
    test.prove_books().await;
}

#[story::test]
async fn the_excess_of_a_payment_whose_accepted_report_was_returned_can_be_accepted(
    test: &TestApp,
) {
    let scene = Scene::open(test).await;
    let (sold, paid, path) = paid_too_much(test, &scene).await;
    let report = opens(&scene, &paid, 1_000).await;
    an_hour(test, &scene).await;
    cannot_be_accepted(&scene, &path).await;
    at_bank(&scene, json!({ "action": "accept", "id": report })).await;
    for _ in 0..2 {
        an_hour(test, &scene).await;
    }
    assert_eq!(status(&scene.shop, &sold).await, "CHARGED_BACK");
    scene.shop.owner.post(&format!("{path}/accept"), json!({})).await.expect(200);
    assert_eq!(available(&scene.shop).await, 500);
    assert_eq!(differences(test).await, []);
    test.prove_books().await;
}

/// Reports of these amounts about a payment with an excess of 500 cents are accepted, and what the
/// bank then returns is not all of it.
async fn the_excess_waits_for_the_rest(test: &TestApp, reported: &[i64]) {
    let scene = Scene::open(test).await;
    let (sold, paid, path) = paid_too_much(test, &scene).await;
    for cents in reported {
        let report = opens(&scene, &paid, *cents).await;
        at_bank(&scene, json!({ "action": "decide", "id": report })).await;
    }
    an_hour(test, &scene).await;
    takes(test, &scene, &paid, 1_000).await;
    assert_eq!(status(&scene.shop, &sold).await, "CHARGED_BACK");
    for _ in 0..2 {
        an_hour(test, &scene).await;
        cannot_be_accepted(&scene, &path).await;
    }
    takes(test, &scene, &paid, 500).await;
    is_returned(&scene, &path).await;
    assert_eq!(available(&scene.shop).await, 0);
    assert_eq!(differences(test).await, []);
    test.prove_books().await;
}

#[story::test]
async fn the_excess_waits_until_all_that_an_accepted_report_is_about_is_returned(test: &TestApp) {
    the_excess_waits_for_the_rest(test, &[1_500]).await;
}

#[story::test]
async fn the_excess_waits_for_the_return_of_each_accepted_report(test: &TestApp) {
    the_excess_waits_for_the_rest(test, &[1_000, 500]).await;
}

#[story::test]
async fn a_return_that_its_bank_makes_after_it_failed_is_one_difference(test: &TestApp) {
    let scene = Scene::open(test).await;
    let (_, second, path) = paid_twice(test, &scene).await;
    scene.bank.at("/__refund", json!({ "outcome": "process" })).await;
    scene.shop.owner.post(&format!("{path}/return"), json!({})).await.expect(200);
    test.run_jobs().await;
    returns_after_it_failed(test, &scene, &second).await;
    for _ in 0..2 {
        notify(test, &scene, &second).await;
        assert_eq!(differences(test).await, [(json!("UNKNOWN_REFUND"), json!(1_000))]);
    }
    cannot_be_accepted(&scene, &path).await;
    closes(test).await;
    cannot_be_accepted(&scene, &path).await;
    let again = scene.shop.owner.post(&format!("{path}/return"), json!({})).await.expect(200);
    assert_eq!(again["unmatched"]["status"], "RETURNED", "{again}");
    assert_eq!(scene.bank.calls("refund.create").await, 1);
    test.prove_books().await;
}

/// The operator refunds an amount of a PIX in the bank's app; that is the one difference.
async fn refunded_in_the_app(test: &TestApp, scene: &Scene, paid: &str, cents: i64) {
    at_bank(scene, json!({ "action": "refund", "e2e": paid, "amount_cents": cents })).await;
    notify(test, scene, paid).await;
    assert_eq!(differences(test).await, [(json!("UNKNOWN_REFUND"), json!(cents))]);
}

#[story::test]
async fn the_excess_that_is_refunded_in_the_banks_app_is_gone_once_that_is_closed(test: &TestApp) {
    let scene = Scene::open(test).await;
    let (sold, paid, path) = paid_too_much(test, &scene).await;
    refunded_in_the_app(test, &scene, &paid, 500).await;
    cannot_be_accepted(&scene, &path).await;
    closes(test).await;
    is_returned(&scene, &path).await;
    notify(test, &scene, &paid).await;
    assert_eq!(status(&scene.shop, &sold).await, "PAID");
    assert_eq!(available(&scene.shop).await, 1_000);
    test.prove_books().await;
}

#[story::test]
async fn the_rest_of_money_of_no_charge_that_is_refunded_in_the_banks_app_can_be_matched(
    test: &TestApp,
) {
    let scene = Scene::open(test).await;
    let sold = charge(&scene.shop, 400).await;
    let transfer = json!({ "dialect": "efi", "key": KEY, "amount_cents": 700 });
    let paid = scene.bank.at("/__pay", transfer).await["e2e"][0].clone();
    let paid = paid.as_str().expect("has an id");
    notify(test, &scene, paid).await;
    refunded_in_the_app(test, &scene, paid, 300).await;
    closes(test).await;
    assert_eq!(foreign(test, "RETURNED").await[0]["amount"], 300);
    let path = format!("/api/admin/unmatched/{}/match", id(&foreign(test, "OPEN").await[0]));
    let to = json!({ "transactionId": id(&sold) });
    administrator(test).await.post(&path, to).await.expect(200);
    assert_eq!(status(&scene.shop, &sold).await, "PAID");
    test.prove_books().await;
}

#[story::test]
async fn a_refund_of_a_sale_that_its_bank_makes_after_it_failed_leaves_the_excess(test: &TestApp) {
    let scene = Scene::open(test).await;
    let (sold, paid, path) = paid_too_much(test, &scene).await;
    scene.bank.at("/__refund", json!({ "outcome": "process" })).await;
    scene.refund(&sold, 400).await;
    test.run_jobs().await;
    returns_after_it_failed(test, &scene, &paid).await;
    notify(test, &scene, &paid).await;
    assert_eq!(differences(test).await, [(json!("UNKNOWN_REFUND"), json!(400))]);
    cannot_be_accepted(&scene, &path).await;
    closes(test).await;
    scene.shop.owner.post(&format!("{path}/accept"), json!({})).await.expect(200);
    assert_eq!(available(&scene.shop).await, 1_500);
    test.prove_books().await;
}

#[story::test]
async fn what_is_taken_of_a_payment_that_was_lost_already_is_a_difference(test: &TestApp) {
    let scene = Scene::open(test).await;
    let (sold, paid) = scene.sell(test, 1_000).await;
    takes(test, &scene, &paid, 1_000).await;
    assert_eq!(status(&scene.shop, &sold).await, "CHARGED_BACK");
    takes(test, &scene, &paid, 400).await;
    assert_eq!(differences(test).await, [(json!("TAKEN_BACK"), json!(400))]);
    test.prove_books().await;
}

#[story::test]
async fn the_return_of_what_an_administrator_had_decided_is_lost_is_booked_once(test: &TestApp) {
    let scene = Scene::open(test).await;
    let (sold, paid) = scene.sell(test, 1_000).await;
    opens(&scene, &paid, 1_000).await;
    an_hour(test, &scene).await;
    let path = format!("/api/admin/disputes/{}/resolve", id(&sold));
    let decision = json!({ "outcome": "LOST", "note": "O banco avisou por telefone." });
    administrator(test).await.post(&path, decision).await.expect(200);
    takes(test, &scene, &paid, 1_000).await;
    assert_eq!(differences(test).await, []);
    takes(test, &scene, &paid, 1_000).await;
    assert_eq!(differences(test).await, [(json!("TAKEN_BACK"), json!(1_000))]);
    assert_eq!(available(&scene.shop).await, 0);
    test.prove_books().await;
}
