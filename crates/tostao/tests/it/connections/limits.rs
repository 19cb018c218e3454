//! A bank that receives too many requests: no call for as long as it asks, and nothing fails.

use std::time::Duration;

use futures_util::future::pending;
use serde_json::json;
use tokio::time::timeout;

use super::payments::pass;
use super::scene::Scene;
use super::{Bank, charge, status, try_charge};
use crate::harness::TestApp;
use crate::harness::shop::Shop;

#[story::test]
async fn every_caller_leaves_an_operation_alone_that_is_asked_too_often(
    test: &TestApp,
    shop: Shop,
) {
    let bank = Bank::routed(test).await;
    let issued = charge(&shop, 1_000).await;
    bank.fault("cob.create", json!({ "fault": "too_many", "retry_after": 3_600, "times": 1 }))
        .await;
    for _ in 0..3 {
        try_charge(&shop, 1_000).await.expect_refusal(503, "UNAVAILABLE");
    }
    assert_eq!(bank.calls("cob.create").await, 2);
    assert_eq!(shop.owner.total("/api/v1/transactions").await, 1);
    // Another operation has a limit of its own.
    let paid = bank.pays(&issued, json!({})).await;
    bank.notify(test, &paid).await.expect(200);
    test.run_jobs().await;
    assert_eq!(status(&shop, &issued).await, "PAID");
}

#[story::test]
async fn notices_and_lists_are_left_alone_for_as_long_as_the_bank_asks(test: &TestApp) {
    let scene = Scene::open(test).await;
    let charges = [charge(&scene.shop, 1_000).await, charge(&scene.shop, 1_000).await];
    for operation in ["pix.get", "pix.list"] {
        let limit = json!({ "fault": "too_many", "retry_after": 3_600, "times": 1 });
        scene.bank.fault(operation, limit).await;
    }
    let (asked, listed) = (scene.bank.calls("pix.get").await, scene.bank.calls("pix.list").await);
    for charge in &charges {
        let paid = scene.bank.pays(charge, json!({})).await;
        scene.bank.notify(test, &paid).await.expect(200);
    }
    for _ in 0..5 {
        pass(test, &scene.bank, Duration::from_mins(5)).await;
    }
    assert_eq!(scene.bank.calls("pix.get").await, asked + 1);
    assert_eq!(scene.bank.calls("pix.list").await, listed + 1);
    // A new setup begins afresh, and nothing that was reported is lost.
    scene.bank.rotates(test, json!({ "client_secret": "the next one" })).await;
    for _ in 0..3 {
        pass(test, &scene.bank, Duration::from_mins(15)).await;
    }
    for charge in &charges {
        assert_eq!(status(&scene.shop, charge).await, "PAID");
    }
}

#[story::test]
async fn orders_wait_for_as_long_as_the_bank_asks_and_are_then_sent_once(test: &TestApp) {
    let scene = Scene::open(test).await;
    let (charge, paid) = scene.sell(test, 10_000).await;
    for operation in ["payout.create", "refund.create"] {
        let limit = json!({ "fault": "too_many", "retry_after": 1, "times": 1 });
        scene.bank.fault(operation, limit).await;
    }
    let path = scene.approved(test, 5_000).await;
    scene.refund(&charge, 400).await;
    test.run_jobs().await;
    test.run_jobs_after(Duration::from_millis(999)).await;
    for operation in ["payout.create", "refund.create"] {
        assert_eq!(scene.bank.calls(operation).await, 1, "{operation}");
    }
    assert_eq!(scene.withdrawal_status(&path).await, "PENDING");
    // The bank means its own clock, which is the machine's.
    let _ = timeout(Duration::from_secs(1), pending::<()>()).await;
    test.run_jobs_after(Duration::from_secs(1)).await;
    test.run_jobs_after(Duration::from_mins(1)).await;
    for operation in ["payout.create", "refund.create"] {
        assert_eq!(scene.bank.calls(operation).await, 2, "{operation}");
    }
    assert_eq!(scene.withdrawal_status(&path).await, "COMPLETED");
    assert_eq!(scene.refunds(&charge).await, ["COMPLETED"]);
    assert_eq!(
        (scene.bank.count("/efi/payouts").await, scene.bank.refunds_of(&paid).await),
        (1, 1)
    );
}

#[story::test]
async fn an_order_waits_a_moment_where_the_bank_does_not_say_for_how_long(test: &TestApp) {
    let scene = Scene::open(test).await;
    let (charge, paid) = scene.sell(test, 10_000).await;
    for operation in ["payout.create", "refund.create"] {
        scene.bank.fault(operation, json!({ "fault": "too_many", "times": 2 })).await;
    }
    let path = scene.approved(test, 5_000).await;
    scene.refund(&charge, 400).await;
    test.run_jobs().await;
    for operation in ["payout.create", "refund.create"] {
        assert_eq!(scene.bank.calls(operation).await, 1, "{operation}");
    }
    test.run_jobs_after(Duration::from_secs(1)).await;
    assert_eq!(scene.withdrawal_status(&path).await, "PENDING");
    test.run_jobs_after(Duration::from_secs(2)).await;
    test.run_jobs_after(Duration::from_mins(1)).await;
    assert_eq!(scene.withdrawal_status(&path).await, "COMPLETED");
    assert_eq!(scene.refunds(&charge).await, ["COMPLETED"]);
    assert_eq!(
        (scene.bank.count("/efi/payouts").await, scene.bank.refunds_of(&paid).await),
        (1, 1)
    );
}
