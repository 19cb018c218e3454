//! One key, one withdrawal: by the header for a week, by the body for ever;
//! one balance, one winner.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;

use super::{PATH, held, process, read, try_withdraw};
use crate::harness::TestApp;
use crate::harness::shop::{Shop, id};

const KEY: &str = "0192f0c1-2b3c-4d5e-8f90-a1b2c3d4e5f6";
const OTHER: &str = "0192f0c1-2b3c-4d5e-8f90-a1b2c3d4e5f7";

#[story::test]
async fn the_bodys_key_stands_for_one_withdrawal_for_ever(test: &TestApp, shop: Shop) {
    shop.earn(5_000).await;
    let keyed = json!({ "idempotencyKey": KEY });
    let first = try_withdraw(&shop.key, keyed.clone()).await.expect(201)["data"].clone();
    assert_eq!(first["idempotencyKey"], KEY);
    let again = try_withdraw(&shop.key, keyed.clone()).await.expect(200);
    assert_eq!(again["data"], first);
    process(&test.admin().await, &first, json!({})).await.expect(200);
    test.run_jobs().await;
    test.pass(Duration::from_hours(24 * 365));
    let years_later = try_withdraw(&shop.key, keyed).await.expect(200);
    assert_eq!(years_later["data"], read(&shop, &first).await);
    assert_eq!(years_later["data"]["status"], "COMPLETED");
    assert_eq!(shop.key.total(PATH).await, 1);
}

#[story::test]
async fn the_bodys_key_refuses_another_withdrawal(test: &TestApp) {
    let phone =
        json!({ "pixKey": "+5511987654321", "pixKeyType": "phone", "description": "Outra" });
    let table = [
        (json!({ "amountCents": 1_001 }), json!(["amountCents"])),
        (json!({ "pixKey": "outra@example.com" }), json!(["pixKey"])),
        (json!({ "description": "Outra" }), json!(["description"])),
        (phone, json!(["description", "pixKey", "pixKeyType"])),
    ];
    let shop = test.shop("Loja").await;
    shop.earn(5_000).await;
    let keyed = json!({ "idempotencyKey": KEY });
    try_withdraw(&shop.key, keyed.clone()).await.expect(201);
    for (mut other, differing) in table {
        other["idempotencyKey"] = KEY.into();
        let refused = try_withdraw(&shop.key, other).await;
        refused.expect_refusal(422, "IDEMPOTENCY_KEY_REUSED");
        assert_eq!(refused.json()["differingFields"], differing);
    }
    let spelled = json!({ "idempotencyKey": KEY.to_uppercase(), "pixKey": "ANA@example.com" });
    try_withdraw(&shop.key, spelled).await.expect(200);
    assert_eq!(shop.key.total(PATH).await, 1);
}

#[story::test]
async fn a_key_of_a_refused_request_is_free(shop: Shop) {
    let keyed = json!({ "idempotencyKey": KEY });
    try_withdraw(&shop.key, keyed.clone()).await.expect_refusal(400, "INSUFFICIENT_BALANCE");
    shop.earn(5_000).await;
    try_withdraw(&shop.key, keyed).await.expect(201);
}

#[story::test]
async fn the_bodys_key_is_its_merchants_own(test: &TestApp) {
    let keyed = json!({ "idempotencyKey": KEY });
    let mut made = Vec::new();
    for name in ["Loja", "Outra"] {
        let shop = test.shop(name).await;
        shop.earn(5_000).await;
        let reply = try_withdraw(&shop.key, keyed.clone()).await.expect(201);
        made.push(id(&reply["data"]).to_owned());
    }
    assert_ne!(made[0], made[1]);
}

#[story::test]
async fn the_header_gives_the_first_answer_again(shop: Shop) {
    shop.earn(5_000).await;
    let key = shop.key.with("idempotency-key", "a week");
    let first = try_withdraw(&key, json!({})).await;
    let again = try_withdraw(&key, json!({})).await;
    again.expect_replay_of(&first, 201);
    let other = try_withdraw(&key, json!({ "amountCents": 1_001 })).await;
    other.expect_refusal(422, "IDEMPOTENCY_KEY_REUSED");
    assert_eq!(shop.key.total(PATH).await, 1);
}

#[story::test]
async fn two_keys_that_differ_are_refused_and_two_that_agree_are_one(shop: Shop) {
    shop.earn(5_000).await;
    let body = json!({ "idempotencyKey": KEY });
    for header in [OTHER, "anything"] {
        let refused = try_withdraw(&shop.key.with("idempotency-key", header), body.clone()).await;
        refused.expect_refusal(400, "INVALID_IDEMPOTENCY_KEY");
    }
    let agreeing = shop.key.with("idempotency-key", &KEY.to_uppercase());
    let first = try_withdraw(&agreeing, body.clone()).await;
    first.expect(201);
    let again = try_withdraw(&agreeing, body.clone()).await;
    assert_eq!((again.status, &again.text), (201, &first.text));
    try_withdraw(&shop.key, body).await.expect(200);
    assert_eq!(shop.key.total(PATH).await, 1);
}

#[story::test]
async fn sixty_four_identical_withdrawals_hold_the_money_once(test: &TestApp, shop: Shop) {
    shop.earn(64_000).await;
    let header = shop.key.with("idempotency-key", "race");
    for (client, body, again) in
        [(&header, json!({}), 201), (&shop.key, json!({ "idempotencyKey": KEY }), 200)]
    {
        let duplicates = (0..64).map(|_| try_withdraw(client, body.clone()));
        let answers = join_all(duplicates).await;
        let first = answers[0].json()["data"].clone();
        for answer in &answers {
            assert_eq!(answer.json()["data"], first, "{}", answer.text);
        }
        let fresh = answers
            .iter()
            .filter(|a| a.status == 201 && a.header("idempotency-replayed").is_none());
        assert_eq!(fresh.count(), 1);
        let others = answers.iter().filter(|answer| answer.status == again);
        assert!(others.count() >= 63);
    }
    assert_eq!(shop.key.total(PATH).await, 2);
    assert_eq!(held(test, &shop).await, (62_000, 2_000, 0));
}

#[story::test]
async fn of_several_that_want_the_whole_balance_one_gets_it(test: &TestApp, shop: Shop) {
    shop.earn(1_000).await;
    let answers = join_all((0..16).map(|_| try_withdraw(&shop.key, json!({})))).await;
    let made = answers.iter().filter(|answer| answer.status == 201).count();
    assert_eq!(made, 1);
    for refused in answers.iter().filter(|answer| answer.status != 201) {
        refused.expect_refusal(400, "INSUFFICIENT_BALANCE");
    }
    assert_eq!(held(test, &shop).await, (0, 1_000, 0));
    assert_eq!(shop.key.total(PATH).await, 1);
}
