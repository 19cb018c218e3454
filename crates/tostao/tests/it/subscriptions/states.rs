//! Every status, and what can be done in it.

use std::time::Duration;

use sandbox::test_cards::Scenario;
use serde_json::{Value, json};

use super::{act, active, by_card, days, done, plan, read, subscribe};
use crate::harness::TestApp;
use crate::harness::shop::{Shop, id};
use crate::sandbox::token_that;

/// Each status with what can be done in it; everything else is refused.
const ALLOWED: [(&str, &[&str]); 7] = [
    ("INCOMPLETE", &[]),
    ("TRIALING", &["cancel", "pause", "card", "change-plan"]),
    ("ACTIVE", &["cancel", "pause", "card", "change-plan"]),
    ("PAST_DUE", &["cancel", "retry", "card", "change-plan"]),
    ("PAUSED", &["cancel", "resume", "card", "change-plan"]),
    ("CANCELLED", &[]),
    ("EXPIRED", &[]),
];
const ACTIONS: [&str; 7] =
    ["cancel", "reactivate", "pause", "resume", "retry", "card", "change-plan"];

/// A subscription of a status.
async fn one(test: &TestApp, shop: &Shop, status: &str) -> Value {
    let made = match status {
        "INCOMPLETE" | "EXPIRED" => {
            let plan = plan(shop, json!({})).await;
            subscribe(test, &plan, json!({})).await.expect(201)["data"]["subscription"].clone()
        }
        "TRIALING" => {
            let plan = plan(shop, json!({ "trialDays": 10 })).await;
            by_card(test, &plan, Scenario::Approves).await["subscription"].clone()
        }
        _ => active(test, shop).await,
    };
    match status {
        "EXPIRED" | "PAST_DUE" => {
            drop(done(shop, &made, "simulate", json!({ "outcome": "FAILED" })).await);
        }
        "PAUSED" => drop(done(shop, &made, "pause", json!({})).await),
        "CANCELLED" => drop(done(shop, &made, "cancel", json!({})).await),
        _ => {}
    }
    let made = read(shop, &made).await;
    assert_eq!(made["status"], status);
    made
}

#[story::test]
async fn what_a_status_does_not_allow_is_refused_and_changes_nothing(test: &TestApp, shop: Shop) {
    for (status, allowed) in ALLOWED {
        for action in ACTIONS {
            let other = plan(&shop, json!({ "name": "Outro" })).await;
            let subscription = one(test, &shop, status).await;
            let body = match action {
                "card" => json!({ "cardToken": token_that(test, Scenario::Approves).await }),
                "change-plan" => json!({ "planId": id(&other) }),
                _ => json!({}),
            };
            let reply = act(&shop, &subscription, action, body).await;
            if allowed.contains(&action) {
                reply.expect(200);
            } else {
                let refused = reply.expect(409);
                let what = format!("{action} while {status}");
                assert_eq!(refused["code"], "INVALID_STATE_TRANSITION", "{what}");
                assert_eq!(refused["currentStatus"], status, "{what}");
                assert_eq!(read(&shop, &subscription).await, subscription, "{what}");
            }
        }
    }
}

#[story::test]
async fn a_pause_keeps_what_was_paid_for_and_going_on_inside_it_costs_nothing(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let subscription = active(test, &shop).await;
    days(&shop, 10).await;
    let paused = done(&shop, &subscription, "pause", json!({})).await;
    assert_eq!(paused["status"], "PAUSED");
    days(&shop, 10).await;
    let resumed = done(&shop, &subscription, "resume", json!({})).await;
    assert_eq!(resumed["status"], "ACTIVE");
    assert_eq!(resumed["nextBillingAt"], "2026-12-21T12:00:00.000Z");
    assert_eq!(resumed["pausedAt"], Value::Null);
    assert_eq!(super::payments(&shop).await, ["PAID"]);
    assert_eq!(super::emitted(&shop).await, ["created", "activated", "paused", "resumed"]);
}

