//! Cards: approved, declined, and unknown for a while.

use std::time::Duration;

use futures_util::future::join_all;
use rails::card::DeclineCode;
use sandbox::fault_injection::{Operation, Outage};
use sandbox::test_cards::Scenario;
use serde_json::{Value, json};

use crate::harness::TestApp;
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, merged};
use crate::methods::{balance, days_pass};
use crate::sandbox::{card_sale, token_that};

const TRANSACTIONS: &str = "/api/v1/transactions";

async fn pay(test: &TestApp, shop: &Shop, scenario: Scenario, more: &Value) -> Reply {
    shop.try_charge(merged(card_sale(test, 10_000, scenario).await, more)).await
}

#[story::test]
async fn an_approved_card_is_paid_at_once_and_settles_by_installments(test: &TestApp, shop: Shop) {
    let paid = pay(test, &shop, Scenario::Approves, &json!({ "installments": 3 })).await;
    let paid = paid.expect(201)["transaction"].clone();
    assert_eq!((&paid["status"], &paid["method"]), (&json!("PAID"), &json!("CREDIT_CARD")));
    assert_eq!((&paid["installments"], &paid["interestAmount"]), (&json!(3), &json!(0)));
    assert_eq!(paid["card"], json!({ "brand": "visa", "last4": "4242" }));
    assert_eq!(balance(&shop).await, (json!(0), json!(10_000)));
    // 10,000 = 3,334 + 3,333 + 3,333; thirty days on from a Saturday is a Monday.
    for (days, available) in [(29, 0), (1, 3_334), (30, 6_667), (30, 10_000)] {
        days_pass(&shop, days).await;
        assert_eq!(balance(&shop).await, (json!(available), json!(10_000 - available)));
    }
    assert_eq!(shop.events().await[..2], ["transaction.paid", "balance.updated"]);
}

#[story::test]
async fn a_link_charges_interest_beyond_what_it_gives_for_nothing(test: &TestApp, shop: Shop) {
    let settings = json!({
        "maxInstallments": 12, "interestFreeInstallments": 2, "interestRate": 2.99,
    });
    let link = shop.link_with(json!({ "amountCents": 100_000, "settings": settings })).await;
    let charge = async |installments: i64| {
        let sale = json!({
            "amountCents": null, "paymentLinkId": link["id"], "installments": installments,
        });
        pay(test, &shop, Scenario::Approves, &sale).await
    };
    // Price table: 1,000.00 at 2.99 % in 12 is 100.40 each, 1,204.80 in all.
    let paid = charge(12).await.expect(201)["transaction"].clone();
    assert_eq!((&paid["amount"], &paid["interestAmount"]), (&json!(120_480), &json!(20_480)));
    let free = charge(2).await.expect(201)["transaction"].clone();
    assert_eq!((&free["amount"], &free["interestAmount"]), (&json!(100_000), &json!(0)));
    let plain = shop.link(10_000).await;
    let sale = json!({ "amountCents": null, "paymentLinkId": plain["id"], "installments": 2 });
    let refused = pay(test, &shop, Scenario::Approves, &sale).await;
    assert_eq!(refused.expect(400)["code"], "INSTALLMENTS_NOT_ALLOWED");
}

#[story::test]
async fn a_declined_card_says_why_and_gives_back_what_it_held(test: &TestApp, shop: Shop) {
    let link = shop
        .link_with(json!({ "amountCents": 5_000, "stockEnabled": true, "stockQuantity": 1 }))
        .await;
    let sale = json!({ "amountCents": null, "paymentLinkId": link["id"] });
    let scenario = Scenario::Declines(DeclineCode::InsufficientFunds);
    let declined = pay(test, &shop, scenario, &sale).await.expect(402);
    assert_eq!(declined["code"], "CARD_DECLINED");
    assert_eq!(declined["declineCode"], "insufficient_funds");
    let list = shop.key.get("/api/v1/transactions?status=FAILED").await.expect(200);
    let failed = &list["data"][0];
    assert_eq!(failed["declineCode"], "insufficient_funds");
    assert!(failed["failedAt"].is_string(), "{failed}");
    assert_eq!(shop.events().await.last().map(String::as_str), Some("transaction.failed"));
    let paid = pay(test, &shop, Scenario::Approves, &sale).await.expect(201);
    assert_eq!(paid["transaction"]["status"], "PAID");
    assert_eq!(balance(&shop).await, (json!(0), json!(5_000)));
}

