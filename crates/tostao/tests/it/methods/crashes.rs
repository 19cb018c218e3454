//! Crashes: a request that dies between any two steps never charges a card twice.

use std::time::Duration;

use serde_json::json;
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
