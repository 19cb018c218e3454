//! Notices of an acquirer in any number and order, or none: each is a question, and each fact is
//! booked once.

use std::time::Duration;

use futures_util::future::{join, join_all};
use serde_json::{Value, json};

use super::acquirer::{Acquirer, SLOW, reference, refund, refunds};
use super::slow::until;
use super::{administrator, real, status};
use crate::harness::TestApp;
use crate::harness::shop::Shop;

const MINUTE: Duration = Duration::from_mins(1);
const DAY: Duration = Duration::from_hours(24);

/// How often an event was emitted to a merchant.
async fn emitted(shop: &Shop, name: &str) -> usize {
    let events = shop.owner.list("/api/webhooks/events?limit=100").await;
    events.iter().filter(|event| event["event"] == name).count()
}

#[story::test]
async fn a_notice_of_a_charge_that_comes_ten_times_at_once_and_days_later_books_once(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    let (charge, theirs) = acquirer.open(&shop, SLOW).await;
    acquirer.decide(&theirs, json!({})).await;
    let anyone = test.anyone();
    for reply in join_all((0..10).map(|_| acquirer.notify(&anyone, &theirs))).await {
        reply.expect(200);
    }
    test.run_jobs().await;
    for _ in 0..3 {
        acquirer.pass(test, DAY).await;
        acquirer.notify(&anyone, &theirs).await.expect(200);
        test.run_jobs().await;
    }
    assert_eq!(status(&shop, &charge).await, "PAID");
    assert_eq!(emitted(&shop, "transaction.paid").await, 1);
    assert_eq!(acquirer.differences(test).await, []);
    test.prove_books().await;
}

#[story::test]
async fn a_notice_of_a_refund_that_comes_before_the_payments_books_the_payment_and_shows_the_refund(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    let (charge, theirs) = acquirer.open(&shop, SLOW).await;
    acquirer.decide(&theirs, json!({})).await;
    acquirer.cancel(&theirs, 4_000).await;
    for _ in 0..2 {
        acquirer.notify(&test.anyone(), &theirs).await.expect(200);
        test.run_jobs_after(Duration::from_secs(2)).await;
    }
    assert_eq!(status(&shop, &charge).await, "PAID");
    assert_eq!(acquirer.differences(test).await, [("UNKNOWN_REFUND".to_owned(), 4_000)]);
    test.prove_books().await;
}

#[story::test]
async fn a_notice_of_a_chargeback_that_comes_before_the_payments_books_both_in_order(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    let (charge, theirs) = acquirer.open(&shop, SLOW).await;
    acquirer.decide(&theirs, json!({})).await;
    acquirer.dispute(&theirs, json!({})).await;
    acquirer.notify(&test.anyone(), &theirs).await.expect(200);
    test.run_jobs_after(Duration::from_secs(2)).await;
    assert_eq!(status(&shop, &charge).await, "DISPUTED");
    let of =
        (emitted(&shop, "transaction.paid").await, emitted(&shop, "transaction.disputed").await);
    assert_eq!(of, (1, 1));
    test.prove_books().await;
}

#[story::test]
async fn a_notice_of_a_refund_that_comes_before_its_answer_changes_nothing_and_it_ends_once(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    let sold = acquirer.sell(&shop, json!({})).await;
    let theirs = acquirer.newest().await;
    acquirer.fault("charge.cancel", json!({ "fault": "slow", "ms": 700, "times": 1 })).await;
    refund(&shop, &sold, 400).await;
    let reported = async {
        let is_made = async || acquirer.charges().await[0]["canceled_amount"] == 400;
        until(is_made).await;
        acquirer.notify(&test.anyone(), &theirs).await.expect(200);
        test.run_jobs().await;
    };
    join(test.run_jobs(), reported).await;
    for _ in 0..2 {
        acquirer.pass(test, MINUTE * 30).await;
    }
    assert_eq!(refunds(&shop, &sold).await, ["COMPLETED"]);
    assert_eq!(emitted(&shop, "transaction.refunded").await, 1);
    assert_eq!(acquirer.differences(test).await, []);
}

#[story::test]
async fn a_charge_at_one_acquirer_never_pays_a_charge_of_another(test: &TestApp, shop: Shop) {
    let (shop, first) = (real(shop).await, Acquirer::routed(test).await);
    let second = Acquirer::connected(test, 2).await;
    let (charge, theirs) = first.open(&shop, SLOW).await;
    let foreign = second.order_elsewhere(&reference(&charge), 10_000).await;
    for acquirer in [&first, &second] {
        for name in [&theirs, &foreign] {
            acquirer.notify(&test.anyone(), name).await.expect(200);
        }
    }
    test.run_jobs().await;
    assert_eq!(status(&shop, &charge).await, "PROCESSING");
    let found = administrator(test).await.list(super::acquirer::DIFFERENCES).await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        (&found[0]["connectionName"], &found[0]["reference"]),
        (&json!("pagarme-2"), &json!(foreign))
    );
}

