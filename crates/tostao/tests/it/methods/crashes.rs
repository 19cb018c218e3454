//! Crashes: a request that dies between any two steps never charges a card twice.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{join_all, join3};
use serde_json::json;
use tokio::sync::Semaphore;
use tostao::providers::sandbox::test_cards::Scenario;

use crate::harness::TestApp;
use crate::harness::crashes::{breaks_off, calm_down};
use crate::harness::engine::Engine;
use crate::harness::story;
use crate::methods::balance;
use crate::sandbox::token_that;

/// More waits than any request has.
const WAITS_MAX: usize = 200;
const DOOR: &str = "/api/v1/transactions";
const AMOUNT: i64 = 10_000;

/// What the acquirer has charged, in cents.
async fn charged(test: &TestApp) -> String {
    let sql = "select cast(coalesce(sum(amount_cents), 0) as text) from sandbox_charges
                where decline_code is null";
    Engine::open(test).await.rows(sql).await[0][0].clone()
}

#[test]
fn a_request_that_dies_anywhere_charges_once_and_its_retry_returns_the_result() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let (mut paid, mut lost) = (0, 0);
        for number in 0..WAITS_MAX {
            let buyer = shop.key.with("idempotency-key", &format!("purchase-{number}"));
            let sale = json!({
                "amountCents": AMOUNT, "method": "CREDIT_CARD",
                "cardToken": token_that(test, Scenario::Approves).await,
                "customer": { "name": "Ana", "email": "ana@example.com" },
            });
            let died = breaks_off(buyer.post(DOOR, sale.clone()), number).await;
            calm_down(test).await;
            // What became of the charge is asked, and given up when it cannot arrive any more.
            for minutes in [1, 10] {
                test.pass(Duration::from_mins(minutes));
                test.run_jobs().await;
            }
            let again = buyer.post(DOOR, sale).await;
            match again.status {
                201 => {
                    assert_eq!(again.json()["transaction"]["status"], "PAID", "at {number}");
                    paid += 1;
                }
                402 => lost += 1,
                _ => panic!("death at wait {number}: {}", again.text),
            }
            assert_eq!(charged(test).await, (paid * AMOUNT).to_string(), "death at wait {number}");
            assert_eq!(balance(&shop).await, (json!(0), json!(paid * AMOUNT)), "at {number}");
            if !died {
                assert_eq!(again.header("idempotency-replayed"), Some("true"));
                assert!(number > 0, "no request died");
                let listed = shop.key.get(DOOR).await.expect(200);
                assert_eq!(listed["pagination"]["total"], paid + lost);
                return;
            }
        }
        panic!("the request never ended");
    });
}

#[test]
fn a_refused_request_never_answers_for_a_charge_that_started_under_its_key() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let buyer = shop.key.with("idempotency-key", "order-1001");
        let customer = json!({ "name": "Ana", "email": "ana@example.com" });
        let sale = json!({
            "amountCents": AMOUNT, "method": "CREDIT_CARD", "customer": customer,
            "cardToken": token_that(test, Scenario::Approves).await,
        });
        let refused = json!({
            "amountCents": AMOUNT, "method": "PIX", "customer": customer, "couponCode": "NONE",
        });
        // Both have found the key free when the charge takes it and the refusal wants to.
        let busy = Arc::new(Semaphore::new(0));
        let mut writers = pin!(join_all((0..test.app.database.writers_max()).map(|_| {
            let busy = busy.clone();
            test.app.transact(async move |_| {
                drop(busy.acquire().await);
                Ok(())
            })
        })));
        let mut charge = pin!(buyer.post(DOOR, sale.clone()));
        let mut other = pin!(buyer.post(DOOR, refused));
        assert!(breaks_off(writers.as_mut(), 0).await);
        assert!(breaks_off(charge.as_mut(), 0).await);
        assert!(breaks_off(other.as_mut(), 0).await);
        busy.close();
        let (_, charged_reply, other) = join3(writers, charge, other).await;
        assert_eq!(buyer.post(DOOR, sale).await.text, charged_reply.text);
        match charged_reply.status {
            201 => assert_eq!((other.status, &*charged(test).await), (422, "10000")),
            _ => assert_eq!((charged_reply.status, other.status), (422, 400)),
        }
    });
}
