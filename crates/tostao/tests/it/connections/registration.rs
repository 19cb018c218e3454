//! The registration for notices: tried again until it succeeds, by one job, and daily besides.

use std::time::Duration;

use futures_util::future::join;
use serde_json::{Value, json};

use super::payments::pass;
use super::slow::until;
use super::{Bank, CONNECTIONS, administrator, inter, real, try_charge};
use crate::harness::TestApp;
use crate::harness::engine::Engine;
use crate::harness::shop::{Shop, id};

const MINUTE: Duration = Duration::from_mins(1);

/// A fake of Inter to which PIX charges go; it tries no address before it registers it.
async fn routed(test: &TestApp) -> Bank {
    let bank = inter(test).await;
    bank.route("pix", id(&bank.connection)).await.expect(200);
    bank
}

/// Makes calls of an operation of Inter's fail.
async fn fault(bank: &Bank, operation: &str, fault: Value) {
    let rule = json!({ "operation": format!("inter.{operation}") });
    bank.at("/__fault", crate::harness::shop::merged(rule, &fault)).await;
}

/// How often an operation of Inter's was called.
async fn calls(bank: &Bank, operation: &str) -> usize {
    let path = format!("/__log?operation=inter.{operation}");
    let (_, log) = bank.fake.admin("GET", &path, &Value::Null).await.expect("answers");
    log.as_array().expect("is a list").len()
}

/// What is stored to be wrong.
async fn problem(test: &TestApp, bank: &Bank) -> Value {
    bank.shown(test).await["problem"].clone()
}

/// How many jobs keep the registration, the daily one among them.
async fn jobs(test: &TestApp) -> String {
    let sql = "select cast(count(*) as text) from jobs where kind = 'keep_connection_registered'";
    Engine::open(test).await.rows(sql).await[0][0].clone()
}

#[story::test]
async fn a_registration_that_fails_once_is_made_a_moment_later(test: &TestApp) {
    let bank = inter(test).await;
    let failing = json!({ "fault": "status", "status": 503, "times": 1 });
    // First the question where notices go fails, then the registration.
    for operation in ["webhook.get", "webhook.put"] {
        fault(&bank, operation, failing.clone()).await;
    }
    bank.route("pix", id(&bank.connection)).await.expect(200);
    // Due now, and after waits of one second and of two.
    for seconds in [0, 1] {
        pass(test, &bank, Duration::from_secs(seconds)).await;
        assert_ne!(problem(test, &bank).await, Value::Null);
    }
    pass(test, &bank, Duration::from_secs(2)).await;
    assert_eq!((problem(test, &bank).await, jobs(test).await), (Value::Null, "1".to_owned()));
}

#[story::test]
async fn a_bank_that_registers_nothing_for_hours_is_asked_at_least_every_quarter_of_an_hour(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, bank) = (real(shop).await, inter(test).await);
    fault(&bank, "webhook.put", json!({ "fault": "status", "status": 503, "times": 999 })).await;
    bank.route("pix", id(&bank.connection)).await.expect(200);
    for _ in 0..12 {
        pass(test, &bank, MINUTE * 5).await;
    }
    let mut before = calls(&bank, "webhook.put").await;
    for _ in 0..8 {
        pass(test, &bank, MINUTE * 15).await;
        let after = calls(&bank, "webhook.put").await;
        assert_eq!(after, before + 1);
        before = after;
    }
    try_charge(&shop, 1_000).await.expect(201);
    bank.recovers().await;
    pass(test, &bank, MINUTE * 15).await;
    assert_eq!(problem(test, &bank).await, Value::Null);
}

#[story::test]
async fn a_bank_that_asks_to_be_left_alone_is_not_asked_to_register_before(test: &TestApp) {
    let bank = inter(test).await;
    let limit = json!({ "fault": "too_many", "retry_after": 3_600, "times": 1 });
    fault(&bank, "webhook.put", limit).await;
    bank.route("pix", id(&bank.connection)).await.expect(200);
    test.run_jobs().await;
    let asked = calls(&bank, "webhook.get").await;
    for _ in 0..3 {
        pass(test, &bank, MINUTE * 15).await;
    }
    assert_eq!(calls(&bank, "webhook.get").await, asked);
}