/// Sells at an acquirer whose clock is off by some seconds, loses every notice, and sees it found.
async fn find_without_notices(test: &TestApp, shop: Shop, off: i64) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    acquirer.at("/__clock", json!({ "advance_seconds": off })).await;
    let (open, theirs) = acquirer.open(&shop, SLOW).await;
    let contested = acquirer.sell(&shop, json!({})).await;
    let of_contested = acquirer.newest().await;
    let refunded = acquirer.sell(&shop, json!({})).await;
    let of_refunded = acquirer.newest().await;
    acquirer.pass(test, MINUTE * 20).await;
    acquirer.decide(&theirs, json!({})).await;
    acquirer.dispute(&of_contested, json!({})).await;
    acquirer.cancel(&of_refunded, 700).await;
    for _ in 0..10 {
        acquirer.pass(test, MINUTE).await;
    }
    assert_eq!(status(&shop, &open).await, "PAID");
    for _ in 0..3 {
        acquirer.pass(test, MINUTE * 15).await;
    }
    assert_eq!(status(&shop, &contested).await, "DISPUTED");
    assert_eq!(status(&shop, &refunded).await, "PAID");
    assert_eq!(acquirer.differences(test).await, [("UNKNOWN_REFUND".to_owned(), 700)]);
    test.prove_books().await;
}

#[story::test]
async fn everything_whose_notice_is_lost_is_found_by_questions_and_lists(
    test: &TestApp,
    shop: Shop,
) {
    find_without_notices(test, shop, 0).await;
}

#[story::test]
async fn what_an_acquirer_has_is_found_though_its_clock_is_five_minutes_fast(
    test: &TestApp,
    shop: Shop,
) {
    find_without_notices(test, shop, 300).await;
}

#[story::test]
async fn what_an_acquirer_has_is_found_though_its_clock_is_five_minutes_slow(
    test: &TestApp,
    shop: Shop,
) {
    find_without_notices(test, shop, -300).await;
}

#[story::test]
async fn a_list_of_charges_that_breaks_off_and_grows_while_it_is_read_is_read_whole(
    test: &TestApp,
    shop: Shop,
) {
    let acquirer = Acquirer::routed(test).await;
    acquirer.sell(&shop, json!({})).await;
    for number in 0..70 {
        acquirer.order_elsewhere(&format!("first-{number}"), 700).await;
    }
    // What is owed for them would name them, too.
    acquirer.fault("payables", json!({ "fault": "status", "status": 500 })).await;
    let breaks = json!({ "fault": "status", "status": 500, "skip": 2, "times": 1 });
    acquirer.fault("order.list", breaks).await;
    acquirer.pass(test, MINUTE * 16).await;
    let before = acquirer.differences(test).await.len();
    assert!((20..70).contains(&before), "{before}");
    acquirer.at("/__clock", json!({ "advance_seconds": -240 })).await;
    for number in 0..5 {
        acquirer.order_elsewhere(&format!("late-{number}"), 700).await;
    }
    acquirer.at("/__clock", json!({ "advance_seconds": 240 })).await;
    for _ in 0..3 {
        acquirer.pass(test, MINUTE * 16).await;
    }
    let found = acquirer.differences(test).await;
    assert_eq!(found, vec![("CARD_CHARGE".to_owned(), 700); 75]);
}

#[story::test]
async fn a_notice_that_is_forged_in_any_way_books_what_the_acquirer_says_alone(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    let (charge, theirs) = acquirer.open(&shop, SLOW).await;
    let door = acquirer.door();
    let notices = [
        json!({ "id": "hook_1", "type": "charge.paid",
            "data": { "id": theirs, "amount": 1, "paid_amount": 1, "status": "paid",
                "code": reference(&charge) } }),
        json!({ "id": "hook_1", "type": "charge.refunded",
            "data": { "id": theirs, "canceled_amount": 10_000, "status": "canceled" } }),
        json!({ "id": "hook_1", "type": "charge.chargedback", "data": { "id": theirs } }),
        json!({ "id": "hook_1", "type": "charge.paid", "data": { "id": Value::Null } }),
    ];
    for notice in &notices {
        test.anyone().post(&door, notice.clone()).await.expect(200);
    }
    test.run_jobs().await;
    assert_eq!(status(&shop, &charge).await, "PROCESSING");
    let forged = format!("{}0", &door[..door.len() - 1]);
    let other = if forged == door { format!("{}1", &door[..door.len() - 1]) } else { forged };
    test.anyone().post(&other, notices[0].clone()).await.expect(404);
    assert_eq!(acquirer.differences(test).await, []);
}
