//! Payments that fail, and what is done about it.

use std::time::Duration;

use db::database::Dialect;
use futures_util::future::{join, join_all};
use rails::card::{ChargeResult, DeclineCode};
use sandbox::fault_injection::{Operation, Outage};
use sandbox::test_cards::Scenario;
use serde_json::{Value, json};
use tostao::billing::{StoredPayment, begin_charge};
use tostao::platform::ids::{Mode, Scope, SubscriptionId, TransactionId};
use tostao::subscriptions::charges::SubscriptionChange;
use tostao::subscriptions::{ChargeReason, find};
use tostao::transactions::charge::decide;

use super::{
    act, active, by_card, by_card_with, days, done, emitted, payments, plan, read, somebody,
    subscribe, until,
};
use crate::harness::TestApp;
use crate::harness::engine::Engine;
use crate::harness::shop::{Shop, merged};
use crate::sandbox::token_that;

const DUE: &str = "2026-12-21T12:00:00Z";

/// A subscriber whose card approves when it is kept and never again, at the end of the trial.
async fn behind(test: &TestApp, shop: &Shop, more: Value) -> Value {
    let plan = plan(shop, merged(json!({ "trialDays": 30 }), &more)).await;
    let made = by_card(test, &plan, Scenario::DeclinesOnceKept).await["subscription"].clone();
    until(shop, DUE).await;
    let behind = read(shop, &made).await;
    assert_eq!(behind["status"], "PAST_DUE");
    behind
}

#[story::test]
async fn a_failed_payment_is_tried_again_by_the_table_and_then_the_subscription_ends(
    test: &TestApp,
) {
    let shop = test.shop("Loja").await;
    let behind = behind(test, &shop, json!({})).await;
    assert_eq!(behind["failedAttempts"], 1);
    assert_eq!(behind["lastFailureCode"], "card_declined");
    assert_eq!(behind["pastDueAt"], "2026-12-21T12:00:00.000Z");
    let mut passed = 0;
    for (retries, day) in [2, 7, 14, 21].into_iter().enumerate() {
        let seen = read(&shop, &behind).await;
        assert_eq!(seen["failedAttempts"], retries + 1);
        let expected = ["2026-12-23", "2026-12-28", "2027-01-04", "2027-01-11"][retries];
        assert_eq!(seen["nextRetryAt"], format!("{expected}T12:00:00.000Z"));
        days(&shop, day - passed - 1).await;
        assert_eq!(payments(&shop).await.len(), retries + 1, "a day before");
        days(&shop, 1).await;
        assert_eq!(payments(&shop).await.len(), retries + 2, "on the day");
        passed = day;
    }
    let ended = read(&shop, &behind).await;
    assert_eq!(ended["status"], "CANCELLED");
    assert_eq!(ended["cancelReason"], "max_payment_retries_exceeded");
    assert_eq!((&ended["failedAttempts"], &ended["nextRetryAt"]), (&json!(5), &Value::Null));
    days(&shop, 60).await;
    assert_eq!(payments(&shop).await, ["FAILED"; 5]);
    let names = emitted(&shop).await;
    assert_eq!(names[3..5], ["payment_failed", "past_due"]);
    assert_eq!(names[names.len() - 2..], ["payment_failed", "cancelled"]);
}

#[story::test]
async fn a_plan_may_have_a_rule_of_its_own(test: &TestApp, shop: Shop) {
    let rule = json!({ "retryPolicy": { "maxRetry": 2, "retryEvery": 3 } });
    let behind = behind(test, &shop, rule).await;
    assert_eq!(behind["nextRetryAt"], "2026-12-24T12:00:00.000Z");
    days(&shop, 3).await;
    assert_eq!(read(&shop, &behind).await["nextRetryAt"], "2026-12-27T12:00:00.000Z");
    days(&shop, 3).await;
    assert_eq!(read(&shop, &behind).await["status"], "CANCELLED");
    assert_eq!(payments(&shop).await, ["FAILED"; 3]);
}

