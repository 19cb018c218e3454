//! What stands in the way of closing an account, and that a refusal changes nothing.

use brazil::pix_key::{PixKey, PixKeyType};
use db::tx::Tx;
use ledger::cents::Cents;
use rails::boleto::{BoletoConfirmation, Covers};
use serde_json::{Value, json};
use tostao::transactions::disputes;
use tostao::transactions::terms::PaymentTerms;
use tostao::withdrawals;
use tostao::withdrawals::validation::NewWithdrawal;

use super::{close, make_real, pay_for_real, real_key, real_scope};
use crate::affiliates::Scene;
use crate::audit::of_all_accounts;
use crate::banks::confirm_boletos;
use crate::harness::TestApp;
use crate::harness::engine::Engine;
use crate::harness::shop::{Shop, id};
use crate::referrals::{code, invited};
use crate::subscriptions::subscribe;

/// Closing is refused for just this, and the account stays unchanged.
async fn refused(test: &TestApp, shop: &Shop, obstacles: Value) {
    let refused = close(&shop.owner).await;
    refused.expect_refusal(409, "ACCOUNT_IN_USE");
    assert_eq!(refused.json()["obstacles"], obstacles);
    shop.owner.get("/api/auth/me").await.expect(200);
    shop.key.get("/api/v1/products").await.expect(200);
    assert!(of_all_accounts(&test.admin().await, "account.closed").await.is_empty());
}

fn money(name: &str, cents: i64) -> Value {
    json!({ "name": name, "amountCents": cents })
}

fn some(name: &str, count: i64) -> Value {
    json!({ "name": name, "count": count })
}

/// A payment of ten reais that was paid with real money.
async fn paid(test: &TestApp, shop: &Shop) -> Value {
    let charge = shop.charge(1_000).await;
    pay_for_real(test, &charge, 1, 1_000).await;
    charge
}

#[story::test]
async fn money_keeps_an_account_open(test: &TestApp, shop: Shop) {
    paid(test, &shop).await;
    refused(test, &shop, json!([money("availableBalance", 1_000)])).await;
}

#[story::test]
async fn a_payment_that_can_still_be_paid_keeps_an_account_open_until_it_ends(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let charge = shop.charge(1_000).await;
    make_real(test).await;
    refused(test, &shop, json!([some("openPayments", 1)])).await;
    let cancel = format!("/api/v1/transactions/{}/cancel", id(&charge));
    real_key(&shop).await.post(&cancel, json!({})).await.expect(200);
    close(&shop.owner).await.expect(200);
}

#[story::test]
async fn money_that_was_set_aside_keeps_an_account_open(test: &TestApp, shop: Shop) {
    let charge = shop.charge(1_000).await;
    pay_for_real(test, &charge, 1, 1).await;
    let found = [money("unmatchedBalance", 1), some("openPayments", 1)];
    refused(test, &shop, json!(found)).await;
}

#[story::test]
async fn less_than_can_be_withdrawn_keeps_no_account_open(test: &TestApp, shop: Shop) {
    let charge = shop.charge(1_000).await;
    pay_for_real(test, &charge, 1, 1).await;
    let (key, of) = (real_key(&shop).await, format!("/api/v1/transactions/{}", id(&charge)));
    let aside = key.get(&format!("{of}/unmatched")).await.expect(200)["data"][0].clone();
    let accept = format!("{of}/unmatched/{}/accept", id(&aside));
    key.post(&accept, json!({})).await.expect(200);
    key.post(&format!("{of}/cancel"), json!({})).await.expect(200);
    close(&shop.owner).await.expect(200);
}

#[story::test]
async fn a_refund_on_its_way_keeps_an_account_open(test: &TestApp, shop: Shop) {
    let charge = paid(test, &shop).await;
    let path = format!("/api/v1/transactions/{}/refund", id(&charge));
    real_key(&shop).await.post(&path, json!({ "reason": "Arrependimento." })).await.expect(201);
    let found = [money("refundingBalance", 1_000)];
    refused(test, &shop, json!(found)).await;
}

#[story::test]
async fn a_dispute_keeps_an_account_open(test: &TestApp, shop: Shop) {
    let charge = paid(test, &shop).await;
    let scope = real_scope(test, &shop).await;
    let (terms, of) = (PaymentTerms::of(&test.app), id(&charge).parse().expect("is an id"));
    let contest = async move |tx: &Tx| disputes::open(tx, scope, &terms, of).await;
    test.app.transact(contest).await.expect("is contested");
    let found = [money("disputedBalance", 1_000)];
    refused(test, &shop, json!(found)).await;
}