#[story::test]
async fn going_on_after_what_was_paid_for_begins_a_period_now(test: &TestApp, shop: Shop) {
    let subscription = active(test, &shop).await;
    done(&shop, &subscription, "pause", json!({})).await;
    days(&shop, 100).await;
    assert_eq!(super::payments(&shop).await, ["PAID"]);
    let resumed = done(&shop, &subscription, "resume", json!({})).await;
    assert_eq!(resumed["status"], "ACTIVE");
    assert_eq!(resumed["currentPeriodStart"], "2027-03-01T12:00:00.000Z");
    assert_eq!(resumed["nextBillingAt"], "2027-04-01T12:00:00.000Z");
    assert_eq!(super::payments(&shop).await, ["PAID", "PAID"]);
}

#[story::test]
async fn a_pause_may_end_by_itself(test: &TestApp, shop: Shop) {
    let subscription = active(test, &shop).await;
    let past = json!({ "resumesAt": "2026-11-21T12:00:00Z" });
    let refused = act(&shop, &subscription, "pause", past).await;
    assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["resumesAt"]);
    let until = json!({ "resumesAt": "2027-01-10T12:00:00Z" });
    done(&shop, &subscription, "pause", until).await;
    super::until(&shop, "2027-01-10T11:59:59Z").await;
    assert_eq!(read(&shop, &subscription).await["status"], "PAUSED");
    super::until(&shop, "2027-01-10T12:00:00Z").await;
    let resumed = read(&shop, &subscription).await;
    assert_eq!(resumed["status"], "ACTIVE");
    assert_eq!(resumed["nextBillingAt"], "2027-02-10T12:00:00.000Z");
}

#[story::test]
async fn a_pause_ends_at_its_instant_however_late_it_is_read(test: &TestApp, shop: Shop) {
    let table = [
        ("2026-12-01T12:00:00Z", "2027-03-21T12:00:00.000Z"),
        ("2026-12-31T12:00:00Z", "2027-03-31T12:00:00.000Z"),
    ];
    let mut paused = Vec::new();
    for (until, next) in table {
        let subscription = active(test, &shop).await;
        done(&shop, &subscription, "pause", json!({ "resumesAt": until })).await;
        paused.push((subscription, next));
    }
    super::until(&shop, "2027-03-10T12:00:00Z").await;
    for (subscription, next) in paused {
        assert_eq!(read(&shop, &subscription).await["nextBillingAt"], next);
    }
    // Of each its first period and three more.
    assert_eq!(super::payments(&shop).await, ["PAID"; 8]);
}

#[story::test]
async fn a_trial_that_is_paused_goes_on_as_a_trial(test: &TestApp, shop: Shop) {
    let trial = one(test, &shop, "TRIALING").await;
    done(&shop, &trial, "pause", json!({})).await;
    days(&shop, 5).await;
    assert_eq!(done(&shop, &trial, "resume", json!({})).await["status"], "TRIALING");
    done(&shop, &trial, "pause", json!({})).await;
    days(&shop, 10).await;
    let resumed = done(&shop, &trial, "resume", json!({})).await;
    assert_eq!(resumed["status"], "ACTIVE");
    assert_eq!(resumed["currentPeriodStart"], "2026-12-06T12:00:00.000Z");
    assert_eq!(super::payments(&shop).await, ["PAID"]);
}

#[story::test]
async fn an_end_with_the_period_can_be_taken_back_until_it_comes(test: &TestApp, shop: Shop) {
    let subscription = active(test, &shop).await;
    let end = json!({ "atPeriodEnd": true, "reason": "too_expensive", "comment": "Volto." });
    let ending = done(&shop, &subscription, "cancel", end.clone()).await;
    assert_eq!((&ending["status"], &ending["cancelAtPeriodEnd"]), (&json!("ACTIVE"), &json!(true)));
    assert_eq!(ending["nextBillingAt"], Value::Null);
    let going_on = done(&shop, &subscription, "reactivate", json!({})).await;
    assert_eq!(going_on["cancelAtPeriodEnd"], false);
    assert_eq!(going_on["nextBillingAt"], "2026-12-21T12:00:00.000Z");
    done(&shop, &subscription, "cancel", end).await;
    days(&shop, 29).await;
    assert_eq!(read(&shop, &subscription).await["status"], "ACTIVE");
    days(&shop, 1).await;
    let ended = read(&shop, &subscription).await;
    assert_eq!(ended["status"], "CANCELLED");
    assert_eq!(ended["cancelReason"], "too_expensive");
    assert_eq!(ended["cancelComment"], "Volto.");
    assert_eq!(ended["cancelledAt"], "2026-12-21T12:00:00.000Z");
    assert_eq!(super::payments(&shop).await, ["PAID"]);
}