#[story::test]
async fn a_charge_whose_answer_was_lost_is_asked_for_and_never_made_again(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let table = [
        (Scenario::LosesTheApproval, "PAID"),
        (Scenario::LosesTheDecline, "FAILED"),
        (Scenario::ApprovesLate, "PAID"),
    ];
    for (scenario, end) in table {
        let unknown = pay(test, &shop, scenario, &json!({})).await.expect(201);
        assert_eq!(unknown["transaction"]["status"], "PROCESSING", "{scenario:?}");
        test.run_jobs_after(Duration::from_mins(1)).await;
        let known = shop.transaction(&unknown["transaction"]).await;
        assert_eq!(known["status"], end, "{scenario:?}");
    }
    assert_eq!(balance(&shop).await, (json!(0), json!(20_000)));
}

#[story::test]
async fn a_charge_that_never_arrived_is_given_up_when_it_cannot_arrive_any_more(test: &TestApp) {
    let shop = test.shop("Loja").await;
    test.app.providers.sandbox().fail_next(Operation::Authorize, Outage::NeverArrives);
    let lost = pay(test, &shop, Scenario::Approves, &json!({})).await.expect(201);
    let lost = &lost["transaction"];
    for minute in 1..10 {
        test.run_jobs_after(Duration::from_mins(1)).await;
        assert_eq!(shop.transaction(lost).await["status"], "PROCESSING", "{minute}");
    }
    test.run_jobs_after(Duration::from_mins(1)).await;
    let failed = shop.transaction(lost).await;
    assert_eq!(
        (&failed["status"], &failed["failureReason"]),
        (&json!("FAILED"), &json!("never_arrived"))
    );
    assert_eq!(balance(&shop).await, (json!(0), json!(0)));
}

#[story::test]
async fn a_clock_that_is_advanced_gives_up_no_charge_that_may_still_arrive(test: &TestApp) {
    let shop = test.shop("Loja").await;
    test.app.providers.sandbox().fail_next(Operation::Authorize, Outage::NeverArrives);
    let lost = pay(test, &shop, Scenario::Approves, &json!({})).await.expect(201);
    let lost = &lost["transaction"];
    days_pass(&shop, 2).await;
    assert_eq!(shop.transaction(lost).await["status"], "PROCESSING");
    test.run_jobs_after(Duration::from_mins(10)).await;
    assert_eq!(shop.transaction(lost).await["failureReason"], "never_arrived");
}

#[story::test]
async fn of_sixteen_requests_with_one_key_one_charges_the_card_and_all_get_its_result(
    test: &TestApp,
) {
    let shop = test.shop("Loja").await;
    for (scenario, status) in
        [(Scenario::Approves, 201), (Scenario::Declines(DeclineCode::StolenCard), 402)]
    {
        let token = token_that(test, scenario).await;
        let duplicate = shop.key.with("idempotency-key", &format!("{scenario:?}"));
        let body = json!({
            "amountCents": 10_000, "method": "CREDIT_CARD", "cardToken": token,
            "customer": { "name": "Ana", "email": "ana@example.com" },
        });
        let duplicates = (0..16).map(|_| duplicate.post("/api/v1/transactions", body.clone()));
        let answers: Vec<Value> =
            join_all(duplicates).await.into_iter().map(|answer| answer.expect(status)).collect();
        assert!(answers.iter().all(|answer| answer == &answers[0]), "{answers:?}");
        let other = merged(body, &json!({ "amountCents": 10_001 }));
        let reused = duplicate.post("/api/v1/transactions", other).await.expect(422);
        assert_eq!(reused["code"], "IDEMPOTENCY_KEY_REUSED");
    }
    assert_eq!(shop.key.total("/api/v1/transactions").await, 2);
    assert_eq!(balance(&shop).await, (json!(0), json!(10_000)));
}

