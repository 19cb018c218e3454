//! Crashes: a request that dies between any two steps never charges a card twice.

use std::pin::pin;
use std::time::Duration;

use futures_util::future::{join, maybe_done};
use sandbox::test_cards::Scenario;
use serde_json::json;

use crate::harness::TestApp;
use crate::harness::crashes::{at_every_wait, breaks_off, calm_down};
use crate::harness::engine::Engine;
use crate::methods::balance;
use crate::sandbox::token_that;

const DOOR: &str = "/api/v1/transactions";
const AMOUNT: i64 = 10_000;

/// What the acquirer has charged, in cents.
async fn charged(test: &TestApp) -> String {
    let sql = "select cast(coalesce(sum(amount_cents), 0) as text) from sandbox_charges
                where decline_code is null";
    Engine::open(test).await.rows(sql).await[0][0].clone()
}

#[story::test]
async fn a_request_that_dies_anywhere_charges_once_and_its_retry_returns_the_result(
    test: &TestApp,
) {
    let shop = test.shop("Loja").await;
    let (mut paid, mut lost) = (0, 0);
    at_every_wait(async |number| {
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
            test.run_jobs_after(Duration::from_mins(minutes)).await;
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
        assert!(died || again.header("idempotency-replayed") == Some("true"));
        died
    })
    .await;
    assert_eq!(shop.key.total(DOOR).await, paid + lost);
}

#[story::test]
async fn a_refused_request_never_answers_for_a_charge_that_started_under_its_key(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let customer = json!({ "name": "Ana", "email": "ana@example.com" });
    let refused = json!({
        "amountCents": AMOUNT, "method": "PIX", "customer": customer, "couponCode": "NONE",
    });
    let engine = Engine::open(test).await;
    let mut paid = 0;
    at_every_wait(async |number| {
        let key = format!("order-{number}");
        let buyer = shop.key.with("idempotency-key", &key);
        let sale = json!({
            "amountCents": AMOUNT, "method": "CREDIT_CARD", "customer": customer,
            "cardToken": token_that(test, Scenario::Approves).await,
        });
        let mut refusal = pin!(maybe_done(buyer.post(DOOR, refused.clone())));
        let mut charge = pin!(maybe_done(buyer.post(DOOR, sale.clone())));
        // Both may find the key free, and the charge starts before the refusal is stored.
        engine.hold_writer().await;
        assert!(breaks_off(charge.as_mut(), 0).await);
        let mut waits = breaks_off(refusal.as_mut(), 0).await;
        engine.release_writer().await;
        if number > 0 {
            waits = breaks_off(refusal.as_mut(), number - 1).await;
        }
        while !is_started(&engine, &key).await && breaks_off(charge.as_mut(), 0).await {}
        join(refusal.as_mut(), charge.as_mut()).await;
        let refusal = refusal.take_output().expect("it has ended");
        let charge = charge.take_output().expect("it has ended");
        match charge.status {
            201 => {
                paid += 1;
                assert_eq!(refusal.status, 422, "at {number}: {}", refusal.text);
                assert_eq!(buyer.post(DOOR, sale).await.text, charge.text);
            }
            _ => assert_eq!((charge.status, refusal.status), (422, 400), "at {number}"),
        }
        assert_eq!(charged(test).await, (paid * AMOUNT).to_string(), "at {number}");
        waits
    })
    .await;
    assert!(paid > 0, "no charge started before a refusal was stored");
}

/// Whether a charge has started under the key.
async fn is_started(engine: &Engine, key: &str) -> bool {
    let sql =
        format!("select key from idempotency_keys where key = '{key}' and subject_id is not null");
    !engine.rows(&sql).await.is_empty()
}
