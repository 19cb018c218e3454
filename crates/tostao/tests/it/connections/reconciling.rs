//! Lists that are read because notices are lost: nothing is missed and nothing is booked twice,
//! however long the list, whatever moves in it, and whatever the clocks say.

use std::time::Duration;

use db::time::Timestamp;
use serde_json::{Value, json};

use super::payments::pass;
use super::scene::{Scene, pass_in};
use super::{Bank, KEY, administrator, available, charge, status};
use crate::harness::TestApp;
use crate::harness::metrics::Metrics;

#[story::test]
async fn everything_whose_notice_is_lost_is_booked_within_ten_minutes(test: &TestApp) {
    let metrics = Metrics::start();
    let scene = Scene::open_at(test, Bank::routed_as(test, "efi-lost").await).await;
    let (sold, paid) = scene.sell(test, 10_000).await;
    for path in ["/__refund", "/__payout"] {
        scene.bank.at(path, json!({ "outcome": "process" })).await;
    }
    scene.refund(&sold, 400).await;
    let path = scene.approved(test, 5_000).await;
    test.run_jobs().await;
    pass_in(test, &scene.bank, 4, Duration::from_mins(30)).await;
    assert_eq!(scene.withdrawal_status(&path).await, "PENDING");
    let charges = [charge(&scene.shop, 1_000).await, charge(&scene.shop, 1_000).await];
    for charge in &charges {
        scene.bank.pays(charge, json!({})).await;
    }
    let reference = scene.withdrawal(&path).await["externalId"].clone();
    scene.bank.at("/__payout", json!({ "outcome": "pay", "id": reference })).await;
    let refund = scene.bank.has("/efi/pix/received").await[0]["devolucoes"][0]["id"].clone();
    let settled = json!({ "outcome": "pay", "e2e": paid, "id": refund });
    scene.bank.at("/__refund", settled).await;
    pass_in(test, &scene.bank, 10, Duration::from_mins(1)).await;
    for charge in &charges {
        assert_eq!(status(&scene.shop, charge).await, "PAID");
    }
    pass_in(test, &scene.bank, 5, Duration::from_mins(1)).await;
    assert_eq!(scene.withdrawal_status(&path).await, "COMPLETED");
    assert_eq!(scene.refunds(&sold).await, ["COMPLETED"]);
    // What a list has first is what the notices did not say.
    for (source, payments) in [("list", 2.0), ("notice", 1.0)] {
        let labels = format!(r#"connection="efi-lost",kind="pix",source="{source}",payment="new""#);
        let new = metrics.read(&format!("connection_payments_total{{{labels}}}")).await;
        assert_eq!(new, Some(payments), "{source}");
    }
    let known = r#"connection="efi-lost",kind="pix",source="list",payment="known""#;
    let known = metrics.read(&format!("connection_payments_total{{{known}}}")).await;
    assert!(known.is_some_and(|payments| payments > 0.0), "{known:?}");
}

#[story::test]
async fn a_long_list_that_moves_while_it_is_read_is_read_whole_and_booked_once(test: &TestApp) {
    let scene = Scene::open(test).await;
    scene.bank.at("/__settings", json!({ "newest_first": true })).await;
    let transfers = json!({ "dialect": "efi", "key": KEY, "amount_cents": 7, "times": 2_000 });
    scene.bank.at("/__pay", transfers).await;
    // The list breaks off after some pages, and entries appear before those that were read.
    let breaks = json!({ "fault": "status", "status": 500, "skip": 7, "times": 1 });
    scene.bank.fault("pix.list", breaks).await;
    pass(test, &scene.bank, Duration::from_mins(6)).await;
    let known = administrator(test).await.total("/api/admin/unmatched?limit=1").await;
    assert_eq!(known, 700);
    scene.bank.at("/__clock", json!({ "advance_seconds": -240 })).await;
    let late = json!({ "dialect": "efi", "key": KEY, "amount_cents": 7, "times": 150 });
    scene.bank.at("/__pay", late).await;
    scene.bank.at("/__clock", json!({ "advance_seconds": 240 })).await;
    pass_in(test, &scene.bank, 3, Duration::from_mins(6)).await;
    let known = administrator(test).await.total("/api/admin/unmatched?limit=1").await;
    assert_eq!(known, 2_150);
}

/// Charges that are paid at a bank whose clock is off by so much.
async fn paid_with_clock_off(test: &TestApp, seconds: i64) {
    let scene = Scene::open(test).await;
    scene.bank.at("/__clock", json!({ "advance_seconds": seconds })).await;
    let mut charges = Vec::new();
    for _ in 0..8 {
        let charge = charge(&scene.shop, 1_000).await;
        pass(test, &scene.bank, Duration::from_secs(90)).await;
        scene.bank.pays(&charge, json!({})).await;
        charges.push(charge);
    }
    pass_in(test, &scene.bank, 3, Duration::from_mins(5)).await;
    for charge in &charges {
        assert_eq!(status(&scene.shop, charge).await, "PAID");
    }
    assert_eq!(available(&scene.shop).await, 8_000);
}

#[story::test]
async fn a_bank_whose_clock_is_five_minutes_ahead_misses_nothing(test: &TestApp) {
    paid_with_clock_off(test, 300).await;
}

#[story::test]
async fn a_bank_whose_clock_is_five_minutes_behind_misses_nothing(test: &TestApp) {
    paid_with_clock_off(test, -300).await;
}

#[story::test]
async fn what_is_paid_around_midnight_and_the_turn_of_the_year_is_booked(test: &TestApp) {
    let scene = Scene::open(test).await;
    let instants = [
        // Midnight in UTC, and in São Paulo, of an ordinary day and of the last of the year.
        "2026-11-22T00:00:00Z",
        "2026-11-22T03:00:00Z",
        "2026-12-31T03:00:00Z",
        "2027-01-01T00:00:00Z",
        "2027-01-01T03:00:00Z",
    ];
    let mut charges: Vec<Value> = Vec::new();
    for instant in instants {
        let midnight = Timestamp::parse(instant).expect("is an instant");
        let eve = midnight.minus(Duration::from_secs(60));
        pass(test, &scene.bank, eve.since(test.app.now())).await;
        let before = charge(&scene.shop, 1_000).await;
        let after = charge(&scene.shop, 1_000).await;
        pass(test, &scene.bank, Duration::from_secs(59)).await;
        scene.bank.pays(&before, json!({})).await;
        pass(test, &scene.bank, Duration::from_secs(2)).await;
        scene.bank.pays(&after, json!({})).await;
        pass_in(test, &scene.bank, 2, Duration::from_mins(5)).await;
        charges.extend([before, after]);
        for charge in &charges {
            assert_eq!(status(&scene.shop, charge).await, "PAID", "{instant}");
        }
    }
    assert_eq!(available(&scene.shop).await, 10_000);
}
