//! How money goes back: by each method, refused, late, and with an unknown result.

use std::time::Duration;

use sandbox::fault_injection::{Operation, Outage};
use sandbox::refunds::Outcome;
use sandbox::test_cards::Scenario;
use serde_json::{Value, json};
use tostao::platform::ids::Mode;
use tostao::transactions::refunds::unresolved;

use super::{held, refund, refund_statuses, try_refund};
use crate::harness::TestApp;
use crate::harness::crashes::{at_every_wait, overtake_at_wait};
use crate::harness::engine::Engine;
use crate::harness::shop::{Shop, id};
use crate::harness::story;
use crate::methods::{balance, days_pass};
use crate::sandbox::sell_by_card;
use crate::withdrawals::bank::{PAID_AS, call};

const REFUNDING: i64 = 2200;

async fn boleto(shop: &Shop) -> Value {
    shop.pay(&shop.boleto(1_000).await).await
}

/// How often a bank was sent anything.
async fn count(test: &TestApp, what: &str) -> String {
    let sql = format!("select cast(count(*) as text) from {what}");
    Engine::open(test).await.rows(&sql).await[0][0].clone()
}

async fn minutes_pass(test: &TestApp, minutes: u64) {
    for _ in 0..minutes {
        test.run_jobs_after(Duration::from_mins(1)).await;
    }
}

#[story::test]
async fn a_card_gets_its_money_back_and_the_balance_what_is_left(test: &TestApp, shop: Shop) {
    let charge = sell_by_card(test, &shop, Scenario::Approves, 1_000, 1).await;
    refund(&shop, &charge, json!({ "amountCents": 300 })).await;
    test.run_jobs().await;
    assert_eq!(refund_statuses(&shop, &charge).await, ["COMPLETED"]);
    assert_eq!(balance(&shop).await, (json!(0), json!(700)));
    days_pass(&shop, 31).await;
    assert_eq!(balance(&shop).await, (json!(700), json!(0)));
}

#[story::test]
async fn a_boleto_paid_by_its_barcode_is_paid_out_to_a_key(test: &TestApp, shop: Shop) {
    let boleto = boleto(&shop).await;
    let key = json!({ "refundPixKey": "529.982.247-25" });
    refund(&shop, &boleto, key).await;
    test.run_jobs().await;
    assert_eq!(refund_statuses(&shop, &boleto).await, ["COMPLETED"]);
    assert_eq!(shop.transaction(&boleto).await["status"], "REFUNDED");
    assert_eq!(balance(&shop).await, (json!(0), json!(0)));
    assert_eq!(count(test, "sandbox_payouts where orders = 1").await, "1");
    days_pass(&shop, 3).await;
    assert_eq!(balance(&shop).await, (json!(0), json!(0)));
}

#[test]
fn a_payout_ends_as_its_bank_says() {
    let table = [
        ("key-not-found@example.com", 0, "FAILED key_not_found", 1_000),
        ("account-closed@example.com", 0, "FAILED account_closed", 1_000),
        ("twice@example.com", 0, "COMPLETED", 0),
        ("silent@example.com", 2, "COMPLETED", 0),
        ("slow@example.com", 2, "COMPLETED", 0),
        ("lost@example.com", 2, "PENDING", 0),
    ];
    for (key, minutes, end, pending) in table {
        story(async |test| {
            let shop = test.shop("Loja").await;
            let boleto = boleto(&shop).await;
            refund(&shop, &boleto, json!({ "refundPixKey": key })).await;
            test.run_jobs().await;
            minutes_pass(test, minutes).await;
            assert_eq!(refund_statuses(&shop, &boleto).await, [end], "{key}");
            assert_eq!(balance(&shop).await, (json!(0), json!(pending)), "{key}");
            let orders = count(test, "sandbox_payouts where orders > 1").await;
            assert_eq!(orders, "0", "{key}");
        });
    }
}