#[story::test]
async fn another_card_pays_what_is_owed_at_once(test: &TestApp, shop: Shop) {
    let behind = behind(test, &shop, json!({})).await;
    let empty = token_that(test, Scenario::DeclinesOnceKept).await;
    let still = done(&shop, &behind, "card", json!({ "cardToken": empty })).await;
    assert_eq!((&still["status"], &still["failedAttempts"]), (&json!("PAST_DUE"), &json!(2)));
    assert_eq!(still["nextRetryAt"], "2026-12-23T12:00:00.000Z");
    let declined = token_that(test, Scenario::Declines(DeclineCode::ExpiredCard)).await;
    let refused = act(&shop, &behind, "card", json!({ "cardToken": declined })).await;
    assert_eq!(refused.expect(402)["declineCode"], "expired_card");
    let good = token_that(test, Scenario::Approves).await;
    let renewed = done(&shop, &behind, "card", json!({ "cardToken": good })).await;
    assert_eq!(renewed["status"], "ACTIVE");
    assert_eq!(renewed["card"]["last4"], "4242");
    assert_eq!((&renewed["failedAttempts"], &renewed["pastDueAt"]), (&json!(0), &Value::Null));
    assert_eq!(renewed["currentPeriodStart"], "2026-12-21T12:00:00.000Z");
    days(&shop, 25).await;
    assert_eq!(payments(&shop).await, ["PAID", "FAILED", "FAILED"]);
}

#[story::test]
async fn a_card_pays_what_is_past_due_at_once_in_place_of_the_code_that_waits(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let plan = plan(&shop, json!({})).await;
    let made = subscribe(test, &plan, json!({})).await.expect(201)["data"].clone();
    shop.pay(&made["transaction"]).await;
    for day in [21, 23, 25] {
        until(&shop, &format!("2026-12-{day}T12:00:00Z")).await;
    }
    let behind = read(&shop, &made["subscription"]).await;
    let code = json!({ "id": behind["pendingTransactionId"] });
    let failures = behind["failedAttempts"].clone();
    let empty = token_that(test, Scenario::DeclinesOnceKept).await;
    let still = done(&shop, &behind, "card", json!({ "cardToken": empty })).await;
    assert_eq!(still["status"], "PAST_DUE");
    assert_eq!(still["failedAttempts"].as_i64(), failures.as_i64().map(|count| count + 1));
    assert_eq!(shop.transaction(&code).await["status"], "CANCELLED");
    let good = token_that(test, Scenario::Approves).await;
    let renewed = done(&shop, &behind, "card", json!({ "cardToken": good })).await;
    assert_eq!(renewed["status"], "ACTIVE");
    assert_eq!(renewed["currentPeriodStart"], "2026-12-21T12:00:00.000Z");
    assert_eq!(payments(&shop).await, ["PAID", "FAILED", "CANCELLED", "EXPIRED", "PAID"]);
    // The code that was taken back and is paid all the same goes back by itself.
    shop.pay(&code).await;
    test.run_jobs().await;
    assert_eq!(shop.transaction(&code).await["status"], "REFUNDED");
}

#[story::test]
async fn a_retry_by_hand_is_allowed_five_times_and_delays_no_other(test: &TestApp, shop: Shop) {
    let behind = behind(test, &shop, json!({})).await;
    for retries in 0..5 {
        let still = done(&shop, &behind, "retry", json!({})).await;
        assert_eq!(still["failedAttempts"], retries + 2);
        assert_eq!(still["nextRetryAt"], "2026-12-23T12:00:00.000Z");
    }
    let refused = act(&shop, &behind, "retry", json!({})).await.expect(409);
    assert_eq!(refused["currentStatus"], "PAST_DUE");
    assert_eq!(payments(&shop).await.len(), 6);
    days(&shop, 2).await;
    assert_eq!(payments(&shop).await.len(), 7);
}

#[story::test]
async fn a_card_that_is_gone_is_not_tried_and_another_is_waited_for(test: &TestApp, shop: Shop) {
    let subscription = active(test, &shop).await;
    until(&shop, "2026-12-21T11:59:59Z").await;
    // The issuer takes the card back between two charges.
    let gone = DeclineCode::StolenCard;
    decline_next(test, &shop, &subscription, gone).await;
    let behind = read(&shop, &subscription).await;
    assert_eq!(
        (&behind["status"], &behind["lastFailureCode"]),
        (&json!("PAST_DUE"), &json!("stolen_card"))
    );
    assert_eq!(behind["nextRetryAt"], Value::Null);
    days(&shop, 20).await;
    assert_eq!(payments(&shop).await, ["FAILED", "PAID"]);
    assert_eq!(read(&shop, &subscription).await["status"], "PAST_DUE");
    days(&shop, 1).await;
    let ended = read(&shop, &subscription).await;
    assert_eq!(ended["cancelReason"], "max_payment_retries_exceeded");
    assert_eq!(payments(&shop).await, ["FAILED", "PAID"]);
}

