//! Failed deliveries: when they are tried again, when they are given up, and what survives.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::join;
use queue::job::Claimed;
use queue::worker::{AtOnce, Handler, run_due};
use serde_json::json;
use tostao::platform::lanes::WEBHOOKS;
use tostao::worker::JobRunner;

use crate::harness::receiver::Receiver;
use crate::harness::shop::Shop;
use crate::harness::{TestApp, story_with_restart};
use crate::webhooks::{deliveries, emit, latest, subscribe, wait_ms};

/// Seconds from the first attempt to the second, and so on, as they are published.
const SCHEDULE: [u64; 9] = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

/// Runs jobs, and keeps what became of each.
#[derive(Clone)]
struct Witness(JobRunner, Arc<Mutex<Vec<Result<(), String>>>>);

impl Handler for Witness {
    async fn run(&self, job: Claimed) -> Result<(), String> {
        let done = self.0.run(job).await;
        self.1.lock().expect("no test panics in it").push(done.clone());
        done
    }
}

#[story::test]
async fn ten_attempts_follow_the_published_schedule_spread_by_a_fifth(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let hook = subscribe(&shop.key, &receiver.url, &["*"]).await;
    receiver.answer(&[500; 10]);
    emit(test, &shop).await;
    for (made, seconds) in (1..).zip(SCHEDULE) {
        assert_eq!(receiver.take_one().header("x-webhook-attempt"), made.to_string());
        let delivery = latest(&shop.key, &hook).await;
        assert_eq!((&delivery["status"], &delivery["attempts"]), (&json!("PENDING"), &json!(made)));
        let wait = wait_ms(test, &delivery);
        assert!((seconds * 800..=seconds * 1_200).contains(&wait), "{made}: {wait} ms");
        test.run_jobs_after(Duration::from_millis(wait - 1)).await;
        assert_eq!(receiver.take_names(), [""; 0]);
        test.run_jobs_after(Duration::from_millis(1)).await;
    }
    assert_eq!(receiver.take_one().header("x-webhook-attempt"), "10");
    let failed = latest(&shop.key, &hook).await;
    assert_eq!((&failed["status"], &failed["attempts"]), (&json!("FAILED"), &json!(10)));
    assert_eq!((&failed["nextAttemptAt"], &failed["lastStatusCode"]), (&json!(null), &json!(500)));
    let log = failed["log"].as_array().expect("is a list");
    let attempts: Vec<_> = log.iter().filter_map(|entry| entry["attempt"].as_i64()).collect();
    assert_eq!(attempts, (1..=10).collect::<Vec<_>>());
    test.run_jobs_after(Duration::from_hours(5 * 24)).await;
    assert_eq!(receiver.take_names(), [""; 0]);
}

#[story::test]
async fn a_delivery_whose_job_is_gone_ends_quietly_and_disturbs_nothing(
    test: &TestApp,
    shop: Shop,
    receiver: Receiver,
) {
    let hook = subscribe(&shop.key, &receiver.url, &["product.created"]).await;
    receiver.hold();
    shop.product(json!({})).await;
    let witness = Witness(JobRunner(test.app.clone()), Arc::default());
    let running = run_due(&test.app.database, WEBHOOKS, AtOnce::OnEachServer(1), &witness);
    let meanwhile = async {
        receiver.arrived(1).await;
        let delete = "delete from jobs where kind = 'deliver_webhook'";
        let deleted = test.app.transact(async move |tx| Ok(tx.exec(delete, &[]).await?)).await;
        assert_eq!(deleted.expect("is possible"), 1);
        receiver.release();
    };
    assert_eq!(join(running, meanwhile).await.0.expect("jobs run"), 1);
    assert_eq!(*witness.1.lock().expect("no test panics in it"), [Ok(())]);
    let delivery = latest(&shop.key, &hook).await;
    assert_eq!((&delivery["status"], &delivery["attempts"]), (&json!("PENDING"), &json!(0)));
    shop.sell(1_000).await;
    assert_eq!(shop.available().await, 1_000);
    receiver.take();
    emit(test, &shop).await;
    assert_eq!(receiver.take_names(), ["product.created"]);
}

#[story::test]
async fn deliveries_that_failed_together_come_back_apart(test: &TestApp) {
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let hook = subscribe(&shop.key, &receiver.url, &["*"]).await;
    receiver.answer(&[500; 20]);
    for _ in 0..20 {
        shop.product(json!({})).await;
    }
    test.run_jobs().await;
    let failed = deliveries(&shop.key, &hook).await;
    let waits: HashSet<_> = failed.iter().map(|delivery| wait_ms(test, delivery)).collect();
    assert!(waits.len() > 10, "{waits:?}");
    assert!(waits.iter().all(|wait| (4_000..=6_000).contains(wait)), "{waits:?}");
}

#[story::test]
async fn any_2xx_is_success_and_nothing_else_is(test: &TestApp, shop: Shop, receiver: Receiver) {
    let hook = subscribe(&shop.key, &receiver.url, &["*"]).await;
    let table = [
        (200, "DELIVERED"),
        (201, "DELIVERED"),
        (204, "DELIVERED"),
        (299, "DELIVERED"),
        (304, "PENDING"),
        (400, "PENDING"),
        (401, "PENDING"),
        (404, "PENDING"),
        (500, "PENDING"),
        (599, "PENDING"),
    ];
    for (status, expected) in table {
        receiver.answer(&[status]);
        emit(test, &shop).await;
        let delivery = latest(&shop.key, &hook).await;
        assert_eq!(delivery["status"], expected, "{status}");
        assert_eq!(delivery["lastStatusCode"], status);
        assert_eq!(delivery["lastError"].is_null(), expected == "DELIVERED", "{status}");
    }
}

