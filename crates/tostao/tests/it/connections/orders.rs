//! Money that goes out: refunds and payouts.

use std::time::Duration;

use brazil::pix_key::{PixKey, PixKeyType};
use ledger::cents::Cents;
use rails::payout::PayoutRequest;
use serde_json::{Value, json};
use uuid::Uuid;

use super::scene::pass_in;
use super::{Bank, administrator, available, charge, inter, real, status};
use crate::dashboard::{Browser, EMAIL};
use crate::harness::TestApp;
use crate::harness::receiver::Receiver;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, id};
use crate::payout_keys;
use crate::second_step::Device;

/// A charge that was paid.
pub async fn paid(test: &TestApp, bank: &Bank, shop: &Shop, cents: i64) -> (Value, String) {
    let charge = charge(shop, cents).await;
    let paid = bank.pays(&charge, json!({})).await;
    bank.notify(test, &paid).await.expect(200);
    test.run_jobs().await;
    assert_eq!(status(shop, &charge).await, "PAID");
    (charge, paid)
}

/// Has a withdrawal approved, and nothing sent yet; returns its path.
pub async fn approved(test: &TestApp, shop: &Shop, cents: i64) -> String {
    let wanted =
        json!({ "amountCents": cents, "pixKey": "ana@example.com", "pixKeyType": "email" });
    let asked = shop.owner.post("/api/withdraws", wanted).await.expect(201);
    let path = format!("/api/withdraws/{}", id(&asked["data"]));
    let admin = administrator(test).await;
    admin.post(&format!("{path}/process"), json!({})).await.expect(200);
    path
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
    let path = approved(test, &shop, 5_000).await;
    test.run_jobs().await;
    pass_in(test, &bank, 5, Duration::from_mins(10)).await;
    let now = shop.owner.get(&path).await.expect(200)["data"].clone();
    assert_eq!(now["status"], "COMPLETED", "{now}");
    assert_eq!(available(&shop).await, 5_000);
}

#[story::test]
async fn an_approved_withdrawal_whose_order_certainly_was_not_sent_can_be_rejected(
    test: &TestApp,
    shop: Shop,
) {
    let (bank, shop) = (Bank::routed(test).await, real(shop).await);
    paid(test, &bank, &shop, 10_000).await;
    bank.fault("payout.create", json!({ "fault": "too_many", "times": 2 })).await;
    let process = format!("{}/process", approved(test, &shop, 5_000).await);
    let reject = json!({ "action": "reject", "failureReason": "O banco não responde." });
    // It may be on its way for all that is known.
    bank.admin.post(&process, reject.clone()).await.expect(409);
    test.run_jobs().await;
    let rejected = bank.admin.post(&process, reject).await.expect(200);
    assert_eq!(rejected["data"]["status"], "FAILED");
    assert_eq!(available(&shop).await, 10_000);
    test.run_jobs_after(Duration::from_mins(1)).await;
    assert_eq!(bank.calls("payout.create").await, 1);
    test.prove_books().await;
}

#[story::test]
async fn a_payout_that_its_bank_names_by_a_code_of_its_own_is_unknown_only_after_a_minute(
    test: &TestApp,
) {
    let bank = inter(test).await;
    bank.at("/__balance", json!({ "dialect": "inter", "cents": 1_000 })).await;
    let registry = test.app.providers.registry();
    let payouts = registry.named("inter-main").expect("is connected").connected.payout.clone();
    let order = PayoutRequest {
        reference: "0123456789abcdef0123456789abcdef".to_owned(),
        amount: Cents::new(700),
        key: PixKey::parse(PixKeyType::Email, "ana@example.com").expect("is a key"),
        holder: None,
        description: None,
        test_clock: None,
    };
    let sent = payouts.expect("pays out").send(&order).await.expect("is sent");
    let notice = json!([{ "codigoSolicitacao": sent.bank_code, "status": "PAGO" }]);
    test.anyone().post(&bank.door(), notice).await.expect(200);
    test.run_jobs().await;
    assert_eq!(bank.admin.list("/api/admin/reconciliation").await.len(), 0);
    for _ in 0..6 {
        test.run_jobs_after(Duration::from_secs(40)).await;
    }
    let found = bank.admin.list("/api/admin/reconciliation").await;
    assert_eq!((found.len(), &found[0]["kind"]), (1, &json!("UNKNOWN_PAYOUT")));
    assert_eq!(found[0]["reference"], json!(sent.bank_code));
}

