//! A true message is taken in or asked for again; it is never refused as if the bank were wrong.

use std::future::ready;
use std::io;
use std::pin::pin;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use db::database::Dialect;
use futures_util::future::{Either, join_all, select};
use futures_util::stream::{self, StreamExt};
use serde_json::json;
use tostao::platform::secrets::{Purpose, Secrets};

use super::{confirm, confirm_pix, pix, txid};
use crate::harness::TestApp;
use crate::harness::database::SECRET;
use crate::harness::engine::Engine;
use crate::harness::shop::Shop;

const AT_ONCE: u8 = 64;

/// Holds the payments, and what every payment of a merchant has to change, until it is asked to let
/// go.
async fn hold(test: &TestApp) -> Engine {
    let engine = Engine::open(test).await;
    let statements: &[&str] = match engine.dialect() {
        Dialect::Sqlite => &["begin immediate"],
        Dialect::Postgres => &[
            "begin",
            "select id::text from transactions for update",
            "select code::text from ledger_accounts for update",
        ],
    };
    for statement in statements {
        engine.rows(statement).await;
    }
    engine
}

#[story::test]
async fn many_concurrent_payments_of_one_charge_are_each_recorded(test: &TestApp, shop: Shop) {
    let charge = shop.charge(1_000).await;
    let receipt = |number| pix(txid(&charge), number, 1_000, test.app.now());
    let reported = (0..AT_ONCE).map(|number| confirm_pix(test, vec![receipt(number)]));
    let answers = join_all(reported).await;
    let other: Vec<_> = answers.iter().filter(|answer| answer.status != 200).collect();
    assert!(other.is_empty(), "{} of {AT_ONCE}: {:?}", other.len(), other.first());
    assert_eq!(shop.transaction(&charge).await["status"], "PAID");
    assert_eq!(shop.unmatched(&charge).await.len(), usize::from(AT_ONCE) - 1);
    assert_eq!(shop.available().await, 1_000);
}

#[story::test]
async fn one_payment_confirmed_many_times_at_once_is_counted_once(test: &TestApp, shop: Shop) {
    let charge = shop.charge(1_000).await;
    let receipt = pix(txid(&charge), 1, 1_000, test.app.now());
    for reply in join_all((0..AT_ONCE).map(|_| confirm_pix(test, vec![receipt.clone()]))).await {
        reply.expect(200);
    }
    assert_eq!(shop.unmatched(&charge).await.len(), 0);
    assert_eq!(shop.available().await, 1_000);
}

#[story::test]
async fn a_payment_that_cannot_be_taken_in_now_is_asked_for_again(test: &TestApp, shop: Shop) {
    shop.earn(1).await;
    let charge = shop.charge(1_000).await;
    let receipt = pix(txid(&charge), 1, 1_000, test.app.now());
    let engine = hold(test).await;
    let held = confirm_pix(test, vec![receipt.clone()]).await;
    engine.rows("rollback").await;
    held.expect_refusal(503, "UNAVAILABLE");
    assert!(held.header("retry-after").is_some());
    assert_eq!(shop.transaction(&charge).await["status"], "PENDING");
    confirm_pix(test, vec![receipt]).await.expect(200);
    assert_eq!(shop.available().await, 1_001);
}

#[story::test]
async fn a_payment_that_is_reported_again_waits_for_no_writer(test: &TestApp, shop: Shop) {
    shop.earn(1).await;
    let charge = shop.charge(1_000).await;
    let receipt = pix(txid(&charge), 1, 1_000, test.app.now());
    confirm_pix(test, vec![receipt.clone()]).await.expect(200);
    let engine = hold(test).await;
    let again = confirm_pix(test, vec![receipt]).await;
    engine.rows("rollback").await;
    again.expect(200);
    assert_eq!(shop.unmatched(&charge).await.len(), 0);
    assert_eq!(shop.available().await, 1_001);
}

#[story::test]
async fn an_authentic_unreadable_message_is_requested_again(test: &TestApp) {
    let secrets = Secrets::derive(SECRET);
    let table = [
        ("pix", Purpose::SandboxBank, json!({ "pix": { "valor": "-1" } })),
        ("boleto", Purpose::SandboxBank, json!({ "boletos": "none" })),
        ("payouts", Purpose::SandboxPayouts, json!({ "envio": [{ "status": "NEW" }] })),
    ];
    for (door, purpose, message) in table {
        let body = message.to_string();
        let signature = STANDARD.encode(secrets.sign(purpose, body.as_bytes()));
        confirm(test, door, &signature, body.clone()).await.expect_refusal(503, "UNAVAILABLE");
        confirm(test, door, "bm90IHRoZSBiYW5r", body).await.expect_refusal(401, "UNAUTHORIZED");
    }
}

#[story::test]
async fn slow_senders_keep_no_bank_waiting(test: &TestApp, shop: Shop) {
    let charge = shop.charge(1_000).await;
    let slow = |address: &str, bytes: usize| {
        let (sender, sent) = (test.anyone().from(address), Ok(vec![b' '; bytes]));
        let body = stream::once(ready(sent)).chain(stream::pending());
        async move { sender.post_stream("/providers/sandbox/pix", body).await }
    };
    let one = (0..20).map(|_| slow("203.0.113.9", 65 * 1024));
    let many: Vec<_> = (0..20).map(|number| slow(&format!("198.51.100.{number}"), 1)).collect();
    let receipt = pix(txid(&charge), 1, 1_000, test.app.now());
    let (_, body) = test.app.providers.sandbox().confirmation(&[receipt]);
    // Long and quickly done: the slow ones are cut off by the wall clock.
    let body = format!("{}{}", String::from_utf8_lossy(&body), " ".repeat(100 * 1024));
    let secrets = Secrets::derive(SECRET);
    let signature = STANDARD.encode(secrets.sign(Purpose::SandboxBank, body.as_bytes()));
    let bank = confirm(test, "pix", &signature, body);
    match select(pin!(join_all(one.chain(many))), pin!(bank)).await {
        Either::Left(_) => panic!("the slow ones ended first"),
        Either::Right((reply, _)) => reply.expect(200),
    };
    assert_eq!(shop.available().await, 1_000);
    let unknown = test.anyone().post_stream("/providers/x/pix", stream::pending()).await;
    unknown.expect_refusal(404, "NOT_FOUND");
}

#[story::test]
async fn a_message_that_arrives_in_part_is_requested_again(test: &TestApp) {
    let parts = [Ok(b"{".to_vec()), Err(io::Error::other("the line is dead"))];
    let reply = test.anyone().post_stream("/providers/sandbox/pix", stream::iter(parts)).await;
    reply.expect_refusal(503, "UNAVAILABLE");
}
