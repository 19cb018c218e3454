//! Requesting: what is held, what it costs, and what is refused.

use serde_json::{Value, json};

use super::{PATH, held, path, read, try_withdraw, withdraw};
use crate::harness::shop::Shop;
use crate::harness::{START, TestApp, rate_limited};

#[story::test]
async fn a_request_holds_the_money_and_shows_everything(test: &TestApp, shop: Shop) {
    shop.earn(5_000).await;
    let wanted = json!({
        "amountCents": 4_000, "pixKey": "(11) 91234-5678", "pixKeyType": "phone",
        "description": "Semana 47",
    });
    let reply = shop.key.post(PATH, wanted).await.expect(201);
    let withdrawal = &reply["data"];
    let me = shop.owner.get("/api/auth/me").await.expect(200);
    let expected = json!({
        "id": withdrawal["id"], "userId": me["user"]["id"], "amountCents": 4_000,
        "feeCents": 80, "netAmount": 3_920, "status": "PENDING", "method": "PIX",
        "pixKeyType": "phone", "pixKey": "+5511912345678", "description": "Semana 47",
        "idempotencyKey": null, "externalId": null, "endToEndId": null, "receiptUrl": null,
        "returnedAmount": 0,
        "failureReason": null, "failureMessage": null, "devMode": true, "createdAt": START_MS,
        "updatedAt": START_MS, "processedAt": null, "completedAt": null, "failedAt": null,
    });
    assert_eq!(withdrawal, &expected);
    assert_eq!(read(&shop, withdrawal).await, expected);
    assert_eq!(held(test, &shop).await, (1_000, 4_000, 0));
    assert_eq!(shop.events().await.last().map(String::as_str), Some("balance.updated"));
    let entries = shop.key.get("/api/balance/entries?account=withdrawing").await.expect(200);
    assert_eq!(entries["data"][0]["kind"], "withdrawal_requested");
    assert_eq!(entries["data"][0]["amountCents"], 4_000);
}

const START_MS: &str = "2026-11-21T12:00:00.000Z";

#[test]
fn a_story_begins_when_the_table_above_says() {
    assert_eq!(START.replace('Z', ".000Z"), START_MS);
}

#[story::test]
async fn an_invalid_request_names_the_field(test: &TestApp) {
    let key = |kind: &str, key: &str| json!({ "pixKeyType": kind, "pixKey": key });
    let table: [(Value, &str, &[&str]); 22] = [
        (json!({ "amountCents": 99 }), "VALIDATION_ERROR", &["amountCents"]),
        (json!({ "amountCents": 10_000_001 }), "VALIDATION_ERROR", &["amountCents"]),
        (json!({ "amountCents": -1_000 }), "VALIDATION_ERROR", &["amountCents"]),
        (json!({ "amountCents": 10.5 }), "VALIDATION_ERROR", &["amountCents"]),
        (json!({ "amountCents": "1000" }), "VALIDATION_ERROR", &["amountCents"]),
        (json!({ "amountCents": null }), "VALIDATION_ERROR", &["amountCents"]),
        (json!({ "pixKeyType": "evp" }), "VALIDATION_ERROR", &["pixKeyType"]),
        (json!({ "pixKeyType": null }), "VALIDATION_ERROR", &["pixKeyType"]),
        (json!({ "pixKey": null }), "VALIDATION_ERROR", &["pixKey"]),
        (json!({ "description": "a".repeat(256) }), "VALIDATION_ERROR", &["description"]),
        (json!({ "description": "\u{0}" }), "VALIDATION_ERROR", &["description"]),
        (json!({ "idempotencyKey": "one" }), "VALIDATION_ERROR", &["idempotencyKey"]),
        (key("email", ""), "INVALID_PIX_KEY", &["pixKey"]),
        (key("email", "52998224725"), "INVALID_PIX_KEY", &["pixKey"]),
        (key("cpf", "ana@example.com"), "INVALID_PIX_KEY", &["pixKey"]),
        (key("cpf", "529.982.247-24"), "INVALID_PIX_KEY", &["pixKey"]),
        (key("cpf", "11.222.333/0001-81"), "INVALID_PIX_KEY", &["pixKey"]),
        (key("cnpj", "11.222.333/0001-82"), "INVALID_PIX_KEY", &["pixKey"]),
        (key("phone", "1133334444"), "INVALID_PIX_KEY", &["pixKey"]),
        (key("random", "123e4567"), "INVALID_PIX_KEY", &["pixKey"]),
        (
            json!({ "amountCents": 99, "pixKey": "ana", "idempotencyKey": "one" }),
            "VALIDATION_ERROR",
            &["amountCents", "pixKey", "idempotencyKey"],
        ),
        (
            json!({ "description": "4242 4242 4242 4242" }),
            "CARD_DATA_NOT_ACCEPTED",
            &["description"],
        ),
    ];
    let shop = test.shop("Loja").await;
    shop.earn(5_000).await;
    for (more, code, fields) in &table {
        let refused = try_withdraw(&shop.key, more.clone()).await;
        assert_eq!(&refused.expect_refusal(400, code), fields, "{more}");
    }
    let missing = shop.key.post(PATH, json!({})).await;
    assert_eq!(missing.expect_refusal(400, "VALIDATION_ERROR"), ["amountCents"]);
    assert_eq!(held(test, &shop).await, (5_000, 0, 0));
}

