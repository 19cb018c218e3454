//! Crashes: a worker that dies between any two steps never gives the same money back twice.

use std::time::Duration;

use sandbox::test_cards::Scenario;
use serde_json::{Value, json};

use super::{held, left_the_bank, refund, refund_statuses};
use crate::harness::crashes::{at_every_wait, calm_down, die_at_wait};
use crate::harness::shop::Shop;
use crate::harness::{TestApp, story};
use crate::methods::balance;
use crate::sandbox::sell_by_card;

/// A database may hold on to what a dead worker was doing for a while.
const DAYS_MAX: usize = 50;
const AMOUNT: i64 = 1_000;

/// What a dead worker held is taken over, and every refund ends in one of two ways.
fn live_through_every_death(sell: &impl AsyncFn(&TestApp, &Shop) -> Value, more: &Value) {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let (mut given, mut kept) = (0, 0);
        at_every_wait(async |number| {
            let charge = sell(test, &shop).await;
            refund(&shop, &charge, more.clone()).await;
            let died = die_at_wait(test, number).await;
            calm_down(test).await;
            for _ in 0..DAYS_MAX {
                test.run_jobs_after(Duration::from_hours(25)).await;
                if refund_statuses(&shop, &charge).await != ["PENDING"] {
                    break;
                }
            }
            match refund_statuses(&shop, &charge).await.concat().as_str() {
                "COMPLETED" => given += 1,
                "FAILED rail_timeout" => kept += 1,
                end => panic!("death at wait {number}: {end}"),
            }
            assert_eq!(
                left_the_bank(test).await,
                (given * AMOUNT, given),
                "death at wait {number}"
            );
            let (available, pending) = balance(&shop).await;
            let has = available.as_i64().zip(pending.as_i64()).map(|(one, other)| one + other);
            assert_eq!((has, held(test, 2200).await), (Some(kept * AMOUNT), 0), "at {number}");
            died
        })
        .await;
    });
}

async fn pix(_: &TestApp, shop: &Shop) -> Value {
    shop.sell(AMOUNT).await
}

async fn card(test: &TestApp, shop: &Shop) -> Value {
    sell_by_card(test, shop, Scenario::Approves, AMOUNT, 1).await
}

async fn boleto(_: &TestApp, shop: &Shop) -> Value {
    shop.pay(&shop.boleto(AMOUNT).await).await
}

#[test]
fn a_worker_that_dies_anywhere_gives_a_pix_back_once() {
    live_through_every_death(&pix, &json!({}));
}

#[test]
fn a_worker_that_dies_anywhere_gives_a_cards_money_back_once() {
    live_through_every_death(&card, &json!({}));
}

#[test]
fn a_worker_that_dies_anywhere_pays_a_boleto_out_at_most_once() {
    live_through_every_death(&boleto, &json!({ "refundPixKey": "ana@example.com" }));
}

#[test]
fn a_worker_that_dies_anywhere_before_a_silent_bank_pays_a_boleto_out_at_most_once() {
    live_through_every_death(&boleto, &json!({ "refundPixKey": "silent@example.com" }));
}
