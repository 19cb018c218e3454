//! Requests that make a subscription pay, sent again under one key: one of them acts.

use std::time::Duration;

use futures_util::future::join_all;
use sandbox::fault_injection::{Operation, Outage};
use sandbox::test_cards::Scenario;
use serde_json::{Value, json};

use super::{active, by_card, days, done, payments, plan};
use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::crashes::{at_every_wait, breaks_off, calm_down};
use crate::harness::engine::Engine;
use crate::harness::shop::{Shop, id};

const ACTIONS: [&str; 2] = ["retry", "resume"];

/// Somebody who owes a payment that the action makes: a retry is declined, resuming is paid.
/// Answers the merchant, a caller with a key, and where the action is requested.
async fn owing(test: &TestApp, action: &str, number: usize) -> (Shop, Client, String) {
    let shop = test.shop(&format!("Loja {action} {number}")).await;
    let subscription = if action == "retry" {
        let plan = plan(&shop, json!({ "trialDays": 1 })).await;
        let made = by_card(test, &plan, Scenario::DeclinesOnceKept).await;
        days(&shop, 1).await;
        made["subscription"].clone()
    } else {
        let active = active(test, &shop).await;
        done(&shop, &active, "pause", json!({})).await;
        days(&shop, 31).await;
        active
    };
    let path = format!("/api/subscriptions/{}/{action}", id(&subscription));
    let caller = shop.key.with("idempotency-key", "once");
    (shop, caller, path)
}

/// The status after the action, and how often a payment has failed.
fn outcome(answer: &Value) -> Value {
    json!([answer["data"]["status"], answer["data"]["failedAttempts"]])
}

fn expected(action: &str) -> Value {
    if action == "retry" { json!(["PAST_DUE", 2]) } else { json!(["ACTIVE", 0]) }
}

/// How many charges the acquirer has decided on.
async fn decided(test: &TestApp) -> usize {
    let sql = "select reference from sandbox_charges";
    Engine::open(test).await.rows(sql).await.len()
}

#[story::test]
async fn of_concurrent_requests_with_one_key_one_acts_and_all_get_its_response(test: &TestApp) {
    for action in ACTIONS {
        let (shop, caller, path) = owing(test, action, 0).await;
        let before = payments(&shop).await.len();
        let requests = (0..8).map(|_| caller.post(&path, json!({})));
        let answers = join_all(requests).await;
        for answer in &answers {
            assert_eq!((answer.status, &answer.text), (200, &answers[0].text), "{action}");
        }
        let fresh = answers.iter().filter(|a| a.header("idempotency-replayed").is_none());
        assert_eq!(fresh.count(), 1, "{action}");
        assert_eq!(outcome(&answers[0].json()), expected(action));
        assert_eq!(payments(&shop).await.len(), before + 1, "{action}");
    }
}

#[story::test]
async fn a_request_that_dies_anywhere_acts_once_and_its_retry_returns_the_result(test: &TestApp) {
    for action in ACTIONS {
        at_every_wait(async |number| {
            let (shop, caller, path) = owing(test, action, number).await;
            let before = decided(test).await;
            let died = breaks_off(caller.post(&path, json!({})), number).await;
            calm_down(test).await;
            // What became of the charge is asked, and given up when it cannot arrive any more.
            for _ in 0..3 {
                test.run_jobs_after(Duration::from_hours(1)).await;
            }
            let answer = caller.post(&path, json!({})).await.expect(200);
            assert_eq!(outcome(&answer), expected(action), "{action}, death at wait {number}");
            let after = decided(test).await;
            assert_eq!(after, before + 1, "{action}, death at wait {number}");
            // The schedule of this one is not to mix with the next one's.
            shop.key.post(&path.replace(action, "cancel"), json!({})).await.expect(200);
            died
        })
        .await;
    }
}

#[story::test]
async fn a_response_shows_a_charge_whose_outcome_is_not_known_and_is_given_again(test: &TestApp) {
    let (shop, caller, path) = owing(test, "retry", 0).await;
    test.app.providers.sandbox().fail_next(Operation::Authorize, Outage::NeverArrives);
    let first = caller.post(&path, json!({})).await;
    assert!(first.expect(200)["data"]["pendingTransactionId"].is_string(), "{}", first.text);
    let again = caller.post(&path, json!({})).await;
    assert_eq!((again.status, &again.text), (200, &first.text));
    assert_eq!(payments(&shop).await, ["PROCESSING", "FAILED"]);
}

#[story::test]
async fn the_response_about_a_payment_is_kept_seven_days(test: &TestApp) {
    for action in ACTIONS {
        let (_, caller, path) = owing(test, action, 0).await;
        let first = caller.post(&path, json!({})).await;
        test.pass(Duration::from_secs(7 * 86_400 - 1));
        let again = caller.post(&path, json!({})).await;
        assert_eq!((again.status, &again.text), (200, &first.text), "{action}");
        test.pass(Duration::from_secs(1));
        let later = caller.post(&path, json!({})).await;
        assert_eq!(later.header("idempotency-replayed"), None, "{action}");
    }
}
