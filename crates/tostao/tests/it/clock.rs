//! The test clock.

use std::time::Duration;

use futures_util::future::join_all;
use queue::job::{WORK, waiting};
use serde_json::json;

use crate::harness::TestApp;
use crate::harness::shop::Shop;
use crate::subscriptions::{active, days, done, read};

const HOUR: Duration = Duration::from_hours(1);

async fn work_left(test: &TestApp) -> i64 {
    test.app.read(async |tx| Ok(waiting(tx, WORK).await?)).await.expect("can be read")
}

#[story::test]
async fn advancing_the_clock_expires_what_falls_due_for_its_merchant_alone(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let other = test.shop("Outra").await;
    let (mine, theirs) = (shop.charge(1_000).await, other.charge(1_000).await);
    let step = json!({ "seconds": 3_600 });
    let advanced = shop.key.post("/api/dev/clock/advance", step).await.expect(200);
    assert_eq!(advanced["data"]["now"], "2026-11-21T13:00:00.000Z");
    assert_eq!(shop.transaction(&mine).await["status"], "EXPIRED");
    assert_eq!(other.transaction(&theirs).await["status"], "PENDING");
    let names = shop.events().await;
    assert_eq!(names, ["transaction.created", "transaction.expired"]);
    let clock = shop.key.get("/api/dev/clock").await.expect(200);
    assert_eq!(clock["data"]["aheadSeconds"], 3_600);
    let charge = shop.charge(500).await;
    assert_eq!(charge["createdAt"], "2026-11-21T13:00:00.000Z");
    assert_eq!(charge["expiresAt"], "2026-11-21T14:00:00.000Z");
}

#[story::test]
async fn what_an_advanced_clock_brings_is_done_before_the_answer_though_others_are_at_it(
    test: &TestApp,
) {
    let shop = test.shop("Loja").await;
    let reported = async {
        for _ in 0..20 {
            let subscription = active(test, &shop).await;
            days(&shop, 365).await;
            let clock = shop.key.get("/api/dev/clock").await.expect(200);
            let next = read(&shop, &subscription).await["nextBillingAt"].clone();
            let (now, next) = (clock["data"]["now"].as_str(), next.as_str());
            assert!(now < next, "{next:?} is over at {now:?}");
            done(&shop, &subscription, "cancel", json!({})).await;
        }
    };
    test.at_work(reported).await;
}

#[story::test]
async fn advancing_a_clock_runs_no_work_of_another_merchant(test: &TestApp) {
    let (shop, other) = (test.shop("Loja").await, test.shop("Outra").await);
    shop.charge(1_000).await;
    other.charge(1_000).await;
    test.pass(HOUR);
    assert_eq!(work_left(test).await, 2);
    let step = json!({ "seconds": 1 });
    shop.key.post("/api/dev/clock/advance", step).await.expect(200);
    assert_eq!(work_left(test).await, 1);
}

#[story::test]
async fn the_clock_goes_forward_only_and_two_years_at_most(shop: Shop) {
    let path = "/api/dev/clock/advance";
    let table = [
        (json!({ "seconds": 0 }), "seconds"),
        (json!({ "seconds": -1 }), "seconds"),
        (json!({ "seconds": 99_999_999_999_i64 }), "seconds"),
        (json!({ "to": "2026-11-21T11:59:59Z" }), "to"),
        (json!({ "to": "2099-01-01T00:00:00Z" }), "to"),
        (json!({ "to": "tomorrow" }), "to"),
        (json!({}), "seconds"),
        (json!({ "seconds": 1, "to": "2027-01-01T00:00:00Z" }), "seconds"),
    ];
    for (body, field) in table {
        let refused = shop.key.post(path, body.clone()).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), [field], "{body}");
    }
    let production = shop.key_for("production", &["transactions:write"]).await;
    production.post(path, json!({ "seconds": 1 })).await.expect_refusal(403, "DEV_MODE_ONLY");
}

#[story::test]
async fn an_advance_to_an_instant_that_is_sent_again_gets_the_first_answer(shop: Shop) {
    let once = shop.key.with("idempotency-key", "to-one-o-clock");
    let to = json!({ "to": "2026-11-21T13:00:00Z" });
    let first = once.post("/api/dev/clock/advance", to.clone()).await;
    let again = once.post("/api/dev/clock/advance", to.clone()).await;
    again.expect_replay_of(&first, 200);
    let refused = shop.key.post("/api/dev/clock/advance", to).await;
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["to"]);
}

#[story::test]
async fn of_several_advances_to_one_instant_one_goes_there_and_none_beyond(shop: Shop) {
    let to = json!({ "to": "2026-11-21T13:00:00Z" });
    let advance = || shop.key.post("/api/dev/clock/advance", to.clone());
    let answers = join_all((0..8).map(|_| advance())).await;
    let (went, late): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.status == 200);
    assert_eq!(went.len(), 1);
    for refused in late {
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["to"]);
    }
    let clock = shop.key.get("/api/dev/clock").await.expect(200);
    assert_eq!(clock["data"]["now"], "2026-11-21T13:00:00.000Z");
}
