//! Refunds of cards, by an acquirer that knows no more of them than a total for each charge.

use std::time::Duration;

use serde_json::{Value, json};

use super::acquirer::{Acquirer, refund, refunds};
use super::{real, status};
use crate::harness::TestApp;
use crate::harness::engine::Engine;
use crate::harness::shop::Shop;

const HOUR: Duration = Duration::from_hours(1);

/// What was refunded of each refund's charge before it, oldest first.
async fn before(test: &TestApp) -> Vec<Vec<String>> {
    let rows = "select cast(coalesce(refunded_before_cents, -1) as text) from refunds order by id";
    Engine::open(test).await.rows(rows).await
}

async fn canceled(acquirer: &Acquirer) -> Value {
    acquirer.charges().await[0]["canceled_amount"].clone()
}

#[story::test]
async fn a_charge_is_refunded_in_parts_and_then_whole(test: &TestApp, shop: Shop) {
    let acquirer = Acquirer::routed(test).await;
    let sold = acquirer.sell(&shop, json!({})).await;
    refund(&shop, &sold, 3_000).await;
    test.run_jobs().await;
    assert_eq!(
        (status(&shop, &sold).await.as_str(), canceled(&acquirer).await),
        ("PAID", json!(3_000))
    );
    refund(&shop, &sold, 7_000).await;
    test.run_jobs().await;
    assert_eq!(status(&shop, &sold).await, "REFUNDED");
    assert_eq!(canceled(&acquirer).await, 10_000);
    assert_eq!(before(test).await, [["0"], ["3000"]]);
    test.prove_books().await;
}

#[story::test]
async fn a_refund_whose_answer_is_lost_is_found_in_the_total_and_sent_once(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    let sold = acquirer.sell(&shop, json!({})).await;
    acquirer.hide_charges().await;
    acquirer.fault("charge.cancel", json!({ "fault": "cut_after", "times": 1 })).await;
    refund(&shop, &sold, 4_000).await;
    test.run_jobs().await;
    assert_eq!(refunds(&shop, &sold).await, ["PENDING"]);
    acquirer.heal().await;
    acquirer.pass(test, HOUR).await;
    assert_eq!(refunds(&shop, &sold).await, ["COMPLETED"]);
    assert_eq!(canceled(&acquirer).await, 4_000);
    assert_eq!(acquirer.sent("charge.cancel").await.len(), 1);
}

#[story::test]
async fn a_second_refund_of_a_charge_waits_until_the_first_has_ended(test: &TestApp, shop: Shop) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    let sold = acquirer.sell(&shop, json!({})).await;
    acquirer.hide_charges().await;
    acquirer.fault("charge.cancel", json!({ "fault": "cut_after", "times": 1 })).await;
    refund(&shop, &sold, 3_000).await;
    test.run_jobs().await;
    acquirer.hide().await;
    refund(&shop, &sold, 2_000).await;
    for _ in 0..6 {
        acquirer.pass(test, HOUR / 6).await;
    }
    assert_eq!(refunds(&shop, &sold).await, ["PENDING", "PENDING"]);
    assert_eq!(acquirer.sent("charge.cancel").await.len(), 1);
    acquirer.heal().await;
    acquirer.pass(test, HOUR).await;
    acquirer.pass(test, HOUR).await;
    assert_eq!(refunds(&shop, &sold).await, ["COMPLETED", "COMPLETED"]);
    assert_eq!(canceled(&acquirer).await, 5_000);
    assert_eq!(before(test).await, [["0"], ["3000"]]);
    assert_eq!(acquirer.sent("charge.cancel").await.len(), 2);
    test.prove_books().await;
}

#[story::test]
async fn the_next_refund_goes_on_from_where_a_refused_one_left_the_total(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    let sold = acquirer.sell(&shop, json!({})).await;
    let theirs = acquirer.newest().await;
    acquirer.hide_charges().await;
    acquirer.fault("charge.cancel", json!({ "fault": "cut_before", "times": 1 })).await;
    refund(&shop, &sold, 3_000).await;
    test.run_jobs().await;
    acquirer.hide().await;
    acquirer.pass(test, HOUR).await;
    // The second one is asked for now, so that the first one is tried before it.
    refund(&shop, &sold, 2_000).await;
    test.run_jobs().await;
    test.run_jobs_after(Duration::from_millis(1_500)).await;
    acquirer.dispute(&theirs, json!({})).await;
    acquirer.heal().await;
    test.run_jobs_after(Duration::from_secs(1)).await;
    assert_eq!(refunds(&shop, &sold).await, ["FAILED", "PENDING"]);
    acquirer.dispute(&theirs, json!({ "outcome": "won" })).await;
    test.run_jobs_after(Duration::from_secs(4)).await;
    assert_eq!(refunds(&shop, &sold).await, ["FAILED", "COMPLETED"]);
    assert_eq!(canceled(&acquirer).await, 2_000);
    assert_eq!(before(test).await, [["0"], ["0"]]);
    test.prove_books().await;
}
