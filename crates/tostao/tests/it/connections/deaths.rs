//! Crashes: a worker that dies between any two steps moves money at a bank once.

use std::time::Duration;

use super::scene::{Scene, pass_in};
use crate::harness::TestApp;
use crate::harness::crashes::{at_every_wait, calm_down, die_at_wait};

/// The longest that a bank is not asked again about an order.
const STEP: Duration = Duration::from_mins(30);
const STEPS: u32 = 4;

#[story::test]
async fn a_worker_that_dies_anywhere_pays_out_at_a_bank_once(test: &TestApp) {
    let scene = Scene::open(test).await;
    at_every_wait(async |number| {
        scene.sell(test, 1_000).await;
        let before = scene.bank.count("/efi/payouts").await;
        let path = scene.approved(test, 1_000).await;
        let died = die_at_wait(test, number).await;
        calm_down(test).await;
        pass_in(test, &scene.bank, STEPS, STEP).await;
        let status = scene.withdrawal_status(&path).await;
        assert_eq!(status, "COMPLETED", "death at wait {number}");
        let orders = scene.bank.count("/efi/payouts").await;
        assert_eq!(orders, before + 1, "death at wait {number}");
        died
    })
    .await;
}

#[story::test]
async fn a_worker_that_dies_anywhere_refunds_at_a_bank_once(test: &TestApp) {
    let scene = Scene::open(test).await;
    at_every_wait(async |number| {
        let (charge, paid) = scene.sell(test, 1_000).await;
        scene.refund(&charge, 400).await;
        let died = die_at_wait(test, number).await;
        calm_down(test).await;
        pass_in(test, &scene.bank, STEPS, STEP).await;
        assert_eq!(scene.refunds(&charge).await, ["COMPLETED"], "death at wait {number}");
        assert_eq!(scene.bank.refunds_of(&paid).await, 1, "death at wait {number}");
        died
    })
    .await;
}