#[story::test]
async fn a_withdrawal_on_its_way_keeps_an_account_open(test: &TestApp, shop: Shop) {
    paid(test, &shop).await;
    let scope = real_scope(test, &shop).await;
    let new = NewWithdrawal {
        amount: Cents::new(1_000),
        key: PixKey::parse(PixKeyType::Email, "ana@example.com").expect("is a key"),
        description: None,
        idempotency_key: None,
    };
    let terms = withdrawals::terms::WithdrawalTerms::of(&test.app);
    let request = async move |tx: &Tx| {
        withdrawals::request(tx, scope, &terms, || Ok("sandbox".into()), &new).await.map(drop)
    };
    test.app.transact(request).await.expect("is requested");
    let found = [money("withdrawingBalance", 1_000)];
    refused(test, &shop, json!(found)).await;
}

#[story::test]
async fn what_settles_later_and_an_advance_on_it_keep_an_account_open(test: &TestApp, shop: Shop) {
    let boleto = json!({ "amountCents": 10_000, "method": "BOLETO" });
    shop.try_charge(boleto).await.expect(201);
    let number = Engine::open(test).await.rows("select slip_number from transactions").await;
    make_real(test).await;
    let receipt = BoletoConfirmation {
        bank_code: number.concat().concat(),
        reference: "order1".into(),
        payment_id: "SLIP1".into(),
        amount: Cents::new(10_000),
        paid_at: test.app.now(),
        covers: Covers::Payment,
    };
    confirm_boletos(test, vec![receipt]).await.expect(200);
    refused(test, &shop, json!([money("pendingBalance", 10_000)])).await;
    let wanted = json!({ "amountCents": 1_000 });
    real_key(&shop).await.post("/api/advances", wanted).await.expect(201);
    let found = [money("pendingBalance", 10_000), some("openAdvances", 1)];
    refused(test, &shop, json!(found)).await;
}

#[story::test]
async fn a_subscription_that_runs_keeps_an_account_open(test: &TestApp, shop: Shop) {
    let real = real_key(&shop).await;
    let body = json!({
        "name": "Clube", "amountCents": 3_000, "interval": "MONTHLY", "trialDays": 7,
    });
    let plan = real.post("/api/subscriptions/plans", body).await.expect(201)["data"].clone();
    let made = subscribe(test, &plan, json!({})).await.expect(201);
    refused(test, &shop, json!([some("runningSubscriptions", 1)])).await;
    let cancel = format!("/api/subscriptions/{}/cancel", id(&made["data"]["subscription"]));
    real.post(&cancel, json!({})).await.expect(200);
    close(&shop.owner).await.expect(200);
}

#[story::test]
async fn commissions_that_are_held_keep_the_sellers_and_the_affiliates_account_open(
    test: &TestApp,
) {
    let scene = Scene::open(test, json!({})).await;
    let sale = scene.issue(json!({})).await;
    pay_for_real(test, &sale, 1, 10_000).await;
    let of_affiliate = [money("pendingBalance", 1_000), money("pendingCommissions", 1_000)];
    refused(test, &scene.affiliate, json!(of_affiliate)).await;
    let of_seller = [money("availableBalance", 9_000), money("pendingCommissions", 1_000)];
    refused(test, &scene.shop, json!(of_seller)).await;
}

#[story::test]
async fn rewards_for_an_invitation_keep_an_account_open(test: &TestApp, shop: Shop) {
    let bia = invited(test, "Bia", &code(&shop).await).await;
    let charge = bia.charge(100_000).await;
    pay_for_real(test, &charge, 1, 100_000).await;
    let refusal = close(&shop.owner).await;
    refusal.expect_refusal(409, "ACCOUNT_IN_USE");
    let found = refusal.json()["obstacles"].clone();
    assert_eq!(found[0]["name"], "referralPendingBalance");
    refused(test, &shop, found).await;
}

#[story::test]
async fn an_administrator_is_revoked_first(test: &TestApp) {
    let refusal = close(&test.admin().await).await;
    refusal.expect_refusal(409, "ACCOUNT_IN_USE");
    assert_eq!(refusal.json()["obstacles"], json!([some("administratorRole", 1)]));
    let message = refusal.json()["message"].clone();
    assert_eq!(message, "The account cannot be closed yet: administratorRole.");
}
