//! A stored connection that this server cannot use: its jobs wait, and are measured.

use std::time::Duration;

use db::tx::Tx;
use fakepsp::fake::Fake;
use queue::job::waiting;
use serde_json::{Value, json};
use tostao::connections::reload;
use tostao::jobs::lanes;

use super::Bank;
use super::scene::Scene;
use crate::harness::logs::lines_with;
use crate::harness::metrics::Metrics;
use crate::harness::{TestApp, story_of_lives};

const NAME: &str = "efi-unread";
const OTHER: &str = "another secret for tests, of more than thirty-two characters";

/// How many jobs wait in a lane.
async fn waits(test: &TestApp, lane: &str) -> i64 {
    let lane = lane.to_owned();
    let unit = async move |tx: &Tx| Ok(waiting(tx, &lane).await?);
    test.app.read(unit).await.expect("is read")
}

/// Lets time pass here and at the bank, and runs the jobs that are due then.
async fn pass(test: &TestApp, fake: &Fake, span: Duration) {
    let body = json!({ "advance_seconds": span.as_secs() });
    fake.admin("POST", "/__clock", &body).await.expect("answers");
    test.run_jobs_after(span).await;
}

/// The same product with another secret, or its own.
async fn with_secret(test: TestApp, secret: Option<String>) -> TestApp {
    let test = test.restarted_where(|settings| settings.secret_key = secret);
    reload(&test.app).await.expect("reads the connections");
    test
}

/// A bank at which a merchant's withdrawal is approved, and not sent yet.
async fn owing(test: &TestApp) -> Fake {
    let scene = Scene::open_at(test, Bank::routed_as(test, NAME).await).await;
    scene.sell(test, 10_000).await;
    scene.approved(test, 5_000).await;
    scene.bank.fake
}

#[test]
fn the_lanes_of_a_connection_that_cannot_be_read_are_served_and_measured_and_its_jobs_wait() {
    let metrics = Metrics::start();
    story_of_lives(
        |_| {},
        async |test| {
            let own = test.app.settings.secret_key.clone();
            let fake = owing(&test).await;
            let test = with_secret(test, Some(OTHER.to_owned())).await;
            let payouts = format!("payouts {NAME}");
            assert!(lanes(&test.app).iter().any(|lane| lane.name == payouts));
            pass(&test, &fake, Duration::from_mins(1)).await;
            pass(&test, &fake, Duration::from_mins(1)).await;
            assert_eq!(waits(&test, &payouts).await, 1);
            let unusable = format!("connection_unusable{{connection=\"{NAME}\"}}");
            let late = format!("jobs_waiting{{lane=\"{payouts}\"}}");
            test.at_work(async {
                metrics.until(&unusable, 1.0).await;
                metrics.until(&late, 1.0).await;
            })
            .await;
            for _ in 0..3 {
                reload(&test.app).await.expect("reads the connections");
            }
            let said = lines_with(NAME);
            let said = said.iter().filter(|line| line.contains("it is not usable"));
            assert_eq!(said.count(), 1);
            let test = with_secret(test, own).await;
            pass(&test, &fake, Duration::from_mins(20)).await;
            pass(&test, &fake, Duration::from_mins(1)).await;
            assert_eq!(waits(&test, &payouts).await, 0);
            let state = fake.admin("GET", "/__state", &Value::Null).await.expect("answers").1;
            assert_eq!(state["efi"]["payouts"].as_array().map(Vec::len), Some(1));
            test
        },
    );
}
