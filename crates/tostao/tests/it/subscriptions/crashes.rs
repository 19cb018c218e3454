//! Crashes and races: a worker that dies between any two steps of a renewal charges each period
//! once, and whatever else happens between two of them, each is charged.

use std::pin::pin;
use std::time::Duration;

use brazil::periods::Anchor;
use futures_util::future::join;
use sandbox::test_cards::Scenario;
use serde_json::json;

use super::{active, by_card_with, coupon, days, done, payments, plan, read};
use crate::harness::TestApp;
use crate::harness::crashes::{
    at_every_wait, breaks_off, calm_down, die_at_wait, overtake_at_wait,
};
use crate::harness::engine::Engine;
use crate::harness::shop::{Shop, id};

/// As long as a month can be.
const MONTH: Duration = Duration::from_hours(24 * 31);

#[story::test]
async fn a_worker_that_dies_anywhere_charges_each_period_once(test: &TestApp, shop: Shop) {
    active(test, &shop).await;
    let anchor = Anchor::at(test.app.now().micros());
    at_every_wait(async |number| {
        test.pass(MONTH);
        let died = die_at_wait(test, number).await;
        calm_down(test).await;
        // Leases end, and what became of a charge is asked.
        for _ in 0..3 {
            test.run_jobs_after(Duration::from_hours(1)).await;
        }
        let now = test.app.now().micros();
        let owed = (0..1_000).take_while(|months| anchor.boundary(*months) <= now).count();
        assert_eq!(
            shop.key.total("/api/v1/transactions?status=PAID").await,
            owed,
            "death at wait {number}"
        );
        died
    })
    .await;
    let odd = payments(&shop).await;
    assert!(odd.iter().all(|status| status == "PAID" || status == "FAILED"), "{odd:?}");
}

#[story::test]
async fn a_first_payment_whose_price_changes_at_any_moment_is_made_all_the_same(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let plan = plan(&shop, json!({ "trialDays": 1 })).await;
    at_every_wait(async |number| {
        let code = format!("CUPOM{number}");
        let made = coupon(&shop, json!({ "code": code })).await;
        let change = format!("/api/v1/coupons/{}", id(&made));
        let who = json!({ "couponCode": code, "customer": {
            "name": "Ana", "email": format!("ana{number}@example.com"),
        } });
        let trial = by_card_with(test, &plan, Scenario::Approves, who).await.expect(201);
        let trial = &trial["data"]["subscription"];
        test.run_jobs().await;
        test.pass(Duration::from_hours(24));
        let changed = overtake_at_wait(test, number, async {
            shop.key.patch(&change, json!({ "discountValue": 40 })).await.expect(200);
        });
        let changed = changed.await;
        test.run_jobs_after(Duration::from_mins(1)).await;
        assert_eq!(read(&shop, trial).await["status"], "ACTIVE", "changed at wait {number}");
        done(&shop, trial, "cancel", json!({})).await;
        changed
    })
    .await;
}

/// How often the acquirer charged a card.
async fn charged(test: &TestApp) -> String {
    let sql = "select cast(count(*) as text) from sandbox_charges where decline_code is null";
    Engine::open(test).await.rows(sql).await[0][0].clone()
}

#[story::test]
async fn a_clock_that_is_advanced_while_a_payment_is_made_delays_no_other(test: &TestApp) {
    let shop = test.shop("Loja").await;
    at_every_wait(async |number| {
        let subscription = active(test, &shop).await;
        test.run_jobs().await;
        test.pass(MONTH);
        let mut jobs = pin!(test.run_jobs());
        let waits = breaks_off(jobs.as_mut(), number).await;
        let step = days(&shop, 31);
        if waits {
            join(jobs, step).await;
        } else {
            step.await;
        }
        let renewed = read(&shop, &subscription).await;
        let clock = shop.key.get("/api/dev/clock").await.expect(200)["data"]["now"].clone();
        let next = renewed["nextBillingAt"].as_str().expect("goes on");
        assert!(clock.as_str() < Some(next), "advanced at wait {number}: {renewed}");
        let paid = shop.key.get("/api/v1/transactions?status=PAID").await.expect(200);
        let total = &paid["pagination"]["total"];
        assert_eq!(charged(test).await, total.to_string(), "advanced at wait {number}");
        done(&shop, &subscription, "cancel", json!({})).await;
        waits
    })
    .await;
}