#[story::test]
async fn a_year_in_one_step_is_judged_at_its_end(test: &TestApp, shop: Shop) {
    let plan = plan(&shop, json!({ "trialDays": 30 })).await;
    let made = by_card(test, &plan, Scenario::DeclinesOnceKept).await["subscription"].clone();
    until(&shop, "2027-11-21T12:00:00Z").await;
    let behind = read(&shop, &made).await;
    assert_eq!(
        (&behind["status"], &behind["pastDueAt"], &behind["nextRetryAt"]),
        (
            &json!("PAST_DUE"),
            &json!("2027-11-21T12:00:00.000Z"),
            &json!("2027-11-23T12:00:00.000Z")
        )
    );
    assert_eq!(payments(&shop).await, ["FAILED"]);
    // All retries of the table in one step, and the end with the last of them.
    days(&shop, 365).await;
    let ended = read(&shop, &made).await;
    assert_eq!(
        (&ended["status"], &ended["endedAt"]),
        (&json!("CANCELLED"), &json!("2028-11-20T12:00:00.000Z"))
    );
    assert_eq!(payments(&shop).await, ["FAILED"; 5]);
}

#[story::test]
async fn a_card_that_is_given_while_the_one_before_it_is_charged_is_tried_once_that_is_declined(
    test: &TestApp,
) {
    let shop = test.shop("Loja").await;
    let subscription = active(test, &shop).await;
    for code in [DeclineCode::ExpiredCard, DeclineCode::InsufficientFunds] {
        days(&shop, 29).await;
        let asked = begin_next(test, &shop, &subscription).await;
        let other = token_that(test, Scenario::RefundsLate).await;
        let waiting = done(&shop, &subscription, "card", json!({ "cardToken": other })).await;
        assert!(waiting["pendingTransactionId"].is_string());
        decline(test, asked, code).await;
        test.run_jobs().await;
        let renewed = read(&shop, &subscription).await;
        assert_eq!((&renewed["status"], &renewed["failedAttempts"]), (&json!("ACTIVE"), &json!(0)));
        let before = token_that(test, Scenario::Approves).await;
        done(&shop, &subscription, "card", json!({ "cardToken": before })).await;
    }
    assert_eq!(payments(&shop).await, ["PAID", "FAILED", "PAID", "FAILED", "PAID"]);
}

#[story::test]
async fn a_charge_of_another_card_that_never_arrives_is_made_again(test: &TestApp, shop: Shop) {
    let subscription = active(test, &shop).await;
    until(&shop, "2026-12-21T11:59:59Z").await;
    decline_next(test, &shop, &subscription, DeclineCode::StolenCard).await;
    test.app.providers.sandbox().fail_next(Operation::Authorize, Outage::NeverArrives);
    let good = token_that(test, Scenario::Approves).await;
    let waiting = done(&shop, &subscription, "card", json!({ "cardToken": good })).await;
    assert!(waiting["pendingTransactionId"].is_string());
    test.run_jobs_after(Duration::from_mins(11)).await;
    assert_eq!(read(&shop, &subscription).await["status"], "ACTIVE");
    assert_eq!(payments(&shop).await, ["PAID", "FAILED", "FAILED", "PAID"]);
}

#[story::test]
async fn what_is_tried_between_two_days_of_the_table_takes_the_place_of_neither(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let behind = behind(test, &shop, json!({})).await;
    // The clock that the acquirer's silence is measured by is everybody's.
    test.app.providers.sandbox().fail_next(Operation::Authorize, Outage::NeverArrives);
    done(&shop, &behind, "retry", json!({})).await;
    test.run_jobs_after(Duration::from_mins(11)).await;
    let still = read(&shop, &behind).await;
    assert_eq!((&still["status"], &still["failedAttempts"]), (&json!("PAST_DUE"), &json!(2)));
    assert_eq!(still["nextRetryAt"], "2026-12-23T12:00:00.000Z");
    assert_eq!(payments(&shop).await, ["FAILED"; 3]);
}

/// Has the next payment made, and its acquirer decline it for a reason.
async fn decline_next(test: &TestApp, shop: &Shop, subscription: &Value, code: DeclineCode) {
    let asked = begin_next(test, shop, subscription).await;
    decline(test, asked, code).await;
}

