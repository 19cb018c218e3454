//! The balance at the bank: compared with the books each night, and asked for before a payout.

use std::time::Duration;

use db::time::Timestamp;
use ledger::cents::Cents;
use rails::connection::Balance;
use serde_json::{Value, json};

use super::payments::pass;
use super::scene::{Scene, pass_in};
use super::{KEY, administrator, available, charge, inter, status};
use crate::harness::TestApp;
use crate::harness::shop::id;

const DIFFERENCES: &str = "/api/admin/reconciliation";

/// Sets what the bank's account holds.
async fn holds(scene: &Scene, cents: i64) {
    scene.bank.at("/__balance", json!({ "cents": cents })).await;
}

/// Changes what the bank's account holds, as a tariff does or the operator.
async fn moves(scene: &Scene, cents: i64) {
    let held = scene.bank.has("/efi/pix/balance_cents").await.as_i64().expect("is a number");
    holds(scene, held + cents).await;
}

/// Lets a night pass, and the time in which a drift is looked at again.
async fn a_night(test: &TestApp, scene: &Scene) {
    pass(test, &scene.bank, Duration::from_hours(24)).await;
    pass_in(test, &scene.bank, 3, Duration::from_mins(11)).await;
}

/// The differences of balances: amount, status and what was accepted.
async fn drifts(test: &TestApp) -> Vec<(i64, String, Value)> {
    let all = administrator(test).await.list(DIFFERENCES).await;
    let shown = |it: &Value| {
        assert_eq!(it["kind"], "BALANCE", "{it}");
        let status = it["status"].as_str().expect("has one").to_owned();
        (it["amount"].as_i64().expect("has one"), status, it["details"]["accepted"].clone())
    };
    all.iter().map(shown).collect()
}

#[story::test]
async fn every_way_that_money_comes_and_goes_leaves_no_drift(test: &TestApp) {
    let scene = Scene::open(test).await;
    let (sold, _) = scene.sell(test, 10_000).await;
    scene.refund(&sold, 400).await;
    let parts = json!({ "outcome": "return", "parts_cents": [1_000, 500] });
    scene.bank.at("/__payout", parts).await;
    scene.approved(test, 3_000).await;
    let (_, whole) = scene.sell(test, 2_000).await;
    let (_, part) = scene.sell(test, 2_000).await;
    for (paid, cents) in [(&whole, 2_000), (&part, 700)] {
        let taken = json!({ "action": "take_back", "e2e": paid, "amount_cents": cents });
        scene.bank.at("/__med", taken).await;
    }
    let (_, reported) = scene.sell(test, 900).await;
    scene.bank.at("/__med", json!({ "action": "open", "e2e": reported })).await;
    // Too little, too much, and for no charge.
    let (less, more) = (charge(&scene.shop, 1_000).await, charge(&scene.shop, 1_000).await);
    scene.bank.pays(&less, json!({ "amount_cents": 900 })).await;
    scene.bank.pays(&more, json!({ "amount_cents": 1_500 })).await;
    for cents in [70, 80] {
        let transfer = json!({ "dialect": "efi", "key": KEY, "amount_cents": cents });
        scene.bank.at("/__pay", transfer).await;
    }
    pass_in(test, &scene.bank, 3, Duration::from_mins(6)).await;
    let unknown = administrator(test).await.list("/api/admin/unmatched").await;
    let path = format!("/api/admin/unmatched/{}/return", id(&unknown[0]));
    administrator(test).await.post(&path, json!({})).await.expect(200);
    let asked = scene.bank.calls("balance").await;
    a_night(test, &scene).await;
    // Once to compare: the nightly test does not ask.
    assert_eq!(scene.bank.calls("balance").await, asked + 1);
    assert_eq!(drifts(test).await, []);
}

#[story::test]
async fn a_drift_is_one_difference_that_follows_it_and_closes_by_itself(test: &TestApp) {
    let scene = Scene::open(test).await;
    scene.sell(test, 10_000).await;
    for (tariff, drift) in [(-350, -350), (0, -350), (-50, -400)] {
        moves(&scene, tariff).await;
        a_night(test, &scene).await;
        assert_eq!(drifts(test).await, [(drift, "OPEN".to_owned(), json!(0))]);
    }
    moves(&scene, 400).await;
    a_night(test, &scene).await;
    assert_eq!(drifts(test).await, [(0, "RESOLVED".to_owned(), json!(0))]);
    moves(&scene, -400).await;
    a_night(test, &scene).await;
    assert_eq!(drifts(test).await, [(-400, "OPEN".to_owned(), json!(0))]);
}

