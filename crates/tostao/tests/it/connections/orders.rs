//! Money that goes out: refunds and payouts.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Bank, available, charge, real, status};
use crate::harness::TestApp;
use crate::harness::receiver::Receiver;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, id};

/// A charge that was paid.
pub async fn paid(test: &TestApp, bank: &Bank, shop: &Shop, cents: i64) -> (Value, String) {
    let charge = charge(shop, cents).await;
    let paid = bank.pays(&charge, json!({})).await;
    bank.notify(test, &paid).await.expect(200);
    test.run_jobs().await;
    assert_eq!(status(shop, &charge).await, "PAID");
    (charge, paid)
}

async fn refund(shop: &Shop, charge: &Value, cents: i64) -> Reply {
    let path = format!("/api/v1/transactions/{}/refund", id(charge));
    shop.owner.post(&path, json!({ "amountCents": cents, "reason": "Devolvido." })).await
}

#[story::test]
async fn a_refund_goes_back_by_the_bank_that_received_the_payment_once(test: &TestApp, shop: Shop) {
    let bank = Bank::routed(test).await;
    let (charge, _) = paid(test, &bank, &shop, 1_000).await;
    bank.fault("refund.create", json!({ "fault": "cut_after", "times": 1 })).await;
    refund(&shop, &charge, 400).await.expect(201);
    test.run_jobs().await;
    test.run_jobs_after(Duration::from_mins(1)).await;
    let refunds = shop.owner.list(&format!("/api/v1/transactions/{}/refunds", id(&charge))).await;
    assert_eq!(refunds[0]["status"], "COMPLETED");
    assert_eq!(available(&shop).await, 600);
    let state = bank.fake.admin("GET", "/__state", &Value::Null).await.expect("answers").1;
    let refunds = &state["efi"]["pix"]["charges"][0]["pix"][0]["devolucoes"];
    assert_eq!(refunds.as_array().map(Vec::len), Some(1), "{refunds}");
}

#[story::test]
async fn a_withdrawal_is_paid_by_the_bank_once_whatever_becomes_of_the_answer(
    test: &TestApp,
    shop: Shop,
    receiver: Receiver,
) {
    let (bank, shop) = (Bank::routed(test).await, real(shop).await);
    // Efí pays from no key without an address for notices, which it tries.
    bank.register(test, &receiver.url).await;
    bank.at("/__balance", json!({ "dialect": "efi", "cents": 100_000 })).await;
    paid(test, &bank, &shop, 10_000).await;
    bank.fault("payout.create", json!({ "fault": "no_answer", "times": 1 })).await;
    let wanted =
        json!({ "amountCents": 5_000, "pixKey": "ana@example.com", "pixKeyType": "email" });
    let withdrawal = shop.owner.post("/api/withdraws", wanted).await.expect(201)["data"].clone();
    let path = format!("/api/withdraws/{}", id(&withdrawal));
    bank.admin.post(&format!("{path}/process"), json!({})).await.expect(200);
    test.run_jobs().await;
    for _ in 0..5 {
        bank.at("/__clock", json!({ "advance_seconds": 600 })).await;
        test.run_jobs_after(Duration::from_mins(10)).await;
    }
    let now = shop.owner.get(&path).await.expect(200)["data"].clone();
    assert_eq!(now["status"], "COMPLETED", "{now}");
    assert_eq!(available(&shop).await, 5_000);
}
