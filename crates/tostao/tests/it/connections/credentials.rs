//! Access tokens: one for all callers, replaced once, and none that is refused for ever.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;

use super::payments::pass;
use super::scene::Scene;
use super::{Bank, charge, try_charge};
use crate::harness::TestApp;
use crate::harness::logs::lines_with;
use crate::harness::shop::Shop;

#[story::test]
async fn a_token_that_ends_before_its_time_is_replaced_once_and_the_call_is_repeated_once(
    test: &TestApp,
    shop: Shop,
) {
    let bank = Bank::routed(test).await;
    charge(&shop, 1_000).await;
    let (tokens, calls) = (bank.calls("token").await, bank.calls("cob.create").await);
    bank.at("/__fault", json!({ "operation": "efi.token", "fault": "expire_tokens" })).await;
    charge(&shop, 1_000).await;
    assert_eq!(bank.calls("token").await, tokens + 1);
    assert_eq!(bank.calls("cob.create").await, calls + 2);
    assert_eq!(bank.count("/efi/pix/charges").await, 2);
}

#[story::test]
async fn fifty_callers_wait_for_one_token(test: &TestApp, shop: Shop) {
    let bank = Bank::routed(test).await;
    let tokens = bank.calls("token").await;
    bank.fault("token", json!({ "fault": "slow", "ms": 400 })).await;
    let charges = join_all((0..50).map(|_| try_charge(&shop, 1_000))).await;
    for reply in charges {
        reply.expect(201);
    }
    assert_eq!(bank.calls("token").await, tokens + 1);
    assert_eq!(bank.count("/efi/pix/charges").await, 50);
}

#[story::test]
async fn credentials_that_are_refused_fail_nothing_and_new_ones_work_without_a_restart(
    test: &TestApp,
) {
    let scene = Scene::open(test).await;
    let (charge, _) = scene.sell(test, 10_000).await;
    for operation in ["payout.*", "refund.*", "cob.*"] {
        scene.bank.fault(operation, json!({ "fault": "unauthorized" })).await;
    }
    let tokens = scene.bank.calls("token").await;
    let path = scene.approved(test, 5_000).await;
    scene.refund(&charge, 400).await;
    for _ in 0..6 {
        pass(test, &scene.bank, Duration::from_mins(15)).await;
        try_charge(&scene.shop, 1_000).await.expect_refusal(503, "UNAVAILABLE");
    }
    assert_eq!(scene.withdrawal_status(&path).await, "PENDING");
    assert_ne!(scene.refunds(&charge).await, ["FAILED"]);
    // One call with the token at hand, one with a new one, and then none for a while.
    assert_eq!(scene.bank.calls("token").await, tokens + 1);
    assert!(scene.bank.calls("payout.create").await <= 2);
    let reference = scene.withdrawal(&path).await["externalId"].clone();
    let alarm = lines_with(reference.as_str().expect("is approved"));
    assert!(alarm.iter().any(|line| line.contains("our credentials")), "{alarm:?}");
    scene.bank.recovers().await;
    scene.bank.rotates(test, json!({ "client_secret": "the next one" })).await;
    for _ in 0..2 {
        pass(test, &scene.bank, Duration::from_mins(15)).await;
    }
    assert_eq!(scene.withdrawal_status(&path).await, "COMPLETED");
    assert_eq!(scene.refunds(&charge).await, ["COMPLETED"]);
    assert_eq!(scene.bank.count("/efi/payouts").await, 1);
}
