//! What an acquirer reports by itself: notices, and what it owes.

use std::time::Duration;

use serde_json::{Value, json};

use super::acquirer::{Acquirer, DIFFERENCES, SLOW, refund};
use super::card_scene::HALF_AN_HOUR;
use super::{administrator, available, real, status};
use crate::harness::TestApp;
use crate::harness::receiver::{Delivery, Receiver};
use crate::harness::shop::Shop;

pub const DAY: Duration = Duration::from_hours(24);
const SIGNATURE: &str = "x-webhook-asymmetric-signature";

async fn differences(test: &TestApp) -> Vec<Value> {
    administrator(test).await.list(&format!("{DIFFERENCES}?status=OPEN")).await
}

#[story::test]
async fn an_unsigned_notice_is_a_question_and_a_wrongly_signed_one_is_refused(
    test: &TestApp,
    shop: Shop,
    receiver: Receiver,
) {
    let acquirer = Acquirer::routed(test).await;
    let (charge, theirs) = acquirer.open(&shop, SLOW).await;
    acquirer.notify(&test.anyone(), &theirs).await.expect(200);
    test.run_jobs().await;
    assert_eq!(status(&shop, &charge).await, "PROCESSING");
    acquirer.at("/__settings", json!({ "pagarme_webhook": receiver.url })).await;
    for (signature, expected) in [("wrong", 401), ("good", 200)] {
        acquirer.at("/__settings", json!({ "pagarme_signature": signature })).await;
        if signature == "wrong" {
            acquirer.decide(&theirs, json!({})).await;
        } else {
            acquirer.at("/__notify", json!({ "again": 2, "settle": true })).await;
        }
        acquirer.fake.settle().await;
        let sent = receiver.take();
        let of_charge = |sent: &&Delivery| sent.json()["type"] == "charge.paid";
        let last = sent.iter().rfind(of_charge).expect("has arrived");
        let value = last.headers[SIGNATURE].to_str().expect("is text");
        let client = test.anyone().with(SIGNATURE, value);
        let reply = client.post_bytes(&acquirer.door(), last.body.to_vec()).await;
        assert_eq!(reply.status, expected, "{signature}: {}", reply.text);
        test.run_jobs().await;
        let now = if signature == "good" { "PAID" } else { "PROCESSING" };
        assert_eq!(status(&shop, &charge).await, now);
    }
}

#[story::test]
async fn a_forged_notice_books_nothing(test: &TestApp, shop: Shop) {
    let acquirer = Acquirer::routed(test).await;
    let (charge, _) = acquirer.open(&shop, SLOW).await;
    for forged in ["ch_doesnotexist", "../orders", "or_1"] {
        acquirer.notify(&test.anyone(), forged).await.expect(200);
    }
    test.run_jobs().await;
    assert_eq!(status(&shop, &charge).await, "PROCESSING");
    assert_eq!(differences(test).await.len(), 0);
}

#[story::test]
async fn more_that_was_refunded_than_was_ordered_waits_for_an_administrator(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    let sold = acquirer.sell(&shop, json!({})).await;
    refund(&shop, &sold, 1_000).await;
    test.run_jobs().await;
    let theirs = acquirer.newest().await;
    acquirer.notify(&test.anyone(), &theirs).await.expect(200);
    test.run_jobs().await;
    assert_eq!(differences(test).await.len(), 0);
    let more = acquirer.cancel(&theirs, 500).await;
    assert_eq!(more["canceled_amount"], 1_500);
    acquirer.pass(test, HALF_AN_HOUR).await;
    let found = differences(test).await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((&found[0]["kind"], &found[0]["amount"]), (&json!("UNKNOWN_REFUND"), &json!(500)));
}

#[story::test]
async fn what_the_acquirer_owes_is_each_receivable_of_a_charge_in_installments(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    acquirer.sell(&shop, json!({ "installments": 3 })).await;
    acquirer.pass(test, HALF_AN_HOUR).await;
    acquirer.pass(test, DAY).await;
    assert!(acquirer.sent("payables").await.len() > 1);
    assert_eq!(differences(test).await, Vec::<Value>::new());
}

#[story::test]
async fn a_part_owed_later_than_its_receivable_is_shown_to_an_administrator_and_changes_nothing(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    // For the acquirer it is a week later, and so is every part.
    acquirer.pass_there(DAY * 7).await;
    let sold = acquirer.sell(&shop, json!({ "installments": 2, "amountCents": 9_999 })).await;
    let before = available(&shop).await;
    test.run_jobs_after(DAY * 7).await;
    test.run_jobs_after(DAY).await;
    let found = differences(test).await;
    let kinds: Vec<_> = found.iter().map(|found| (&found["kind"], &found["amount"])).collect();
    let payable = json!("PAYABLE");
    assert_eq!(kinds, [(&payable, &json!(4_999)), (&payable, &json!(5_000))], "{found:?}");
    let details = &found[1]["details"];
    assert_eq!(details["transactionId"], sold["id"]);
    assert_eq!((&details["installment"], &details["expectedAmount"]), (&json!(1), &json!(5_000)));
    assert_ne!(details["dueOn"], details["expectedDueOn"]);
    assert_eq!((available(&shop).await, &*status(&shop, &sold).await), (before, "PAID"));
}

#[story::test]
async fn parts_that_the_acquirer_pays_out_earlier_for_a_fee_are_no_difference(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    acquirer.set(json!({ "pagarme_payables": "anticipated" })).await;
    acquirer.sell(&shop, json!({ "installments": 12 })).await;
    acquirer.pass(test, HALF_AN_HOUR).await;
    acquirer.pass(test, DAY).await;
    assert!(acquirer.sent("payables").await.len() > 1);
    assert_eq!(acquirer.differences(test).await, []);
}

#[story::test]
async fn a_list_that_leads_back_to_the_same_page_is_left_and_shown_to_an_administrator(
    test: &TestApp,
    shop: Shop,
) {
    let (shop, acquirer) = (real(shop).await, Acquirer::routed(test).await);
    acquirer.set(json!({ "pagarme_payables": "looping" })).await;
    let sold = acquirer.sell(&shop, json!({})).await;
    acquirer.pass(test, HALF_AN_HOUR).await;
    let found = acquirer.differences(test).await;
    assert!(!found.is_empty() && found.iter().all(|(kind, _)| kind == "ENDLESS_LIST"), "{found:?}");
    acquirer.set(json!({ "pagarme_payables": "plain" })).await;
    acquirer.dispute(&acquirer.newest().await, json!({})).await;
    acquirer.pass(test, HALF_AN_HOUR).await;
    // What was due by then is of the next list.
    acquirer.pass(test, HALF_AN_HOUR).await;
    assert_eq!(status(&shop, &sold).await, "DISPUTED");
}
