//! Crashes between each two steps: of a request that charges a card, of the question about a lost
//! answer, and of a refund at an acquirer. Each ends as if nothing had happened.

use std::time::Duration;

use serde_json::{Value, json};

use super::acquirer::{Acquirer, GOOD, SLOW, refund, refunds};
use super::{real, status};
use crate::harness::TestApp;
use crate::harness::crashes::{at_every_wait, breaks_off, calm_down, die_at_wait};
use crate::harness::shop::Shop;

const HOUR: Duration = Duration::from_hours(1);
/// A database may hold on to what a dead worker was doing for a while.
const HOURS_MAX: usize = 24 * 3;

/// Lets time pass until something is so.
async fn until_ended(test: &TestApp, acquirer: &Acquirer, is_so: impl AsyncFn() -> bool) {
    for _ in 0..HOURS_MAX {
        if is_so().await {
            return;
        }
        acquirer.pass(test, HOUR).await;
    }
    panic!("it does not end");
}

#[story::test]
async fn a_request_that_breaks_off_anywhere_charges_its_card_once_or_never(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    let is_decided = async || {
        let charges = shop.owner.list("/api/v1/transactions?limit=100").await;
        charges.iter().all(|charge| charge["status"] != "PROCESSING")
    };
    at_every_wait(async |number| {
        let broken = breaks_off(acquirer.try_sell(&shop, GOOD, json!({})), number).await;
        calm_down(test).await;
        until_ended(test, &acquirer, &is_decided).await;
        let paid = shop.owner.total("/api/v1/transactions?status=PAID").await;
        assert_eq!(acquirer.charges().await.len(), paid, "broken off at wait {number}");
        broken
    })
    .await;
    assert_eq!(acquirer.differences(test).await, []);
    test.prove_books().await;
}

#[story::test]
async fn a_worker_that_dies_anywhere_while_it_asks_about_a_charge_books_it_once(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    at_every_wait(async |number| {
        let (charge, theirs) = acquirer.open(&shop, SLOW).await;
        acquirer.decide(&theirs, json!({})).await;
        acquirer.pass_there(HOUR).await;
        test.pass(HOUR);
        let died = die_at_wait(test, number).await;
        calm_down(test).await;
        let is_paid = async || status(&shop, &charge).await == "PAID";
        until_ended(test, &acquirer, is_paid).await;
        died
    })
    .await;
    assert_eq!(acquirer.differences(test).await, []);
    test.prove_books().await;
}

#[story::test]
async fn a_worker_that_dies_anywhere_refunds_a_card_at_its_acquirer_once(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    at_every_wait(async |number| {
        let sold = acquirer.sell(&shop, json!({ "amountCents": 1_000 })).await;
        refund(&shop, &sold, 400).await;
        let died = die_at_wait(test, number).await;
        calm_down(test).await;
        let is_done = async || refunds(&shop, &sold).await == ["COMPLETED"];
        until_ended(test, &acquirer, is_done).await;
        let charges = acquirer.charges().await;
        let is_refunded = |charge: &Value| charge["canceled_amount"] == 400;
        assert!(charges.iter().all(is_refunded), "death at wait {number}: {charges:?}");
        died
    })
    .await;
    assert_eq!(acquirer.differences(test).await, []);
    test.prove_books().await;
}
