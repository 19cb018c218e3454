//! Crashes: a worker that dies between any two steps never makes the bank pay twice.

use std::time::Duration;

use tostao::platform::config::{Settings, Switch};

use super::{ended, held, orders, withdraw};
use crate::harness::crashes::{at_every_wait, calm_down, die_at_wait};
use crate::harness::shop::Shop;
use crate::harness::{TestApp, story_where};

/// A database may hold on to what a dead worker was doing for a while.
const DAYS_MAX: usize = 50;

fn at_once(settings: &mut Settings) {
    settings.auto_payouts = Switch::On;
}

/// What a dead worker held is taken over, and every withdrawal ends in one of two ways.
fn live_through_every_death(key: &str) {
    story_where(at_once, async |test| {
        let shop = test.shop("Loja").await;
        let (mut paid, mut lost) = (0, 0);
        at_every_wait(async |number| {
            shop.earn(1_000).await;
            let withdrawal = withdraw(&shop, 1_000, key).await;
            let died = die_at_wait(test, number).await;
            calm_down(test).await;
            for _ in 0..DAYS_MAX {
                test.run_jobs_after(Duration::from_hours(25)).await;
                if ended(&shop, &withdrawal).await != "PENDING" {
                    break;
                }
            }
            let end = (ended(&shop, &withdrawal).await, orders(test, &withdrawal).await);
            match (end.0.as_str(), end.1.as_str()) {
                ("COMPLETED", "1") => paid += 1,
                ("FAILED RAIL_TIMEOUT", "0") => lost += 1,
                _ => panic!("death at wait {number}: {end:?}"),
            }
            assert_eq!(held(test, &shop).await, (lost * 1_000, 0, paid * 80));
            died
        })
        .await;
    });
}

#[test]
fn a_worker_that_dies_anywhere_pays_at_most_once() {
    live_through_every_death("ana@example.com");
}

#[test]
fn a_worker_that_dies_anywhere_before_a_silent_bank_pays_at_most_once() {
    live_through_every_death("silent@example.com");
}

#[story::test(at_once)]
async fn an_order_that_a_dead_worker_never_sent_is_sent_within_minutes(test: &TestApp, shop: Shop) {
    at_every_wait(async |number| {
        shop.earn(1_000).await;
        let withdrawal = withdraw(&shop, 1_000, "ana@example.com").await;
        let died = die_at_wait(test, number).await;
        calm_down(test).await;
        for _ in 0..5 {
            test.run_jobs_after(Duration::from_mins(5)).await;
        }
        let end = (ended(&shop, &withdrawal).await, orders(test, &withdrawal).await);
        assert_eq!(end, ("COMPLETED".to_owned(), "1".to_owned()), "death at wait {number}");
        died
    })
    .await;
}