/// A withdrawal of which a part came back after it was paid, in two pieces.
pub async fn returned(test: &TestApp, bank: &Bank, shop: &Shop, receiver: &Receiver) -> Value {
    bank.register(test, &receiver.url).await;
    bank.at("/__balance", json!({ "dialect": "efi", "cents": 100_000 })).await;
    paid(test, bank, shop, 10_000).await;
    bank.at("/__payout", json!({ "outcome": "return", "parts_cents": [1_000, 500] })).await;
    let path = approved(test, shop, 5_000).await;
    test.run_jobs().await;
    pass_in(test, bank, 5, Duration::from_mins(10)).await;
    shop.owner.get(&path).await.expect(200)["data"].clone()
}

#[story::test]
async fn money_of_a_paid_withdrawal_that_comes_back_in_parts_is_the_merchants_again(
    test: &TestApp,
    shop: Shop,
    receiver: Receiver,
) {
    let (bank, shop) = (Bank::routed(test).await, real(shop).await);
    let now = returned(test, &bank, &shop, &receiver).await;
    assert_eq!((&now["status"], &now["returnedAmount"]), (&json!("COMPLETED"), &json!(1_500)));
    assert_eq!(available(&shop).await, 6_500);
    let browser = Browser::signed_in(test, EMAIL).await;
    let balance = browser.page("/dashboard/prod/balance").await;
    let list = "/dashboard/prod/balance/withdrawals?status=COMPLETED";
    let withdrawn = format!("href=\"{list}\"><span class=\"money\">R$\u{a0}50,00</span>");
    assert!(balance.says(&withdrawn), "{}", balance.text);
    for page in [balance, browser.page(list).await] {
        assert!(page.says("R$\u{a0}15,00 voltaram do banco"), "{}", page.text);
    }
    let admin = administrator(test).await;
    assert_eq!(admin.list("/api/admin/reconciliation").await.len(), 0);
    test.prove_books().await;
}

#[story::test]
async fn a_withdrawal_repeated_by_the_bodys_key_asks_for_no_code_and_no_bank(
    test: &TestApp,
    shop: Shop,
) {
    let bank = Bank::routed(test).await;
    let keyed = real(shop.clone()).await;
    paid(test, &bank, &keyed, 10_000).await;
    let payee = payout_keys::add(&shop.owner, "ana@example.com").await;
    payout_keys::make_usable(test).await;
    Device::enrolled(test, &shop.owner).await;
    let wanted = |key: &str, cents: i64| {
        json!({
            "amountCents": cents, "pixKey": "ana@example.com", "pixKeyType": "email",
            "idempotencyKey": key,
        })
    };
    let ask = async |body: Value| shop.owner.post("/api/withdraws", body).await;
    let (key, other) = (Uuid::from_u128(1).to_string(), Uuid::from_u128(2).to_string());
    let first = ask(wanted(&key, 5_000)).await.expect(201);
    shop.owner.delete(&format!("/api/payout-keys/{}", id(&payee))).await.expect(200);
    test.pass(Duration::from_mins(10));
    ask(wanted(&other, 1_000)).await.expect_refusal(403, "ELEVATION_REQUIRED");
    assert_eq!(ask(wanted(&key, 5_000)).await.expect(200)["data"], first["data"]);
    // The header repeats the same key, which it has not stored.
    let header = shop.owner.with("idempotency-key", &key);
    let again = header.post("/api/withdraws", wanted(&key, 5_000)).await;
    assert_eq!(again.expect(200)["data"], first["data"]);
    let another = ask(wanted(&key, 5_001)).await;
    another.expect_refusal(422, "IDEMPOTENCY_KEY_REUSED");
    bank.admin.delete("/api/admin/connection-routes/payout").await.expect(200);
    assert_eq!(ask(wanted(&key, 5_000)).await.expect(200)["data"], first["data"]);
    let refused = keyed.owner.post("/api/withdraws", wanted(&other, 1_000)).await;
    assert_eq!(refused.status, 503, "{}", refused.text);
    assert_eq!(available(&keyed).await, 5_000);
}
