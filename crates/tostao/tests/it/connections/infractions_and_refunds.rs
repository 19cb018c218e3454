//! Reports of fraud about payments of which a refund is under way: what is left is held, and what
//! the refund leaves if it fails.

use std::time::Duration;

use serde_json::{Value, json};

use super::infractions::{an_hour, at_bank, opens, without_payments};
use super::payments::pass;
use super::scene::Scene;
use super::{administrator, available, read};
use crate::harness::TestApp;
use crate::harness::shop::id;

const DIFFERENCES: &str = "/api/admin/reconciliation";

/// A payment of 1000 cents, of which a part is being refunded.
struct Refunding<'a> {
    scene: &'a Scene,
    /// What the merchant had before.
    had: i64,
    sold: Value,
    paid: String,
    refund: String,
}

impl<'a> Refunding<'a> {
    async fn begin(test: &TestApp, scene: &'a Scene, cents: i64) -> Self {
        let had = available(&scene.shop).await;
        let (sold, paid) = scene.sell(test, 1_000).await;
        scene.bank.at("/__refund", json!({ "outcome": "process" })).await;
        scene.refund(&sold, cents).await;
        test.run_jobs().await;
        let path = format!("/api/v1/transactions/{}/refunds", id(&sold));
        let refund = id(&scene.shop.owner.list(&path).await[0]).replace('-', "");
        Self { scene, had, sold, paid, refund }
    }

    /// The bank ends the refund, and is asked about it before any report can be read.
    async fn ends(&self, test: &TestApp, outcome: &str) {
        let unread = json!({ "fault": "status", "status": 500, "times": 99 });
        self.scene.bank.fault("med.list", unread).await;
        let end = json!({ "outcome": outcome, "e2e": self.paid, "id": self.refund });
        self.scene.bank.at("/__refund", end).await;
        pass(test, &self.scene.bank, Duration::from_mins(20)).await;
        let ended = if outcome == "pay" { "COMPLETED" } else { "FAILED" };
        assert_eq!(self.scene.refunds(&self.sold).await[0], ended);
        self.scene.bank.recovers().await;
    }

    /// Proves the payment's status, what was refunded of it, and what the merchant has of it.
    async fn is(&self, test: &TestApp, status: &str, refunded: i64, left: i64) {
        let now = read(&self.scene.shop, &self.sold).await;
        assert_eq!((&now["status"], &now["refundedAmount"]), (&json!(status), &json!(refunded)));
        assert_eq!(available(&self.scene.shop).await - self.had, left);
        test.prove_books().await;
    }
}

#[story::test]
async fn what_a_failed_refund_leaves_is_held_for_a_report_that_was_read_while_it_was_under_way(
    test: &TestApp,
) {
    let scene = Scene::open(test).await;
    for (refunded, meanwhile) in [(1_000, "PAID"), (400, "DISPUTED")] {
        let it = Refunding::begin(test, &scene, refunded).await;
        let report = opens(it.scene, &it.paid, 1_000).await;
        for _ in 0..2 {
            an_hour(test, it.scene).await;
            it.is(test, meanwhile, 0, 0).await;
        }
        it.ends(test, "refuse").await;
        for _ in 0..3 {
            it.is(test, "DISPUTED", 0, 0).await;
            an_hour(test, it.scene).await;
        }
        at_bank(it.scene, json!({ "action": "reject", "id": report })).await;
        an_hour(test, it.scene).await;
        it.is(test, "PAID", 0, 1_000).await;
        let emitted = it.scene.events("transaction.disp").await;
        assert_eq!(emitted.last().map(String::as_str), Some("transaction.dispute_won"));
        assert_eq!(administrator(test).await.total(DIFFERENCES).await, 0);
    }
}

#[story::test]
async fn the_return_of_an_accepted_report_takes_what_a_failed_refund_left(test: &TestApp) {
    let scene = Scene::open(test).await;
    for refunded in [1_000, 400] {
        let it = Refunding::begin(test, &scene, refunded).await;
        let report = opens(it.scene, &it.paid, 1_000).await;
        an_hour(test, it.scene).await;
        at_bank(it.scene, json!({ "action": "decide", "id": report })).await;
        an_hour(test, it.scene).await;
        it.ends(test, "refuse").await;
        for _ in 0..2 {
            it.is(test, "DISPUTED", 0, 0).await;
            an_hour(test, it.scene).await;
        }
        let returned = json!({ "action": "take_back", "e2e": it.paid, "amount_cents": 1_000 });
        at_bank(it.scene, returned).await;
        for _ in 0..3 {
            an_hour(test, it.scene).await;
            it.is(test, "CHARGED_BACK", 0, 0).await;
        }
    }
}

