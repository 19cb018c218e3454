//! What recurs, against sums worked out by hand.

use sandbox::test_cards::Scenario;
use serde_json::{Value, json};

use super::{by_card, days, done, plan};
use crate::harness::TestApp;
use crate::harness::shop::{Shop, id};

pub async fn metrics(shop: &Shop, query: &str) -> Value {
    let path = format!("/api/subscriptions/metrics{query}");
    shop.key.get(&path).await.expect(200)["data"].clone()
}

async fn one(test: &TestApp, shop: &Shop, cents: i64, interval: &str) -> Value {
    let terms = json!({ "amountCents": cents, "interval": interval });
    let plan = plan(shop, terms).await;
    by_card(test, &plan, Scenario::Approves).await["subscription"].clone()
}

#[track_caller]
pub fn expect(found: &Value, expected: &Value) {
    for (name, value) in expected.as_object().expect("are fields") {
        assert_eq!(found[name], *value, "{name} of {found:#}");
    }
}

#[story::test]
async fn metrics_are_zero_without_subscribers(shop: Shop) {
    let none = json!({
        "mrrStartCents": 0, "mrrCents": 0, "churnRate": 0, "activeSubscribers": 0,
        "trialing": 0, "pastDue": 0, "paused": 0, "newMrrCents": 0, "expansionMrrCents": 0,
        "contractionMrrCents": 0, "churnedMrrCents": 0, "revenueChurnRate": 0, "arpuCents": 0,
        "periodStart": "2026-10-22T12:00:00.000Z", "periodEnd": "2026-11-21T12:00:00.000Z",
    });
    assert_eq!(metrics(&shop, "").await, none);
    let backward = "?from=2026-11-21T12:00:00Z&to=2026-11-21T12:00:00Z";
    let refused = shop.key.get(&format!("/api/subscriptions/metrics{backward}")).await;
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["from"]);
}

/// 3,000 a month, 9,000 a quarter, 9,001 a half-year and 10,000 a year come to, in a year,
/// 36,000 + 36,000 + 18,002 + 10,000 = 100,002, hence 8,333.5 a month: 8,334 where each divided
/// and rounded alone, 3,000 + 3,000 + 1,500 + 833, would be 8,333. Four pay 2,083.375 each.
#[story::test]
async fn prices_of_all_intervals_are_one_sum_that_is_rounded_once(test: &TestApp, shop: Shop) {
    let terms =
        [(3_000, "MONTHLY"), (9_000, "QUARTERLY"), (9_001, "SEMIANNUAL"), (10_000, "ANNUAL")];
    for (cents, interval) in terms {
        one(test, &shop, cents, interval).await;
    }
    let trial = plan(&shop, json!({ "trialDays": 5 })).await;
    by_card(test, &trial, Scenario::Approves).await;
    let found = metrics(&shop, "").await;
    expect(
        &found,
        &json!({
            "mrrCents": 8_334, "newMrrCents": 8_334, "arpuCents": 2_083, "activeSubscribers": 4,
            "trialing": 1, "churnRate": 0, "revenueChurnRate": 0,
        }),
    );
}