/// Has the next payment made; its acquirer has not said anything yet.
async fn begin_next(test: &TestApp, shop: &Shop, subscription: &Value) -> (Scope, TransactionId) {
    let id: SubscriptionId = crate::harness::shop::id(subscription).parse().expect("is an id");
    let me = shop.owner.get("/api/auth/me").await.expect(200);
    let merchant = me["user"]["id"].as_str().expect("is text").parse().expect("is an id");
    let read = async move |tx: &db::tx::Tx| {
        let scope = tostao::merchants::scope(tx, merchant, Mode::Development).await?;
        Ok((scope, find(tx, scope, id).await?))
    };
    let (scope, subscription) = test.app.read(read).await.expect("is there");
    let with = SubscriptionChange::Unchanged { version: subscription.version };
    let response =
        begin_charge(&test.app, scope, &subscription, ChargeReason::Schedule, with).await;
    let StoredPayment::Card(order) = response.expect("begins") else { panic!("is a card") };
    (scope, order.transaction.id)
}

/// Has a payment's acquirer decline it for a reason.
async fn decline(test: &TestApp, (scope, asked): (Scope, TransactionId), code: DeclineCode) {
    let verdict = ChargeResult::Declined { code };
    decide(&test.app, scope, asked, verdict).await.expect("is decided");
}

#[story::test]
async fn cancelling_what_is_behind_stops_at_once_and_takes_its_code_back(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let plan = plan(&shop, json!({})).await;
    let made = subscribe(test, &plan, json!({})).await.expect(201)["data"].clone();
    shop.pay(&made["transaction"]).await;
    // Renewal, two days to pay it, two more to its first retry.
    for day in [21, 23, 25] {
        until(&shop, &format!("2026-12-{day}T12:00:00Z")).await;
    }
    let behind = read(&shop, &made["subscription"]).await;
    assert_eq!(behind["status"], "PAST_DUE");
    let code = json!({ "id": behind["pendingTransactionId"] });
    assert_eq!(shop.transaction(&code).await["status"], "PENDING");
    // A retry by hand shows the code that waits already.
    let same = done(&shop, &behind, "retry", json!({})).await;
    assert_eq!(same["pendingTransactionId"], code["id"]);
    let ended = done(&shop, &behind, "cancel", json!({ "atPeriodEnd": true })).await;
    assert_eq!(
        (&ended["status"], &ended["pendingTransactionId"]),
        (&json!("CANCELLED"), &Value::Null)
    );
    assert_eq!(shop.transaction(&code).await["status"], "CANCELLED");
    days(&shop, 30).await;
    assert_eq!(payments(&shop).await.len(), 3);
}

#[story::test]
async fn an_outcome_that_is_not_known_is_no_failure(test: &TestApp, shop: Shop) {
    let plan = plan(&shop, json!({ "trialDays": 5 })).await;
    let made = by_card(test, &plan, Scenario::LosesTheApproval).await["subscription"].clone();
    test.run_jobs_after(std::time::Duration::from_hours(5 * 24)).await;
    let waiting = read(&shop, &made).await;
    assert_eq!(waiting["status"], "TRIALING");
    assert!(waiting["pendingTransactionId"].is_string());
    test.run_jobs_after(std::time::Duration::from_mins(2)).await;
    let renewed = read(&shop, &made).await;
    assert_eq!((&renewed["status"], &renewed["failedAttempts"]), (&json!("ACTIVE"), &json!(0)));
    assert_eq!(payments(&shop).await, ["PAID"]);
}

#[story::test]
async fn a_card_that_was_approved_after_all_gets_its_money_back_where_nothing_is_owed(
    test: &TestApp,
) {
    let shop = test.shop("Loja").await;
    let plan = plan(&shop, json!({ "trialDays": 5 })).await;
    let made = by_card(test, &plan, Scenario::LosesTheApproval).await["subscription"].clone();
    test.run_jobs_after(std::time::Duration::from_hours(5 * 24)).await;
    assert_eq!(payments(&shop).await, ["PROCESSING"]);
    assert_eq!(done(&shop, &made, "cancel", json!({})).await["status"], "CANCELLED");
    test.run_jobs_after(std::time::Duration::from_mins(2)).await;
    assert_eq!(payments(&shop).await, ["REFUNDED"]);
    assert_eq!(read(&shop, &made).await["status"], "CANCELLED");
}

#[story::test]
async fn concurrent_retries_wait_for_one_code(test: &TestApp, shop: Shop) {
    let plan = plan(&shop, json!({})).await;
    let made = subscribe(test, &plan, json!({})).await.expect(201)["data"].clone();
    shop.pay(&made["transaction"]).await;
    for day in [21, 23] {
        until(&shop, &format!("2026-12-{day}T12:00:00Z")).await;
    }
    let tries = (0..8).map(|_| act(&shop, &made["subscription"], "retry", json!({})));
    for reply in join_all(tries).await {
        assert!(matches!(reply.status, 200 | 409), "{}", reply.text);
    }
    assert_eq!(payments(&shop).await, ["PENDING", "EXPIRED", "PAID"]);
}