#[story::test]
async fn a_key_waits_for_the_end_of_its_charge_and_then_returns_it(test: &TestApp, shop: Shop) {
    let mut asked = Vec::new();
    for scenario in [Scenario::LosesTheApproval, Scenario::LosesTheDecline] {
        let key = shop.key.with("idempotency-key", &format!("{scenario:?}"));
        let sale = json!({
            "amountCents": 10_000, "method": "CREDIT_CARD",
            "cardToken": token_that(test, scenario).await,
            "customer": { "name": "Ana", "email": "ana@example.com" },
        });
        let unknown = key.post(TRANSACTIONS, sale.clone()).await.expect(201);
        assert_eq!(unknown["transaction"]["status"], "PROCESSING", "{scenario:?}");
        asked.push((key, sale));
    }
    let repeat = || join_all(asked.iter().map(|(key, sale)| key.post(TRANSACTIONS, sale.clone())));
    for waits in repeat().await {
        waits.expect_refusal(409, "IDEMPOTENCY_KEY_IN_PROGRESS");
        assert_eq!(waits.header("retry-after"), Some("1"));
    }
    test.run_jobs_after(Duration::from_mins(1)).await;
    let ended = repeat().await;
    assert_eq!(ended[0].expect(201)["transaction"]["status"], "PAID");
    assert_eq!(ended[1].expect(402)["code"], "CARD_DECLINED");
    for (again, ended) in repeat().await.iter().zip(&ended) {
        again.expect_replay_of(ended, ended.status);
    }
    assert_eq!(shop.key.total(TRANSACTIONS).await, 2);
    assert_eq!(balance(&shop).await, (json!(0), json!(10_000)));
}

#[story::test]
async fn a_token_that_two_purchases_use_at_once_pays_one_of_them(test: &TestApp, shop: Shop) {
    let sale = card_sale(test, 10_000, Scenario::Approves).await;
    let answers = join_all((0..64).map(|_| shop.try_charge(sale.clone()))).await;
    let (paid, other): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.status == 201);
    assert_eq!(paid.len(), 1);
    for duplicate in other {
        assert_eq!(duplicate.expect_refusal(400, "VALIDATION_ERROR"), ["cardToken"]);
        assert_eq!(duplicate.json()["errors"][0]["code"], "INVALID_CARD_TOKEN");
    }
    assert_eq!(balance(&shop).await, (json!(0), json!(10_000)));
    assert_eq!(shop.key.total("/api/v1/transactions?status=PROCESSING").await, 0);
}

#[story::test]
async fn a_card_needs_a_fresh_token_and_sensible_installments(test: &TestApp, shop: Shop) {
    let sale = card_sale(test, 10_000, Scenario::Approves).await;
    shop.try_charge(sale.clone()).await.expect(201);
    let table = [
        (sale.clone(), "cardToken"),
        (merged(sale.clone(), &json!({ "cardToken": "invented" })), "cardToken"),
        (merged(sale.clone(), &json!({ "cardToken": null })), "cardToken"),
        (merged(sale.clone(), &json!({ "installments": 0 })), "installments"),
        (merged(sale.clone(), &json!({ "installments": 13 })), "installments"),
        (json!({ "amountCents": 10_000, "installments": 2 }), "installments"),
    ];
    for (body, field) in table {
        let refused = shop.try_charge(body.clone()).await.expect(400);
        assert_eq!(refused["errors"][0]["field"], field, "{body}");
    }
    assert_eq!(balance(&shop).await, (json!(0), json!(10_000)));
}