#[story::test]
async fn another_plan_begins_with_the_next_period_and_keeps_its_day(test: &TestApp, shop: Shop) {
    let subscription = active(test, &shop).await;
    let annual = json!({ "name": "Ano", "amountCents": 30_000, "interval": "ANNUAL" });
    let annual = plan(&shop, annual).await;
    let wanted = json!({ "planId": id(&annual) });
    let waiting = done(&shop, &subscription, "change-plan", wanted).await;
    assert_eq!(waiting["nextPlanId"], annual["id"]);
    assert_eq!(waiting["amountCents"], 3_000);
    days(&shop, 30).await;
    let changed = read(&shop, &subscription).await;
    assert_eq!(changed["planId"], annual["id"]);
    assert_eq!(changed["amountCents"], 30_000);
    assert_eq!(changed["nextBillingAt"], "2027-12-21T12:00:00.000Z");
    let listed = shop.key.get("/api/v1/transactions").await.expect(200);
    assert_eq!(listed["data"][0]["amount"], 30_000);
    let path = format!("/api/subscriptions/plans/{}", id(&annual));
    assert_eq!(shop.key.get(&path).await.expect(200)["data"]["subscribers"], 1);
}

#[story::test]
async fn an_extended_trial_is_announced_and_charged_later(test: &TestApp, shop: Shop) {
    let trial = one(test, &shop, "TRIALING").await;
    for wrong in ["2026-12-01T11:00:00Z", "2028-11-20T12:00:01Z"] {
        let wrong = json!({ "trialEndsAt": wrong });
        let refused = act(&shop, &trial, "extend-trial", wrong).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["trialEndsAt"]);
    }
    let later = json!({ "trialEndsAt": "2026-12-05T12:00:00Z" });
    let longer = done(&shop, &trial, "extend-trial", later).await;
    assert_eq!(longer["trialEndsAt"], "2026-12-05T12:00:00.000Z");
    assert_eq!(longer["nextBillingAt"], "2026-12-05T12:00:00.000Z");
    days(&shop, 11).await;
    assert_eq!(super::payments(&shop).await, Vec::<String>::new());
    days(&shop, 3).await;
    let names = ["created", "trial_started", "updated", "trial_will_end", "renewed"];
    assert_eq!(super::emitted(&shop).await, names);
    let refused = json!({ "trialEndsAt": "2027-12-05T12:00:00Z" });
    act(&shop, &trial, "extend-trial", refused).await.expect(409);
}

#[story::test]
async fn an_ended_trial_is_not_extended_and_its_charge_can_be_paid(test: &TestApp, shop: Shop) {
    let plan = plan(&shop, json!({ "trialDays": 10 })).await;
    let trial = subscribe(test, &plan, json!({})).await.expect(201)["data"].clone();
    let trial = &trial["subscription"];
    let later = json!({ "trialEndsAt": "2026-12-05T12:00:00Z" });
    let refused = async || {
        let refused = act(&shop, trial, "extend-trial", later.clone()).await.expect(409);
        assert_eq!(refused["currentStatus"], "TRIALING");
    };
    test.pass(Duration::from_hours(10 * 24));
    refused().await;
    test.run_jobs().await;
    refused().await;
    let asked = read(&shop, trial).await;
    shop.pay(&json!({ "id": asked["pendingTransactionId"] })).await;
    let paid = read(&shop, trial).await;
    assert_eq!(paid["status"], "ACTIVE");
    assert_eq!(paid["nextBillingAt"], "2027-01-01T12:00:00.000Z");
}

#[story::test]
async fn a_cancellation_when_the_renewal_is_due_is_immediate_and_owes_nothing(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let plan = plan(&shop, json!({})).await;
    let made = subscribe(test, &plan, json!({})).await.expect(201)["data"].clone();
    shop.pay(&made["transaction"]).await;
    super::until(&shop, "2026-12-21T12:00:00Z").await;
    let waiting = read(&shop, &made["subscription"]).await;
    let code = json!({ "id": waiting["pendingTransactionId"] });
    let at_end = json!({ "atPeriodEnd": true });
    let ended = done(&shop, &waiting, "cancel", at_end).await;
    assert_eq!(ended["status"], "CANCELLED");
    assert_eq!(shop.transaction(&code).await["status"], "CANCELLED");
    days(&shop, 60).await;
    assert_eq!(super::payments(&shop).await, ["CANCELLED", "PAID"]);
}

