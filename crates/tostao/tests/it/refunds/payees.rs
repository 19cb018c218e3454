//! Whom a refund goes to: its payer, or the key that somebody names who may withdraw, too.

use serde_json::json;

use super::refunds;
use crate::harness::TestApp;
use crate::harness::shop::{Shop, id};
use crate::members::member;

#[story::test]
async fn a_person_names_the_key_of_a_refund_as_far_as_they_may_withdraw(
    test: &TestApp,
    shop: Shop,
) {
    let boleto = shop.pay(&shop.boleto(1_000).await).await;
    let path = format!("/api/v1/transactions/{}/refund", id(&boleto));
    let wanted = json!({ "amountCents": 100, "reason": "Risco.", "refundPixKey": "a@example.com" });
    let support = member(test, &shop, "bia@example.com", "SUPPORT").await;
    let support = support.with("x-dev-mode", "true");
    let refused = support.post(&path, wanted.clone()).await;
    refused.expect_refusal(403, "INSUFFICIENT_PERMISSION");
    assert_eq!(refused.json()["requiredPermission"], "withdrawals:write");
    assert!(refunds(&shop, &boleto).await.is_empty());
    let finance = member(test, &shop, "caio@example.com", "FINANCE").await;
    finance.with("x-dev-mode", "true").post(&path, wanted.clone()).await.expect(201);
    // What a key may do is decided when it is made.
    let key = shop.key_for("development", &["transactions:write"]).await;
    key.post(&path, wanted).await.expect(201);
}

#[story::test]
async fn support_refunds_to_the_payer_and_returns_to_no_key_of_their_choice(
    test: &TestApp,
    shop: Shop,
) {
    let support = member(test, &shop, "bia@example.com", "SUPPORT").await;
    let support = support.with("x-dev-mode", "true");
    let sale = shop.sell(1_000).await;
    let path = format!("/api/v1/transactions/{}", id(&sale));
    support.post(&format!("{path}/refund"), json!({ "reason": "Risco." })).await.expect(201);
    let unknown = format!("{path}/unmatched/00000000-0000-7000-8000-000000000001/return");
    support.post(&unknown, json!({})).await.expect_refusal(404, "NOT_FOUND");
    let refused = support.post(&unknown, json!({ "refundPixKey": "a@example.com" })).await;
    refused.expect_refusal(403, "INSUFFICIENT_PERMISSION");
}
