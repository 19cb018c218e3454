//! One key, one effect, one answer.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::harness::shop::{Shop, id};
use crate::harness::story;

fn body(cents: i64) -> Value {
    json!({
        "amountCents": cents, "method": "PIX",
        "customer": { "name": "Ana", "email": "ana@example.com" },
    })
}

async fn total(shop: &Shop) -> i64 {
    let listed = shop.key.get("/api/v1/transactions").await.expect(200);
    listed["pagination"]["total"].as_i64().expect("is a number")
}

#[test]
fn sixty_four_twins_have_one_effect_and_one_answer() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let key = shop.key.with("idempotency-key", "race");
        let twins = (0..64).map(|_| {
            let key = key.clone();
            async move { key.post("/api/v1/transactions", body(1_000)).await }
        });
        let answers = join_all(twins).await;
        let first = &answers[0];
        for answer in &answers {
            assert_eq!((answer.status, &answer.text), (201, &first.text));
        }
        let fresh = answers.iter().filter(|a| a.header("idempotency-replayed").is_none());
        assert_eq!(fresh.count(), 1);
        assert_eq!(total(&shop).await, 1);
        assert_eq!(shop.events().await, ["transaction.created"]);
    });
}

#[test]
fn a_key_stands_for_one_body_whatever_the_order_of_its_fields() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let key = shop.key.with("idempotency-key", "one");
        let first = key.post("/api/v1/transactions", body(1_000)).await;
        first.expect(201);
        let turned = "{\"method\":\"PIX\",\"customer\":{\"email\":\"ana@example.com\",\
                      \"name\":\"Ana\"},\"amountCents\":1000}";
        let kind = Some("application/json");
        let path = "/api/v1/transactions";
        let again = key.send(http::Method::POST, path, kind, turned.to_owned()).await;
        assert_eq!((again.status, &again.text), (201, &first.text));
        assert_eq!(again.header("idempotency-replayed"), Some("true"));
        let other = key.post("/api/v1/transactions", body(1_001)).await;
        other.expect_refusal(422, "IDEMPOTENCY_KEY_REUSED");
        assert_eq!(total(&shop).await, 1);
    });
}

#[test]
fn a_key_belongs_to_its_merchant_mode_and_route() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let other = test.shop("Outra").await;
        let keyed = |shop: &Shop| shop.key.with("idempotency-key", "same");
        let first = keyed(&shop).post("/api/v1/transactions", body(1_000)).await.expect(201);
        let second = keyed(&other).post("/api/v1/transactions", body(2_000)).await.expect(201);
        assert_ne!(id(&first["transaction"]), id(&second["transaction"]));
        let link = json!({ "title": "Caneca", "amountCents": 100 });
        keyed(&shop).post("/api/v1/payment-links", link).await.expect(201);
    });
}

#[test]
fn a_final_refusal_is_given_again_and_a_bad_request_is_not() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let key = shop.key.with("idempotency-key", "paused");
        let link = shop.link(1_000).await;
        let path = format!("/api/v1/payment-links/{}", id(&link));
        shop.key.patch(&path, json!({ "status": "INACTIVE" })).await.expect(200);
        let mut charge = body(1_000);
        charge["amountCents"] = Value::Null;
        charge["paymentLinkId"] = link["id"].clone();
        let first = key.post("/api/v1/transactions", charge.clone()).await;
        first.expect_refusal(410, "PAYMENT_LINK_INACTIVE");
        shop.key.patch(&path, json!({ "status": "ACTIVE" })).await.expect(200);
        let again = key.post("/api/v1/transactions", charge).await;
        assert_eq!((again.status, &again.text), (410, &first.text));
        assert_eq!(again.header("idempotency-replayed"), Some("true"));

        let key = shop.key.with("idempotency-key", "mended");
        key.post("/api/v1/transactions", body(0)).await.expect_refusal(400, "VALIDATION_ERROR");
        key.post("/api/v1/transactions", body(1_000)).await.expect(201);
    });
}

#[test]
fn an_answer_is_kept_seven_days_where_money_moves() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let key = shop.key.with("idempotency-key", "week");
        let first = key.post("/api/v1/transactions", body(1_000)).await;
        test.pass(std::time::Duration::from_secs(7 * 86_400 - 1));
        let again = key.post("/api/v1/transactions", body(1_000)).await;
        assert_eq!(again.text, first.text);
        test.pass(std::time::Duration::from_secs(1));
        let new = key.post("/api/v1/transactions", body(1_000)).await.expect(201);
        assert_ne!(new, first.json());
    });
}

#[test]
fn a_key_must_be_printable_and_short() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        for bad in ["", " ", &"x".repeat(256)] {
            let key = shop.key.with("idempotency-key", bad);
            let refused = key.post("/api/v1/transactions", body(1_000)).await;
            refused.expect_refusal(400, "INVALID_IDEMPOTENCY_KEY");
        }
        assert_eq!(total(&shop).await, 0);
    });
}

#[test]
fn a_repeated_simulation_pays_once_and_a_repeated_advance_goes_once() {
    story(async |test| {
        let shop = test.shop("Loja").await;
        let charge = shop.charge(1_000).await;
        let key = shop.key.with("idempotency-key", "again");
        let pay = format!("/api/v1/transactions/{}/simulate", id(&charge));
        let first = key.post(&pay, json!({ "outcome": "PAID" })).await;
        let again = key.post(&pay, json!({ "outcome": "PAID" })).await;
        assert_eq!((again.status, &again.text), (200, &first.text));
        assert_eq!(again.header("idempotency-replayed"), Some("true"));
        let timeline = format!("/api/v1/transactions/{}/timeline", id(&charge));
        let steps = shop.key.get(&timeline).await.expect(200);
        assert_eq!(steps["data"].as_array().map(Vec::len), Some(2), "created and paid, no more");

        let step = json!({ "seconds": 60 });
        let first = key.post("/api/dev/clock/advance", step.clone()).await;
        let again = key.post("/api/dev/clock/advance", step).await;
        assert_eq!((again.status, &again.text), (200, &first.text));
        let clock = shop.key.get("/api/dev/clock").await.expect(200);
        assert_eq!(clock["data"]["aheadSeconds"], 60);
    });
}