#[story::test]
async fn another_plan_comes_with_the_end_of_what_was_paid_for_also_during_a_pause(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let subscription = active(test, &shop).await;
    let dearer = plan(&shop, json!({ "name": "Ouro", "amountCents": 5_000 })).await;
    done(&shop, &subscription, "change-plan", json!({ "planId": id(&dearer) })).await;
    done(&shop, &subscription, "pause", json!({})).await;
    days(&shop, 29).await;
    assert_eq!(read(&shop, &subscription).await["planId"], subscription["planId"]);
    days(&shop, 1).await;
    let changed = read(&shop, &subscription).await;
    assert_eq!(
        (&changed["status"], &changed["planId"], &changed["nextPlanId"]),
        (&json!("PAUSED"), &dearer["id"], &Value::Null)
    );
    days(&shop, 10).await;
    assert_eq!(done(&shop, &subscription, "resume", json!({})).await["status"], "ACTIVE");
    assert_eq!(super::amounts(&shop).await, [5_000, 3_000]);
}

#[story::test]
async fn going_on_before_anybody_looked_at_what_the_end_of_a_period_brings_brings_it_first(
    test: &TestApp,
) {
    let shop = test.shop("Loja").await;
    let dearer = plan(&shop, json!({ "name": "Ouro", "amountCents": 5_000 })).await;
    let until = [json!({}), json!({ "resumesAt": "2027-01-10T12:00:00Z" })];
    for (number, until) in until.into_iter().enumerate() {
        let subscription = active(test, &shop).await;
        done(&shop, &subscription, "change-plan", json!({ "planId": id(&dearer) })).await;
        done(&shop, &subscription, "pause", until).await;
        test.pass(Duration::from_hours(40 * 24));
        if number == 0 {
            done(&shop, &subscription, "resume", json!({})).await;
        } else {
            test.run_jobs().await;
        }
        let resumed = read(&shop, &subscription).await;
        assert_eq!((&resumed["status"], &resumed["planId"]), (&json!("ACTIVE"), &dearer["id"]));
        assert_eq!(super::amounts(&shop).await[0], 5_000);
        done(&shop, &subscription, "cancel", json!({})).await;
    }
    let ending = active(test, &shop).await;
    done(&shop, &ending, "cancel", json!({ "atPeriodEnd": true })).await;
    done(&shop, &ending, "pause", json!({})).await;
    let paid = super::amounts(&shop).await;
    test.pass(Duration::from_hours(40 * 24));
    let refused = act(&shop, &ending, "resume", json!({})).await.expect(409);
    assert_eq!(refused["currentStatus"], "CANCELLED");
    assert_eq!(super::amounts(&shop).await, paid);
}

#[story::test]
async fn a_code_of_the_plan_before_buys_nothing_of_the_one_that_came_during_a_pause(
    test: &TestApp,
) {
    let shop = test.shop("Loja").await;
    let cheap = plan(&shop, json!({})).await;
    let made = subscribe(test, &cheap, json!({})).await.expect(201)["data"].clone();
    shop.pay(&made["transaction"]).await;
    super::until(&shop, "2026-12-21T12:00:00Z").await;
    let waiting = read(&shop, &made["subscription"]).await;
    let annual = json!({ "name": "Ano", "amountCents": 30_000, "interval": "ANNUAL" });
    let annual = plan(&shop, annual).await;
    done(&shop, &waiting, "change-plan", json!({ "planId": id(&annual) })).await;
    done(&shop, &waiting, "pause", json!({})).await;
    // The code that waits is for the plan as it is; once it has run out, the other one comes.
    assert_eq!(read(&shop, &waiting).await["planId"], cheap["id"]);
    days(&shop, 2).await;
    assert_eq!(read(&shop, &waiting).await["planId"], annual["id"]);
    let late = shop.pay(&json!({ "id": waiting["pendingTransactionId"] })).await;
    assert_eq!(late["oversold"], true);
    assert_eq!(done(&shop, &waiting, "resume", json!({})).await["amountCents"], 30_000);
}