#[story::test]
async fn a_drift_that_an_administrator_accepts_stays_closed_until_it_changes(test: &TestApp) {
    let scene = Scene::open(test).await;
    holds(&scene, 5_000).await;
    scene.sell(test, 10_000).await;
    a_night(test, &scene).await;
    assert_eq!(drifts(test).await, [(5_000, "OPEN".to_owned(), json!(0))]);
    let admin = administrator(test).await;
    let path = format!("{DIFFERENCES}/{}/resolve", id(&admin.list(DIFFERENCES).await[0]));
    admin.post(&path, json!({ "note": "Dinheiro da casa." })).await.expect(200);
    a_night(test, &scene).await;
    assert_eq!(drifts(test).await, [(5_000, "RESOLVED".to_owned(), json!(0))]);
    moves(&scene, 10).await;
    a_night(test, &scene).await;
    assert_eq!(drifts(test).await, [(5_010, "OPEN".to_owned(), json!(5_000))]);
    moves(&scene, -10).await;
    a_night(test, &scene).await;
    assert_eq!(drifts(test).await, [(5_000, "RESOLVED".to_owned(), json!(5_000))]);
}

#[story::test]
async fn what_is_paid_while_the_balance_is_read_is_no_drift_once_it_is_booked(test: &TestApp) {
    let scene = Scene::open(test).await;
    let night = Timestamp::parse("2026-11-22T05:00:00Z").expect("is an instant");
    pass(test, &scene.bank, night.minus(Duration::from_mins(1)).since(test.app.now())).await;
    let lost = charge(&scene.shop, 1_000).await;
    scene.bank.pays(&lost, json!({})).await;
    let asked = scene.bank.calls("balance").await;
    pass(test, &scene.bank, Duration::from_mins(1)).await;
    assert_eq!(scene.bank.calls("balance").await, asked + 1);
    assert_eq!(status(&scene.shop, &lost).await, "PENDING");
    assert_eq!(drifts(test).await, []);
    pass_in(test, &scene.bank, 3, Duration::from_mins(11)).await;
    assert_eq!(status(&scene.shop, &lost).await, "PAID");
    assert_eq!(drifts(test).await, []);
}

#[story::test]
async fn a_payout_waits_while_its_account_has_less_and_is_sent_once_it_has_more(test: &TestApp) {
    let scene = Scene::open(test).await;
    scene.sell(test, 10_000).await;
    holds(&scene, 4_919).await;
    let path = scene.approved(test, 5_000).await;
    for _ in 0..3 {
        pass(test, &scene.bank, Duration::from_mins(20)).await;
        assert_eq!(scene.withdrawal_status(&path).await, "PENDING");
    }
    assert_eq!(scene.bank.calls("payout.create").await, 0);
    holds(&scene, 4_920).await;
    pass_in(test, &scene.bank, 2, Duration::from_mins(20)).await;
    assert_eq!(scene.withdrawal_status(&path).await, "COMPLETED");
    assert_eq!(scene.bank.count("/efi/payouts").await, 1);
    assert_eq!(available(&scene.shop).await, 5_000);
}

#[story::test]
async fn a_payout_that_waits_for_money_can_be_rejected(test: &TestApp) {
    let scene = Scene::open(test).await;
    scene.sell(test, 10_000).await;
    holds(&scene, 1).await;
    let path = scene.approved(test, 5_000).await;
    test.run_jobs().await;
    let reject = json!({ "action": "reject", "failureReason": "Sem dinheiro na conta." });
    let admin = administrator(test).await;
    admin.post(&format!("{path}/process"), reject).await.expect(200);
    holds(&scene, 10_000).await;
    pass_in(test, &scene.bank, 2, Duration::from_mins(20)).await;
    assert_eq!(scene.bank.calls("payout.create").await, 0);
    assert_eq!(available(&scene.shop).await, 10_000);
}

#[story::test]
async fn a_payout_is_sent_where_the_bank_does_not_say_what_it_has(test: &TestApp) {
    let scene = Scene::open(test).await;
    scene.sell(test, 20_000).await;
    for (status, more) in [(500, json!({})), (403, json!({ "body": "{}" }))] {
        scene.bank.recovers().await;
        let fails = json!({ "fault": "status", "status": status, "times": 9 });
        scene.bank.fault("balance", crate::harness::shop::merged(fails, &more)).await;
        let path = scene.approved(test, 5_000).await;
        test.run_jobs().await;
        test.run_jobs_after(Duration::from_mins(1)).await;
        assert_eq!(scene.withdrawal_status(&path).await, "COMPLETED", "{status}");
    }
}

#[story::test]
async fn inters_balance_is_read_too(test: &TestApp) {
    let bank = inter(test).await;
    bank.at("/__balance", json!({ "dialect": "inter", "cents": 123_456 })).await;
    let registry = test.app.providers.registry();
    let connected = &registry.named("inter-main").expect("is connected").connected;
    let balance = connected.connection.balance().await.expect("answers");
    let (available, blocked) = (Cents::new(123_456), Cents::ZERO);
    assert_eq!(balance, Some(Balance { available, blocked }));
    let payouts = connected.payout.clone().expect("pays out");
    assert_eq!(payouts.available().await, Ok(Some(available)));
}