#[story::test]
async fn a_report_first_read_with_its_return_holds_what_a_failed_refund_leaves(test: &TestApp) {
    let scene = Scene::open(test).await;
    for refunded in [1_000, 400] {
        let it = Refunding::begin(test, &scene, refunded).await;
        let report = opens(it.scene, &it.paid, 1_000).await;
        at_bank(it.scene, json!({ "action": "accept", "id": report })).await;
        an_hour(test, it.scene).await;
        // So that the refund's failure is seen long before the return is seen again.
        without_payments(it.scene).await;
        for _ in 0..8 {
            pass(test, &it.scene.bank, Duration::from_mins(2)).await;
        }
        it.ends(test, "refuse").await;
        it.is(test, "DISPUTED", 0, 0).await;
        for _ in 0..2 {
            an_hour(test, it.scene).await;
            it.is(test, "CHARGED_BACK", 0, 0).await;
        }
    }
}

#[story::test]
async fn a_report_that_is_rejected_while_a_refund_is_under_way_holds_nothing_that_it_leaves(
    test: &TestApp,
) {
    let scene = Scene::open(test).await;
    for refunded in [1_000, 400] {
        let it = Refunding::begin(test, &scene, refunded).await;
        let report = opens(it.scene, &it.paid, 1_000).await;
        an_hour(test, it.scene).await;
        at_bank(it.scene, json!({ "action": "reject", "id": report })).await;
        an_hour(test, it.scene).await;
        it.is(test, "PAID", 0, 1_000 - refunded).await;
        it.ends(test, "refuse").await;
        an_hour(test, it.scene).await;
        it.is(test, "PAID", 0, 1_000).await;
    }
}

#[story::test]
async fn a_refund_that_succeeds_leaves_nothing_for_a_report_that_waited(test: &TestApp) {
    let scene = Scene::open(test).await;
    let it = Refunding::begin(test, &scene, 1_000).await;
    let report = opens(it.scene, &it.paid, 1_000).await;
    an_hour(test, it.scene).await;
    it.ends(test, "pay").await;
    it.is(test, "REFUNDED", 1_000, 0).await;
    at_bank(it.scene, json!({ "action": "decide", "id": report })).await;
    for _ in 0..2 {
        an_hour(test, it.scene).await;
        it.is(test, "REFUNDED", 1_000, 0).await;
    }
    assert_eq!(it.scene.events("transaction.disputed").await.len(), 0);
    assert_eq!(administrator(test).await.total(DIFFERENCES).await, 0);
}

#[story::test]
async fn what_is_returned_beside_a_refund_under_way_is_a_part_and_the_refund_may_leave_the_rest(
    test: &TestApp,
) {
    let scene = Scene::open(test).await;
    for (outcome, after, refunded) in [("pay", "REFUNDED", 1_000), ("refuse", "PAID", 600)] {
        let it = Refunding::begin(test, &scene, 400).await;
        let report = opens(it.scene, &it.paid, 600).await;
        an_hour(test, it.scene).await;
        at_bank(it.scene, json!({ "action": "accept", "id": report })).await;
        an_hour(test, it.scene).await;
        it.is(test, "PAID", 600, 0).await;
        it.ends(test, outcome).await;
        an_hour(test, it.scene).await;
        it.is(test, after, refunded, 1_000 - refunded).await;
    }
}

#[story::test]
async fn what_a_failed_refund_leaves_is_held_for_the_report_whose_part_was_not_returned(
    test: &TestApp,
) {
    let scene = Scene::open(test).await;
    let it = Refunding::begin(test, &scene, 400).await;
    let returned = opens(it.scene, &it.paid, 600).await;
    let other = opens(it.scene, &it.paid, 400).await;
    an_hour(test, it.scene).await;
    at_bank(it.scene, json!({ "action": "accept", "id": returned })).await;
    an_hour(test, it.scene).await;
    it.is(test, "PAID", 600, 0).await;
    it.ends(test, "refuse").await;
    it.is(test, "DISPUTED", 600, 0).await;
    at_bank(it.scene, json!({ "action": "reject", "id": other })).await;
    an_hour(test, it.scene).await;
    it.is(test, "PAID", 600, 400).await;
}
