//! Accounts, sessions and API keys.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;

use crate::harness::TestApp;
use crate::harness::engine::Engine;
use crate::harness::shop::{PASSWORD, Shop, id};

#[story::test]
async fn an_address_opens_one_account(test: &TestApp, shop: Shop) {
    let again = json!({ "name": "Outra", "email": "LOJA@example.com", "password": PASSWORD });
    test.anyone().post("/api/auth/register", again).await.expect_refusal(409, "ALREADY_EXISTS");
    let me = shop.owner.get("/api/auth/me").await.expect(200);
    assert_eq!(me["user"]["email"], "loja@example.com");
    assert_eq!(me["user"]["role"], "MERCHANT");
}

#[story::test]
async fn every_bad_field_of_a_registration_is_named_at_once(test: &TestApp) {
    let bad = json!({ "name": "", "email": "x", "password": "short", "document": "1" });
    let refused = test.anyone().post("/api/auth/register", bad).await;
    let fields = refused.expect_refusal(400, "VALIDATION_ERROR");
    assert_eq!(fields, ["name", "email", "document", "password"]);
}

#[story::test]
async fn an_unknown_address_and_a_wrong_password_get_the_same_error(test: &TestApp) {
    test.shop("Loja").await;
    let anyone = test.anyone().with("x-request-id", "same-request");
    let mut answers = Vec::new();
    for (email, password) in [("loja@example.com", "wrong one"), ("no@example.com", "wrong")] {
        let login = json!({ "email": email, "password": password });
        let refused = anyone.post("/api/auth/login", login).await;
        refused.expect_refusal(401, "INVALID_CREDENTIALS");
        assert_eq!(refused.header("www-authenticate"), Some("Bearer"));
        answers.push(refused.text);
    }
    assert_eq!(answers[0], answers[1]);
}

#[story::test]
async fn a_refresh_token_works_once_and_its_second_use_ends_the_session(test: &TestApp) {
    test.shop("Loja").await;
    let anyone = test.anyone();
    let login = json!({ "email": "loja@example.com", "password": PASSWORD });
    let first = anyone.post("/api/auth/login", login).await.expect(200);
    let old = json!({ "refreshToken": first["refreshToken"] });
    let second = anyone.post("/api/auth/refresh", old.clone()).await.expect(200);
    let token = second["accessToken"].as_str().expect("is given");
    let owner = anyone.with("authorization", &format!("Bearer {token}"));
    owner.get("/api/auth/me").await.expect(200);
    let refused = anyone.post("/api/auth/refresh", old).await;
    refused.expect_refusal(401, "UNAUTHORIZED");
    let reported = "The refresh token is no longer valid. Sign in again.";
    assert_eq!(refused.json()["message"], reported);
    owner.get("/api/auth/me").await.expect_refusal(401, "UNAUTHORIZED");
    let newest = json!({ "refreshToken": second["refreshToken"] });
    anyone.post("/api/auth/refresh", newest).await.expect_refusal(401, "UNAUTHORIZED");
}

#[story::test]
async fn a_refresh_token_used_many_times_at_once_ends_its_session_too(test: &TestApp) {
    test.shop("Loja").await;
    let anyone = test.anyone();
    let login = json!({ "email": "loja@example.com", "password": PASSWORD });
    let first = anyone.post("/api/auth/login", login).await.expect(200);
    let token = json!({ "refreshToken": first["refreshToken"] });
    let refresh = || anyone.post("/api/auth/refresh", token.clone());
    let answers = join_all((0..8).map(|_| refresh())).await;
    let renewed: Vec<_> = answers.iter().filter(|answer| answer.status == 200).collect();
    assert_eq!(renewed.len(), 1);
    let renewed = renewed[0].json();
    let token = renewed["accessToken"].as_str().expect("is given");
    let owner = anyone.with("authorization", &format!("Bearer {token}"));
    owner.get("/api/auth/me").await.expect_refusal(401, "UNAUTHORIZED");
    let newest = json!({ "refreshToken": renewed["refreshToken"] });
    anyone.post("/api/auth/refresh", newest).await.expect_refusal(401, "UNAUTHORIZED");
}

#[story::test]
async fn an_address_that_an_older_version_kept_in_another_spelling_signs_in_still(test: &TestApp) {
    let shop = test.shop("Loja").await;
    // The sign for f and i together, which is written as two letters now.
    let older = "update people set email = 'o\u{fb01}cina@example.com'";
    Engine::open(test).await.rows(older).await;
    for typed in ["O\u{fb01}cina@example.com", "oficina@example.com"] {
        let login = json!({ "email": typed, "password": PASSWORD });
        let reply = test.anyone().post("/api/auth/login", login).await;
        // Only who types it as it was kept is known to mean it.
        reply.expect(if typed.contains('\u{fb01}') { 200 } else { 401 });
    }
    shop.owner.get("/api/auth/me").await.expect(200);
}