#[story::test]
async fn a_return_id_completes_one_refund_or_return(test: &TestApp, shop: Shop) {
    let charge = shop.charge(1_000).await;
    let more = json!({ "outcome": "PAID", "paidAmountCents": 1_200 });
    let charge = shop.simulate(&charge, more).await;
    let paid_as = charge["pix"]["endToEndId"].as_str().expect("is paid");
    refund(&shop, &charge, json!({ "amountCents": 300 })).await;
    test.run_jobs().await;
    assert_eq!(refund_statuses(&shop, &charge).await, ["COMPLETED"]);

    let sandbox = test.app.providers.sandbox();
    sandbox.arm_refund(paid_as, Outcome::Late).await.expect("is armed");
    refund(&shop, &charge, json!({ "amountCents": 400 })).await;
    test.run_jobs().await;
    sandbox.arm_refund(paid_as, Outcome::Late).await.expect("is armed");
    let money = shop.unmatched(&charge).await.remove(0);
    let path = format!("/api/v1/transactions/{}/unmatched/{}/return", id(&charge), id(&money));
    shop.key.post(&path, json!({})).await.expect(200);
    test.run_jobs().await;

    let bank = Engine::open(test).await;
    let first = "select rail_id from sandbox_refunds where amount_cents = 300";
    let first = bank.rows(first).await.remove(0).remove(0);
    let own = "'D' || cast(amount_cents as text)";
    let table = [(format!("'{first}'"), "PENDING", 1, 600), (own.to_owned(), "COMPLETED", 0, 0)];
    for (rail_id, status, returning, refunding) in table {
        let changed = format!(
            "update sandbox_refunds set rail_id = {rail_id} where amount_cents in (400, 200)"
        );
        bank.rows(&changed).await;
        test.run_jobs_after(Duration::from_hours(1)).await;
        assert_eq!(refund_statuses(&shop, &charge).await, ["COMPLETED", status]);
        assert_eq!(shop.unmatched(&charge).await.len(), returning);
        assert_eq!(held(test, REFUNDING).await, refunding);
    }
    assert_eq!(shop.transaction(&charge).await["refundedAmount"], 700);
}

#[story::test]
async fn a_payout_that_never_arrived_is_given_up_after_a_day(test: &TestApp, shop: Shop) {
    let boleto = boleto(&shop).await;
    refund(&shop, &boleto, json!({ "refundPixKey": "lost@example.com" })).await;
    test.run_jobs().await;
    test.run_jobs_after(Duration::from_hours(23)).await;
    assert_eq!(refund_statuses(&shop, &boleto).await, ["PENDING"]);
    test.run_jobs_after(Duration::from_hours(2)).await;
    assert_eq!(refund_statuses(&shop, &boleto).await, ["FAILED rail_timeout"]);
    assert_eq!(balance(&shop).await, (json!(0), json!(1_000)));
}

#[story::test]
async fn a_bank_that_says_meanwhile_that_it_has_an_order_is_believed(test: &TestApp, shop: Shop) {
    let mut believed = 0;
    at_every_wait(async |number| {
        let boleto = boleto(&shop).await;
        let lost = refund(&shop, &boleto, json!({ "refundPixKey": "lost@example.com" })).await;
        test.run_jobs().await;
        test.pass(Duration::from_hours(25));
        let mut meanwhile = Vec::new();
        let overtaken = overtake_at_wait(test, number, async {
            call(test, &lost, json!({ "status": "EM_PROCESSAMENTO" })).await.expect(200);
            meanwhile = refund_statuses(&shop, &boleto).await;
        });
        let overtaken = Box::pin(overtaken).await;
        assert_eq!(refund_statuses(&shop, &boleto).await, meanwhile, "at wait {number}");
        if meanwhile == ["PENDING"] {
            believed += 1;
            let paid_as = format!("{}{number:03}", &PAID_AS[..29]);
            let paid = json!({ "status": "REALIZADO", "endToEndId": paid_as });
            call(test, &lost, paid).await.expect(200);
            assert_eq!(refund_statuses(&shop, &boleto).await, ["COMPLETED"]);
        }
        overtaken
    })
    .await;
    assert!(believed > 0, "the bank came too late");
}

