//! Boletos of which a bank reports one of several payments, and PIX that may be theirs.

use std::time::Duration;

use ledger::cents::Cents;
use rails::boleto::Covers;
use serde_json::{Value, json};
use tostao::transactions::boletos::charge_reference;
use tostao::transactions::callback_api::receive_payment;
use tostao::transactions::incoming_payment::{IncomingPayment, Rail};
use tostao::transactions::receive::{ChargeReference, Received};

use super::boleto_scene::{BoletoScene, Profile};
use super::scene::pass_in;
use super::{KEY, administrator, read, status};
use crate::harness::TestApp;
use crate::harness::reply::Reply;
use crate::harness::shop::id;

/// Has a report of a bank booked for a charge.
pub async fn report(
    test: &TestApp,
    (name, charge): (&str, fn(&str) -> ChargeReference<'_>),
    incoming: IncomingPayment,
) -> Received {
    let bank = "efi-main".into();
    let received = receive_payment(&test.app, &bank, incoming, name.to_owned(), charge);
    received.await.expect("is booked")
}

/// A payment as a bank reports it: by a barcode without an end-to-end id, or by PIX with one.
pub fn payment(test: &TestApp, rail: Rail, payment_id: &str) -> IncomingPayment {
    let (payment_id, amount) = (payment_id.to_owned(), Cents::new(10_000));
    IncomingPayment { rail, payment_id, amount, paid_at: test.app.now() }
}

/// A PIX that names no charge: Efí does not say under which txid a boleto's PIX code is paid.
pub async fn nameless_pix(scene: &BoletoScene, cents: i64) -> String {
    let pix = json!({ "dialect": "efi", "key": KEY, "amount_cents": cents });
    scene.bank.at("/__pay", pix).await["e2e"][0].as_str().expect("has an id").to_owned()
}

/// The money that waits for a decision, by its end-to-end id.
pub async fn held(test: &TestApp, end_to_end_id: &str) -> Value {
    let held = administrator(test).await.list("/api/admin/unmatched").await;
    let found = held.into_iter().find(|money| money["paymentId"] == end_to_end_id);
    found.expect("is held")
}

/// Has money returned to its payer, or tries to.
pub async fn send_back(test: &TestApp, money: &Value) -> Reply {
    let path = format!("/api/admin/unmatched/{}/return", id(money));
    administrator(test).await.post(&path, json!({})).await
}

#[story::test]
async fn a_boleto_paid_by_its_barcode_and_by_its_pix_code_is_paid_once_and_the_rest_set_aside(
    test: &TestApp,
) {
    let scene = BoletoScene::open(test, Profile::Efi).await;
    let charge = scene.order().await;
    let txid = charge["pix"]["txid"].as_str().expect("has a txid");
    let number = scene.codes().await.pop().expect("is registered");
    let by_barcode = payment(test, Rail::Boleto, "B1");
    let boleto = (&*number, charge_reference(Covers::Payment));
    assert_eq!(report(test, boleto, by_barcode).await, Received::Paid);
    let by_pix = payment(test, Rail::Pix, "E1");
    let as_pix = report(test, (txid, |txid| ChargeReference::Txid(txid)), by_pix);
    assert_eq!(as_pix.await, Received::SetAside);
    assert_eq!(read(&scene.shop, &charge).await["unmatchedAmount"], 10_000);
}

#[story::test]
async fn a_boleto_whose_bank_reports_its_payments_under_one_id_is_paid_once(test: &TestApp) {
    let scene = BoletoScene::open(test, Profile::Efi).await;
    let charge = scene.order().await;
    scene.happens("boleto", json!({ "times": 2 })).await;
    scene.notify(test).await;
    pass_in(test, &scene.bank, 8, Duration::from_mins(5)).await;
    let now = read(&scene.shop, &charge).await;
    assert_eq!((&now["status"], &now["unmatchedAmount"]), (&json!("PAID"), &json!(0)));
    assert_eq!(scene.pending().await, 10_000);
}

#[story::test]
async fn a_pix_that_may_be_the_money_of_a_paid_boleto_is_not_returned(test: &TestApp) {
    let scene = BoletoScene::open(test, Profile::Efi).await;
    let charge = scene.order().await;
    scene.happens("boleto", json!({})).await;
    scene.notify(test).await;
    let same = nameless_pix(&scene, 10_000).await;
    let other = nameless_pix(&scene, 9_999).await;
    pass_in(test, &scene.bank, 3, Duration::from_mins(6)).await;
    assert_eq!(status(&scene.shop, &charge).await, "PAID");
    assert_eq!(scene.pending().await, 10_000);
    let money = held(test, &same).await;
    let refused = send_back(test, &money).await;
    refused.expect_refusal(409, "INVALID_STATE_TRANSITION");
    assert!(refused.text.contains("A boleto of this amount was paid"), "{}", refused.text);
    assert_eq!(held(test, &same).await, money, "nothing changes");
    send_back(test, &held(test, &other).await).await.expect(200);
    // What comes days later is other money.
    pass_in(test, &scene.bank, 3, Duration::from_hours(9)).await;
    let late = nameless_pix(&scene, 10_000).await;
    pass_in(test, &scene.bank, 3, Duration::from_mins(6)).await;
    send_back(test, &held(test, &late).await).await.expect(200);
    send_back(test, &money).await.expect_refusal(409, "INVALID_STATE_TRANSITION");
    pass_in(test, &scene.bank, 3, Duration::from_mins(6)).await;
    let refunds = [scene.bank.refunds_of(&same).await, scene.bank.refunds_of(&late).await];
    assert_eq!(refunds, [0, 1]);
}
