//! Jobs that fail at a provider, as administrators are shown them.

use std::time::Duration;

use db::time::Timestamp;
use serde_json::{Value, json};

use super::scene::{Scene, pass_in};
use super::{Bank, administrator};
use crate::harness::TestApp;

const QUARTER: Duration = Duration::from_mins(15);

/// What the server's health says of jobs that fail.
async fn failing(test: &TestApp) -> Value {
    let health = administrator(test).await.get("/api/admin/health").await.expect(200);
    let parts = health["data"]["parts"].as_array().expect("is a list").clone();
    parts.into_iter().find(|part| part["part"] == "FAILING_JOBS").expect("is there")
}

#[story::test]
async fn a_payout_that_its_bank_does_not_take_is_a_job_that_fails(test: &TestApp) {
    let scene = Scene::open(test).await;
    scene.sell(test, 10_000).await;
    scene.bank.fault("payout.create", json!({ "fault": "too_many", "times": 9_999 })).await;
    scene.approved(test, 5_000).await;
    let first = test.app.now().to_string();
    test.run_jobs().await;
    pass_in(test, &scene.bank, 5, QUARTER).await;
    let found = failing(test).await;
    assert_eq!((&found["reason"], &found["at"]), (&json!("JOBS_FAILING"), &json!(first)));
}

#[story::test]
async fn a_list_that_cannot_be_read_fails_on_when_it_is_read_from_its_start(test: &TestApp) {
    let bank = Bank::routed(test).await;
    test.run_jobs().await;
    bank.fault("pix.list", json!({ "fault": "status", "status": 500, "times": 9_999 })).await;
    pass_in(test, &bank, 24, QUARTER).await;
    let found = failing(test).await;
    assert_eq!(found["reason"], "JOBS_FAILING");
    let since = found["at"].as_str().and_then(Timestamp::parse).expect("has an instant");
    assert!(test.app.now().since(since) >= Duration::from_hours(5), "{found}");
}