#[story::test]
async fn each_type_of_key_is_kept_in_the_form_of_the_directory(test: &TestApp) {
    let table = [
        ("cpf", "529.982.247-25", "52998224725"),
        ("cnpj", "12.abc.345/01de-35", "12ABC34501DE35"),
        ("email", "Ana@Example.com", "ana@example.com"),
        ("phone", "11912345684", "+5511912345684"),
        ("random", "123E4567-E12B-12D1-A456-426655440000", "123e4567-e12b-12d1-a456-426655440000"),
    ];
    let shop = test.shop("Loja").await;
    shop.earn(1_000).await;
    for (kind, sent, kept) in table {
        let body = json!({
            "amountCents": 100, "pixKeyType": kind, "pixKey": sent, "unknown": [true],
        });
        let withdrawal = shop.key.post(PATH, body).await.expect(201)["data"].clone();
        assert_eq!(withdrawal["pixKey"], kept);
        assert_eq!(withdrawal["pixKeyType"], kind);
    }
}

#[story::test]
async fn the_smallest_and_the_largest_amount_are_taken(test: &TestApp, shop: Shop) {
    shop.earn(10_000_100).await;
    withdraw(&shop, 100, "ana@example.com").await;
    withdraw(&shop, 10_000_000, "ana@example.com").await;
    assert_eq!(held(test, &shop).await, (0, 10_000_100, 0));
}

#[story::test(|settings| settings.withdrawal_fee_cents = 150)]
async fn something_must_be_left_after_the_fee(shop: Shop) {
    shop.earn(1_000).await;
    let fee = try_withdraw(&shop.key, json!({ "amountCents": 150 })).await;
    assert_eq!(fee.expect_refusal(400, "VALIDATION_ERROR"), ["amountCents"]);
    assert_eq!(fee.json()["errors"][0]["code"], "BELOW_FEE");
    let more = try_withdraw(&shop.key, json!({ "amountCents": 151 })).await.expect(201);
    assert_eq!(more["data"]["netAmount"], 1);
}

#[story::test]
async fn more_than_there_is_cannot_be_requested(shop: Shop) {
    shop.earn(1_000).await;
    let refused = try_withdraw(&shop.key, json!({ "amountCents": 1_001 })).await;
    refused.expect_refusal(400, "INSUFFICIENT_BALANCE");
    withdraw(&shop, 1_000, "ana@example.com").await;
    try_withdraw(&shop.key, json!({ "amountCents": 100 }))
        .await
        .expect_refusal(400, "INSUFFICIENT_BALANCE");
    assert_eq!(shop.key.total(PATH).await, 1);
}

#[story::test]
async fn a_quote_returns_the_cost_and_changes_nothing(shop: Shop) {
    let quote = shop.key.post(&format!("{PATH}/quote"), json!({ "amountCents": 1_000 })).await;
    let expected = json!({ "amountCents": 1_000, "feeCents": 80, "netAmount": 920 });
    assert_eq!(quote.expect(200)["data"], expected);
    for cents in [99, 10_000_001] {
        let body = json!({ "amountCents": cents });
        let refused = shop.key.post(&format!("{PATH}/quote"), body).await;
        assert_eq!(refused.expect_refusal(400, "VALIDATION_ERROR"), ["amountCents"]);
    }
    assert_eq!(shop.key.get(PATH).await.expect(200)["pagination"]["total"], 0);
}

#[story::test]
async fn real_money_is_not_withdrawn_without_a_bank(shop: Shop) {
    let real = shop.key_for("production", &["withdrawals:read", "withdrawals:write"]).await;
    try_withdraw(&real, json!({})).await.expect_refusal(503, "UNAVAILABLE");
    try_withdraw(&shop.owner, json!({})).await.expect_refusal(503, "UNAVAILABLE");
    try_withdraw(&real, json!({ "amountCents": 1 })).await.expect_refusal(400, "VALIDATION_ERROR");
}

#[story::test]
async fn an_owner_withdraws_with_an_access_token_too(shop: Shop) {
    shop.earn(1_000).await;
    let owner = shop.owner.with("x-dev-mode", "true");
    let withdrawal = try_withdraw(&owner, json!({})).await.expect(201)["data"].clone();
    assert_eq!(owner.get(&path(&withdrawal, "")).await.expect(200)["data"], withdrawal);
}

#[story::test(rate_limited)]
async fn few_withdrawals_a_minute_are_requested(shop: Shop) {
    let real = shop.key_for("production", &["withdrawals:write"]).await;
    for (key, most) in [(&real, 10), (&shop.key, 120)] {
        for _ in 0..most {
            let wrong = try_withdraw(key, json!({ "amountCents": 1 })).await;
            wrong.expect_refusal(400, "VALIDATION_ERROR");
        }
        try_withdraw(key, json!({})).await.expect_refusal(429, "RATE_LIMITED");
    }
}