#[story::test]
async fn signing_out_ends_the_access_token_at_once(shop: Shop) {
    shop.owner.post("/api/auth/logout", json!({})).await.expect(200);
    shop.owner.get("/api/auth/me").await.expect_refusal(401, "UNAUTHORIZED");
    shop.key.get("/api/v1/transactions").await.expect(200);
}

#[story::test]
async fn an_access_token_expires_after_a_quarter_of_an_hour(test: &TestApp, shop: Shop) {
    test.pass(Duration::from_secs(899));
    shop.owner.get("/api/auth/me").await.expect(200);
    test.pass(Duration::from_secs(1));
    shop.owner.get("/api/auth/me").await.expect_refusal(401, "TOKEN_EXPIRED");
}

#[story::test]
async fn a_request_without_the_right_credential_is_answered_with_the_one_required(test: &TestApp) {
    let shop = test.shop("Loja").await;
    let none = test.anyone().get("/api/v1/transactions").await;
    let key = shop.key_for("development", &["transactions:read"]).await;
    let wrong_kind = key.get("/api/credentials").await;
    let not_admin = key.get("/api/admin/connections").await;
    for (refused, reported) in [
        (not_admin, ["an administrator's access token", "/api/auth/login"]),
        (none, ["Authorization: Bearer", "API-Key"]),
        (wrong_kind, ["member's access token", "/api/auth/login"]),
    ] {
        refused.expect_refusal(401, "UNAUTHORIZED");
        assert_eq!(refused.header("www-authenticate"), Some("Bearer"));
        let message = refused.json()["message"].to_string();
        assert!(reported.iter().all(|words| message.contains(words)), "{message}");
    }
}

#[story::test]
async fn a_revoked_key_is_refused_on_the_next_request(shop: Shop) {
    let key = shop.key_for("development", &["transactions:read"]).await;
    key.get("/api/v1/transactions").await.expect(200);
    let listed = shop.owner.get("/api/credentials").await.expect(200);
    let newest = &listed["data"][0];
    assert_eq!(newest.get("key"), None);
    assert_eq!(newest["lastUsedAt"], "2026-11-21T12:00:00.000Z");
    let path = format!("/api/credentials/{}", id(newest));
    shop.owner.delete(&path).await.expect(200);
    key.get("/api/v1/transactions").await.expect_refusal(401, "UNAUTHORIZED");
    shop.owner.delete(&path).await.expect_refusal(404, "NOT_FOUND");
}

#[story::test]
async fn a_rotated_key_stays_good_for_its_grace_period(test: &TestApp, shop: Shop) {
    let old = shop.key_for("development", &["transactions:read"]).await;
    let listed = shop.owner.get("/api/credentials").await.expect(200);
    let path = format!("/api/credentials/{}/rotate", id(&listed["data"][0]));
    let rotated = shop.owner.post(&path, json!({ "gracePeriodSeconds": 60 })).await;
    let key = rotated.expect(200)["data"]["key"].as_str().expect("is shown").to_owned();
    let new = test.anyone().with("api-key", &key);
    test.pass(Duration::from_secs(59));
    old.get("/api/v1/transactions").await.expect(200);
    test.pass(Duration::from_secs(1));
    old.get("/api/v1/transactions").await.expect_refusal(401, "UNAUTHORIZED");
    new.get("/api/v1/transactions").await.expect(200);
}

#[story::test]
async fn a_key_is_sent_either_way_but_never_two_ways_that_differ(test: &TestApp, shop: Shop) {
    let by_header = shop.key_for("development", &["transactions:read"]).await;
    by_header.get("/api/v1/transactions").await.expect(200);
    shop.key.get("/api/v1/transactions").await.expect(200);
    let both = by_header.with("authorization", "Bearer tos_dev_other");
    both.get("/api/v1/transactions").await.expect_refusal(401, "UNAUTHORIZED");
    for bad in ["", "tos_dev_x", "tos_prod_AAAAAAAAAAAA_x", "garbage"] {
        let client = test.anyone().with("api-key", bad);
        client.get("/api/v1/transactions").await.expect_refusal(401, "UNAUTHORIZED");
    }
    let basic = test.anyone().with("authorization", "Basic eDp5");
    basic.get("/api/v1/transactions").await.expect_refusal(401, "UNAUTHORIZED");
}