#[story::test]
async fn a_refused_refund_leaves_the_money_where_it_was(test: &TestApp, shop: Shop) {
    let card = sell_by_card(test, &shop, Scenario::RefusesRefunds, 1_000, 1).await;
    shop.earn(400).await;
    refund(&shop, &card, json!({ "amountCents": 900 })).await;
    // 400 of what is available and 500 of what the card will bring.
    assert_eq!((balance(&shop).await, held(test, 2200).await), ((json!(0), json!(500)), 900));
    test.run_jobs().await;
    assert_eq!(refund_statuses(&shop, &card).await, ["FAILED refused_by_issuer"]);
    let charge = shop.transaction(&card).await;
    assert_eq!((&charge["status"], &charge["refundedAmount"]), (&json!("PAID"), &json!(0)));
    assert_eq!((balance(&shop).await, held(test, 2200).await), ((json!(400), json!(1_000)), 0));
    days_pass(&shop, 31).await;
    assert_eq!(balance(&shop).await, (json!(1_400), json!(0)));
}

#[story::test]
async fn a_simulated_refusal_strikes_what_is_under_way_or_comes_next(test: &TestApp, shop: Shop) {
    for charge in
        [shop.sell(1_000).await, sell_by_card(test, &shop, Scenario::Approves, 1_000, 1).await]
    {
        let before = balance(&shop).await;
        shop.simulate(&charge, json!({ "outcome": "REFUND_FAILED" })).await;
        refund(&shop, &charge, json!({})).await;
        test.run_jobs().await;
        assert_eq!(refund_statuses(&shop, &charge).await, ["FAILED refused_by_issuer"]);
        assert_eq!(balance(&shop).await, before);
        let names = shop.events().await;
        let reported = ["transaction.updated", "balance.updated"];
        assert_eq!(names[names.len() - 2..], reported);
        // It held for one.
        refund(&shop, &charge, json!({})).await;
        test.run_jobs().await;
        assert_eq!(shop.transaction(&charge).await["status"], "REFUNDED");
    }
    shop.earn(1_000).await;
    let late = sell_by_card(test, &shop, Scenario::RefundsLate, 1_000, 1).await;
    refund(&shop, &late, json!({ "amountCents": 600 })).await;
    test.run_jobs().await;
    assert_eq!(refund_statuses(&shop, &late).await, ["PENDING"]);
    shop.simulate(&late, json!({ "outcome": "REFUND_FAILED" })).await;
    minutes_pass(test, 2).await;
    assert_eq!(refund_statuses(&shop, &late).await, ["FAILED refused_by_issuer"]);
    refund(&shop, &late, json!({})).await;
    minutes_pass(test, 3).await;
    assert_eq!(shop.transaction(&late).await["status"], "REFUNDED");
}

#[story::test]
async fn a_late_refund_is_asked_about_until_it_is_done(test: &TestApp, shop: Shop) {
    let card = sell_by_card(test, &shop, Scenario::RefundsLate, 1_000, 1).await;
    let pix = shop.sell(1_000).await;
    let name = pix["pix"]["endToEndId"].as_str().expect("has one");
    test.app.providers.sandbox().arm_refund(name, Outcome::Late).await.expect("is armed");
    for charge in [&pix, &card] {
        refund(&shop, charge, json!({})).await;
        test.run_jobs().await;
        assert_eq!(refund_statuses(&shop, charge).await, ["PENDING"]);
        assert_eq!(shop.transaction(charge).await["status"], "PAID");
    }
    minutes_pass(test, 3).await;
    for charge in [&pix, &card] {
        assert_eq!(refund_statuses(&shop, charge).await, ["COMPLETED"]);
    }
    assert_eq!(count(test, "sandbox_refunds").await, "2");
    assert_eq!((balance(&shop).await, held(test, 2200).await), ((json!(0), json!(0)), 0));
}

#[story::test]
async fn the_provider_that_a_refund_names_is_asked_whichever_is_configured_now(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let charges = [
        shop.sell(1_000).await,
        sell_by_card(test, &shop, Scenario::Approves, 1_000, 1).await,
        boleto(&shop).await,
    ];
    for charge in &charges {
        refund(&shop, charge, json!({ "refundPixKey": "slow@example.com" })).await;
    }
    let engine = Engine::open(test).await;
    let named = "select distinct provider from refunds";
    assert_eq!(engine.rows(named).await, [["sandbox"]]);
    engine.rows("update refunds set provider = 'another'").await;
    test.run_jobs().await;
    minutes_pass(test, 5).await;
    assert_eq!(count(test, "sandbox_refunds").await, "0");
    assert_eq!(count(test, "sandbox_payouts").await, "0");
    engine.rows("update refunds set provider = 'sandbox'").await;
    minutes_pass(test, 20).await;
    for charge in &charges {
        assert_eq!(refund_statuses(&shop, charge).await, ["COMPLETED"]);
    }
}

