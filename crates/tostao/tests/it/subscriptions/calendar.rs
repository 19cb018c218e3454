//! Renewal by the clock: each period once, on its day, however late somebody looks.

use std::time::Duration;

use sandbox::test_cards::Scenario;
use serde_json::json;

use super::{active, by_card, days, done, emitted, payments, plan, read, subscribe, until};
use crate::harness::shop::Shop;
use crate::harness::{TestApp, story_with_restart};

const DAY: Duration = Duration::from_hours(24);

#[story::test]
async fn the_thirty_first_is_clamped_and_comes_back(test: &TestApp, shop: Shop) {
    until(&shop, "2027-01-31T12:00:00Z").await;
    let subscription = active(test, &shop).await;
    let days = ["2027-02-28", "2027-03-31", "2027-04-30", "2027-05-31", "2027-06-30"];
    for pair in days.windows(2) {
        until(&shop, &format!("{}T12:00:00Z", pair[0])).await;
        let renewed = read(&shop, &subscription).await;
        assert_eq!(renewed["currentPeriodStart"], format!("{}T12:00:00.000Z", pair[0]));
        assert_eq!(renewed["nextBillingAt"], format!("{}T12:00:00.000Z", pair[1]));
    }
    assert_eq!(payments(&shop).await.len(), 5);
}

#[story::test]
async fn the_leap_day_comes_back_every_four_years(test: &TestApp, shop: Shop) {
    until(&shop, "2028-02-29T12:00:00Z").await;
    let plan = plan(&shop, json!({ "interval": "ANNUAL" })).await;
    let subscription = by_card(test, &plan, Scenario::Approves).await["subscription"].clone();
    let days = ["2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29", "2033-02-28"];
    for pair in days.windows(2) {
        until(&shop, &format!("{}T12:00:00Z", pair[0])).await;
        let renewed = read(&shop, &subscription).await;
        assert_eq!(renewed["nextBillingAt"], format!("{}T12:00:00.000Z", pair[1]));
    }
}

#[story::test]
async fn a_year_in_one_step_is_twelve_renewals(test: &TestApp, shop: Shop) {
    let subscription = active(test, &shop).await;
    until(&shop, "2027-11-21T12:00:00Z").await;
    assert_eq!(payments(&shop).await, ["PAID"; 13]);
    let renewed = read(&shop, &subscription).await;
    assert_eq!(renewed["currentPeriodStart"], "2027-11-21T12:00:00.000Z");
    assert_eq!(emitted(&shop).await.iter().filter(|name| *name == "renewed").count(), 12);
}

#[story::test]
async fn nothing_is_charged_before_its_instant_and_looking_again_charges_nothing(test: &TestApp) {
    let shop = test.shop("Loja").await;
    active(test, &shop).await;
    until(&shop, "2026-12-21T11:59:59Z").await;
    assert_eq!(payments(&shop).await, ["PAID"]);
    until(&shop, "2026-12-21T12:00:00Z").await;
    for _ in 0..3 {
        test.run_jobs().await;
    }
    assert_eq!(payments(&shop).await, ["PAID", "PAID"]);
}

#[test]
fn three_periods_that_a_stopped_server_missed_are_each_charged_once() {
    story_with_restart(
        async |test| {
            let shop = test.shop("Loja").await;
            active(test, &shop).await;
            test.pass(DAY * 92);
        },
        async |test, ()| {
            test.run_jobs().await;
            test.run_jobs().await;
            let shop = test.shop_again("Loja").await;
            assert_eq!(payments(&shop).await, ["PAID"; 4]);
            let listed = shop.key.get("/api/subscriptions").await.expect(200);
            assert_eq!(listed["data"][0]["currentPeriodStart"], "2027-02-21T12:00:00.000Z");
        },
    );
}

#[story::test]
async fn a_trials_end_is_announced_three_days_before_and_charged_when_it_comes(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let plan = plan(&shop, json!({ "trialDays": 10 })).await;
    let trial = by_card(test, &plan, Scenario::Approves).await["subscription"].clone();
    days(&shop, 6).await;
    assert_eq!(emitted(&shop).await, ["created", "trial_started"]);
    days(&shop, 1).await;
    assert_eq!(emitted(&shop).await, ["created", "trial_started", "trial_will_end"]);
    days(&shop, 3).await;
    let renewed = read(&shop, &trial).await;
    assert_eq!(renewed["status"], "ACTIVE");
    assert_eq!(renewed["currentPeriodStart"], "2026-12-01T12:00:00.000Z");
    assert_eq!(renewed["nextBillingAt"], "2027-01-01T12:00:00.000Z");
    assert_eq!(payments(&shop).await, ["PAID"]);
}

#[story::test]
async fn a_trial_that_is_cancelled_is_never_charged(test: &TestApp, shop: Shop) {
    let plan = plan(&shop, json!({ "trialDays": 10 })).await;
    let now = by_card(test, &plan, Scenario::Approves).await["subscription"].clone();
    done(&shop, &now, "cancel", json!({})).await;
    let customer = json!({ "customer": { "name": "Bia", "email": "bia@example.com" } });
    let later = subscribe(test, &plan, customer).await.expect(201)["data"].clone();
    let later = later["subscription"].clone();
    done(&shop, &later, "cancel", json!({ "atPeriodEnd": true })).await;
    days(&shop, 60).await;
    for ended in [now, later] {
        assert_eq!(read(&shop, &ended).await["status"], "CANCELLED");
    }
    assert!(payments(&shop).await.is_empty());
}

#[story::test]
async fn a_renewal_by_pix_waits_two_days_for_its_buyer(test: &TestApp, shop: Shop) {
    let plan = plan(&shop, json!({})).await;
    let made = subscribe(test, &plan, json!({})).await.expect(201)["data"].clone();
    shop.pay(&made["transaction"]).await;
    until(&shop, "2026-12-21T12:00:00Z").await;
    let waiting = read(&shop, &made["subscription"]).await;
    assert_eq!(waiting["status"], "ACTIVE");
    let pending = json!({ "id": waiting["pendingTransactionId"] });
    let code = shop.transaction(&pending).await;
    assert_eq!((&code["status"], &code["amount"]), (&json!("PENDING"), &json!(3_000)));
    assert!(code["paymentUrl"].as_str().expect("is text").contains("/pay/-/t/"));
    assert_eq!(code["expiresAt"], "2026-12-23T12:00:00.000Z");
    shop.pay(&pending).await;
    let renewed = read(&shop, &made["subscription"]).await;
    assert_eq!(renewed["currentPeriodEnd"], "2027-01-21T12:00:00.000Z");
    until(&shop, "2027-01-21T12:00:00Z").await;
    until(&shop, "2027-01-23T12:00:00Z").await;
    let late = read(&shop, &made["subscription"]).await;
    assert_eq!(
        (&late["status"], &late["lastFailureCode"]),
        (&json!("PAST_DUE"), &json!("not_paid"))
    );
    // What comes late is for the period all the same.
    let listed = shop.key.get("/api/v1/transactions").await.expect(200);
    shop.pay(&listed["data"][0]).await;
    let renewed = read(&shop, &made["subscription"]).await;
    assert_eq!(renewed["status"], "ACTIVE");
    assert_eq!(renewed["currentPeriodStart"], "2027-01-21T12:00:00.000Z");
}