#[story::test]
async fn a_receiver_that_asks_for_time_gets_it_up_to_a_day(test: &TestApp) {
    let usual = 4_000..=6_000;
    let table = [
        (503, "120", 120_000..=120_000),
        (429, "3600", 3_600_000..=3_600_000),
        (503, "90000", 86_400_000..=86_400_000),
        (429, "1", usual.clone()),
        (503, "soon", usual.clone()),
        (500, "120", usual.clone()),
        (404, "120", usual),
    ];
    let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
    let hook = subscribe(&shop.key, &receiver.url, &["*"]).await;
    for (status, asked, waits) in &table {
        receiver.answer_with(*status, "retry-after", asked);
        emit(test, &shop).await;
        let wait = wait_ms(test, &latest(&shop.key, &hook).await);
        assert!(waits.contains(&wait), "{status} {asked}: {wait} ms");
    }
}

#[story::test]
async fn a_redirect_is_a_failure_and_is_not_followed(test: &TestApp) {
    let [receiver, elsewhere] = [Receiver::start().await, Receiver::start().await];
    let shop = test.shop("Loja").await;
    let hook = subscribe(&shop.key, &receiver.url, &["*"]).await;
    for status in [301, 302, 303, 307, 308] {
        receiver.answer_with(status, "location", &elsewhere.url);
        emit(test, &shop).await;
        receiver.take_one();
        let delivery = latest(&shop.key, &hook).await;
        assert_eq!(
            (&delivery["status"], &delivery["lastError"]),
            (&json!("PENDING"), &json!("redirect"))
        );
        assert_eq!(delivery["lastStatusCode"], status);
    }
    assert_eq!(elsewhere.take_names(), [""; 0]);
}

#[story::test]
async fn an_unreachable_address_is_retried(test: &TestApp, shop: Shop) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("is bound");
    drop(listener);
    let hook = subscribe(&shop.key, &format!("http://{address}/hook"), &["*"]).await;
    emit(test, &shop).await;
    let delivery = latest(&shop.key, &hook).await;
    assert_eq!(
        (&delivery["status"], &delivery["lastError"]),
        (&json!("PENDING"), &json!("connect"))
    );
    assert_eq!(delivery["lastStatusCode"], json!(null));
    assert!((4_000..=6_000).contains(&wait_ms(test, &delivery)));
}

#[story::test]
async fn only_the_beginning_of_an_answer_is_kept(test: &TestApp, shop: Shop, receiver: Receiver) {
    let hook = subscribe(&shop.key, &receiver.url, &["*"]).await;
    receiver.answer_saying(500, &"ã".repeat(5_000));
    emit(test, &shop).await;
    let entry = latest(&shop.key, &hook).await["log"][0].clone();
    assert_eq!(entry["excerpt"], "ã".repeat(512));
    assert_eq!((&entry["status"], &entry["error"]), (&json!(500), &json!("status")));
}

#[test]
fn a_retry_survives_a_restart() {
    story_with_restart(
        async |test| {
            let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
            subscribe(&shop.key, &receiver.url, &["*"]).await;
            receiver.answer(&[500]);
            emit(test, &shop).await;
            let first = receiver.take_one();
            (receiver, first)
        },
        async |test, (receiver, first)| {
            test.run_jobs().await;
            assert_eq!(receiver.take_names(), [""; 0]);
            test.run_jobs_after(Duration::from_secs(6)).await;
            let second = receiver.take_one();
            assert_eq!(second.body, first.body);
            assert_eq!(second.header("webhook-id"), first.header("webhook-id"));
            assert_eq!(second.header("x-webhook-attempt"), "2");
            let shop = test.shop_again("Loja").await;
            let events = shop.key.get("/api/webhooks/events").await.expect(200);
            assert_eq!(events["data"][0]["deliveries"][0]["status"], "DELIVERED");
        },
    );
}

#[test]
fn an_attempt_that_a_crash_cut_short_is_made_again() {
    story_with_restart(
        async |test| {
            let (shop, receiver) = (test.shop("Loja").await, Receiver::start().await);
            subscribe(&shop.key, &receiver.url, &["*"]).await;
            shop.product(json!({})).await;
            receiver.hold();
            tokio::select! {
                _ = test.run_jobs() => panic!("no response"),
                () = receiver.arrived(1) => {}
            }
            let first = receiver.take_one();
            (receiver, first)
        },
        async |test, (receiver, first)| {
            receiver.release();
            test.run_jobs_after(Duration::from_mins(1)).await;
            let second = receiver.take_one();
            assert_eq!(second.body, first.body);
            assert_eq!(second.header("webhook-id"), first.header("webhook-id"));
            assert_eq!(second.header("x-webhook-attempt"), "1");
            test.run_jobs_after(Duration::from_hours(24)).await;
            assert_eq!(receiver.take_names(), [""; 0]);
        },
    );
}