#[story::test]
async fn a_bank_reports_only_on_its_own_payouts(test: &TestApp, shop: Shop) {
    let boleto = boleto(&shop).await;
    refund(&shop, &boleto, json!({ "refundPixKey": "slow@example.com" })).await;
    test.run_jobs().await;
    let engine = Engine::open(test).await;
    engine.rows("update refunds set provider = 'another'").await;
    minutes_pass(test, 3).await;
    assert_eq!(count(test, "sandbox_payouts where settled").await, "1");
    assert_eq!(refund_statuses(&shop, &boleto).await, ["PENDING"]);
}

#[story::test]
async fn orders_without_an_end_are_counted_with_how_long_the_oldest_has_waited(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let (charge, boleto) = (shop.sell(1_000).await, boleto(&shop).await);
    let waits = async || {
        let waits = test.app.scan(async |tx| {
            assert_eq!(unresolved(tx, Mode::Production).await?.count, 0);
            let waiting = unresolved(tx, Mode::Development).await?;
            Ok((waiting.count, waiting.longest))
        });
        waits.await.expect("is read")
    };
    refund(&shop, &charge, json!({})).await;
    test.run_jobs().await;
    assert_eq!(waits().await, (0, Duration::ZERO));
    refund(&shop, &boleto, json!({ "refundPixKey": "lost@example.com" })).await;
    assert_eq!(waits().await, (0, Duration::ZERO));
    test.run_jobs().await;
    minutes_pass(test, 7).await;
    assert_eq!(waits().await, (1, Duration::from_mins(7)));
    days_pass(&shop, 2).await;
    assert_eq!(refund_statuses(&shop, &boleto).await, ["FAILED rail_timeout"]);
    assert_eq!(waits().await, (0, Duration::ZERO));
}

#[test]
fn an_answer_that_was_lost_is_asked_for_and_nothing_goes_back_twice() {
    for outage in [Outage::LosesTheAnswer, Outage::NeverArrives] {
        story(async |test| {
            let shop = test.shop("Loja").await;
            let sandbox = test.app.providers.sandbox();
            let mut charges = vec![shop.sell(1_000).await];
            charges.push(sell_by_card(test, &shop, Scenario::Approves, 1_000, 1).await);
            for charge in &charges {
                sandbox.fail_next(Operation::Refund, outage);
                sandbox.fail_next(Operation::Find, Outage::NeverArrives);
                refund(&shop, charge, json!({})).await;
                test.run_jobs().await;
                assert_eq!(refund_statuses(&shop, charge).await, ["PENDING"], "{outage:?}");
                minutes_pass(test, 2).await;
                assert_eq!(refund_statuses(&shop, charge).await, ["COMPLETED"], "{outage:?}");
            }
            assert_eq!(count(test, "sandbox_refunds").await, "2", "{outage:?}");
        });
    }
}

#[story::test]
async fn a_provider_that_says_no_is_believed_unless_an_order_may_be_on_its_way(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let sandbox = test.app.providers.sandbox();
    let charge = shop.sell(1_000).await;
    sandbox.fail_next(Operation::Refund, Outage::Refuses);
    refund(&shop, &charge, json!({ "amountCents": 500 })).await;
    test.run_jobs().await;
    assert_eq!(refund_statuses(&shop, &charge).await, ["FAILED refused_by_provider"]);
    sandbox.fail_next(Operation::Refund, Outage::NeverArrives);
    sandbox.fail_next(Operation::Refund, Outage::Refuses);
    refund(&shop, &charge, json!({})).await;
    test.run_jobs().await;
    minutes_pass(test, 1).await;
    assert_eq!(refund_statuses(&shop, &charge).await[1], "PENDING");
    minutes_pass(test, 1).await;
    assert_eq!(refund_statuses(&shop, &charge).await[1], "COMPLETED");
    try_refund(&shop, &charge, json!({})).await.expect_refusal(409, "INVALID_STATE_TRANSITION");
}