/// Before the window: four at 3,000, one at 6,000: 18,000. In it: one of the four is cancelled
/// (churn 3,000), one is paused (contraction 3,000), one goes over to 5,000 with its renewal
/// (expansion 2,000), one new comes at 4,000. 18,000 + 4,000 + 2,000 − 3,000 − 3,000 = 18,000 from
/// 3 old and 1 new. Of 5 one is gone: 20 %. Of 18,000 there went 6,000: 33.33 %. 18,000 ÷ 4 is
/// 4,500.
#[story::test]
async fn a_month_of_coming_and_going_is_what_it_was(test: &TestApp, shop: Shop) {
    let (gone, paused) =
        (one(test, &shop, 3_000, "MONTHLY").await, one(test, &shop, 3_000, "MONTHLY").await);
    let dearer = one(test, &shop, 3_000, "MONTHLY").await;
    one(test, &shop, 3_000, "MONTHLY").await;
    one(test, &shop, 6_000, "MONTHLY").await;
    let five = plan(&shop, json!({ "amountCents": 5_000 })).await;
    done(&shop, &dearer, "change-plan", json!({ "planId": id(&five) })).await;
    days(&shop, 10).await;
    done(&shop, &gone, "cancel", json!({})).await;
    done(&shop, &paused, "pause", json!({})).await;
    days(&shop, 20).await;
    one(test, &shop, 4_000, "MONTHLY").await;
    let found = metrics(&shop, "?from=2026-11-22T12:00:00Z").await;
    expect(
        &found,
        &json!({
            "mrrCents": 18_000, "newMrrCents": 4_000, "expansionMrrCents": 2_000,
            "contractionMrrCents": 3_000, "churnedMrrCents": 3_000, "churnRate": 20,
            "revenueChurnRate": 33.33, "arpuCents": 4_500, "activeSubscribers": 4, "paused": 1,
        }),
    );
    // When the month began, before any subscriber came or left.
    let first = metrics(&shop, "?from=2026-11-20T12:00:00Z&to=2026-11-22T12:00:00Z").await;
    expect(
        &first,
        &json!({
            "mrrCents": 18_000, "newMrrCents": 18_000, "churnRate": 0, "churnedMrrCents": 0,
            "arpuCents": 3_600,
        }),
    );
}

/// A scheduled end counts until it happens; who is behind is still counted, and a trial that was
/// never paid is not among the lost.
#[story::test]
async fn what_counts_and_what_does_not(test: &TestApp, shop: Shop) {
    let ending = one(test, &shop, 3_000, "MONTHLY").await;
    done(&shop, &ending, "cancel", json!({ "atPeriodEnd": true })).await;
    let behind = one(test, &shop, 3_000, "MONTHLY").await;
    done(&shop, &behind, "simulate", json!({ "outcome": "FAILED" })).await;
    let trial = plan(&shop, json!({ "trialDays": 5 })).await;
    let trial = by_card(test, &trial, Scenario::Approves).await["subscription"].clone();
    done(&shop, &trial, "cancel", json!({})).await;
    let found = metrics(&shop, "").await;
    expect(
        &found,
        &json!({
            "mrrCents": 6_000, "activeSubscribers": 1, "pastDue": 1, "churnedMrrCents": 0,
        }),
    );
    days(&shop, 1).await;
    let window = "?from=2026-11-22T00:00:00Z";
    expect(&metrics(&shop, window).await, &json!({ "churnRate": 0 }));
    done(&shop, &behind, "cancel", json!({})).await;
    expect(
        &metrics(&shop, window).await,
        &json!({
            "mrrCents": 3_000, "churnRate": 50, "churnedMrrCents": 3_000,
        }),
    );
}

#[story::test]
async fn what_recurs_for_one_is_nothing_to_another(test: &TestApp, shop: Shop, other: Shop) {
    one(test, &shop, 3_000, "MONTHLY").await;
    expect(&metrics(&other, "").await, &json!({ "mrrCents": 0, "activeSubscribers": 0 }));
}

#[story::test]
async fn a_trial_whose_pause_outlasted_it_is_new_when_it_goes_on(test: &TestApp, shop: Shop) {
    let trial = plan(&shop, json!({ "trialDays": 5 })).await;
    let trial = by_card(test, &trial, Scenario::Approves).await["subscription"].clone();
    done(&shop, &trial, "pause", json!({})).await;
    days(&shop, 10).await;
    done(&shop, &trial, "resume", json!({})).await;
    let found = metrics(&shop, "").await;
    expect(
        &found,
        &json!({
            "mrrCents": 3_000, "newMrrCents": 3_000, "expansionMrrCents": 0,
            "contractionMrrCents": 0,
        }),
    );
}