#[story::test]
async fn simulated_payments_go_the_way_of_real_ones(test: &TestApp, shop: Shop) {
    let subscription = active(test, &shop).await;
    for (outcome, status) in [("FAILED", "PAST_DUE"), ("PAID", "ACTIVE"), ("PAID", "ACTIVE")] {
        let then = done(&shop, &subscription, "simulate", json!({ "outcome": outcome })).await;
        assert_eq!(then["status"], status);
    }
    let then = read(&shop, &subscription).await;
    assert_eq!(then["currentPeriodEnd"], "2027-02-21T12:00:00.000Z");
    let real = shop.key_for("production", &["subscriptions:write"]).await;
    let path = format!("/api/subscriptions/{}/simulate", crate::harness::shop::id(&subscription));
    real.post(&path, json!({ "outcome": "PAID" })).await.expect_refusal(403, "DEV_MODE_ONLY");
}

#[story::test]
async fn a_simulation_that_is_sent_several_times_with_one_key_decides_about_one_payment(
    test: &TestApp,
) {
    let shop = test.shop("Loja").await;
    let made = plan(&shop, json!({})).await;
    let by_pix = subscribe(test, &made, json!({})).await.expect(201)["data"].clone();
    shop.pay(&by_pix["transaction"]).await;
    let by_card = by_card_with(test, &made, Scenario::Approves, somebody("Bia")).await;
    let by_card = by_card.expect(201)["data"].clone();
    let paths = [&by_pix, &by_card].map(|made| {
        let subscription = crate::harness::shop::id(&made["subscription"]);
        format!("/api/subscriptions/{subscription}/simulate")
    });
    for (number, path) in paths.iter().enumerate() {
        let once = shop.key.with("idempotency-key", &format!("once-{number}"));
        let sent = (0..8).map(|_| once.post(path, json!({ "outcome": "PAID" })));
        let replies = join_all(sent).await;
        for reply in &replies {
            assert_eq!((reply.status, &reply.text), (200, &replies[0].text));
        }
        assert_eq!(replies[0].expect(200)["data"]["currentPeriodEnd"], "2027-01-21T12:00:00.000Z");
    }
    assert_eq!(payments(&shop).await, ["PAID"; 4]);
    let listed = shop.key.get("/api/v1/transactions").await.expect(200);
    for payment in listed["data"].as_array().expect("is a list") {
        assert_eq!(payment["unmatchedAmount"], 0);
    }
}

/// Only one of the engines lets two units change rows at once.
#[story::test]
async fn a_payment_is_taken_before_its_subscription_by_all_that_change_both(test: &TestApp) {
    let (holder, looker) = (Engine::open(test).await, Engine::open(test).await);
    if holder.dialect() == Dialect::Sqlite {
        return;
    }
    let shop = test.shop("Loja").await;
    let plan = plan(&shop, json!({})).await;
    let waits = "select count(*)::text
                   from pg_stat_activity
                  where datname = current_database() and wait_event_type = 'Lock'";
    let mut subscribers = Vec::new();
    for action in ["card", "cancel"] {
        let made = subscribe(test, &plan, somebody(action)).await.expect(201)["data"].clone();
        shop.pay(&made["transaction"]).await;
        subscribers.push((action, made["subscription"].clone()));
    }
    for day in [21, 23, 25] {
        until(&shop, &format!("2026-12-{day}T12:00:00Z")).await;
    }
    for (action, subscription) in subscribers {
        let behind = read(&shop, &subscription).await;
        assert_eq!(behind["status"], "PAST_DUE");
        assert!(behind["pendingTransactionId"].is_string(), "{behind}");
        let good = token_that(test, Scenario::Approves).await;
        holder.rows("begin").await;
        holder.rows("select id::text from transactions for update").await;
        let look = async {
            while looker.rows(waits).await != [["1"]] {
                tokio::task::yield_now().await;
            }
            holder.rows("select id::text from subscriptions for update nowait").await;
            holder.rows("rollback").await;
        };
        let body = if action == "card" { json!({ "cardToken": good }) } else { json!({}) };
        join(done(&shop, &behind, action, body), look).await;
    }
}
