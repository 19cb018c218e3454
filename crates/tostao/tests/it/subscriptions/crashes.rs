//! Crashes and races: a worker that dies between any two steps of a renewal charges each period
//! once, and whatever else happens between two of them, each is charged.

use std::time::Duration;

use brazil::periods::Anchor;
use serde_json::json;
use tostao::providers::sandbox::test_cards::Scenario;

use super::{active, by_card_with, coupon, done, payments, plan, read};
use crate::harness::crashes::{calm_down, die_at_wait, overtake_at_wait};
use crate::harness::shop::id;
use crate::harness::story;

/// More waits than any run of the jobs has.
const WAITS_MAX: usize = 200;

#[test]
fn a_worker_that_dies_anywhere_charges_each_period_once() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        active(test, &shop).await;
        let anchor = Anchor::at(test.app.now().micros());
        for number in 0..WAITS_MAX {
            test.pass(Duration::from_hours(24 * 31));
            let died = die_at_wait(test, number).await;
            calm_down(test).await;
            // Leases end, and what became of a charge is asked.
            for _ in 0..3 {
                test.pass(Duration::from_hours(1));
                test.run_jobs().await;
            }
            let now = test.app.now().micros();
            let owed = (0..1_000).take_while(|months| anchor.boundary(*months) <= now).count();
            let listed = shop.key.get("/api/v1/transactions?status=PAID").await.expect(200);
            assert_eq!(listed["pagination"]["total"], owed, "death at wait {number}");
            if !died {
                assert!(number > 0, "nobody died");
                let odd = payments(&shop).await;
                assert!(odd.iter().all(|status| status == "PAID" || status == "FAILED"), "{odd:?}");
                return;
            }
        }
        panic!("the jobs never ended");
    });
}

#[test]
fn a_first_payment_whose_price_changes_at_any_moment_is_made_all_the_same() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let plan = plan(&shop, json!({ "trialDays": 1 })).await;
        for number in 0..WAITS_MAX {
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
            test.pass(Duration::from_mins(1));
            test.run_jobs().await;
            assert_eq!(read(&shop, trial).await["status"], "ACTIVE", "changed at wait {number}");
            done(&shop, trial, "cancel", json!({})).await;
            if !changed {
                assert!(number > 0, "nothing changed");
                return;
            }
        }
        panic!("the jobs never ended");
    });
}