#[story::test]
async fn one_job_registers_however_often_a_connection_is_routed_rotated_and_enabled(
    test: &TestApp,
) {
    let bank = inter(test).await;
    fault(&bank, "webhook.put", json!({ "fault": "status", "status": 503, "times": 999 })).await;
    let path = format!("{CONNECTIONS}/{}", id(&bank.connection));
    let route = json!({ "connectionId": id(&bank.connection), "acceptTestMoney": true });
    for round in 0..3 {
        // Each access token lives for a quarter of an hour.
        let admin = administrator(test).await;
        admin.put("/api/admin/connection-routes/pix", route.clone()).await.expect(200);
        bank.rotates(test, json!({ "client_secret": format!("secret {round}") })).await;
        for action in ["disable", "enable"] {
            admin.post(&format!("{path}/{action}"), json!({})).await.expect(200);
        }
        assert_eq!(jobs(test).await, "2");
        pass(test, &bank, MINUTE * 20).await;
        assert_eq!(jobs(test).await, "2");
    }
    for _ in 0..3 {
        pass(test, &bank, MINUTE * 60 * 24).await;
        assert_eq!(jobs(test).await, "2");
    }
    bank.recovers().await;
    pass(test, &bank, MINUTE * 60 * 24).await;
    assert_eq!((problem(test, &bank).await, jobs(test).await), (Value::Null, "1".to_owned()));
}

#[story::test]
async fn a_connection_in_use_is_tested_with_the_token_at_hand(test: &TestApp) {
    let bank = routed(test).await;
    test.run_jobs().await;
    let tokens = calls(&bank, "token").await;
    let path = format!("{CONNECTIONS}/{}/test", id(&bank.connection));
    // Inter grants five tokens a minute.
    for _ in 0..10 {
        bank.admin.post(&path, json!({})).await.expect(200);
    }
    assert_eq!(calls(&bank, "token").await, tokens);
}

#[story::test]
async fn a_registration_with_replaced_credentials_that_hangs_says_nothing_of_the_new_ones(
    test: &TestApp,
) {
    let bank = inter(test).await;
    bank.route("pix", id(&bank.connection)).await.expect(200);
    let slow = json!({ "fault": "slow", "ms": 3_000, "times": 1 });
    fault(&bank, "webhook.put", slow).await;
    let asked = calls(&bank, "webhook.put").await;
    let rotated = async {
        until(async || calls(&bank, "webhook.put").await > asked).await;
        bank.rotates(test, json!({ "client_secret": "another secret" })).await;
        test.run_jobs().await;
        assert_eq!(problem(test, &bank).await, Value::Null);
        fault(&bank, "webhook.get", json!({ "fault": "status", "status": 503, "times": 1 })).await;
    };
    join(test.run_jobs(), rotated).await;
    assert_eq!(problem(test, &bank).await, Value::Null);
    pass(test, &bank, Duration::from_secs(5)).await;
    assert_eq!((problem(test, &bank).await, jobs(test).await), (Value::Null, "1".to_owned()));
}

#[story::test]
async fn a_check_that_is_granted_no_new_token_leaves_the_one_that_charges_use(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, bank) = (real(shop).await, Bank::routed(test).await);
    test.run_jobs().await;
    // The next token permits charges, and something else no longer.
    bank.at("/__settings", json!({ "efi_scopes": "cob.read cob.write pix.read" })).await;
    bank.fault("cob.create", json!({ "fault": "unauthorized", "times": 1 })).await;
    try_charge(&shop, 1_000).await.expect(201);
    bank.fault("token", json!({ "fault": "too_many", "times": 99 })).await;
    bank.fails_its_test(test).await;
    let asked = bank.calls("token").await;
    for _ in 0..3 {
        try_charge(&shop, 1_000).await.expect(201);
    }
    assert_eq!(bank.calls("token").await, asked);
}
